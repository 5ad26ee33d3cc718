//! The API: the words of the command line's `--json`, and orders by the same decision as everything else.

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use chrono::NaiveDate;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::oneshot;

use super::board::said;
use super::problem::Problem;
use super::{App, in_background, read};
use crate::ledger::{BY_A_PERSON, Ledger, StoredDecision};
use crate::report::Words;
use crate::runner::{Standing, next_runs, report_again, ticket_json};
use crate::serve::{Answer, RunNow};

/// So many decisions are shown.
const DECISIONS: u32 = 200;

type Answered = Result<Json<Value>, Problem>;

/// How things stand: `sunup status --json`.
pub(super) async fn status(State(app): State<App>) -> Answered {
    let now = app.now();
    let shown =
        read(&app, move |project, ledger| Standing::of(project, ledger, now).map(|it| Standing::json(it.as_ref())));
    shown.await.map(Json)
}

/// What the files say is to be done.
pub(super) async fn tasks(State(app): State<App>) -> Answered {
    let (project, now) = (app.project(), app.now());
    let next = next_runs(&project, now);
    let tasks = project.sites.iter().flat_map(|site| site.tasks.iter().map(move |task| (site, task)));
    let shown = tasks.map(|(site, task)| {
        let path = site.task_path(task);
        let next = next.iter().find(|run| run.task == path).map(|run| run.at);
        json!({ "task": path, "name": task.name, "site": site.name, "accounts": task.accounts, "next_at": next })
    });
    Ok(Json(shown.collect()))
}

#[derive(Deserialize)]
pub(super) struct OfTask {
    task: Option<String>,
}

/// The answers to "run now?", newest first.
pub(super) async fn decisions(State(app): State<App>, Query(OfTask { task }): Query<OfTask>) -> Answered {
    if let Some(task) = &task {
        known(&app, task)?;
    }
    let decisions = read(&app, move |_, ledger| {
        let Some(ledger) = ledger else { return Ok(Vec::new()) };
        Ok(ledger.recent_decisions(task.as_deref(), DECISIONS)?)
    });
    Ok(Json(decisions.await?.iter().map(decision_json).collect()))
}

fn decision_json(decision: &StoredDecision) -> Value {
    json!({
        "key": decision.key,
        "source": decision.source,
        "answer": decision.answer,
        "first_at": decision.first_at,
        "last_at": decision.last_at,
        "count": decision.count,
    })
}

/// What waits for a person: `sunup tickets --json`.
pub(super) async fn tickets(State(app): State<App>) -> Answered {
    let tickets = read(&app, |_, ledger| Ok(ledger.map(Ledger::open_tickets).transpose()?.unwrap_or_default()));
    Ok(Json(tickets.await?.iter().map(ticket_json).collect()))
}

/// The report of the last day on record: `sunup report --json`.
pub(super) async fn last_report(State(app): State<App>) -> Answered {
    report_json(&app, None).await
}

/// The report of a day.
pub(super) async fn report(State(app): State<App>, Path(date): Path<NaiveDate>) -> Answered {
    report_json(&app, Some(date)).await
}

async fn report_json(app: &App, date: Option<NaiveDate>) -> Answered {
    let now = app.now();
    let report = read(app, move |project, ledger| {
        let Some(ledger) = ledger else { return Ok(None) };
        report_again(project, ledger, date, now)?.map(|report| Ok(serde_json::to_value(report)?)).transpose()
    });
    match report.await? {
        Some(report) => Ok(Json(report)),
        None => Err(Problem::not_found("nothing is on record for this day")),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Order {
    tasks: Vec<String>,
}

/// Asks "run now?" for these tasks; what is to run then runs behind the answer.
pub(super) async fn run(State(app): State<App>, Json(order): Json<Order>) -> Result<Response, Problem> {
    if order.tasks.is_empty() {
        let detail = "name at least one task, such as {\"tasks\": [\"site/task\"]}";
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, detail));
    }
    for name in &order.tasks {
        known(&app, name)?;
    }
    let (answer, answers) = oneshot::channel();
    let orders = &app.server.front.orders;
    orders.try_send(RunNow { tasks: order.tasks, answer }).map_err(|error| match error {
        TrySendError::Full(_) => Problem::unavailable("too many orders wait to be looked at: try again soon"),
        TrySendError::Closed(_) => Problem::unavailable("the daemon is stopping"),
    })?;
    let answers = answers.await.map_err(|_| Problem::unavailable("the daemon could not decide: its log says why"))?;
    let project = app.project();
    let words = Words::new(project.settings.language).map_err(|error| Problem::unavailable(error.to_string()))?;
    let (zone, now) = (project.settings.timezone, app.now());
    let shown = |answer: &Answer| {
        let said = said::answer(&words, zone, now, &answer.decision, answer.runs);
        json!({ "key": answer.key, "decision": answer.decision, "runs": answer.runs, "said": said })
    };
    let shown: Vec<Value> = answers.iter().map(shown).collect();
    Ok((StatusCode::ACCEPTED, Json(json!({ "answers": shown }))).into_response())
}

/// Closes a ticket, as `sunup tickets close` does.
pub(super) async fn close(State(app): State<App>, Path(number): Path<i64>) -> Answered {
    let (data, now) = (app.server.data.clone(), app.now());
    let closed = in_background(&app, move || {
        // Opening makes a ledger where there is none, and there is nothing to close in that.
        let any = Ledger::open_to_read(&data)?.is_some();
        Ok(any && Ledger::open(&data)?.close_ticket(number, BY_A_PERSON, now)?)
    });
    match closed.await? {
        true => Ok(Json(json!({ "closed": number }))),
        false => Err(Problem::not_found(format!("there is no open ticket #{number}"))),
    }
}

fn known(app: &App, name: &str) -> Result<(), Problem> {
    let detail =
        || format!("there is no task `{}`; /api/tasks lists the tasks", name.chars().take(100).collect::<String>());
    if app.project().has(name) { Ok(()) } else { Err(Problem::not_found(detail())) }
}

/// An answer in another type than JSON.
pub(super) fn typed(kind: &'static str, body: impl IntoResponse) -> Response {
    ([(header::CONTENT_TYPE, kind)], body).into_response()
}
