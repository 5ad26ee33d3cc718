//! Attempts, series, and what spends none.

use super::*;

fn policies(policy: Policy) -> impl Iterator<Item = FailureKind> {
    FailureKind::ALL.into_iter().filter(move |kind| kind.policy() == policy)
}

#[test]
fn attempts_are_the_total_of_a_series_and_series_the_total_of_a_window() {
    let mut key = Driven::started(once());
    let mut attempts = 0;
    while key.next() == Next::Read(Which::Check) {
        attempts += 1;
        key.fails(FailureKind::ServerError, &format!("step {attempts}"));
    }
    assert_eq!((attempts, key.state.status), (6, Status::Dead), "2 attempts × 3 series");
}

#[test]
fn one_attempt_means_one() {
    let retry = Retry { attempts: 1, series: 1, ..once().retry };
    let mut key = Driven::started(Rules { retry, ..once() });
    key.fails(FailureKind::Timeout, "a");
    assert_eq!(key.state.status, Status::Dead);
}

#[test]
fn the_same_step_failing_twice_in_a_row_ends_the_series() {
    let retry = Retry { attempts: 5, ..once().retry };
    let mut key = Driven::started(Rules { retry, ..once() });
    key.fails(FailureKind::Timeout, "a").fails(FailureKind::Timeout, "a");
    assert_eq!(key.state.series, 1);
    let mut key = Driven::started(Rules { retry, ..once() });
    key.fails(FailureKind::Timeout, "a").fails(FailureKind::Timeout, "b");
    assert_eq!(key.state.series, 0);
}

#[test]
fn backoff_lies_between_attempts_and_an_hour_between_series() {
    let mut key = Driven::started(once());
    key.fails(FailureKind::ServerError, "a");
    let wait = key.state.due.unwrap() - key.now;
    assert!((TimeDelta::seconds(30)..TimeDelta::seconds(60)).contains(&wait), "{wait}");
    key.next();
    key.fails(FailureKind::ServerError, "b");
    assert_eq!(key.state.due.unwrap() - key.now, TimeDelta::hours(1));
}

#[test]
fn what_needs_a_person_is_not_retried() {
    for policy in [Policy::AccountBlocked, Policy::SiteBlocked, Policy::CredentialsRejected] {
        for kind in policies(policy) {
            let mut key = Driven::started(once());
            key.fails(kind, "sign-in");
            assert_eq!((key.state.status, key.state.due), (Status::Blocked, None), "{kind}");
        }
    }
}

#[test]
fn a_block_after_the_act_leaves_it_unconfirmed() {
    let mut key = Driven::sent();
    let failure = Failure::new(FailureKind::Captcha, "slider");
    key.tell(Event::ReadFailed { which: Which::Verify, failure });
    assert_eq!((key.state.status, key.state.phase), (Status::Unconfirmed, Phase::Acted));
}

#[test]
fn a_site_that_asks_to_wait_is_waited_for_and_no_attempt_is_spent() {
    for kind in policies(Policy::SiteWaits) {
        let mut key = Driven::started(once());
        let until = key.now + TimeDelta::minutes(7);
        let failure = Failure { retry_at: Some(until), ..Failure::new(kind, "later") };
        key.tell(Event::ReadFailed { which: Which::Check, failure });
        assert_eq!((key.state.due, key.state.attempts), (Some(until), 0), "{kind}");
    }
}

#[test]
fn an_unreachable_network_spends_no_attempt() {
    let mut key = Driven::started(once());
    for _ in 0..20 {
        assert_eq!(key.next(), Next::Read(Which::Check));
        key.fails(FailureKind::Network, "open");
    }
    assert_eq!((key.state.attempts, key.state.series, key.state.status), (0, 0, Status::Failed));
}

#[test]
fn the_machine_s_own_fault_spends_no_attempt() {
    let mut key = Driven::started(once());
    key.tell(Event::NotTried { failure: Failure::new(FailureKind::Environment, "no browser") });
    assert_eq!((key.state.status, key.state.attempts, key.state.tried), (Status::Failed, 0, false));
}

#[test]
fn an_expired_session_before_the_commit_starts_again_at_check_and_after_it_at_verify() {
    let mut key = Driven::started(once());
    key.read(Which::Check, Answer::Todo).read(Which::Baseline, Answer::NotYet);
    key.tell(Event::PrepareFailed { failure: Failure::new(FailureKind::SessionExpired, "login page") });
    assert_eq!((key.next(), key.state.attempts), (Next::Read(Which::Check), 0));
    let mut key = Driven::sent();
    key.tell(Event::ReadFailed { which: Which::Verify, failure: Failure::new(FailureKind::SessionExpired, "401") });
    assert_eq!(key.next(), Next::Read(Which::Verify));
}

#[test]
fn what_was_proved_not_sent_frees_the_intent_and_raises_the_generation() {
    let mut key = Driven::started(once());
    key.read(Which::Check, Answer::Todo).read(Which::Baseline, Answer::NotYet).tell(Event::Prepared { notes: vec![] });
    key.tell(Event::Intended { generation: 0, unit: None });
    key.tell(Event::NotSent { failure: Failure::new(FailureKind::NotRendered, "covered") });
    assert_eq!(key.state.acts, 0);
    assert_eq!(key.next(), Next::Read(Which::Check));
    key.read(Which::Check, Answer::Todo).read(Which::Baseline, Answer::NotYet).tell(Event::Prepared { notes: vec![] });
    assert_eq!(key.next(), Next::Intend { generation: 1, unit: None });
}

