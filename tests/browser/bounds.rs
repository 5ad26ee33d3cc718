//! The browser that hangs, crashes, is missing or does not fit: bounded in time, named, and nothing left behind.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use sunup::browser::sweep::{self, MARK, PROFILE};
use sunup::browser::{Action, Browser, Command, Context, Firefox, Response};
use sunup::run::{Failure, FailureKind};
use tempfile::TempDir;

use crate::lab::options;
use crate::server::{Server, html};

/// Processes that carry this mark.
fn marked(mark: &str) -> Vec<i32> {
    let wanted = format!("{MARK}={mark}");
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let ids = processes.filter_map(|process| process.file_name().to_str()?.parse::<i32>().ok());
    ids.filter(|id| {
        let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|entry| entry == wanted.as_bytes())
    })
    .collect()
}

/// Children of ours that are dead and were not reaped.
fn defunct() -> usize {
    let ours = std::process::id().to_string();
    let stats = std::fs::read_dir("/proc").unwrap().flatten();
    let stats = stats.filter_map(|process| std::fs::read_to_string(process.path().join("stat")).ok());
    let fields = |stat: &str| -> Vec<String> {
        stat.rsplit(')').next().unwrap_or_default().split_whitespace().map(str::to_owned).collect()
    };
    stats.map(|stat| fields(&stat)).filter(|fields| fields[0] == "Z" && fields[1] == ours).count()
}

async fn ask(firefox: &mut Firefox, action: Action, seconds: u64) -> Result<Response, Failure> {
    let limit = Duration::from_secs(seconds);
    firefox.execute(Command { context: Context::default(), action, limit }).await
}

fn place() -> Action {
    Action::Place
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_hangs_is_given_up_with_its_browser() {
    let _alone = crate::ALONE.lock().await;
    let (folder, server) = (TempDir::new().unwrap(), Server::start().await);
    server.serve("/", [html("<script>setTimeout(() => { for (;;); }, 300)</script>")]);
    let mut firefox = Firefox::start(options(folder.path(), "hangs")).await.unwrap();
    assert!(!marked("hangs").is_empty());
    ask(&mut firefox, Action::Navigate(format!("{}/", server.origin())), 5).await.unwrap();
    // It answers until its timer fires; from then on never again, and the next question is given up.
    let failure = loop {
        let answer = tokio::time::timeout(Duration::from_secs(60), ask(&mut firefox, place(), 2)).await;
        if let Err(failure) = answer.expect("a question has an end") {
            break failure;
        }
    };
    assert_eq!(failure.kind, FailureKind::Timeout);
    assert!(firefox.is_dead());
    assert_eq!(marked("hangs"), Vec::<i32>::new(), "processes were left behind");
    assert_eq!(ask(&mut firefox, place(), 2).await.unwrap_err().kind, FailureKind::BrowserCrashed);
    firefox.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_is_told_and_the_profile_lives_on() {
    let _alone = crate::ALONE.lock().await;
    let (folder, server) = (TempDir::new().unwrap(), Server::start().await);
    server.serve("/", [html("<p>hello</p>").header("set-cookie", "session=kept; Max-Age=9999")]);
    server.serve("/again", [html("<p>hello</p>")]);
    let mut firefox = Firefox::start(options(folder.path(), "crashes")).await.unwrap();
    ask(&mut firefox, Action::Navigate(format!("{}/", server.origin())), 5).await.unwrap();
    firefox.close().await;
    assert_eq!(marked("crashes"), Vec::<i32>::new());
    let mode = folder.path().join("profile").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700, "sessions are as good as passwords");

    let mut firefox = Firefox::start(options(folder.path(), "crashes")).await.unwrap();
    ask(&mut firefox, Action::Navigate(format!("{}/again", server.origin())), 5).await.unwrap();
    let script = Action::Page {
        function: "request",
        arguments: vec![
            serde_json::json!({ "url": "/cookie", "method": "GET", "headers": {}, "limit": 3000, "most": 99 }),
        ],
    };
    ask(&mut firefox, script, 5).await.unwrap();
    assert!(server.cookies().iter().any(|cookie| cookie.contains("session=kept")), "the session was not kept");
    for id in marked("crashes") {
        let name = std::fs::read_to_string(format!("/proc/{id}/comm")).unwrap_or_default();
        if name.starts_with("firefox") {
            std::process::Command::new("kill").args(["-9", &id.to_string()]).status().unwrap();
        }
    }
    let failure = ask(&mut firefox, place(), 5).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::BrowserCrashed);
    assert!(firefox.is_dead());
    drop(firefox);
    assert_eq!(marked("crashes"), Vec::<i32>::new());
}

