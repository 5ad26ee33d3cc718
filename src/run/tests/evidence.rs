//! Only evidence makes a success, and unknown is not "no".

use super::*;

#[test]
fn the_order_of_a_task_run() {
    let mut key = Driven::started(once());
    assert_eq!(key.next(), Next::Read(Which::Check));
    assert_eq!(key.read(Which::Check, Answer::Todo).next(), Next::Read(Which::Baseline));
    assert_eq!(key.read(Which::Baseline, Answer::NotYet).next(), Next::Prepare);
    let next = key.tell(Event::Prepared { notes: vec![] }).next();
    assert_eq!(next, Next::Intend { generation: 0, unit: None });
    assert_eq!(key.tell(Event::Intended { generation: 0, unit: None }).next(), Next::Commit);
    assert_eq!(key.tell(Event::Committed { trouble: None, refused: None }).next(), Next::Read(Which::Verify));
    assert_eq!(key.state.status, Status::Running, "a click is no success");
    assert_eq!(key.read(Which::Verify, Answer::Done).next(), Next::Done);
    assert_eq!(key.state.status, Status::Success);
}

#[test]
fn what_check_reads_as_done_is_not_acted_on() {
    let mut key = Driven::started(once());
    assert_eq!(key.read(Which::Check, Answer::Done).next(), Next::Done);
    assert_eq!(key.state.status, Status::AlreadyDone);
}

#[test]
fn a_verify_that_holds_before_the_act_proves_nothing_and_forbids_the_act() {
    let mut key = Driven::started(once());
    key.read(Which::Check, Answer::Todo).read(Which::Baseline, Answer::Done);
    assert_eq!(key.next(), Next::Done);
    assert_eq!((key.state.status, key.state.acts), (Status::AlreadyDone, 0));
}

#[test]
fn with_verify_check_the_check_was_the_baseline() {
    let mut key = Driven::started(Rules { verify_is_check: true, ..once() });
    assert_eq!(key.read(Which::Check, Answer::Todo).next(), Next::Prepare);
}

#[test]
fn a_check_that_cannot_be_read_is_no_reason_to_act() {
    for kind in FailureKind::ALL {
        let mut key = Driven::started(once());
        key.fails(kind, "check");
        let next = key.state.next(key.now, &key.rules);
        let reads = matches!(next, Next::Wait(_) | Next::Done | Next::Read(Which::Check));
        assert!(reads, "{kind}: {next:?}");
        assert!(!key.state.status.is_done(), "{kind}");
    }
}

#[test]
fn a_check_that_states_neither_is_not_understood() {
    let mut key = Driven::started(once());
    key.read(Which::Check, Answer::NotYet);
    assert_eq!(key.state.failure.as_ref().map(|failure| failure.kind), Some(FailureKind::PageChanged));
}

#[test]
fn late_evidence_is_waited_for_and_never_clicked_for() {
    let mut key = Driven::sent();
    let sent_at = key.now;
    let mut reads = 0;
    while key.next() == Next::Read(Which::Verify) && key.now < sent_at + TimeDelta::minutes(12) {
        key.read(Which::Verify, Answer::NotYet);
        assert_eq!(key.state.status, Status::Unconfirmed);
        reads += 1;
    }
    assert!((5..60).contains(&reads), "{reads} reads in twelve minutes");
    key.read(Which::Verify, Answer::Done);
    assert_eq!((key.state.status, key.state.acts), (Status::Success, 1), "it was sent on time");
}

#[test]
fn a_once_task_without_effect_is_dead_after_settling_and_was_done_once() {
    let mut key = Driven::sent();
    while key.next() == Next::Read(Which::Verify) {
        key.read(Which::Verify, Answer::NotYet);
    }
    assert_eq!(key.next(), Next::Done);
    assert_eq!((key.state.status, key.state.acts), (Status::Dead, 1));
    assert_eq!(key.state.failure.as_ref().map(|failure| failure.kind), Some(FailureKind::NoEffect));
}

#[test]
fn evidence_that_cannot_be_read_is_not_missing_evidence() {
    let mut key = Driven::sent();
    let sent_at = key.now;
    while key.now < sent_at + TimeDelta::hours(30) {
        assert_eq!(key.next(), Next::Read(Which::Verify), "reading goes on past the window and the day");
        key.tell(Event::ReadFailed { which: Which::Verify, failure: Failure::new(FailureKind::ServerError, "500") });
        assert_eq!(key.state.status, Status::Unconfirmed);
    }
    key.next();
    key.read(Which::Verify, Answer::Done);
    assert_eq!(key.state.status, Status::Success);
}

#[test]
fn evidence_that_cannot_be_read_for_days_is_given_to_a_person() {
    let mut key = Driven::sent();
    for _ in 0..1_000 {
        if key.next() == Next::Done {
            break;
        }
        key.tell(Event::ReadFailed { which: Which::Verify, failure: Failure::new(FailureKind::ServerError, "500") });
    }
    assert_eq!(key.state.status, Status::Dead);
}

