//! `/metrics`: the ledger's counts in the OpenMetrics text format. They are read anew for each scrape; nothing is counted
//! in memory, so that a restart loses nothing.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;

use axum::extract::State;
use axum::response::Response;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::api::typed;
use super::health::{Wellness, is_overdue};
use super::problem::Problem;
use super::{App, read};
use crate::clock::Instant;
use crate::files::model::Project;
use crate::ledger::{AttemptCount, LastOutcome, Ledger};
use crate::run::Status;
use crate::runner::alarms;
use crate::serve::Health;

const KIND: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The label of tasks that are no more in the files: the number of labels is that of the tasks.
const GONE: &str = "(gone)";

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfTask {
    task: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfAttempts {
    task: String,
    status: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfStatus {
    status: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfAnswer {
    answer: &'static str,
}

type Gauged<L> = Family<L, Gauge<f64, AtomicU64>>;

/// What a scrape shows.
#[derive(Default)]
struct Seen {
    verified: Vec<(String, Instant)>,
    attempts: Vec<AttemptCount>,
    keys: BTreeMap<Status, u32>,
    tickets: usize,
    outcome: Option<LastOutcome>,
    overdue: bool,
}

/// The scrape.
pub(super) async fn metrics(State(app): State<App>) -> Result<Response, Problem> {
    let now = app.now();
    let seen = read(&app, move |project, ledger| {
        ledger.map_or_else(|| Ok(Seen::default()), |ledger| look(project, ledger, now))
    });
    let health = app.server.front.health.borrow().clone();
    let registry = registry(&seen.await?, &health, now);
    let mut text = String::new();
    encode(&mut text, &registry).map_err(|error| Problem::unavailable(error.to_string()))?;
    Ok(typed(KIND, text))
}

fn look(project: &Project, ledger: &Ledger, now: Instant) -> anyhow::Result<Seen> {
    let known = |task: String| if project.has(&task) { task } else { GONE.to_owned() };
    let mut keys = BTreeMap::new();
    if let Some(date) = ledger.last_date()? {
        for line in ledger.keys_of(date)? {
            *keys.entry(line.status).or_default() += 1;
        }
    }
    let attempts = ledger.attempts_by_task()?;
    Ok(Seen {
        verified: ledger.verified_by_task()?.into_iter().map(|(task, at)| (known(task), at)).collect(),
        attempts: attempts.into_iter().map(|count| AttemptCount { task: known(count.task), ..count }).collect(),
        keys,
        tickets: ledger.open_tickets()?.len(),
        outcome: ledger.last_outcome()?,
        overdue: is_overdue(&alarms(project, ledger, now)?),
    })
}

fn registry(seen: &Seen, health: &Health, now: Instant) -> Registry {
    let mut registry = Registry::with_prefix("sunup");
    let verified = Gauged::<OfTask>::default();
    for (task, at) in &seen.verified {
        let gauge = verified.get_or_create(&OfTask { task: task.clone() });
        gauge.set(gauge.get().max(seconds(*at)));
    }
    registry.register("last_verified_timestamp_seconds", "When the task was last proved from the server", verified);
    let attempts = Family::<OfAttempts, Counter>::default();
    for AttemptCount { task, status, count } in &seen.attempts {
        attempts.get_or_create(&OfAttempts { task: task.clone(), status: status.clone() }).inc_by(*count);
    }
    registry.register("attempts", "Attempts on record, by the status that they ended in", attempts);
    let keys = Gauged::<OfStatus>::default();
    for (status, count) in &seen.keys {
        keys.get_or_create(&OfStatus { status: status.word() }).set(f64::from(*count));
    }
    registry.register("keys", "Keys of the last day on record, by status", keys);
    let tickets = Gauge::<f64, AtomicU64>::default();
    tickets.set(seen.tickets as f64);
    registry.register("open_tickets", "What waits for a person", tickets);
    let round = Gauge::<f64, AtomicU64>::default();
    round.set(health.round_ended.map_or(0.0, seconds));
    registry.register("last_round_timestamp_seconds", "When the daemon's last round ended; 0 before the first", round);
    let wellness = Wellness::of(health, seen.outcome, seen.overdue, now);
    let answers = Gauged::<OfAnswer>::default();
    for answer in Wellness::ALL {
        answers.get_or_create(&OfAnswer { answer: answer.word() }).set(f64::from(u8::from(answer == wellness)));
    }
    registry.register("health", "1 for the answer that /healthz gives", answers);
    registry
}

fn seconds(at: Instant) -> f64 {
    at.timestamp_millis() as f64 / 1000.0
}
