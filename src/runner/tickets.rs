//! Tickets: opened when a person is needed, closed when what they wait for is seen to have happened.

use anyhow::Result;

use super::lane::OpenLane;
use super::morning::World;
use super::plan::Planned;
use crate::clock::Instant;
use crate::ledger::Ticket;
use crate::run::{Event, Failure, FailureKind, Lane};

/// The rule named in a failure that only repeats what a ticket says already.
pub(super) const STANDING: &str = "standing-ticket";

/// Opens the ticket of a failure that needs a person; the task that met it, if one did.
pub(super) fn open(lane: &OpenLane<'_>, task: Option<&str>, failure: &Failure, at: Instant) -> Result<i64> {
    let fingerprint = (failure.kind == FailureKind::CredentialsRejected)
        .then(|| lane.world.credentials.fingerprint(&lane.credentials))
        .transpose()?
        .flatten();
    let ticket = Ticket {
        lane: lane.lane.clone(),
        failure: Some(failure.clone()),
        task: None,
        arose: task.map(str::to_owned),
        text: failure.message.clone(),
        fingerprint,
    };
    Ok(lane.world.ledger.open_ticket(&ticket, at)?)
}

/// The failure that an open ticket stands for, for a key that was about to run.
pub(super) fn standing(world: &World<'_>, number: i64) -> Result<Failure> {
    let ticket = world.ledger.open_tickets()?.into_iter().find(|ticket| ticket.number == number);
    let failure = ticket.and_then(|ticket| ticket.failure);
    let mut failure = failure.unwrap_or_else(|| Failure::new(FailureKind::Login, "a ticket waits for a person"));
    failure.message = format!("ticket #{number}: {}", failure.message);
    failure.rule = Some(STANDING.to_owned());
    Ok(failure)
}

/// Asks the person what the task says; one ticket for each account and task.
pub(super) fn ask(lane: &OpenLane<'_>, planned: &Planned<'_>) -> Result<Event> {
    let text = match planned.task.ask.as_ref().map(|ask| ask.render(&lane.scope(planned))) {
        Some(Ok(text)) => text,
        Some(Err(unknown)) => unknown.to_string(),
        None => planned.task.name.clone(),
    };
    let ticket = question(lane, planned, text);
    let number = lane.world.ledger.open_ticket(&ticket, lane.world.clock.now())?;
    Ok(Event::Asked { ticket: number })
}

/// A ticket by which a task asks its person.
pub(super) fn question(lane: &OpenLane<'_>, planned: &Planned<'_>, text: String) -> Ticket {
    let task = Some(planned.task.id.clone());
    Ticket { lane: lane.lane.clone(), failure: None, task, arose: None, text, fingerprint: None }
}

/// A task is final: what it asked was answered, or its time is over; and where it is done, it has passed what it met before.
pub(super) fn task_is_final(world: &World<'_>, planned: &Planned<'_>, done: bool, at: Instant) -> Result<()> {
    let lane = &planned.row.lane;
    if done {
        for task in [Some(planned.task.id.as_str()), planned.former_task()].into_iter().flatten() {
            world.ledger.block_passed(lane, Some(task), at)?;
        }
    }
    for ticket in world.ledger.open_tickets()? {
        let same_lane = ticket.site == lane.site && ticket.account.as_ref() == Some(&lane.account);
        let task = ticket.task.as_ref().map(|task| format!("{}/{task}", ticket.site));
        let own = task.as_ref() == Some(&planned.site.task_path(planned.task));
        if same_lane && (own || (task.is_some() && task == planned.task.was)) {
            world.ledger.close_ticket(ticket.number, "its task is final", at)?;
        }
    }
    Ok(())
}

/// Closes the ticket of rejected credentials once the secret is another one, which was never rejected. True when it did.
pub(super) async fn close_if_secret_changed(world: &World<'_>, planned: &Planned<'_>, at: Instant) -> Result<bool> {
    let lane: &Lane = &planned.row.lane;
    let rejected = world.ledger.open_tickets()?.into_iter().find(|ticket| {
        ticket.kind == FailureKind::CredentialsRejected.word()
            && ticket.site == lane.site
            && ticket.account.as_ref() == Some(&lane.account)
    });
    let Some(ticket) = rejected else { return Ok(false) };
    let Some(account) = super::requirements::account(planned.site, &lane.account) else { return Ok(false) };
    let Ok(credentials) = world.credentials.of(planned.site, account).await else { return Ok(false) };
    let Some(now) = world.credentials.fingerprint(&credentials)? else { return Ok(false) };
    let changed = !world.ledger.rejected_fingerprints(lane)?.contains(&now);
    Ok(changed && world.ledger.close_ticket(ticket.number, "the secret changed", at)?)
}
