//! Every time zone of the IANA list, 2020 to 2040: the days within three of a change of the offset, and one a month, daily at
//! each half hour, against a reference that reads a clock instead of computing.
//!
//! The reference walks through real time, a quarter of an hour at a step and minute by minute where the clock jumps, looks at
//! what the zone's clock shows, and takes for each date and half hour the first moment at which the clock has come that far. It shares nothing with `timing` but the
//! zone's offsets. `make test` runs it with an optimised library.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone, Timelike, Utc};
use chrono_tz::{TZ_VARIANTS, Tz};
use sunup::clock::{Clock, SystemClock};
use sunup::timing::{Calendar, CatchUp, OnHoliday, Overlap, PeriodKind, Schedule, Slots, Times};

const STEP: TimeDelta = TimeDelta::minutes(15);

fn day(year: i32, month: u32, day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(year, month, day).unwrap()
}

/// What the zone's clock shows.
fn clock(zone: Tz, at: DateTime<Utc>) -> NaiveDateTime {
    at.with_timezone(&zone).naive_local()
}

/// The dates to look at: around each change of the offset, and the tenth of each month.
fn dates(zone: Tz) -> Vec<NaiveDate> {
    let (first, last) = (day(2020, 1, 1), day(2040, 12, 31));
    let offset = |date: NaiveDate| {
        let noon = date.and_hms_opt(12, 0, 0).unwrap().and_utc();
        clock(zone, noon) - noon.naive_utc()
    };
    let all: Vec<NaiveDate> = first.iter_days().take_while(|date| *date <= last).collect();
    let mut dates: Vec<NaiveDate> = all.iter().copied().filter(|date| date.day() == 10).collect();
    for pair in all.windows(2).filter(|pair| offset(pair[0]) != offset(pair[1])) {
        // The change lies between the two noons, and its local date is either of the two.
        dates.extend((pair[0] - Days::new(3)).iter_days().take(8));
    }
    dates.sort_unstable();
    dates.dedup();
    dates
}

fn half_hours() -> impl Iterator<Item = NaiveTime> {
    (0..48).map(|half| NaiveTime::MIN + TimeDelta::minutes(30 * half))
}

/// For each half hour of a date, the first moment at which the clock has come to it. None when the clock shows no moment of that
/// date at all.
fn read_from_the_clock(zone: Tz, date: NaiveDate) -> Option<Vec<DateTime<Utc>>> {
    // No clock is more than 14 hours off, so that the date has begun nowhere a day before, and is over a day after.
    let mut at = Utc.from_utc_datetime(&(date - Days::new(1)).and_time(NaiveTime::MIN));
    let mut found = Vec::with_capacity(48);
    let mut seen = false;
    let mut wanted = half_hours().map(|time| date.and_time(time)).peekable();
    while let Some(next) = wanted.peek() {
        let shown = clock(zone, at);
        seen |= shown.date() == date;
        if shown >= *next {
            found.push(at);
            wanted.next();
        } else {
            // Casey put its clock forward at one minute past midnight.
            let jumps = !at.minute().is_multiple_of(15) || clock(zone, at + STEP) - shown != STEP;
            at += if jumps { TimeDelta::minutes(1) } else { STEP };
        }
    }
    seen.then_some(found)
}

fn schedules() -> Vec<Schedule> {
    let daily = |time: NaiveTime| Schedule {
        times: Times::at(time),
        until: time.overflowing_sub_signed(TimeDelta::minutes(10)).0,
        grace: Duration::from_secs(600),
        catch_up: CatchUp::default(),
        overlap: Overlap::default(),
        remind: None,
        holidays: OnHoliday::Run,
        calendar: None,
    };
    half_hours().map(daily).collect()
}

/// Compares one zone; how many slots that were.
fn compare(zone: Tz, schedules: &[Schedule]) -> usize {
    let site = Calendar { zone, starts_at: NaiveTime::MIN };
    let mut count = 0;
    for date in dates(zone) {
        let read = read_from_the_clock(zone, date);
        let next_date = next_date(zone, date);
        for (half, schedule) in schedules.iter().enumerate() {
            let slots = Slots { schedule, zone, site, kind: PeriodKind::Day };
            let on = slots.on(date);
            let at: Vec<_> = on.iter().map(|slot| slot.window.slot).collect();
            let told = || format!("{zone} {date} {}", schedule.times.first());
            let Some(expected) = read.as_ref().map(|read| read[half]) else {
                assert!(at.is_empty(), "{}: a date that does not exist", told());
                continue;
            };
            assert_eq!(at, [expected], "{}", told());
            // The next one is the next date's: never one that is past, and never the same again.
            let next = slots.after(expected).next().unwrap();
            assert!(next.window.slot > expected, "{}: in the past", told());
            assert_eq!(next.date, next_date, "{}", told());
            count += 1;
        }
    }
    count
}

/// The next date that the zone's clock shows.
fn next_date(zone: Tz, date: NaiveDate) -> NaiveDate {
    let begins = Utc.from_utc_datetime(&date.and_time(NaiveTime::MIN)) - TimeDelta::hours(14);
    let shown = (0..).map(|hours| clock(zone, begins + TimeDelta::hours(hours)).date());
    shown.into_iter().find(|shown| *shown > date).unwrap()
}

#[test]
fn every_zone_has_one_slot_on_each_of_its_days() {
    let watch = SystemClock::new();
    let schedules = schedules();
    let (next, count) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(zone) = TZ_VARIANTS.get(next.fetch_add(1, Ordering::Relaxed)) {
                    count.fetch_add(compare(*zone, &schedules), Ordering::Relaxed);
                }
            });
        }
    });
    let (zones, count) = (TZ_VARIANTS.len(), count.into_inner());
    println!("{count} slots in {zones} zones, 2020 to 2040, in {:.1} s", watch.uptime().as_secs_f64());
    assert!(zones > 590 && count > 7_000_000, "{zones} zones, {count} slots");
}

/// The reference itself, where everybody can look it up.
#[test]
fn the_reference_reads_the_clock() {
    let new_york = chrono_tz::America::New_York;
    let of = |date| -> BTreeMap<String, String> {
        let read = read_from_the_clock(new_york, date).unwrap();
        let show = |(time, at): (NaiveTime, DateTime<Utc>)| {
            (time.format("%H:%M").to_string(), at.with_timezone(&new_york).format("%H:%M %z").to_string())
        };
        half_hours().zip(read).map(show).collect()
    };
    let (spring, autumn) = (of(day(2026, 3, 8)), of(day(2026, 11, 1)));
    assert_eq!([&spring["01:30"], &spring["02:30"], &spring["03:00"]], ["01:30 -0500", "03:00 -0400", "03:00 -0400"]);
    assert_eq!([&autumn["01:00"], &autumn["01:30"], &autumn["02:00"]], ["01:00 -0400", "01:30 -0400", "02:00 -0500"]);
    assert_eq!(read_from_the_clock(chrono_tz::Pacific::Apia, day(2011, 12, 30)), None, "a date that was left out");
    assert!(dates(new_york).contains(&day(2026, 3, 8)) && dates(new_york).contains(&day(2026, 11, 4)));
}
