//! What is due next, by the files and by the ledger: the same durable times that a later `sunup run` goes by.

use anyhow::Result;
use chrono::TimeDelta;

use crate::clock::Instant;
use crate::files::model::Project;
use crate::ledger::{Ledger, MailState};
use crate::runner::{next_reminder, next_runs};

/// While something is open that no time is known for (a requirement, a ticket, another run at work), it is looked at so
/// often; the timer of `sunup service` starts a run as often.
pub(super) const LOOK_AGAIN: TimeDelta = TimeDelta::minutes(10);

/// When nothing at all is known to come.
const AT_THE_LATEST: TimeDelta = TimeDelta::days(1);

/// The next slot of any task after this time.
pub(super) fn next_slot(project: &Project, now: Instant) -> Option<Instant> {
    next_runs(project, now).first().map(|next| next.at)
}

/// When the next round begins.
pub(super) fn next_round(project: &Project, ledger: &Ledger, now: Instant) -> Result<Instant> {
    let open = ledger.open_keys()?;
    let retries = open.iter().filter_map(|key| key.due);
    let ends = open.iter().map(|key| key.row.window.until);
    let mails = ledger.undelivered_mails()?;
    let mut mails =
        mails.iter().filter(|mail| matches!(mail.state, MailState::Queued | MailState::Uncertain)).peekable();
    let look_again = (!open.is_empty() || mails.peek().is_some()).then_some(now + LOOK_AGAIN);
    let known = next_slot(project, now).into_iter().chain(next_reminder(project, now));
    let times = known.chain(retries).chain(ends).chain(mails.filter_map(|mail| mail.due));
    // What was due already was looked at in the round that has just ended: only a later look can change that.
    let next = times.chain(look_again).filter(|at| *at > now).min();
    Ok(next.unwrap_or(now + AT_THE_LATEST))
}
