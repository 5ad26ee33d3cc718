//! "Run now?": one pure function, asked for every start, retry and hand-started run.

use std::fmt;

use chrono::{DateTime, Utc};

use super::passed::{Before, first_start, overlap, too_late_to_begin};
use super::{Phase, Rules, Status, TaskRun};
use crate::timing::Skip;

/// What the decision looks at.
#[derive(Debug, Clone)]
pub struct Facts<'a> {
    /// The time.
    pub now: DateTime<Utc>,
    /// Window, period and the rest of what the task says.
    pub rules: &'a Rules,
    /// The key's state so far.
    pub state: &'a TaskRun,
    /// Another task, with which this one shares its key, has it, and its status.
    pub held_by: Option<(&'a str, Status)>,
    /// The calendar leaves the key's only slot out, and why.
    pub skip: Option<&'a Skip>,
    /// What was before the key.
    pub before: Before<'a>,
    /// Each requirement, with how it stands.
    pub requirements: &'a [(String, RequirementState)],
    /// The open ticket that suspends the account or its site.
    pub suspended_by: Option<i64>,
    /// The site asked to wait until then.
    pub cooling_until: Option<DateTime<Utc>>,
    /// Who else holds the lane's lease.
    pub locked_by: Option<&'a str>,
}

/// How a requirement stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequirementState {
    /// It holds.
    Met,
    /// Not yet.
    NotReady(String),
    /// It never will in this period.
    Ended(String),
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Yes.
    Run,
    /// No; the key stays as it is.
    Refused(Refusal),
    /// No, and the key is closed: `skipped`, or `dead` where something was tried.
    Close(Status, String),
}

impl fmt::Display for Decision {
    /// The answer on record: `run`, a refusal's reason, or `skipped: missed`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Decision::Run => out.write_str("run"),
            Decision::Refused(refusal) => refusal.fmt(out),
            Decision::Close(status, reason) => write!(out, "{status}: {reason}"),
        }
    }
}

/// Why not now. Its text is the reason on record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Before the window.
    NotDue(DateTime<Utc>),
    /// After the window; the period has another one.
    WindowClosed,
    /// Before the task's first start, whose slot was passed: its next slot is waited for.
    FirstStart,
    /// Done in this period, by the server's own word.
    AlreadyDone,
    /// The same, by another task that shares its key.
    DoneBy(String),
    /// Another task that shares its key is at it, or an earlier occurrence is still under way.
    InFlight(String),
    /// Closed in this period as not done.
    Closed(Status),
    /// The same, by another task that shares its key.
    ClosedBy(Status, String),
    /// Acted; the next read is due then.
    WaitingForEvidence(DateTime<Utc>),
    /// Its next attempt is due then.
    Waiting(DateTime<Utc>),
    /// A requirement does not hold yet.
    NotReady(String),
    /// A ticket waits for a person.
    Ticket(i64),
    /// The site asked to wait.
    CoolingDown(DateTime<Utc>),
    /// Someone else works on the lane.
    Locked(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = |instant: &DateTime<Utc>| instant.format("%Y-%m-%dT%H:%M:%SZ").to_string();
        match self {
            Refusal::NotDue(at) => write!(out, "not_due: until {}", time(at)),
            Refusal::WindowClosed => out.write_str("window_closed"),
            Refusal::FirstStart => out.write_str("first_start"),
            Refusal::AlreadyDone => out.write_str("already_done"),
            Refusal::DoneBy(task) => write!(out, "already_done: by {task}"),
            Refusal::InFlight(task) => write!(out, "in_flight: {task}"),
            Refusal::Closed(status) => write!(out, "closed: {status}"),
            Refusal::ClosedBy(status, task) => write!(out, "closed: {task} is {status}"),
            Refusal::WaitingForEvidence(at) => write!(out, "waiting_for_evidence: until {}", time(at)),
            Refusal::Waiting(at) => write!(out, "waiting: until {}", time(at)),
            Refusal::NotReady(what) => write!(out, "not_ready: {what}"),
            Refusal::Ticket(number) => write!(out, "ticket: #{number}"),
            Refusal::CoolingDown(at) => write!(out, "cooling_down: until {}", time(at)),
            Refusal::Locked(holder) => write!(out, "locked: by {holder}"),
        }
    }
}

