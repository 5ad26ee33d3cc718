//! The API and the status page: a real listener, a real ledger, a real Firefox.

mod answers;
mod browser;
mod described;
mod door;
mod health;
mod lab;
mod refused;
#[path = "../support/mod.rs"]
mod support;
mod window;
