//! The tasks that are simulated: their shapes, and the keys that a date asks for.

use std::rc::Rc;
use std::time::Duration;

use chrono::{NaiveDate, NaiveTime, TimeDelta};
use chrono_tz::Tz;
use sunup::files::model::{Effect, Retry};
use sunup::ledger::KeyRow;
use sunup::run::{Key, Lane, Passed, Rules};
use sunup::timing::{Calendar, CatchUp, Dates, OnHoliday, Overlap, PeriodKind, Schedule, Slots, Times};

use crate::bugs::Bug;

/// The runners' zone.
pub const ZONE: Tz = chrono_tz::Asia::Shanghai;
/// What an attempt may take.
pub const TIMEOUT: Duration = Duration::from_secs(180);

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

/// One task of one account.
#[derive(Debug, Clone)]
pub struct Task {
    pub id: &'static str,
    pub lane: Lane,
    pub shape: Shape,
    pub kind: PeriodKind,
    /// Monday first.
    pub days: [bool; 7],
    pub settle: Duration,
    /// The task of the same account that must be done before.
    pub requires: Option<&'static str>,
}

/// A key of a date.
#[derive(Debug, Clone)]
pub struct Planned {
    pub row: KeyRow,
    pub rules: Rules,
    pub task: Rc<Task>,
}

/// The time of day at which windows begin and end; no site begins its day in between.
pub fn hours() -> (NaiveTime, NaiveTime) {
    (NaiveTime::from_hms_opt(6, 0, 0).unwrap(), NaiveTime::from_hms_opt(23, 0, 0).unwrap())
}

impl Task {
    /// A daily one.
    pub fn new(id: &'static str, lane: Lane, shape: Shape) -> Self {
        let settle = Duration::from_secs(120);
        Task { id, lane, shape, kind: PeriodKind::Day, days: [true; 7], settle, requires: None }
    }

    /// The key that this date asks for, as `runner/plan.rs` has it.
    pub fn on(self: &Rc<Self>, calendar: &Calendar, date: NaiveDate, bug: Option<Bug>) -> Option<Planned> {
        let schedule = self.schedule();
        let window = self.slots(&schedule).on(date).pop()?.window;
        let period = calendar.period(self.kind, window.slot);
        let key = match bug {
            Some(Bug::KeyWithoutPeriod) => Key::from_ledger(format!("{}/{}", self.lane, self.id)),
            _ => Key::new(&period, &self.lane, self.id),
        };
        let row = KeyRow { key, lane: self.lane.clone(), task: self.id.to_owned(), period, window, report_date: date };
        Some(Planned { rules: self.rules(&row), row, task: Rc::clone(self) })
    }

    fn schedule(&self) -> Schedule {
        let (at, until) = hours();
        let times = Times::at(at).on(Dates::Weekdays(self.days));
        Schedule {
            times,
            until,
            grace: Duration::from_secs(600),
            catch_up: CatchUp::default(),
            overlap: Overlap::default(),
            remind: None,
            holidays: OnHoliday::Run,
            calendar: None,
        }
    }

    fn slots<'s>(&self, schedule: &'s Schedule) -> Slots<'s> {
        // Without holidays, the site's calendar is not asked.
        Slots { schedule, zone: ZONE, site: Calendar { zone: ZONE, starts_at: NaiveTime::MIN }, kind: self.kind }
    }

    pub fn settle_delta(&self) -> TimeDelta {
        TimeDelta::from_std(self.settle).unwrap()
    }

    /// A key that was opened before, with the period and the window that were fixed then.
    pub fn again(self: &Rc<Self>, row: KeyRow) -> Planned {
        Planned { rules: self.rules(&row), row, task: Rc::clone(self) }
    }

    fn rules(&self, row: &KeyRow) -> Rules {
        let schedule = self.schedule();
        let last = self.slots(&schedule).last_of(&row.period);
        Rules {
            key: row.key.clone(),
            effect: self.shape.effect,
            by_person: false,
            verify_is_check: self.shape.verify_is_check,
            counts: self.shape.want > 1,
            settle: self.settle,
            retry: Retry {
                attempts: 2,
                initial: Duration::from_secs(30),
                again: Duration::from_secs(3_600),
                series: 3,
            },
            commit_limit: Duration::from_secs(15),
            window: row.window,
            closes_at: last.map(|last| last.until),
            late_after: row.window.slot + TimeDelta::minutes(10),
            passed: Passed::default(),
            period: row.period,
        }
    }
}
