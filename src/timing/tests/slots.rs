//! Slots and windows.

use super::*;

#[test]
fn a_window_over_midnight_is_still_open_in_the_morning() {
    let schedule = schedule("08:10", "07:50");
    let window = slots(&schedule, SHANGHAI).at(at("2026-11-30T20:00:00Z")).unwrap().window; // 04:00 of the first of December
    assert_eq!((window.slot, window.until), (at("2026-11-30T00:10:00Z"), at("2026-11-30T23:50:00Z")));
}

#[test]
fn after_its_end_it_is_todays() {
    let now = at("2026-11-30T15:45:00Z"); // 23:45
    let schedule = schedule("06:00", "23:30");
    let window = slots(&schedule, SHANGHAI).at(now).unwrap().window;
    assert!(!window.contains(now));
    assert_eq!(window.slot, at("2026-11-29T22:00:00Z"));
}

#[test]
fn no_slot_on_a_day_that_is_not_listed() {
    let mut schedule = schedule("06:00", "23:30");
    schedule.times = schedule.times.on(Dates::Weekdays([true, false, false, false, false, false, false]));
    let slots = slots(&schedule, SHANGHAI);
    assert!(slots.at(at("2026-11-30T00:00:00Z")).is_some());
    assert!(slots.at(at("2026-12-01T00:00:00Z")).is_none());
}

#[test]
fn the_last_window_of_a_week_is_that_of_its_last_listed_day() {
    let last = |days| {
        let mut schedule = schedule("06:00", "23:30");
        schedule.times = schedule.times.on(Dates::Weekdays(days));
        let slots = Slots { kind: PeriodKind::Week, ..slots(&schedule, SHANGHAI) };
        let week = slots.site.period(PeriodKind::Week, at("2026-12-02T00:00:00Z"));
        slots.last_of(&week).map(|window| window.slot)
    };
    assert_eq!(last([true; 7]), Some(at("2026-12-05T22:00:00Z")), "Sunday");
    assert_eq!(last([true, false, false, false, false, false, false]), Some(at("2026-11-29T22:00:00Z")));
    assert_eq!(last([false; 7]), None);
}

#[test]
fn a_month_ends_with_its_last_day_and_once_never() {
    let schedule = schedule("08:10", "07:50");
    let last = |kind| {
        let site = Calendar { zone: SHANGHAI, starts_at: clock("08:00") };
        let period = site.period(kind, at("2026-11-15T06:00:00Z"));
        Slots { site, kind, ..slots(&schedule, SHANGHAI) }.last_of(&period).map(|window| window.slot)
    };
    assert_eq!(last(PeriodKind::Month), Some(at("2026-11-30T00:10:00Z")));
    assert_eq!(last(PeriodKind::Day), Some(at("2026-11-15T00:10:00Z")));
    assert_eq!(last(PeriodKind::Once), None);
}

#[test]
fn a_gap_gives_the_first_valid_instant_and_an_overlap_the_earlier_one() {
    for times in ["02:30", "30 2 * * *", "0 30 2 ? * *"] {
        let schedule = schedule(times, "23:30");
        let spring = slots(&schedule, NEW_YORK).after(at("2026-03-07T12:00:00Z")).take(2);
        assert_eq!(local(spring, NEW_YORK), ["03-08 03:00 -0400", "03-09 02:30 -0400"], "{times}");
    }
    let schedule = schedule("01:30", "23:30");
    let autumn = slots(&schedule, NEW_YORK).after(at("2026-10-31T12:00:00Z")).take(2);
    assert_eq!(local(autumn, NEW_YORK), ["11-01 01:30 -0400", "11-02 01:30 -0500"]);
}

/// What a library takes for an interval, and skips in a gap or runs twice in an overlap.
#[test]
fn lists_have_the_same_rule_as_single_times() {
    let gap = schedule("30 2,14 * * *", "23:30");
    let spring = slots(&gap, NEW_YORK).after(at("2026-03-08T00:00:00Z")).take(3);
    assert_eq!(local(spring, NEW_YORK), ["03-08 03:00 -0400", "03-08 14:30 -0400", "03-09 02:30 -0400"]);
    let overlap = schedule("30 1,13 * * *", "23:30");
    let autumn = slots(&overlap, NEW_YORK).after(at("2026-11-01T00:00:00Z")).take(3);
    assert_eq!(local(autumn, NEW_YORK), ["11-01 01:30 -0400", "11-01 13:30 -0500", "11-02 01:30 -0500"]);
}

