//! The real program at work: how long it takes, where its time goes, how much memory it takes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use sunup::clock::{Clock, SystemClock};

use crate::support::{Outcome, Place, run};

/// How often the memory of the running program is read. Its high-water mark only rises, so little is missed.
const LOOK: Duration = Duration::from_millis(5);

/// One run of the program.
pub struct Ran {
    /// From its start to its end.
    pub took: Duration,
    /// What it said.
    pub outcome: Outcome,
}

/// What a run says of itself in its log.
#[derive(Default)]
pub struct Spent {
    /// By command to the browser: how often, and how long altogether.
    pub commands: BTreeMap<String, (u32, Duration)>,
    /// Of all glances, what they took inside the pages.
    pub glances: Duration,
    /// By request to the rehearsed site: how often.
    pub requests: BTreeMap<String, u64>,
}

/// A rehearsed morning of the example's tasks, with a new ledger and a new profile.
pub async fn morning(place: &Place, data: &str) -> Ran {
    let config = crate::settings(place);
    sunup(place, &["run", "--dry-run", "--config", path(&config), "--data", data]).await
}

/// Any run of it, with a log that says where its time goes.
pub async fn sunup(place: &Place, arguments: &[&str]) -> Ran {
    let mut command = place.sunup(arguments);
    command.env("SUNUP_LOG", "sunup=debug");
    for secret in ["COMMUNITY_USER", "COMMUNITY_PASSWORD", "SUNUP_SMTP_PASSWORD"] {
        command.env(secret, "not-needed-here");
    }
    let clock = SystemClock::new();
    let outcome = run(command).await;
    let took = clock.uptime();
    assert_eq!(outcome.code, 0, "{outcome}");
    Ran { took, outcome }
}

/// The highest memory that a morning needs, in KiB, without the browser's.
pub async fn peak_memory(place: &Place) -> u64 {
    let config = crate::settings(place);
    let mut command = place.sunup(&["run", "--dry-run", "--config", path(&config), "--data", "memory"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
    let status = format!("/proc/{}/status", child.id().expect("it runs"));
    let (clock, mut peak) = (SystemClock::new(), 0);
    let code = loop {
        if let Some(ended) = child.try_wait().expect("a child of ours") {
            break ended.code();
        }
        let told = fs::read_to_string(&status).unwrap_or_default();
        let marks = told.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
        peak = marks.unwrap_or(0).max(peak);
        clock.sleep_real(LOOK).await;
    };
    assert_eq!(code, Some(0), "the morning went wrong");
    peak
}

impl Spent {
    /// Adds up the log of a run.
    pub fn of(log: &str) -> Self {
        let mut spent = Spent::default();
        for line in log.lines() {
            if let Some(request) = quoted(line, "request=") {
                *spent.requests.entry(request.to_owned()).or_default() += 1;
            }
            if let Some((_, took)) = line.split_once("glance_us=") {
                spent.glances += Duration::from_micros(took.trim().parse().expect("a number"));
            }
            if let (Some(command), Some((_, took))) = (quoted(line, "command="), line.split_once("took_us=")) {
                let (count, sum) = spent.commands.entry(command.to_owned()).or_default();
                *count += 1;
                *sum += Duration::from_micros(took.trim().parse().expect("a number"));
            }
        }
        spent
    }

    /// What recognising pages that ask for a person cost: its scripts, and the commands that are there only for it. The time of
    /// such a command is that of one that asks a page next to nothing; what it takes longer, a page that is still being loaded
    /// and drawn takes, and the next command would wait for that.
    pub fn recognition(&self) -> Duration {
        let of = |command: &str| self.commands.get(command).copied().unwrap_or_default();
        let (times, took) = of("typing");
        let [(glances, _), (_, scans), (_, shadows)] = ["glance", "scan", "shadow"].map(of);
        self.glances + took / times.max(1) * glances + scans + shadows
    }

    /// The time in the browser and its driver, their start and their end included.
    pub fn in_browser(&self) -> Duration {
        self.commands.values().map(|(_, took)| *took).sum()
    }
}

fn quoted<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    line.split_once(name)?.1.strip_prefix('"')?.split('"').next()
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a name in UTF-8")
}
