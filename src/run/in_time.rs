//! The last look at the clock, between the intent and the commit step.

use chrono::{DateTime, TimeDelta, Utc};

use super::task_run::PERIOD_OVER;
use super::{Failure, FailureKind, Rules};

/// A runner that was paused for longer than this between intent and commit step does not commit.
const PAUSED: TimeDelta = TimeDelta::seconds(5);

/// A clock may be stepped back by so much; more is a fault.
const BEHIND: TimeDelta = TimeDelta::minutes(2);

/// True for a clock that shows so much less than a time on record that nothing may be done by it.
pub fn is_behind(now: DateTime<Utc>, on_record: DateTime<Utc>) -> bool {
    on_record - now > BEHIND
}

/// Why the commit step must not be dispatched now, if so: the period or the window ended, the runner slept, or the clock was
/// set. Nothing was sent then, and the intent is freed.
pub fn too_late(now: DateTime<Utc>, intended_at: DateTime<Utc>, rules: &Rules) -> Option<Failure> {
    let limit = TimeDelta::from_std(rules.commit_limit).unwrap_or_default();
    let failure =
        |why: &str| Failure::new(FailureKind::Timeout, format!("{why} just before the commit step; nothing was sent"));
    let is_past = rules.is_past();
    if !is_past && now >= rules.period.from && now + limit >= rules.period.to {
        return Some(Failure { rule: Some(PERIOD_OVER.to_owned()), ..failure("the site's day ended") });
    }
    if now < intended_at || !(is_past || rules.period.contains(now)) {
        // A small step back is made up for by another attempt; a clock that is wrong is the machine's fault.
        let kind = if is_behind(now, intended_at) { FailureKind::Environment } else { FailureKind::Timeout };
        return Some(Failure { kind, ..failure("this machine's clock was set back") });
    }
    if now - intended_at > PAUSED {
        return Some(failure("the runner was paused"));
    }
    (now >= rules.window.until).then(|| failure("the window ended"))
}
