//! Each row of the decision's table, in its order.

use super::*;
use crate::timing::Skip;

/// Facts under which the answer is yes.
pub(super) struct Case {
    pub(super) rules: Rules,
    pub(super) state: TaskRun,
    pub(super) now: DateTime<Utc>,
    pub(super) held_by: Option<(&'static str, Status)>,
    pub(super) skip: Option<Skip>,
    pub(super) before: Before<'static>,
    pub(super) requirements: Vec<(String, RequirementState)>,
    pub(super) suspended_by: Option<i64>,
    pub(super) cooling_until: Option<DateTime<Utc>>,
    pub(super) locked_by: Option<&'static str>,
}

impl Case {
    pub(super) fn yes() -> Self {
        Case {
            rules: once(),
            state: TaskRun::default(),
            now: six(),
            held_by: None,
            skip: None,
            before: Before::default(),
            requirements: vec![],
            suspended_by: None,
            cooling_until: None,
            locked_by: None,
        }
    }

    pub(super) fn decide(&self) -> Decision {
        decide(&Facts {
            now: self.now,
            rules: &self.rules,
            state: &self.state,
            held_by: self.held_by,
            skip: self.skip.as_ref(),
            before: self.before,
            requirements: &self.requirements,
            suspended_by: self.suspended_by,
            cooling_until: self.cooling_until,
            locked_by: self.locked_by,
        })
    }

