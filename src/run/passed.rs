//! What becomes of a key whose slot was passed before anybody began it, and of one whose predecessor is still under way.

use chrono::{DateTime, Utc};

use super::{Decision, Facts, Refusal, Status};

/// What a task says of a slot that was passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Passed {
    /// It is not made up.
    pub never: bool,
    /// It is not begun from here on, though its window goes on.
    pub begin_by: Option<DateTime<Utc>>,
    /// It is made up on a later day: a key that was not tried stays open for that.
    pub each: bool,
    /// The task's very first slot waits for the next one.
    pub first_waits: bool,
    /// A slot waits for the one before; otherwise it is dropped.
    pub queues: bool,
}

/// What was before a key, as far as its task asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Before<'a> {
    /// Somebody was there in time, within `grace`, and asked "run now?".
    pub asked_in_time: bool,
    /// The task and account have no key on record.
    pub is_first: bool,
    /// The earlier occurrence that is still under way.
    pub under_way: Option<&'a str>,
}

/// A task's very first slot that was passed: another one comes, and this one is neither run nor missed.
pub(super) fn first_start(facts: &Facts<'_>) -> Option<Decision> {
    let waits = facts.rules.passed.first_waits && facts.before.is_first && !facts.state.is_begun();
    (waits && facts.now > facts.rules.late_after).then_some(Decision::Refused(Refusal::FirstStart))
}

/// A slot that is not begun any more, though its window is open. What was begun goes on.
pub(super) fn too_late_to_begin(facts: &Facts<'_>) -> Option<Decision> {
    let (rules, passed) = (facts.rules, facts.rules.passed);
    let never = passed.never && facts.now > rules.late_after && !facts.before.asked_in_time;
    let too_late = passed.begin_by.is_some_and(|end| facts.now >= end);
    if facts.state.is_begun() || !(never || too_late) {
        return None;
    }
    let is_last = rules.closes_at.is_some_and(|end| end <= rules.window.until);
    Some(match is_last {
        true => Decision::Close(Status::Skipped, "missed".to_owned()),
        false => Decision::Refused(Refusal::WindowClosed),
    })
}

/// An occurrence while the one before it is under way.
pub(super) fn overlap(facts: &Facts<'_>) -> Option<Decision> {
    let earlier = facts.before.under_way.filter(|_| !facts.state.is_begun())?;
    Some(match facts.rules.passed.queues {
        true => Decision::Refused(Refusal::InFlight(earlier.to_owned())),
        false => Decision::Close(Status::Skipped, "missed: overlap".to_owned()),
    })
}
