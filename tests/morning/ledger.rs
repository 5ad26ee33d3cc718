//! A ledger that is damaged, gone or put back: the day is rebuilt by reading the sites, and nothing is done twice.

use std::fs;
use std::path::PathBuf;

use chrono::{DateTime, TimeDelta, Utc};
use sunup::ledger::{Ledger, LossKind};
use sunup::run::{Event, Key, Status, Which};

use crate::stage::{Morning, Stage};
use crate::support::{browser_turn, run};

const ALL: [&str; 3] = ["community/checkin", "community/publish", "community/read"];

fn file(stage: &Stage) -> PathBuf {
    stage.data().join("ledger.db")
}

fn lost(morning: &Morning) -> Vec<LossKind> {
    let losses = morning.json["losses"].as_array().cloned().unwrap_or_default();
    losses.iter().map(|loss| serde_json::from_value(loss["kind"].clone()).expect("a kind")).collect()
}

#[tokio::test]
async fn a_damaged_ledger_is_set_aside_and_the_day_is_read_back_from_the_site() {
    let _turn = browser_turn();
    let stage = Stage::new();
    let first = stage.morning("fresh").await;
    assert_eq!((first.outcome.code, lost(&first)), (0, vec![]), "{}", first.outcome);
    assert!(!first.outcome.stderr.contains("ledger"), "a sound one is not talked about: {}", first.outcome);
    let counted = stage.counted();
    fs::write(file(&stage), "not a database any more").expect("the ledger");

    let status = run(stage.sunup(&["status"])).await;
    assert!(status.code == 1 && status.stderr.contains("damaged") && status.stderr.contains("sunup run"), "{status}");

    let second = stage.morning("fresh").await;
    assert_eq!(lost(&second), [LossKind::Damaged], "{}", second.outcome);
    for task in ALL {
        assert_eq!(second.status(task), Status::AlreadyDone, "{task}: {}", second.outcome);
    }
    assert_eq!(stage.counted().get("publish"), counted.get("publish"), "nothing is done twice");
    assert_eq!(stage.counted().get("checkin"), counted.get("checkin"), "nothing is done twice");
    let kept = second.json["losses"][0]["kept"].as_str().expect("the name of the kept file").to_owned();
    assert_eq!(fs::read_to_string(stage.data().join(&kept)).expect("the kept file"), "not a database any more");
    assert!(second.outcome.stderr.contains(&kept), "it is said aloud: {}", second.outcome);

    let report = run(stage.sunup(&["report"])).await;
    assert!(report.stdout.contains(&kept), "the morning's report says so: {report}");
    let status = run(stage.sunup(&["status"])).await;
    assert!(status.stdout.contains(&kept), "and so does `status`: {status}");
}

/// When `check` was read as "to do", and when the intent was written.
fn story(stage: &Stage, task: &str) -> (Vec<DateTime<Utc>>, Option<DateTime<Utc>>) {
    let ledger = Ledger::open_to_read(&stage.data()).expect("the ledger").expect("a ledger");
    let date = ledger.last_date().expect("a date").expect("a day on record");
    let key = Key::from_ledger(format!("{date}:{task}@main"));
    let events = ledger.events(&key).expect("events");
    let is_check = |event: &Event| matches!(event, Event::Read { which: Which::Check, .. });
    let checks = events.iter().filter(|(_, event)| is_check(event)).map(|(at, _)| *at).collect();
    let intended = events.iter().find(|(_, event)| matches!(event, Event::Intended { .. })).map(|(at, _)| *at);
    (checks, intended)
}

#[tokio::test]
async fn under_a_ledger_that_was_lost_a_task_is_done_after_two_reads_a_settle_apart() {
    let _turn = browser_turn();
    let stage = Stage::new();
    Ledger::open(&stage.data()).expect("a ledger, and its mark");
    fs::remove_file(file(&stage)).expect("the ledger");
    let mut command = stage.rehearsal("fresh");
    command.arg("community/checkin");
    let morning = Morning::of(run(command).await);
    assert_eq!(lost(&morning), [LossKind::Gone], "{}", morning.outcome);
    assert!(morning.status("community/checkin").is_done(), "{}", morning.outcome);
    assert_eq!(stage.counted().get("checkin"), Some(&1));
    let (checks, intended) = story(&stage, "community/checkin");
    assert!(checks.len() == 2 && checks[1] - checks[0] >= TimeDelta::minutes(20), "{checks:?}");
    assert!(intended.is_some_and(|at| at > checks[1]), "{intended:?}");
}

#[tokio::test]
async fn an_older_copy_put_back_does_nothing_twice() {
    let _turn = browser_turn();
    let stage = Stage::new();
    Ledger::open(&stage.data()).expect("a ledger, and its mark");
    let copy = fs::read(file(&stage)).expect("the ledger");
    let first = stage.morning("fresh").await;
    assert_eq!(first.outcome.code, 0, "{}", first.outcome);
    let counted = stage.counted();
    fs::write(file(&stage), copy).expect("the older copy");
    let second = stage.morning("fresh").await;
    assert_eq!(lost(&second), [LossKind::OlderCopy], "{}", second.outcome);
    for task in ALL {
        assert_eq!(second.status(task), Status::AlreadyDone, "{task}: {}", second.outcome);
    }
    for act in ["checkin", "publish", "read"] {
        assert_eq!(stage.counted().get(act), counted.get(act), "{act}");
    }
}

#[tokio::test]
async fn what_is_done_once_for_ever_waits_for_a_person() {
    let _turn = browser_turn();
    let stage = Stage::own().in_chromium();
    stage.edit("tasks/community/publish.yaml", "settle: 5m", "settle: 5m\nperiod: once");
    Ledger::open(&stage.data()).expect("a ledger, and its mark");
    fs::remove_file(file(&stage)).expect("the ledger");
    let publish = || {
        let mut command = stage.rehearsal("fresh");
        command.arg("community/publish");
        run(command)
    };
    let asked = Morning::of(publish().await);
    assert_eq!((asked.outcome.code, asked.status("community/publish")), (5, Status::Blocked), "{}", asked.outcome);
    let reason = asked.json["tickets"][0]["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("ledger lost lines"), "{}", asked.outcome);
    let command = asked.json["tickets"][0]["command"].as_str().unwrap_or_default();
    assert!(command.starts_with("sunup tickets close 1 --config "), "{}", asked.outcome);
    assert_eq!(stage.counted().get("publish"), None);
    assert_eq!(run(stage.sunup(&["tickets", "close", "1"])).await.code, 0);
    let allowed = Morning::of(publish().await);
    assert!(allowed.status("community/publish").is_done(), "{}", allowed.outcome);
    assert_eq!(stage.counted().get("publish"), Some(&1));
}