#[test]
fn one_occurrence_per_calendar_day_and_wall_time() {
    let schedule = schedule("*/30 0-3 * * *", "23:30");
    let on = |day| local(slots(&schedule, NEW_YORK).on(date(day)), NEW_YORK);
    let clocks = |day| on(day).iter().map(|slot| slot[6..11].to_owned()).collect::<Vec<_>>().join(" ");
    assert_eq!(clocks("2026-03-08"), "00:00 00:30 01:00 01:30 03:00 03:30", "three times in the gap are one slot");
    assert_eq!(clocks("2026-11-01"), "00:00 00:30 01:00 01:30 02:00 02:30 03:00 03:30", "none comes twice");
}

#[test]
fn asked_in_the_second_pass_of_an_overlap_the_next_one_is_tomorrows() {
    let schedule = schedule("30 1 * * *", "23:30");
    let second_pass = at("2026-11-01T06:10:00Z"); // 01:10 EST
    let next = slots(&schedule, NEW_YORK).after(second_pass).take(1);
    assert_eq!(local(next, NEW_YORK), ["11-02 01:30 -0500"]);
}

#[test]
fn a_slot_is_not_armed_with_yesterdays_offset() {
    let london = chrono_tz::Europe::London;
    let schedule = schedule("18:00", "23:30");
    let next = slots(&schedule, london).after(at("2027-03-27T18:00:00Z")).take(1);
    assert_eq!(local(next, london), ["03-28 18:00 +0100"]);
}

#[test]
fn a_date_that_a_zone_left_out_has_no_slot() {
    let apia = chrono_tz::Pacific::Apia;
    let schedule = schedule("06:00", "23:30");
    let around = slots(&schedule, apia).after(at("2011-12-29T12:00:00Z")).take(3);
    assert_eq!(local(around, apia), ["12-29 06:00 -1000", "12-31 06:00 +1400", "01-01 06:00 +1400"]);
}

#[test]
fn a_window_ends_where_the_next_one_begins() {
    let schedule = schedule("0 8,20 * * *", "23:30");
    let slots = slots(&schedule, SHANGHAI);
    let windows: Vec<_> = slots.on(date("2026-11-30")).into_iter().map(|slot| slot.window).collect();
    assert_eq!((windows[0].slot, windows[0].until), (at("2026-11-30T00:00:00Z"), windows[1].slot));
    assert_eq!((windows[1].slot, windows[1].until), (at("2026-11-30T12:00:00Z"), at("2026-11-30T15:30:00Z")));
    let slot_at = |now: &str| slots.at(at(now)).unwrap().window;
    assert_eq!(slot_at("2026-11-29T23:00:00Z"), windows[0], "still to come");
    assert_eq!(slot_at("2026-11-30T11:59:59Z"), windows[0]);
    assert_eq!(slot_at("2026-11-30T12:00:00Z"), windows[1]);
    assert_eq!(slot_at("2026-11-30T15:45:00Z"), windows[1], "over");
    let day = slots.site.period(PeriodKind::Day, windows[0].slot);
    assert_eq!(slots.last_of(&day), Some(windows[1]), "both share the day's key");
}

#[test]
fn between_two_instants_the_first_is_left_out_and_the_last_is_not() {
    let schedule = schedule("0 6 * * mon,thu", "23:30");
    let slots = slots(&schedule, SHANGHAI);
    let found = slots.between(at("2026-11-29T22:00:00Z"), at("2026-12-06T22:00:00Z"));
    assert_eq!(local(found, SHANGHAI), ["12-03 06:00 +0800", "12-07 06:00 +0800"]);
    assert_eq!(slots.between(at("2026-12-06T22:00:00Z"), at("2026-12-06T22:00:00Z")).count(), 0);
}

#[test]
fn a_leap_day_is_found_and_the_search_ends() {
    let schedule = schedule("0 6 29 2 *", "23:30");
    let found: Vec<_> = slots(&schedule, SHANGHAI).after(at("2026-11-30T00:00:00Z")).map(|slot| slot.date).collect();
    assert_eq!(found, [date("2028-02-29"), date("2032-02-29")]);
}

#[test]
fn a_slot_behind_until_has_no_window() {
    assert_eq!(schedule("*/30 6-23 * * *", "23:30").slot_after_until(), Some(clock("23:30")));
    assert_eq!(schedule("*/30 6-23 * * *", "23:31").slot_after_until(), None);
    assert_eq!(schedule("0 8,20 * * *", "07:50").slot_after_until(), None, "it is the next day's");
}
