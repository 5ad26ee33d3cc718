//! `/healthz`: is it well? Four answers, because "it answers" says little about a morning that never succeeds.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use chrono::TimeDelta;
use serde_json::json;

use super::{App, read};
use crate::clock::Instant;
use crate::ledger::LastOutcome;
use crate::report::{Alarm, AlarmKind};
use crate::runner::alarms;
use crate::serve::Health;

/// A daemon that has not looked at the clock for so long hangs.
const SEEN: TimeDelta = TimeDelta::minutes(2);

/// What a round may take beyond the longest run: the report, and mails to servers that do not answer.
const AROUND: TimeDelta = TimeDelta::minutes(30);

/// How the daemon and its last morning are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wellness {
    /// Nothing was proved and nothing failed yet.
    Fresh,
    /// The last day with an outcome came to a good end so far.
    LastVerified,
    /// Something of the last day failed, is dead, or waits for a person; or something was not proved for too long; or the last
    /// round broke off.
    LastFailed,
    /// The daemon hangs.
    Wedged,
}

impl Wellness {
    pub const ALL: [Wellness; 4] = [Wellness::Fresh, Wellness::LastVerified, Wellness::LastFailed, Wellness::Wedged];

    /// `overdue` is what was not proved for more than twice its interval.
    pub fn of(health: &Health, outcome: Option<LastOutcome>, overdue: bool, now: Instant) -> Self {
        match outcome {
            _ if is_wedged(health, now) => Wellness::Wedged,
            _ if health.round_fault.is_some() || overdue => Wellness::LastFailed,
            None => Wellness::Fresh,
            Some(outcome) if outcome.failed => Wellness::LastFailed,
            Some(_) => Wellness::LastVerified,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Wellness::Fresh => "fresh",
            Wellness::LastVerified => "last_verified",
            Wellness::LastFailed => "last_failed",
            Wellness::Wedged => "wedged",
        }
    }

    pub fn status(self) -> StatusCode {
        match self {
            Wellness::Fresh | Wellness::LastVerified => StatusCode::OK,
            Wellness::LastFailed | Wellness::Wedged => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

/// True for a daemon that does not look at the clock, or whose round does not end. A clock that was set back makes none.
fn is_wedged(health: &Health, now: Instant) -> bool {
    let run_limit = TimeDelta::from_std(health.project.settings.run_limit).unwrap_or(TimeDelta::MAX);
    let round = health.in_round.then_some(health.round_began).flatten();
    now - health.seen_at > SEEN || round.is_some_and(|began| now - began > run_limit + AROUND)
}

/// True when one of the alarms is that nothing was proved for too long.
pub(super) fn is_overdue(alarms: &[Alarm]) -> bool {
    alarms.iter().any(|alarm| alarm.kind == AlarmKind::NoSuccess)
}

/// Answers anybody on this machine, a monitor without secrets included: it names no task, and tells no more than times.
pub(super) async fn healthz(State(app): State<App>) -> Response {
    let health = app.server.front.health.borrow().clone();
    let now = app.now();
    let seen = read(&app, move |project, ledger| {
        let Some(ledger) = ledger else { return Ok((None, false, None, None)) };
        let overdue = is_overdue(&alarms(project, ledger, now)?);
        Ok((ledger.last_outcome()?, overdue, ledger.last_verified()?, ledger.last_failed()?))
    });
    let (outcome, overdue, verified, failed) = match seen.await {
        Ok(seen) => seen,
        // Why stands in the log: its paths are nobody else's business.
        Err(_) => return (StatusCode::SERVICE_UNAVAILABLE, Json(json!({ "answer": "last_failed" }))).into_response(),
    };
    let wellness = Wellness::of(&health, outcome, overdue, now);
    let shown = json!({
        "answer": wellness.word(),
        "last_verified": verified,
        "last_failed": failed,
        "in_round": health.in_round,
        "next_round": health.next_round,
    });
    (wellness.status(), Json(shown)).into_response()
}
