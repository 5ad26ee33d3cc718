//! The daemon by a virtual clock, without a browser: what wakes it, how often, and what it puts on record.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use chrono::TimeDelta;
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::ordered::Ordered;
use super::*;
use crate::clock::{Clock, Instant};
use crate::ledger::Ledger;
use crate::runner::{Control, Quiet, Round};
use crate::secrets::{Redactor, Resolver};

/// 01:00 in the zone of the example, whose first slot is at 06:00.
const NIGHT: &str = "2026-11-29T17:00:00Z";

/// A clock that is where somebody wants to sleep until, at once. It can leap once, and tells the daemon to stop at its end.
struct Virtual {
    now: Mutex<Instant>,
    leap: Mutex<Option<(Instant, TimeDelta)>>,
    /// It leaps by this as soon as this ledger has a decision: in the middle of the first round.
    leap_in_round: Mutex<Option<(PathBuf, TimeDelta)>>,
    end: Instant,
    sleeps: AtomicU32,
    calls: mpsc::Sender<Call>,
}

#[async_trait]
impl Clock for Virtual {
    fn now(&self) -> Instant {
        let has_decision = |ledger: &PathBuf| {
            let asked = Connection::open(ledger)?.query_row("SELECT count(*) FROM decisions", [], |row| row.get(0));
            asked.map(|count: i64| count > 0)
        };
        let leap = self.leap_in_round.lock().unwrap().take_if(|(ledger, _)| has_decision(ledger).unwrap_or(false));
        let mut now = self.now.lock().unwrap();
        *now += leap.map_or(TimeDelta::zero(), |(_, by)| by);
        *now
    }

    fn uptime(&self) -> Duration {
        Duration::ZERO
    }

    async fn sleep_until(&self, until: Instant) {
        tokio::task::yield_now().await;
        self.sleeps.fetch_add(1, Ordering::Relaxed);
        let mut now = self.now.lock().unwrap();
        *now = until.max(*now);
        if let Some((_, by)) = self.leap.lock().unwrap().take_if(|(from, _)| *from <= *now) {
            *now += by;
        }
        if *now >= self.end {
            let _ = self.calls.try_send(Call::Stop);
        }
    }

    async fn sleep_real(&self, _: Duration) {
        std::future::pending().await
    }
}

/// A copy of the example, without a driver: a key that is worked on is "not tried".
struct Stage {
    folder: tempfile::TempDir,
    /// A file is made faulty as soon as the daemon has loaded it.
    spoils: bool,
}

impl Stage {
    fn new() -> Self {
        let stage = Stage { folder: tempfile::tempdir().unwrap(), spoils: false };
        let example = Path::new(env!("CARGO_MANIFEST_DIR"));
        let settings = fs::read_to_string(example.join("sunup.yaml")).unwrap();
        assert!(settings.contains("driver: geckodriver"), "{settings}");
        fs::write(stage.settings(), settings.replace("driver: geckodriver", "driver: /nowhere/geckodriver")).unwrap();
        let tasks = stage.folder.path().join("tasks/community");
        fs::create_dir_all(&tasks).unwrap();
        for file in fs::read_dir(example.join("tasks/community")).unwrap() {
            let file = file.unwrap().path();
            fs::copy(&file, tasks.join(file.file_name().unwrap())).unwrap();
        }
        stage
    }

    /// The example with these keys in its schedule.
    fn with_schedule(keys: &str) -> Self {
        let stage = Stage::new();
        let settings = fs::read_to_string(stage.settings()).unwrap();
        assert!(settings.contains("\nschedule:\n"), "{settings}");
        fs::write(stage.settings(), settings.replace("\nschedule:\n", &format!("\nschedule:\n  {keys}\n"))).unwrap();
        stage
    }

