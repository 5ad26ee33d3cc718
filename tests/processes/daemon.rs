//! The daemon as a process: put to sleep before a slot and woken after it, stopped, started twice, and with an empty environment.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rusqlite::{Connection, OpenFlags};
use serde_json::Value as Json;
use sunup::clock::{Clock, SystemClock};
use tokio::process::{Child, Command};

use crate::household::Household;
use crate::support::{Outcome, browser_turn, ended, program, run, start, until};

/// The daemon, by the clock of [`Household::set_clock`].
fn daemon(household: &Household) -> Command {
    let mut command = household.by_its_clock(&["serve", "--config", "files/sunup.yaml", "--data", "data"]);
    // It looks at the clock as often as the service manager wants to hear of it: these tests need not wait for 30 s.
    command.env("WATCHDOG_USEC", "400000");
    command
}

fn signal(daemon: &Child, signal: Signal) {
    let id = daemon.id().expect("it runs");
    kill(Pid::from_raw(id as i32), signal).expect("a signal");
}

/// It is told to stop, and ends well, with nothing left.
async fn stops(household: &Household, daemon: Child) -> Outcome {
    let clock = SystemClock::new();
    signal(&daemon, Signal::SIGTERM);
    let outcome = ended(daemon).await;
    eprintln!("it has stopped within {:?}", clock.uptime());
    assert_eq!(outcome.code, 0, "{outcome}");
    assert_eq!(household.place.processes(), Vec::<String>::new(), "{outcome}");
    assert_eq!(ask(&household.place.path("data"), HELD), ["0"], "its leases are given back: {outcome}");
    outcome
}

/// How many leases are held: such a one has at least twenty minutes before it.
pub const HELD: &str = "SELECT count(*) FROM leases, meta WHERE name = 'high_water' AND datetime(expires_at) > datetime(value, '+10 minutes')";