#[test]
fn a_repeatable_act_is_repeated_only_after_settling_and_two_positive_reads() {
    let mut key = Driven::started(repeatable());
    key.read(Which::Check, Answer::Todo).acts();
    let acted_at = key.now;
    while key.next() == Next::Read(Which::Verify) {
        key.read(Which::Verify, Answer::Todo);
    }
    assert!(key.now >= acted_at + TimeDelta::seconds(60), "before settling was over");
    // The last verify was the first positive read; a read that fails in between is none.
    assert_eq!(key.next(), Next::Read(Which::Check));
    key.fails(FailureKind::ServerError, "a");
    assert_eq!(key.next(), Next::Read(Which::Check));
    key.read(Which::Check, Answer::Todo);
    assert_ne!(key.state.phase, Phase::ToDo, "an attempt is spent and waited out first");
    while key.next() == Next::Read(Which::Check) {
        key.read(Which::Check, Answer::Todo);
    }
    assert_eq!(key.next(), Next::Intend { generation: 1, unit: None });
}

#[test]
fn a_goal_goes_on_only_after_have_rose() {
    let mut key = Driven::started(counting());
    key.read(Which::Check, goal(1));
    assert_eq!(key.next(), Next::Prepare);
    key.tell(Event::Prepared { notes: vec![] }).acts();
    key.next();
    key.read(Which::Verify, goal(1));
    assert_eq!(key.state.status, Status::Unconfirmed, "have did not rise");
    key.next();
    key.read(Which::Verify, goal(2));
    key.tell(Event::Prepared { notes: vec![] });
    assert_eq!(key.next(), Next::Intend { generation: 1, unit: Some("2".into()) });
    key.acts().read(Which::Verify, goal(3));
    assert_eq!((key.state.status, key.state.acts), (Status::Success, 2));
}

/// Found by fuzzing: the count was read once, too low, and the first unit was done again.
#[test]
fn a_count_that_falls_is_not_acted_upon() {
    let mut key = Driven::started(counting());
    key.read(Which::Check, goal(0)).tell(Event::Prepared { notes: vec![] }).acts();
    key.next();
    key.read(Which::Verify, goal(1));
    assert_eq!(key.next(), Next::Prepare);
    key.tell(Event::PrepareFailed { failure: Failure::new(FailureKind::PageChanged, "seen") });
    assert_eq!(key.next(), Next::Read(Which::Check));
    key.read(Which::Check, goal(0));
    assert_eq!((key.state.status, key.next()), (Status::Failed, Next::Read(Which::Check)), "it asks again");
    key.read(Which::Check, goal(1));
    key.tell(Event::Prepared { notes: vec![] });
    assert_eq!(key.next(), Next::Intend { generation: 1, unit: Some("1".into()) });
}

#[test]
fn trouble_at_the_commit_is_noted_and_verify_decides() {
    let mut key = Driven::started(once());
    key.read(Which::Check, Answer::Todo).read(Which::Baseline, Answer::NotYet).tell(Event::Prepared { notes: vec![] });
    key.tell(Event::Intended { generation: 0, unit: None });
    key.tell(Event::Committed { trouble: Some(Failure::new(FailureKind::Timeout, "no answer")), refused: None });
    assert_eq!(key.next(), Next::Read(Which::Verify));
    key.read(Which::Verify, Answer::Done);
    assert_eq!(key.state.status, Status::Success);
}

#[test]
fn an_act_that_came_late_is_compensated() {
    let mut key = Driven::started(once());
    key.now += TimeDelta::hours(3);
    key.read(Which::Check, Answer::Todo).read(Which::Baseline, Answer::NotYet).tell(Event::Prepared { notes: vec![] });
    key.acts().read(Which::Verify, Answer::Done);
    assert_eq!(key.state.status, Status::Compensated);
}

/// Lines of a ledger that no runner writes: a verify of what was never sent would be waited for without end.
#[test]
fn a_verify_before_any_act_says_nothing() {
    let mut key = Driven::started(once());
    key.read(Which::Verify, Answer::NotYet);
    assert_eq!((key.state.phase, key.next()), (Phase::Open, Next::Read(Which::Check)));
    key.read(Which::Check, Answer::Todo).read(Which::Verify, Answer::Done);
    assert_eq!(key.next(), Next::Read(Which::Baseline));
}

#[test]
fn an_intent_whose_answer_is_missing_counts_as_sent_whatever_line_follows() {
    let failure = || Failure::new(FailureKind::Timeout, "seen");
    let reading = || Reading { answer: Answer::Todo, values: Default::default(), notes: vec![] };
    for event in [
        Event::Started { source: Source::Retry },
        Event::Read { which: Which::Check, reading: reading() },
        Event::Read { which: Which::Verify, reading: Reading { answer: Answer::NotYet, ..reading() } },
        Event::ReadFailed { which: Which::Check, failure: failure() },
        Event::Prepared { notes: vec![] },
        Event::PrepareFailed { failure: failure() },
        Event::Halted { later: true, reason: "closed".into() },
        Event::NotTried { failure: failure() },
        Event::Interrupted,
    ] {
        let mut key = Driven::started(once());
        key.read(Which::Check, Answer::Todo).read(Which::Baseline, Answer::NotYet);
        key.tell(Event::Prepared { notes: vec![] });
        key.tell(Event::Intended { generation: 0, unit: None });
        key.tell(event.clone());
        assert_eq!((key.state.acts, key.next()), (1, Next::Read(Which::Verify)), "{event:?}");
    }
}