    fn settings(&self) -> PathBuf {
        self.folder.path().join("sunup.yaml")
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The daemon from `start` on for so long, with one leap after some time (after none: in the middle of its first round); how
    /// often it slept, and how it was in the end.
    async fn serves(&self, start: &str, long: TimeDelta, leap: Option<(TimeDelta, TimeDelta)>) -> (u32, Health) {
        let start: Instant = start.parse().unwrap();
        let (sender, calls) = mpsc::channel(8);
        let clock = Virtual {
            now: Mutex::new(start),
            leap: Mutex::new(leap.filter(|(after, _)| !after.is_zero()).map(|(after, by)| (start + after, by))),
            leap_in_round: Mutex::new(
                leap.filter(|(after, _)| after.is_zero()).map(|(_, by)| (self.data().join("ledger.db"), by)),
            ),
            end: start + long,
            sleeps: AtomicU32::new(0),
            calls: sender,
        };
        let (project, watched) = Watched::load(&self.settings()).unwrap();
        if self.spoils {
            let task = self.folder.path().join("tasks/community/checkin.yaml");
            let text = fs::read_to_string(&task).unwrap();
            fs::write(&task, text.replace("check:", "chek:")).unwrap();
        }
        let project = Arc::new(project);
        let (desk, front) = Desk::open(Health::at_start(project.clone(), start));
        let redactor = Redactor::new();
        let place = Place { data: self.data(), clock: &clock, redactor: &redactor, watch: &Quiet };
        Daemon::new(place, (project, watched), desk, calls, Systemd::default()).run().await.unwrap();
        let health = front.health.borrow().clone();
        (clock.sleeps.load(Ordering::Relaxed), health)
    }

    /// All decisions on the check-in: source, answer, when it was given first.
    fn decisions(&self) -> Vec<(String, String, String)> {
        let ledger = Connection::open(self.data().join("ledger.db")).unwrap();
        let sql = "SELECT source, answer, first_at FROM decisions WHERE key LIKE '%/checkin@main' ORDER BY id";
        let mut statement = ledger.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
        rows.map(Result::unwrap).collect()
    }

    fn statuses(&self) -> Vec<String> {
        let ledger = Connection::open(self.data().join("ledger.db")).unwrap();
        let sql = "SELECT status || ifnull(': ' || reason, '') FROM keys WHERE task = 'checkin' ORDER BY rowid";
        let mut statement = ledger.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    }
}

#[tokio::test]
async fn an_idle_hour_has_two_wake_ups_a_minute_at_the_most() {
    let stage = Stage::new();
    let (sleeps, health) = stage.serves(NIGHT, TimeDelta::hours(1), None).await;
    assert!((60..=121).contains(&sleeps), "{sleeps} in an hour");
    assert_eq!(health.round_began, Some(NIGHT.parse().unwrap()), "one round, at its start");
    assert_eq!(health.next_round, Some("2026-11-29T22:00:00Z".parse().unwrap()));
}

#[tokio::test]
async fn a_slot_that_comes_is_the_schedule_s() {
    let stage = Stage::new();
    stage.serves(NIGHT, TimeDelta::minutes(5 * 60 + 1), None).await;
    let decisions = stage.decisions();
    assert_eq!(decisions[0].1, "not_due: until 2026-11-29T22:00:00Z", "{decisions:?}");
    let run = decisions.iter().find(|(_, answer, _)| answer == "run").expect("it is decided to run");
    assert_eq!((run.0.as_str(), run.2.as_str()), ("schedule", "2026-11-29T22:00:00.000Z"));
}

#[tokio::test]
async fn a_slot_that_was_slept_through_is_caught_up_with_once() {
    let stage = Stage::new();
    let leap = (TimeDelta::minutes(30), TimeDelta::hours(6));
    stage.serves(NIGHT, TimeDelta::minutes(6 * 60 + 32), Some(leap)).await;
    let runs: Vec<_> = stage.decisions().into_iter().filter(|(_, answer, _)| answer == "run").collect();
    assert_eq!(runs.len(), 1, "one decision for all that was passed: {runs:?}");
    assert_eq!(runs[0].0, "catch_up");
    assert_eq!(runs[0].2, "2026-11-29T23:30:00.000Z", "at once, not at the end of a slice");
}

#[tokio::test]
async fn a_slot_that_was_slept_through_in_the_middle_of_a_round_is_caught_up_with_too() {
    let stage = Stage::new();
    let leap = (TimeDelta::zero(), TimeDelta::hours(6));
    stage.serves(NIGHT, TimeDelta::minutes(6 * 60 + 2), Some(leap)).await;
    let runs: Vec<_> = stage.decisions().into_iter().filter(|(_, answer, _)| answer == "run").collect();
    assert_eq!(runs.len(), 1, "{runs:?}");
    assert_eq!((runs[0].0.as_str(), runs[0].2.as_str()), ("catch_up", "2026-11-29T23:00:00.000Z"));
}

#[tokio::test]
async fn a_window_that_was_slept_through_is_missed_and_on_record() {
    let stage = Stage::new();
    let leap = (TimeDelta::minutes(30), TimeDelta::hours(22));
    stage.serves(NIGHT, TimeDelta::minutes(22 * 60 + 32), Some(leap)).await;
    assert_eq!(stage.statuses(), ["skipped: missed"]);
    assert_eq!(stage.decisions().last().unwrap().0, "catch_up");
}

#[tokio::test]
async fn a_slot_that_was_slept_through_is_not_made_up_where_it_shall_not_be() {
    for (keys, hours, wanted) in [
        ("catch_up: never", 6, "skipped: missed"),
        ("catch_up: { skip_if_after: \"10:00\" }", 6, "failed"),
        ("catch_up: { skip_if_after: \"10:00\" }", 9, "skipped: missed"),
        ("catch_up: { skip_if_after: 91m }", 6, "failed"),
        ("catch_up: { skip_if_after: 90m }", 6, "skipped: missed"),
    ] {
        let stage = Stage::with_schedule(keys);
        let leap = (TimeDelta::minutes(30), TimeDelta::hours(hours));
        stage.serves(NIGHT, TimeDelta::minutes(hours * 60 + 32), Some(leap)).await;
        assert_eq!(stage.statuses(), [wanted], "{keys}, {hours} hours later");
    }
}

#[tokio::test]
async fn a_first_start_after_the_slot_waits_for_the_next_one_and_is_no_missed_day() {
    let stage = Stage::with_schedule("catch_up: { first_start: wait }");
    // From seven to midnight: the window ends on the way.
    stage.serves("2026-11-29T23:00:00Z", TimeDelta::hours(17), None).await;
    assert_eq!(stage.statuses(), [""; 0]);
    let decisions = stage.decisions();
    assert!(
        decisions.iter().all(|(_, answer, _)| answer == "first_start" || answer.starts_with("not_due")),
        "{decisions:?}"
    );
    assert!(decisions.iter().any(|(_, answer, _)| answer == "first_start"), "it is on record: {decisions:?}");
    stage.serves("2026-11-30T21:59:00Z", TimeDelta::minutes(2), None).await;
    assert_eq!(stage.statuses(), ["failed"], "the next slot is its first, and nothing before it was missed");
}

#[tokio::test]
async fn days_that_were_slept_through_leave_a_line_each_and_one_decision_each() {
    let stage = Stage::new();
    let leap = (TimeDelta::hours(6), TimeDelta::days(4));
    stage.serves(NIGHT, TimeDelta::hours(4 * 24 + 7), Some(leap)).await;
    assert_eq!(
        stage.statuses(),
        ["skipped: missed", "skipped: missed", "skipped: missed", "skipped: missed", "failed"]
    );
    let decisions = stage.decisions().into_iter().filter(|(_, answer, _)| answer == "skipped: missed");
    let missed: Vec<_> = decisions.map(|(source, _, at)| (source, at)).collect();
    let told = |source: &str| (source.to_owned(), "2026-12-03T23:00:00.000Z".to_owned());
    // The first day's key was there, and waited for its next attempt.
    assert_eq!(missed, [told("catch_up"), told("catch_up"), told("catch_up"), told("retry")]);
    // A second look finds nothing more to write down.
    stage.serves("2026-12-04T00:30:00Z", TimeDelta::seconds(1), None).await;
    assert_eq!(stage.statuses().len(), 5);
}

#[tokio::test]
async fn of_a_long_absence_the_last_days_are_told_one_by_one() {
    let stage = Stage::new();
    let leap = (TimeDelta::hours(6), TimeDelta::days(60));
    stage.serves(NIGHT, TimeDelta::hours(60 * 24 + 7), Some(leap)).await;
    assert_eq!(stage.statuses().len(), 1 + 31 + 1);
}

#[tokio::test]
async fn what_was_missed_before_the_ledger_was_lost_is_not_told() {
    let stage = Stage::new();
    stage.serves("2026-11-29T22:30:00Z", TimeDelta::seconds(1), None).await;
    let now = "2026-12-03T12:00:00.000Z";
    let ledger = Connection::open(stage.data().join("ledger.db")).unwrap();
    let sql = "INSERT INTO losses (found_at, kind, reason) VALUES (?1, 'damaged', 'it was')";
    ledger.execute(sql, [now]).unwrap();
    stage.serves("2026-12-05T22:30:00Z", TimeDelta::seconds(1), None).await;
    assert_eq!(stage.statuses().len(), 1 + 2 + 1, "the days since the loss, and today: {:?}", stage.statuses());
}

#[tokio::test]
async fn a_sleep_without_a_slot_is_a_resume() {
    let stage = Stage::new();
    let leap = (TimeDelta::minutes(30), TimeDelta::hours(2));
    let (_, health) = stage.serves(NIGHT, TimeDelta::minutes(2 * 60 + 32), Some(leap)).await;
    assert_eq!(health.round_began, Some("2026-11-29T19:30:00Z".parse().unwrap()), "it looks at once");
}

#[tokio::test]
async fn a_daemon_that_starts_late_catches_up() {
    let stage = Stage::new();
    stage.serves("2026-11-29T23:00:00Z", TimeDelta::seconds(1), None).await;
    let decisions = stage.decisions();
    assert_eq!((decisions[0].0.as_str(), decisions[0].1.as_str()), ("catch_up", "run"), "{decisions:?}");
}

#[tokio::test]
async fn a_reminder_wakes_it_at_its_time() {
    let stage = Stage::new();
    let settings = fs::read_to_string(stage.settings()).unwrap();
    fs::write(stage.settings(), settings.replace("  at: \"06:00\"", "  at: \"06:00\"\n  remind: \"06:05\"")).unwrap();
    stage.serves(NIGHT, TimeDelta::minutes(5 * 60 + 6), None).await;
    let ledger = Connection::open(stage.data().join("ledger.db")).unwrap();
    let sql = "SELECT DISTINCT kind || ' ' || made_at FROM notices";
    let made: String = ledger.query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(made, "remind 2026-11-29T22:05:00.000Z");
}

#[tokio::test]
async fn a_faulty_edit_changes_nothing_and_is_shown() {
    let stage = Stage { spoils: true, ..Stage::new() };
    let (_, health) = stage.serves(NIGHT, TimeDelta::minutes(5 * 60 + 1), None).await;
    let fault = health.files_fault.expect("the fault is shown");
    assert!(fault.contains("checkin.yaml") && fault.contains("chek"), "{fault}");
    assert_eq!(health.project.sites[0].tasks.len(), 3, "the files from before");
    assert!(stage.decisions().iter().any(|(_, answer, _)| answer == "run"), "their slot is kept");
    let ledger = Connection::open(stage.data().join("ledger.db")).unwrap();
    let report: String = ledger.query_row("SELECT text FROM reports", [], |row| row.get(0)).unwrap();
    assert!(report.contains("checkin.yaml") && report.contains("sunup validate"), "{report}");
}

/// Orders that came while no round is under way, at six and half past.
async fn ordered(stage: &Stage, orders: &[&[&str]]) -> Vec<Vec<Answer>> {
    let (calls, _) = mpsc::channel(1);
    let now: Instant = "2026-11-29T22:30:00Z".parse().unwrap();
    let clock = Virtual {
        now: Mutex::new(now),
        leap: Mutex::default(),
        leap_in_round: Mutex::default(),
        end: now,
        sleeps: AtomicU32::new(0),
        calls,
    };
    let project = crate::files::load(&stage.settings()).unwrap();
    let ledger = Ledger::open_at(&stage.data(), now).unwrap();
    let redactor = Redactor::new();
    let resolver = Resolver::new(&project.root, [], redactor.clone());
    let control = Control::default();
    let data = stage.data();
    let round = Round {
        project: &project,
        ledger: &ledger,
        clock: &clock,
        data: &data,
        resolver: &resolver,
        redactor: &redactor,
        watch: &Quiet,
        control: &control,
        faulty_files: None,
        rehearsed: None,
    };
    let mut desk = Ordered::default();
    let mut answers = Vec::new();
    for tasks in orders {
        let (answer, mut answered) = oneshot::channel();
        let tasks = tasks.iter().map(|task| (*task).to_owned()).collect();
        desk.answer(&round, None, RunNow { tasks, answer }).await;
        answers.push(answered.try_recv().unwrap());
    }
    let next = desk.take();
    assert!(next.iter().all(|task| task == "community/checkin"), "{next:?}");
    assert!(next.len() <= 1, "one run: {next:?}");
    answers
}

#[tokio::test]
async fn two_orders_at_once_are_one_run() {
    let stage = Stage::new();
    let answers = ordered(&stage, &[&["community/checkin"], &["checkin"], &["nobody/knows"], &[]]).await;
    let short = |answers: &[Answer]| answers.iter().map(|one| (one.decision.clone(), one.runs)).collect::<Vec<_>>();
    assert_eq!(short(&answers[0]), [("run".to_owned(), true)]);
    assert_eq!(short(&answers[1]), [("in_flight: community/checkin".to_owned(), false)]);
    assert!(answers[2].is_empty() && answers[3].is_empty(), "no name, no run");
    let decisions = stage.decisions();
    assert_eq!(decisions.len(), 2);
    assert!(decisions.iter().all(|(source, ..)| source == "api"), "{decisions:?}");
}
