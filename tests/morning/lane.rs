//! What a lane keeps while it is open, and when it must let go of it.

use sunup::run::Status;

use crate::stage::{Morning, Stage};
use crate::support::{browser_turn, ended, start, until};

const SCENARIOS: &str = "scenarios:
  password_changed:
    about: The password was changed; the old one is refused after three seconds.
    set:
      sessions: {}
      users/linxiaoman/password: another-rehearsal-only-sunrise
    routes:
      - request: POST /login
        when: form.password|default(\"\") != state.users.linxiaoman.password
        do:
          - count: sign_in
        reply: { page: login.html, delay: 3 }
  token:
    about: The home page wants the token of the last check; the session ends once, between the check and the act.
    set: { token: 0, expired: false }
    routes:
      - request: GET /api/token
        do:
          - set: { token: =state.token + 1 }
        reply: { json: { token: =state.token } }
      - request: GET /home
        when: user and not state.expired
        do:
          - set: { expired: true }
            sign_out: true
        reply: { redirect: /login }
      - request: GET /home
        when: user and query.token|default(\"\") != state.token|string
        do:
          - count: stale
        reply: { status: 404, page: missing.html }
";

fn stage() -> Stage {
    let stage = Stage::own().in_chromium();
    stage.edit("fixtures/community/site.yaml", "scenarios:\n", SCENARIOS);
    stage.edit("fixtures/community/site.yaml", "counters: [sign_in,", "counters: [stale, sign_in,");
    stage
}

/// The secret is corrected while the site still thinks about the old one: the very same run signs in with the new one.
#[tokio::test]
async fn a_secret_that_was_changed_is_used_by_the_run_that_is_under_way() {
    let _turn = browser_turn();
    let stage = stage();
    let mut command = stage.rehearsal("password_changed");
    command.arg("community/checkin");
    let runner = start(command);
    until("the old password was submitted", || stage.counted().contains_key("sign_in")).await;
    stage.edit("fixtures/community/secrets.yaml", "password: ", "password: another-");
    let morning = Morning::of(ended(runner).await);
    assert_eq!(morning.status("community/checkin"), Status::Success, "{}", morning.outcome);
    assert_eq!(stage.counted().get("sign_in"), Some(&2), "{}", morning.outcome);
    assert_eq!(morning.json["tickets"].as_array().map(Vec::len), Some(0), "{}", morning.outcome);
}

#[tokio::test]
async fn the_act_uses_what_the_last_check_read() {
    let _turn = browser_turn();
    let stage = stage();
    let task = "tasks/community/checkin.yaml";
    stage.edit(
        task,
        "  done: signed\n",
        "    - fetch: /api/token\n      read:\n        token: { number: json.token }\n  done: signed\n",
    );
    stage.edit(task, "- open: /home", "- open: \"/home?token={{ checked.token }}\"");
    let mut command = stage.rehearsal("token");
    command.arg("community/checkin");
    let morning = Morning::of(crate::support::run(command).await);
    assert_eq!(morning.status("community/checkin"), Status::Success, "{}", morning.outcome);
    assert_eq!(stage.counted().get("stale"), None, "{}", morning.outcome);
    assert_eq!(stage.state()["state"]["token"], 2, "check was read before and after the sign-in: {}", morning.outcome);
}
