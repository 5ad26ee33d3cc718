//! Tasks that share their key with the one that has it: they are told beside it, and do nothing.

use super::plan::{Planned, plan};
use crate::files::model::Project;
use crate::ledger::KeyRow;
use crate::report::{Reason, TaskRun};
use crate::run::Status;

/// The other tasks whose key this is, too.
pub(super) fn sharing<'p>(project: &'p Project, row: &KeyRow) -> Vec<Planned<'p>> {
    let any = project.sites.iter().flat_map(|site| &site.tasks).any(|task| task.business_key.is_some());
    let mut planned = if any { plan(project, row.window.slot) } else { Vec::new() };
    planned.retain(|other| other.row.key == row.key && !other.has_task_of(row));
    planned
}

/// How such a task stands, by the run of the one that has the key.
pub(super) fn told_beside(planned: &Planned<'_>, holder: &TaskRun, before: Option<&TaskRun>) -> TaskRun {
    let (status, word) = match holder.status {
        status if status.is_done() => (Status::AlreadyDone, "already_done"),
        status if status.is_final() => (Status::Skipped, "closed"),
        _ => (Status::Pending, "in_flight"),
    };
    TaskRun {
        name: planned.task.name.clone(),
        site: planned.site.name.clone(),
        task: planned.site.task_path(planned.task),
        account: holder.account.clone(),
        period: holder.period.clone(),
        status,
        reason: Some(Reason { word: word.to_owned(), detail: Some(holder.task.clone()) }),
        changed: before.is_some_and(|before| before.status != status),
        failure: None,
        ticket: None,
        attempts: 0,
        acted_at: None,
        verified_at: None,
        again_at: None,
        evidence: None,
        late_minutes: None,
        notices: Vec::new(),
        drift: Vec::new(),
    }
}
