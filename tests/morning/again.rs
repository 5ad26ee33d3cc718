//! The same morning again: the ledger knows it all.

use std::fs;

use sunup::run::{FailureKind, Status};

use crate::stage::{Morning, Stage};
use crate::support::{browser_turn, run};

#[tokio::test]
async fn a_second_run_acts_on_nothing_and_starts_no_browser() {
    let _turn = browser_turn();
    second_run(Stage::new()).await;
}

#[tokio::test]
async fn the_same_in_chromium() {
    let _turn = browser_turn();
    second_run(Stage::own().in_chromium()).await;
}

async fn second_run(stage: Stage) {
    stage.place.count_browser_starts();
    let first = stage.morning("fresh").await;
    let (state, starts) = (stage.state(), stage.place.browser_starts());
    assert_eq!(starts, 1, "{}", first.outcome);
    assert_eq!(first.json["report"]["number"], 1);
    assert_eq!(first.json["rehearsal"]["refused_hosts"], serde_json::json!([]), "the browser called somebody");

    let second = stage.morning("fresh").await;
    assert_eq!(second.outcome.code, 0, "{}", second.outcome);
    assert_eq!(second.status("community/checkin"), Status::Success, "it is still told: {}", second.outcome);
    assert_eq!(second.json["runs"], first.json["runs"]);
    assert_eq!(second.json["report"], serde_json::Value::Null, "there is nothing new to report");
    assert_eq!((stage.state(), stage.place.browser_starts()), (state, starts), "{}", second.outcome);

    let report = Morning::of(run(stage.sunup(&["report", "--json"])).await);
    assert_eq!(report.json["number"], 1);
    let mails = fs::read_dir(stage.data().join("mail")).expect("the folder of the mails").flatten();
    let mails = mails.filter(|file| file.path().extension().is_some_and(|ending| ending == "eml"));
    assert_eq!(mails.count(), 1);
}

/// Each try counts towards a lock: a rejected login is typed again only when it is another one.
#[tokio::test]
async fn a_rejected_password_is_not_submitted_again_until_it_changes() {
    let _turn = browser_turn();
    let stage = Stage::own();
    let rejected = |morning: &Morning| {
        let got = (morning.status("community/checkin"), morning.kind("community/checkin"));
        assert_eq!(got, (Status::Blocked, Some(FailureKind::CredentialsRejected)), "{}", morning.outcome);
    };
    rejected(&stage.morning("wrong_password").await);
    assert_eq!(run(stage.sunup(&["tickets", "close", "1"])).await.code, 0);
    rejected(&stage.morning("wrong_password").await);
    assert_eq!(stage.counted().get("sign_in"), Some(&1), "whoever closed the ticket");

    stage.edit("fixtures/community/secrets.yaml", "password: ", "password: another-");
    rejected(&stage.morning("wrong_password").await);
    assert_eq!(stage.counted().get("sign_in"), Some(&2), "another password is tried once");
}
