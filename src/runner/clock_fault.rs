//! A clock that is wrong: nothing is done by it, no act and no sign-in.

use anyhow::Result;

use super::morning::World;
use crate::clock::Instant;
use crate::run::{Failure, FailureKind, SITE_CLOCK, is_behind};

impl World<'_> {
    /// A clock that shows less than the ledger's last line, by more than a step of the clock may be.
    pub(super) fn clock_fault(&self) -> Result<Option<Failure>> {
        let now = self.clock.now();
        let Some(last) = self.ledger.high_water()?.filter(|last| is_behind(now, *last)) else { return Ok(None) };
        let shown = |at: Instant| at.with_timezone(&self.project.settings.timezone).format("%Y-%m-%d %H:%M");
        let message = format!(
            "this machine's clock is wrong: it shows {}, and the ledger's last line is of {}. Set the clock (`timedatectl`), \
             then run again",
            shown(now),
            shown(last)
        );
        Ok(Some(Failure::new(FailureKind::Environment, message)))
    }
}

/// This failure, if it is that of a clock which a site's answer showed to be wrong: it holds for the lane's whole run.
pub(super) fn of_site(failure: &Failure) -> Option<Failure> {
    (failure.rule.as_deref() == Some(SITE_CLOCK)).then(|| failure.clone())
}
