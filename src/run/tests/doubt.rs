//! A key in whose time the ledger lost lines.

use super::*;

fn doubted(rules: Rules) -> Driven {
    let mut key = Driven { state: TaskRun::default(), rules, now: six() };
    key.tell(Event::Doubted { loss: 1 }).tell(Event::Started { source: Source::Schedule });
    key
}

#[test]
fn it_is_acted_on_only_after_two_positive_reads_a_settle_apart() {
    for rules in [once(), repeatable(), counting()] {
        let settle = TimeDelta::from_std(rules.settle).unwrap();
        let to_do = if rules.counts { goal(1) } else { Answer::Todo };
        let mut key = doubted(rules);
        assert_eq!(key.next(), Next::Read(Which::Check));
        let first = key.now;
        key.read(Which::Check, to_do.clone());
        assert_eq!((key.state.status, key.state.due), (Status::Pending, Some(first + settle)));
        assert!(key.state.reason.as_ref().is_some_and(|why| why.starts_with("ledger_lost")), "it says why it waits");
        assert_eq!(key.next(), Next::Read(Which::Check));
        key.read(Which::Check, to_do);
        let next = key.state.next(key.now, &key.rules);
        assert!(matches!(next, Next::Read(Which::Baseline) | Next::Prepare | Next::Intend { .. }), "{next:?}");
        assert_eq!((key.state.is_in_doubt(), key.state.reason.clone()), (false, None));
        assert_eq!((key.now, key.state.attempts), (first + settle, 0), "no attempt is spent");
    }
}

#[test]
fn what_the_server_shows_late_is_not_done_again() {
    let mut key = doubted(once());
    key.read(Which::Check, Answer::Todo);
    key.next();
    key.read(Which::Check, Answer::Done);
    assert_eq!((key.state.status, key.state.acts), (Status::AlreadyDone, 0));
    // Or it is only the points that show it.
    let mut key = doubted(once());
    key.read(Which::Check, Answer::Todo);
    key.next();
    key.read(Which::Check, Answer::Todo);
    assert_eq!(key.next(), Next::Read(Which::Baseline));
    key.read(Which::Baseline, Answer::Done);
    assert_eq!((key.state.status, key.state.acts), (Status::AlreadyDone, 0));
}

#[test]
fn neither_a_read_that_fails_nor_a_runner_that_dies_shortens_the_wait() {
    let mut key = doubted(once());
    let first = key.now;
    key.read(Which::Check, Answer::Todo);
    // A hand-started run looks again at once.
    key.now += TimeDelta::seconds(40);
    key.tell(Event::Started { source: Source::Hand }).tell(Event::Interrupted);
    key.tell(Event::Started { source: Source::Hand }).read(Which::Check, Answer::Todo);
    assert!(key.state.is_in_doubt());
    assert_eq!(key.state.due, Some(first + TimeDelta::minutes(20)), "counted from the first read");
    key.tell(Event::Started { source: Source::Hand }).fails(FailureKind::ServerError, "check");
    key.next();
    assert!(key.state.is_in_doubt(), "a read that failed is no positive one");
}

#[test]
fn a_count_that_rises_meanwhile_is_waited_for_again() {
    let mut key = doubted(counting());
    key.read(Which::Check, goal(0));
    key.next();
    key.read(Which::Check, goal(1));
    assert!(key.state.is_in_doubt(), "an act of the lost lines showed only now; more may follow");
    key.next();
    key.read(Which::Check, goal(1));
    assert!(!key.state.is_in_doubt());
}

#[test]
fn what_is_done_once_for_ever_waits_for_a_person_and_goes_on_by_his_word() {
    let calendar = Calendar { zone: chrono_tz::Asia::Shanghai, starts_at: NaiveTime::MIN };
    let forever = Rules { period: calendar.period(PeriodKind::Once, six()), closes_at: None, ..once() };
    let mut key = doubted(forever);
    for _ in 0..3 {
        assert_eq!(key.next(), Next::Read(Which::Check));
        key.read(Which::Check, Answer::Todo);
        assert_eq!(key.next(), Next::AskInDoubt, "however often it is read");
        key.tell(Event::Asked { ticket: 7 });
        assert_eq!((key.state.status, key.state.ticket), (Status::Blocked, Some(7)));
    }
    key.next();
    key.read(Which::Check, Answer::Todo).tell(Event::Allowed { ticket: 7 });
    assert_eq!(key.next(), Next::Read(Which::Baseline));
    // A second loss asks again: the first answer was about the first one.
    key.tell(Event::Doubted { loss: 2 });
    assert_eq!((key.next(), key.state.ticket), (Next::Read(Which::Check), None));
    key.read(Which::Check, Answer::Todo);
    assert_eq!(key.next(), Next::AskInDoubt);
    key.tell(Event::Asked { ticket: 8 }).read(Which::Check, Answer::Done);
    assert_eq!(key.next(), Next::Done);
}

#[test]
fn a_loss_is_taken_in_once_and_what_was_sent_goes_on_being_read() {
    let mut key = doubted(once());
    key.read(Which::Check, Answer::Todo).next();
    key.read(Which::Check, Answer::Todo).tell(Event::Doubted { loss: 1 });
    assert!(!key.state.is_in_doubt());
    let mut key = Driven::sent();
    key.tell(Event::Doubted { loss: 1 });
    assert_eq!(key.next(), Next::Read(Which::Verify));
    let mut key = Driven::started(Rules { by_person: true, ..once() });
    key.tell(Event::Doubted { loss: 1 }).read(Which::Check, Answer::Todo);
    assert_eq!(key.next(), Next::Read(Which::Baseline), "a person sees for himself what is there");
}

#[test]
fn a_unit_that_was_sent_before_the_loss_proves_itself_and_the_next_is_read_for_twice() {
    let mut key = Driven::started(counting());
    key.read(Which::Check, goal(1)).tell(Event::Prepared { notes: vec![] }).acts();
    key.tell(Event::Doubted { loss: 1 }).read(Which::Verify, goal(2));
    assert_eq!(key.next(), Next::Read(Which::Check));
    key.read(Which::Check, goal(2));
    assert_eq!((key.state.status, key.state.is_in_doubt()), (Status::Pending, true));
    assert_eq!(key.next(), Next::Read(Which::Check));
    assert_eq!(key.read(Which::Check, goal(2)).next(), Next::Prepare);
}
