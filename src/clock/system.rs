//! The machine's own clock.

use std::time::{Duration, Instant as Monotonic};

use async_trait::async_trait;
use chrono::{SubsecRound, Utc};

use super::{Clock, Instant};

/// The longest sleep before the wall clock is read again.
const SLICE: Duration = Duration::from_secs(30);

/// The machine's clock.
#[derive(Debug)]
pub struct SystemClock {
    started: Monotonic,
}

impl SystemClock {
    /// A clock whose uptime starts now.
    #[allow(clippy::disallowed_methods)]
    pub fn new() -> Self {
        SystemClock { started: Monotonic::now() }
    }

    /// Stops this thread for a moment: only for a lock that another process holds briefly, before anything is under way.
    pub fn block(moment: Duration) {
        std::thread::sleep(moment);
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Clock for SystemClock {
    #[allow(clippy::disallowed_methods)]
    fn now(&self) -> Instant {
        Utc::now().trunc_subsecs(3)
    }

    fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    #[allow(clippy::disallowed_methods)]
    async fn sleep_until(&self, until: Instant) {
        while let Ok(left) = (until - self.now()).to_std() {
            if left.is_zero() {
                return;
            }
            tokio::time::sleep(left.min(SLICE)).await;
        }
    }

    #[allow(clippy::disallowed_methods)]
    async fn sleep_real(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}
