//! The browser module with a real Firefox, a real Chromium, and a site on loopback. The cases share one browser, one after another.

mod acting;
mod answers;
mod bounds;
mod by_hand;
mod challenges;
mod commits;
mod displayed;
mod finding;
mod lab;
mod leaving;
mod reading;
mod secrets;
mod sections;
mod server;
#[path = "../support/words.rs"]
mod words;

use std::future::Future;
use std::pin::Pin;

use lab::Lab;
use sunup::browser::Brand;
use sunup::clock::{Clock, SystemClock};

/// Tests that count processes are alone; the pages of both browsers go side by side.
static ALONE: tokio::sync::RwLock<()> = tokio::sync::RwLock::const_new(());

type Running<'l> = Pin<Box<dyn Future<Output = ()> + Send + 'l>>;
type Case = for<'l> fn(&'l mut Lab) -> Running<'l>;

/// Names cases so that they can be listed.
#[macro_export]
macro_rules! cases {
    ($($name:ident),* $(,)?) => {
        /// The cases of this file.
        pub const CASES: &[(&str, $crate::Case)] = &[$((stringify!($name), |lab| Box::pin($name(lab)))),*];
    };
}

/// Runs cases in one browser. A case that fails gets the next one a fresh browser; all failures are told.
async fn run(brand: Brand, groups: &[&[(&'static str, Case)]]) {
    let clock = SystemClock::new();
    let mut failed = Vec::new();
    let mut open: Option<Lab> = None;
    // One case alone: `BROWSER_CASE=name cargo test --test browser`.
    let only = std::env::var("BROWSER_CASE").ok();
    for (name, case) in groups.concat() {
        if only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        let mut lab = match open.take() {
            Some(lab) => lab,
            None => Lab::open(brand).await,
        };
        lab.server.forget();
        let began = clock.uptime();
        let running = tokio::spawn(async move {
            case(&mut lab).await;
            lab
        });
        match running.await {
            Ok(lab) => {
                eprintln!("{:>6} ms  {brand}  {name}", (clock.uptime() - began).as_millis());
                open = Some(lab)
            }
            Err(_) => failed.push(name),
        }
    }
    if let Some(lab) = open {
        lab.browser.close().await;
    }
    assert!(failed.is_empty(), "failed in {brand}: {failed:?}");
}

/// The cases of all files, in two halves of about the same length, each with a browser of its own.
const HALVES: [&[&[(&str, Case)]]; 2] = [
    &[finding::CASES, acting::CASES, leaving::CASES, reading::CASES, displayed::CASES, by_hand::CASES, secrets::CASES],
    &[challenges::CASES, answers::CASES, sections::CASES, commits::CASES],
];

#[tokio::test(flavor = "multi_thread")]
async fn pages_in_firefox() {
    let _alone = ALONE.read().await;
    run(Brand::Firefox, HALVES[0]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn challenges_in_firefox() {
    let _alone = ALONE.read().await;
    run(Brand::Firefox, HALVES[1]).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "minutes: part of `make soak`; mornings and the corpus are met in Chromium all the same"]
async fn pages_in_chromium() {
    let _alone = ALONE.read().await;
    run(Brand::Chromium, HALVES[0]).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "minutes: part of `make soak`; mornings and the corpus are met in Chromium all the same"]
async fn challenges_in_chromium() {
    let _alone = ALONE.read().await;
    run(Brand::Chromium, HALVES[1]).await;
}
