//! Schedules and retries: three files may say something, the nearest one wins key by key.

use std::time::Duration;

use chrono::{Datelike, Days, NaiveDate, NaiveTime, TimeDelta};
use chrono_tz::Tz;

use super::fields::Fields;
use super::file::File;
use super::model::{Retry, Schedule};
use super::yaml::Node;
use crate::timing::{Calendar, instant};

const SCHEDULE_KEYS: &[&str] =
    &["at", "cron", "until", "days", "holidays", "remind", "catch_up", "overlap", "grace", "calendar"];

const WEEKDAYS: [(&str, usize); 7] =
    [("mon", 0), ("tue", 1), ("wed", 2), ("thu", 3), ("fri", 4), ("sat", 5), ("sun", 6)];

/// When nothing is said.
pub(super) fn default_schedule() -> Schedule {
    Schedule {
        at: NaiveTime::MIN + TimeDelta::hours(6),
        until: NaiveTime::MIN + TimeDelta::minutes(23 * 60 + 30),
        grace: Duration::from_secs(600),
        days: [true; 7],
    }
}

/// When nothing is said.
pub(super) fn default_retry() -> Retry {
    let seconds = Duration::from_secs;
    Retry { attempts: 2, initial: seconds(30), again: seconds(3_600), series: 3 }
}

impl File {
    /// A schedule over the one of the file above.
    pub fn schedule(&self, node: Option<&Node>, above: &Schedule) -> Schedule {
        let mut schedule = above.clone();
        let Some(fields) = node.and_then(|node| Fields::of(self, node, "schedule", &[SCHEDULE_KEYS])) else {
            return schedule;
        };
        if let Some(at) = fields.get("at").and_then(|at| self.clock(at)) {
            schedule.at = at;
        }
        if let Some(until) = fields.get("until").and_then(|until| self.clock(until)) {
            schedule.until = until;
        }
        if let Some(grace) = fields.get("grace").and_then(|grace| self.duration(grace)) {
            schedule.grace = grace;
        }
        if let Some(days) = fields.get("days").and_then(|days| self.days(days)) {
            schedule.days = days;
        }
        let own_time = !fields.present(&["at", "until"]).is_empty();
        if own_time && schedule.at == schedule.until {
            let key = fields.present(&["until", "at"])[0];
            let cure = "write a later `until`; one that is earlier than `at` means the next day";
            self.wrong(fields.key_span(key), "this window has no length: `at` and `until` are the same", cure);
        }
        self.unsupported_keys(&fields);
        schedule
    }

    fn days(&self, node: &Node) -> Option<[bool; 7]> {
        match node.scalar_text() {
            Some("all") => return Some([true; 7]),
            Some("workdays") => {
                self.not_supported(node.span.clone(), "days: workdays");
                return None;
            }
            Some(_) if !node.is_empty() => {
                self.one_of(node, &[("all", ()), ("workdays", ())]);
                return None;
            }
            _ => {}
        }
        let mut days = [false; 7];
        for item in self.list(node, "days")? {
            days[self.one_of(item, &WEEKDAYS)?] = true;
        }
        if days == [false; 7] {
            self.wrong(node.span.clone(), "this names no day", "write days such as `[mon, thu]`, or `all`");
            return None;
        }
        Some(days)
    }

    /// What is good grammar and cannot run yet, unless it says what is done anyway.
    fn unsupported_keys(&self, fields: &Fields<'_>) {
        fields.not_supported(&["cron", "calendar"]);
        if let Some(remind) = fields.get("remind") {
            self.clock(remind);
            fields.not_supported(&["remind"]);
        }
        let done_anyway = [
            ("holidays", "run", &["skip", "next_workday"][..]),
            ("catch_up", "latest", &["never", "each"]),
            ("overlap", "skip", &["queue"]),
        ];
        for (key, done, others) in done_anyway {
            let Some(node) = fields.get(key) else { continue };
            let words: Vec<_> = others.iter().chain([&done]).map(|word| (*word, *word)).collect();
            if node.entries().is_some() && key == "catch_up" {
                self.not_supported(fields.key_span(key), "catch_up: { … }");
            } else if let Some(word) = self.one_of(node, &words).filter(|word| *word != done) {
                self.not_supported(fields.key_span(key), &format!("{key}: {word}"));
            }
        }
    }

    /// Retries over those of the file above.
    pub fn retry(&self, node: Option<&Node>, above: Retry) -> Retry {
        let mut retry = above;
        let keys: &[&str] = &["attempts", "initial", "again", "series"];
        let Some(fields) = node.and_then(|node| Fields::of(self, node, "retry", &[keys])) else { return retry };
        if let Some(attempts) = fields.get("attempts").and_then(|node| self.whole(node, 1..=20)) {
            retry.attempts = attempts;
        }
        if let Some(initial) = fields.get("initial").and_then(|node| self.duration(node)) {
            retry.initial = initial;
        }
        if let Some(again) = fields.get("again").and_then(|node| self.duration(node)) {
            retry.again = again;
        }
        if let Some(series) = fields.get("series").and_then(|node| self.whole(node, 1..=100)) {
            retry.series = series;
        }
        retry
    }
}

/// The first day of a year on which the site's day begins inside the window, with the runner's time of it.
pub(super) fn reset_inside(schedule: &Schedule, runner: Tz, site: &Calendar) -> Option<(NaiveDate, NaiveTime)> {
    if schedule.at == schedule.until {
        // Said already: this is no window.
        return None;
    }
    let new_year = NaiveDate::from_ymd_opt(2026, 1, 1)?;
    new_year.iter_days().take(366).find_map(|day| {
        if !schedule.days[day.weekday().num_days_from_monday() as usize] {
            return None;
        }
        let last = if schedule.until <= schedule.at { day + Days::new(1) } else { day };
        let (from, to) = (instant(runner, day, schedule.at), instant(runner, last, schedule.until));
        // The window may begin or end with the reset. A zone is at most a day from another, a window at most a day long.
        let near = day - Days::new(2);
        let begins = near.iter_days().take(6).map(|day| site.begins(day));
        let inside = begins.into_iter().find(|reset| from < *reset && *reset < to)?;
        Some((day, inside.with_timezone(&runner).time()))
    })
}
