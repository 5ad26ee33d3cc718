//! `sunup history`: the past days, a line for each day and task.

use anyhow::Result;
use chrono::Days;
use clap::Args;
use serde_json::{Value, json};

use super::exit::Exit;
use super::run::unknown_task;
use super::{Common, folders, show, status};
use crate::clock::{Clock, SystemClock};
use crate::files::model::Project;
use crate::ledger::DayStatus;
use crate::report::{Reason, Words};
use crate::runner::names_task;

/// What `history` takes.
#[derive(Debug, Args)]
pub(super) struct HistoryArgs {
    /// Only these: `site/task`, `task` or `site` [default: all]
    tasks: Vec<String>,
    /// So many days, today's included
    #[arg(long, value_name = "N", default_value_t = 14, value_parser = clap::value_parser!(u64).range(1..=3660))]
    days: u64,
}

/// Shows the past days, the last one at the end.
pub(super) fn history(common: &Common, args: &HistoryArgs) -> Result<Exit> {
    let project = match folders::project(common) {
        Ok(project) => project,
        Err(exit) => return Ok(exit),
    };
    if let Some(unknown) = args.tasks.iter().find(|name| !project.has(name)) {
        return Ok(unknown_task(unknown));
    }
    let today = SystemClock::new().now().with_timezone(&project.settings.timezone).date_naive();
    let since = today - Days::new(args.days - 1);
    let ledger = status::open(common)?;
    let mut days = ledger.map(|ledger| ledger.days_since(since)).transpose()?.unwrap_or_default();
    days.retain(|day| names_task(&args.tasks, &day.site, &day.task));
    if common.json {
        show::json(&json!({ "since": since, "days": days.iter().map(as_json).collect::<Vec<_>>() }));
        return Ok(Exit::Ok);
    }
    let words = Words::new(project.settings.language)?;
    if days.is_empty() {
        show::line(&words.with("cli-history-none", &[("date", since.to_string().into())]));
        return Ok(Exit::Ok);
    }
    let header = ["cli-day", "cli-status", "cli-task", "cli-account", "cli-why"].map(|key| words.get(key));
    show::table(&header, days.iter().map(|day| row(&project, day, &words)).collect());
    Ok(Exit::Ok)
}

fn row(project: &Project, day: &DayStatus, words: &Words) -> Vec<String> {
    let reason = reason(day).map(|reason| status::reason_words(&reason, words)).unwrap_or_default();
    let label = words.get(&format!("status-{}", day.status.word()));
    vec![
        day.date.to_string(),
        words.with("beside", &[("words", label.into()), ("word", day.status.word().into())]),
        name(project, day),
        day.account.clone(),
        reason,
    ]
}

/// Why; of what is done nobody asks.
fn reason(day: &DayStatus) -> Option<Reason> {
    day.reason.as_deref().filter(|_| !day.status.is_done()).map(Reason::of)
}

/// Site and task by the names of today's files; one that they do not have any more by its path.
fn name(project: &Project, day: &DayStatus) -> String {
    let site = project.sites.iter().find(|site| site.id == day.site);
    let found = site.and_then(|site| Some((site, site.tasks.iter().find(|task| task.id == day.task)?)));
    match found {
        Some((site, task)) => format!("{} {}", site.name, task.name),
        None => format!("{}/{}", day.site, day.task),
    }
}

fn as_json(day: &DayStatus) -> Value {
    json!({
        "date": day.date,
        "task": format!("{}/{}", day.site, day.task),
        "account": day.account,
        "status": day.status,
        "reason": reason(day),
    })
}
