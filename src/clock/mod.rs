//! The seam for time: nothing else in the crate asks what time it is, or sleeps.

mod rehearsal;
mod system;

use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};

pub use rehearsal::RehearsalClock;
pub use system::SystemClock;

/// An instant on the wall clock, always in UTC; zones are applied where a person or a site reads it.
pub type Instant = DateTime<Utc>;

/// What time it is, and waiting for a later time.
#[async_trait]
pub trait Clock: Send + Sync {
    /// The wall clock now, in whole milliseconds, which is what the ledger keeps.
    fn now(&self) -> Instant;

    /// Time that only goes forward while this process is awake, for measuring how long something took. Its zero is
    /// arbitrary.
    fn uptime(&self) -> Duration;

    /// Returns once `now()` has reached `until`, at once when it is already past. The wall clock is read again at least
    /// every 30 s, so that suspend and clock steps are seen.
    async fn sleep_until(&self, until: Instant);

    /// Waits for something outside of this process (a page, a process, a socket), for which real time must pass even
    /// where this clock is a virtual one. Used only as the limit of an operation that is under way.
    async fn sleep_real(&self, duration: Duration);

    /// Somebody begins to work: see [`AtWork`]. Only a virtual clock wants to know.
    fn begin_work(&self) {}

    /// Somebody who began is done, or is gone.
    fn end_work(&self) {}
}

/// Somebody at work, for as long as this lives. A clock that jumps does so only when everybody at work waits for it: a jump
/// never falls into the page work of another lane.
pub struct AtWork<'c>(&'c dyn Clock);

impl<'c> AtWork<'c> {
    /// Begins.
    pub fn by(clock: &'c dyn Clock) -> Self {
        clock.begin_work();
        AtWork(clock)
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.0.end_work();
    }
}
