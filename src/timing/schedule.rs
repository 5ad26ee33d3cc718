//! When a task may run: its times, until when, on which days.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};
use chrono_tz::Tz;

use super::catch_up::{CatchUp, Overlap};
use super::holidays::{Holidays, OnHoliday, Skip};
use super::period::instant;
use super::times::Times;
use super::units::ClockTime;
use super::window::Window;

/// When a task may run, in the runner's zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// First starts: `at`, or `cron`, and on which days.
    pub times: Times,
    /// No act after it. Not later than the first time of a day, it means the next day.
    pub until: ClockTime,
    /// Later than this after its slot, a success is `compensated`.
    pub grace: Duration,
    /// What becomes of a slot that was passed.
    pub catch_up: CatchUp,
    /// What becomes of a slot while the one before is still under way.
    pub overlap: Overlap,
    /// At this time of day a person is told of what is not done. Not later than the first time of a day, it means the next day.
    pub remind: Option<ClockTime>,
    /// What becomes of a slot on a holiday.
    pub holidays: OnHoliday,
    /// Which days are holidays, and which weekends are workdays.
    pub calendar: Option<Arc<Holidays>>,
}

impl Schedule {
    /// The windows of a date, in order, each with its time of day; none when the date is none of the schedule's. A window ends
    /// where the next one begins.
    pub(super) fn windows(&self, zone: Tz, date: NaiveDate) -> Vec<(NaiveTime, Window)> {
        if self.times.include(date) { self.windows_anyway(zone, date) } else { Vec::new() }
    }

    /// The same, whether or not the date is one of the schedule's.
    pub(super) fn windows_anyway(&self, zone: Tz, date: NaiveDate) -> Vec<(NaiveTime, Window)> {
        if !exists(zone, date) {
            return Vec::new();
        }
        let end = self.end(zone, date);
        let slots = self.times.of_day().iter().map(|time| (*time, instant(zone, date, *time)));
        let mut slots: Vec<(NaiveTime, DateTime<Utc>)> = slots.collect();
        // Two times in one gap are one instant, and that is one slot.
        slots.dedup_by_key(|(_, slot)| *slot);
        let next = slots.iter().skip(1).map(|(_, slot)| (*slot).min(end)).chain([end]);
        slots.iter().zip(next).map(|((time, slot), until)| (*time, Window { slot: *slot, until })).collect()
    }

    /// The end of a date's last window.
    fn end(&self, zone: Tz, date: NaiveDate) -> DateTime<Utc> {
        let last = if self.until > self.times.first() { date } else { date + Days::new(1) };
        instant(zone, last, self.until)
    }

    /// From a date's first slot to the end of its last window.
    pub fn span(&self, zone: Tz, date: NaiveDate) -> Option<Window> {
        let is_one = self.times.include(date) && exists(zone, date);
        is_one.then(|| Window { slot: instant(zone, date, self.times.first()), until: self.end(zone, date) })
    }

    /// The time of day of a slot that its own `until` leaves no window for.
    pub fn slot_after_until(&self) -> Option<NaiveTime> {
        let first = self.times.first();
        let late = |time: &&NaiveTime| self.until > first && **time >= self.until;
        self.times.of_day().iter().find(late).copied()
    }

    /// The time of day of a slot whose window does not contain its `skip_if_after`.
    pub fn slot_without_limit(&self) -> Option<NaiveTime> {
        let limit = self.catch_up.skip_if_after?;
        // Any day without a change of the clock.
        let date = NaiveDate::from_ymd_opt(2026, 1, 1)?;
        let outside = |(_, window): &(NaiveTime, Window)| limit.of(window, Tz::UTC) >= window.until;
        self.windows_anyway(Tz::UTC, date).into_iter().find(outside).map(|(time, _)| time)
    }

    /// True when a reminder at this time of day falls into the windows of its day, or behind them on the same day.
    pub fn can_remind_at(&self, time: ClockTime) -> bool {
        let first = self.times.first();
        time > first || (self.until <= first && time <= self.until)
    }

    /// Why the calendar leaves this date out; none when it does not.
    pub(super) fn skips(&self, date: NaiveDate) -> Option<Skip> {
        let calendar = self.calendar.as_deref();
        let holiday = calendar.and_then(|calendar| calendar.holiday(date)).map(|title| Skip::Holiday(title.to_owned()));
        if self.times.on_workdays() && !self.is_workday(date) {
            return Some(holiday.unwrap_or(Skip::NotWorkday));
        }
        holiday.filter(|_| self.holidays != OnHoliday::Run)
    }

    pub(super) fn is_workday(&self, date: NaiveDate) -> bool {
        match &self.calendar {
            Some(calendar) => calendar.is_workday(date),
            None => Holidays::default().is_workday(date),
        }
    }
}

/// False for a date that a zone left out (Apia, 30 December 2011).
fn exists(zone: Tz, date: NaiveDate) -> bool {
    instant(zone, date, NaiveTime::MIN).with_timezone(&zone).date_naive() == date
}
