//! The browser that hangs, crashes, is missing or does not fit: bounded in time, named, and nothing left behind.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use sunup::browser::sweep::{self, MARK, PROFILE};
use sunup::browser::{Action, Brand, Browser, Command, Context, RealBrowser, Response, StartOptions};
use sunup::files::model::Viewport;
use sunup::run::{Failure, FailureKind};
use tempfile::TempDir;

use crate::lab::{BRANDS, options};
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

/// How the processes of a browser are called.
fn process_name(brand: Brand) -> &'static str {
    match brand {
        Brand::Firefox => "firefox",
        Brand::Chromium => "chromium",
    }
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

async fn ask(browser: &mut RealBrowser, action: Action, seconds: u64) -> Result<Response, Failure> {
    let limit = Duration::from_secs(seconds);
    browser.execute(Command { context: Context::default(), action, limit }).await
}

fn place() -> Action {
    Action::Place
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_hangs_is_given_up_with_its_browser() {
    let _alone = crate::ALONE.write().await;
    for brand in BRANDS {
        let (folder, server) = (TempDir::new().unwrap(), Server::start().await);
        server.serve("/", [html("<script>setTimeout(() => { for (;;); }, 300)</script>")]);
        let mut browser = RealBrowser::start(options(brand, folder.path(), "hangs")).await.unwrap();
        assert!(!marked("hangs").is_empty());
        ask(&mut browser, Action::Navigate(format!("{}/", server.origin())), 5).await.unwrap();
        // It answers until its timer fires; from then on never again, and the next question is given up.
        let failure = loop {
            let answer = tokio::time::timeout(Duration::from_secs(60), ask(&mut browser, place(), 2)).await;
            if let Err(failure) = answer.expect("a question has an end") {
                break failure;
            }
        };
        assert_eq!(failure.kind, FailureKind::Timeout);
        assert!(browser.is_dead());
        assert_eq!(marked("hangs"), Vec::<i32>::new(), "processes were left behind");
        assert_eq!(ask(&mut browser, place(), 2).await.unwrap_err().kind, FailureKind::BrowserCrashed);
        browser.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_is_told_and_the_profile_lives_on() {
    let _alone = crate::ALONE.write().await;
    for brand in BRANDS {
        let (folder, server) = (TempDir::new().unwrap(), Server::start().await);
        server.serve("/", [html("<p>hello</p>").header("set-cookie", "session=kept; Max-Age=9999")]);
        server.serve("/again", [html("<p>hello</p>")]);
        let mut browser = RealBrowser::start(options(brand, folder.path(), "crashes")).await.unwrap();
        ask(&mut browser, Action::Navigate(format!("{}/", server.origin())), 5).await.unwrap();
        browser.close().await;
        assert_eq!(marked("crashes"), Vec::<i32>::new());
        let mode = folder.path().join("profile").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "sessions are as good as passwords");

        let mut browser = RealBrowser::start(options(brand, folder.path(), "crashes")).await.unwrap();
        ask(&mut browser, Action::Navigate(format!("{}/again", server.origin())), 5).await.unwrap();
        let again = server.got().into_iter().find(|got| got.line == "GET /again").expect("the second browser's page");
        assert_eq!(again.cookie, "session=kept", "the session was not kept");
        for id in marked("crashes") {
            let name = std::fs::read_to_string(format!("/proc/{id}/comm")).unwrap_or_default();
            if name.starts_with(process_name(brand)) {
                std::process::Command::new("kill").args(["-9", &id.to_string()]).status().unwrap();
            }
        }
        let failure = ask(&mut browser, place(), 5).await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::BrowserCrashed);
        assert!(browser.is_dead());
        drop(browser);
        assert_eq!(marked("crashes"), Vec::<i32>::new());
    }
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
    let _alone = crate::ALONE.write().await;
    for brand in BRANDS {
        let folder = TempDir::new().unwrap();
        let mut browser = RealBrowser::start(options(brand, folder.path(), "driver-hangs")).await.unwrap();
        stop("driver-hangs", brand.driver());
        let answer = tokio::time::timeout(Duration::from_secs(60), ask(&mut browser, place(), 2)).await;
        let failure = answer.expect("a question has an end").unwrap_err();
        assert_eq!(failure.kind, FailureKind::Timeout);
        assert!(browser.is_dead());
        assert_eq!(marked("driver-hangs"), Vec::<i32>::new(), "processes were left behind");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_does_not_quit_is_killed() {
    let _alone = crate::ALONE.write().await;
    for brand in BRANDS {
        for (mark, hangs) in [("browser-hangs", process_name(brand)), ("quit-hangs", brand.driver())] {
            let folder = TempDir::new().unwrap();
            let browser = RealBrowser::start(options(brand, folder.path(), mark)).await.unwrap();
            stop(mark, hangs);
            let closed = tokio::time::timeout(Duration::from_secs(60), browser.close()).await;
            assert!(closed.is_ok(), "{hangs}: the browser never ended");
            assert_eq!(marked(mark), Vec::<i32>::new(), "{hangs}: processes were left behind");
            let left: Vec<_> =
                std::fs::read_dir(folder.path()).unwrap().flatten().map(|entry| entry.file_name()).collect();
            assert_eq!(left, ["profile"], "{hangs}: temporary files were left behind");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_our_environment_reaches_the_browser() {
    let _alone = crate::ALONE.write().await;
    for brand in BRANDS {
        let folder = TempDir::new().unwrap();
        let browser = RealBrowser::start(options(brand, folder.path(), "clean")).await.unwrap();
        let taken_over = ["PATH", "LD_LIBRARY_PATH", "XDG_RUNTIME_DIR"];
        let our_own = ["HOME", "TMPDIR", "TZ", "LANG", "LANGUAGE", "MOZ_REMOTE_SETTINGS_DEVTOOLS", MARK, PROFILE];
        let driver = marked("clean").into_iter().min().unwrap();
        let environment = std::fs::read_to_string(format!("/proc/{driver}/environ")).unwrap();
        for entry in environment.split('\0').filter(|entry| !entry.is_empty()) {
            let name = entry.split_once('=').unwrap().0;
            assert!(taken_over.contains(&name) || our_own.contains(&name), "{name}");
        }
        assert!(environment.contains("TZ=Asia/Shanghai"));
        drop(browser);
        assert_eq!(defunct(), 0, "children were not reaped");
        assert_eq!(marked("clean"), Vec::<i32>::new(), "dropping it did not end it");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn orphans_of_a_run_that_ended_are_swept() {
    let _alone = crate::ALONE.write().await;
    for brand in BRANDS {
        let folder = TempDir::new().unwrap();
        let browser = RealBrowser::start(options(brand, folder.path(), "orphan")).await.unwrap();
        assert_eq!(sweep::sweep(|mark| mark == "some other run"), 0);
        assert!(sweep::sweep(|mark| mark == "orphan") >= 1);
        assert_eq!(marked("orphan"), Vec::<i32>::new());
        drop(browser);
        assert_eq!(defunct(), 0, "children were not reaped");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_pages_see_is_what_was_asked_for() {
    let _alone = crate::ALONE.write().await;
    let server = Server::start().await;
    // It waits for its answer, and so does the page.
    let look = "<script>const said = new XMLHttpRequest();
        said.open('POST', '/seen?' + [innerWidth, innerHeight, navigator.languages.join('_'),
            Intl.DateTimeFormat().resolvedOptions().timeZone.replace('/', '_')].join('-'), false);
        said.send()</script>";
    server.serve("/", [html(look)]);
    for brand in BRANDS {
        for (viewport, seen) in [(Viewport::Desktop, "1280-900"), (Viewport::Mobile, "412-915")] {
            let folder = TempDir::new().unwrap();
            let options = StartOptions { viewport, ..options(brand, folder.path(), "seen") };
            let mut browser = RealBrowser::start(options).await.unwrap();
            // Firefox makes no window that is narrower than 500 points.
            let seen = if brand == Brand::Firefox { seen.replace("412", "500") } else { seen.to_owned() };
            let line = format!("POST /seen?{seen}-zh-CN_zh-Asia_Shanghai");
            let before = server.count(&line);
            ask(&mut browser, Action::Navigate(format!("{}/", server.origin())), 5).await.unwrap();
            browser.close().await;
            assert_eq!(server.count(&line), before + 1, "{brand}: {:?}", server.got());
        }
    }
}

/// A container that was removed leaves its mark in the profile, and the next one has another name.
#[tokio::test(flavor = "multi_thread")]
async fn a_profile_that_another_machine_left_is_taken_over() {
    let _alone = crate::ALONE.write().await;
    let folder = TempDir::new().unwrap();
    let profile = folder.path().join("profile");
    std::fs::create_dir(&profile).unwrap();
    std::os::unix::fs::symlink("container-of-yesterday-17", profile.join("SingletonLock")).unwrap();
    let browser = RealBrowser::start(options(Brand::Chromium, folder.path(), "other-machine")).await.unwrap();
    browser.close().await;
}

/// A program that stands in for the driver.
fn stub(brand: Brand, folder: &Path, script: &str) -> String {
    let path = folder.join(brand.driver());
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

async fn start_with(brand: Brand, driver: String, folder: &Path) -> Failure {
    let options = StartOptions { driver, ..options(brand, folder, "stub") };
    match RealBrowser::start(options).await {
        Err(failure) => failure,
        Ok(_) => panic!("it started"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_missing_is_named_with_its_mend() {
    let _alone = crate::ALONE.write().await;
    for (brand, no_driver, driver_mend, browser_mend) in [
        (Brand::Firefox, "no-such-driver", "cargo install --locked geckodriver", "apt-get install firefox-esr"),
        (Brand::Chromium, "chromedriver-none", "apt-get install chromium-driver", "apt-get install chromium`"),
    ] {
        let folder = TempDir::new().unwrap();
        let missing = start_with(brand, no_driver.into(), folder.path()).await;
        assert_eq!(missing.kind, FailureKind::Environment);
        assert!(missing.message.contains(driver_mend), "{}", missing.message);
        let mut without = options(brand, folder.path(), "stub");
        without.binary = Some(folder.path().join("no-browser"));
        let failure = RealBrowser::start(without).await.map(drop).unwrap_err();
        assert!(failure.message.contains(browser_mend), "{}", failure.message);
        let wrong = start_with(brand, stub(brand, folder.path(), "echo hello"), folder.path()).await;
        assert_eq!(wrong.kind, FailureKind::Environment);
        assert!(wrong.message.contains(&format!("is it really {}", brand.driver())), "{}", wrong.message);
        assert!(!wrong.message.contains('\n'));
    }
}

/// A driver that answers the question for a session so.
async fn answering(brand: Brand, folder: &Path, status: u16, value: serde_json::Value) -> Failure {
    let server = Server::start().await;
    let body = serde_json::json!({ "value": value });
    server.serve("/session", [crate::server::json(&body.to_string()).status(status)]);
    let said = match brand {
        Brand::Firefox => format!("Listening on {}", server.address),
        Brand::Chromium => format!("ChromeDriver was started successfully on port {}.", server.address.port()),
    };
    start_with(brand, stub(brand, folder, &format!("echo '{said}'; exec sleep 60")), folder).await
}

async fn refusing(brand: Brand, folder: &Path, message: &str) -> Failure {
    let value = serde_json::json!({ "error": "session not created", "message": message, "stacktrace": "" });
    answering(brand, folder, 500, value).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_does_not_fit_is_the_machines_fault() {
    let _alone = crate::ALONE.write().await;
    let folder = TempDir::new().unwrap();
    for (brand, message, mend) in [
        (
            Brand::Firefox,
            "Expected browser binary location, but unable to find binary in default location",
            "apt-get install firefox-esr",
        ),
        (Brand::Firefox, "Unable to find a matching set of capabilities", "do not fit together"),
        (Brand::Firefox, "This version of the driver only supports browser version 200", "do not fit together"),
        (Brand::Firefox, "Process unexpectedly closed with status 0", "in use"),
        (Brand::Firefox, "Your Firefox profile cannot be loaded", "in use"),
        (
            Brand::Chromium,
            "session not created: This version of ChromeDriver only supports Chrome version 200\nCurrent browser version \
             is 156.0.8078.114 with binary path /usr/bin/chromium",
            "version 200; Current browser version is 156.0.8078.114",
        ),
        (
            Brand::Chromium,
            "session not created: probably user data directory is already in use, please specify a unique value",
            "close the Chromium that uses it",
        ),
        (
            Brand::Chromium,
            "session not created: Chrome failed to start: exited normally.\n  (chrome not reachable)",
            "chromium --headless=new",
        ),
    ] {
        let failure = refusing(brand, folder.path(), message).await;
        assert_eq!(failure.kind, FailureKind::Environment, "{message}");
        assert!(failure.message.contains(mend), "{}", failure.message);
        assert!(!failure.message.contains('\n'), "{}", failure.message);
    }
    assert_eq!(marked("stub"), Vec::<i32>::new());
}

/// chromedriver starts a browser that is newer than itself, and says nothing.
#[tokio::test(flavor = "multi_thread")]
async fn another_major_version_than_the_drivers_is_told_with_both() {
    let _alone = crate::ALONE.write().await;
    let folder = TempDir::new().unwrap();
    let session = serde_json::json!({ "sessionId": "7", "capabilities": {
        "browserVersion": "157.0.9000.1",
        "chrome": { "chromedriverVersion": "156.0.8078.114 (0a1b2c)" },
    }});
    let failure = answering(Brand::Chromium, folder.path(), 200, session).await;
    assert_eq!(failure.kind, FailureKind::Environment);
    for said in ["157.0.9000.1", "156.0.8078.114,", "apt-get install chromium chromium-driver"] {
        assert!(failure.message.contains(said), "{}", failure.message);
    }
    assert_eq!(marked("stub"), Vec::<i32>::new());
}
