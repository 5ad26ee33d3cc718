//! The daemon: the same round as `sunup run` by a timer, begun by itself when something is due.
//!
//! ```text
//! look at the files ─> round (the morning, report, mail) ─> what is due next ─> sleep in slices ─┐
//!   ^                                                                                            │
//!   └──────── a slot, a retry, an order, changed files, a clock that was set, a signal ──────────┘
//! ```

mod calls;
mod daemon;
mod due;
pub mod http;
mod lock;
mod ordered;
mod orders;
mod round;
mod sleep;
mod systemd;
#[cfg(test)]
mod tests;
mod watched;

pub use calls::{Call, listen};
pub use daemon::{Daemon, Place};
pub use lock::{Lock, LockAnswer};
pub use orders::{Answer, Desk, Front, Health, RunNow};
pub use systemd::Systemd;
pub use watched::Watched;
