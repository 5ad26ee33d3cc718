//! SIGKILL at any point of a morning, journalled ones and any moment between: nothing twice, nothing falsely done.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use sunup::clock::{Clock, SystemClock};
use sunup::run::Status;

use crate::chance::Chance;
use crate::stage::Stage;
use crate::support::browser_turn;

const TASKS: [&str; 3] = ["community/checkin", "community/publish", "community/read"];
/// Lines that an undisturbed morning of the example writes, and some more.
const LINES: u64 = 60;
/// A kill comes at the latest so long after its line: about the time of a page load.
const LATEST_MS: u64 = 400;

#[tokio::test]
async fn twenty_kills() {
    kills(20, 1).await;
}

#[tokio::test]
#[ignore = "half an hour: part of `make soak`"]
async fn two_hundred_kills() {
    kills(200, 2).await;
}

/// Mornings of the example, each killed three times at points that the seed says, and then left alone.
async fn kills(wanted: u32, seed: u64) {
    let _turn = browser_turn();
    let chance = Chance::new(seed);
    let (mut done, mut mornings) = (0, 0);
    while done < wanted {
        mornings += 1;
        let stage = Stage::new();
        for _ in 0..3 {
            let (lines, later) = (1 + chance.below(LINES / 3), Duration::from_millis(chance.below(LATEST_MS)));
            done += u32::from(killed(&stage, lines, later).await);
        }
        ends_well(&stage, &format!("seed {seed}, morning {mornings}")).await;
    }
    eprintln!("{done} kills in {mornings} mornings: 0 double acts, 0 false successes, 0 processes, 0 profiles left");
}

/// Runs until the ledger holds so many lines more than before and some time has passed, then kills the runner and
/// nothing but it. False when the run had ended before.
async fn killed(stage: &Stage, lines: u64, later: Duration) -> bool {
    let clock = SystemClock::new();
    let aim = lines_in(&stage.data()) + lines;
    let mut run = stage.rehearsal("fresh");
    let mut runner = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
    while lines_in(&stage.data()) < aim {
        if runner.try_wait().expect("a runner").is_some() {
            return false;
        }
        clock.sleep_real(Duration::from_millis(1)).await;
    }
    clock.sleep_real(later).await;
    let alive = runner.try_wait().expect("a runner").is_none();
    runner.kill().await.expect("a runner");
    alive
}

/// How many events the ledger holds; none before it is there.
fn lines_in(data: &Path) -> u64 {
    let count = || -> rusqlite::Result<i64> {
        let ledger = Connection::open_with_flags(data.join("ledger.db"), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        ledger.query_row("SELECT count(*) FROM events", [], |row| row.get::<_, i64>(0))
    };
    count().unwrap_or(0).unsigned_abs()
}

/// The next run does what is left, and nothing a second time; what the killed ones left is gone.
async fn ends_well(stage: &Stage, which: &str) {
    let morning = stage.morning("fresh").await;
    let counted = stage.counted();
    let count = |act: &str| counted.get(act).copied().unwrap_or(0);
    for (task, act, most) in [(TASKS[0], "checkin", 1), (TASKS[1], "publish", 1), (TASKS[2], "read", 5)] {
        assert!(count(act) <= most, "{which}: {act} twice: {counted:?}\n{}", morning.outcome);
        let done = matches!(morning.status(task), Status::Success | Status::AlreadyDone);
        assert!(!done || count(act) == most, "{which}: {task} is falsely done, {counted:?}\n{}", morning.outcome);
        // A unit whose runner died in it is tried again an hour later; and two submissions of the sign-in whose answers
        // were never read are all that a day has.
        let told = morning.task(task);
        let waits = ["again_at", "ticket", "reason"].iter().any(|field| !told[*field].is_null());
        let open = !morning.status(task).is_final() && waits;
        // Killed between the intent and the click: it counts as sent, is looked for until settling is over, and is not repeated.
        let lost_click = told["status"] == "dead" && told["reason"]["word"] == "no_effect" && count(act) < most;
        assert!(done || open || lost_click, "{which}: {task} neither ends nor waits, {counted:?}\n{}", morning.outcome);
    }
    assert!(count("sign_in") <= 2, "{which}: {counted:?}");
    assert_eq!(stage.place.processes(), Vec::<String>::new(), "{which}");
    for folder in [stage.data().join("browsers"), stage.place.path("tmp")] {
        let left: Vec<_> = fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        assert!(left.is_empty(), "{which} left {left:?}");
    }
}
