//! What stops a lane before its next step.

use anyhow::Result;

use super::lane::{OpenLane, attempt_limit, run_over};
use super::plan::Planned;
use super::{control, perform, tickets};
use crate::ledger::SiteWait;
use crate::run::{Event, Failure, FailureKind, Which};

/// A lease is kept for longer than a step may take, by this.
const MARGIN: chrono::TimeDelta = chrono::TimeDelta::minutes(5);

/// Why a lane stops before its next step.
pub(super) enum Stop {
    LeaseLost,
    Suspended(i64),
    /// Another lane of the site was told to stay away.
    Waits(SiteWait),
    RunOver,
    Told,
}

impl OpenLane<'_> {
    /// What stops the lane before its next step.
    pub(super) fn stop(&mut self, planned: &Planned<'_>) -> Result<Option<Stop>> {
        let now = self.world.clock.now();
        // Long enough for the longest step that may follow.
        let needed = chrono::TimeDelta::from_std(attempt_limit(planned)).unwrap_or_default() + MARGIN;
        if !self.world.ledger.keep_lease(&mut self.lease, now, needed)? {
            self.lost = true;
            return Ok(Some(Stop::LeaseLost));
        }
        if self.world.control.is_stopped() {
            return Ok(Some(Stop::Told));
        }
        if now >= self.ends_at {
            return Ok(Some(Stop::RunOver));
        }
        if let Some(number) = self.world.ledger.suspended_by(&self.lane)? {
            return Ok(Some(Stop::Suspended(number)));
        }
        Ok(self.world.ledger.site_wait(&self.lane.site, now)?.map(Stop::Waits))
    }

    /// Why a sign-in stops in its middle: whatever stops the lane before its next step.
    pub(super) fn stops_sign_in(&mut self, planned: &Planned<'_>) -> Result<Option<Event>> {
        let Some(stop) = self.stop(planned)? else { return Ok(None) };
        let failure = stop.failure(self)?;
        Ok(Some(match stop {
            Stop::LeaseLost => Event::ReadFailed { which: Which::SignIn, failure },
            Stop::Told => Event::Interrupted,
            Stop::RunOver | Stop::Suspended(_) | Stop::Waits(_) => Event::NotTried { failure },
        }))
    }

    /// Pages may be loaded: the lane is ours, no ticket suspends it, and its site did not ask to be left alone.
    pub(super) fn may_load(&self) -> Result<bool> {
        let ledger = self.world.ledger;
        let waits = ledger.site_wait(&self.lane.site, self.world.clock.now())?.is_some();
        Ok(!self.lost && !waits && ledger.suspended_by(&self.lane)?.is_none())
    }
}

impl Stop {
    pub(super) fn failure(&self, lane: &OpenLane<'_>) -> Result<Failure> {
        Ok(match self {
            Stop::LeaseLost => {
                Failure::new(FailureKind::Timeout, "another runner took the lane over; this one stopped")
            }
            Stop::RunOver => run_over(),
            Stop::Told => control::stopped(),
            Stop::Suspended(number) => tickets::standing(lane.world, *number)?,
            Stop::Waits(wait) => perform::stays_away(wait),
        })
    }
}
