//! The rules of the task run and of the decision, one test each.

mod attempts;
mod decision;
mod doubt;
mod each;
mod evidence;
mod passed;
mod refused;
mod window;

use std::time::Duration;

use chrono::{DateTime, NaiveTime, TimeDelta, Utc};
use rust_decimal::Decimal;

use super::*;
use crate::files::model::{Effect, Retry};
use crate::timing::{Calendar, PeriodKind, Window};

/// Six in Shanghai.
fn six() -> DateTime<Utc> {
    "2026-11-29T22:00:00Z".parse().unwrap()
}

/// A `once` task with a verify of its own.
fn once() -> Rules {
    let calendar = Calendar { zone: chrono_tz::Asia::Shanghai, starts_at: NaiveTime::MIN };
    let period = calendar.period(PeriodKind::Day, six());
    let lane = Lane { site: "community".into(), account: "main".into() };
    Rules {
        key: Key::new(&period, &lane, "checkin"),
        effect: Effect::Once,
        by_person: false,
        verify_is_check: false,
        counts: false,
        settle: Duration::from_secs(1_200),
        retry: Retry { attempts: 2, initial: Duration::from_secs(30), again: Duration::from_secs(3_600), series: 3 },
        commit_limit: Duration::from_secs(15),
        window: Window { slot: six(), until: six() + TimeDelta::minutes(17 * 60 + 30) },
        closes_at: Some(six() + TimeDelta::minutes(17 * 60 + 30)),
        late_after: six() + TimeDelta::minutes(10),
        passed: Passed::default(),
        period,
    }
}

fn repeatable() -> Rules {
    Rules { effect: Effect::Repeatable, verify_is_check: true, settle: Duration::from_secs(60), ..once() }
}

/// A goal, each unit a `once` act.
fn counting() -> Rules {
    Rules { counts: true, verify_is_check: true, ..once() }
}

/// A key that is driven by hand.
struct Driven {
    state: TaskRun,
    rules: Rules,
    now: DateTime<Utc>,
}

impl Driven {
    fn started(rules: Rules) -> Self {
        let mut driven = Driven { state: TaskRun::default(), rules, now: six() };
        driven.tell(Event::Started { source: Source::Schedule });
        driven
    }

    fn tell(&mut self, event: Event) -> &mut Self {
        self.state.apply(self.now, &event, &self.rules);
        self
    }

    /// What is next; waiting is waited out.
    fn next(&mut self) -> Next {
        for _ in 0..100 {
            match self.state.next(self.now, &self.rules) {
                Next::Wait(until) => self.now = until,
                next => return next,
            }
        }
        panic!("it waits for ever: {:?}", self.state);
    }

    fn read(&mut self, which: Which, answer: Answer) -> &mut Self {
        self.tell(Event::Read { which, reading: Reading { answer, values: Default::default(), notes: vec![] } })
    }

    fn fails(&mut self, kind: FailureKind, step: &str) -> &mut Self {
        let failure = Failure::new(kind, "seen").at_step(step);
        self.tell(Event::ReadFailed { which: Which::Check, failure })
    }

    /// Up to the commit step and beyond it.
    fn acts(&mut self) -> &mut Self {
        let Next::Intend { generation, unit } = self.next() else { panic!("{:?}", self.state) };
        self.tell(Event::Intended { generation, unit });
        assert_eq!(self.next(), Next::Commit);
        self.tell(Event::Committed { trouble: None, refused: None })
    }

    /// A `once` task that was acted on after check and baseline.
    fn sent() -> Self {
        let mut driven = Driven::started(once());
        driven.read(Which::Check, Answer::Todo).read(Which::Baseline, Answer::NotYet);
        driven.tell(Event::Prepared { notes: vec![] }).acts();
        driven
    }
}

fn goal(have: i64) -> Answer {
    Answer::Goal { have: Decimal::from(have), want: Some(Decimal::from(3)) }
}
