//! The rules of slots, one test each.

mod holidays;
mod slots;

use std::time::Duration;

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use chrono_tz::Tz;

use super::*;

const SHANGHAI: Tz = chrono_tz::Asia::Shanghai;
const NEW_YORK: Tz = chrono_tz::America::New_York;

fn clock(text: &str) -> NaiveTime {
    parse_clock(text).unwrap()
}

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

/// `at: "06:00"`, or a cron expression, with an `until`.
fn schedule(times: &str, until: &str) -> Schedule {
    let times = match times.contains(' ') {
        true => parse_cron(times).unwrap(),
        false => Times::at(clock(times)),
    };
    let grace = Duration::from_secs(600);
    Schedule {
        times,
        until: clock(until),
        grace,
        catch_up: CatchUp::default(),
        overlap: Overlap::default(),
        remind: None,
        holidays: OnHoliday::Run,
        calendar: None,
    }
}

/// The slots of daily keys at a site that counts as the runner does.
fn slots(schedule: &Schedule, zone: Tz) -> Slots<'_> {
    Slots { schedule, zone, site: Calendar { zone, starts_at: NaiveTime::MIN }, kind: PeriodKind::Day }
}

/// Local times, for reading.
fn local(slots: impl IntoIterator<Item = Slot>, zone: Tz) -> Vec<String> {
    let show = |slot: Slot| slot.window.slot.with_timezone(&zone).format("%m-%d %H:%M %z").to_string();
    slots.into_iter().map(show).collect()
}
