//! The runner is killed in the middle of a morning, its browser stays behind, and it is started again.

use std::fs;
use std::process::Stdio;

use sunup::run::Status;

use crate::stage::Stage;
use crate::support::{browser_turn, until};

/// Scenarios in which the site keeps the browser waiting once, at one point of the morning, and remembers that it does.
pub const HELD: &str = "scenarios:
  held_sign_in:
    about: The first submission of the form is counted; its answer does not come.
    set: { held: false }
    routes:
      - request: POST /login
        when: not state.held
        do:
          - set: { held: true }
            count: sign_in
        reply: { redirect: /, delay: 3600 }
  held_home:
    about: The home page does not come the first time.
    set: { held: false }
    routes:
      - request: GET /home
        when: user and not state.held
        do:
          - set: { held: true }
        reply: { page: home.html, delay: 3600 }
  held_points:
    about: After the check-in, the points details do not come the first time.
    set: { held: false }
    routes:
      - request: GET /points
        when: user and state.signed[user][day] is defined and not state.held
        do:
          - set: { held: true }
        reply: { page: points.html, delay: 3600 }
";

/// As a row of the browser's cookies has it: name, value, host follow each other; this is the host.
const SESSION: &[u8] = b"community.example";

const TASKS: [&str; 3] = ["community/checkin", "community/publish", "community/read"];

fn stage() -> Stage {
    let stage = Stage::own();
    stage.edit("fixtures/community/site.yaml", "scenarios:\n", HELD);
    stage
}

/// Starts a morning, and kills the runner, and nothing but it, as soon as the site is where `there` says.
async fn kill(stage: &Stage, scenario: &str, there: impl Fn(&Stage) -> bool) {
    let mut runner = stage.rehearsal(scenario).stdout(Stdio::null()).spawn().expect("the program starts");
    until("the site is at the point of the kill", || {
        assert_eq!(runner.try_wait().expect("a runner"), None, "the morning ended before the kill");
        there(stage)
    })
    .await;
    runner.kill().await.expect("a runner");
    let left = stage.place.processes();
    let is_left = |names: [&str; 2]| left.iter().any(|name| names.contains(&name.as_str()));
    assert!(is_left(["geckodriver", "chromedriver"]), "the kill took the driver with it: {left:?}");
    assert!(is_left(["firefox-esr", "chromium"]), "the kill took the browser with it: {left:?}");
}

/// The next run does what is left, and nothing a second time; what the killed one left is gone.
async fn ends_well(stage: &Stage, scenario: &str, sign_ins: u64) {
    let acts = stage.counted();
    let morning = stage.morning(scenario).await;
    for task in TASKS {
        assert_eq!(morning.status(task), Status::Success, "{scenario}: {task}\n{}", morning.outcome);
    }
    let counted = stage.counted();
    let once = [("checkin", 1), ("publish", 1), ("read", 5), ("sign_in", sign_ins)];
    let once = once.map(|(name, count)| (name.to_owned(), count)).into();
    assert_eq!(counted, once, "{scenario}, killed after {acts:?}\n{}", morning.outcome);
    assert_eq!(morning.outcome.code, 0, "{}", morning.outcome);

    assert_eq!(stage.place.processes(), Vec::<String>::new(), "{scenario}");
    for folder in [stage.data().join("browsers"), stage.place.path("tmp")] {
        let left: Vec<_> = fs::read_dir(&folder).expect("a folder").flatten().map(|entry| entry.path()).collect();
        assert!(left.is_empty(), "{scenario} left {left:?}");
    }
}

fn held(stage: &Stage) -> bool {
    stage.state()["state"]["held"] == true
}

/// True once the browser has the session on disk, which it writes there a moment after the sign-in: a browser that is killed
/// before has lost it, and the next run signs in anew.
fn has_session(stage: &Stage) -> bool {
    let profile = stage.data().join("profiles/community/main");
    let files = ["cookies.sqlite", "cookies.sqlite-wal", "Default/Cookies"];
    let kept = files.map(|name| fs::read(profile.join(name)).unwrap_or_default());
    let names = |bytes: &Vec<u8>| bytes.windows(SESSION.len()).any(|piece| piece == SESSION);
    kept.iter().any(names)
}

#[tokio::test]
async fn after_the_click_it_is_not_clicked_again() {
    let _turn = browser_turn();
    let stage = stage();
    kill(&stage, "unanswered", |stage| stage.counted().contains_key("checkin") && has_session(stage)).await;
    ends_well(&stage, "unanswered", 1).await;
}

/// Chromium writes its cookies down every half a minute: so long the click must wait for its answer.
#[tokio::test]
async fn after_the_click_it_is_not_clicked_again_in_chromium() {
    let _turn = browser_turn();
    let stage = stage().in_chromium();
    stage.edit("tasks/community/checkin.yaml", "commit: true", "timeout: 100s\n    commit: true");
    kill(&stage, "unanswered", |stage| stage.counted().contains_key("checkin") && has_session(stage)).await;
    ends_well(&stage, "unanswered", 1).await;
}

#[tokio::test]
async fn in_the_sign_in_one_more_submission_is_made_in_chromium() {
    let _turn = browser_turn();
    let stage = stage().in_chromium();
    kill(&stage, "held_sign_in", held).await;
    ends_well(&stage, "held_sign_in", 2).await;
}

#[tokio::test]
async fn before_the_intent_nothing_is_lost() {
    let _turn = browser_turn();
    let stage = stage();
    kill(&stage, "held_home", |stage| held(stage) && has_session(stage)).await;
    ends_well(&stage, "held_home", 1).await;
}

#[tokio::test]
async fn in_the_sign_in_one_more_submission_is_made() {
    let _turn = browser_turn();
    let stage = stage();
    kill(&stage, "held_sign_in", held).await;
    ends_well(&stage, "held_sign_in", 2).await;
}

#[tokio::test]
async fn before_the_proof_it_is_read_again() {
    let _turn = browser_turn();
    let stage = stage();
    kill(&stage, "held_points", |stage| held(stage) && has_session(stage)).await;
    ends_well(&stage, "held_points", 1).await;
}
