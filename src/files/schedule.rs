//! Schedules and retries: three files may say something, the nearest one wins key by key.

use std::ops::Range;
use std::time::Duration;

use chrono::{Days, NaiveDate, NaiveTime, TimeDelta};
use chrono_tz::Tz;

use super::calendars::Calendars;
use super::fields::Fields;
use super::file::File;
use super::model::{Retry, Schedule};
use super::yaml::Node;
use crate::timing::{Calendar, CatchUp, Dates, OnHoliday, Overlap, PeriodKind, Slots, Times, parse_cron};

const SCHEDULE_KEYS: &[&str] =
    &["at", "cron", "until", "days", "holidays", "remind", "catch_up", "overlap", "grace", "calendar"];

const WEEKDAYS: [(&str, usize); 7] =
    [("mon", 0), ("tue", 1), ("wed", 2), ("thu", 3), ("fri", 4), ("sat", 5), ("sun", 6)];

const ON_HOLIDAY: [(&str, OnHoliday); 3] =
    [("run", OnHoliday::Run), ("skip", OnHoliday::Skip), ("next_workday", OnHoliday::NextWorkday)];

const OVERLAPS: [(&str, Overlap); 2] = [("skip", Overlap::Skip), ("queue", Overlap::Queue)];

/// When nothing is said.
pub(super) fn default_schedule() -> Schedule {
    Schedule {
        times: Times::at(NaiveTime::MIN + TimeDelta::hours(6)),
        until: NaiveTime::MIN + TimeDelta::minutes(23 * 60 + 30),
        grace: Duration::from_secs(600),
        catch_up: CatchUp::default(),
        overlap: Overlap::default(),
        remind: None,
        holidays: OnHoliday::Run,
        calendar: None,
    }
}

/// When nothing is said.
pub(super) fn default_retry() -> Retry {
    let seconds = Duration::from_secs;
    Retry { attempts: 2, initial: seconds(30), again: seconds(3_600), series: 3 }
}

impl File {
    /// A schedule over the one of the file above.
    pub fn schedule(&self, node: Option<&Node>, above: &Schedule, calendars: &Calendars) -> Schedule {
        let mut schedule = above.clone();
        let Some(fields) = node.and_then(|node| Fields::of(self, node, "schedule", &[SCHEDULE_KEYS])) else {
            return schedule;
        };
        if let Some(calendar) = fields.get("calendar").and_then(|node| self.holidays(node, calendars)) {
            schedule.calendar = Some(calendar);
        }
        if let Some(holidays) = fields.get("holidays").and_then(|node| self.one_of(node, &ON_HOLIDAY)) {
            schedule.holidays = holidays;
        }
        if let Some(times) = self.times(&fields, &schedule.times) {
            schedule.times = times;
        }
        if let Some(until) = fields.get("until").and_then(|until| self.clock(until)) {
            schedule.until = until;
        }
        if let Some(grace) = fields.get("grace").and_then(|grace| self.duration(grace)) {
            schedule.grace = grace;
        }
        schedule.catch_up = self.catch_up(&fields, schedule.catch_up);
        if let Some(overlap) = fields.get("overlap").and_then(|node| self.one_of(node, &OVERLAPS)) {
            schedule.overlap = overlap;
        }
        if let Some(remind) = fields.get("remind").and_then(|remind| self.clock(remind)) {
            schedule.remind = Some(remind);
        }
        self.fit_together(&fields, &schedule);
        schedule
    }

    /// `at` or `cron`, and `days`. A cron expression says its days itself: it takes the place of `at` and of `days` above.
    fn times(&self, fields: &Fields<'_>, above: &Times) -> Option<Times> {
        if let [one, other, ..] = fields.present(&["cron", "at", "days"])[..]
            && one == "cron"
        {
            let cure = match other {
                "at" => "write one of the two",
                _ => "write the weekdays into the fifth field: \"0 6 * * mon-fri\"",
            };
            self.wrong(fields.key_span(other), format!("`{other}` does not go with `cron`"), cure);
            return None;
        }
        if let Some(cron) = fields.get("cron") {
            return self.cron(cron);
        }
        let times = match fields.get("at") {
            // A time instead of another keeps its days; instead of a cron expression it comes every day.
            Some(at) if above.are_cron() => Times::at(self.clock(at)?),
            Some(at) => above.clone().at_time(self.clock(at)?),
            None => above.clone(),
        };
        let Some(days) = fields.get("days") else { return Some(times) };
        if times.are_cron() {
            let cure = "write `at` beside it, or the weekdays into the fifth field of the cron expression";
            self.wrong(fields.key_span("days"), "`days` does not go with the `cron` of the file above", cure);
            return None;
        }
        Some(times.on(self.days(days)?))
    }

