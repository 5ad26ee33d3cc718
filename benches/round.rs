//! What a daemon costs while nothing happens, against its targets: `make bench`. A target that is missed makes the program end
//! with 1.

#[path = "../tests/support/mod.rs"]
mod support;

use std::fs;
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use async_trait::async_trait;
use sunup::clock::{Clock, Instant, SystemClock};
use sunup::files::model::{Project, Site};
use sunup::ledger::Ledger;
use sunup::run::Source;
use sunup::runner::{Control, Morning, Quiet, Round};
use sunup::secrets::{Redactor, Resolver};

use support::{Place, project};

const SITES: usize = 50;
const TASKS: usize = 20;
/// Rounds of each kind; the slowest counts.
const ROUNDS: usize = 10;
/// A round in which nothing is to be done.
const ROUND: Duration = Duration::from_millis(50);
/// Memory of a daemon that sleeps.
const MEMORY_KB: u64 = 30 * 1024;

/// A clock that stands still.
struct Still(Instant, SystemClock);

#[async_trait]
impl Clock for Still {
    fn now(&self) -> Instant {
        self.0
    }

    fn uptime(&self) -> Duration {
        self.1.uptime()
    }

    async fn sleep_until(&self, _: Instant) {
        std::future::pending().await
    }

    async fn sleep_real(&self, duration: Duration) {
        self.1.sleep_real(duration).await;
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let place = Place::new();
    let (early, late) = ("2026-11-29T17:00:00Z", "2026-11-30T15:45:00Z");
    let before = round(&place, "before", early).await;
    let after = round(&place, "after", late).await;
    let memory = memory(&place).await;
    println!();
    println!("{} tasks, nothing due yet: {:.1} ms at the most", SITES * TASKS, before.as_secs_f64() * 1e3);
    println!("{} tasks, all of them over: {:.1} ms at the most", SITES * TASKS, after.as_secs_f64() * 1e3);
    println!("a daemon that sleeps: {:.1} MB", memory as f64 / 1024.0);
    let missed = before > ROUND || after > ROUND || memory > MEMORY_KB;
    if missed {
        println!("MISSED: {ROUND:?} and {} MB are the targets", MEMORY_KB / 1024);
    }
    ExitCode::from(u8::from(missed))
}

/// The example's first task, a thousand times over.
fn many() -> Project {
    let example = sunup::files::load(&project().join("sunup.yaml")).map_err(|faults| faults.render(false));
    let mut many = example.expect("the example's files are good");
    let example = many.sites.remove(0);
    many.sites = (0..SITES).map(|site| Site { id: format!("site_{site}"), ..example.clone() }).collect();
    for site in &mut many.sites {
        let first = site.tasks.remove(0);
        site.tasks = (0..TASKS)
            .map(|task| {
                let mut again = first.clone();
                again.id = format!("task_{task}");
                again
            })
            .collect();
    }
    many
}

/// The slowest of some rounds at this time; the first one, which writes everything down, does not count.
async fn round(place: &Place, data: &str, now: &str) -> Duration {
    let project = many();
    let clock = Still(now.parse().expect("a time"), SystemClock::new());
    let data = place.path(data);
    let ledger = Ledger::open_at(&data, clock.now()).expect("a ledger");
    let redactor = Redactor::new();
    let resolver = Resolver::new(&project.root, [], redactor.clone());
    let control = Control::default();
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
    let world = round.world(&Quiet);
    let mut slowest = Duration::ZERO;
    for number in 0..=ROUNDS {
        let began = clock.uptime();
        Morning::new(&world, Vec::new()).by(Source::Schedule).run().await.expect("a round");
        if number > 0 {
            slowest = slowest.max(clock.uptime() - began);
        }
    }
    slowest
}

/// What a real daemon takes while it sleeps.
async fn memory(place: &Place) -> u64 {
    let own = place.path("files");
    fs::create_dir_all(own.join("tasks/community")).expect("a folder");
    let text = fs::read_to_string(project().join("sunup.yaml")).expect("the example's settings");
    // Whatever time it is: what is due fails at once, and then the daemon sleeps.
    let text = text.replace("driver: geckodriver", "driver: /nowhere/geckodriver");
    fs::write(own.join("sunup.yaml"), text).expect("a file");
    for file in fs::read_dir(project().join("tasks/community")).expect("the example's tasks").flatten() {
        fs::copy(file.path(), own.join("tasks/community").join(file.file_name())).expect("a file");
    }
    let mut command = place.sunup(&["serve", "--data", "sleeps", "--config", "files/sunup.yaml"]);
    let mut daemon = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
    SystemClock::new().sleep_real(Duration::from_secs(5)).await;
    let status = fs::read_to_string(format!("/proc/{}/status", daemon.id().unwrap_or_default())).unwrap_or_default();
    let resident =
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse().ok());
    daemon.kill().await.expect("the daemon");
    resident.expect("it still runs")
}
