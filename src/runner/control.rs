//! How a run is reached from outside while it works: told to look at its keys again, or to stop.

use std::future::{Future, pending};
use std::time::Duration;

use tokio::sync::watch;

use crate::run::{Failure, FailureKind};

/// A commit step that was begun is not cut off: it has so much longer.
const COMMIT_GRACE: Duration = Duration::from_secs(15);

/// What a run was told so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Told {
    looks: u64,
    stopped: bool,
}

/// Reaches the runs that it was given to, from the same process.
#[derive(Debug, Default)]
pub struct Control {
    told: watch::Sender<Told>,
}

/// Why work did not come to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// Its own time was over.
    OverTime,
    /// The run was told to stop.
    Stopped,
}

impl Control {
    /// Nothing new is begun from now on; what can be cut off is.
    pub fn stop(&self) {
        self.told.send_modify(|told| told.stopped = true);
    }

    /// True once it was told to stop.
    pub fn is_stopped(&self) -> bool {
        self.told.borrow().stopped
    }

    /// Every key is asked about again, those that rest included.
    pub fn look_again(&self) {
        self.told.send_modify(|told| told.looks += 1);
    }

    /// Returns as soon as it was told to stop.
    pub async fn stopped(&self) {
        // The sender lives as long as this: there is no error.
        let _ = self.told.subscribe().wait_for(|told| told.stopped).await;
    }

    /// Returns as soon as something is said from now on.
    pub(super) fn spoken(&self) -> impl Future<Output = ()> + use<> {
        let mut listener = self.told.subscribe();
        async move {
            if listener.changed().await.is_err() {
                pending::<()>().await;
            }
        }
    }

    /// Work that may be cut off at any time: it sends nothing that counts.
    pub(super) async fn in_time<T>(&self, limit: Duration, work: impl Future<Output = T>) -> Result<T, Cut> {
        tokio::select! {
            biased;
            done = tokio::time::timeout(limit, work) => done.map_err(|_| Cut::OverTime),
            () = self.stopped() => Err(Cut::Stopped),
        }
    }

    /// Work that holds a commit step: cut off it would count as sent, and nobody would know.
    pub(super) async fn to_its_end<T>(&self, limit: Duration, work: impl Future<Output = T>) -> Result<T, Cut> {
        let mut work = std::pin::pin!(tokio::time::timeout(limit, work));
        tokio::select! {
            biased;
            done = &mut work => return done.map_err(|_| Cut::OverTime),
            () = self.stopped() => {}
        }
        match tokio::time::timeout(COMMIT_GRACE, work).await {
            Ok(done) => done.map_err(|_| Cut::OverTime),
            Err(_) => Err(Cut::Stopped),
        }
    }
}

impl Cut {
    /// What it means for the key at work.
    pub(super) fn failure(self, limit: Duration) -> Failure {
        match self {
            Cut::OverTime => super::perform::over_time(limit),
            Cut::Stopped => stopped(),
        }
    }
}

/// Sunup was told to stop: the key stays as it is.
pub(super) fn stopped() -> Failure {
    Failure::new(FailureKind::Timeout, "Sunup was told to stop in the middle of it; the next run goes on")
}

#[cfg(test)]
mod tests {
    use std::future::ready;

    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    #[tokio::test(start_paused = true)]
    async fn what_sends_nothing_is_cut_off_and_a_commit_step_is_given_time() {
        let control = Control::default();
        assert_eq!(control.in_time(LONG, ready(1)).await, Ok(1));
        assert_eq!(control.in_time(LONG, pending::<()>()).await, Err(Cut::OverTime));
        control.stop();
        assert_eq!(control.in_time(LONG, pending::<()>()).await, Err(Cut::Stopped));
        assert_eq!(control.to_its_end(LONG, pending::<()>()).await, Err(Cut::Stopped));
        let click = async { tokio::task::yield_now().await };
        assert_eq!(control.to_its_end(LONG, click).await, Ok(()), "it was under way, and comes to its end");
        assert_eq!(control.to_its_end(COMMIT_GRACE / 2, pending::<()>()).await, Err(Cut::OverTime));
    }
}