    pub(super) fn not_ready(mut self) -> Self {
        self.requirements.push(("task sign".into(), RequirementState::NotReady("failed".into())));
        self
    }
}

#[test]
fn nothing_against_it() {
    assert_eq!(Case::yes().decide(), Decision::Run);
}

#[test]
fn outside_of_the_window() {
    let early = Case { now: six() - TimeDelta::milliseconds(5), ..Case::yes() };
    assert_eq!(early.decide(), Decision::Refused(Refusal::NotDue(six())));
    let late = Case { now: once().window.until, ..Case::yes() };
    assert_eq!(late.decide(), Decision::Close(Status::Skipped, "missed".into()));
}

#[test]
fn between_two_windows_of_a_week() {
    let rules = Rules { closes_at: Some(once().window.until + TimeDelta::days(3)), ..once() };
    let case = Case { now: once().window.until, rules, ..Case::yes() };
    assert_eq!(case.decide(), Decision::Refused(Refusal::WindowClosed));
}

#[test]
fn the_calendar_comes_after_the_window_and_before_the_requirements() {
    let holiday = |case: Case| Case { skip: Some(Skip::Holiday("国庆节".into())), ..case }.not_ready().decide();
    let skipped = Decision::Close(Status::Skipped, "holiday: 国庆节".into());
    assert_eq!(holiday(Case::yes()), skipped);
    let early = Case { now: six() - TimeDelta::seconds(1), ..Case::yes() };
    assert_eq!(holiday(early), Decision::Refused(Refusal::NotDue(six())));
    let late = Case { now: once().window.until, ..Case::yes() };
    assert_eq!(holiday(late), skipped, "it was not missed");
    let weekend = Case { skip: Some(Skip::NotWorkday), ..Case::yes() };
    assert_eq!(weekend.decide(), Decision::Close(Status::Skipped, "not_workday".into()));
    let mut sent = Driven::sent();
    sent.read(Which::Verify, Answer::NotYet);
    let sent = Case { now: sent.state.due.unwrap(), state: sent.state, skip: Some(Skip::NotWorkday), ..Case::yes() };
    assert_eq!(sent.decide(), Decision::Run, "what was sent is read");
}

#[test]
fn requirements_come_before_tickets() {
    let case = Case { suspended_by: Some(1), ..Case::yes() }.not_ready();
    assert_eq!(case.decide(), Decision::Refused(Refusal::NotReady("task sign: failed".into())));
}

#[test]
fn a_requirement_that_ended_ends_it_at_once() {
    let mut case = Case::yes().not_ready();
    case.requirements.push(("task sign".into(), RequirementState::Ended("sign is dead".into())));
    assert_eq!(case.decide(), Decision::Close(Status::Skipped, "requirement_ended: sign is dead".into()));
}

#[test]
fn a_closed_key_is_closed_whatever_else_is_true() {
    let mut key = Driven::started(once());
    key.read(Which::Check, Answer::Done);
    let case = Case { state: key.state, suspended_by: Some(1), ..Case::yes() }.not_ready();
    assert_eq!(case.decide(), Decision::Refused(Refusal::AlreadyDone));
}

#[test]
fn a_key_that_waits_is_not_run_before_its_time() {
    let mut key = Driven::started(once());
    key.fails(FailureKind::ServerError, "a");
    let due = key.state.due.unwrap();
    let case = Case { state: key.state, ..Case::yes() };
    assert_eq!(case.decide(), Decision::Refused(Refusal::Waiting(due)));
    assert_eq!(Case { now: due, ..case }.decide(), Decision::Run);
}

#[test]
fn a_key_that_was_sent_is_read_whatever_the_window_and_requirements_say() {
    let mut key = Driven::sent();
    key.read(Which::Verify, Answer::NotYet);
    let due = key.state.due.unwrap();
    let case = Case { state: key.state, now: key.now, ..Case::yes() }.not_ready();
    assert_eq!(case.decide(), Decision::Refused(Refusal::WaitingForEvidence(due)));
    assert_eq!(Case { now: once().period.to + TimeDelta::days(1), ..case }.decide(), Decision::Run);
}

#[test]
fn ticket_then_wait_of_the_site_then_lease() {
    let until = six() + TimeDelta::minutes(5);
    let all = Case { suspended_by: Some(3), cooling_until: Some(until), locked_by: Some("process 1"), ..Case::yes() };
    assert_eq!(all.decide(), Decision::Refused(Refusal::Ticket(3)));
    let two = Case { suspended_by: None, ..all };
    assert_eq!(two.decide(), Decision::Refused(Refusal::CoolingDown(until)));
    let over = Case { now: until, ..two };
    assert_eq!(over.decide(), Decision::Refused(Refusal::Locked("process 1".into())));
}

#[test]
fn an_intent_without_an_answer_is_followed_up_whatever_is_over() {
    let mut key = Driven::started(once());
    key.read(Which::Check, Answer::Todo).read(Which::Baseline, Answer::NotYet).tell(Event::Prepared { notes: vec![] });
    key.tell(Event::Intended { generation: 0, unit: None });
    let tomorrow = Case { state: key.state.clone(), now: once().period.to + TimeDelta::hours(6), ..Case::yes() };
    assert_eq!(tomorrow.decide(), Decision::Run);
    let mut ended = Case { state: key.state, ..Case::yes() };
    ended.requirements.push(("task sign".into(), RequirementState::Ended("sign is dead".into())));
    assert_eq!(ended.decide(), Decision::Run);
}

#[test]
fn what_another_task_with_the_same_key_did_or_does_is_not_done_twice() {
    let refused = |status| match (Case { held_by: Some(("community/sign", status)), ..Case::yes() }.decide()) {
        Decision::Refused(refusal) => refusal.to_string(),
        other => panic!("{status}: {other:?}"),
    };
    for done in [Status::Success, Status::AlreadyDone, Status::Compensated] {
        assert_eq!(refused(done), "already_done: by community/sign");
    }
    for open in [Status::Pending, Status::Running, Status::Failed, Status::Unconfirmed, Status::Blocked] {
        assert_eq!(refused(open), "in_flight: community/sign");
    }
    assert_eq!(refused(Status::Dead), "closed: community/sign is dead");
}

#[test]
fn of_a_key_that_is_over_the_ledgers_row_says_as_much_as_all_its_lines() {
    for status in [Status::Success, Status::AlreadyDone, Status::Compensated, Status::Skipped, Status::Dead] {
        let mut folded = Driven::started(once());
        folded.tell(Event::Closed { status, reason: "why".into() });
        let by_lines = Case { state: folded.state.clone(), ..Case::yes() }.decide();
        let by_row = Case { state: TaskRun::over_as(status, folded.state.reason), ..Case::yes() }.decide();
        assert_eq!(by_row, by_lines, "{status}");
        assert!(matches!(by_row, Decision::Refused(Refusal::AlreadyDone | Refusal::Closed(_))), "{status}");
    }
}
