//! The times of a schedule: on which dates, and at which times of day. `at` and `cron` are the same thing here.

use std::fmt;
use std::sync::Arc;

use chrono::{Datelike, NaiveDate, NaiveTime};

use super::units::ClockTime;

/// Times of day, the same on every date that is one of theirs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Times {
    /// In order, one at least.
    of_day: Vec<NaiveTime>,
    dates: Dates,
}

/// Which dates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dates {
    /// These weekdays, Monday first.
    Weekdays([bool; 7]),
    /// Every date, of which those that are no workdays are left out by the calendar.
    Workdays,
    /// What day, month and weekday of a cron expression say.
    Cron(CronDates),
}

/// The dates of a cron expression: what the library made of it, and its text, by which they are compared and shown.
#[derive(Clone)]
pub struct CronDates {
    text: String,
    cron: Arc<croner::Cron>,
}

impl PartialEq for CronDates {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for CronDates {}

impl fmt::Debug for CronDates {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "CronDates({:?})", self.text)
    }
}

impl Times {
    /// `at`: once a day.
    pub fn at(time: ClockTime) -> Self {
        Times { of_day: vec![time], dates: Dates::Weekdays([true; 7]) }
    }

    /// The times of a cron expression; `of_day` is in order, and `cron` is asked for dates alone.
    pub(super) fn cron(text: &str, of_day: Vec<NaiveTime>, cron: croner::Cron) -> Self {
        Times { of_day, dates: Dates::Cron(CronDates { text: text.to_owned(), cron: Arc::new(cron) }) }
    }

    /// The same times of day on other dates.
    pub fn on(self, dates: Dates) -> Self {
        Times { dates, ..self }
    }

    /// Another time of day on the same dates.
    pub fn at_time(self, time: ClockTime) -> Self {
        Times { of_day: vec![time], ..self }
    }

    /// The times of day, in order.
    pub fn of_day(&self) -> &[NaiveTime] {
        &self.of_day
    }

    /// The first time of a day.
    pub fn first(&self) -> NaiveTime {
        self.of_day.first().copied().unwrap_or_default()
    }

    /// True when these are the times of a cron expression.
    pub fn are_cron(&self) -> bool {
        matches!(self.dates, Dates::Cron(_))
    }

    /// True when only workdays are meant.
    pub fn on_workdays(&self) -> bool {
        matches!(self.dates, Dates::Workdays)
    }

    /// True when this date is one of theirs, before anybody looks into a calendar of holidays.
    pub fn include(&self, date: NaiveDate) -> bool {
        match &self.dates {
            Dates::Weekdays(days) => days[date.weekday().num_days_from_monday() as usize],
            Dates::Workdays => true,
            // The library is asked for the date alone, in UTC: which instant a time of day is, is ours to say.
            Dates::Cron(CronDates { cron, .. }) => {
                cron.is_time_matching(&date.and_time(NaiveTime::MIN).and_utc()).unwrap_or(false)
            }
        }
    }
}
