//! What an event makes of a key: the readings, and the way to the proof.

use chrono::{DateTime, TimeDelta, Utc};
use rust_decimal::Decimal;

use super::{PERIOD_OVER, Phase, TaskRun};
use crate::files::model::Effect;
use crate::run::backoff;
use crate::run::{Answer, Event, Failure, FailureKind, Note, Reading, Rules, Status, Which};

/// Two positive "to do" reads stand at least this far apart.
pub(super) const RECHECK_GAP: TimeDelta = TimeDelta::seconds(30);
/// A task that is not open yet, or whose person has not acted, is looked at again after this.
const LATER: TimeDelta = TimeDelta::minutes(10);

/// Runners that died during one key before each further one spends an attempt.
const FREE_INTERRUPTIONS: u32 = 3;

impl TaskRun {
    /// Takes in what happened.
    pub fn apply(&mut self, at: DateTime<Utc>, event: &Event, rules: &Rules) {
        // An intent without an answer counts as sent, whatever is seen next.
        if self.phase == Phase::Intended && is_of_an_attempt(event) {
            self.sent(at, None);
        }
        // A runner that was overtaken may be late with what it saw: beyond the act only the act's own line of events counts.
        let stale = match self.phase {
            Phase::Closed => !(matches!(event, Event::Ordered { .. }) && self.status == Status::Dead),
            Phase::Acted if self.checks_refusal() && matches!(event, Event::Read { which: Which::Check, .. }) => false,
            Phase::Acted => matches!(
                event,
                Event::Read { which: Which::Check | Which::Baseline, .. }
                    | Event::Prepared { .. }
                    | Event::PrepareFailed { .. }
                    | Event::Halted { .. }
            ),
            // Nothing was sent: there is no evidence to wait for.
            _ => matches!(event, Event::Read { which: Which::Verify, .. }),
        };
        if stale {
            return;
        }
        match event {
            Event::Started { .. } => self.start(),
            Event::Read { which, reading } => self.read(at, *which, reading, rules),
            Event::ReadFailed { failure, .. } | Event::PrepareFailed { failure } => self.fail(at, failure, rules),
            Event::Prepared { notes } => {
                self.note(notes);
                self.phase = Phase::Prepared;
            }
            Event::Halted { later: true, reason } => self.later(at, reason),
            Event::Halted { later: false, reason } => self.skip(reason),
            Event::Intended { generation, .. } => {
                self.phase = Phase::Intended;
                self.generation = generation.saturating_add(1);
                self.sent_at = Some(at);
            }
            Event::Committed { trouble, refused } => {
                self.sent(at, trouble.clone());
                if let Some(reason) = refused {
                    self.refused(reason);
                }
            }
            Event::Released { reason } => self.release(at, reason, rules),
            Event::NotSent { failure } => {
                self.phase = Phase::Open;
                self.sent_at = None;
                match failure.rule.as_deref() {
                    Some(PERIOD_OVER) => self.close(Status::Skipped, Some(PERIOD_OVER.to_owned())),
                    _ => self.fail(at, failure, rules),
                }
            }
            Event::Interrupted => self.interrupt(at, rules),
            Event::NotTried { failure } => {
                // A runner died beyond the intent, and the next one could not even begin: it still counts as sent.
                if self.phase == Phase::Intended {
                    self.sent(at, None);
                }
                self.not_tried(at, failure, rules);
            }
            Event::Asked { ticket } => {
                self.ticket = Some(*ticket);
                self.wait(Status::Blocked, Phase::Open, at + LATER);
            }
            Event::Doubted { loss } => self.begin_to_doubt(*loss, rules),
            Event::Allowed { .. } => self.doubt = None,
            Event::Ordered { .. } if self.phase == Phase::Closed => self.open_again(),
            Event::Ordered { .. } => {}
            Event::Closed { status, reason } => self.close(*status, Some(reason.clone())),
        }
    }

    fn start(&mut self) {
        self.status = Status::Running;
        self.due = None;
        if self.phase != Phase::Acted {
            self.phase = Phase::Open;
        }
    }

