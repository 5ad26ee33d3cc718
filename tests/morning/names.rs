//! Under which name a task keeps its keys: `was` and `business_key`.

use std::fs;

use sunup::ledger::Ledger;
use sunup::run::Status;

use crate::stage::{Morning, Stage};
use crate::support::{browser_turn, run};
use crate::tomorrow::days_ahead;

/// The example with its check-in alone.
fn check_in_alone() -> Stage {
    let stage = Stage::own().in_chromium();
    for task in ["read", "publish"] {
        fs::remove_file(stage.file(&format!("tasks/community/{task}.yaml"))).expect("a task of the copy");
    }
    stage
}

/// The check-in, under another name.
fn rename(stage: &Stage) {
    let (old, new) = ("tasks/community/checkin.yaml", "tasks/community/sign.yaml");
    fs::rename(stage.file(old), stage.file(new)).expect("a task of the copy");
    stage.edit(new, "name: 每日签到", "name: 签到\nwas: community/checkin");
}

/// Else the next captcha would open the old ticket again, without a mail of its own.
#[tokio::test]
async fn a_renamed_task_passes_what_it_met_under_its_former_name() {
    let _turn = browser_turn();
    let stage = check_in_alone();
    let numbers = |morning: &Morning| -> Vec<u64> {
        let tickets = morning.json["tickets"].as_array().cloned().unwrap_or_default();
        tickets.iter().filter_map(|ticket| ticket["number"].as_u64()).collect()
    };
    let blocked = stage.morning("slider").await;
    assert_eq!(numbers(&blocked), [1], "{}", blocked.outcome);
    assert_eq!(run(stage.sunup(&["tickets", "close", "1"])).await.code, 0);
    rename(&stage);
    let passed = stage.morning("fresh").await;
    assert_eq!(passed.status("community/sign"), Status::Success, "{}", passed.outcome);
    let next_day = Morning::of(run(days_ahead(stage.rehearsal("slider"), 1)).await);
    assert_eq!(numbers(&next_day), [2], "{}", next_day.outcome);
}

#[tokio::test]
async fn a_renamed_task_keeps_what_it_did() {
    let _turn = browser_turn();
    let stage = check_in_alone();
    stage.place.count_browser_starts();
    let morning = stage.morning("fresh").await;
    assert_eq!(morning.status("community/checkin"), Status::Success, "{}", morning.outcome);

    rename(&stage);
    let again = stage.morning("fresh").await;
    assert_eq!(again.status("community/sign"), Status::Success, "{}", again.outcome);
    assert_eq!(again.json["runs"].as_array().map(Vec::len), Some(1), "{}", again.outcome);
    assert_eq!(stage.place.browser_starts(), 1, "it was looked at again: {}", again.outcome);
}

/// The site says "ok" and counts nothing, so that neither its pages nor its points would keep a second one from acting; and
/// the second one's proof would hold for anybody.
#[tokio::test]
async fn two_tasks_with_one_business_key_act_once_and_do_not_judge_each_other() {
    let _turn = browser_turn();
    let stage = check_in_alone();
    let file = "tasks/community/checkin.yaml";
    stage.edit(file, "name: 每日签到", "name: 每日签到\nbusiness_key: \"signing/{{ account.id }}\"");
    stage.edit(file, "settle: 20m", "settle: 2h");
    // It stands before the other one, which comes first all the same.
    let other = "tasks/community/a_sign.yaml";
    fs::copy(stage.file(file), stage.file(other)).expect("a task of the copy");
    let proof = "    - use: points                           # the site's points details, read afresh\n  done: count(details, title=\"每日签到\") == 1";
    let anybody =
        "    - fetch: /api/me\n      read:\n        user: { text: json.user }\n  done: user == account.username";
    stage.edit(other, proof, anybody);
    let mut first = stage.rehearsal("lying_toast");
    first.arg("community/checkin");
    let first = Morning::of(run(first).await);
    assert_eq!(first.status("community/checkin"), Status::Unconfirmed, "{}", first.outcome);

    let morning = stage.morning("lying_toast").await;
    assert_eq!(morning.status("community/checkin"), Status::Unconfirmed, "{}", morning.outcome);
    assert_eq!(morning.status("community/a_sign"), Status::Pending, "{}", morning.outcome);
    let reason = &morning.task("community/a_sign")["reason"];
    let told = (&reason["word"], &reason["detail"]);
    assert_eq!(told, (&"in_flight".into(), &"community/checkin".into()), "{}", morning.outcome);

    let ledger = Ledger::open(&stage.data()).expect("the ledger");
    let date = ledger.last_date().expect("an answer").expect("a date");
    let keys = ledger.keys_of(date).expect("the keys");
    let [line] = keys.as_slice() else { panic!("{keys:?}") };
    assert!(line.row.key.as_str().ends_with(":signing/main@main"), "{}", line.row.key);
    assert_eq!(ledger.sent_intents(&line.row.key).expect("intents"), 1);
}
