//! "Run now?" for one key, with all that it is asked of. Nothing is written: who asks to act records the answer.

use anyhow::Result;

use super::before::{asked_in_time, is_first, under_way};
use super::plan::Planned;
use super::requirements::{Outside, requirements};
use crate::clock::Instant;
use crate::files::model::Project;
use crate::ledger::{Holder, Ledger, StatusLine};
use crate::run::{Before, Decision, Facts, Status, TaskRun, asks_requirements, decide, decide_alone};

/// The answer to "run now?", with what it was asked of.
pub(super) struct Asked {
    pub state: TaskRun,
    /// The ledger has it, closed or with this very window.
    pub is_opened: bool,
    /// Another task that has the key, and its status.
    pub held_by: Option<(String, Status)>,
    pub decision: Decision,
}

/// Asks for `key`, one of `plan` or of an earlier day, in the name of `holder`.
pub(super) async fn ask(
    project: &Project,
    ledger: &Ledger,
    outside: &Outside,
    holder: &Holder,
    plan: &[Planned<'_>],
    key: &Planned<'_>,
    now: Instant,
) -> Result<Asked> {
    let line = ledger.key(&key.row.key)?;
    let held_by = line.as_ref().and_then(|line| task_that_has(key, line));
    let is_opened = line.as_ref().is_some_and(|line| line.closed_at.is_some() || line.row.window == key.row.window);
    let is_first = line.is_none() && is_first(ledger, key)?;
    let state = match line {
        _ if held_by.is_some() => TaskRun::default(),
        // On most mornings most keys are over, and a household has hundreds of them.
        Some(line) if line.status.is_final() => TaskRun::over_as(line.status, line.reason),
        _ => TaskRun::fold(&ledger.events(&key.row.key)?, &key.rules),
    };
    let under_way = under_way(ledger, key, &state)?;
    let before =
        Before { asked_in_time: asked_in_time(ledger, key, &state, now)?, is_first, under_way: under_way.as_deref() };
    let mut facts = Facts {
        now,
        rules: &key.rules,
        state: &state,
        held_by: held_by.as_ref().map(|(task, status)| (task.as_str(), *status)),
        skip: key.skip.as_ref(),
        before,
        requirements: &[],
        suspended_by: None,
        cooling_until: None,
        locked_by: None,
    };
    // Most keys are answered by themselves and the time. Nothing else is looked up where it cannot matter: no program and no
    // server is asked, and of its lane only what `Facts` says next.
    if let Some(decision) = decide_alone(&facts) {
        return Ok(Asked { state, is_opened, held_by, decision });
    }
    let requirements = match asks_requirements(&facts) {
        true => requirements(project, ledger, outside, plan, key).await?,
        false => Vec::new(),
    };
    let locked_by = ledger.lease_holder(&key.row.lane, holder, now)?.map(|holder| holder.to_string());
    facts.requirements = &requirements;
    facts.suspended_by = ledger.suspended_by(&key.row.lane)?;
    facts.cooling_until = ledger.site_wait(&key.row.lane.site, now)?.map(|wait| wait.until);
    facts.locked_by = locked_by.as_deref();
    let decision = decide(&facts);
    Ok(Asked { state, is_opened, held_by, decision })
}

/// Another task that has this key: its path, and the key's status.
pub(super) fn held_by_another(ledger: &Ledger, key: &Planned<'_>) -> Result<Option<(String, Status)>> {
    Ok(ledger.key(&key.row.key)?.and_then(|line| task_that_has(key, &line)))
}

/// The task that has this key, and the key's status, if it is another one.
fn task_that_has(key: &Planned<'_>, line: &StatusLine) -> Option<(String, Status)> {
    let other = !key.has_task_of(&line.row);
    other.then(|| (format!("{}/{}", line.row.lane.site, line.row.task), line.status))
}
