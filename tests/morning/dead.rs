//! What is dead waits for a person: to be taken note of, or to be ordered to go on.

use serde_json::Value as Json;
use sunup::run::Status;

use crate::stage::Stage;
use crate::support::{Outcome, browser_turn, run};

async fn dead(stage: &Stage, arguments: &[&str]) -> Outcome {
    run(stage.sunup(&[&["dead"], arguments].concat())).await
}

fn json(outcome: &Outcome) -> Json {
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("no JSON: {error}\n{outcome}"))
}

#[tokio::test]
async fn a_dead_task_goes_on_by_a_person_s_order_alone() {
    let _turn = browser_turn();
    let stage = Stage::at_noon().in_chromium();
    let first = stage.morning("no_effect").await;
    assert_eq!(first.status("community/checkin"), Status::Dead, "{}", first.outcome);
    let again = stage.morning("fresh").await;
    assert_eq!(again.status("community/checkin"), Status::Dead, "{}", again.outcome);
    assert_eq!(stage.counted().get("checkin"), None, "nobody ordered anything");

    let listed = dead(&stage, &["--json"]).await;
    let letters = json(&listed);
    assert_eq!((listed.code, letters.as_array().map(Vec::len)), (4, Some(1)), "{listed}");
    assert_eq!((&letters[0]["can_go_on"], &letters[0]["run"]["task"]), (&true.into(), &"community/checkin".into()));
    assert_eq!(letters[0]["run"]["failure"]["kind"], "no_effect", "{listed}");
    let key = letters[0]["key"].as_str().expect("a key").to_owned();
    let shown = dead(&stage, &[]).await;
    assert!(shown.stdout.contains(&key) && shown.stdout.contains("sunup dead retry"), "{shown}");

    let wrong = dead(&stage, &["retry", "community/publish"]).await;
    assert!(wrong.code == 2 && wrong.stderr.contains("is no dead letter"), "{wrong}");
    let ordered = dead(&stage, &["retry", "community/checkin", "--json"]).await;
    assert_eq!((ordered.code, &json(&ordered)["ordered"][0]), (0, &key.as_str().into()), "{ordered}");
    assert_eq!(dead(&stage, &[]).await.code, 0, "it is not dead any more");
    let last = stage.morning("fresh").await;
    // Ordered after its grace was over.
    assert_eq!(last.status("community/checkin"), Status::Compensated, "{}", last.outcome);
    assert_eq!(stage.counted().get("checkin"), Some(&1), "{}", last.outcome);
}

#[tokio::test]
async fn a_dead_letter_is_told_of_until_a_person_has_taken_note() {
    let _turn = browser_turn();
    let stage = Stage::at_noon().in_chromium();
    let mut command = stage.rehearsal("no_effect");
    command.arg("community/checkin");
    run(command).await;
    let noted = dead(&stage, &["acknowledge", "--all"]).await;
    assert!(noted.code == 0 && noted.stdout.contains("community/checkin@main"), "{noted}");
    let left = dead(&stage, &["--json"]).await;
    assert_eq!((left.code, json(&left)), (0, Json::Array(Vec::new())), "{left}");
    let unknown = dead(&stage, &["acknowledge", "community/checkin"]).await;
    assert!(unknown.code == 2 && unknown.stderr.contains("`sunup dead` lists them"), "{unknown}");
    let status = run(stage.sunup(&["status"])).await;
    assert!(status.stdout.contains("（dead）"), "noted is not undone: {status}");
    let history = run(stage.sunup(&["history", "checkin", "--days", "2"])).await;
    assert!(history.stdout.contains("（dead）") && history.stdout.contains("每日签到"), "{history}");
    let others = run(stage.sunup(&["history", "publish", "--json"])).await;
    assert_eq!((others.code, json(&others)["days"].clone()), (0, Json::Array(Vec::new())), "{others}");
    for wrong in [&["history", "nobody"][..], &["history", "--days", "0"]] {
        assert_eq!(run(stage.sunup(wrong)).await.code, 2, "{wrong:?}");
    }
}
