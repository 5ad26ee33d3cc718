//! What was before a key, of which the decision asks. Each is looked up only for tasks that ask for it.

use anyhow::Result;

use super::plan::Planned;
use crate::clock::Instant;
use crate::ledger::Ledger;
use crate::run::{Status, TaskRun};
use crate::timing::PeriodKind;

/// True when the task and account have no key of an earlier day on record, under no name.
pub(super) fn is_first(ledger: &Ledger, key: &Planned<'_>) -> Result<bool> {
    let asks = key.rules.passed.first_waits;
    Ok(asks && !ledger.has_key_before(&key.row.lane, &key.task.id, key.former_task(), key.row.report_date)?)
}

/// True when a key that is not on record yet leaves its slot to the next one.
pub(super) fn waits_for_first_start(ledger: &Ledger, key: &Planned<'_>, now: Instant) -> Result<bool> {
    Ok(now > key.rules.late_after && is_first(ledger, key)?)
}

/// True when somebody asked "run now?" within `grace` of the slot: whatever kept the key waiting, it was not passed.
pub(super) fn asked_in_time(ledger: &Ledger, key: &Planned<'_>, state: &TaskRun, now: Instant) -> Result<bool> {
    let (from, to) = (key.rules.window.slot, key.rules.late_after);
    let asks = key.rules.passed.never && now > to && !state.is_begun();
    Ok(asks && ledger.was_asked(&key.row.key, from, to)?)
}

/// The earlier occurrence of the same task and account that is under way: at work, or waiting for a retry or for evidence.
pub(super) fn under_way(ledger: &Ledger, key: &Planned<'_>, state: &TaskRun) -> Result<Option<String>> {
    if key.row.period.kind != PeriodKind::Occurrence || state.is_begun() {
        return Ok(None);
    }
    let mut open = ledger.open_keys_of(&key.row.lane)?;
    open.retain(|line| line.row.period.from < key.row.period.from && key.has_task_of(&line.row));
    let begun = open.into_iter().find(|line| line.status != Status::Pending || line.due.is_some());
    Ok(begun.map(|line| line.row.key.to_string()))
}
