//! What ten years of mornings cost: twenty accounts with thirty tasks a day on one ledger, against the targets and against
//! a ledger of ten days. `make bench`. It takes about eight gigabytes of the temporary folder (`TMPDIR`), and removes
//! them; `SUNUP_DAYS=365` asks for a year.

#[path = "../figures.rs"]
mod figures;
mod household;
#[path = "../../tests/support/mod.rs"]
mod support;
mod years;

use std::fs;
use std::process::ExitCode;
use std::time::Duration;

use sunup::clock::{Clock, SystemClock};
use sunup::files::model::Project;
use sunup::ledger::{Holder, Ledger};
use sunup::run::{Before, Decision, Facts, Refusal, TaskRun, decide};
use sunup::runner::{Planned, plan};

use figures::{Figure, median, millis, seconds, told};
use support::{Place, run};

/// Ten years, of which three are leap years at the most.
const DAYS: u32 = 3_650;
const FEW_DAYS: u32 = 10;
/// Runs of each command.
const RUNS: usize = 15;

/// What is measured of one ledger.
struct Measured {
    keys: u64,
    bytes: u64,
    filled_in: Duration,
    decision: Duration,
    worst_decision: Duration,
    start: Duration,
    status: Duration,
    done_run: Duration,
    check: Duration,
}

#[tokio::main]
async fn main() -> ExitCode {
    let days = std::env::var("SUNUP_DAYS").ok().map_or(DAYS, |text| text.parse().expect("a number of days"));
    let place = Place::new();
    let project = household::project(&place);
    let template = years::Template::new(&place, &project);
    let few = measure(&place, &project, &template, FEW_DAYS).await;
    let many = measure(&place, &project, &template, days).await;
    println!(
        "{} keys in {:.2} GB, filled in {}; beside it {} keys in {:.1} MB",
        many.keys,
        many.bytes as f64 / 1e9,
        seconds(many.filled_in),
        few.keys,
        few.bytes as f64 / 1e6
    );
    told(&figures(&few, &many))
}

async fn measure(place: &Place, project: &Project, template: &years::Template, days: u32) -> Measured {
    let data = place.path(&format!("data-{days}"));
    let clock = SystemClock::new();
    template.fill(&data, days);
    let filled_in = clock.uptime();
    let file = fs::metadata(data.join("ledger.db")).expect("a ledger");
    let (keys, bytes) = (u64::from(days) * u64::from(household::KEYS_A_DAY), file.len());
    let start = median((0..RUNS).map(|_| timed(|| Ledger::open(&data).expect("it opens")).0).collect());
    let ledger = Ledger::open(&data).expect("it opens");
    let mut decisions = decisions(&ledger, project);
    decisions.sort();
    let (decision, worst_decision) = (decisions[decisions.len() / 2], decisions[decisions.len() - 1]);
    drop(ledger);
    let status = command(place, &data, &["status"]).await;
    let done_run = command(place, &data, &["run"]).await;
    let ledger = Ledger::open(&data).expect("it opens");
    let in_a_week = clock.now() + chrono::TimeDelta::days(8);
    let (check, found) = timed(|| ledger.check_if_due(in_a_week));
    found.expect("the ledger is whole");
    drop(ledger);
    fs::remove_dir_all(&data).expect("the data folder");
    Measured { keys, bytes, filled_in, decision, worst_decision, start, status, done_run, check }
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let clock = SystemClock::new();
    let done = work();
    (clock.uptime(), done)
}

/// How long each of today's keys takes to be decided: all that the runner reads for it, and the answer.
fn decisions(ledger: &Ledger, project: &Project) -> Vec<Duration> {
    let now = SystemClock::new().now();
    let keys = plan(project, now);
    assert_eq!(keys.len(), household::KEYS_A_DAY as usize);
    let holder = Holder::this();
    keys.iter().map(|key| timed(|| decided(ledger, key, &holder, now)).0).collect()
}

/// As `runner/turn.rs` asks it.
fn decided(ledger: &Ledger, key: &Planned<'_>, holder: &Holder, now: chrono::DateTime<chrono::Utc>) {
    let lane = &key.row.lane;
    ledger.key(&key.row.key).expect("a key");
    let state = TaskRun::fold(&ledger.events(&key.row.key).expect("its events"), &key.rules);
    let locked_by = ledger.lease_holder(lane, holder, now).expect("a lease").map(|holder| holder.to_string());
    let decision = decide(&Facts {
        now,
        rules: &key.rules,
        state: &state,
        held_by: None,
        skip: None,
        before: Before::default(),
        requirements: &[],
        suspended_by: ledger.suspended_by(lane).expect("tickets"),
        cooling_until: ledger.site_wait(&lane.site, now).expect("waits").map(|wait| wait.until),
        locked_by: locked_by.as_deref(),
    });
    assert_eq!(decision, Decision::Refused(Refusal::AlreadyDone));
}

/// The real program with this ledger: the median of so many runs.
async fn command(place: &Place, data: &std::path::Path, arguments: &[&str]) -> Duration {
    let config = household::config(place);
    let mut took = Vec::new();
    for _ in 0..RUNS {
        let data = data.to_str().expect("a name in UTF-8");
        let all = [arguments, &["--json", "--config", &config, "--data", data]].concat();
        let clock = SystemClock::new();
        let outcome = run(place.sunup(&all)).await;
        took.push(clock.uptime());
        let done = outcome.stdout.matches("\"status\": \"success\"").count();
        assert_eq!((outcome.code, done), (0, household::KEYS_A_DAY as usize), "{outcome}");
    }
    median(took)
}

fn figures(few: &Measured, many: &Measured) -> Vec<Figure> {
    let timed = |name, of: fn(&Measured) -> Duration, target: Option<f64>| {
        let (few, many) = (of(few), of(many));
        let ratio = many.as_secs_f64() / few.as_secs_f64();
        let measured = format!("{}; of ten days {}: {ratio:.2} of it", millis(many), millis(few));
        Figure { name, measured, share: target.map(|target| many.as_secs_f64() / target) }
    };
    let size = |of: &Measured| of.bytes / of.keys;
    vec![
        timed("a decision (5 ms)", |of| of.decision, Some(0.005)),
        timed("the slowest decision", |of| of.worst_decision, None),
        timed("status (100 ms)", |of| of.status, Some(0.100)),
        timed("start: opening (200 ms)", |of| of.start, Some(0.200)),
        timed("a run of 600 done keys", |of| of.done_run, None),
        timed("the weekly check, after a run", |of| of.check, None),
        Figure {
            name: "size of a task run",
            measured: format!("{} bytes; of ten days {}", size(many), size(few)),
            share: None,
        },
    ]
}
