//! A morning on a holiday: nothing is done, and that is said; a calendar that breaks is gone on with, and that is said.

use std::fs;

use chrono::{Days, NaiveDate};
use serde_json::json;
use sunup::clock::{Clock, SystemClock};
use sunup::run::Status;

use crate::stage::{Morning, Stage};
use crate::support::run;

/// Today, by the example's clock.
fn today() -> NaiveDate {
    SystemClock::new().now().with_timezone(&chrono_tz::Asia::Shanghai).date_naive()
}

/// A holiday of three days, from yesterday on, and one in the next summer.
fn holidays() -> String {
    let day = |from: NaiveDate, days: u64| {
        let dates = [from, from + Days::new(days)].map(|date| date.format("%Y%m%d").to_string());
        let [start, end] = dates;
        format!(
            "BEGIN:VEVENT\r\nSUMMARY:假期（休）\r\nDTSTART;VALUE=DATE:{start}\r\nDTEND;VALUE=DATE:{end}\r\nEND:VEVENT\r\n"
        )
    };
    let events = day(today() - Days::new(1), 3) + &day(today() + Days::new(200), 1);
    format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{events}END:VCALENDAR\r\n")
}

fn stage() -> Stage {
    let stage = Stage::own().in_chromium();
    stage.edit("sunup.yaml", "schedule:\n", "calendars: { cn: cn.ics }\nschedule:\n  calendar: cn\n  holidays: skip\n");
    fs::write(stage.file("cn.ics"), holidays()).expect("a calendar");
    stage
}

#[tokio::test]
async fn on_a_holiday_every_key_is_skipped_and_said_to_be_and_no_browser_starts() {
    let stage = stage();
    let morning = stage.morning("fresh").await;
    assert_eq!(morning.outcome.code, 0, "{}", morning.outcome);
    for task in ["community/checkin", "community/read"] {
        assert_eq!(morning.status(task), Status::Skipped, "{}", morning.outcome);
        let reason = &morning.task(task)["reason"];
        assert_eq!((reason["word"].as_str(), reason["detail"].as_str()), (Some("holiday"), Some("假期（休）")));
    }
    assert!(morning.json["report"]["number"].is_number(), "the report tells of it: {}", morning.outcome);
    assert!(stage.counted().is_empty() && !stage.data().join("profiles/community").exists(), "no browser");
    let explained = Morning::of(run(stage.sunup(&["explain", "community/checkin", "--json"])).await);
    let explained = &explained.json["explained"][0];
    assert_eq!((&explained["status"], &explained["reason"]["word"]), (&json!("skipped"), &json!("holiday")));
    assert_eq!(explained["last_decision"]["answer"], "closed: skipped");
    let person = run(stage.sunup(&["explain", "checkin", "--next", "2"])).await;
    assert!(person.stdout.contains("假日：跳过（假期（休））"), "{person}");
}

#[tokio::test]
async fn a_calendar_that_breaks_is_gone_on_with_and_that_is_said_until_it_is_mended() {
    let stage = stage();
    fs::write(stage.file("cn.ics"), "<html>503</html>").expect("a broken calendar");
    let refused = run(stage.rehearsal("fresh")).await;
    assert_eq!(refused.code, 3, "there never was a good one: {refused}");
    assert!(refused.stdout.contains("cn.ics") && refused.stdout.contains("web page"), "{refused}");
    fs::write(stage.file("cn.ics"), holidays()).expect("a good calendar");
    assert_eq!(stage.morning("fresh").await.outcome.code, 0);
    fs::write(stage.file("cn.ics"), "<html>503</html>").expect("a broken calendar");
    let broken = stage.morning("fresh").await;
    assert_eq!(broken.status("community/checkin"), Status::Skipped, "by the copy: {}", broken.outcome);
    assert!(
        broken.outcome.stderr.contains("cn.ics") && broken.outcome.stderr.contains("web page"),
        "{}",
        broken.outcome
    );
    for command in ["status", "validate"] {
        let told = Morning::of(run(stage.sunup(&[command, "--json"])).await);
        assert_eq!(told.json["calendars"][0]["file"], "cn.ics", "{command}: {}", told.outcome);
    }
}

#[tokio::test]
async fn explain_refuses_a_task_that_is_not_there_as_run_does() {
    let stage = Stage::new();
    let explained = run(stage.sunup(&["explain", "community/chekin"])).await;
    let ran = run(stage.sunup(&["run", "community/chekin"])).await;
    assert_eq!((explained.code, &explained.stderr), (2, &ran.stderr), "{explained}");
    let before = run(stage.sunup(&["explain", "checkin", "--next", "3"])).await;
    assert_eq!(
        (before.code, before.stdout.lines().filter(|line| line.contains("06:00 CST")).count()),
        (0, 3),
        "{before}"
    );
}
