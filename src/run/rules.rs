//! What the state machine must know of a task; the rest of the task file is the browser's business.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use super::{Key, Passed};
use crate::files::model::{Act, Effect, Retry, Task, Verdict, Verify};
use crate::timing::{Overlap, Period, PeriodKind, Slots, Strategy, Window};

/// The fixed side of one task run.
#[derive(Debug, Clone)]
pub struct Rules {
    /// The key.
    pub key: Key,
    /// May the act be repeated?
    pub effect: Effect,
    /// A person acts.
    pub by_person: bool,
    /// `verify: check`: the check was the baseline.
    pub verify_is_check: bool,
    /// The act is one unit of a goal.
    pub counts: bool,
    /// How long evidence may take.
    pub settle: Duration,
    /// Attempts and waits.
    pub retry: Retry,
    /// Limit of the commit step: site-now plus this must lie inside the period.
    pub commit_limit: Duration,
    /// When it may act.
    pub window: Window,
    /// The key closes as not done from here on: the end of the last window of its period; none for `once`.
    pub closes_at: Option<DateTime<Utc>>,
    /// A success after this is `compensated`.
    pub late_after: DateTime<Utc>,
    /// What becomes of its slot once it was passed.
    pub passed: Passed,
    /// The period of the key.
    pub period: Period,
}

impl Rules {
    /// The rules of this task in this period and window, one of its `slots`.
    pub fn of(task: &Task, key: Key, period: Period, window: Window, slots: &Slots<'_>) -> Self {
        let is_past = period.to <= window.slot;
        let closes_at = match period.kind {
            // Made up: today's window is all it has today.
            _ if is_past => Some(window.until),
            PeriodKind::Once => None,
            PeriodKind::Occurrence => Some(window.until),
            // Its later slots are further chances. The files may have changed since the key was opened.
            _ => Some(slots.last_of(&period).map_or(window.until, |last| last.until.max(window.until))),
        };
        let commit_limit = match &task.act {
            Act::Steps(steps) => match task.effect {
                Effect::Once => steps.iter().find(|step| step.commit).map_or(task.timeout, |step| step.timeout),
                Effect::Repeatable => task.timeout,
            },
            Act::Person => Duration::ZERO,
        };
        let catch_up = task.schedule.catch_up;
        let passed = Passed {
            never: catch_up.strategy == Strategy::Never,
            each: catch_up.strategy == Strategy::Each,
            begin_by: catch_up.skip_if_after.map(|limit| limit.of(&window, slots.zone)),
            first_waits: catch_up.first_waits,
            queues: task.schedule.overlap == Overlap::Queue,
        };
        Rules {
            key,
            effect: task.effect,
            by_person: matches!(task.act, Act::Person),
            verify_is_check: matches!(task.verify, Verify::Check),
            counts: matches!(task.check.verdict, Verdict::Goal { .. }),
            settle: task.settle,
            retry: task.retry,
            commit_limit,
            window,
            closes_at,
            late_after: match is_past {
                true => period.to,
                false => window.slot + TimeDelta::from_std(task.schedule.grace).unwrap_or_default(),
            },
            passed,
            period,
        }
    }

    /// True for a key that is made up: its window lies beyond its period, whose end ends nothing any more.
    pub fn is_past(&self) -> bool {
        self.period.to <= self.window.slot
    }
}