    fn read(&mut self, at: DateTime<Utc>, which: Which, reading: &Reading, rules: &Rules) {
        self.tried = true;
        self.unreachable = 0;
        self.note(&reading.notes);
        match which {
            Which::SignIn => {}
            Which::Check if self.phase == Phase::Acted => self.checked_after_refusal(at, reading, rules),
            Which::Check => self.checked(at, reading, rules),
            Which::Baseline => match reading.answer {
                Answer::Done => self.prove(at, reading, rules),
                _ => self.phase = Phase::Ready,
            },
            Which::Verify => self.verified(at, reading, rules),
        }
    }

    fn checked(&mut self, at: DateTime<Utc>, reading: &Reading, rules: &Rules) {
        match &reading.answer {
            Answer::Done => self.prove(at, reading, rules),
            Answer::Goal { have, want } if want.is_some_and(|want| *have >= want) => self.prove(at, reading, rules),
            // A count that is less than it was is a stale one: acting on it would do a unit twice.
            Answer::Goal { have, .. } if self.has_fallen(*have) && rules.effect == Effect::Once => {
                let before = self.unit.unwrap_or_default();
                let message = format!("the count fell from {before} to {have}; it is not acted upon");
                self.fail(at, &Failure::new(FailureKind::NotRendered, message), rules);
            }
            Answer::Goal { have, .. } => {
                self.unproved &= self.unit.is_none_or(|unit| *have <= unit);
                self.unit = Some(*have);
                self.found_to_do(at, rules);
            }
            Answer::Todo => self.found_to_do(at, rules),
            Answer::Skip(reason) => self.skip(reason),
            Answer::Later(reason) => self.later(at, reason),
            Answer::NotYet | Answer::Reads => {
                let failure = Failure::new(FailureKind::PageChanged, "`check` stated neither done nor to do");
                self.fail(at, &failure, rules);
            }
        }
    }

    /// Less than there was after an act of this key.
    fn has_fallen(&self, have: Decimal) -> bool {
        self.acts > 0 && self.unit.is_some_and(|unit| have < unit)
    }

    /// A positive "to do". Where an act is still unproved, two of them are needed before the next act, and an attempt
    /// is spent.
    fn found_to_do(&mut self, at: DateTime<Utc>, rules: &Rules) {
        if !self.unproved {
            if self.is_beyond_doubt(at, rules) {
                self.phase = Phase::ToDo;
            }
            return;
        }
        self.todo_reads += 1;
        if self.todo_reads < 2 {
            self.wait(Status::Failed, Phase::Open, at + RECHECK_GAP);
            return;
        }
        self.unproved = false;
        let failure = Failure::new(FailureKind::NoEffect, "the act was done, and the server still says it is to do");
        self.spend(at, &failure, rules);
    }

    fn verified(&mut self, at: DateTime<Utc>, reading: &Reading, rules: &Rules) {
        self.verifies += 1;
        match &reading.answer {
            Answer::Done => self.prove(at, reading, rules),
            Answer::Goal { have, want: Some(want) } if have >= want => self.prove(at, reading, rules),
            Answer::Goal { have, .. } if self.unit.is_some_and(|unit| *have > unit) => {
                self.unit = Some(*have);
                self.unproved = false;
                (self.refusal, self.reason) = (None, None);
                self.attempts = 0;
                self.status = Status::Running;
                // In doubt it is `check` that says, twice, that more is to do.
                self.phase = if self.is_in_doubt() { Phase::Open } else { Phase::ToDo };
            }
            answer => {
                self.evidence = Some(reading.clone());
                let says_to_do = matches!(answer, Answer::Todo | Answer::Goal { .. });
                if !self.not_yet_after_refusal(at, says_to_do, rules) {
                    self.not_yet(at, says_to_do, rules);
                }
            }
        }
    }

    /// The evidence is not there. Inside the settle time it may still come.
    fn not_yet(&mut self, at: DateTime<Utc>, says_to_do: bool, rules: &Rules) {
        let settled_at = self.settled_at(at, rules);
        if at < settled_at {
            let next = (at + backoff::verify_gap(self.verifies, rules.settle)).min(settled_at);
            self.wait(Status::Unconfirmed, Phase::Acted, next);
            return;
        }
        match rules.effect {
            Effect::Once => {
                self.failure = Some(no_effect(self.failure.as_ref()));
                self.close(Status::Dead, Some(FailureKind::NoEffect.word().to_owned()));
            }
            Effect::Repeatable => {
                self.todo_reads = u32::from(says_to_do);
                self.wait(Status::Failed, Phase::Open, at + RECHECK_GAP);
            }
        }
    }

