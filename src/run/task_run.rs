//! The state of one key, folded from its events, and what to do next.
//!
//! ```text
//! Open ─check─> ToDo ─baseline─> Ready ─prepare─> Prepared ─intend─> Intended ─commit─> Acted ─verify─> Closed
//! ```
//!
//! A runner that died left the last event in the ledger; folding it gives a phase, and the same `next` goes on from
//! there. There is no recovery path beside it.

use chrono::{DateTime, TimeDelta, Utc};
use rust_decimal::Decimal;

use super::backoff;
use super::{Answer, Event, Failure, FailureKind, Note, Policy, Reading, Rules, Status, Which};
use crate::files::model::Effect;

/// Where in its task run a key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Phase {
    /// Nothing is known: read `check`.
    #[default]
    Open,
    /// `check` said "to do".
    ToDo,
    /// The baseline does not hold: the act may begin.
    Ready,
    /// The commit target stands ready.
    Prepared,
    /// The intent is durable.
    Intended,
    /// The commit step was, or may have been, dispatched: only reads from here on.
    Acted,
    /// Final.
    Closed,
}

/// The state of one key.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TaskRun {
    /// Where it is.
    pub phase: Phase,
    /// Its status, in the design's words.
    pub status: Status,
    /// Why it is skipped, dead or waiting.
    pub reason: Option<String>,
    /// Nothing is done before this.
    pub due: Option<DateTime<Utc>>,
    /// The generation that the next intent is written for.
    pub generation: u32,
    /// Acts that were, or may have been, dispatched.
    pub acts: u32,
    /// When the last one was intended.
    pub sent_at: Option<DateTime<Utc>>,
    /// When a read proved it.
    pub proved_at: Option<DateTime<Utc>>,
    /// Attempts that failed in this series.
    pub attempts: u32,
    /// Series that ended.
    pub series: u32,
    /// True once a page was loaded for it.
    pub tried: bool,
    /// Reads of `verify` since the last act.
    pub verifies: u32,
    /// The last failure.
    pub failure: Option<Failure>,
    /// What proved it: the last reading.
    pub evidence: Option<Reading>,
    /// Lines for the report, each once.
    pub notes: Vec<Note>,
    /// The open ticket that asks a person (`act: person`).
    pub ticket: Option<i64>,
    /// For a goal: how many there were before the unit under way.
    unit: Option<Decimal>,
    /// The last act is not proved, nor shown to have had no effect.
    unproved: bool,
    /// Positive "to do" reads since settling was over.
    todo_reads: u32,
    /// Failures in a row before any page was loaded; they spend no attempt.
    unreachable: u32,
    /// Runners that died during it; the first few spend no attempt.
    interruptions: u32,
}

/// What to do next for a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Read a section.
    Read(Which),
    /// Do the steps before the commit.
    Prepare,
    /// Write the intent.
    Intend {
        /// For this generation.
        generation: u32,
        /// For a goal: the unit's `have`.
        unit: Option<String>,
    },
    /// Dispatch the commit step (for a `repeatable` act: the whole act), then the steps after it.
    Commit,
    /// Ask the person, by ticket.
    Ask,
    /// Close without a read.
    Close(Status, String),
    /// Nothing before this time.
    Wait(DateTime<Utc>),
    /// Nothing more.
    Done,
}

/// Two positive "to do" reads stand at least this far apart.
const RECHECK_GAP: TimeDelta = TimeDelta::seconds(30);
/// A task that is not open yet, or whose person has not acted, is looked at again after this.
const LATER: TimeDelta = TimeDelta::minutes(10);
/// A site that asks to wait without saying how long is left alone for this.
const SITE_WAIT: TimeDelta = TimeDelta::minutes(30);
/// Runners that died during one key before each further one spends an attempt.
const FREE_INTERRUPTIONS: u32 = 3;
/// Evidence that could not be read for so long after the act is given up on; a person looks.
const UNREADABLE_LIMIT: TimeDelta = TimeDelta::days(3);

