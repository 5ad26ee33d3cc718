//! The window of a schedule: from its slot to its end.

use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveTime, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use super::period::{Period, PeriodKind, instant};

/// One slot and the time until which it may be acted on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// First start.
    pub slot: DateTime<Utc>,
    /// No act from here on.
    pub until: DateTime<Utc>,
}

impl Window {
    /// The window of `date` in the runner's zone. An `until` that is not later than `at` lies on the next day.
    pub fn on(zone: Tz, date: NaiveDate, at: NaiveTime, until: NaiveTime) -> Self {
        let last = if until > at { date } else { date + Days::new(1) };
        Window { slot: instant(zone, date, at), until: instant(zone, last, until) }
    }

    /// True while an act is allowed.
    pub fn contains(&self, now: DateTime<Utc>) -> bool {
        self.slot <= now && now < self.until
    }
}

/// The window that `now` belongs to: the one that is open, else today's, which is still to come or over. None on a
/// weekday that is not one of `days` (Monday first).
pub fn window_at(zone: Tz, now: DateTime<Utc>, at: NaiveTime, until: NaiveTime, days: &[bool; 7]) -> Option<Window> {
    let today = now.with_timezone(&zone).date_naive();
    let on = |date: NaiveDate| {
        let runs = days[date.weekday().num_days_from_monday() as usize];
        runs.then(|| Window::on(zone, date, at, until))
    };
    let open_since_yesterday = on(today - Days::new(1)).filter(|window| window.contains(now));
    open_since_yesterday.or_else(|| on(today))
}

/// The last window whose slot lies in this period; none in `once`, which has no end.
pub fn last_window(zone: Tz, at: NaiveTime, until: NaiveTime, days: &[bool; 7], period: &Period) -> Option<Window> {
    if period.kind == PeriodKind::Once {
        return None;
    }
    // The runner's dates and the site's may lie a day apart.
    let first = period.start - Days::new(1);
    let dates = std::iter::successors(Some(period.end + Days::new(1)), |date| date.pred_opt());
    let dates = dates.take_while(|date| *date >= first);
    dates
        .filter(|date| days[date.weekday().num_days_from_monday() as usize])
        .map(|date| Window::on(zone, date, at, until))
        .find(|window| period.contains(window.slot))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHANGHAI: Tz = chrono_tz::Asia::Shanghai;

    fn clock(text: &str) -> NaiveTime {
        super::super::parse_clock(text).unwrap()
    }

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn a_window_over_midnight_is_still_open_in_the_morning() {
        let now = at("2026-11-30T20:00:00Z"); // 04:00 of the first of December
        let window = window_at(SHANGHAI, now, clock("08:10"), clock("07:50"), &[true; 7]).unwrap();
        assert_eq!(window.slot, at("2026-11-30T00:10:00Z"));
        assert_eq!(window.until, at("2026-11-30T23:50:00Z"));
    }

    #[test]
    fn after_its_end_it_is_todays() {
        let now = at("2026-11-30T15:45:00Z"); // 23:45
        let window = window_at(SHANGHAI, now, clock("06:00"), clock("23:30"), &[true; 7]).unwrap();
        assert!(!window.contains(now));
        assert_eq!(window.slot, at("2026-11-29T22:00:00Z"));
    }

    #[test]
    fn no_window_on_a_day_that_is_not_listed() {
        let monday_only = [true, false, false, false, false, false, false];
        assert!(
            window_at(SHANGHAI, at("2026-11-30T00:00:00Z"), clock("06:00"), clock("23:30"), &monday_only).is_some()
        );
        assert!(
            window_at(SHANGHAI, at("2026-12-01T00:00:00Z"), clock("06:00"), clock("23:30"), &monday_only).is_none()
        );
    }

    #[test]
    fn the_last_window_of_a_week_is_that_of_its_last_listed_day() {
        let calendar = crate::timing::Calendar { zone: SHANGHAI, starts_at: NaiveTime::MIN };
        let week = calendar.period(PeriodKind::Week, at("2026-12-02T00:00:00Z"));
        let last = |days| last_window(SHANGHAI, clock("06:00"), clock("23:30"), &days, &week).map(|window| window.slot);
        assert_eq!(last([true; 7]), Some(at("2026-12-05T22:00:00Z")), "Sunday");
        let monday_only = [true, false, false, false, false, false, false];
        assert_eq!(last(monday_only), Some(at("2026-11-29T22:00:00Z")));
        assert_eq!(last([false; 7]), None);
    }

    #[test]
    fn a_month_ends_with_its_last_day_and_once_never() {
        let calendar = crate::timing::Calendar { zone: SHANGHAI, starts_at: clock("08:00") };
        let last = |kind| {
            let period = calendar.period(kind, at("2026-11-15T06:00:00Z"));
            last_window(SHANGHAI, clock("08:10"), clock("07:50"), &[true; 7], &period).map(|window| window.slot)
        };
        assert_eq!(last(PeriodKind::Month), Some(at("2026-11-30T00:10:00Z")));
        assert_eq!(last(PeriodKind::Day), Some(at("2026-11-15T00:10:00Z")));
        assert_eq!(last(PeriodKind::Once), None);
    }
}
