//! A refusal that the site shows after the commit: alone it is a reason, with two reads of `check` it frees the intent.

use super::*;

/// Sent at six, and refused.
fn refused(rules: Rules) -> Driven {
    let mut key = Driven::started(rules);
    key.read(Which::Check, Answer::Todo);
    if !key.rules.verify_is_check {
        key.read(Which::Baseline, Answer::NotYet);
    }
    key.tell(Event::Prepared { notes: vec![] }).tell(Event::Intended { generation: 0, unit: None });
    key.tell(Event::Committed { trouble: None, refused: Some("full".into()) });
    key
}

impl Driven {
    /// Reads on as the site deserves, until it is no read that is next.
    fn reads_on(&mut self, check: &Answer, verify: &Answer) -> (usize, Next) {
        let mut checks = 0;
        for _ in 0..200 {
            match self.next() {
                Next::Read(Which::Check) => {
                    checks += 1;
                    self.read(Which::Check, check.clone());
                }
                Next::Read(which) => {
                    self.read(which, verify.clone());
                }
                next => return (checks, next),
            }
        }
        panic!("it reads for ever: {:?}", self.state);
    }
}

#[test]
fn two_reads_that_say_to_do_a_settle_apart_free_the_intent() {
    let mut key = refused(once());
    assert_eq!(key.state.reason.as_deref(), Some("refused: full"));
    let (checks, next) = key.reads_on(&Answer::Todo, &Answer::NotYet);
    assert_eq!((checks, next), (2, Next::Release("full".into())));
    assert_eq!((key.state.status, key.state.acts), (Status::Unconfirmed, 1), "it is not free yet");
    assert!(key.now >= six() + TimeDelta::seconds(1_200), "{}", key.now);
    key.tell(Event::Released { reason: "full".into() });
    assert_eq!((key.state.status, key.state.acts, key.state.attempts), (Status::Failed, 0, 1));
    let failure = key.state.failure.clone().unwrap();
    assert_eq!((failure.kind, failure.message.as_str()), (FailureKind::NoEffect, "the site refused: full"));
    assert_eq!(key.next(), Next::Read(Which::Check), "it looks before it acts again");
    key.read(Which::Check, Answer::Todo).read(Which::Baseline, Answer::NotYet).tell(Event::Prepared { notes: vec![] });
    assert_eq!(key.next(), Next::Intend { generation: 1, unit: None });
    key.acts().read(Which::Verify, Answer::Done);
    assert_eq!((key.state.status, key.state.acts), (Status::Compensated, 1), "it was sent late");
}

#[test]
fn with_verify_check_the_reads_of_verify_are_the_two() {
    let mut key = refused(Rules { verify_is_check: true, ..once() });
    let (checks, next) = key.reads_on(&Answer::Todo, &Answer::Todo);
    assert_eq!((checks, next), (0, Next::Release("full".into())));
    assert!(key.now >= six() + TimeDelta::seconds(1_200), "{}", key.now);
}

#[test]
fn evidence_that_comes_all_the_same_is_believed() {
    let mut key = refused(once());
    assert_eq!(key.next(), Next::Read(Which::Verify));
    key.read(Which::Verify, Answer::NotYet).read(Which::Check, Answer::Todo);
    assert_eq!(key.next(), Next::Read(Which::Verify));
    key.read(Which::Verify, Answer::Done);
    assert_eq!((key.state.status, key.state.acts, key.state.reason.as_deref()), (Status::Success, 1, None));
}

#[test]
fn a_check_that_says_anything_else_leaves_it_sent() {
    for other in [Answer::Done, Answer::NotYet, Answer::Later("a draft".into()), Answer::Skip("no quiz".into())] {
        let mut key = refused(once());
        let (checks, next) = key.reads_on(&other, &Answer::NotYet);
        assert_eq!((checks, next, key.state.status), (1, Next::Done, Status::Dead), "{other:?}");
        assert_eq!(key.state.acts, 1, "{other:?}");
    }
}

#[test]
fn a_check_that_cannot_be_read_agrees_with_nothing() {
    let mut key = refused(once());
    let end = key.now + TimeDelta::hours(20);
    while key.now < end {
        match key.next() {
            Next::Read(Which::Check) => key.fails(FailureKind::ServerError, "check"),
            Next::Read(which) => key.read(which, Answer::NotYet),
            next => panic!("{next:?}: {:?}", key.state),
        };
        assert_eq!((key.state.status, key.state.acts), (Status::Unconfirmed, 1));
    }
}

#[test]
fn a_site_that_always_refuses_is_asked_no_more_often_than_attempts_allow() {
    let mut key = refused(once());
    let mut acts = 1;
    loop {
        let (_, next) = key.reads_on(&Answer::Todo, &Answer::NotYet);
        match next {
            Next::Release(reason) => key.tell(Event::Released { reason }),
            Next::Prepare => key.tell(Event::Prepared { notes: vec![] }),
            Next::Intend { generation, unit } => {
                acts += 1;
                key.tell(Event::Intended { generation, unit });
                key.tell(Event::Committed { trouble: None, refused: Some("full".into()) })
            }
            Next::Done => break,
            next => panic!("{next:?}"),
        };
    }
    assert_eq!((acts, key.state.status), (6, Status::Dead), "2 attempts × 3 series");
}

#[test]
fn a_refusal_of_an_earlier_act_says_nothing_about_the_next() {
    let mut key = refused(once());
    key.reads_on(&Answer::Todo, &Answer::NotYet);
    key.tell(Event::Released { reason: "full".into() });
    key.next();
    key.read(Which::Check, Answer::Todo).read(Which::Baseline, Answer::NotYet).tell(Event::Prepared { notes: vec![] });
    key.acts();
    let (checks, next) = key.reads_on(&Answer::Todo, &Answer::NotYet);
    assert_eq!((checks, next, key.state.status), (0, Next::Done, Status::Dead));
}
