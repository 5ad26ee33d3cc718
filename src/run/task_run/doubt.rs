//! A key in whose time the ledger lost lines: it may have been done with nothing on record, and the server may show that
//! late. Two positive "to do" reads, a settle apart, end the doubt; of what is done once for ever only a person ends it.

use chrono::{DateTime, TimeDelta, Utc};
use rust_decimal::Decimal;

use super::apply::RECHECK_GAP;
use super::{Phase, TaskRun};
use crate::run::{Rules, Status};
use crate::timing::PeriodKind;

/// Why such a key waits.
const REASON: &str = "ledger_lost";

/// What was read since.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Doubt {
    /// When `check` first said "to do", and, for a goal, how many there were then.
    first: Option<(DateTime<Utc>, Option<Decimal>)>,
}

impl TaskRun {
    /// The ledger lost lines: what was known is not all that was done. Beyond the act only reads follow anyway; a person who
    /// acts himself sees what is there.
    pub(super) fn begin_to_doubt(&mut self, loss: i64, rules: &Rules) {
        if loss <= self.loss {
            return;
        }
        self.loss = loss;
        if rules.by_person {
            return;
        }
        self.doubt = Some(Doubt::default());
        // What a person said to an earlier question is no answer to this one.
        self.ticket = None;
        if matches!(self.phase, Phase::ToDo | Phase::Ready | Phase::Prepared) {
            self.phase = Phase::Open;
        }
    }

    /// Takes in a positive "to do". True when the act may begin, or a person be asked for it.
    pub(super) fn is_beyond_doubt(&mut self, at: DateTime<Utc>, rules: &Rules) -> bool {
        let Some(doubt) = &mut self.doubt else { return true };
        if rules.period.kind == PeriodKind::Once {
            // The doubt stays: what is next is the question.
            return true;
        }
        let apart = TimeDelta::from_std(rules.settle).unwrap_or_default().max(RECHECK_GAP);
        // A count that rose in between shows that something was under way.
        let first = doubt.first.filter(|(_, have)| *have == self.unit).map_or(at, |(first, _)| first);
        if at >= first + apart {
            self.doubt = None;
            self.reason = None;
            return true;
        }
        doubt.first = Some((first, self.unit));
        self.reason = Some(format!("{REASON}: read again a settle later"));
        self.wait(Status::Pending, Phase::Open, first + apart);
        false
    }

    /// True while the act waits for proof that it was not done under the lines that were lost.
    pub fn is_in_doubt(&self) -> bool {
        self.doubt.is_some()
    }
}
