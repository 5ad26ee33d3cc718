//! What is wrong with the machine, the files or the command line is said in one clear line, with what to do.

use std::fs;
use std::process::Stdio;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use sunup::clock::{Clock, SystemClock};
use sunup::ledger::{KeyRow, Ledger};
use sunup::run::{Event, FailureKind, Key, Lane, Status, TaskRun};
use sunup::timing::{Calendar, PeriodKind, Window};

use crate::stage::{Morning, Stage};
use crate::support::{Outcome, browser_turn, program, run};

/// Runs a rehearsal with these further arguments.
async fn rehearse(stage: &Stage, arguments: &[&str]) -> Outcome {
    let mut command = stage.sunup(&["run", "--dry-run"]);
    command.args(arguments);
    run(command).await
}

/// It ended with this code, and said these words in few lines.
fn assert_said(outcome: &Outcome, code: i32, words: &[&str]) {
    assert_eq!(outcome.code, code, "{outcome}");
    for word in words {
        assert!(outcome.stderr.contains(word), "it does not say `{word}`: {outcome}");
    }
    assert!(!outcome.stderr.contains("panicked"), "{outcome}");
}

#[tokio::test]
async fn a_missing_program_is_named_with_its_mend() {
    let cases = [
        ("driver: geckodriver", "driver: /nowhere/geckodriver", "cargo install --locked geckodriver"),
        ("headless: true", "headless: true\n  binary: /nowhere/firefox", "apt-get install firefox-esr"),
        ("driver: geckodriver", "driver: /nowhere/chromedriver", "apt-get install chromium-driver"),
    ];
    for (old, new, mend) in cases {
        let stage = Stage::own();
        stage.edit("sunup.yaml", old, new);
        let morning = stage.morning("fresh").await;
        assert_eq!(morning.outcome.code, 4, "{}", morning.outcome);
        let message = morning.task("community/checkin")["failure"]["message"].as_str().expect("a message").to_owned();
        assert!(message.contains("/nowhere/") && message.contains(mend) && message.lines().count() == 1, "{message}");
        for task in ["community/checkin", "community/publish", "community/read"] {
            let got = (morning.status(task), morning.kind(task));
            assert_eq!(got, (Status::Failed, Some(FailureKind::Environment)), "{task}: {}", morning.outcome);
        }
        assert_eq!(stage.counted().len(), 0);
    }
}

#[tokio::test]
async fn a_data_folder_that_cannot_be_written_is_named() {
    let stage = Stage::new();
    fs::write(stage.place.path("file"), "").expect("a file");
    // Even root can make no folder below these.
    for folder in [stage.place.path("file/data"), "/proc/sunup".into(), "/dev/null/data".into()] {
        let folder = folder.display().to_string();
        let outcome =
            run(stage.place.sunup(&["run", "--dry-run", "--data", &folder, "--config", &stage.config()])).await;
        assert_said(&outcome, 1, &[&folder, "cannot be written", "--data"]);
        assert_eq!(outcome.stderr.trim_end().lines().count(), 1, "{outcome}");
    }
    fs::create_dir_all(stage.data().join("ledger.db")).expect("a folder");
    assert_said(&rehearse(&stage, &[]).await, 1, &["ledger.db", "cannot be written"]);
}

#[tokio::test]
async fn a_full_disk_is_named() {
    let stage = Stage::new();
    // The ledger cannot grow beyond 8 blocks of 512 bytes.
    let script =
        format!("trap '' XFSZ; ulimit -f 8; exec \"$0\" run --dry-run --config '{}' --data data", stage.config());
    let mut command = tokio::process::Command::new("/bin/sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_sunup")]).current_dir(stage.place.path(""));
    let outcome = run(command).await;
    assert_said(&outcome, 1, &["ledger.db"]);
}

#[tokio::test]
async fn names_that_do_not_exist_are_refused_with_those_that_do() {
    let stage = Stage::own();
    assert_said(&rehearse(&stage, &["--scenario", "nonesuch"]).await, 2, &["nonesuch", "late_credit"]);
    assert_said(&rehearse(&stage, &["community/nonesuch"]).await, 2, &["community/nonesuch", "sunup validate"]);
    assert_said(&run(stage.sunup(&["run", "--scenario", "fresh"])).await, 2, &["--dry-run"]);
    assert!(!stage.data().exists(), "a command that was refused leaves nothing");
}

#[tokio::test]
async fn a_site_without_fixtures_is_named() {
    let stage = Stage::own();
    fs::rename(stage.file("fixtures/community"), stage.file("fixtures/elsewhere")).expect("a folder");
    assert_said(&rehearse(&stage, &[]).await, 3, &["fixtures/community"]);
}

