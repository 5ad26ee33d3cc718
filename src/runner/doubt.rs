//! What the ledger lost, and what follows for the keys of that time.

use anyhow::Result;

use super::lane::OpenLane;
use super::morning::World;
use super::plan::Planned;
use crate::ledger::{BY_A_PERSON, Ledger, Loss, StatusLine, Ticket};
use crate::report::LostLines;
use crate::run::{Event, TaskRun};
use crate::timing::{Period, PeriodKind};

/// True for a key that may have been done under the lines that were lost: its period had begun when that was found.
pub(super) fn concerns(loss: &Loss, period: &Period) -> bool {
    // A key for ever is named by the day on which it was first planned, and may have been done on any day before.
    period.kind == PeriodKind::Once || period.from <= loss.found_at
}

/// The losses that a report of these keys tells of: those that concern one of them, unless it ended before, and those that no
/// report has told of yet.
pub fn losses_of(ledger: &Ledger, lines: &[StatusLine]) -> Result<Vec<LostLines>> {
    let untold = ledger.untold_losses()?;
    let concerned = |loss: &Loss| {
        let lost_sight_of = |line: &&StatusLine| line.closed_at.is_none_or(|closed| closed >= loss.found_at);
        lines.iter().filter(lost_sight_of).any(|line| concerns(loss, &line.row.period))
    };
    let losses = ledger.losses()?.into_iter();
    Ok(losses.filter(|loss| concerned(loss) || untold.contains(loss)).map(lost_lines).collect())
}

/// A loss as the report has it.
pub fn lost_lines(loss: Loss) -> LostLines {
    LostLines { kind: loss.kind, found_at: loss.found_at, known_to: loss.known_to, kept: loss.kept }
}

/// Writes down that a key is in doubt, where the ledger lost lines in its time and the key does not know that yet.
pub(super) fn take_in(world: &World<'_>, planned: &Planned<'_>, state: &TaskRun) -> Result<()> {
    let period = &planned.row.period;
    let newest = world.ledger.losses()?.into_iter().rev().find(|loss| concerns(loss, period));
    let Some(loss) = newest.filter(|loss| loss.id > state.loss) else { return Ok(()) };
    let now = world.clock.now();
    let event = Event::Doubted { loss: loss.id };
    let mut after = state.clone();
    after.apply(now, &event, &planned.rules);
    Ok(world.ledger.append(&world.run, &planned.row.key, now, &event, &after)?)
}

/// Whether a person said yes; else he is asked.
pub(super) fn ask(lane: &OpenLane<'_>, planned: &Planned<'_>, state: &TaskRun) -> Result<Event> {
    let world = lane.world;
    if let Some(ticket) = state.ticket
        && world.ledger.closed_by(ticket)?.as_deref() == Some(BY_A_PERSON)
    {
        return Ok(Event::Allowed { ticket });
    }
    let text = format!(
        "{}: the site says that it is to do, and the ledger lost lines, so that it may have been done before. Look on the site \
         whether it was; if it was not, close this ticket, and the next run does it",
        planned.task.name
    );
    let ticket =
        Ticket { lane: lane.lane.clone(), failure: None, task: Some(planned.task.id.clone()), text, fingerprint: None };
    Ok(Event::Asked { ticket: world.ledger.open_ticket(&ticket, world.clock.now())? })
}
