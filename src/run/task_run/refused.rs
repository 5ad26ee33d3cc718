//! A refusal that the site showed after the commit. Alone it is only the reason beside `unconfirmed`: verify goes on. Two
//! positive "to do" reads, a settle apart and with nothing said against them in between, make it believed: the intent is
//! released, and the task may act again within its attempts and its window.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Phase, TaskRun};
use crate::run::{Answer, Failure, FailureKind, Reading, Rules, Status, backoff};

/// What the site said, and what `check` says to it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Refusal {
    reason: String,
    /// When `check` said "to do" first.
    todo_at: Option<DateTime<Utc>>,
    /// `check` is the next read.
    check_next: bool,
    /// Both reads agree with it.
    agreed: bool,
}

impl TaskRun {
    /// The site said no, right after the commit.
    pub(super) fn refused(&mut self, reason: &str) {
        self.reason = Some(format!("refused: {reason}"));
        self.refusal = Some(Refusal { reason: reason.to_owned(), todo_at: None, check_next: false, agreed: false });
    }

    /// True when `check` is read before `verify` is read again.
    pub(super) fn checks_refusal(&self) -> bool {
        self.refusal.as_ref().is_some_and(|refusal| refusal.check_next)
    }

    /// The refusal that both reads agree with.
    pub(super) fn agreed_refusal(&self) -> Option<&str> {
        self.refusal.as_ref().filter(|refusal| refusal.agreed).map(|refusal| refusal.reason.as_str())
    }

    /// The evidence is not there, and the site had said no. False when there is no refusal to be looked into.
    pub(super) fn not_yet_after_refusal(&mut self, at: DateTime<Utc>, says_to_do: bool, rules: &Rules) -> bool {
        let Some(refusal) = &mut self.refusal else { return false };
        if rules.verify_is_check {
            if !says_to_do {
                self.refusal = None;
                return false;
            }
            self.says_to_do_after_refusal(at, rules);
            return true;
        }
        if refusal.todo_at.is_none_or(|first| at >= first + settle(rules)) {
            refusal.check_next = true;
            (self.status, self.due) = (Status::Unconfirmed, None);
        } else {
            self.verify_later(at, rules);
        }
        true
    }

    /// What `check` says beside a refusal. Anything but "to do" is no agreement.
    pub(super) fn checked_after_refusal(&mut self, at: DateTime<Utc>, reading: &Reading, rules: &Rules) {
        if reading.answer == Answer::Todo {
            self.says_to_do_after_refusal(at, rules);
        } else {
            self.refusal = None;
            self.verify_later(at, rules);
        }
    }

    /// `check` could not be read: that is no agreement, and no contradiction.
    pub(super) fn check_failed_after_refusal(&mut self) {
        if let Some(refusal) = &mut self.refusal {
            refusal.check_next = false;
        }
    }

    fn says_to_do_after_refusal(&mut self, at: DateTime<Utc>, rules: &Rules) {
        let Some(refusal) = &mut self.refusal else { return };
        refusal.check_next = false;
        let first = *refusal.todo_at.get_or_insert(at);
        if at > first && at >= first + settle(rules) {
            refusal.agreed = true;
            (self.status, self.due) = (Status::Unconfirmed, None);
        } else {
            self.verify_later(at, rules);
        }
    }

    /// Verify goes on, and at the time of the second "to do" at the latest.
    fn verify_later(&mut self, at: DateTime<Utc>, rules: &Rules) {
        let second = self.refusal.as_ref().and_then(|refusal| refusal.todo_at).map(|first| first + settle(rules));
        let next = at + backoff::verify_gap(self.verifies, rules.settle);
        let next = second.filter(|second| *second > at).map_or(next, |second| second.min(next));
        self.wait(Status::Unconfirmed, Phase::Acted, next);
    }

    /// The intent is released: nothing was done, and an attempt is spent.
    pub(super) fn release(&mut self, at: DateTime<Utc>, reason: &str, rules: &Rules) {
        self.refusal = None;
        self.acts = self.acts.saturating_sub(1);
        (self.sent_at, self.unproved, self.verifies) = (None, false, 0);
        let failure = Failure::new(FailureKind::NoEffect, format!("the site refused: {reason}"));
        self.spend(at, &failure, rules);
    }
}

fn settle(rules: &Rules) -> TimeDelta {
    TimeDelta::from_std(rules.settle).unwrap_or_default()
}