    fn cron(&self, node: &Node) -> Option<Times> {
        let text = self.words(node)?;
        match parse_cron(text) {
            Ok(times) => Some(times),
            Err(fault) => {
                self.wrong(node.span.clone(), fault.message, fault.cure);
                None
            }
        }
    }

    fn days(&self, node: &Node) -> Option<Dates> {
        match node.scalar_text() {
            Some("all") => return Some(Dates::Weekdays([true; 7])),
            Some("workdays") => return Some(Dates::Workdays),
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
        Some(Dates::Weekdays(days))
    }

    /// What each key says may be good, and not what they say together.
    fn fit_together(&self, fields: &Fields<'_>, schedule: &Schedule) {
        let said =
            |keys: &[&str]| -> Option<Range<usize>> { fields.present(keys).first().map(|key| fields.key_span(key)) };
        if let Some(span) = said(&["until", "at", "cron"]) {
            if schedule.times.of_day() == [schedule.until] {
                let cure = "write a later `until`; one that is earlier than `at` means the next day";
                self.wrong(span, "this window has no length: it begins and ends at the same time", cure);
            } else if let Some(late) = schedule.slot_after_until() {
                let (late, until) = (late.format("%H:%M"), schedule.until.format("%H:%M"));
                let message = format!("the slot {late} would not be acted on: `until` is {until}");
                self.wrong(span, message, "write a later `until`, such as \"23:59\", or fewer hours into `cron`");
            }
        }
        if let Some(span) = said(&["catch_up", "at", "cron", "until"])
            && let Some(slot) = schedule.slot_without_limit()
        {
            let message = format!("`skip_if_after` is not inside the window of the slot {}", slot.format("%H:%M"));
            self.wrong(span, message, "write an earlier one, or how long after the slot: `skip_if_after: 2h`");
        }
        let early = schedule.remind.filter(|remind| !schedule.can_remind_at(*remind));
        if let (Some(remind), Some(span)) = (early, said(&["remind", "until", "at", "cron"])) {
            let (remind, first) = (remind.format("%H:%M"), schedule.times.first().format("%H:%M"));
            let message = format!("the reminder at {remind} would come before anything begins, at {first}");
            self.wrong(span, message, "write a `remind` that is later than `at`");
        }
        if schedule.calendar.is_none() {
            let needs = match (schedule.times.on_workdays(), schedule.holidays) {
                (true, _) => said(&["days"]).map(|span| (span, "days: workdays")),
                (false, OnHoliday::Run) => None,
                (false, _) => said(&["holidays"]).map(|span| (span, "holidays")),
            };
            if let Some((span, what)) = needs {
                let cure = "write `calendars: { cn: cn.ics }` in sunup.yaml, and `calendar: cn` into its `schedule`";
                self.wrong(span, format!("`{what}` needs a calendar, and none is named"), cure);
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

/// A site's day that begins inside a window.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reset {
    /// The runner's date of the window.
    pub day: NaiveDate,
    /// By the runner's clock: when the window begins and ends, and the site's day begins.
    pub times: [NaiveTime; 3],
}

/// The first such day of a year.
pub(super) fn reset_inside(schedule: &Schedule, runner: Tz, site: &Calendar) -> Option<Reset> {
    if schedule.times.of_day() == [schedule.until] {
        // Said already: this is no window.
        return None;
    }
    let slots = Slots { schedule, zone: runner, site: *site, kind: PeriodKind::Day };
    let new_year = NaiveDate::from_ymd_opt(2026, 1, 1)?;
    new_year.iter_days().take(366).find_map(|day| {
        let span = schedule.span(runner, day)?;
        // A zone is at most a day from another, and the windows of a day at most two days long.
        let near = (day - Days::new(2)).iter_days().take(6).map(|day| site.begins(day));
        let resets: Vec<_> = near.filter(|reset| span.slot < *reset && *reset < span.until).collect();
        if resets.is_empty() {
            return None;
        }
        // A window may begin or end with the reset.
        let windows = slots.on(day).into_iter().map(|slot| slot.window);
        let mut pairs = windows.flat_map(|window| resets.iter().map(move |reset| (window, *reset)));
        let (window, reset) = pairs.find(|(window, reset)| window.slot < *reset && *reset < window.until)?;
        let times = [window.slot, window.until, reset].map(|instant| instant.with_timezone(&runner).time());
        Some(Reset { day, times })
    })
}
