//! A site that asks for patience in the header of a page: it is left alone by every account, over restarts, until then.

use sunup::run::{FailureKind, Status};

use crate::stage::Stage;
use crate::support::browser_turn;

const TOLD_TO_WAIT: &str = "scenarios:
  told_to_wait:
    about: The home page wants two hours of quiet, and says so in a header; every other page is as always.
    set: { asked: 0 }
    routes:
      - request: GET /home
        when: user
        do:
          - set: { asked: =state.asked + 1 }
        reply: { status: 429, page: trouble.html, headers: { Retry-After: 7200 } }
";

#[tokio::test]
async fn a_wait_that_a_page_states_holds_for_every_account_and_over_a_restart() {
    let _turn = browser_turn();
    let stage = Stage::own().in_chromium();
    stage.place.count_browser_starts();
    stage.edit("fixtures/community/site.yaml", "scenarios:\n", TOLD_TO_WAIT);
    let other = "  other:\n    username: { env: OTHER_USER }\n    password: { env: OTHER_PASSWORD }\nsign_in:";
    stage.edit("tasks/community/site.yaml", "sign_in:", other);
    let login = "main:\n  username: linxiaoman";
    let both = format!("other:\n  username: chenyu\n  password: another-sunrise\n{login}");
    stage.edit("fixtures/community/secrets.yaml", login, &both);

    let first = stage.morning("told_to_wait").await;
    assert_eq!(first.kind("community/checkin"), Some(FailureKind::RateLimited), "{}", first.outcome);
    let held = |when: &str, told: &str| {
        assert_eq!(stage.state()["state"]["asked"], 1, "{when}: {told}");
        assert_eq!(stage.counted().into_iter().collect::<Vec<_>>(), [("sign_in".to_owned(), 1)], "{when}: {told}");
        assert_eq!(stage.place.browser_starts(), 1, "{when}: {told}");
    };
    held("at first", &first.outcome.to_string());

    let second = stage.morning("told_to_wait").await;
    held("after a restart", &second.outcome.to_string());
    let runs = second.json["runs"].as_array().expect("task runs");
    let done = |run: &&serde_json::Value| run["status"] != "failed" && run["status"] != "pending";
    assert_eq!(runs.iter().filter(done).count(), 0, "{}", second.outcome);
    assert_eq!(second.status("community/checkin"), Status::Failed, "it will be tried again: {}", second.outcome);
    assert_eq!(second.json["tickets"].as_array().map_or(0, Vec::len), 0, "no person is needed: {}", second.outcome);
}