/// True when the answer depends on the requirements, unless [`decide_alone`] has it: nothing was sent yet.
pub fn asks_requirements(facts: &Facts<'_>) -> bool {
    !has_acted(facts)
}

/// The answer where the key and the time alone give it, whatever stands in the other facts.
pub fn decide_alone(facts: &Facts<'_>) -> Option<Decision> {
    if let Some((task, status)) = facts.held_by {
        let task = task.to_owned();
        return Some(Decision::Refused(match status {
            status if status.is_done() => Refusal::DoneBy(task),
            status if status.is_final() => Refusal::ClosedBy(status, task),
            _ => Refusal::InFlight(task),
        }));
    }
    if facts.state.phase == Phase::Closed {
        return Some(Decision::Refused(match facts.state.status.is_done() {
            true => Refusal::AlreadyDone,
            false => Refusal::Closed(facts.state.status),
        }));
    }
    // Once something was sent, neither the window nor the period nor a requirement matters: reading goes on.
    if has_acted(facts) { None } else { in_time(facts) }
}

/// An intent without an answer counts as sent: its runner died.
fn has_acted(facts: &Facts<'_>) -> bool {
    matches!(facts.state.phase, Phase::Acted | Phase::Intended)
}

/// Run now? The questions stand in the order of the design's table; the first "no" is the answer.
pub fn decide(facts: &Facts<'_>) -> Decision {
    if let Some(answer) = decide_alone(facts) {
        return answer;
    }
    let acted = has_acted(facts);
    if !acted && let Some(no) = requirements(facts.requirements) {
        return no;
    }
    if let Some(due) = facts.state.due.filter(|due| facts.now < *due) {
        return Decision::Refused(if acted { Refusal::WaitingForEvidence(due) } else { Refusal::Waiting(due) });
    }
    if let Some(ticket) = facts.suspended_by {
        return Decision::Refused(Refusal::Ticket(ticket));
    }
    if let Some(until) = facts.cooling_until.filter(|until| facts.now < *until) {
        return Decision::Refused(Refusal::CoolingDown(until));
    }
    match facts.locked_by {
        Some(holder) => Decision::Refused(Refusal::Locked(holder.to_owned())),
        None => Decision::Run,
    }
}

fn in_time(facts: &Facts<'_>) -> Option<Decision> {
    if facts.now < facts.rules.window.slot {
        return Some(Decision::Refused(Refusal::NotDue(facts.rules.window.slot)));
    }
    if let Some(skip) = facts.skip {
        return Some(Decision::Close(Status::Skipped, skip.to_string()));
    }
    if let Some(no) = first_start(facts) {
        return Some(no);
    }
    let over = facts.state.over(facts.now, facts.rules).map(|(status, reason)| Decision::Close(status, reason));
    let window_closed = || facts.now >= facts.rules.window.until;
    over.or_else(|| too_late_to_begin(facts))
        .or_else(|| window_closed().then_some(Decision::Refused(Refusal::WindowClosed)))
        .or_else(|| overlap(facts))
}

fn requirements(requirements: &[(String, RequirementState)]) -> Option<Decision> {
    let ended = requirements.iter().find_map(|(_, state)| match state {
        RequirementState::Ended(why) => Some(Decision::Close(Status::Skipped, format!("requirement_ended: {why}"))),
        _ => None,
    });
    ended.or_else(|| {
        requirements.iter().find_map(|(name, state)| match state {
            RequirementState::NotReady(why) if why.is_empty() => {
                Some(Decision::Refused(Refusal::NotReady(name.clone())))
            }
            RequirementState::NotReady(why) => Some(Decision::Refused(Refusal::NotReady(format!("{name}: {why}")))),
            _ => None,
        })
    })
}
