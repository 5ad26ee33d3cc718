//! A site that gives back what was typed, wherever a site can: the secret is found nowhere afterwards, in any form, however
//! it is asked for. The processes are looked at meanwhile.

use std::collections::BTreeSet;
use std::fs;
use std::future::Future;
use std::path::Path;
use std::time::Duration;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use sunup::clock::{Clock, SystemClock};
use sunup::run::{FailureKind, Status};

use tokio::process::Child;

use crate::canary::{Canary, SHAPES, stage};
use crate::killed::HELD;
use crate::stage::{Morning, Stage};
use crate::support::{Outcome, browser_turn, ended, run, start, until};

/// What the site does with a form that was sent, by the form's address.
const ROUTES: &str = "  - request: GET /echo/{how}
    reply: { page: echo-form.html }
  - request: POST /echo/fault
    reply: { page: echo.html, status: 500 }
  - request: POST /echo/query
    reply: { redirect: /landed?pass=ENCODED }
  - request: POST /echo/path
    reply: { redirect: /landed/ENCODED }
  - request: POST /echo/json
    reply: { json: { error: \"='no ' ~ form.pass\" } }
  - request: POST /echo/{how}
    reply: { page: echo.html }
  - request: GET /said
    reply: { page: said.html }
  - request: GET /landed
    reply: { text: landed }
  - request: GET /
    reply: { page: index.html }
";

const WAYS: [&str; 6] = ["page", "fault", "query", "path", "json", "dialog"];

const FORM: &str =
    "<!DOCTYPE html><meta charset=utf-8><title>form</title><form method=post action='/echo/{{ params.how }}'>
<input name=pass id=pass {% if params.how == 'page' %}type=password{% endif %}><button>送出</button></form>";

/// The same page is what a wrong sign-in gets.
const ECHO: &str = "<!DOCTYPE html><meta charset=utf-8>{% set pass = form.pass|default(form.password) %}{% set word = '密码错误' if form.password is defined else '收到' %}<title>{{ pass }}</title>
<h1>{{ word }}：{{ pass }}</h1><p role=alert>{{ word }}：{{ pass }}</p><button id='{{ pass }}' class='没 {{ pass }}'>没有 {{ pass }}</button>
<a href='/x?{{ pass }}'>没有</a><input {% if form.password is defined %}type=password{% endif %} value='{{ pass }}' placeholder='{{ pass }}'>
<p id=shouted style='text-transform: uppercase'>{{ pass }}</p>
{% if params.how|default('') == 'dialog' %}<script>setTimeout(() => alert({{ form.pass|tojson }}), 50)</script>{% endif %}";

/// What is read from here is kept as evidence.
const SAID: &str = "<!DOCTYPE html><p id=said>{{ state.users.linxiaoman.password }}</p>";

fn task(how: &str) -> String {
    format!(
        "name: {how}
check:
  steps:
    - fetch: /api/me
      read:
        signed: {{ boolean: json.signed }}
    - open: /said
      read:
        said: {{ text: {{ css: \"#said\" }} }}
  done: signed
  todo: not signed
act:
  - open: /echo/{how}
  - fill: {{ css: \"#pass\" }}
    with: \"{{{{ account.password }}}}\"
  - click: {{ role: button, name: 送出 }}
  - click: {{ role: button, name: 没有 }}
    timeout: 1s
    commit: true
verify: check
"
    )
}

/// The example's site with these routes, a task for each way to give back what was typed, and as few tries as there can be.
fn echoing(password: &str) -> Stage {
    let stage = stage(password);
    let encoded = utf8_percent_encode(password, NON_ALPHANUMERIC).to_string();
    let site = "fixtures/community/site.yaml";
    stage.edit(site, "  - request: GET /\n    reply: { page: index.html }\n", &ROUTES.replace("ENCODED", &encoded));
    let login = "  echoed_login:
    about: A wrong password, which the page repeats.
    set: { sessions: {} }
    routes:
      - request: POST /login
        do:
          - count: sign_in
        reply: { page: echo.html }
";
    stage.edit(site, "scenarios:\n", &format!("scenarios:\n{login}"));
    // The report tells of the site's own rows, too.
    stage.edit(
        site,
        "title: 阅读奖励, amount: 10 }\n      - { time: \"=day|plus(-1)",
        "title: \"='给 ' ~ state.users.linxiaoman.password\", amount: 10 }\n      - { time: \"=day|plus(-1)",
    );
    fs::write(stage.file("fixtures/community/echo-form.html"), FORM).expect("a page");
    fs::write(stage.file("fixtures/community/echo.html"), ECHO).expect("a page");
    fs::write(stage.file("fixtures/community/said.html"), SAID).expect("a page");
    for name in ["checkin", "publish", "read"] {
        fs::remove_file(stage.file(&format!("tasks/community/{name}.yaml"))).expect("a task of the example");
    }
    for how in WAYS {
        fs::write(stage.file(&format!("tasks/community/{how}.yaml")), task(how)).expect("a task");
    }
    stage.edit("sunup.yaml", "schedule:\n", "retry: { attempts: 1, series: 1 }\nschedule:\n");
    stage
}

/// What every command says about it, in both languages, as text and as JSON.
async fn all_commands(stage: &Stage, canary: &Canary, task: &str) {
    for (old, new) in [("language: zh-CN", "language: en"), ("language: en", "language: zh-CN")] {
        stage.edit("sunup.yaml", old, new);
        for words in [
            &["status"][..],
            &["explain", task, "--next", "2"],
            &["history", task],
            &["report"],
            &["report", "--format", "html"],
            &["report", "--format", "eml"],
            &["tickets"],
            &["dead"],
            &["validate"],
        ] {
            for json in [&[][..], &["--json"]] {
                let mut command = stage.sunup(&[words, json].concat());
                command.env("SUNUP_LOG", "trace");
                let outcome = run(command).await;
                canary.is_not_in(&format!("{words:?} {json:?}"), outcome.to_string());
            }
        }
    }
}

/// Looks at the processes of a place for as long as the work takes: neither their arguments nor their environment hold it.
async fn watched(stage: &Stage, canary: &Canary, work: impl Future<Output = Outcome>) -> Outcome {
    let clock = SystemClock::new();
    let own = stage.place.path("bin").display().to_string();
    let mut seen = BTreeSet::new();
    let watch = async {
        loop {
            for process in fs::read_dir("/proc").expect("/proc").flatten() {
                let file = |name: &str| fs::read(process.path().join(name)).unwrap_or_default();
                let environment = file("environ");
                if String::from_utf8_lossy(&environment).contains(&own) {
                    canary.is_not_in("the environment of a process", &environment);
                    canary.is_not_in("the arguments of a process", file("cmdline"));
                    seen.insert(String::from_utf8_lossy(&file("comm")).trim().to_owned());
                }
            }
            clock.sleep_real(Duration::from_millis(40)).await;
        }
    };
    let done = tokio::select! {
        done = work => done,
        () = watch => unreachable!("it watches for ever"),
    };
    for name in ["sunup", "geckodriver", "firefox-esr"] {
        assert!(
            seen.iter().any(|seen| seen.starts_with(name) || name.starts_with(seen)),
            "{name} was not seen: {seen:?}\n{done}"
        );
    }
    done
}

async fn rehearsed(stage: &Stage, canary: &Canary, scenario: &str) -> Morning {
    let mut rehearsal = stage.rehearsal(scenario);
    rehearsal.env("SUNUP_LOG", "trace");
    let morning = Morning::of(watched(stage, canary, run(rehearsal)).await);
    canary.hunt(stage, &morning);
    morning
}

/// The pages that failed were pictured only where they did not show it.
fn pictures(stage: &Stage) -> usize {
    fs::read_dir(stage.data().join("pictures")).map_or(0, |pictures| pictures.count())
}

async fn pages_give_it_back(password: &str) {
    let _turn = browser_turn();
    let stage = echoing(password);
    let canary = Canary::new(password);
    let morning = rehearsed(&stage, &canary, "fresh").await;
    for how in WAYS {
        let task = format!("community/{how}");
        let kind = if how == "fault" { FailureKind::ServerError } else { FailureKind::PageChanged };
        assert_eq!(morning.kind(&task), Some(kind), "{how}: {}", morning.outcome);
        let message = morning.task(&task)["failure"]["message"].as_str().expect("a message").to_owned();
        let shows = !["query", "path"].contains(&how);
        assert_eq!(message.contains("No picture was kept"), shows, "{how}: {message}");
    }
    assert!(pictures(&stage) > 0, "{}", morning.outcome);
    all_commands(&stage, &canary, "community/page").await;
}

async fn a_sign_in_gives_it_back(password: &str) {
    let _turn = browser_turn();
    let stage = echoing(password);
    let canary = Canary::new(password);
    let morning = rehearsed(&stage, &canary, "echoed_login").await;
    assert_eq!(morning.status("community/dialog"), Status::Blocked, "{}", morning.outcome);
    assert_eq!(morning.kind("community/dialog"), Some(FailureKind::CredentialsRejected), "{}", morning.outcome);
    assert_eq!(stage.counted()["sign_in"], 1);
    assert_eq!(pictures(&stage), 0, "the page shows it: {}", morning.outcome);
    all_commands(&stage, &canary, "community/page").await;
}

#[tokio::test]
#[ignore = "a minute: part of `make soak`"]
async fn pages_that_give_back_what_was_typed_put_it_nowhere() {
    pages_give_it_back(SHAPES[0]).await;
}

#[tokio::test]
async fn a_sign_in_that_gives_back_what_was_typed_puts_it_nowhere() {
    a_sign_in_gives_it_back(SHAPES[4]).await;
}

#[tokio::test]
#[ignore = "minutes: part of `make soak`"]
async fn secrets_of_every_shape_are_put_nowhere() {
    for password in SHAPES {
        eprintln!("{password}");
        pages_give_it_back(password).await;
        a_sign_in_gives_it_back(password).await;
    }
}

/// The folder of the only lane's profile.
fn profile(stage: &Stage) -> std::path::PathBuf {
    stage.data().join("profiles/community/main")
}

/// The main processes of browsers that use this profile.
fn browsers(profile: &Path) -> Vec<i32> {
    let name = profile.display().to_string();
    let processes = fs::read_dir("/proc").expect("/proc").flatten();
    let ids = processes.filter_map(|process| process.file_name().to_str()?.parse().ok());
    ids.filter(|id: &i32| {
        let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).into_owned();
        line.contains(&name) && line.contains("-profile") && line.contains("firefox")
    })
    .collect()
}

fn held(password: &str) -> Stage {
    let stage = stage(password);
    stage.edit("fixtures/community/site.yaml", "scenarios:\n", HELD);
    stage
}

/// Starts a morning, up to the moment at which the password is in the browser and the form was sent.
async fn form_is_sent(stage: &Stage) -> Child {
    let mut rehearsal = stage.rehearsal("held_sign_in");
    rehearsal.env("SUNUP_LOG", "trace");
    let running = start(rehearsal);
    until("the form was sent", || stage.state()["state"]["held"] == true).await;
    running
}

#[tokio::test]
async fn a_browser_that_crashes_with_it_in_a_field_leaves_no_picture_of_its_memory() {
    use nix::sys::signal::{Signal, kill};
    let _turn = browser_turn();
    let password = SHAPES[5];
    let stage = held(password);
    let canary = Canary::new(password);
    let running = form_is_sent(&stage).await;
    let found = browsers(&profile(&stage));
    assert!(!found.is_empty(), "no browser uses the profile");
    for id in found {
        kill(nix::unistd::Pid::from_raw(id), Signal::SIGSEGV).expect("a browser");
    }
    let morning = Morning::of(ended(running).await);
    canary.hunt(&stage, &morning);
    let dumps = fs::read_dir(profile(&stage).join("minidumps")).map_or(0, |dumps| dumps.count());
    assert_eq!(dumps, 0, "{}", morning.outcome);
}

#[tokio::test]
#[ignore = "part of `make soak`"]
async fn a_runner_that_is_killed_with_it_in_a_field_leaves_nothing_behind_its_next_run() {
    let _turn = browser_turn();
    let stage = held(SHAPES[0]);
    let canary = Canary::new(SHAPES[0]);
    let mut running = form_is_sent(&stage).await;
    running.kill().await.expect("a runner");
    let mut rehearsal = stage.rehearsal("held_sign_in");
    rehearsal.env("SUNUP_LOG", "trace");
    canary.hunt(&stage, &Morning::of(run(rehearsal).await));
    assert_eq!(stage.place.processes(), Vec::<String>::new());
}