#[tokio::test]
async fn broken_files_are_refused_with_their_place() {
    let stage = Stage::own();
    stage.edit("tasks/community/checkin.yaml", "commit: true", "commit: maybe");
    let outcome = rehearse(&stage, &[]).await;
    assert_said(&outcome, 3, &["checkin.yaml", "commit"]);
    stage.edit("tasks/community/checkin.yaml", "commit: maybe", "commit: true");
    stage.edit("fixtures/community/site.yaml", "scenarios:\n", "scenarios: [\n");
    assert_said(&rehearse(&stage, &[]).await, 3, &["fixtures/community/site.yaml"]);
    let outcome = run(stage.place.sunup(&["run", "--dry-run", "--config", "/nowhere/sunup.yaml"])).await;
    assert_said(&outcome, 3, &["/nowhere/sunup.yaml"]);
}

#[tokio::test]
async fn proxies_of_the_environment_have_no_say() {
    let _turn = browser_turn();
    let stage = Stage::new();
    let mut command = stage.rehearsal("fresh");
    command.arg("community/checkin");
    for name in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        command.env(name, "http://127.0.0.1:1");
    }
    let morning = Morning::of(run(command).await);
    assert_eq!(morning.status("community/checkin"), Status::Success, "{}", morning.outcome);
}

#[tokio::test]
async fn an_empty_environment_is_enough_for_a_rehearsal() {
    let _turn = browser_turn();
    let stage = Stage::own();
    stage.edit("sunup.yaml", "driver: geckodriver", &format!("driver: {}", program("geckodriver").display()));
    let mut command = stage.rehearsal("fresh");
    command.arg("community/checkin").env_clear();
    let morning = Morning::of(run(command).await);
    assert_eq!(morning.status("community/checkin"), Status::Success, "{}", morning.outcome);
}

#[tokio::test]
async fn before_the_first_run_there_is_nothing_to_tell_and_that_is_json_too() {
    let stage = Stage::new();
    for (command, said) in [("status", json!([])), ("report", json!(null)), ("tickets", json!(null))] {
        let told = Morning::of(run(stage.sunup(&[command, "--json"])).await);
        assert_eq!((told.outcome.code, told.json["runs"].clone()), (0, said), "{command}: {}", told.outcome);
    }
}

#[tokio::test]
async fn without_a_home_the_ledger_wants_a_place() {
    let stage = Stage::new();
    for command in [&["run"], &["status"]] {
        let mut command = stage.place.sunup(command);
        command.arg("--config").arg(stage.config()).env_clear().stdin(Stdio::null());
        assert_said(&run(command).await, 1, &["--data", "$HOME"]);
    }
}

/// A clock that is set back must not make yesterday's work today's again.
#[tokio::test]
async fn a_clock_that_shows_less_than_the_ledger_stops_everything() {
    let stage = Stage::at_noon();
    stage.place.count_browser_starts();
    let now = SystemClock::new().now();
    record_something(&stage, now + TimeDelta::hours(1));
    let morning = Morning::of(run(stage.real_run(&["--json"])).await);
    for task in ["community/checkin", "community/publish", "community/read"] {
        let got = (morning.status(task), morning.kind(task));
        assert_eq!(got, (Status::Failed, Some(FailureKind::Environment)), "{task}: {}", morning.outcome);
        let message = morning.task(task)["failure"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("clock is wrong"), "{message}");
    }
    assert_eq!(stage.place.browser_starts(), 0, "{}", morning.outcome);
}

/// A line in the ledger of this time, about a task that is over.
fn record_something(stage: &Stage, at: DateTime<Utc>) {
    let ledger = Ledger::open(&stage.data()).expect("a ledger");
    let calendar = Calendar { zone: chrono_tz::UTC, starts_at: chrono::NaiveTime::MIN };
    let (period, window) = (calendar.period(PeriodKind::Day, at), Window { slot: at, until: at + TimeDelta::hours(1) });
    let lane = Lane { site: "elsewhere".into(), account: "main".into() };
    let key = Key::new(&period, &lane, "other");
    let row = KeyRow { key: key.clone(), lane, task: "other".into(), period, window, report_date: period.day };
    ledger.open_key(&row, at).expect("a key");
    let event = Event::Closed { status: Status::Skipped, reason: "missed".into() };
    let mut state = TaskRun::default();
    state.status = Status::Skipped;
    ledger.append("earlier", &key, at, &event, &state).expect("a line");
}
