//! Sunup runs the small things a person does in a browser every morning, once a day, and proves each one from the
//! server's own records.
//!
//! The modules stand in an order in which each imports only from those above it; `tests/layering.rs` holds that order.
//! `ARCHITECTURE.md` says why, and walks through a morning.

#![deny(missing_docs)]

pub mod clock;
pub mod values;
pub mod timing;
pub mod files;
pub mod run;
pub mod secrets;
pub mod ledger;
pub mod report;
pub mod browser;
pub mod fixture;
pub mod runner;
pub mod serve;
pub mod cli;
