//! How fast a morning is and how much memory it takes, against the targets: `make bench`. A target that is missed makes
//! the program end with 1.

#[path = "../figures.rs"]
mod figures;
mod hand;
mod program;
#[path = "../../tests/support/mod.rs"]
mod support;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use chrono::Timelike;
use sunup::browser::Brand;
use sunup::clock::{Clock, SystemClock};
use sunup::files;

use figures::{Figure, median, millis, seconds, told};
use program::{Ran, Spent};
use support::{Place, browser_turn, project};

/// The browser that is measured: Firefox, or Chromium by `SUNUP_BROWSER=chromium`.
fn brand() -> Brand {
    match std::env::var("SUNUP_BROWSER").as_deref() {
        Ok("chromium") => Brand::Chromium,
        _ => Brand::Firefox,
    }
}

/// The example's settings, for that browser.
fn settings(place: &Place) -> PathBuf {
    let files = place.path("measured");
    if !files.exists() {
        fs::create_dir_all(&files).expect("a folder");
        for part in ["tasks", "fixtures"] {
            std::os::unix::fs::symlink(project().join(part), files.join(part)).expect("a link");
        }
        let text = fs::read_to_string(project().join("sunup.yaml")).expect("the example's settings");
        let driver = format!("driver: {}", brand().driver());
        fs::write(files.join("sunup.yaml"), text.replace("driver: geckodriver", &driver)).expect("a file");
    }
    files.join("sunup.yaml")
}

/// Pairs of mornings, by the program and by hand in turn, so that what slows the machine down meets both.
const PAIRS: usize = 5;
/// Runs of a morning that is done already.
const DONE_RUNS: usize = 20;

#[tokio::main]
async fn main() -> ExitCode {
    let _turn = browser_turn();
    let place = Place::new();
    let mut figures = mornings(&place).await;
    figures.push(already_done(&place).await);
    figures.push(memory(&place).await);
    told(&figures)
}

/// Mornings of the example's tasks by the program, and by a script written by hand. Browser start included in both.
async fn mornings(place: &Place) -> Vec<Figure> {
    let example = files::load(&project().join("sunup.yaml")).map_err(|faults| faults.render(false));
    let example = example.expect("the example's files are good");
    let (mut ours, mut by_hand) = (Vec::new(), Vec::new());
    for pair in 1..=PAIRS {
        let ran = program::morning(place, &format!("morning-{pair}")).await;
        let hand = hand::morning(&example, &place.path(&format!("hand-{pair}"))).await;
        println!("pair {pair} of {PAIRS}: by the program {}, by hand {}", seconds(ran.took), seconds(hand.took));
        ours.push(ran);
        by_hand.push(hand);
    }
    ours.sort_by_key(|ran| ran.took);
    by_hand.sort_by_key(|hand| hand.took);
    let (ours, by_hand) = (ours.swap_remove(PAIRS / 2), by_hand.swap_remove(PAIRS / 2));
    let ratio = ours.took.as_secs_f64() / by_hand.took.as_secs_f64();
    let measured = format!("{} against {} by hand: {ratio:.2} of it", seconds(ours.took), seconds(by_hand.took));
    let compared = Figure { name: "a morning (at most 1.10)", measured, share: Some(ratio / 1.10) };
    [vec![compared], where_the_time_goes(&ours, &by_hand)].concat()
}

/// The log says how long the browser took for each command. The site must have been asked the same by the script:
/// otherwise the comparison says nothing.
fn where_the_time_goes(ran: &Ran, by_hand: &hand::Morning) -> Vec<Figure> {
    let spent = Spent::of(&ran.outcome.stderr);
    println!("\nThe median morning       times    altogether");
    for (command, (times, took)) in &spent.commands {
        println!("{command:20} {times:9} {:>13}", millis(*took));
    }
    println!("by hand: start {}, close {}", millis(by_hand.starting), millis(by_hand.ending));
    assert_eq!(spent.requests, by_hand.counts.requests, "the program and the script do not do the same");
    let own = ran.took.saturating_sub(spent.in_browser());
    let share = own.as_secs_f64() / ran.took.as_secs_f64();
    let recognition = spent.recognition();
    let recognition_share = recognition.as_secs_f64() / ran.took.as_secs_f64();
    vec![
        Figure {
            name: "own time (at most 3 %)",
            measured: format!("{} of {}: {:.1} %", millis(own), seconds(ran.took), share * 100.0),
            share: Some(share / 0.03),
        },
        Figure {
            name: "recognition (under 3 %)",
            measured: format!(
                "{}, {} of it in pages: {:.1} %",
                millis(recognition),
                millis(spent.glances),
                recognition_share * 100.0
            ),
            share: Some(recognition_share / 0.03),
        },
    ]
}

/// A real run over the ledger of a day whose tasks are all done: a rehearsal has just done them. No browser starts.
async fn already_done(place: &Place) -> Figure {
    example_at_noon(place);
    place.count_browser_starts();
    let config = ["--config", "files/sunup.yaml", "--data", "done"];
    program::sunup(place, &[&["run", "--dry-run"], &config[..]].concat()).await;
    let starts = place.browser_starts();
    let mut runs = Vec::new();
    for _ in 0..DONE_RUNS {
        let ran = program::sunup(place, &[&["run", "--json"], &config[..]].concat()).await;
        let done = ran.outcome.stdout.matches("\"status\": \"success\"").count();
        assert_eq!(done, 3, "all three tasks are done: {}", ran.outcome);
        runs.push(ran.took);
    }
    assert_eq!(place.browser_starts(), starts, "a browser was started for a morning that is done");
    let median = median(runs);
    Figure {
        name: "a morning already done (50 ms)",
        measured: format!("{}, no browser (median of {DONE_RUNS})", millis(median)),
        share: Some(median.as_secs_f64() / 0.050),
    }
}

/// The example's files in a zone in which it is about noon now, so that its window is open.
fn example_at_noon(place: &Place) {
    let ahead = 12 - SystemClock::new().now().hour() as i32;
    // The names of these zones count the other way round.
    let zone = format!("Etc/GMT{:+}", -ahead);
    for file in fs::read_dir(project().join("tasks/community")).expect("the example's tasks") {
        let file = file.expect("a file").path();
        copy(place, &format!("tasks/community/{}", file.file_name().expect("a name").display()), &zone);
    }
    for file in fs::read_dir(project().join("fixtures/community")).expect("the example's fixtures") {
        let file = file.expect("a file").path();
        copy(place, &format!("fixtures/community/{}", file.file_name().expect("a name").display()), &zone);
    }
    copy(place, "sunup.yaml", &zone);
}

fn copy(place: &Place, file: &str, zone: &str) {
    let text = fs::read_to_string(project().join(file)).expect("a file of the example");
    let copy = place.path("files").join(file);
    fs::create_dir_all(copy.parent().expect("a folder")).expect("a folder");
    fs::write(copy, text.replace("Asia/Shanghai", zone)).expect("a file");
}

async fn memory(place: &Place) -> Figure {
    let peak = program::peak_memory(place).await as f64 / 1024.0;
    Figure { name: "peak memory (40 MB)", measured: format!("{peak:.1} MB, browser aside"), share: Some(peak / 40.0) }
}
