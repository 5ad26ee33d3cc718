//! How a task's requirements stand: other tasks by the ledger, files by a look at them, requests and programs by asking
//! them. No side effects of ours.

mod outside;

use anyhow::Result;
use chrono::{DateTime, Utc};

use super::Credentials;
use super::plan::Planned;
use super::scope::scope;
use crate::files::condition::Template;
use crate::files::model::{Project, Requirement, Site};
use crate::ledger::Ledger;
use crate::program::Programs;
use crate::run::{RequirementState, Status};

/// How servers and programs are asked; a rehearsal asks nobody.
pub struct Outside(pub Option<Programs>);

/// Each requirement of this key, with how it stands.
pub async fn requirements(
    project: &Project,
    ledger: &Ledger,
    outside: &Outside,
    plan: &[Planned<'_>],
    planned: &Planned<'_>,
) -> Result<Vec<(String, RequirementState)>> {
    let mut states = Vec::new();
    for requirement in &planned.task.requires {
        let state = match (requirement, &outside.0) {
            (Requirement::Task { site, task }, _) => task_state(ledger, plan, planned, site.as_deref(), task)?,
            (Requirement::File { path, changed_in_period }, _) => match rendered(planned, path) {
                Ok(path) => file_state(project, planned, &path, *changed_in_period),
                Err(unknown) => RequirementState::NotReady(unknown),
            },
            (Requirement::Http { .. } | Requirement::Command { .. }, None) => RequirementState::Met,
            (Requirement::Http { url }, Some(_)) => match rendered(planned, url) {
                Ok(url) => outside::http(&url).await,
                Err(unknown) => RequirementState::NotReady(unknown),
            },
            (Requirement::Command { words }, Some(programs)) => {
                let words: Result<Vec<String>, String> = words.iter().map(|word| rendered(planned, word)).collect();
                match words {
                    Ok(words) => outside::command(programs, &words).await,
                    Err(unknown) => RequirementState::NotReady(unknown),
                }
            }
        };
        states.push((name(planned, requirement), state));
    }
    Ok(states)
}

/// What the requirements of a key are called, in their order.
pub fn names(planned: &Planned<'_>) -> Vec<String> {
    planned.task.requires.iter().map(|requirement| name(planned, requirement)).collect()
}

fn name(planned: &Planned<'_>, requirement: &Requirement) -> String {
    let (kind, text) = match requirement {
        Requirement::Task { site: Some(site), task } => return format!("task {site}/{task}"),
        Requirement::Task { site: None, task } => return format!("task {task}"),
        Requirement::File { path, .. } => ("file", Some(path)),
        Requirement::Http { url } => ("http", Some(url)),
        // Its arguments may be telling: the program is named alone.
        Requirement::Command { words } => ("command", words.first()),
    };
    let text = text.map(|text| rendered(planned, text).unwrap_or_else(|_| text.text().to_owned()));
    format!("{kind} {}", text.unwrap_or_default())
}

/// A text with its names put in, such as the day; or what is unknown in it.
fn rendered(planned: &Planned<'_>, text: &Template) -> std::result::Result<String, String> {
    let account = account(planned.site, &planned.row.lane.account).ok_or_else(String::new)?;
    let names = scope(&planned.row.period, account, &Credentials::nobody(), Some(planned.task));
    text.render(&names).map_err(|unknown| unknown.to_string())
}

/// A task of the same account, or another site's task for all its accounts, in today's periods.
fn task_state(
    ledger: &Ledger,
    plan: &[Planned<'_>],
    planned: &Planned<'_>,
    site: Option<&str>,
    task: &str,
) -> Result<RequirementState> {
    let todays = plan.iter().filter(|other| other.row.task == task && !other.rules.is_past());
    let wanted = todays.filter(|other| match site {
        Some(site) => other.row.lane.site == site,
        None => other.row.lane == planned.row.lane,
    });
    let mut state = RequirementState::Met;
    let mut any = false;
    for other in wanted {
        any = true;
        let former = || other.former_key().map_or(Ok(None), |former| ledger.key(&former));
        let line = ledger.key(&other.row.key)?.map_or_else(former, |line| Ok(Some(line)))?;
        let status = line.map_or(Status::Pending, |line| line.status);
        match status {
            status if status.is_done() => {}
            Status::Blocked | Status::Dead | Status::Skipped => {
                return Ok(RequirementState::Ended(format!("{task} is {status}")));
            }
            status => state = RequirementState::NotReady(format!("{status}")),
        }
    }
    Ok(if any { state } else { RequirementState::NotReady("it does not run today".to_owned()) })
}

fn file_state(project: &Project, planned: &Planned<'_>, path: &str, changed_in_period: bool) -> RequirementState {
    match std::fs::metadata(project.root.join(path)).and_then(|meta| meta.modified()) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            RequirementState::NotReady("it is not there".to_owned())
        }
        Err(error) => RequirementState::NotReady(error.to_string()),
        Ok(changed) => {
            let changed: DateTime<Utc> = changed.into();
            match changed_in_period && changed < planned.row.period.from {
                true => RequirementState::NotReady("it was not changed in this period".to_owned()),
                false => RequirementState::Met,
            }
        }
    }
}

/// The account of this id.
pub fn account<'a>(site: &'a Site, id: &str) -> Option<&'a crate::files::model::Account> {
    site.accounts.iter().find(|account| account.id == id)
}
