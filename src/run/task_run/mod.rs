//! The state of one key, folded from its events, and what to do next.
//!
//! ```text
//! Open ─check─> ToDo ─baseline─> Ready ─prepare─> Prepared ─intend─> Intended ─commit─> Acted ─verify─> Closed
//! ```
//!
//! A runner that died left the last event in the ledger; folding it gives a phase, and the same `next` goes on from
//! there. There is no recovery path beside it.

mod apply;
mod doubt;
mod fail;
mod refused;

use chrono::{DateTime, TimeDelta, Utc};
use rust_decimal::Decimal;

use self::doubt::Doubt;
use super::{Event, Failure, Note, Reading, Rules, Status, Which};
use crate::files::model::Effect;

/// The reason of a key whose period ended before its act.
pub(in crate::run) const PERIOD_OVER: &str = "period_over";

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
    /// Since when its evidence may appear.
    settle_from: Option<DateTime<Utc>>,
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
    /// The site said no after the last act.
    refusal: Option<refused::Refusal>,
    /// The last act is not proved, nor shown to have had no effect.
    unproved: bool,
    /// Positive "to do" reads since settling was over.
    todo_reads: u32,
    /// Failures in a row before any page was loaded; they spend no attempt.
    unreachable: u32,
    /// Runners that died during it; the first few spend no attempt.
    interruptions: u32,
    /// The newest loss of the ledger that was taken in.
    pub loss: i64,
    /// The ledger lost lines in its time, and no read has shown since that it is still to do.
    doubt: Option<Doubt>,
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
    /// Ask a person whether to act although the ledger lost lines, and look whether he said yes.
    AskInDoubt,
    /// Free the intent of an act that the site refused.
    Release(String),
    /// Close without a read.
    Close(Status, String),
    /// Nothing more in this window.
    Later(String),
    /// Nothing before this time.
    Wait(DateTime<Utc>),
    /// Nothing more.
    Done,
}

impl TaskRun {
    /// The state that these events left, oldest first.
    pub fn fold<'a>(events: impl IntoIterator<Item = &'a (DateTime<Utc>, Event)>, rules: &Rules) -> Self {
        let mut state = TaskRun::default();
        for (at, event) in events {
            state.apply(*at, event, rules);
        }
        state
    }

    /// The state of a key that is over, by the ledger's row of it: all that is asked of such a one, without its lines.
    pub fn over_as(status: Status, reason: Option<String>) -> Self {
        TaskRun { phase: Phase::Closed, status, reason, ..TaskRun::default() }
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
        // The period goes on, and so does the key; but nothing is begun before the next window. A goal whose unit was proved at
        // night comes here, too.
        if !rules.window.contains(now) && !matches!(self.phase, Phase::Intended | Phase::Acted) {
            let why = if now < rules.window.slot { "not_due" } else { "window_closed" };
            return Next::Later(why.to_owned());
        }
        let intend =
            Next::Intend { generation: self.generation, unit: self.unit.map(|have| have.normalize().to_string()) };
        match self.phase {
            Phase::Open => Next::Read(Which::Check),
            Phase::ToDo if self.doubt.is_some() => Next::AskInDoubt,
            Phase::ToDo if rules.verify_is_check => self.begin(rules, intend),
            Phase::ToDo => Next::Read(Which::Baseline),
            Phase::Ready => self.begin(rules, intend),
            Phase::Prepared => intend,
            Phase::Intended => Next::Commit,
            Phase::Acted => match self.agreed_refusal() {
                Some(reason) => Next::Release(reason.to_owned()),
                None if self.checks_refusal() => Next::Read(Which::Check),
                None => Next::Read(Which::Verify),
            },
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

    /// How a key ends whose last window or period is over. One that was sent never ends by time: verify goes on. An intent
    /// that is written but not committed is freed by the runner, which finds the time over.
    pub fn over(&self, now: DateTime<Utc>, rules: &Rules) -> Option<(Status, String)> {
        if matches!(self.phase, Phase::Intended | Phase::Acted | Phase::Closed) {
            return None;
        }
        let about_to_act = matches!(self.phase, Phase::ToDo | Phase::Ready | Phase::Prepared);
        let margin = if about_to_act { rules.commit_limit } else { std::time::Duration::ZERO };
        let end = rules.period.to - TimeDelta::from_std(margin).unwrap_or_default();
        let period_over = now >= end && !rules.is_past();
        // Found to do, and the day ended under way: nothing failed.
        if about_to_act && period_over {
            return Some((Status::Skipped, PERIOD_OVER.to_owned()));
        }
        if rules.closes_at.is_none_or(|end| now < end) {
            return period_over.then(|| (Status::Skipped, PERIOD_OVER.to_owned()));
        }
        Some(match &self.failure {
            Some(failure) if self.tried => (Status::Dead, format!("window_closed: {}", failure.kind)),
            // It is made up on another day.
            _ if rules.passed.each && !self.tried => return None,
            _ if self.ticket.is_some() => (Status::Dead, "window_closed: a person was asked".to_owned()),
            _ => (Status::Skipped, self.reason.as_ref().map_or("missed".to_owned(), |why| format!("missed: {why}"))),
        })
    }

    /// True when a runner that holds the lane's lease finds this state, and nobody rests in it: whoever was at it died.
    pub fn was_interrupted(&self) -> bool {
        self.phase == Phase::Intended || self.status == Status::Running
    }

    /// True once an attempt began, or was to begin and could not.
    pub fn is_begun(&self) -> bool {
        self.status != Status::Pending || self.tried || self.due.is_some() || self.interruptions > 0
    }

    /// True when an attempt may begin: nothing was sent that is still to be proved, and nothing is to be waited for.
    pub fn may_begin(&self, now: DateTime<Utc>) -> bool {
        !matches!(self.phase, Phase::Acted | Phase::Closed) && self.due.is_none_or(|due| due <= now)
    }
}
