//! Sessions are kept: a second morning signs in nobody, also where the session's cookie dies with the browser.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::Value as Json;
use sunup::run::Status;

use crate::stage::{Morning, Stage};
use crate::support::{browser_turn, run};
use crate::tomorrow::days_ahead;

fn stage() -> Stage {
    let stage = Stage::own();
    stage.edit("fixtures/community/site.yaml", "session: sid\n", "session: sid\nsession_lasts: browser\n");
    stage.edit("tasks/community/site.yaml", "  verify: check\n", "  verify: check\n  session: 30d\n");
    stage
}

fn sealed(stage: &Stage) -> PathBuf {
    stage.data().join("sessions/community/main.sealed")
}

/// The check-in of a later day.
async fn checkin(stage: &Stage, days: u32) -> Morning {
    let mut command = stage.rehearsal("fresh");
    command.arg("community/checkin");
    let morning = Morning::of(run(days_ahead(command, days)).await);
    assert_eq!(morning.status("community/checkin"), Status::Success, "{}", morning.outcome);
    morning
}

fn sign_ins(stage: &Stage) -> Option<u64> {
    stage.counted().get("sign_in").copied()
}

#[tokio::test]
async fn a_cookie_that_dies_with_the_browser_is_there_on_the_next_morning() {
    let _turn = browser_turn();
    let stage = stage();
    checkin(&stage, 0).await;
    assert_eq!(sign_ins(&stage), Some(1));
    let file = sealed(&stage);
    let mode = |file: &PathBuf| fs::metadata(file).expect("a sealed file").permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(&stage.data().join("session.key"))), (0o600, 0o600));
    let bytes = fs::read(&file).expect("a sealed file");
    let state = stage.state();
    let tokens: Vec<&String> = state["state"]["sessions"].as_object().expect("sessions").keys().collect();
    assert!(!tokens.is_empty());
    for token in tokens {
        assert!(!bytes.windows(token.len()).any(|piece| piece == token.as_bytes()), "the cookie lies open");
    }

    let second = checkin(&stage, 1).await;
    assert_eq!(sign_ins(&stage), Some(1), "a second morning signs in nobody: {}", second.outcome);
    let status: Json = Morning::of(run(stage.sunup(&["status", "--json"])).await).json;
    let session = &status["sessions"][0];
    assert_eq!((session["account"].as_str(), session["by_person"].as_bool()), (Some("main"), Some(false)), "{status}");
    let at = |field: &str| session[field].as_str().unwrap().parse::<chrono::DateTime<chrono::Utc>>().unwrap();
    assert_eq!((at("until") - at("since")).num_days(), 30, "{status}");

    // Whoever may read it may be anybody: it is not used, and not thrown away.
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let open = checkin(&stage, 2).await;
    assert!(open.outcome.stderr.contains("chmod 600"), "{}", open.outcome);
    assert_eq!(sign_ins(&stage), Some(2), "{}", open.outcome);

    let mut bytes = fs::read(&file).expect("a sealed file");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, bytes).unwrap();
    let damaged = checkin(&stage, 3).await;
    assert!(damaged.outcome.stderr.contains("set aside"), "{}", damaged.outcome);
    assert_eq!(sign_ins(&stage), Some(3), "{}", damaged.outcome);
    let kept = fs::read_dir(file.parent().unwrap()).unwrap().flatten();
    let names: Vec<String> = kept.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    assert!(names.iter().any(|name| name.contains("damaged")), "{names:?}");
    checkin(&stage, 4).await;
    assert_eq!(sign_ins(&stage), Some(3));
}

/// The same commands in the other browser.
#[tokio::test]
async fn the_next_morning_signs_in_nobody_in_chromium_either() {
    let _turn = browser_turn();
    let stage = stage().in_chromium();
    checkin(&stage, 0).await;
    let second = checkin(&stage, 1).await;
    assert!(sealed(&stage).is_file(), "{}", second.outcome);
    assert_eq!(sign_ins(&stage), Some(1), "{}", second.outcome);
}

#[tokio::test]
async fn a_hint_comes_before_a_session_ends() {
    let _turn = browser_turn();
    let stage = stage();
    let report = |days: u32| {
        let stage = &stage;
        async move { Morning::of(run(days_ahead(stage.sunup(&["status", "--json"]), days)).await).json }
    };
    checkin(&stage, 0).await;
    assert_eq!(report(20).await["sessions"][0]["ends_soon"], false);
    assert_eq!(report(28).await["sessions"][0]["ends_soon"], true);
    let later = run(days_ahead(stage.sunup(&["status"]), 28)).await;
    assert!(later.stdout.contains("sunup sign-in"), "{later}");
}