/// Stops the processes with this mark and this beginning of their name: they are there, and answer nothing.
fn stop(mark: &str, name: &str) {
    let named = |id: &i32| {
        std::fs::read_to_string(format!("/proc/{id}/comm")).is_ok_and(|found| found.trim().starts_with(name))
    };
    let ids: Vec<i32> = marked(mark).into_iter().filter(named).collect();
    assert!(!ids.is_empty(), "there is no {name}");
    for id in ids {
        std::process::Command::new("kill").args(["-STOP", &id.to_string()]).status().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_driver_that_hangs_is_given_up_with_its_browser() {
    let _alone = crate::ALONE.lock().await;
    let folder = TempDir::new().unwrap();
    let mut firefox = Firefox::start(options(folder.path(), "driver-hangs")).await.unwrap();
    stop("driver-hangs", "geckodriver");
    let answer = tokio::time::timeout(Duration::from_secs(60), ask(&mut firefox, place(), 2)).await;
    let failure = answer.expect("a question has an end").unwrap_err();
    assert_eq!(failure.kind, FailureKind::Timeout);
    assert!(firefox.is_dead());
    assert_eq!(marked("driver-hangs"), Vec::<i32>::new(), "processes were left behind");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_does_not_quit_is_killed() {
    let _alone = crate::ALONE.lock().await;
    for (mark, hangs) in [("firefox-hangs", "firefox"), ("quit-hangs", "geckodriver")] {
        let folder = TempDir::new().unwrap();
        let firefox = Firefox::start(options(folder.path(), mark)).await.unwrap();
        stop(mark, hangs);
        let closed = tokio::time::timeout(Duration::from_secs(60), firefox.close()).await;
        assert!(closed.is_ok(), "{hangs}: the browser never ended");
        assert_eq!(marked(mark), Vec::<i32>::new(), "{hangs}: processes were left behind");
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().flatten().map(|entry| entry.file_name()).collect();
        assert_eq!(left, ["profile"], "{hangs}: temporary files were left behind");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_our_environment_reaches_the_browser() {
    let _alone = crate::ALONE.lock().await;
    let folder = TempDir::new().unwrap();
    let firefox = Firefox::start(options(folder.path(), "clean")).await.unwrap();
    let taken_over = ["PATH", "LD_LIBRARY_PATH", "XDG_RUNTIME_DIR"];
    let our_own = ["HOME", "TMPDIR", "TZ", "LANG", "MOZ_REMOTE_SETTINGS_DEVTOOLS", MARK, PROFILE];
    let driver = marked("clean").into_iter().min().unwrap();
    let environment = std::fs::read_to_string(format!("/proc/{driver}/environ")).unwrap();
    for entry in environment.split('\0').filter(|entry| !entry.is_empty()) {
        let name = entry.split_once('=').unwrap().0;
        assert!(taken_over.contains(&name) || our_own.contains(&name), "{name}");
    }
    assert!(environment.contains("TZ=Asia/Shanghai"));
    drop(firefox);
    assert_eq!(defunct(), 0, "children were not reaped");
    assert_eq!(marked("clean"), Vec::<i32>::new(), "dropping it did not end it");
}

#[tokio::test(flavor = "multi_thread")]
async fn orphans_of_a_run_that_ended_are_swept() {
    let _alone = crate::ALONE.lock().await;
    let folder = TempDir::new().unwrap();
    let firefox = Firefox::start(options(folder.path(), "orphan")).await.unwrap();
    assert_eq!(sweep::sweep(|mark| mark == "some other run"), 0);
    assert!(sweep::sweep(|mark| mark == "orphan") >= 1);
    assert_eq!(marked("orphan"), Vec::<i32>::new());
    drop(firefox);
    assert_eq!(defunct(), 0, "children were not reaped");
}

/// A program that stands in for the driver.
fn stub(folder: &Path, script: &str) -> String {
    let path = folder.join("driver");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

async fn start_with(driver: String, folder: &Path) -> Failure {
    let options = sunup::browser::StartOptions { driver, ..options(folder, "stub") };
    match Firefox::start(options).await {
        Err(failure) => failure,
        Ok(_) => panic!("it started"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_missing_is_named_with_its_mend() {
    let _alone = crate::ALONE.lock().await;
    let folder = TempDir::new().unwrap();
    let missing = start_with("no-such-driver".into(), folder.path()).await;
    assert_eq!(missing.kind, FailureKind::Environment);
    assert!(missing.message.contains("cargo install --locked geckodriver"), "{}", missing.message);
    let mut without = options(folder.path(), "stub");
    without.binary = Some(folder.path().join("no-firefox"));
    let failure = Firefox::start(without).await.map(drop).unwrap_err();
    assert!(failure.message.contains("apt-get install firefox-esr"), "{}", failure.message);
    let wrong = start_with(stub(folder.path(), "echo hello"), folder.path()).await;
    assert_eq!(wrong.kind, FailureKind::Environment);
    assert!(wrong.message.contains("is it really geckodriver"), "{}", wrong.message);
    assert!(!wrong.message.contains('\n'));
}

/// A driver that answers every request with this error.
async fn answering(folder: &Path, error: &str, message: &str) -> Failure {
    let server = Server::start().await;
    let body = serde_json::json!({ "value": { "error": error, "message": message, "stacktrace": "" } });
    server.serve("/session", [crate::server::json(&body.to_string()).status(500)]);
    let script = format!("echo 'Listening on {}'; exec sleep 60", server.address);
    start_with(stub(folder, &script), folder).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_does_not_fit_is_the_machines_fault() {
    let _alone = crate::ALONE.lock().await;
    let folder = TempDir::new().unwrap();
    for (message, mend) in [
        (
            "Expected browser binary location, but unable to find binary in default location",
            "apt-get install firefox-esr",
        ),
        ("Unable to find a matching set of capabilities", "do not fit together"),
        ("This version of the driver only supports browser version 200", "do not fit together"),
        ("Process unexpectedly closed with status 0", "in use"),
        ("Your Firefox profile cannot be loaded", "in use"),
    ] {
        let failure = answering(folder.path(), "session not created", message).await;
        assert_eq!(failure.kind, FailureKind::Environment, "{message}");
        assert!(failure.message.contains(mend), "{}", failure.message);
    }
    assert_eq!(marked("stub"), Vec::<i32>::new());
}
