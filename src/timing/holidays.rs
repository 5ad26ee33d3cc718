//! Public holidays and make-up workdays: what a calendar file says, as sets of dates.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{Datelike, NaiveDate, Weekday};

/// What one calendar file says. It beats the weekend: a make-up workday on a Saturday is a workday.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Holidays {
    /// Its name in `calendars:`.
    pub name: String,
    holidays: BTreeMap<NaiveDate, String>,
    workdays: BTreeSet<NaiveDate>,
}

impl Holidays {
    /// An empty calendar of this name.
    pub fn named(name: &str) -> Self {
        Holidays { name: name.to_owned(), ..Holidays::default() }
    }

    /// A holiday, and what it is called.
    pub fn add_holiday(&mut self, date: NaiveDate, title: &str) {
        self.holidays.entry(date).or_insert_with(|| title.to_owned());
    }

    /// A day on which people work although it is a weekend, or a holiday by another line.
    pub fn add_workday(&mut self, date: NaiveDate) {
        self.workdays.insert(date);
    }

    /// What the holiday on this date is called; none when it is no holiday. An ordinary weekend is none.
    pub fn holiday(&self, date: NaiveDate) -> Option<&str> {
        self.holidays.get(&date).filter(|_| !self.workdays.contains(&date)).map(String::as_str)
    }

    /// True when people work on this date. In a year that the file does not cover: Monday to Friday.
    pub fn is_workday(&self, date: NaiveDate) -> bool {
        self.workdays.contains(&date) || (!self.holidays.contains_key(&date) && !is_weekend(date))
    }

    /// True when the file says something of this year. New Year's holiday alone is often said by the file of the year before.
    pub fn covers(&self, year: i32) -> bool {
        let of_year = |date: &NaiveDate| date.year() == year && date.month() > 1;
        self.holidays.keys().any(of_year) || self.workdays.iter().any(of_year)
    }

    /// True when the file says nothing at all.
    pub fn is_empty(&self) -> bool {
        self.holidays.is_empty() && self.workdays.is_empty()
    }
}

fn is_weekend(date: NaiveDate) -> bool {
    matches!(date.weekday(), Weekday::Sat | Weekday::Sun)
}

/// What becomes of a slot on a holiday.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnHoliday {
    /// It runs.
    #[default]
    Run,
    /// It is skipped.
    Skip,
    /// It moves to the next workday, if that lies in the same period; else it is skipped.
    NextWorkday,
}

/// Why the calendar leaves a slot out. Its text is the reason on record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Skip {
    /// A public holiday, and what it is called.
    Holiday(String),
    /// A weekend without make-up work.
    NotWorkday,
}

impl std::fmt::Display for Skip {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Skip::Holiday(title) => write!(out, "holiday: {title}"),
            Skip::NotWorkday => out.write_str("not_workday"),
        }
    }
}
