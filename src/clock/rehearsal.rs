//! The clock of a rehearsal: it starts at a chosen time, goes on with real time, and jumps ahead when everybody waits.

use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{SubsecRound, TimeDelta};
use tokio::sync::Notify;

use super::{Clock, Instant, SystemClock};

/// A clock that starts where it is told and runs at the pace of real time. When everybody at work ([`super::AtWork`])
/// waits for it, it jumps to the end of the shortest wait instead of sleeping it out, so that a jump never overtakes work.
#[derive(Debug)]
pub struct RehearsalClock {
    start: Instant,
    real: SystemClock,
    state: Mutex<State>,
    /// Rings when somebody came, went, or when the clock has jumped: whoever waits looks again.
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    jumped: TimeDelta,
    at_work: usize,
    /// The end of each wait that is under way.
    waits: Vec<Instant>,
}

impl RehearsalClock {
    /// A clock that shows `start` now.
    pub fn starting_at(start: Instant) -> Self {
        RehearsalClock { start, real: SystemClock::new(), state: Mutex::default(), changed: Notify::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shown(&self, state: &State) -> Instant {
        let now = self.start + state.jumped + TimeDelta::from_std(self.real.uptime()).unwrap_or_default();
        now.trunc_subsecs(3)
    }

    /// Jumps to the end of the shortest wait, if there is nobody at work who does not wait. Somebody whose wait is over has
    /// not gone on yet, and counts as at work.
    fn jump_if_all_wait(&self) {
        let mut state = self.state();
        let now = self.shown(&state);
        let waiting = || state.waits.iter().filter(|until| **until > now);
        if waiting().count() < state.at_work {
            return;
        }
        if let Some(nearest) = waiting().min().copied() {
            state.jumped += nearest - now;
            drop(state);
            self.changed.notify_waiters();
        }
    }
}

#[async_trait]
impl Clock for RehearsalClock {
    fn now(&self) -> Instant {
        self.shown(&self.state())
    }

    fn uptime(&self) -> Duration {
        self.real.uptime()
    }

    async fn sleep_until(&self, until: Instant) {
        let _waiting = Waiting::until(self, until);
        loop {
            let mut changed = pin!(self.changed.notified());
            changed.as_mut().enable();
            self.jump_if_all_wait();
            let Ok(left) = (until - self.now()).to_std() else { return };
            if left.is_zero() {
                return;
            }
            tokio::select! {
                () = changed => {}
                () = self.real.sleep_real(left) => {}
            }
        }
    }

    async fn sleep_real(&self, duration: Duration) {
        self.real.sleep_real(duration).await;
    }

    fn begin_work(&self) {
        self.state().at_work += 1;
    }

    fn end_work(&self) {
        self.state().at_work -= 1;
        self.changed.notify_waiters();
    }
}

/// A wait that is under way; one that is given up is one no more.
struct Waiting<'c> {
    clock: &'c RehearsalClock,
    until: Instant,
}

impl<'c> Waiting<'c> {
    fn until(clock: &'c RehearsalClock, until: Instant) -> Self {
        clock.state().waits.push(until);
        Waiting { clock, until }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut state = self.clock.state();
        if let Some(at) = state.waits.iter().position(|until| *until == self.until) {
            state.waits.swap_remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::Pin;

    use super::super::AtWork;
    use super::*;

    fn six() -> Instant {
        "2026-11-29T22:00:00Z".parse().unwrap()
    }

    fn after(minutes: i64) -> Instant {
        six() + TimeDelta::minutes(minutes)
    }

    /// Looks once whether it is over.
    async fn is_over(wait: &mut Pin<Box<dyn Future<Output = ()> + Send + '_>>) -> bool {
        tokio::select! {
            biased;
            () = wait => true,
            () = std::future::ready(()) => false,
        }
    }

    #[tokio::test]
    async fn who_waits_alone_waits_no_real_time() {
        let clock = RehearsalClock::starting_at(six());
        clock.sleep_until(after(60)).await;
        assert!((after(60)..after(61)).contains(&clock.now()));
        let _at_work = AtWork::by(&clock);
        clock.sleep_until(after(120)).await;
        assert!((after(120)..after(121)).contains(&clock.now()));
    }

    #[tokio::test]
    async fn no_jump_while_another_works() {
        let clock = RehearsalClock::starting_at(six());
        let (_waits, works) = (AtWork::by(&clock), AtWork::by(&clock));
        let mut wait = clock.sleep_until(after(60));
        for _ in 0..3 {
            assert!(!is_over(&mut wait).await);
            assert!(clock.now() < after(1), "the clock leapt in the middle of the other's work");
        }
        drop(works);
        assert!(is_over(&mut wait).await, "the other is done");
        assert!(clock.now() >= after(60));
    }

    #[tokio::test]
    async fn when_all_wait_it_jumps_to_the_nearest_end_and_no_further() {
        let clock = RehearsalClock::starting_at(six());
        let (_one, _other) = (AtWork::by(&clock), AtWork::by(&clock));
        let mut long = clock.sleep_until(after(60));
        let mut short = clock.sleep_until(after(10));
        assert!(!is_over(&mut long).await);
        assert!(is_over(&mut short).await);
        drop(short);
        assert!(!is_over(&mut long).await, "whoever waited shortly works again");
        assert!((after(10)..after(11)).contains(&clock.now()));
        let mut again = clock.sleep_until(after(90));
        assert!(!is_over(&mut again).await);
        assert!(is_over(&mut long).await);
        assert!((after(60)..after(61)).contains(&clock.now()));
    }

    #[tokio::test]
    async fn a_wait_that_is_given_up_holds_nobody() {
        let clock = RehearsalClock::starting_at(six());
        let at_work = (AtWork::by(&clock), AtWork::by(&clock));
        let mut given_up = clock.sleep_until(after(10));
        assert!(!is_over(&mut given_up).await);
        drop((given_up, at_work.0));
        clock.sleep_until(after(60)).await;
        assert!((after(60)..after(61)).contains(&clock.now()));
    }
}
