//! What the ledger lost, and what follows for the keys of that time.

use anyhow::Result;
use chrono::NaiveDate;

use super::lane::OpenLane;
use super::morning::World;
use super::plan::Planned;
use super::tickets;
use crate::ledger::{BY_A_PERSON, Lease, Ledger, Loss, StatusLine};
use crate::report::LostLines;
use crate::run::{Event, TaskRun};
use crate::timing::{Calendar, Period, PeriodKind};

/// True for a key that may have been done under the lines that were lost: its period had begun when that was found.
pub(super) fn concerns(loss: &Loss, period: &Period) -> bool {
    // A key for ever is named by the day on which it was first planned, and may have been done on any day before.
    period.kind == PeriodKind::Once || period.from <= loss.found_at
}

/// Sign-ins of this day of the site that may have been submitted under lines that were lost: one for each loss.
pub(super) fn lost_submissions(losses: &[Loss], calendar: &Calendar, day: NaiveDate) -> u32 {
    losses.iter().filter(|loss| calendar.day(loss.found_at) == day).map(|_| 1).sum()
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
pub(super) fn take_in(world: &World<'_>, planned: &Planned<'_>, lease: &Lease) -> Result<()> {
    let period = &planned.row.period;
    let newest = world.ledger.losses()?.into_iter().rev().find(|loss| concerns(loss, period));
    let Some(loss) = newest else { return Ok(()) };
    let state = TaskRun::fold(&world.ledger.events(&planned.row.key)?, &planned.rules);
    if loss.id <= state.loss {
        return Ok(());
    }
    let now = world.clock.now();
    let event = Event::Doubted { loss: loss.id };
    let mut after = state;
    after.apply(now, &event, &planned.rules);
    world.ledger.append_under(lease, &world.run, &planned.row.key, now, &event, &after)?;
    Ok(())
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
    let ticket = tickets::question(lane, planned, text);
    Ok(Event::Asked { ticket: world.ledger.open_ticket(&ticket, world.clock.now())? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::LossKind;

    fn loss(found_at: &str) -> Loss {
        let found_at = found_at.parse().unwrap();
        Loss { id: 1, found_at, kind: LossKind::Gone, known_to: None, reason: String::new(), kept: None }
    }

    fn calendar() -> Calendar {
        Calendar { zone: chrono_tz::Asia::Shanghai, starts_at: chrono::NaiveTime::MIN }
    }

    #[test]
    fn a_loss_concerns_the_periods_that_had_begun_and_what_is_done_once_for_ever() {
        let loss = loss("2026-12-01T01:00:00Z");
        let concerned = |kind, day: &str| concerns(&loss, &calendar().period(kind, day.parse().unwrap()));
        assert!(concerned(PeriodKind::Day, "2026-12-01T01:00:00Z"), "its day");
        assert!(concerned(PeriodKind::Day, "2026-11-30T01:00:00Z"), "a day before");
        assert!(!concerned(PeriodKind::Day, "2026-12-02T01:00:00Z"), "not the next day");
        assert!(concerned(PeriodKind::Week, "2026-12-05T01:00:00Z"), "its week, looked at later");
        assert!(!concerned(PeriodKind::Week, "2026-12-07T01:00:00Z"), "not the next week");
        assert!(concerned(PeriodKind::Once, "2027-12-07T01:00:00Z"), "whenever it is first planned");
    }

    #[test]
    fn each_loss_may_hide_a_sign_in_of_its_day() {
        let losses = [loss("2026-11-30T16:30:00Z"), loss("2026-11-30T15:30:00Z"), loss("2026-11-30T18:00:00Z")];
        let lost = |day: &str| lost_submissions(&losses, &calendar(), day.parse().unwrap());
        assert_eq!((lost("2026-11-30"), lost("2026-12-01"), lost("2026-12-02")), (1, 2, 0));
    }
}
