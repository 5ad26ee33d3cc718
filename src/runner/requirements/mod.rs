//! How a task's requirements stand: other tasks by the ledger, files by a look at them, requests and programs by asking
//! them. No side effects of ours.

mod outside;

use anyhow::Result;
use chrono::{DateTime, Utc};

use super::plan::Planned;
use super::scope::scope;
use super::{Credentials, World};
use crate::files::condition::{Scope, Template};
use crate::files::model::{Project, Requirement, Site};
use crate::ledger::Ledger;
use crate::run::{RequirementState, Status};

/// Each requirement of this key, with how it stands.
pub async fn requirements(
    world: &World<'_>,
    plan: &[Planned<'_>],
    planned: &Planned<'_>,
) -> Result<Vec<(String, RequirementState)>> {
    let mut states = Vec::new();
    // A rehearsal asks nobody outside.
    let asked = |requirement: &&Requirement| {
        let outside = matches!(requirement, Requirement::Http { .. } | Requirement::Command { .. });
        !outside || world.credentials.fixtures.is_none()
    };
    for requirement in planned.task.requires.iter().filter(asked) {
        states.push(match requirement {
            Requirement::Task { site, task } => {
                let state = task_state(world.ledger, plan, planned, site.as_deref(), task)?;
                (format!("task {}", site.as_ref().map_or(task.clone(), |site| format!("{site}/{task}"))), state)
            }
            Requirement::File { path, changed_in_period } => {
                let state = |path: &[String]| file_state(world.project, planned, &path[0], *changed_in_period);
                named("file", planned, std::slice::from_ref(path))
                    .map_or_else(|unknown| unknown, |(name, path)| (name, state(&path)))
            }
            Requirement::Http { url } => match named("http", planned, std::slice::from_ref(url)) {
                Ok((name, url)) => (name, outside::http(&url[0]).await),
                Err(unknown) => unknown,
            },
            // Arguments may be telling: the program is named alone.
            Requirement::Command { words } => match named("command", planned, words) {
                Ok((_, words)) => (
                    format!("command {}", words[0]),
                    outside::command(&world.credentials.resolver.programs(), &words).await,
                ),
                Err(unknown) => unknown,
            },
        });
    }
    Ok(states)
}

/// What a requirement is about, in words for the decision and with its names put in; or that one of them is unknown.
fn named(
    kind: &str,
    planned: &Planned<'_>,
    texts: &[Template],
) -> Result<(String, Vec<String>), (String, RequirementState)> {
    let as_written = || format!("{kind} {}", texts.first().map(Template::text).unwrap_or_default());
    let rendered: Result<Vec<String>, _> = match names(planned) {
        Some(names) => texts.iter().map(|text| text.render(&names)).collect(),
        None => return Err((as_written(), RequirementState::NotReady(String::new()))),
    };
    match rendered {
        Ok(texts) => Ok((format!("{kind} {}", texts.first().cloned().unwrap_or_default()), texts)),
        Err(unknown) => Err((as_written(), RequirementState::NotReady(unknown.to_string()))),
    }
}

fn names(planned: &Planned<'_>) -> Option<Scope> {
    let account = account(planned.site, &planned.row.lane.account)?;
    Some(scope(&planned.row.period, account, &Credentials::nobody(), Some(planned.task)))
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
