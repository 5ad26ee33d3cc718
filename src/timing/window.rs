//! The window of a schedule: from its slot to its end.

use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveTime, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use super::period::instant;

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
}