impl TaskRun {
    /// The state that these events left, oldest first.
    pub fn fold<'a>(events: impl IntoIterator<Item = &'a (DateTime<Utc>, Event)>, rules: &Rules) -> Self {
        let mut state = TaskRun::default();
        for (at, event) in events {
            state.apply(*at, event, rules);
        }
        state
    }

    /// What to do now.
    pub fn next(&self, now: DateTime<Utc>, rules: &Rules) -> Next {
        if self.phase == Phase::Closed {
            return Next::Done;
        }
        if let Some((status, reason)) = self.over(now, rules) {
            return Next::Close(status, reason);
        }
        if let Some(due) = self.due.filter(|due| now < *due) {
            return Next::Wait(due);
        }
        let intend =
            Next::Intend { generation: self.generation, unit: self.unit.map(|have| have.normalize().to_string()) };
        match self.phase {
            Phase::Open => Next::Read(Which::Check),
            Phase::ToDo if rules.verify_is_check => self.begin(rules, intend),
            Phase::ToDo => Next::Read(Which::Baseline),
            Phase::Ready => self.begin(rules, intend),
            Phase::Prepared => intend,
            Phase::Intended => Next::Commit,
            Phase::Acted => Next::Read(Which::Verify),
            Phase::Closed => Next::Done,
        }
    }

    /// The first effect of an act.
    fn begin(&self, rules: &Rules, intend: Next) -> Next {
        match rules.effect {
            _ if rules.by_person => Next::Ask,
            Effect::Once => Next::Prepare,
            Effect::Repeatable => intend,
        }
    }

    /// How a key ends whose window or period is over. One that was sent never ends by time: verify goes on. An intent
    /// that is written but not committed is freed by the runner, which finds the time over.
    pub fn over(&self, now: DateTime<Utc>, rules: &Rules) -> Option<(Status, String)> {
        if matches!(self.phase, Phase::Intended | Phase::Acted | Phase::Closed) {
            return None;
        }
        let about_to_act = matches!(self.phase, Phase::ToDo | Phase::Ready | Phase::Prepared);
        let margin = if about_to_act { rules.commit_limit } else { std::time::Duration::ZERO };
        if now + TimeDelta::from_std(margin).unwrap_or_default() >= rules.period.to {
            return Some((Status::Skipped, "period_over".to_owned()));
        }
        if now < rules.window.until {
            return None;
        }
        Some(match &self.failure {
            Some(failure) if self.tried => (Status::Dead, format!("window_closed: {}", failure.kind)),
            _ if self.ticket.is_some() => (Status::Dead, "window_closed: a person was asked".to_owned()),
            _ => (Status::Skipped, self.reason.as_ref().map_or("missed".to_owned(), |why| format!("missed: {why}"))),
        })
    }

    /// True when a runner that holds the lane's lease finds this state, and nobody rests in it: whoever was at it died.
    pub fn was_interrupted(&self) -> bool {
        self.phase == Phase::Intended || self.status == Status::Running
    }

    /// Takes in what happened.
    pub fn apply(&mut self, at: DateTime<Utc>, event: &Event, rules: &Rules) {
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
                self.generation = generation + 1;
                self.sent_at = Some(at);
            }
            Event::Committed { trouble } => self.sent(at, trouble.clone()),
            Event::NotSent { failure } => {
                self.phase = Phase::Open;
                self.sent_at = None;
                self.fail(at, failure, rules);
            }
            Event::Interrupted => self.interrupt(at, rules),
            Event::NotTried { failure } => self.not_tried(at, failure, rules),
            Event::Asked { ticket } => {
                self.ticket = Some(*ticket);
                self.wait(Status::Blocked, Phase::Open, at + LATER);
            }
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
            Answer::Goal { have, .. } => {
                self.unproved &= self.unit.is_none_or(|unit| *have <= unit);
                self.unit = Some(*have);
                self.to_do(at, rules);
            }
            Answer::Todo => self.to_do(at, rules),
            Answer::Skip(reason) => self.skip(reason),
            Answer::Later(reason) => self.later(at, reason),
            Answer::NotYet | Answer::Reads => {
                let failure = Failure::new(FailureKind::PageChanged, "`check` stated neither done nor to do");
                self.fail(at, &failure, rules);
            }
        }
    }

    /// A positive "to do". Where an act is still unproved, two of them are needed before the next act, and an attempt
    /// is spent.
    fn to_do(&mut self, at: DateTime<Utc>, rules: &Rules) {
        if !self.unproved {
            self.phase = Phase::ToDo;
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
                self.attempts = 0;
                self.status = Status::Running;
                self.phase = Phase::ToDo;
            }
            answer => {
                self.evidence = Some(reading.clone());
                self.not_yet(at, matches!(answer, Answer::Todo | Answer::Goal { .. }), rules);
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

    fn settled_at(&self, at: DateTime<Utc>, rules: &Rules) -> DateTime<Utc> {
        self.sent_at.unwrap_or(at) + TimeDelta::from_std(rules.settle).unwrap_or_default()
    }

    fn sent(&mut self, at: DateTime<Utc>, trouble: Option<Failure>) {
        self.phase = Phase::Acted;
        self.status = Status::Running;
        self.acts += 1;
        self.unproved = true;
        self.verifies = 0;
        self.todo_reads = 0;
        self.sent_at = Some(at);
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

    fn not_tried(&mut self, at: DateTime<Utc>, failure: &Failure, rules: &Rules) {
        let sent = self.phase == Phase::Acted;
        self.failure = Some(failure.clone());
        if failure.kind.needs_person() {
            // A key that was sent waits under the ticket; whether it worked is still open.
            self.status = if sent { Status::Unconfirmed } else { Status::Blocked };
            self.due = None;
        } else {
            let again = at + TimeDelta::from_std(rules.retry.again).unwrap_or_default();
            self.wait(if sent { Status::Unconfirmed } else { Status::Failed }, self.phase, again);
        }
        if !sent {
            self.phase = Phase::Open;
        }
    }

    fn fail(&mut self, at: DateTime<Utc>, failure: &Failure, rules: &Rules) {
        self.tried = true;
        if self.phase == Phase::Acted {
            self.verify_failed(at, failure, rules);
            return;
        }
        match failure.kind.policy() {
            Policy::Retry if failure.kind == FailureKind::Network && self.phase == Phase::Open => {
                self.failure = Some(failure.clone());
                self.wait(Status::Failed, Phase::Open, at + backoff::unreachable_gap(self.unreachable));
                self.unreachable += 1;
                self.tried = false;
            }
            Policy::Retry | Policy::PageChanged | Policy::NoEffect => self.spend(at, failure, rules),
            Policy::SiteWaits => {
                self.failure = Some(failure.clone());
                self.wait(Status::Failed, Phase::Open, failure.retry_at.unwrap_or(at + SITE_WAIT));
            }
            Policy::SignIn => {
                self.failure = Some(failure.clone());
                self.phase = Phase::Open;
            }
            Policy::AccountBlocked | Policy::SiteBlocked | Policy::CredentialsRejected | Policy::Environment => {
                self.not_tried(at, failure, rules);
            }
        }
    }

    /// The evidence could not be read: unknown, which is not "no". Verify goes on, ever more slowly.
    fn verify_failed(&mut self, at: DateTime<Utc>, failure: &Failure, rules: &Rules) {
        self.verifies += 1;
        self.failure = Some(failure.clone());
        if at > self.settled_at(at, rules) + UNREADABLE_LIMIT {
            self.close(Status::Dead, Some(format!("evidence unreadable: {}", failure.kind)));
            return;
        }
        match failure.kind.policy() {
            Policy::SignIn => self.status = Status::Unconfirmed,
            Policy::SiteWaits => {
                self.wait(Status::Unconfirmed, Phase::Acted, failure.retry_at.unwrap_or(at + SITE_WAIT))
            }
            _ if failure.kind.needs_person() => {
                self.status = Status::Unconfirmed;
                self.due = None;
            }
            _ if at < self.settled_at(at, rules) => {
                let gap = backoff::verify_gap(self.verifies, rules.settle);
                self.wait(Status::Unconfirmed, Phase::Acted, at + gap);
            }
            _ => {
                let again = TimeDelta::from_std(rules.retry.again).unwrap_or_default();
                self.wait(Status::Unconfirmed, Phase::Acted, at + again);
            }
        }
    }

    /// An attempt failed: wait, or end the series, or give up.
    fn spend(&mut self, at: DateTime<Utc>, failure: &Failure, rules: &Rules) {
        let same_step = self
            .failure
            .as_ref()
            .is_some_and(|before| before.kind == failure.kind && before.step.is_some() && before.step == failure.step);
        self.failure = Some(failure.clone());
        self.attempts += 1;
        if self.attempts < rules.retry.attempts && !(same_step && self.attempts > 1) {
            let gap = backoff::retry_gap(rules.retry.initial, self.attempts, rules.key.as_str());
            self.wait(Status::Failed, Phase::Open, at + gap);
            return;
        }
        self.attempts = 0;
        self.series += 1;
        if self.series >= rules.retry.series {
            self.close(Status::Dead, Some(failure.kind.word().to_owned()));
        } else {
            let again = TimeDelta::from_std(rules.retry.again).unwrap_or_default();
            self.wait(Status::Failed, Phase::Open, at + again);
        }
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
        let status = match (self.acts > 0 || self.ticket.is_some(), at > rules.late_after) {
            (false, _) => Status::AlreadyDone,
            (true, false) => Status::Success,
            (true, true) => Status::Compensated,
        };
        self.close(status, None);
    }

    fn close(&mut self, status: Status, reason: Option<String>) {
        self.phase = Phase::Closed;
        self.status = status;
        self.reason = reason;
        self.due = None;
    }

    fn wait(&mut self, status: Status, phase: Phase, due: DateTime<Utc>) {
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
