//! `catch_up: each`: keys of periods that are past, in today's window.

use super::decision::Case;
use super::*;
use crate::run::too_late;

/// The rules of the key of ten days ago, as it is made up today.
fn made_up() -> Rules {
    let calendar = Calendar { zone: chrono_tz::Asia::Shanghai, starts_at: NaiveTime::MIN };
    let period = calendar.period(PeriodKind::Day, six() - TimeDelta::days(10));
    Rules { period, late_after: period.to, passed: each(), ..once() }
}

fn each() -> Passed {
    Passed { each: true, ..Passed::default() }
}

/// The key that is made up, acted on at this time.
fn acted(now: DateTime<Utc>) -> Driven {
    let mut key = Driven { state: TaskRun::default(), rules: made_up(), now };
    key.tell(Event::Started { source: Source::CatchUp });
    key.read(Which::Check, Answer::Todo).read(Which::Baseline, Answer::NotYet);
    key.tell(Event::Prepared { notes: vec![] }).acts();
    key
}

#[test]
fn the_end_of_its_period_ends_nothing() {
    let case = Case { rules: made_up(), ..Case::yes() };
    assert_eq!(case.decide(), Decision::Run);
    let early = Case { now: six() - TimeDelta::minutes(2), ..case };
    assert_eq!(early.decide(), Decision::Refused(Refusal::NotDue(six())), "in today's window only");
    let mut key = acted(six());
    key.read(Which::Verify, Answer::Done);
    assert_eq!(key.state.status, Status::Compensated, "it is late by nature");
}

#[test]
fn the_last_look_before_the_click_asks_for_today_s_window_alone() {
    let (now, rules) = (six() + TimeDelta::minutes(3), made_up());
    assert_eq!(too_late(now, now, &rules), None);
    let after = rules.window.until;
    assert!(too_late(after, after, &rules).unwrap().message.contains("window ended"));
    assert!(too_late(now - TimeDelta::seconds(1), now, &rules).unwrap().message.contains("set back"));
    let today = Rules { window: rules.window, ..once() };
    let midnight = today.period.to;
    assert!(too_late(midnight, midnight, &today).unwrap().rule.is_some(), "a key of today ends with its day");
}

#[test]
fn one_that_was_tried_ends_with_the_window_and_one_that_was_not_stays_open() {
    let over = made_up().window.until;
    let untried = Case { rules: made_up(), now: over, ..Case::yes() };
    assert_eq!(untried.decide(), Decision::Refused(Refusal::WindowClosed));
    let mut tried = Driven { state: TaskRun::default(), rules: made_up(), now: six() };
    tried.tell(Event::Started { source: Source::CatchUp }).fails(FailureKind::ServerError, "a");
    let tried = Case { state: tried.state, ..untried };
    assert_eq!(tried.decide(), Decision::Close(Status::Dead, "window_closed: server_error".into()));
}

#[test]
fn what_was_sent_for_a_past_day_is_read_whatever_is_over() {
    let mut key = acted(six());
    key.read(Which::Verify, Answer::NotYet);
    let case = Case { rules: made_up(), state: key.state, now: six() + TimeDelta::days(2), ..Case::yes() };
    assert_eq!(case.decide(), Decision::Run);
}

#[test]
fn today_s_own_key_that_nobody_tried_is_left_for_another_day() {
    let rules = Rules { passed: each(), ..once() };
    let over = Case { now: rules.window.until, rules, ..Case::yes() };
    assert_eq!(over.decide(), Decision::Refused(Refusal::WindowClosed), "it is not missed: it is made up");
    let tomorrow = Case { now: over.rules.period.to + TimeDelta::hours(1), ..over };
    assert_eq!(tomorrow.decide(), Decision::Refused(Refusal::WindowClosed), "nor is its period's end");
}
