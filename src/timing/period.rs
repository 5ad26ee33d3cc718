//! The site's day, week or month: the first half of every key.

use chrono::{DateTime, Datelike, Days, LocalResult, Months, NaiveDate, NaiveTime, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

/// How long one key of a task lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PeriodKind {
    /// The site's day, `2026-11-30`.
    Day,
    /// The site's ISO week, from Monday, `2026-W49`.
    Week,
    /// The site's month, `2026-11`.
    Month,
    /// Once for ever.
    Once,
    /// One key per slot of the schedule: tasks that poll.
    Occurrence,
}

/// When a site's days begin: its zone and its reset hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Calendar {
    /// The zone that the site counts in.
    pub zone: Tz,
    /// The time of day at which its day begins.
    pub starts_at: NaiveTime,
}

/// One period of a site, fixed when the decision is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Period {
    /// Day, week or month.
    pub kind: PeriodKind,
    /// The site's day of the decision; `day` in conditions and templates.
    pub day: NaiveDate,
    /// First day of the period.
    pub start: NaiveDate,
    /// Last day of the period.
    pub end: NaiveDate,
    /// The instant at which it begins.
    pub from: DateTime<Utc>,
    /// The instant at which it is over.
    pub to: DateTime<Utc>,
}

impl Calendar {
    /// The site's day at `now`: before the reset hour it is still yesterday.
    pub fn day(&self, now: DateTime<Utc>) -> NaiveDate {
        let local = now.with_timezone(&self.zone);
        let date = local.date_naive();
        // Compare instants, not times of day: on a day whose reset hour falls into a gap the day begins later.
        if now < self.begins(date) { date - Days::new(1) } else { date }
    }

    /// The instant at which the site's `day` begins.
    pub fn begins(&self, day: NaiveDate) -> DateTime<Utc> {
        instant(self.zone, day, self.starts_at)
    }

    /// The period of this kind that contains `now`. An occurrence lasts from its slot, which is `now`, to the end of the
    /// site's day.
    pub fn period(&self, kind: PeriodKind, now: DateTime<Utc>) -> Period {
        let day = self.day(now);
        let (start, end) = match kind {
            PeriodKind::Day | PeriodKind::Occurrence => (day, day),
            PeriodKind::Week => {
                let monday = day - Days::new(u64::from(day.weekday().num_days_from_monday()));
                (monday, monday + Days::new(6))
            }
            PeriodKind::Month => {
                let first = day.with_day(1).unwrap_or(day);
                (first, first + Months::new(1) - Days::new(1))
            }
            PeriodKind::Once => (day, day),
        };
        let to = match kind {
            PeriodKind::Once => DateTime::<Utc>::MAX_UTC,
            _ => self.begins(end + Days::new(1)),
        };
        let from = if kind == PeriodKind::Occurrence { now } else { self.begins(start) };
        Period { kind, day, start, end, from, to }
    }
}

impl Period {
    /// The period's name in a key, such as `2026-11-30`, `2026-W49` or `2026-11`.
    pub fn name(&self) -> String {
        match self.kind {
            PeriodKind::Day => self.day.to_string(),
            PeriodKind::Week => self.start.format("%G-W%V").to_string(),
            PeriodKind::Month => self.start.format("%Y-%m").to_string(),
            PeriodKind::Once => "once".to_owned(),
            PeriodKind::Occurrence => self.from.format("%Y-%m-%dT%H:%MZ").to_string(),
        }
    }

    /// True while `instant` lies inside.
    pub fn contains(&self, instant: DateTime<Utc>) -> bool {
        self.from <= instant && instant < self.to
    }
}

/// How often a clock shows a time on a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// Once, as on nearly every day.
    Once,
    /// Never: the clock is put forward over it.
    Never,
    /// Twice: the clock is put back.
    Twice,
}

/// How often a clock of this zone shows a time on a date; [`instant`] says which instant is meant.
pub fn shown(zone: Tz, date: NaiveDate, time: NaiveTime) -> Shown {
    match zone.from_local_datetime(&date.and_time(time)) {
        LocalResult::Single(_) => Shown::Once,
        LocalResult::Ambiguous(..) => Shown::Twice,
        LocalResult::None => Shown::Never,
    }
}

