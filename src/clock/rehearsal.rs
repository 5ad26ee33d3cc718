//! The clock of a rehearsal: it starts at a chosen time, goes on with real time, and jumps ahead when everybody waits.

use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{SubsecRound, TimeDelta};

use super::{Clock, Instant, SystemClock};

/// A clock that starts where it is told, runs at the pace of real time, and jumps to the end of a wait instead of
/// sleeping it out. The runner waits in one place only, when every lane waits, so a jump never overtakes work.
#[derive(Debug)]
pub struct RehearsalClock {
    start: Instant,
    real: SystemClock,
    jumped: Mutex<TimeDelta>,
}

impl RehearsalClock {
    /// A clock that shows `start` now.
    pub fn starting_at(start: Instant) -> Self {
        RehearsalClock { start, real: SystemClock::new(), jumped: Mutex::new(TimeDelta::zero()) }
    }
}

#[async_trait]
impl Clock for RehearsalClock {
    fn now(&self) -> Instant {
        let jumped = *self.jumped.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let now = self.start + jumped + TimeDelta::from_std(self.real.uptime()).unwrap_or_default();
        now.trunc_subsecs(3)
    }

    fn uptime(&self) -> Duration {
        self.real.uptime()
    }

    async fn sleep_until(&self, until: Instant) {
        let left = until - self.now();
        if left > TimeDelta::zero() {
            *self.jumped.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) += left;
        }
    }

    async fn sleep_real(&self, duration: Duration) {
        self.real.sleep_real(duration).await;
    }
}
