//! A page that never comes: the attempt has an end, and so has the run, whatever the steps may take.

use std::time::Duration;

use sunup::clock::{Clock, SystemClock};
use sunup::run::{FailureKind, Status};

use crate::stage::{Morning, Stage};
use crate::support::{browser_turn, run};

const HELD: &str = "scenarios:
  held:
    about: The home page never comes.
    routes:
      - request: GET /home
        when: user
        reply: { page: home.html, delay: 86400 }
";

/// The check-in may take a day for one step.
fn stage(lines: &str) -> Stage {
    let stage = Stage::own().in_chromium();
    stage.edit("fixtures/community/site.yaml", "scenarios:\n", HELD);
    stage.edit("tasks/community/checkin.yaml", "- open: /home", "- open: /home\n    timeout: 1d");
    stage.edit("tasks/community/checkin.yaml", "settle: 20m", lines);
    stage
}

async fn check_in(stage: &Stage) -> (Morning, Duration) {
    let clock = SystemClock::new();
    let mut command = stage.rehearsal("held");
    command.arg("community/checkin");
    let morning = Morning::of(run(command).await);
    assert_eq!(stage.place.processes(), Vec::<String>::new(), "{}", morning.outcome);
    assert_eq!(morning.json["report"]["number"], 1, "it reports all the same: {}", morning.outcome);
    assert!(!stage.counted().contains_key("checkin"));
    (morning, clock.uptime())
}

fn message(morning: &Morning) -> String {
    morning.task("community/checkin")["failure"]["message"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn an_attempt_ends_whatever_its_steps_may_take() {
    let _turn = browser_turn();
    let stage = stage("timeout: 10s\nretry: { attempts: 1, series: 1 }");
    let (morning, _) = check_in(&stage).await;
    let got = (morning.status("community/checkin"), morning.kind("community/checkin"));
    assert_eq!(got, (Status::Dead, Some(FailureKind::Timeout)), "{}", morning.outcome);
    assert!(message(&morning).contains("within the attempt's 10 s"), "{}", morning.outcome);
}

#[tokio::test]
async fn the_run_ends_whatever_its_attempts_may_take() {
    let _turn = browser_turn();
    let stage = stage("timeout: 1d");
    stage.edit("sunup.yaml", "format: 1", "format: 1\nlimits: { run: 20s }");
    let (morning, took) = check_in(&stage).await;
    // The key is not given up: it is the next run's.
    assert_eq!(morning.status("community/checkin"), Status::Failed, "{}", morning.outcome);
    assert_eq!(morning.kind("community/checkin"), Some(FailureKind::Timeout), "{}", morning.outcome);
    assert!(took < Duration::from_secs(100), "{took:?}: {}", morning.outcome);
}

/// Virtual time: the pause is no more than a jump of the clock, and nothing is begun behind it.
#[tokio::test]
async fn nothing_is_begun_once_the_run_s_time_is_over() {
    let _turn = browser_turn();
    let stage = Stage::own().in_chromium();
    stage.edit("sunup.yaml", "format: 1", "format: 1\nlimits: { run: 1h }");
    stage.edit("tasks/community/checkin.yaml", "- open: /home", "- pause: 2h\n  - open: /home");
    let morning = stage.morning("fresh").await;
    assert_eq!(morning.status("community/checkin"), Status::Failed, "{}", morning.outcome);
    assert!(message(&morning).contains("limits.run"), "{}", morning.outcome);
    assert_eq!(morning.status("community/publish"), Status::Pending, "{}", morning.outcome);
    assert_eq!(morning.task("community/publish")["reason"]["word"], "run_over", "{}", morning.outcome);
    assert_eq!(stage.counted().get("checkin"), None, "{}", morning.outcome);
    assert_eq!(morning.json["report"]["number"], 1);
}
