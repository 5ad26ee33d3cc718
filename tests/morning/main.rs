//! Whole mornings: the real program, a real Firefox, the example site of `fixtures/`, judged by what that site counted.

#[path = "../support/mod.rs"]
mod support;

mod scenarios;
mod stage;
