//! Several lanes at work at one time: the example site and a second one like it, each with an account of its own.

use std::fs;

use chrono::{DateTime, TimeDelta, Utc};
use sunup::clock::{Clock, SystemClock};
use sunup::ledger::Ledger;
use sunup::run::{Event, FailureKind, Status};

use crate::stage::{Morning, Stage};
use crate::support::{browser_turn, run};

const PARALLEL: (&str, &str) = ("headless: true", "headless: true\n  parallel: 2");

/// The example with a second site beside it, and with two short tasks each.
fn two_sites() -> Stage {
    let stage = Stage::own();
    for folder in ["tasks", "fixtures"] {
        stage.copy_folder(&format!("{folder}/community"), &format!("{folder}/second"));
    }
    for site in ["community", "second"] {
        fs::remove_file(stage.file(&format!("tasks/{site}/read.yaml"))).expect("a task of the copy");
    }
    stage.edit("tasks/second/site.yaml", "community.example", "second.example");
    stage
}

/// Runs it, and counts the drivers that are at work at one time meanwhile.
async fn watched(stage: &Stage, scenario: &str) -> (Morning, usize) {
    let clock = SystemClock::new();
    let mut most = 0;
    let mut running = std::pin::pin!(run(stage.rehearsal(scenario)));
    loop {
        tokio::select! {
            outcome = &mut running => return (Morning::of(outcome), most),
            () = clock.sleep_real(std::time::Duration::from_millis(50)) => {
                let drivers = stage.place.processes().iter().filter(|name| name.ends_with("driver")).count();
                most = most.max(drivers);
            }
        }
    }
}

/// When the first such event of a task was written down.
fn when(stage: &Stage, task: &str, wanted: impl Fn(&Event) -> bool) -> DateTime<Utc> {
    let ledger = Ledger::open(&stage.data()).expect("the ledger");
    let date = ledger.last_date().expect("an answer").expect("a date");
    let keys = ledger.keys_of(date).expect("the keys");
    let line = keys.iter().find(|line| format!("{}/{}", line.row.lane.site, line.row.task) == task);
    let events = ledger.events(&line.expect("the key").row.key).expect("its events");
    events.iter().find(|(_, event)| wanted(event)).unwrap_or_else(|| panic!("{task}: {events:?}")).0
}

fn assert_all_done(morning: &Morning) {
    for task in ["community/checkin", "community/publish", "second/checkin", "second/publish"] {
        assert_eq!(morning.status(task), Status::Success, "{task}\n{}", morning.outcome);
    }
}

fn assert_each_once(stage: &Stage) {
    for site in ["community", "second"] {
        let counted = stage.counted_by(site);
        let of = |name: &str| counted.get(name).copied().unwrap_or_default();
        assert_eq!((of("sign_in"), of("checkin"), of("publish")), (1, 1, 1), "{site}: {counted:?}");
    }
}

#[tokio::test]
async fn two_lanes_work_at_one_time_and_one_goes_on_when_the_other_has_done_what_it_waits_for() {
    let _turn = browser_turn();
    let stage = two_sites();
    stage.edit("sunup.yaml", PARALLEL.0, PARALLEL.1);
    // The first site takes its time for one page, which the task gives it.
    let slow = "routes:\n  - request: GET /home\n    when: user\n    reply: { page: home.html, delay: 40 }\n";
    stage.edit(
        "fixtures/community/site.yaml",
        "routes:\n  - request: GET /style.css",
        &format!("{slow}  - request: GET /style.css"),
    );
    stage.edit("tasks/community/checkin.yaml", "- open: /home", "- open: /home\n    timeout: 100s");
    stage.edit("tasks/second/publish.yaml", "name: 每日一文", "name: 每日一文\nrequires:\n  - task: community/checkin");
    let (morning, drivers) = watched(&stage, "fresh").await;
    assert_all_done(&morning);
    assert_each_once(&stage);
    assert_eq!(drivers, 2, "{}", morning.outcome);

    let acts = |event: &Event| matches!(event, Event::Intended { .. });
    let first_acts = when(&stage, "community/checkin", acts);
    assert!(when(&stage, "second/checkin", acts) < first_acts, "the second lane waited for the first");
    let proof = |event: &Event| matches!(event, Event::Read { which: sunup::run::Which::Verify, .. });
    let (proved, begun) = (when(&stage, "community/checkin", proof), when(&stage, "second/publish", |_| true));
    // Without being told it would look again a minute after it looked last.
    assert!(proved <= begun && begun - proved < TimeDelta::seconds(10), "{proved} {begun}");
    assert!(first_acts - when(&stage, "community/checkin", |_| true) < TimeDelta::minutes(2), "the time leapt");
}

#[tokio::test]
async fn without_parallel_there_is_one_browser_at_a_time() {
    let _turn = browser_turn();
    let stage = two_sites();
    let (morning, drivers) = watched(&stage, "fresh").await;
    assert_all_done(&morning);
    assert_each_once(&stage);
    assert_eq!(drivers, 1, "{}", morning.outcome);
}

#[tokio::test]
async fn an_account_that_blocks_does_not_hold_up_the_other() {
    let _turn = browser_turn();
    let stage = two_sites().in_chromium();
    stage.edit("sunup.yaml", PARALLEL.0, PARALLEL.1);
    stage.edit("fixtures/second/site.yaml", "  slider:\n", "  not_here:\n");
    let morning = stage.morning("slider").await;
    let of = |task| (morning.status(task), morning.kind(task));
    assert_eq!(of("community/checkin"), (Status::Blocked, Some(FailureKind::Captcha)), "{}", morning.outcome);
    for task in ["second/checkin", "second/publish"] {
        assert_eq!(morning.status(task), Status::Success, "{task}\n{}", morning.outcome);
    }
    assert_eq!(morning.json["report"]["number"], 1);
}

/// The key for the fingerprints of logins cannot be read, so that one lane ends with a fault of ours; the other site asks
/// for no login.
#[tokio::test]
async fn a_fault_of_ours_in_one_lane_is_told_after_the_others_are_done_and_reported() {
    let _turn = browser_turn();
    let stage = two_sites();
    let known = "routes:\n  - request: GET /api/me\n    when: not user\n    do:\n      - sign_in: =\"linxiaoman\"\n    reply: { json: { user: linxiaoman, signed: false } }\n";
    stage.edit(
        "fixtures/second/site.yaml",
        "routes:\n  - request: GET /style.css",
        &format!("{known}  - request: GET /style.css"),
    );
    fs::create_dir_all(stage.data().join("fingerprint.key")).expect("a folder in place of the file");
    let ended = run(stage.rehearsal("fresh")).await;
    let said = &ended.stderr;
    assert_eq!(ended.code, 1, "{said}");
    assert!(said.contains("fingerprint.key") && said.contains("community@main"), "{said}");
    let report = Morning::of(run(stage.sunup(&["report", "--json"])).await);
    for task in ["second/checkin", "second/publish"] {
        assert_eq!(report.status(task), Status::Success, "{task}\n{said}");
    }
    assert_eq!((report.status("community/checkin").is_done(), &report.json["number"]), (false, &1.into()), "{said}");
    assert!(stage.data().join("mail").is_dir(), "the report was not sent: {said}");
    assert_eq!(stage.place.processes(), Vec::<String>::new());
}
