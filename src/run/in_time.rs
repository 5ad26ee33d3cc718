//! The last look at the clock, between the intent and the commit step.

use chrono::{DateTime, TimeDelta, Utc};

use super::task_run::PERIOD_OVER;
use super::{Failure, FailureKind, Rules};

/// A runner that was paused for longer than this between intent and commit step does not commit.
const PAUSED: TimeDelta = TimeDelta::seconds(5);

/// Why the commit step must not be dispatched now, if so: the period or the window ended, the runner slept, or the clock was
/// set. Nothing was sent then, and the intent is freed.
pub fn too_late(now: DateTime<Utc>, intended_at: DateTime<Utc>, rules: &Rules) -> Option<Failure> {
    let limit = TimeDelta::from_std(rules.commit_limit).unwrap_or_default();
    let failure =
        |why: &str| Failure::new(FailureKind::Timeout, format!("{why} just before the commit step; nothing was sent"));
    if now >= rules.period.from && now + limit >= rules.period.to {
        return Some(Failure { rule: Some(PERIOD_OVER.to_owned()), ..failure("the site's day ended") });
    }
    if now < intended_at || !rules.period.contains(now) {
        return Some(failure("the clock was set back"));
    }
    if now - intended_at > PAUSED {
        return Some(failure("the runner was paused"));
    }
    (now >= rules.window.until).then(|| failure("the window ended"))
}
