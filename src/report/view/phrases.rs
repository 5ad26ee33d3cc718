//! Dates, times, amounts and durations in the words of one language.

use chrono::{DateTime, Datelike, NaiveDate, Utc};
use chrono_tz::Tz;
use rust_decimal::Decimal;

use crate::report::points::Sum;
use crate::report::words::Words;

/// How one report speaks.
pub(super) struct Phrases<'a> {
    pub(super) words: &'a Words,
    pub(super) zone: Tz,
    pub(super) date: NaiveDate,
}

impl Phrases<'_> {
    /// The report's date with its weekday.
    pub(super) fn long_date(&self) -> String {
        let month = self.words.get(&format!("month-{}", self.date.month()));
        let weekday = self.words.get(&format!("weekday-{}", self.date.weekday().number_from_monday()));
        let day = self.date.day();
        self.words.with("long-date", &[("month", month.into()), ("day", day.into()), ("weekday", weekday.into())])
    }

    /// A time in the runner's zone, with its date where that is not the report's.
    pub(super) fn time(&self, at: DateTime<Utc>) -> String {
        let local = at.with_timezone(&self.zone);
        let format = match local.date_naive() {
            date if date == self.date => "%H:%M",
            date if date.year() == self.date.year() => "%m-%d %H:%M",
            _ => "%Y-%m-%d %H:%M",
        };
        local.format(format).to_string()
    }

    /// A sum with its sign, and with how far it can be trusted.
    pub(super) fn sum(&self, sum: Option<Sum>) -> String {
        match sum {
            Some(sum) => self.trusted(sum, signed(sum.amount)),
            None => self.words.get("points-unknown"),
        }
    }

    /// A sum without its sign, where the label says which way it went.
    pub(super) fn magnitude(&self, sum: Sum) -> String {
        self.trusted(sum, plain(sum.amount.abs()))
    }

    fn trusted(&self, sum: Sum, amount: String) -> String {
        let key = match (sum.partial, sum.rounded) {
            (false, false) => "sum-exact",
            (true, false) => "sum-partial",
            (false, true) => "sum-rounded",
            (true, true) => "sum-partial-rounded",
        };
        self.words.with(key, &[("amount", amount.into())])
    }

    /// Words with their machine word.
    pub(super) fn beside(&self, words: String, word: &str) -> String {
        self.words.with("beside", &[("words", words.into()), ("word", word.into())])
    }

    /// Minutes as hours and minutes.
    pub(super) fn duration(&self, minutes: u32) -> String {
        match (minutes / 60, minutes % 60) {
            (0, minutes) => self.words.with("minutes", &[("count", minutes.into())]),
            (hours, 0) => self.words.with("hours", &[("count", hours.into())]),
            (hours, minutes) => {
                self.words.with("hours-minutes", &[("hours", hours.into()), ("minutes", minutes.into())])
            }
        }
    }
}

/// A number with its sign; zero is `0`.
pub(super) fn signed(amount: Decimal) -> String {
    let plain = plain(amount);
    if amount > Decimal::ZERO { format!("+{plain}") } else { plain }
}

/// A number without the zeros that a page may print behind the point.
pub(super) fn plain(amount: Decimal) -> String {
    amount.normalize().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::model::Language;

    fn check(language: Language, test: impl Fn(Phrases<'_>)) {
        let words = Words::new(language).unwrap();
        let date = NaiveDate::from_ymd_opt(2026, 11, 30).unwrap();
        test(Phrases { words: &words, zone: chrono_tz::Asia::Shanghai, date });
    }

    #[test]
    fn times_are_those_of_the_runners_zone() {
        check(Language::Chinese, |phrases| {
            let time = |text: &str| phrases.time(text.parse().unwrap());
            assert_eq!(time("2026-11-29T22:03:00Z"), "06:03");
            assert_eq!(time("2026-11-29T15:59:00Z"), "11-29 23:59");
            assert_eq!(time("2027-01-01T00:00:00Z"), "2027-01-01 08:00");
        });
    }

    #[test]
    fn dates_and_durations_in_both_languages() {
        check(Language::Chinese, |phrases| {
            assert_eq!(phrases.long_date(), "11月30日 星期一");
            assert_eq!(phrases.duration(95), "1 小时 35 分钟");
        });
        check(Language::English, |phrases| {
            assert_eq!(phrases.long_date(), "Monday, 30 November");
            assert_eq!([phrases.duration(7), phrases.duration(120)], ["7 min", "2 h"]);
        });
    }

    #[test]
    fn sums_say_how_far_they_can_be_trusted() {
        check(Language::Chinese, |phrases| {
            let sum = |rounded, partial| Some(Sum { amount: Decimal::new(6000, 2), rounded, partial });
            assert_eq!(phrases.sum(sum(false, false)), "+60");
            assert_eq!(phrases.sum(sum(false, true)), "至少 +60");
            assert_eq!(phrases.sum(sum(true, false)), "约 +60");
            assert_eq!(phrases.sum(sum(true, true)), "至少约 +60");
            assert_eq!(phrases.sum(None), "未知");
            assert_eq!(phrases.sum(Some(Sum::default())), "0");
        });
    }
}
