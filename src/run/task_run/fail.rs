//! What a failure makes of a key: again, later, or the end.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Phase, TaskRun};
use crate::run::backoff;
use crate::run::{Failure, FailureKind, Policy, Rules, Status};

/// Evidence that could not be read for so long after the act is given up on; a person looks.
const UNREADABLE_LIMIT: TimeDelta = TimeDelta::days(3);

impl TaskRun {
    pub(super) fn not_tried(&mut self, at: DateTime<Utc>, failure: &Failure, rules: &Rules) {
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

    pub(super) fn fail(&mut self, at: DateTime<Utc>, failure: &Failure, rules: &Rules) {
        let tried_before = std::mem::replace(&mut self.tried, true);
        if self.phase == Phase::Acted {
            self.verify_failed(at, failure, rules);
            return;
        }
        match failure.kind.policy() {
            Policy::Retry if failure.kind == FailureKind::Network && self.phase == Phase::Open => {
                self.failure = Some(failure.clone());
                self.wait(Status::Failed, Phase::Open, at + backoff::unreachable_gap(self.unreachable));
                self.unreachable += 1;
                self.tried = tried_before;
            }
            Policy::Retry | Policy::PageChanged | Policy::NoEffect => self.spend(at, failure, rules),
            Policy::SiteWaits => {
                self.failure = Some(failure.clone());
                self.wait(Status::Failed, Phase::Open, failure.site_waits_until(at));
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
    pub(super) fn verify_failed(&mut self, at: DateTime<Utc>, failure: &Failure, rules: &Rules) {
        self.verifies += 1;
        self.check_failed_after_refusal();
        self.failure = Some(failure.clone());
        if at > self.settled_at(at, rules) + UNREADABLE_LIMIT {
            self.close(Status::Dead, Some(format!("evidence unreadable: {}", failure.kind)));
            return;
        }
        match failure.kind.policy() {
            Policy::SignIn => self.status = Status::Unconfirmed,
            Policy::SiteWaits => self.wait(Status::Unconfirmed, Phase::Acted, failure.site_waits_until(at)),
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
    pub(super) fn spend(&mut self, at: DateTime<Utc>, failure: &Failure, rules: &Rules) {
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
}