#[test]
fn a_runner_that_died_beyond_the_intent_is_followed_by_reads() {
    let mut key = Driven::started(once());
    key.read(Which::Check, Answer::Todo).read(Which::Baseline, Answer::NotYet).tell(Event::Prepared { notes: vec![] });
    key.tell(Event::Intended { generation: 0, unit: None });
    assert!(key.state.was_interrupted());
    key.tell(Event::Interrupted);
    assert_eq!((key.next(), key.state.acts), (Next::Read(Which::Verify), 1));
}

#[test]
fn a_runner_that_dies_before_it_again_and_again_ends() {
    let mut key = Driven::started(once());
    let mut lives = 0;
    while key.next() != Next::Done {
        key.tell(Event::Started { source: Source::Schedule }).tell(Event::Interrupted);
        lives += 1;
        assert!(lives < 50);
    }
    assert_eq!((key.state.status, lives), (Status::Dead, 9), "3 free ones, and 2 × 3 attempts");
}

#[test]
fn an_interruption_that_spent_the_attempt_is_followed_by_its_wait() {
    let mut key = Driven::started(once());
    for _ in 0..4 {
        assert!(key.state.may_begin(key.now));
        key.tell(Event::Started { source: Source::Schedule }).tell(Event::Interrupted);
    }
    let due = key.state.due.expect("the fourth one spends an attempt");
    assert!(!key.state.may_begin(key.now));
    assert!(key.state.may_begin(due));
    assert!(!Driven::sent().state.may_begin(due), "what was sent is only read");
}

#[test]
fn an_intent_whose_runner_died_counts_as_sent_even_when_the_next_cannot_begin() {
    let mut key = Driven::started(once());
    key.read(Which::Check, Answer::Todo).read(Which::Baseline, Answer::NotYet).tell(Event::Prepared { notes: vec![] });
    key.tell(Event::Intended { generation: 0, unit: None });
    key.tell(Event::NotTried { failure: Failure::new(FailureKind::Environment, "no password") });
    assert_eq!((key.state.status, key.state.acts), (Status::Unconfirmed, 1));
    assert_eq!(key.next(), Next::Read(Which::Verify));
}

#[test]
fn what_an_overtaken_runner_says_late_changes_nothing() {
    let late =
        |which, answer| Event::Read { which, reading: Reading { answer, values: Default::default(), notes: vec![] } };
    let mut key = Driven::sent();
    let before = key.state.clone();
    key.tell(late(Which::Check, Answer::Todo)).tell(Event::Prepared { notes: vec![] });
    key.tell(Event::PrepareFailed { failure: Failure::new(FailureKind::Timeout, "late") });
    assert_eq!(key.state, before);
    key.read(Which::Verify, Answer::Done);
    let closed = key.state.clone();
    key.tell(late(Which::Check, Answer::Todo)).tell(Event::Started { source: Source::Hand }).tell(Event::Interrupted);
    assert_eq!(key.state, closed);
}

#[test]
fn a_site_that_says_wait_no_time_is_left_alone_for_a_minute() {
    let mut key = Driven::started(once());
    let failure = Failure { retry_at: Some(key.now), ..Failure::new(FailureKind::RateLimited, "Retry-After: 0") };
    key.tell(Event::ReadFailed { which: Which::Check, failure });
    assert_eq!(key.state.due, Some(key.now + TimeDelta::minutes(1)));
}

#[test]
fn a_person_s_order_opens_what_is_dead_and_it_acts_only_after_check_says_to_do() {
    let mut key = Driven::sent();
    while key.next() == Next::Read(Which::Verify) {
        key.read(Which::Verify, Answer::NotYet);
    }
    assert_eq!(key.state.status, Status::Dead);
    key.tell(Event::Ordered { by: "a person".into() });
    assert_eq!((key.state.status, key.next()), (Status::Pending, Next::Read(Which::Check)));
    let mut done = Driven { state: key.state.clone(), rules: key.rules.clone(), now: key.now };
    done.read(Which::Check, Answer::Done);
    assert_eq!(done.state.status, Status::Success, "it had worked");
    key.read(Which::Check, Answer::Todo).read(Which::Baseline, Answer::NotYet).tell(Event::Prepared { notes: vec![] });
    assert_eq!(key.next(), Next::Intend { generation: 1, unit: None });
}

#[test]
fn a_person_s_order_changes_nothing_about_a_key_that_is_not_dead() {
    let order = || Event::Ordered { by: "a person".into() };
    let mut done = Driven::started(once());
    done.read(Which::Check, Answer::Done);
    let mut skipped = Driven::started(once());
    skipped.read(Which::Check, Answer::Skip("no quiz".into()));
    let mut unconfirmed = Driven::sent();
    unconfirmed.read(Which::Verify, Answer::NotYet);
    for mut key in [done, skipped, unconfirmed] {
        let before = key.state.clone();
        key.tell(order());
        assert_eq!(key.state, before);
    }
}

/// A damaged ledger may hold any number.
#[test]
fn the_highest_generation_has_none_after_it() {
    let mut key = Driven::started(once());
    key.tell(Event::Intended { generation: u32::MAX, unit: None });
    assert_eq!(key.state.generation, u32::MAX, "the ledger refuses it, because it is taken");
}
