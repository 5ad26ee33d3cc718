//! Whole mornings: the real program, a real Firefox or Chromium, the example site of `fixtures/`, judged by what that site counted.

#[allow(dead_code)] // Each test takes what it needs of it.
#[path = "../mail/server.rs"]
mod server;
#[allow(dead_code)] // Each test takes what it needs of it.
#[path = "../mail/sink.rs"]
mod sink;
#[path = "../support/mod.rs"]
mod support;

mod again;
mod by_hand;
mod canary;
mod clock;
mod dead;
mod documented;
mod each;
mod holidays;
mod identity;
mod killed;
mod ledger;
mod lane;
mod limits;
mod machine;
mod mail;
mod names;
mod parallel;
mod refused;
mod requires;
mod scenarios;
mod sessions;
mod stage;
mod taken_over;
mod tickets;
mod tomorrow;
