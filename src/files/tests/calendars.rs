//! Schedules over three files, calendar files, and their copies.

use std::fs;

use super::super::model::{Project, Schedule};
use super::super::{keep_calendars, load_with};
use super::Scratch;
use crate::timing::{CatchUp, OnHoliday, Overlap, SkipAfter, Strategy, parse_clock};

const TASK: &str = "tasks/community/checkin.yaml";
const SITE: &str = "tasks/community/site.yaml";

/// The task's schedule when these stand in sunup.yaml, site.yaml and the task file.
fn merged(top: &str, site: &str, task: &str) -> Schedule {
    let scratch = Scratch::new();
    scratch.write("sunup.yaml", format!("format: 1\ntimezone: Asia/Shanghai\n{top}\n"));
    scratch.write(SITE, format!("{}\n{site}\n", scratch.read(SITE)));
    scratch.write(TASK, scratch.read(TASK).replace("schedule: { until: \"16:00\" }", task));
    scratch.load().unwrap_or_else(|faults| panic!("{faults}")).sites.remove(0).tasks.remove(0).schedule
}

const CN: &str = "calendars: { cn: calendars/cn.ics }\nschedule: { calendar: cn, days: workdays, at: \"07:00\" }";

#[test]
fn catch_up_is_merged_key_by_key_too() {
    let top = "schedule: { catch_up: { skip_if_after: 2h, first_start: wait }, overlap: queue }";
    let schedule = merged(top, "schedule: { catch_up: never }", "schedule: { catch_up: { skip_if_after: \"07:30\" } }");
    let limit = SkipAfter::Time(parse_clock("07:30").unwrap());
    let wanted =
        CatchUp { strategy: Strategy::Never, skip_if_after: Some(limit), first_waits: true, ..CatchUp::default() };
    assert_eq!((schedule.catch_up, schedule.overlap), (wanted, Overlap::Queue));
    let none = merged("", "", "schedule: { until: \"16:00\" }");
    assert_eq!((none.catch_up, none.overlap), (CatchUp::default(), Overlap::Skip));
}

#[test]
fn a_schedule_is_merged_key_by_key() {
    let schedule = merged(CN, "schedule: { holidays: skip }", "schedule: { until: \"12:00\" }");
    assert_eq!(schedule.times.of_day(), [parse_clock("07:00").unwrap()]);
    assert_eq!(schedule.until, parse_clock("12:00").unwrap());
    assert_eq!((schedule.times.on_workdays(), schedule.holidays), (true, OnHoliday::Skip));
    assert_eq!(schedule.calendar.unwrap().name, "cn");
}

#[test]
fn another_time_keeps_the_days_and_a_cron_expression_says_its_own() {
    let time = merged(CN, "", "schedule: { at: \"08:00\" }");
    assert_eq!((time.times.first(), time.times.on_workdays()), (parse_clock("08:00").unwrap(), true));
    let cron = merged(CN, "", "schedule: { cron: \"0 8 * * *\" }");
    assert_eq!((cron.times.are_cron(), cron.times.on_workdays()), (true, false));
    let back = merged("schedule: { cron: \"0 8 * * mon\" }", "", "schedule: { at: \"09:00\" }");
    assert_eq!((back.times.are_cron(), back.times.of_day()), (false, &[parse_clock("09:00").unwrap()][..]));
}

#[test]
fn days_do_not_go_with_a_cron_expression_of_the_file_above() {
    let scratch = Scratch::new();
    scratch.write("sunup.yaml", "format: 1\ntimezone: Asia/Shanghai\nschedule: { cron: \"0 8 * * *\" }\n");
    scratch.write(TASK, scratch.read(TASK).replace("{ until: \"16:00\" }", "{ days: [mon] }"));
    assert!(
        scratch.faults()[0].contains("`days` does not go with the `cron` of the file above"),
        "{:?}",
        scratch.faults()
    );
}

fn with_calendar() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("sunup.yaml", "format: 1\ntimezone: Asia/Shanghai\ncalendars: { cn: calendars/cn.ics }\n");
    scratch
}

fn load(scratch: &Scratch) -> Result<Project, String> {
    load_with(scratch.root.path(), Some(&scratch.root.path().join("copies"))).map_err(|faults| faults.to_string())
}

#[test]
fn the_last_good_copy_goes_on_where_the_file_is_broken() {
    let scratch = with_calendar();
    let whole = scratch.read("calendars/cn.ics");
    let broken =
        [("", "it is empty"), ("<html>503</html>", "it is a web page"), (&whole[..whole.len() / 2], "it is cut off")];
    for (text, why) in broken {
        scratch.write("calendars/cn.ics", text);
        let fault = load(&scratch).unwrap_err();
        assert!(fault.contains("calendars/cn.ics") && fault.contains(why), "there never was a good one: {fault}");
    }
    scratch.write("calendars/cn.ics", &whole);
    let good = load(&scratch).unwrap();
    assert_eq!(good.settings.calendars[0].broken, None);
    keep_calendars(&good.settings.calendars, &scratch.root.path().join("copies")).unwrap();
    for (text, why) in broken {
        scratch.write("calendars/cn.ics", text);
        let project = load(&scratch).unwrap();
        let calendar = &project.settings.calendars[0];
        assert_eq!(calendar.holidays, good.settings.calendars[0].holidays);
        assert!(calendar.broken.as_ref().is_some_and(|broken| broken.contains(why)), "{:?}", calendar.broken);
        // What is broken does not take the place of the copy.
        keep_calendars(&project.settings.calendars, &scratch.root.path().join("copies")).unwrap();
        assert_eq!(scratch.read("copies/cn.ics"), whole);
    }
    fs::remove_file(scratch.root.path().join("calendars/cn.ics")).unwrap();
    assert!(load(&scratch).unwrap().settings.calendars[0].broken.is_some(), "nor does a file that is gone");
    scratch.write("copies/cn.ics", "<html>");
    assert!(load(&scratch).unwrap_err().contains("it cannot be read"), "a broken copy is none");
}

#[test]
fn a_newer_file_replaces_the_copy() {
    let scratch = with_calendar();
    let copies = scratch.root.path().join("copies");
    keep_calendars(&load(&scratch).unwrap().settings.calendars, &copies).unwrap();
    let newer = scratch.read("calendars/cn.ics").replace("20261001", "20261002");
    scratch.write("calendars/cn.ics", &newer);
    keep_calendars(&load(&scratch).unwrap().settings.calendars, &copies).unwrap();
    assert_eq!(scratch.read("copies/cn.ics"), newer);
    let kept: Vec<_> = fs::read_dir(&copies).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(kept, ["cn.ics"], "nothing else is left behind");
}
