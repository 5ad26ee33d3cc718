//! The task shapes that are simulated.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use sunup::files::model::{Effect, Retry};
use sunup::run::{Key, Lane, Rules};
use sunup::timing::{Calendar, PeriodKind, Window};

/// A shape of task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    pub effect: Effect,
    pub verify_is_check: bool,
    /// A goal of so many; 1 is a plain task.
    pub want: u32,
}

/// Every shape that the grammar has.
pub fn shapes() -> Vec<Shape> {
    let mut shapes = Vec::new();
    for effect in [Effect::Once, Effect::Repeatable] {
        shapes.push(Shape { effect, verify_is_check: true, want: 1 });
        shapes.push(Shape { effect, verify_is_check: false, want: 1 });
        shapes.push(Shape { effect, verify_is_check: true, want: 2 });
    }
    shapes
}

pub fn start() -> DateTime<Utc> {
    "2026-11-29T22:00:00Z".parse().unwrap()
}

/// The lane of schedule number `number`.
pub fn lane(number: usize) -> Lane {
    Lane { site: "community".into(), account: format!("a{number}") }
}

pub fn rules(shape: Shape, lane: &Lane) -> Rules {
    let calendar = Calendar { zone: chrono_tz::Asia::Shanghai, starts_at: chrono::NaiveTime::MIN };
    let period = calendar.period(PeriodKind::Day, start());
    let window = Window { slot: start(), until: start() + TimeDelta::hours(17) };
    Rules {
        key: Key::new(&period, lane, "checkin"),
        effect: shape.effect,
        by_person: false,
        verify_is_check: shape.verify_is_check,
        counts: shape.want > 1,
        settle: Duration::from_secs(120),
        retry: Retry { attempts: 2, initial: Duration::from_secs(30), again: Duration::from_secs(3_600), series: 3 },
        commit_limit: Duration::from_secs(15),
        window,
        closes_at: Some(window.until),
        late_after: start() + TimeDelta::minutes(10),
        period,
    }
}
