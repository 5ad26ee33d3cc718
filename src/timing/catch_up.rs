//! What becomes of a slot that was passed: `catch_up` and `overlap` of a schedule.

use std::time::Duration;

use chrono::{DateTime, Days, NaiveDate, TimeDelta, Utc};
use chrono_tz::Tz;

use super::period::instant;
use super::units::ClockTime;
use super::window::Window;

/// `catch_up:`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CatchUp {
    /// Is it made up?
    pub strategy: Strategy,
    /// With `each`: the first day whose period is made up.
    pub since: Option<NaiveDate>,
    /// With `each`: so many periods of the past in one run.
    pub batch: u32,
    /// Until when it may begin, where that is before the end of its window.
    pub skip_if_after: Option<SkipAfter>,
    /// A task's very first slot, if it was passed already, waits for the next one.
    pub first_waits: bool,
}

impl Default for CatchUp {
    fn default() -> Self {
        CatchUp { strategy: Strategy::Latest, since: None, batch: 3, skip_if_after: None, first_waits: false }
    }
}

/// Is a slot that was passed made up?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strategy {
    /// By one run, while its window is open.
    #[default]
    Latest,
    /// Every period that is missing, with a key of its own.
    Each,
    /// No.
    Never,
}

/// Until when a slot may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkipAfter {
    /// A time of day in the runner's zone: the first one after the slot.
    Time(ClockTime),
    /// So long after the slot.
    Slot(Duration),
}

/// `overlap:`: what becomes of a slot while the one before is still under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Overlap {
    /// It is dropped.
    #[default]
    Skip,
    /// It waits, while its window is open.
    Queue,
}

impl SkipAfter {
    /// The instant from which a slot is not begun any more.
    pub fn of(self, window: &Window, zone: Tz) -> DateTime<Utc> {
        match self {
            SkipAfter::Slot(long) => window.slot + TimeDelta::from_std(long).unwrap_or_default(),
            SkipAfter::Time(time) => {
                let date = window.slot.with_timezone(&zone).date_naive();
                let on_its_date = instant(zone, date, time);
                if on_its_date > window.slot { on_its_date } else { instant(zone, date + Days::new(1), time) }
            }
        }
    }
}
