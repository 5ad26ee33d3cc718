//! The slots of one task, one after another, each computed from the calendar and none from the clock's last wake-up.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};
use chrono_tz::Tz;

use super::holidays::{OnHoliday, Skip};
use super::period::{Calendar, Period, PeriodKind, instant};
use super::schedule::Schedule;
use super::window::Window;

/// How far ahead a slot is looked for: two leap years are never further apart than this.
const HORIZON: usize = 9 * 366;

/// The longest row of holidays that a slot moves over.
const LONGEST_HOLIDAY: usize = 60;

/// The slots of a task: its schedule in the runner's zone, and the periods that its keys last.
#[derive(Debug, Clone, Copy)]
pub struct Slots<'a> {
    /// When it may run.
    pub schedule: &'a Schedule,
    /// The runner's zone.
    pub zone: Tz,
    /// The site's calendar.
    pub site: Calendar,
    /// What its keys last.
    pub kind: PeriodKind,
}

/// One slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// Its date in the runner's zone.
    pub date: NaiveDate,
    /// The time of day that the schedule says; the clock may show another one where it is put forward.
    pub time: NaiveTime,
    /// From the slot to its end.
    pub window: Window,
    /// What the calendar of holidays makes of it.
    pub comes: Comes,
}

/// What the calendar of holidays makes of a slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Comes {
    /// It comes as the schedule says.
    Yes,
    /// It comes in place of that date's, which was a holiday.
    InsteadOf(NaiveDate),
    /// A holiday: it comes on that date instead.
    MovedTo(NaiveDate),
    /// It does not come.
    Not(Skip),
}

impl Slot {
    /// True when it comes.
    pub fn runs(&self) -> bool {
        matches!(self.comes, Comes::Yes | Comes::InsteadOf(_))
    }

    /// Why it does not come.
    pub fn skip(&self) -> Option<&Skip> {
        match &self.comes {
            Comes::Not(skip) => Some(skip),
            _ => None,
        }
    }
}

impl<'a> Slots<'a> {
    /// The slots of a date in the runner's zone, in order, with those that the calendar leaves out.
    pub fn on(&self, date: NaiveDate) -> Vec<Slot> {
        let of = |windows: Vec<(NaiveTime, Window)>, comes: Comes| {
            let slots = windows.into_iter();
            slots.map(|(time, window)| Slot { date, time, window, comes: comes.clone() }).collect()
        };
        let windows = self.schedule.windows(self.zone, date);
        if windows.is_empty() {
            return match self.moved_from(date) {
                Some(holiday) => of(self.schedule.windows_anyway(self.zone, date), Comes::InsteadOf(holiday)),
                None => Vec::new(),
            };
        }
        let comes = match self.schedule.skips(date) {
            None => Comes::Yes,
            Some(skip) => self.next_workday(date).map_or(Comes::Not(skip), Comes::MovedTo),
        };
        of(windows, comes)
    }

    /// The slot that `now` belongs to: the one whose window is open, else today's, which is still to come or over. A slot that
    /// the calendar leaves out is given where its key has no other: it is skipped.
    pub fn at(&self, now: DateTime<Utc>) -> Option<Slot> {
        let today = now.with_timezone(&self.zone).date_naive();
        let looked_at = |date| self.with_keys(date);
        let mut todays = looked_at(today);
        let since_yesterday = || looked_at(today - Days::new(1));
        let is_open = |slot: &Slot| slot.window.contains(now);
        if let Some(open) = todays.iter().position(is_open) {
            return Some(todays.swap_remove(open));
        }
        let open = since_yesterday().into_iter().find(is_open);
        open.or_else(|| {
            let last = todays.iter().rposition(|slot| slot.window.slot <= now).unwrap_or(0);
            (!todays.is_empty()).then(|| todays.swap_remove(last))
        })
    }

    /// The slots of a date that have keys: those that come, and those whose key has no other slot.
    pub fn with_keys(&self, date: NaiveDate) -> Vec<Slot> {
        let mut slots = self.on(date);
        slots.retain(|slot| slot.runs() || (slot.skip().is_some() && !self.has_another(slot)));
        slots
    }

    /// The last window of a period, of those that come; none in `once`, which has no end.
    pub fn last_of(&self, period: &Period) -> Option<Window> {
        if period.kind == PeriodKind::Once {
            return None;
        }
        // The runner's dates and the site's may lie a day apart.
        let first = period.start - Days::new(1);
        let dates = std::iter::successors(Some(period.end + Days::new(1)), |date| date.pred_opt());
        let slots = dates.take_while(|date| *date >= first).flat_map(|date| self.on(date).into_iter().rev());
        slots.filter(Slot::runs).map(|slot| slot.window).find(|window| period.contains(window.slot))
    }

    /// The slots after an instant, in order, with those that the calendar leaves out.
    pub fn after(&self, instant: DateTime<Utc>) -> impl Iterator<Item = Slot> + use<'a> {
        let slots = *self;
        let first = instant.with_timezone(&self.zone).date_naive() - Days::new(1);
        let dates = first.iter_days().take(HORIZON);
        dates.flat_map(move |date| slots.on(date)).filter(move |slot| slot.window.slot > instant)
    }

    /// The slots after one instant, up to and with another one.
    pub fn between(&self, from: DateTime<Utc>, to: DateTime<Utc>) -> impl Iterator<Item = Slot> + use<'a> {
        self.after(from).take_while(move |slot| slot.window.slot <= to)
    }

    /// The period whose key a slot has.
    fn period_of(&self, slot: DateTime<Utc>) -> Period {
        self.site.period(self.kind, slot)
    }

    /// True when a slot's key has another slot, which comes.
    fn has_another(&self, slot: &Slot) -> bool {
        match self.kind {
            PeriodKind::Occurrence => false,
            PeriodKind::Once => true,
            _ => self.last_of(&self.period_of(slot.window.slot)).is_some(),
        }
    }

    /// The workday to which a holiday's slots move.
    fn next_workday(&self, holiday: NaiveDate) -> Option<NaiveDate> {
        let is_holiday = matches!(self.schedule.skips(holiday), Some(Skip::Holiday(_)));
        if !is_holiday || self.schedule.holidays != OnHoliday::NextWorkday {
            return None;
        }
        let days = holiday.iter_days().skip(1).take(LONGEST_HOLIDAY);
        let workday = days.into_iter().find(|day| self.schedule.is_workday(*day))?;
        let first = |date| instant(self.zone, date, self.schedule.times.first());
        self.period_of(first(holiday)).contains(first(workday)).then_some(workday)
    }

    /// The holiday whose slots come on this workday.
    fn moved_from(&self, workday: NaiveDate) -> Option<NaiveDate> {
        if self.schedule.holidays != OnHoliday::NextWorkday || !self.schedule.is_workday(workday) {
            return None;
        }
        let before = std::iter::successors(workday.pred_opt(), |date| date.pred_opt()).take(LONGEST_HOLIDAY);
        let free = before.take_while(|date| !self.schedule.is_workday(*date));
        free.into_iter().find(|date| self.schedule.times.include(*date) && self.next_workday(*date) == Some(workday))
    }
}
