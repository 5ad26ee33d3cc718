//! The corpus of pages that ask for a person, and of pages that only look like it: each is met by a task in a real browser.
//!
//! Each browser meets a fifth of them, another one in each. `CHALLENGE=word` runs those whose group or name has this word, or
//! one of several behind commas (`: ` for all, as `make soak` has it), with a line for each.
//! `SUNUP_CHALLENGES=/folder cargo test --test challenges` runs all pages of another folder.

mod clock;
mod corpus;
mod lab;
#[path = "../support/words.rs"]
mod words;

use std::collections::BTreeMap;
use std::path::PathBuf;

use corpus::Case;
use lab::{Lab, Outcome};
use sunup::browser::Brand;
use sunup::clock::{Clock, SystemClock};

fn folder() -> PathBuf {
    std::env::var_os("SUNUP_CHALLENGES")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/challenges"), PathBuf::from)
}

/// So many of them are one page for each browser where none is named: all of them take minutes.
const SHARE: usize = 5;

/// One group's figures.
#[derive(Default)]
struct Tally {
    pages: usize,
    right: usize,
    /// It should have stopped, and did not, or for another reason; or it was right and did too much.
    misses: usize,
    /// It should have gone on.
    false_stops: usize,
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_its_kind_in_firefox() {
    every_page_its_kind(Brand::Firefox).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_its_kind_in_chromium() {
    every_page_its_kind(Brand::Chromium).await;
}

async fn every_page_its_kind(brand: Brand) {
    let only = std::env::var("CHALLENGE").unwrap_or_default();
    let mut cases = corpus::load(&folder());
    let all = cases.len();
    let wanted = |name: String| only.split(',').any(|word| name.contains(word));
    cases.retain(|case| wanted(format!("{}: {}", case.group, case.name)));
    if only.is_empty() && std::env::var_os("SUNUP_CHALLENGES").is_none() {
        let first = if brand == Brand::Firefox { 0 } else { SHARE / 2 };
        cases = cases.into_iter().skip(first).step_by(SHARE).collect();
    }
    assert!(!cases.is_empty(), "no page of {all} is called `{only}`");
    let clock = SystemClock::new();
    let mut lab = Lab::open(brand, &cases).await;
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut wrong = Vec::new();
    for case in &cases {
        let began = clock.uptime();
        let outcome = lab.run(case).await;
        if lab.is_dead() {
            lab = Lab::open(brand, &cases).await;
        }
        let fault = fault(case, &outcome);
        if !only.is_empty() {
            let took = (clock.uptime() - began).as_millis();
            eprintln!("{took:>5} ms  {}: {}: {} {}", case.group, case.name, outcome.kind, outcome.told);
        }
        let tally = tallies.entry(&case.group).or_default();
        tally.pages += 1;
        match &fault {
            None => tally.right += 1,
            Some(_) if case.is_harmless() => tally.false_stops += 1,
            Some(_) => tally.misses += 1,
        }
        wrong.extend(fault.map(|fault| format!("{}: {}: {fault}", case.group, case.name)));
    }
    lab.close().await;
    print(brand, &tallies);
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// What is wrong with what became of a task; none when it was right.
fn fault(case: &Case, outcome: &Outcome) -> Option<String> {
    let Outcome { kind, told, wrong_counts } = outcome;
    if !case.expected.contains(kind) {
        return Some(format!(
            "expected {}, got {kind}. {told} {}",
            case.expected.join(" or "),
            wrong_counts.join(", ")
        ));
    }
    (!wrong_counts.is_empty()).then(|| format!("{kind}, but {}. {told}", wrong_counts.join(", ")))
}

fn print(brand: Brand, tallies: &BTreeMap<&str, Tally>) {
    println!("{:14} {:>6} {:>6} {:>7} {:>12}", brand.to_string(), "pages", "right", "misses", "false stops");
    let line = |name: &str, tally: &Tally| {
        println!("{name:14} {:>6} {:>6} {:>7} {:>12}", tally.pages, tally.right, tally.misses, tally.false_stops);
    };
    let mut total = Tally::default();
    for (group, tally) in tallies {
        line(group, tally);
        total.pages += tally.pages;
        total.right += tally.right;
        total.misses += tally.misses;
        total.false_stops += tally.false_stops;
    }
    line("all", &total);
}
