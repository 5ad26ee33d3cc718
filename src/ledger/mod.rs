//! The local journal of all that happened: the runner's only memory. SQLite, one file, append-only events.
//!
//! Calls are synchronous and short (single rows by key); the runner works its lanes from one thread, so that the order of
//! writes is the order of things.

mod aside;
mod attempts;
mod check;
mod dead;
mod error;
mod examine;
mod gate;
mod history;
mod holders;
mod intents;
mod keys;
mod leases;
mod losses;
mod mark;
mod migrations;
mod notices;
mod outbox;
mod passed;
mod past;
mod place;
mod rows;
mod sessions;
mod stamp;
mod store;
#[cfg(test)]
mod tests;
mod tickets;

pub use attempts::DecisionLine;
pub use error::LedgerError;
pub use history::{AttemptCount, DayStatus, LastOutcome, StoredDecision};
pub use intents::IntentAnswer;
pub use keys::{KeyRow, StatusLine};
pub use leases::{Holder, Lease, LeaseAnswer};
pub use losses::{Loss, LossKind};
pub use outbox::{MailState, NewMail, OutboxMail, StoredReport};
pub use past::Times;
pub use rows::{PointsRead, StoredRow};
pub use sessions::{KeptSession, SessionOrigin};
pub use store::Ledger;
pub use tickets::{BY_A_PERSON, OpenTicket, SiteWait, Ticket};
