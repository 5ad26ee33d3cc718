//! `examples/dokuwiki` against a real DokuWiki: one entry a day, proved from the wiki's own revision history.

#[path = "../support/mod.rs"]
mod support;
mod wiki;

use std::fs;

use chrono::{FixedOffset, NaiveDate, Timelike};
use sunup::clock::{Clock, SystemClock};
use support::{Outcome, Place, browser_turn, run};
use wiki::{PASSWORD, USER, Wiki};

/// A zone in which it is about noon now: the example's window is open there, and its day does not end during the test.
struct Noon {
    zone: String,
    day: NaiveDate,
}

impl Noon {
    fn now() -> Self {
        let now = SystemClock::new().now();
        let ahead = 12 - now.hour() as i32;
        let offset = FixedOffset::east_opt(ahead * 3_600).expect("twelve hours at the most");
        // The names of these zones count the other way round.
        Noon { zone: format!("Etc/GMT{:+}", -ahead), day: now.with_timezone(&offset).date_naive() }
    }
}

/// The example's files, with the wiki's address and the zone put in.
fn own_copy(place: &Place, wiki: &Wiki, noon: &Noon) {
    let edits = [
        ("sunup.yaml", "Asia/Shanghai", noon.zone.as_str()),
        ("tasks/wiki/site.yaml", "https://wiki.example", wiki.origin.as_str()),
        ("tasks/wiki/journal.yaml", "", ""),
    ];
    for (file, old, new) in edits {
        let source = support::project().join("examples/dokuwiki").join(file);
        let text = fs::read_to_string(&source).expect("a file of the example");
        assert!(text.contains(old), "{} does not say `{old}`", source.display());
        let copy = place.path("files").join(file);
        fs::create_dir_all(copy.parent().expect("a folder")).expect("a folder");
        fs::write(copy, text.replace(old, new)).expect("a file");
    }
}

/// A morning with the data folder `data`, told as JSON.
async fn morning(place: &Place, data: &str) -> Outcome {
    told_morning(place, data, &["--json"]).await
}

async fn told_morning(place: &Place, data: &str, how: &[&str]) -> Outcome {
    let mut command = place.sunup(&["run", "--config", "files/sunup.yaml", "--data", data]);
    command.args(how);
    command.env("WIKI_USER", USER).env("WIKI_PASSWORD", PASSWORD);
    run(command).await
}

#[tokio::test]
async fn one_entry_a_day_however_often_it_is_started() {
    let _turn = browser_turn();
    let noon = Noon::now();
    let wiki = Wiki::start(&noon.zone);
    let place = Place::new();
    own_copy(&place, &wiki, &noon);
    place.count_browser_starts();

    let first = morning(&place, "data").await;
    assert_eq!(first.code, 0, "{first}");
    // It is noon, and the task was due at six: a success that was made up for.
    assert!(first.stdout.contains("\"compensated\""), "{first}");
    assert_eq!(wiki.entries(), [format!("今天是 {}，一切如常。", noon.day)]);
    let revisions = wiki.revisions();
    assert_eq!(revisions.len(), 1, "{revisions:?}");
    assert!(revisions[0].contains("\txiaolin\t每日一记"), "{revisions:?}");

    let starts = place.browser_starts();
    let again = morning(&place, "data").await;
    assert_eq!(again.code, 0, "{again}");
    assert!(again.stdout.contains("\"compensated\"") && again.stdout.contains("\"report\": null"), "{again}");
    let in_words = told_morning(&place, "data", &[]).await;
    assert!(in_words.stdout.contains("这次什么也没做，也没有启动浏览器"), "{in_words}");
    assert_eq!(place.browser_starts(), starts, "the ledger knows it, and a browser was started: {again}");
    assert_eq!(wiki.revisions(), revisions);

    let without_memory = morning(&place, "another").await;
    assert_eq!(without_memory.code, 0, "{without_memory}");
    assert!(without_memory.stdout.contains("already_done"), "{without_memory}");
    assert!(place.browser_starts() > starts, "only the wiki could know it: {without_memory}");
    assert_eq!(wiki.revisions(), revisions);
}

#[tokio::test]
async fn a_page_that_another_person_wrote_is_left_alone() {
    let _turn = browser_turn();
    let noon = Noon::now();
    let wiki = Wiki::start(&noon.zone);
    wiki.write_as("laowang", &format!("journal:{}", noon.day), "老王来过。");
    let place = Place::new();
    own_copy(&place, &wiki, &noon);

    let morning = morning(&place, "data").await;
    assert_eq!(morning.code, 0, "{morning}");
    assert!(morning.stdout.contains("\"skipped\""), "{morning}");
    assert_eq!(wiki.entries(), ["老王来过。"]);
    assert_eq!(wiki.revisions().len(), 1);
}
