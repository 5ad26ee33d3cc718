//! Sleep in slices of the wall clock, so that suspend and a clock that was set are seen; and what ended it.

use std::time::Duration;

use chrono::TimeDelta;

use super::daemon::Daemon;
use super::{Call, RunNow};
use crate::clock::Instant;
use crate::run::Source;

/// The wall clock is read again after this at the latest.
const SLICE: Duration = Duration::from_secs(30);

/// A slice that lasted longer than it should by this was no slice: the machine slept, or the clock was set. A slot that is
/// further back than this was passed.
const LATE: TimeDelta = TimeDelta::minutes(1);

/// What ended a sleep.
#[derive(Debug)]
pub(super) enum Woke {
    /// A round begins, on this one's word.
    Due(Source),
    /// Somebody orders one.
    Ordered(RunNow),
    /// The daemon ends.
    Stopped,
}

/// What the clock said after a slice.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slice {
    /// When it began.
    pub from: Instant,
    /// When it should have ended.
    pub until: Instant,
    /// What the clock shows now.
    pub now: Instant,
}

impl Slice {
    /// Why a round begins now, if one does. However many slots were passed, it is one.
    pub fn due(&self, next_slot: Option<Instant>, next_round: Instant) -> Option<Source> {
        let slot_came = next_slot.is_some_and(|slot| slot <= self.now);
        if next_slot.is_some_and(|slot| slot + LATE < self.now) {
            return Some(Source::CatchUp);
        }
        let was_set = self.now > self.until + LATE || self.now + LATE < self.from;
        match (slot_came || next_round <= self.now, was_set) {
            (true, _) => Some(Source::Schedule),
            (false, true) => Some(Source::Resume),
            (false, false) => None,
        }
    }
}

impl Daemon<'_> {
    /// Sleeps until something is due, or until something happens.
    pub(super) async fn sleep(&mut self, next_round: Instant) -> Woke {
        loop {
            let from = self.seen();
            let slice = self.systemd.wants_word_every().map_or(SLICE, |word| word.min(SLICE));
            let first = self.slot.into_iter().fold(next_round, Instant::min);
            let until = first.clamp(from, from + TimeDelta::from_std(slice).unwrap_or_default());
            tokio::select! {
                biased;
                Some(call) = self.calls.recv() => match call {
                    Call::Stop => return Woke::Stopped,
                    Call::Reload if self.look_at_files(true) => return Woke::Due(Source::Schedule),
                    Call::Reload => {}
                },
                Some(order) = self.desk.orders.recv() => return Woke::Ordered(order),
                () = self.place.clock.sleep_until(until) => {
                    let slice = Slice { from, until, now: self.seen() };
                    // New files may have other slots: those of the old ones are no reason any more.
                    if self.look_at_files(false) {
                        return Woke::Due(Source::Schedule);
                    }
                    if let Some(source) = slice.due(self.slot, next_round) {
                        return Woke::Due(source);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: &str) -> Instant {
        format!("2026-11-30T{time}Z").parse().unwrap()
    }

    fn slice(from: &str, until: &str, now: &str) -> Slice {
        Slice { from: at(from), until: at(until), now: at(now) }
    }

    #[test]
    fn what_woke_it_is_what_is_said() {
        let (slot, later) = (Some(at("06:00:00")), at("09:00:00"));
        let usual = slice("05:59:00", "05:59:30", "05:59:30");
        assert_eq!(usual.due(slot, later), None);
        let due = slice("05:59:30", "06:00:00", "06:00:00");
        assert_eq!(due.due(slot, later), Some(Source::Schedule));
        assert_eq!(usual.due(slot, at("05:59:30")), Some(Source::Schedule), "a retry that fell due");
        let asleep = slice("05:00:00", "05:00:30", "07:10:00");
        assert_eq!(asleep.due(slot, later), Some(Source::CatchUp), "the slot was passed in sleep");
        assert_eq!(asleep.due(Some(at("08:00:00")), later), Some(Source::Resume), "none was");
        let set_back = slice("05:00:00", "05:00:30", "02:00:00");
        assert_eq!(set_back.due(slot, later), Some(Source::Resume));
    }
}
