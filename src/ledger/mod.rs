//! The local journal of all that happened: the runner's only memory. SQLite, one file, append-only events.
//!
//! Calls are synchronous and short (single rows by key); the runner works its lanes from one thread, so that the order of
//! writes is the order of things.

mod attempts;
mod intents;
mod keys;
mod leases;
mod outbox;
mod rows;
mod stamp;
mod store;
mod tickets;

pub use intents::IntentAnswer;
pub use keys::{KeyRow, StatusLine};
pub use leases::{Holder, Lease, LeaseAnswer};
pub use outbox::{MailState, NewMail, OutboxMail, StoredReport};
pub use rows::{PointsRead, StoredRow};
pub use store::{Ledger, LedgerError};
pub use tickets::{OpenTicket, SiteWait, Ticket};
