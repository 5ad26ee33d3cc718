//! The pages that people read: no dead link, and no word of the program left unexplained.

use std::fs;
use std::path::{Path, PathBuf};

use sunup::run::{FailureKind, Status};

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The Markdown files of the top folder and of `docs/`.
fn pages() -> Vec<PathBuf> {
    let folders = [project().to_owned(), project().join("docs")];
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("a folder"));
    let files = entries.map(|entry| entry.expect("an entry").path());
    files.filter(|file| file.extension().is_some_and(|ending| ending == "md")).collect()
}

#[test]
fn links_lead_somewhere() {
    let mut dead = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page");
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let files = targets.map(|target| target.split('#').next().unwrap_or_default());
        for target in files.filter(|target| !target.is_empty() && !target.contains("://")) {
            let folder = page.parent().expect("a folder");
            if !folder.join(target).exists() {
                dead.push(format!("{}: {target}", page.strip_prefix(project()).unwrap_or(&page).display()));
            }
        }
    }
    assert!(dead.is_empty(), "links to nothing:\n{}", dead.join("\n"));
}

#[test]
fn every_status_and_failure_is_explained() {
    use Status::*;
    let statuses = [Pending, Running, Success, AlreadyDone, Compensated, Skipped, Failed, Unconfirmed, Blocked, Dead]
        .map(Status::word);
    let kinds = FailureKind::ALL.map(FailureKind::word);
    let page = fs::read_to_string(project().join("docs/failures.md")).expect("docs/failures.md");
    let is_missing = |word: &&str| !page.contains(&format!("\n| `{word}` |"));
    let missing: Vec<&str> = statuses.into_iter().chain(kinds).filter(is_missing).collect();
    assert!(missing.is_empty(), "docs/failures.md has no row for: {missing:?}");
}

/// What the loader calls "not supported yet", by the snapshots of its faults: the word before a colon or a blank.
fn not_supported_yet() -> Vec<String> {
    let folder = project().join("src/files/tests/snapshots");
    let entries = fs::read_dir(folder).expect("snapshots of faults").map(|entry| entry.expect("an entry").path());
    let texts: Vec<String> = entries.map(|file| fs::read_to_string(file).expect("a snapshot")).collect();
    let named = texts.iter().flat_map(|text| text.split("not supported yet: `").skip(1));
    let words = named.filter_map(|rest| rest.split('`').next()?.split([':', ' ']).next());
    let mut words: Vec<String> = words.map(str::to_owned).collect();
    words.sort_unstable();
    words.dedup();
    words
}

#[test]
fn the_readme_names_everything_that_is_not_supported_yet() {
    let words = not_supported_yet();
    assert!(words.len() > 10, "{words:?}");
    let page = fs::read_to_string(project().join("README.md")).expect("README.md");
    let limits = page.split("## What is not there yet").nth(1).and_then(|rest| rest.split("\n## ").next());
    let limits = limits.expect("the README has a list of limits");
    let missing: Vec<&String> = words.iter().filter(|word| !limits.contains(word.as_str())).collect();
    assert!(missing.is_empty(), "the README's list of limits does not name: {missing:?}");
}
