//! After a block: nothing is done and nobody signs in, by the site's own count, over restarts, hand-started runs and the next
//! day, until the ticket is closed; and then one check is made.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use mail_parser::{MessageParser, MimeHeaders};
use serde_json::Value as Json;
use sunup::run::FailureKind;

use crate::stage::{Morning, Stage};
use crate::support::{Outcome, browser_turn, run};
use crate::tomorrow::days_ahead;

const SCENARIOS: &str = "scenarios:
  wrong_and_captcha:
    about: The password was changed; the page that says so shows a slider, too.
    set:
      sessions: {}
      users/linxiaoman/password: changed-by-its-owner
    routes:
      - request: POST /login
        do:
          - count: sign_in
        reply: { page: login-slider.html }
  denied:
    about: The sign-in page refuses this machine.
    set: { sessions: {} }
    routes:
      - request: GET /login
        do:
          - count: denied
        reply: { status: 403, page: trouble.html }
  points_ask:
    about: The points details ask for a person.
    routes:
      - request: GET /points
        when: user
        do:
          - count: denied
        reply: { page: login-slider.html }
  patience:
    about: The first visit of the home page is one too many, for the next two hours.
    set: { limited: false }
    routes:
      - request: GET /home
        when: user
        do:
          - set: { limited: true }
            count: denied
        reply: { status: 429, page: trouble.html, headers: { Retry-After: 7200 } }
      - request: ANY /home
        when: user
        reply: { status: 429, text: \"\", headers: { Retry-After: 7200 } }
";

fn stage() -> Stage {
    let stage = Stage::own().in_chromium();
    stage.edit("fixtures/community/site.yaml", "scenarios:\n", SCENARIOS);
    stage.edit("fixtures/community/site.yaml", "counters: [sign_in,", "counters: [denied, sign_in,");
    stage.place.count_browser_starts();
    stage
}

/// One task by hand.
async fn by_hand(stage: &Stage, scenario: &str) -> Morning {
    let mut command = stage.rehearsal(scenario);
    command.arg("community/checkin");
    Morning::of(run(command).await)
}

/// The whole morning of a later day.
async fn later(stage: &Stage, scenario: &str, days: u32) -> Morning {
    Morning::of(run(days_ahead(stage.rehearsal(scenario), days)).await)
}

fn tickets(morning: &Morning) -> Vec<Json> {
    morning.json["tickets"].as_array().cloned().unwrap_or_default()
}

/// The numbers of the tickets that are open, by kind.
fn numbered(morning: &Morning) -> Vec<(u64, String)> {
    let entry = |ticket: &Json| (ticket["number"].as_u64().unwrap(), ticket["kind"].as_str().unwrap_or("").to_owned());
    tickets(morning).iter().map(entry).collect()
}

/// The check-in of the last day that the run told of.
fn latest(morning: &Morning) -> &Json {
    let runs = morning.json["runs"].as_array().expect("a list of task runs");
    let checkins = runs.iter().filter(|run| run["task"] == "community/checkin");
    checkins.max_by_key(|run| run["period"].as_str()).expect("a check-in")
}

fn mails(stage: &Stage) -> Vec<Vec<u8>> {
    let files = fs::read_dir(stage.data().join("mail")).into_iter().flatten().flatten().map(|file| file.path());
    let mails = files.filter(|file| file.extension().is_some_and(|ending| ending == "eml"));
    mails.map(|file| fs::read(file).expect("a mail")).collect()
}

async fn close(stage: &Stage, number: u32) -> Outcome {
    run(stage.sunup(&["tickets", "close", &number.to_string()])).await
}

#[tokio::test]
async fn after_a_block_nothing_is_done_until_the_ticket_is_closed_and_then_one_check() {
    let _turn = browser_turn();
    let stage = stage();
    let first = stage.morning("slider").await;
    assert_eq!(numbered(&first), [(1, "captcha".to_owned())], "{}", first.outcome);
    let ticket = tickets(&first).remove(0);
    for (field, said) in [
        ("page", "community.example/login"),
        ("title", "登录"),
        ("rule", "geetest"),
        ("sign_in", "sunup sign-in community main --config "),
        ("command", "sunup tickets close 1 --config "),
    ] {
        assert!(ticket[field].as_str().unwrap_or_default().contains(said), "{field}: {ticket}");
    }
    let name = ticket["picture"].as_str().expect("a picture").to_owned();
    let picture = stage.data().join("pictures").join(&name);
    assert_eq!(fs::metadata(&picture).expect("a picture").permissions().mode() & 0o777, 0o600);
    let sent = mails(&stage);
    let mail = MessageParser::default().parse(&sent[0]).expect("a mail");
    let attached = mail.attachment(0).expect("the picture goes with the mail");
    assert_eq!((attached.attachment_name(), attached.contents()), (Some(&*name), &*fs::read(&picture).unwrap()));
    let text = mail.body_text(0).expect("a text").replace("\r\n", "\n");
    assert!(text.contains("sunup sign-in community main --config "), "{text}");

    assert_eq!((stage.counted().len(), stage.place.browser_starts()), (0, 1), "{}", first.outcome);
    let again = stage.morning("slider").await;
    let by_hand_now = by_hand(&stage, "slider").await;
    let why = &by_hand_now.task("community/checkin")["reason"];
    assert_eq!(by_hand_now.outcome.code, 5, "{}", by_hand_now.outcome);
    let read = run(stage.sunup(&["explain", "read"])).await;
    assert!(read.stdout.contains("#1"), "a key that was not tried says why: {why} {read}");
    let next_day = later(&stage, "slider", 1).await;
    assert_eq!(latest(&next_day)["reason"]["detail"], "#1", "{}", next_day.outcome);
    for morning in [&again, &by_hand_now, &next_day] {
        assert_eq!(numbered(morning), [(1, "captcha".to_owned())], "{}", morning.outcome);
    }
    assert_eq!((stage.counted().len(), stage.place.browser_starts()), (0, 1), "{}", next_day.outcome);

    assert_eq!(close(&stage, 1).await.code, 0);
    assert!(close(&stage, 1).await.stdout.contains("closed before"), "closing it twice does no harm");
    let told = mails(&stage).len();
    let checked = later(&stage, "slider", 1).await;
    assert_eq!(latest(&checked)["status"], "blocked", "{}", checked.outcome);
    assert_eq!(numbered(&checked), [(1, "captcha".to_owned())], "the same ticket: {}", checked.outcome);
    assert_eq!(tickets(&checked)[0]["reopened"], 1, "{}", checked.outcome);
    assert_eq!((stage.counted().len(), stage.place.browser_starts()), (0, 2), "one check: {}", checked.outcome);
    let more = later(&stage, "slider", 1).await;
    assert_eq!((stage.counted().len(), stage.place.browser_starts()), (0, 2), "{}", more.outcome);
    assert_eq!(mails(&stage).len() - told, 0, "no mail about the same again: {}", more.outcome);

    let shown = run(stage.sunup(&["tickets", "show", "1"])).await;
    let pictures = stage.data().join("pictures").display().to_string();
    for said in ["#1", "community.example/login", &pictures, "-captcha.png", "sunup tickets close 1", "1 次"] {
        assert!(shown.stdout.contains(said), "`{said}` is not in {shown}");
    }
    // What stood in the way is gone: the work is done, and the same block would be another one from now on.
    assert_eq!(close(&stage, 1).await.code, 0);
    let done = later(&stage, "fresh", 1).await;
    assert_eq!(latest(&done)["status"], "success", "{}", done.outcome);
    let other = later(&stage, "slider", 2).await;
    assert_eq!(numbered(&other), [(2, "captcha".to_owned())], "{}", other.outcome);
}

/// Each try counts towards a lock: whatever happens, the same secret is submitted once.
#[tokio::test]
async fn a_wrong_password_beside_a_captcha_is_submitted_once_ever() {
    let _turn = browser_turn();
    let stage = stage();
    let scenario = "wrong_and_captcha";
    let kind = |morning: &Morning| morning.kind("community/checkin");
    let first = by_hand(&stage, scenario).await;
    assert_eq!(kind(&first), Some(FailureKind::CredentialsRejected), "{}", first.outcome);
    by_hand(&stage, scenario).await;
    assert_eq!(close(&stage, 1).await.code, 0);
    let closed = by_hand(&stage, scenario).await;
    assert_eq!(kind(&closed), Some(FailureKind::CredentialsRejected), "{}", closed.outcome);
    assert_eq!(numbered(&closed), [(1, "credentials_rejected".to_owned())], "{}", closed.outcome);
    later(&stage, scenario, 1).await;
    assert_eq!(close(&stage, 1).await.code, 0);
    let next_day = later(&stage, scenario, 2).await;
    assert_eq!(stage.counted().get("sign_in"), Some(&1), "{}", next_day.outcome);

    stage.edit("fixtures/community/secrets.yaml", "password: ", "password: another-");
    let other = later(&stage, scenario, 3).await;
    assert_eq!(stage.counted().get("sign_in"), Some(&2), "another secret is tried once: {}", other.outcome);
    stage.edit("fixtures/community/secrets.yaml", "password: another-", "password: ");
    let back = later(&stage, scenario, 4).await;
    assert_eq!(stage.counted().get("sign_in"), Some(&2), "the first one was rejected before: {}", back.outcome);
    assert_eq!(tickets(&back).len(), 1, "{}", back.outcome);
}

/// The read-back after the work is done is a visit like any other.
#[tokio::test]
async fn what_the_points_page_asks_stops_the_account_too() {
    let _turn = browser_turn();
    let stage = stage();
    let verify = "verify:\n  steps:\n    - use: points                           # the site's points details, read afresh\n  \
                  done: count(details, title=\"每日签到\") == 1\n";
    stage.edit("tasks/community/checkin.yaml", verify, "verify: check\n");
    let first = by_hand(&stage, "points_ask").await;
    assert_eq!(first.task("community/checkin")["status"], "success", "{}", first.outcome);
    assert_eq!(numbered(&first), [(1, "captcha".to_owned())], "{}", first.outcome);
    let browsers = stage.place.browser_starts();
    let next_day = later(&stage, "points_ask", 1).await;
    assert_eq!(numbered(&next_day), [(1, "captcha".to_owned())], "{}", next_day.outcome);
    let counted = stage.counted();
    assert_eq!((counted["checkin"], counted["denied"]), (1, 1), "{}", next_day.outcome);
    assert_eq!(stage.place.browser_starts(), browsers, "{}", next_day.outcome);
}

/// One account after another against one ban would burn them all.
#[tokio::test]
async fn a_site_that_refuses_this_machine_suspends_all_its_accounts() {
    let _turn = browser_turn();
    let stage = stage();
    let mum = "accounts:\n  mum:\n    username: mum\n    password: { env: MUM_PASSWORD }\n";
    stage.edit("tasks/community/site.yaml", "accounts:\n", mum);
    let secrets = stage.file("fixtures/community/secrets.yaml");
    let with_mum = fs::read_to_string(&secrets).unwrap() + "mum: { username: mum, password: rehearsal-only-mum }\n";
    fs::write(secrets, with_mum).unwrap();
    let first = stage.morning("denied").await;
    assert_eq!(numbered(&first), [(1, "access_denied".to_owned())], "{}", first.outcome);
    assert_eq!(tickets(&first)[0]["account"], "*", "{}", first.outcome);
    stage.morning("denied").await;
    by_hand(&stage, "denied").await;
    let next_day = later(&stage, "denied", 1).await;
    assert_eq!(stage.counted().get("denied"), Some(&1), "{}", next_day.outcome);
    assert_eq!((stage.counted().get("sign_in"), stage.place.browser_starts()), (None, 1), "{}", next_day.outcome);
}

#[tokio::test]
async fn a_site_that_asks_for_patience_is_left_alone_over_restarts_without_a_ticket() {
    let _turn = browser_turn();
    let stage = stage();
    let first = by_hand(&stage, "patience").await;
    assert_eq!(first.kind("community/checkin"), Some(FailureKind::RateLimited), "{}", first.outcome);
    let again = by_hand(&stage, "patience").await;
    let morning = stage.morning("patience").await;
    assert_eq!(stage.counted().get("denied"), Some(&1), "{}", morning.outcome);
    assert_eq!(stage.place.browser_starts(), 1, "{}", again.outcome);
    assert_eq!(tickets(&morning), Vec::<Json>::new(), "{}", morning.outcome);
    assert_eq!(stage.counted().get("checkin"), None);
}
