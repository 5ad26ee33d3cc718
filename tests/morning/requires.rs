//! Requirements that others answer: a program, a request.

use sunup::ledger::Ledger;
use sunup::run::{Key, Status};

use crate::stage::Stage;
use crate::support::{browser_turn, run};

const TASK: &str = "tasks/community/checkin.yaml";

fn requiring(stage: &Stage, requirement: &str) {
    stage.edit(TASK, "name: 每日签到", &format!("name: 每日签到\nrequires:\n  - {requirement}"));
}

#[tokio::test]
async fn a_rehearsal_asks_nobody_outside() {
    let _turn = browser_turn();
    let stage = Stage::own().in_chromium();
    requiring(&stage, "command: [touch, was-asked]\n  - http: \"http://127.0.0.1:1/\"");
    let morning = stage.morning("fresh").await;
    assert_eq!(morning.status("community/checkin"), Status::Success, "{}", morning.outcome);
    assert!(!stage.file("was-asked").exists());
}

/// No browser starts, and the program is asked where its answer matters, and only there.
#[tokio::test]
async fn a_task_waits_for_a_program_that_says_no() {
    let stage = Stage::at_noon().in_chromium();
    stage.place.count_browser_starts();
    stage.edit("sunup.yaml", "format: 1", "format: 1\nlimits: { run: 2s }");
    requiring(&stage, "command: [sh, -c, \"echo asked {{ account.id }} >> asked; test -e ready\"]");
    let outcome = run(stage.real_run(&["--json", "community/checkin"])).await;
    let ledger = Ledger::open_to_read(&stage.data()).expect("the ledger").expect("a ledger");
    let date = ledger.last_date().expect("a date").expect("a day on record");
    let key = Key::from_ledger(format!("{date}:community/checkin@main"));
    let decision = ledger.last_decision(&key).expect("a ledger");
    assert_eq!(decision.as_deref(), Some("not_ready: command sh: it ended with 1"), "{outcome}");
    assert_eq!(stage.place.browser_starts(), 0, "{outcome}");
    let asked = std::fs::read_to_string(stage.file("asked")).expect("it was asked");
    assert_eq!(asked.lines().next(), Some("asked main"));
}
