//! The catch-up table: what becomes of a slot that was passed before anybody began it.

use super::decision::Case;
use super::*;

fn missed() -> Decision {
    Decision::Close(Status::Skipped, "missed".into())
}

/// So many minutes after six, by a task that says this of a slot that was passed.
fn after(minutes: i64, passed: Passed) -> Case {
    Case { now: six() + TimeDelta::minutes(minutes), rules: Rules { passed, ..once() }, ..Case::yes() }
}

/// A key whose first attempt failed.
fn failed() -> TaskRun {
    let mut key = Driven::started(once());
    key.fails(FailureKind::ServerError, "a");
    key.state
}

/// A key that was acted on, and whose evidence is not there yet.
fn sent() -> TaskRun {
    let mut key = Driven::sent();
    key.read(Which::Verify, Answer::NotYet);
    key.state
}

#[test]
fn latest_runs_as_long_as_the_window_is_open() {
    assert_eq!(after(17 * 60, Passed::default()).decide(), Decision::Run);
}

#[test]
fn never_makes_nothing_up() {
    let never = Passed { never: true, ..Passed::default() };
    assert_eq!(after(10, never).decide(), Decision::Run, "within `grace` it is on time");
    assert_eq!(after(11, never).decide(), missed());
    assert_eq!(after(11, never).not_ready().decide(), missed(), "before the requirements");
}

#[test]
fn never_does_not_end_what_somebody_was_there_for_in_time() {
    let never = Passed { never: true, ..Passed::default() };
    let before = Before { asked_in_time: true, ..Before::default() };
    assert_eq!(Case { before, ..after(60, never) }.decide(), Decision::Run, "its lane was busy, or its data late");
}

#[test]
fn skip_if_after_ends_what_is_not_begun_by_then() {
    let until_ten = Passed { begin_by: Some(six() + TimeDelta::hours(4)), ..Passed::default() };
    assert_eq!(after(239, until_ten).decide(), Decision::Run);
    let at_ten = after(240, until_ten);
    assert_eq!(at_ten.decide(), missed());
    let before = Before { asked_in_time: true, ..Before::default() };
    assert_eq!(Case { before, ..at_ten }.decide(), missed(), "whoever was there in time");
}

#[test]
fn what_was_begun_is_never_ended_by_catch_up() {
    let strict = Passed { never: true, begin_by: Some(six()), first_waits: true, ..Passed::default() };
    let before = Before { is_first: true, under_way: Some("earlier"), asked_in_time: false };
    for (name, state) in [("a retry", failed()), ("a verify", sent())] {
        let due = state.due.unwrap();
        let case = Case { state, before, ..after(0, strict) };
        assert_eq!(Case { now: due, ..case }.decide(), Decision::Run, "{name}");
    }
    let mut intended = Driven::started(once());
    intended.read(Which::Check, Answer::Todo).read(Which::Baseline, Answer::NotYet);
    intended.tell(Event::Prepared { notes: vec![] }).tell(Event::Intended { generation: 0, unit: None });
    assert_eq!(Case { state: intended.state, before, ..after(600, strict) }.decide(), Decision::Run);
    let mut interrupted = Driven::started(once());
    interrupted.tell(Event::Interrupted);
    assert_eq!(Case { state: interrupted.state, before, ..after(600, strict) }.decide(), Decision::Run);
}

#[test]
fn between_the_windows_of_a_week_it_is_the_next_window_s() {
    let passed = Passed { never: true, begin_by: Some(six() + TimeDelta::hours(1)), ..Passed::default() };
    let mut case = after(90, passed);
    case.rules.closes_at = Some(six() + TimeDelta::days(3));
    assert_eq!(case.decide(), Decision::Refused(Refusal::WindowClosed));
    case.rules.closes_at = None;
    assert_eq!(case.decide(), Decision::Refused(Refusal::WindowClosed), "`once` has no end");
    case.rules.closes_at = Some(case.rules.window.until);
    assert_eq!(case.decide(), missed(), "the last window of its period");
}

#[test]
fn a_first_start_waits_for_the_next_slot_and_is_not_missed() {
    let waits = Passed { first_waits: true, ..Passed::default() };
    let before = Before { is_first: true, ..Before::default() };
    let case = |minutes| Case { before, ..after(minutes, waits) };
    assert_eq!(case(10).decide(), Decision::Run, "within `grace` it is no late start");
    assert_eq!(case(11).decide(), Decision::Refused(Refusal::FirstStart));
    assert_eq!(
        case(24 * 60).decide(),
        Decision::Refused(Refusal::FirstStart),
        "its window passes, and nothing is missed"
    );
    assert_eq!(case(11).decide().to_string(), "first_start");
    assert_eq!(Case { before: Before::default(), ..case(11) }.decide(), Decision::Run, "it has been here before");
    let runs = Case { before, ..after(11, Passed::default()) };
    assert_eq!(runs.decide(), Decision::Run, "`first_start: run`");
}

#[test]
fn an_occurrence_is_dropped_or_waits_while_the_one_before_is_under_way() {
    let before = Before { under_way: Some("2026-11-29T21:00Z"), ..Before::default() };
    let skip = Case { before, ..after(0, Passed::default()) };
    assert_eq!(skip.decide().to_string(), "skipped: missed: overlap");
    let queue = Passed { queues: true, ..Passed::default() };
    let waits = Case { before, ..after(0, queue) };
    assert_eq!(waits.decide().to_string(), "in_flight: 2026-11-29T21:00Z");
    assert_eq!(after(30, queue).decide(), Decision::Run, "the one before has ended");
    let over = Case { now: once().window.until, ..waits };
    assert_eq!(over.decide(), missed(), "one waits at the most: its window ends where the next one begins");
}

#[test]
fn a_late_success_is_compensated_and_one_within_grace_is_not() {
    for (minutes, status) in [(10, Status::Success), (11, Status::Compensated)] {
        let mut key = Driven { state: TaskRun::default(), rules: once(), now: six() + TimeDelta::minutes(minutes) };
        key.tell(Event::Started { source: Source::CatchUp });
        key.read(Which::Check, Answer::Todo).read(Which::Baseline, Answer::NotYet);
        key.tell(Event::Prepared { notes: vec![] }).acts().read(Which::Verify, Answer::Done);
        assert_eq!(key.state.status, status, "{minutes} minutes late");
    }
}
