//! The browser module with a real Firefox, a real Chromium, and a site on loopback. The cases share one browser, one after another.

mod acting;
mod bounds;
mod by_hand;
mod challenges;
mod commits;
mod finding;
mod lab;
mod reading;
mod sections;
mod server;

use std::future::Future;
use std::pin::Pin;

use lab::Lab;
use sunup::browser::Brand;

/// One browser at a time: some tests count processes.
static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

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
        let running = tokio::spawn(async move {
            case(&mut lab).await;
            lab
        });
        match running.await {
            Ok(lab) => {
                eprintln!("{name}");
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

/// The cases of all files.
const PAGES: [&[(&str, Case)]; 7] =
    [finding::CASES, acting::CASES, reading::CASES, challenges::CASES, sections::CASES, commits::CASES, by_hand::CASES];

#[tokio::test(flavor = "multi_thread")]
async fn pages_in_firefox() {
    let _alone = ALONE.lock().await;
    run(Brand::Firefox, &PAGES).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_in_chromium() {
    let _alone = ALONE.lock().await;
    run(Brand::Chromium, &PAGES).await;
}
