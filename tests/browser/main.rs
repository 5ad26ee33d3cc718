//! The browser module with a real Firefox and a site on loopback. The cases share one browser, one after another.

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
async fn run(groups: &[&[(&'static str, Case)]]) {
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
            None => Lab::open().await,
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
        lab.firefox.close().await;
    }
    assert!(failed.is_empty(), "failed: {failed:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn pages() {
    let _alone = ALONE.lock().await;
    run(&[
        finding::CASES,
        acting::CASES,
        reading::CASES,
        challenges::CASES,
        sections::CASES,
        commits::CASES,
        by_hand::CASES,
    ])
    .await;
}
