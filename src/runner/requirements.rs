//! How a task's requirements stand: other tasks by the ledger, files by a look at them. No side effects.

use anyhow::Result;
use chrono::{DateTime, Utc};

use super::Credentials;
use super::plan::Planned;
use super::scope::scope;
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
        .map(|requirement| match requirement {
            Requirement::Task { site, task } => {
                let state = task_state(ledger, plan, planned, site.as_deref(), task)?;
                Ok((format!("task {}", site.as_ref().map_or(task.clone(), |site| format!("{site}/{task}"))), state))
            }
            Requirement::File { path, changed_in_period } => Ok(file_state(project, planned, path, *changed_in_period)),
        })
        .collect()
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

fn file_state(
    project: &Project,
    planned: &Planned<'_>,
    path: &crate::files::condition::Template,
    changed_in_period: bool,
) -> (String, RequirementState) {
    let Some(account) = account(planned.site, &planned.row.lane.account) else {
        return (path.text().to_owned(), RequirementState::NotReady(String::new()));
    };
    let names = scope(&planned.row.period, account, &Credentials::nobody(), Some(planned.task));
    let path = match path.render(&names) {
        Ok(path) => path,
        Err(unknown) => return (path.text().to_owned(), RequirementState::NotReady(unknown.to_string())),
    };
    let name = format!("file {path}");
    let state = match std::fs::metadata(project.root.join(&path)).and_then(|meta| meta.modified()) {
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
    };
    (name, state)
}

/// The account of this id.
pub fn account<'a>(site: &'a Site, id: &str) -> Option<&'a crate::files::model::Account> {
    site.accounts.iter().find(|account| account.id == id)
}
