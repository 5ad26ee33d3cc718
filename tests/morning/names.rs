//! Under which name a task keeps its keys: `was` and `business_key`.

use std::fs;

use sunup::ledger::Ledger;
use sunup::run::Status;

use crate::stage::Stage;
use crate::support::browser_turn;

/// The example with its check-in alone.
fn check_in_alone() -> Stage {
    let stage = Stage::own();
    for task in ["read", "publish"] {
        fs::remove_file(stage.file(&format!("tasks/community/{task}.yaml"))).expect("a task of the copy");
    }
    stage
}

#[tokio::test]
async fn a_renamed_task_keeps_what_it_did() {
    let _turn = browser_turn();
    let stage = check_in_alone();
    stage.place.count_browser_starts();
    let morning = stage.morning("fresh").await;
    assert_eq!(morning.status("community/checkin"), Status::Success, "{}", morning.outcome);

    let (old, new) = ("tasks/community/checkin.yaml", "tasks/community/sign.yaml");
    fs::rename(stage.file(old), stage.file(new)).expect("a task of the copy");
    stage.edit(new, "name: 每日签到", "name: 签到\nwas: community/checkin");
    let again = stage.morning("fresh").await;
    assert_eq!(again.status("community/sign"), Status::Success, "{}", again.outcome);
    assert_eq!(again.json["runs"].as_array().map(Vec::len), Some(1), "{}", again.outcome);
    assert_eq!(stage.place.browser_starts(), 1, "it was looked at again: {}", again.outcome);
}

/// The site says "ok" and counts nothing, so that neither its pages nor its points would keep the second one from acting.
#[tokio::test]
async fn two_tasks_with_one_business_key_act_once() {
    let _turn = browser_turn();
    let stage = check_in_alone();
    let file = "tasks/community/checkin.yaml";
    stage.edit(file, "name: 每日签到", "name: 每日签到\nbusiness_key: \"signing/{{ account.id }}\"");
    fs::copy(stage.file(file), stage.file("tasks/community/sign.yaml")).expect("a task of the copy");
    // The second one's proof would hold for anybody.
    let proof = "    - use: points                           # the site's points details, read afresh\n  done: count(details, title=\"每日签到\") == 1";
    let anybody =
        "    - fetch: /api/me\n      read:\n        user: { text: json.user }\n  done: user == account.username";
    stage.edit("tasks/community/sign.yaml", proof, anybody);
    let morning = stage.morning("lying_toast").await;
    let ledger = Ledger::open(&stage.data()).expect("the ledger");
    let date = ledger.last_date().expect("an answer").expect("a date");
    let keys = ledger.keys_of(date).expect("the keys");
    let [line] = keys.as_slice() else { panic!("{keys:?}") };
    assert!(line.row.key.as_str().ends_with(":signing/main@main"), "{}", line.row.key);
    assert_eq!(ledger.sent_intents(&line.row.key).expect("intents"), 1);

    assert_eq!(morning.status("community/checkin"), Status::Dead, "{}", morning.outcome);
    assert_eq!(morning.status("community/sign"), Status::Skipped, "{}", morning.outcome);
    let reason = &morning.task("community/sign")["reason"];
    assert_eq!(
        (&reason["word"], &reason["detail"]),
        (&"closed".into(), &"community/checkin".into()),
        "{}",
        morning.outcome
    );
}
