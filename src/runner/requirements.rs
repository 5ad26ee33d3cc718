//! How a task's requirements stand: other tasks by the ledger, files by a look at them. No side effects.

use anyhow::Result;
use chrono::{DateTime, Utc};

use super::Credentials;
use super::plan::Planned;
use super::scope::scope;
use crate::files::condition::Template;
use crate::files::model::{Project, Requirement, Site};
use crate::ledger::Ledger;
use crate::run::{RequirementState, Status};

/// Each requirement of this key, with how it stands.
pub fn requirements(
    project: &Project,
    ledger: &Ledger,
    plan: &[Planned<'_>],
    planned: &Planned<'_>,
) -> Result<Vec<(String, RequirementState)>> {
    planned
        .task
        .requires
        .iter()
        .map(|requirement| {
            let state = match requirement {
                Requirement::Task { site, task } => task_state(ledger, plan, planned, site.as_deref(), task)?,
                Requirement::File { path, changed_in_period } => match file_path(planned, path) {
                    Ok(path) => file_state(project, planned, &path, *changed_in_period),
                    Err(unknown) => RequirementState::NotReady(unknown),
                },
            };
            Ok((name(planned, requirement), state))
        })
        .collect()
}

/// What the requirements of a key are called, in their order.
pub fn names(planned: &Planned<'_>) -> Vec<String> {
    planned.task.requires.iter().map(|requirement| name(planned, requirement)).collect()
}

fn name(planned: &Planned<'_>, requirement: &Requirement) -> String {
    match requirement {
        Requirement::Task { site: Some(site), task } => format!("task {site}/{task}"),
        Requirement::Task { site: None, task } => format!("task {task}"),
        Requirement::File { path, .. } => match file_path(planned, path) {
            Ok(path) => format!("file {path}"),
            Err(_) => path.text().to_owned(),
        },
    }
}

/// The path of a file, which may name the day; or what is unknown in it.
fn file_path(planned: &Planned<'_>, path: &Template) -> std::result::Result<String, String> {
    let account = account(planned.site, &planned.row.lane.account).ok_or_else(String::new)?;
    let names = scope(&planned.row.period, account, &Credentials::nobody(), Some(planned.task));
    path.render(&names).map_err(|unknown| unknown.to_string())
}

/// A task of the same account, or another site's task for all its accounts, in today's periods.
fn task_state(
    ledger: &Ledger,
    plan: &[Planned<'_>],
    planned: &Planned<'_>,
    site: Option<&str>,
    task: &str,
) -> Result<RequirementState> {
    let wanted = plan.iter().filter(|other| other.row.task == task).filter(|other| match site {
        Some(site) => other.row.lane.site == site,
        None => other.row.lane == planned.row.lane,
    });
    let mut state = RequirementState::Met;
    let mut any = false;
    for other in wanted {
        any = true;
        let status = ledger.key(&other.row.key)?.map_or(Status::Pending, |line| line.status);
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