/// The rows of a query of the ledger with one column; none before it is there.
pub fn ask(data: &Path, sql: &str) -> Vec<String> {
    let rows = || -> rusqlite::Result<Vec<String>> {
        let ledger = Connection::open_with_flags(data.join("ledger.db"), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let mut statement = ledger.prepare(sql)?;
        let rows = statement.query_map([], |row| row.get::<_, rusqlite::types::Value>(0))?;
        rows.map(|row| {
            Ok(match row? {
                rusqlite::types::Value::Text(text) => text,
                rusqlite::types::Value::Integer(number) => number.to_string(),
                other => format!("{other:?}"),
            })
        })
        .collect()
    };
    rows().unwrap_or_default()
}

fn statuses(household: &Household) -> Vec<String> {
    ask(&household.place.path("data"), "SELECT status || ifnull(': ' || reason, '') FROM keys ORDER BY rowid")
}

/// Sources of the decisions to run.
fn runs(household: &Household) -> Vec<String> {
    ask(&household.place.path("data"), "SELECT source FROM decisions WHERE answer = 'run' ORDER BY id")
}

/// A daemon that has looked at an hour before the slot, sleeps, and is stopped like a laptop that is closed.
async fn asleep_before_the_slot(household: &Household) -> Child {
    household.set_clock(0, 5, 0);
    let daemon = start(daemon(household));
    let data = household.place.path("data");
    let decided = "SELECT answer FROM decisions WHERE answer LIKE 'not_due%'";
    until("it has looked for the first time", || !ask(&data, decided).is_empty()).await;
    signal(&daemon, Signal::SIGSTOP);
    daemon
}

#[tokio::test]
async fn asleep_before_the_slot_and_awake_inside_the_window_it_acts_once() {
    let _turn = browser_turn();
    let household = Household::new().await;
    let daemon = asleep_before_the_slot(&household).await;
    household.set_clock(0, 9, 0);
    signal(&daemon, Signal::SIGCONT);
    until("it is made up", || statuses(&household) == ["compensated"]).await;
    let outcome = stops(&household, daemon).await;
    assert_eq!(household.site.acts(), 1, "{outcome}");
    assert_eq!(runs(&household), ["catch_up"], "{outcome}");
}

#[tokio::test]
async fn asleep_before_the_slot_and_awake_after_the_window_it_does_not_act_and_says_so() {
    let household = Household::new().await;
    household.edit("sunup.yaml", "until: \"23:59\"", "until: \"08:00\"");
    let daemon = asleep_before_the_slot(&household).await;
    household.set_clock(0, 9, 0);
    signal(&daemon, Signal::SIGCONT);
    until("it is on record", || statuses(&household) == ["skipped: missed"]).await;
    let outcome = stops(&household, daemon).await;
    assert_eq!((household.site.acts(), runs(&household)), (0, Vec::new()), "{outcome}");
    let arguments = ["status", "--json", "--config", "files/sunup.yaml", "--data", "data"];
    let status = run(household.by_its_clock(&arguments)).await;
    let json: Json = serde_json::from_str(&status.stdout).expect("JSON");
    assert_eq!(json["alarms"][0]["kind"], "missed", "{status}");
    assert_eq!(json["alarms"][0]["task"], "club/checkin", "{status}");
}

#[tokio::test]
async fn a_slot_that_comes_while_it_is_awake_is_done_and_a_run_beside_it_finds_it_done() {
    let _turn = browser_turn();
    let household = Household::new().await;
    household.set_clock(0, 5, 0);
    let daemon = start(daemon(&household));
    let data = household.place.path("data");
    until("it has looked", || !ask(&data, "SELECT answer FROM decisions").is_empty()).await;
    let second = run(household.by_its_clock(&["serve", "--config", "files/sunup.yaml", "--data", "data"])).await;
    assert_eq!(second.code, 2, "{second}");
    let named = format!("process {} since ", daemon.id().expect("it runs"));
    assert!(second.stderr.contains(&named), "the first is named: {second}");

    household.set_clock(0, 6, 0);
    until(
        "it is done",
        || matches!(statuses(&household).first(), Some(status) if status == "success" || status == "compensated"),
    )
    .await;
    let beside = household.whole_morning("data").await;
    assert_eq!(beside.outcome.code, 0, "{}", beside.outcome);
    let outcome = stops(&household, daemon).await;
    assert_eq!(household.site.acts(), 1, "{outcome}");
}

#[tokio::test]
async fn told_to_stop_in_the_middle_of_a_page_it_sends_nothing_and_the_next_goes_on() {
    let _turn = browser_turn();
    let household = Household::new().await;
    household.set_clock(0, 9, 0);
    household.site.hold_next();
    let first = start(daemon(&household));
    until("the page with the button is asked for", || household.site.holds()).await;
    let outcome = stops(&household, first).await;
    assert_eq!(household.site.acts(), 0, "{outcome}");
    household.site.release();
    household.set_clock(0, 9, 30);
    let second = start(daemon(&household));
    until("it is done", || statuses(&household) == ["compensated"]).await;
    let outcome = stops(&household, second).await;
    assert_eq!(household.site.acts(), 1, "{outcome}");
    let spent = ask(
        &household.place.path("data"),
        "SELECT kind FROM events WHERE kind IN ('not_tried', 'read_failed', 'prepare_failed')",
    );
    assert_eq!(spent, Vec::<String>::new(), "the stop spent nothing: {outcome}");
}

#[tokio::test]
async fn with_an_empty_environment_it_does_its_morning() {
    let _turn = browser_turn();
    let household = Household::new().await;
    household.at_noon();
    let driver = program("geckodriver");
    household.edit("sunup.yaml", "driver: geckodriver", &format!("driver: {}", driver.display()));
    household.edit("tasks/club/site.yaml", "username: { env: CLUB_USER }", "username: lin");
    household.edit("tasks/club/site.yaml", "{ env: CLUB_PASSWORD }", "{ file: password }");
    let password = household.place.path("files/password");
    fs::write(&password, "nobody-asks-for-it\n").expect("a file");
    fs::set_permissions(&password, fs::Permissions::from_mode(0o600)).expect("a file of its owner's");
    let mut command = household.place.sunup(&["serve", "--config", "files/sunup.yaml", "--data", "data"]);
    command.env_clear();
    let daemon = start(command);
    until("it is done", || statuses(&household) == ["compensated"]).await;
    let outcome = stops(&household, daemon).await;
    assert_eq!(household.site.acts(), 1, "{outcome}");
}
