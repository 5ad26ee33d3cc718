//! The real program as processes that are killed, started together, and stopped; a real Firefox; a ledger on disk.

#[allow(dead_code)] // These tests take what they need of it.
#[path = "../simulation/chance.rs"]
mod chance;
#[path = "../morning/stage.rs"]
#[allow(dead_code)] // These tests take what they need of it.
mod stage;
#[path = "../support/mod.rs"]
mod support;

mod daemon;
mod heartbeats;
mod household;
mod killed_anywhere;
mod service;
mod site;
mod stopped;
mod together;