/// The instant of a local date and time: in a gap the first valid one, in an overlap the earlier one.
pub fn instant(zone: Tz, date: NaiveDate, time: NaiveTime) -> DateTime<Utc> {
    let mut local = date.and_time(time);
    // The longest gap on record is a whole day (Apia, 2011), so that two days of minutes always reach its end.
    for _ in 0..2 * 24 * 60 {
        match zone.from_local_datetime(&local) {
            LocalResult::Single(found) | LocalResult::Ambiguous(found, _) => return found.with_timezone(&Utc),
            LocalResult::None => local += TimeDelta::minutes(1),
        }
    }
    Utc.from_utc_datetime(&local)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn calendar(zone: &str, starts_at: &str) -> Calendar {
        Calendar { zone: zone.parse().unwrap(), starts_at: super::super::parse_clock(starts_at).unwrap() }
    }

    #[test]
    fn six_in_shanghai_is_still_yesterday_for_a_site_that_starts_at_eight() {
        let site = calendar("Asia/Shanghai", "08:00");
        assert_eq!(site.period(PeriodKind::Day, at("2026-11-29T22:00:00Z")).name(), "2026-11-29");
        assert_eq!(site.period(PeriodKind::Day, at("2026-11-30T00:00:00Z")).name(), "2026-11-30");
    }

    #[test]
    fn names_of_periods() {
        let site = calendar("Asia/Shanghai", "00:00");
        let now = at("2026-11-30T03:00:00Z");
        let names = [PeriodKind::Day, PeriodKind::Week, PeriodKind::Month, PeriodKind::Once]
            .map(|kind| site.period(kind, now).name());
        assert_eq!(names, ["2026-11-30", "2026-W49", "2026-11", "once"]);
    }

    #[test]
    fn an_occurrence_is_named_by_its_slot_and_ends_with_the_day() {
        let site = calendar("Asia/Shanghai", "08:00");
        let period = site.period(PeriodKind::Occurrence, at("2026-11-30T03:30:00Z"));
        assert_eq!((period.name().as_str(), period.day.to_string()), ("2026-11-30T03:30Z", "2026-11-30".into()));
        assert!(period.contains(at("2026-11-30T23:59:59Z")) && !period.contains(at("2026-11-30T03:29:59Z")));
        assert_eq!(period.to, at("2026-12-01T00:00:00Z"));
    }

    #[test]
    fn a_week_over_new_year_is_named_by_its_iso_year() {
        let site = calendar("Asia/Shanghai", "00:00");
        assert_eq!(site.period(PeriodKind::Week, at("2027-01-01T03:00:00Z")).name(), "2026-W53");
    }

    #[test]
    fn a_gap_gives_the_first_valid_instant_and_an_overlap_the_earlier() {
        let new_york: Tz = "America/New_York".parse().unwrap();
        let half_past = |hour| NaiveTime::from_hms_opt(hour, 30, 0).unwrap();
        let gap = NaiveDate::from_ymd_opt(2026, 3, 8).unwrap();
        assert_eq!(instant(new_york, gap, half_past(2)), at("2026-03-08T07:00:00Z"));
        let overlap = NaiveDate::from_ymd_opt(2026, 11, 1).unwrap();
        assert_eq!(instant(new_york, overlap, half_past(1)), at("2026-11-01T05:30:00Z"));
        let apia: Tz = "Pacific/Apia".parse().unwrap();
        let missing = NaiveDate::from_ymd_opt(2011, 12, 30).unwrap();
        assert_eq!(instant(apia, missing, half_past(6)), at("2011-12-30T10:00:00Z"));
    }

    #[test]
    fn periods_follow_each_other_without_a_hole() {
        let site = calendar("America/New_York", "02:30");
        let mut now = at("2026-01-01T12:00:00Z");
        for _ in 0..400 {
            let period = site.period(PeriodKind::Day, now);
            assert!(period.contains(now), "{period:?}");
            assert_eq!(site.period(PeriodKind::Day, period.to).from, period.to);
            now = period.to;
        }
    }
}
