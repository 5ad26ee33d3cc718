//! Holidays and make-up workdays: October 2026, when the holiday lasts from Thursday the 1st to Wednesday the 7th, and
//! people work on Saturday the 10th.

use std::sync::Arc;

use super::*;

fn october() -> Arc<Holidays> {
    let mut holidays = Holidays::named("cn");
    (1..=7).for_each(|day| holidays.add_holiday(NaiveDate::from_ymd_opt(2026, 10, day).unwrap(), "国庆节"));
    holidays.add_workday(date("2026-10-10"));
    Arc::new(holidays)
}

fn with(times: &str, on_holiday: OnHoliday) -> Schedule {
    Schedule { holidays: on_holiday, calendar: Some(october()), ..schedule(times, "23:30") }
}

/// The slots of a stretch of days, each with what becomes of it.
fn told(schedule: &Schedule, kind: PeriodKind, days: [&str; 2]) -> Vec<String> {
    let slots = Slots { kind, ..slots(schedule, SHANGHAI) };
    let [from, to] = days.map(|day| instant(SHANGHAI, date(day), NaiveTime::MIN));
    let found = slots.between(from, to).map(|slot| {
        let day = slot.date.format("%m-%d");
        match slot.comes {
            Comes::Yes => day.to_string(),
            Comes::InsteadOf(holiday) => format!("{day} for {}", holiday.format("%m-%d")),
            Comes::MovedTo(workday) => format!("{day} -> {}", workday.format("%m-%d")),
            Comes::Not(skip) => format!("{day} {skip}"),
        }
    });
    found.collect()
}

#[test]
fn workdays_are_those_of_the_file_which_beats_the_weekend() {
    let mut schedule = with("06:00", OnHoliday::Run);
    schedule.times = schedule.times.on(Dates::Workdays);
    let told = told(&schedule, PeriodKind::Day, ["2026-10-06", "2026-10-13"]);
    assert_eq!(
        told,
        ["10-06 holiday: 国庆节", "10-07 holiday: 国庆节", "10-08", "10-09", "10-10", "10-11 not_workday", "10-12"]
    );
}

#[test]
fn a_holiday_is_skipped_and_a_weekend_is_none() {
    let told = told(&with("06:00", OnHoliday::Skip), PeriodKind::Day, ["2026-10-06", "2026-10-13"]);
    assert_eq!(told[..2], ["10-06 holiday: 国庆节", "10-07 holiday: 国庆节"]);
    assert_eq!(told[2..], ["10-08", "10-09", "10-10", "10-11", "10-12"]);
    assert!(told_all_run(&with("06:00", OnHoliday::Run)));
}

fn told_all_run(schedule: &Schedule) -> bool {
    slots(schedule, SHANGHAI).after(at("2026-09-28T00:00:00Z")).take(14).all(|slot| slot.comes == Comes::Yes)
}

#[test]
fn a_weekly_slot_moves_to_the_next_workday_of_its_week_or_is_skipped() {
    let tuesday = with("0 6 * * tue", OnHoliday::NextWorkday);
    assert_eq!(
        told(&tuesday, PeriodKind::Week, ["2026-10-05", "2026-10-14"]),
        ["10-06 -> 10-08", "10-08 for 10-06", "10-13"]
    );
    let friday = with("0 6 * * fri", OnHoliday::NextWorkday);
    let told = told(&friday, PeriodKind::Week, ["2026-09-28", "2026-10-10"]);
    assert_eq!(told, ["10-02 holiday: 国庆节", "10-09"], "the next workday is another week's");
}

#[test]
fn a_monthly_slot_moves_within_its_month_and_a_daily_one_stays() {
    let first = with("0 6 1 * *", OnHoliday::NextWorkday);
    assert_eq!(told(&first, PeriodKind::Month, ["2026-10-01", "2026-10-31"]), ["10-01 -> 10-08", "10-08 for 10-01"]);
    let daily = with("06:00", OnHoliday::NextWorkday);
    assert_eq!(told(&daily, PeriodKind::Day, ["2026-10-07", "2026-10-09"]), ["10-07 holiday: 国庆节", "10-08"]);
    assert_eq!(told(&daily, PeriodKind::Occurrence, ["2026-10-07", "2026-10-09"]), ["10-07 holiday: 国庆节", "10-08"]);
}

#[test]
fn two_holidays_of_a_week_move_to_one_slot() {
    let twice = with("0 6 * * mon,tue", OnHoliday::NextWorkday);
    let told = told(&twice, PeriodKind::Week, ["2026-10-05", "2026-10-11"]);
    assert_eq!(told, ["10-05 -> 10-08", "10-06 -> 10-08", "10-08 for 10-06"]);
}

#[test]
fn a_slot_that_is_left_out_is_shown_where_its_key_has_no_other() {
    let on = |schedule: &Schedule, kind, now: &str| {
        let slot = Slots { kind, ..slots(schedule, SHANGHAI) }.at(at(now));
        slot.map(|slot| (slot.date.to_string(), slot.skip().map(Skip::to_string)))
    };
    let daily = with("06:00", OnHoliday::Skip);
    let holiday = Some(("2026-10-02".to_owned(), Some("holiday: 国庆节".to_owned())));
    assert_eq!(on(&daily, PeriodKind::Day, "2026-10-02T00:00:00Z"), holiday);
    assert_eq!(on(&daily, PeriodKind::Occurrence, "2026-10-02T00:00:00Z"), holiday);
    // The week's key had its chance on Monday, and will end as not done by its own rule.
    assert_eq!(on(&daily, PeriodKind::Week, "2026-10-02T00:00:00Z"), None);
    let friday = with("0 6 * * fri", OnHoliday::Skip);
    assert_eq!(on(&friday, PeriodKind::Week, "2026-10-02T00:00:00Z"), holiday);
    assert_eq!(on(&friday, PeriodKind::Once, "2026-10-02T00:00:00Z"), None, "it comes later");
    let tuesday = with("0 6 * * tue", OnHoliday::NextWorkday);
    assert_eq!(on(&tuesday, PeriodKind::Week, "2026-10-06T00:00:00Z"), None);
    assert_eq!(on(&tuesday, PeriodKind::Week, "2026-10-08T00:00:00Z"), Some(("2026-10-08".to_owned(), None)));
}

#[test]
fn the_last_window_is_one_that_comes() {
    let mut schedule = with("06:00", OnHoliday::Run);
    schedule.times = schedule.times.on(Dates::Workdays);
    let slots = Slots { kind: PeriodKind::Week, ..slots(&schedule, SHANGHAI) };
    let last = |day: &str| {
        let week = slots.site.period(PeriodKind::Week, instant(SHANGHAI, date(day), clock("12:00")));
        slots.last_of(&week).map(|window| window.slot.with_timezone(&SHANGHAI).date_naive().to_string())
    };
    assert_eq!(last("2026-09-28").as_deref(), Some("2026-09-30"));
    assert_eq!(last("2026-10-09").as_deref(), Some("2026-10-10"), "the Saturday on which people work");
}

#[test]
fn a_year_is_covered_by_more_than_its_new_year() {
    let mut holidays = Holidays::named("cn");
    holidays.add_holiday(date("2026-01-01"), "元旦");
    holidays.add_holiday(date("2026-10-01"), "国庆节");
    holidays.add_holiday(date("2027-01-01"), "元旦");
    assert_eq!((holidays.covers(2025), holidays.covers(2026), holidays.covers(2027)), (false, true, false));
}
