//! The window, the period, and how a key ends by time.

use super::*;
use crate::timing::Period;

#[test]
fn never_tried_is_missed_and_tried_is_dead() {
    let mut key = Driven::started(once());
    key.now = key.rules.window.until;
    assert_eq!(key.next(), Next::Close(Status::Skipped, "missed".into()));
    let mut key = Driven::started(once());
    key.fails(FailureKind::ServerError, "check");
    key.now = key.rules.window.until;
    assert_eq!(key.next(), Next::Close(Status::Dead, "window_closed: server_error".into()));
}

#[test]
fn an_unreachable_network_all_day_was_not_a_try() {
    let mut key = Driven::started(once());
    key.fails(FailureKind::Network, "open");
    key.now = key.rules.window.until;
    assert_eq!(key.next(), Next::Close(Status::Skipped, "missed".into()));
}

#[test]
fn nothing_is_begun_after_the_window() {
    let mut key = Driven::started(once());
    key.read(Which::Check, Answer::Todo).read(Which::Baseline, Answer::NotYet).tell(Event::Prepared { notes: vec![] });
    key.now = key.rules.window.until;
    assert!(matches!(key.next(), Next::Close(..)));
}

#[test]
fn an_act_whose_step_would_end_in_the_next_period_is_not_begun() {
    // The window ends with the day: what counts is the time that the commit step may take.
    let window = Window { until: once().period.to, ..once().window };
    let mut key = Driven::started(Rules { window, closes_at: Some(window.until), ..once() });
    key.read(Which::Check, Answer::Todo).read(Which::Baseline, Answer::NotYet);
    key.now = key.rules.period.to - TimeDelta::seconds(15);
    assert_eq!(key.next(), Next::Close(Status::Skipped, "period_over".into()));
}

#[test]
fn what_was_sent_is_read_past_window_and_day() {
    let mut key = Driven::sent();
    key.now = key.rules.period.to + TimeDelta::hours(1);
    assert_eq!(key.next(), Next::Read(Which::Verify));
}

#[test]
fn skip_closes_and_later_looks_again() {
    let mut key = Driven::started(once());
    key.read(Which::Check, Answer::Later("a draft".into()));
    assert_eq!(key.state.due, Some(key.now + TimeDelta::minutes(10)));
    assert_eq!(key.next(), Next::Read(Which::Check));
    key.read(Which::Check, Answer::Skip("no quiz today".into()));
    assert_eq!((key.state.status, key.state.reason.as_deref()), (Status::Skipped, Some("skip: no quiz today")));
}

#[test]
fn a_person_is_asked_once_and_looked_after() {
    let mut key = Driven::started(Rules { by_person: true, verify_is_check: true, ..once() });
    key.read(Which::Check, Answer::Todo);
    assert_eq!(key.next(), Next::Ask);
    key.tell(Event::Asked { ticket: 7 });
    assert_eq!((key.state.status, key.state.ticket), (Status::Blocked, Some(7)));
    assert_eq!(key.next(), Next::Read(Which::Check));
    key.read(Which::Check, Answer::Done);
    assert_eq!((key.state.status, key.state.acts), (Status::Success, 0));
}

#[test]
fn a_week_goes_on_after_a_window_and_nothing_is_begun_between_two() {
    let calendar = Calendar { zone: chrono_tz::Asia::Shanghai, starts_at: NaiveTime::MIN };
    let period = calendar.period(PeriodKind::Week, six());
    let end = period.to - TimeDelta::minutes(30);
    let weekly = Rules { period, closes_at: Some(end), ..once() };
    let mut key = Driven::started(weekly.clone());
    key.read(Which::Check, Answer::Todo).read(Which::Baseline, Answer::NotYet);
    key.now = weekly.window.until;
    assert_eq!(key.next(), Next::Later("window_closed".into()));
    key.tell(Event::Halted { later: true, reason: "window_closed".into() });
    assert_eq!(key.state.status, Status::Pending);
    let tomorrow = weekly.window.slot + TimeDelta::days(1);
    key.rules.window = Window { slot: tomorrow, until: tomorrow + TimeDelta::hours(17) };
    key.now = tomorrow;
    assert_eq!(key.next(), Next::Read(Which::Check));
    key.now = end;
    assert!(matches!(key.next(), Next::Close(Status::Skipped, _)), "the last window is over");
}