    pub(super) fn settled_at(&self, at: DateTime<Utc>, rules: &Rules) -> DateTime<Utc> {
        self.settle_from.unwrap_or(at) + TimeDelta::from_std(rules.settle).unwrap_or_default()
    }

    fn sent(&mut self, at: DateTime<Utc>, trouble: Option<Failure>) {
        self.phase = Phase::Acted;
        self.status = Status::Running;
        self.acts += 1;
        self.unproved = true;
        self.verifies = 0;
        self.todo_reads = 0;
        self.refusal = None;
        // `sent_at` is that of the intent: a proof that was read hours after a crash makes no act late.
        self.settle_from = Some(at);
        self.due = None;
        self.failure = trouble;
    }

    /// A runner died. An intent that it left counts as sent: from there only reads follow.
    fn interrupt(&mut self, at: DateTime<Utc>, rules: &Rules) {
        self.interruptions += 1;
        match self.phase {
            Phase::Intended => {
                self.sent(at, None);
                self.status = Status::Unconfirmed;
            }
            Phase::Acted => self.status = Status::Unconfirmed,
            Phase::Closed => {}
            _ if self.interruptions > FREE_INTERRUPTIONS => {
                let failure =
                    Failure::new(FailureKind::BrowserCrashed, "the runner died during this task, again and again");
                self.spend(at, &failure, rules);
            }
            _ => {
                self.phase = Phase::Open;
                self.status = Status::Pending;
            }
        }
    }

    /// What was sent before is the person's to know of now; the next act has a generation of its own.
    fn open_again(&mut self) {
        (self.phase, self.status, self.reason) = (Phase::Open, Status::Pending, None);
        (self.attempts, self.series, self.interruptions) = (0, 0, 0);
        (self.unproved, self.todo_reads) = (false, 0);
    }

    fn skip(&mut self, reason: &str) {
        self.close(Status::Skipped, Some(format!("skip: {reason}")));
    }

    fn later(&mut self, at: DateTime<Utc>, reason: &str) {
        self.reason = Some(format!("later: {reason}"));
        self.wait(Status::Pending, Phase::Open, at + LATER);
    }

    fn prove(&mut self, at: DateTime<Utc>, reading: &Reading, rules: &Rules) {
        self.evidence = Some(reading.clone());
        self.proved_at = Some(at);
        self.failure = None;
        let status = match (self.acts > 0 || self.ticket.is_some(), self.sent_at.unwrap_or(at) > rules.late_after) {
            (false, _) => Status::AlreadyDone,
            (true, false) => Status::Success,
            (true, true) => Status::Compensated,
        };
        self.close(status, None);
    }

    pub(super) fn close(&mut self, status: Status, reason: Option<String>) {
        self.phase = Phase::Closed;
        self.status = status;
        self.reason = reason;
        self.due = None;
    }

    pub(super) fn wait(&mut self, status: Status, phase: Phase, due: DateTime<Utc>) {
        self.status = status;
        self.phase = phase;
        self.due = Some(due);
    }

    fn note(&mut self, notes: &[Note]) {
        for note in notes {
            if !self.notes.contains(note) {
                self.notes.push(note.clone());
            }
        }
    }
}

/// True for what an attempt sees or does, the commit step and its end aside.
fn is_of_an_attempt(event: &Event) -> bool {
    matches!(
        event,
        Event::Started { .. }
            | Event::Read { .. }
            | Event::ReadFailed { .. }
            | Event::Prepared { .. }
            | Event::PrepareFailed { .. }
            | Event::Halted { .. }
    )
}

/// What is said of a `once` task whose evidence never came; what went wrong at the commit stands beside it.
fn no_effect(trouble: Option<&Failure>) -> Failure {
    let mut failure = Failure::new(
        FailureKind::NoEffect,
        "the act was done once, and the server did not show it within the settle time; it is not repeated",
    );
    if let Some(trouble) = trouble {
        failure.step = trouble.step.clone();
        failure.page = trouble.page.clone();
        failure.picture = trouble.picture.clone();
        failure.message = format!("{}; at the commit: {}", failure.message, trouble.message);
    }
    failure
}
