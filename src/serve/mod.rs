//! The daemon: the same round as `sunup run` by a timer, begun by itself when something is due.
//!
//! ```text
//! look at the files ─> round (the morning, report, mail) ─> what is due next ─> sleep in slices ─┐
//!   ^                                                                                            │
//!   └──────── a slot, a retry, an order, changed files, a clock that was set, a signal ──────────┘
//! ```

pub mod http;
mod orders;

pub use orders::{Answer, Desk, Front, Health, RunNow};