#[test]
fn what_failed_yesterday_is_dead_today_and_what_was_never_tried_is_missed() {
    let mut key = Driven::started(once());
    key.fails(FailureKind::PageChanged, "check").fails(FailureKind::Network, "open");
    key.now = key.rules.period.to + TimeDelta::hours(6);
    assert_eq!(key.next(), Next::Close(Status::Dead, "window_closed: network".into()));
    let mut key = Driven::started(once());
    key.now = key.rules.period.to + TimeDelta::hours(6);
    assert_eq!(key.next(), Next::Close(Status::Skipped, "missed".into()));
}

#[test]
fn an_act_found_hours_after_a_crash_was_not_late() {
    let mut key = Driven::started(once());
    key.read(Which::Check, Answer::Todo).read(Which::Baseline, Answer::NotYet).tell(Event::Prepared { notes: vec![] });
    key.tell(Event::Intended { generation: 0, unit: None });
    key.now += TimeDelta::hours(3);
    key.tell(Event::Interrupted).read(Which::Verify, Answer::Done);
    assert_eq!(key.state.status, Status::Success);
}

/// Check and baseline read, the button ready.
fn prepared() -> Driven {
    let mut key = Driven::started(once());
    key.read(Which::Check, Answer::Todo).read(Which::Baseline, Answer::NotYet).tell(Event::Prepared { notes: vec![] });
    key
}

#[test]
fn a_clock_that_jumps_over_midnight_before_the_commit_ends_the_period() {
    let mut key = prepared();
    key.now = key.rules.period.to + TimeDelta::minutes(3);
    assert_eq!(key.next(), Next::Close(Status::Skipped, "period_over".into()), "before the intent");
    let mut key = prepared();
    let intended_at = key.now;
    key.tell(Event::Intended { generation: 0, unit: None });
    key.now = key.rules.period.to - TimeDelta::seconds(10);
    let failure = too_late(key.now, intended_at, &key.rules).expect("the step would end in the next day");
    key.tell(Event::NotSent { failure });
    assert_eq!((key.state.status, key.state.reason.as_deref()), (Status::Skipped, Some("period_over")));
    assert_eq!((key.next(), key.state.acts), (Next::Done, 0));
}

#[test]
fn the_last_look_at_the_clock_frees_the_intent_where_it_is_not_as_it_was() {
    let rules = once();
    let at = |seconds| six() + TimeDelta::seconds(seconds);
    assert_eq!(too_late(at(100), at(100), &rules), None);
    assert_eq!(too_late(at(105), at(100), &rules), None);
    for (now, intended, why) in
        [(at(106), at(100), "paused"), (at(99), at(100), "set back"), (at(-3_600 * 9), at(100), "set back")]
    {
        let failure = too_late(now, intended, &rules).expect("not as it was");
        assert!(failure.message.contains(why) && failure.message.contains("nothing was sent"), "{}", failure.message);
        let mut key = prepared();
        key.tell(Event::Intended { generation: 0, unit: None }).tell(Event::NotSent { failure });
        assert_eq!((key.state.status, key.state.acts), (Status::Failed, 0), "{why}: it is tried again");
    }
    let narrow = Rules { window: Window { until: at(10), ..rules.window }, ..rules };
    assert!(too_late(at(10), at(9), &narrow).is_some_and(|failure| failure.message.contains("window")));
}

#[test]
fn a_unit_that_is_proved_before_the_window_is_followed_by_the_next_one_inside_it() {
    let mut key = Driven::started(counting());
    key.read(Which::Check, goal(0)).tell(Event::Prepared { notes: vec![] }).acts();
    let slot = key.now + TimeDelta::days(1);
    key.rules.window = Window { slot, until: slot + TimeDelta::hours(1) };
    key.rules.closes_at = Some(key.rules.window.until);
    key.rules.period.to = slot + TimeDelta::hours(2);
    key.now = slot - TimeDelta::hours(3);
    key.read(Which::Verify, goal(1));
    assert_eq!(key.state.next(key.now, &key.rules), Next::Later("not_due".into()));
    assert!(matches!(key.state.next(slot, &key.rules), Next::Prepare));
}

#[test]
fn the_end_of_the_calendar_is_a_time_like_any_other() {
    let forever = Rules { closes_at: None, period: Period { to: DateTime::<Utc>::MAX_UTC, ..once().period }, ..once() };
    let key = Driven::started(forever);
    assert_eq!(key.state.over(DateTime::<Utc>::MAX_UTC, &key.rules).unwrap().0, Status::Skipped);
    assert_eq!(key.state.over(six(), &key.rules), None);
}
