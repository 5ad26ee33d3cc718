//! What is told of the ledger, the same by the command line and by the API: as data, and in the words of `docs/json.md`.

use anyhow::{Context, Result};
use chrono::NaiveDate;
use serde_json::{Value, json};

use super::report::assemble;
use crate::clock::Instant;
use crate::files::model::Project;
use crate::ledger::{Ledger, OpenTicket, OutboxMail};
use crate::report::Report;

/// How things stand: the last day on record, and the mails that did not arrive.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// The day, as its report would tell it now.
    pub report: Report,
    /// The mails.
    pub undelivered: Vec<OutboxMail>,
}

impl Standing {
    /// How things stand; none while nothing is on record.
    pub fn of(project: &Project, ledger: Option<&Ledger>, now: Instant) -> Result<Option<Self>> {
        let Some(ledger) = ledger else { return Ok(None) };
        let Some(date) = ledger.last_date()? else { return Ok(None) };
        let report = assemble(project, ledger, date, now, None)?;
        Ok(Some(Standing { report, undelivered: ledger.undelivered_mails()? }))
    }

    /// The JSON of `status`, also where nothing is on record.
    pub fn json(standing: Option<&Self>) -> Value {
        let Some(Standing { report, undelivered }) = standing else {
            return json!({ "date": null, "runs": [], "tickets": [], "undelivered": [] });
        };
        json!({
            "date": report.date,
            "runs": report.runs,
            "tickets": report.tickets,
            "undelivered": undelivered.iter().map(undelivered_json).collect::<Vec<_>>(),
            "next_runs": report.next_runs,
            "losses": report.losses,
            "calendars": report.calendars,
            "sessions": report.sessions,
            "alarms": report.alarms,
            "dead_letters": report.dead_letters,
        })
    }
}

/// The report of a day (of the last one on record when none is named) as the ledger tells it today, numbered as the one
/// that was sent; none when nothing is on record for it.
pub fn report_again(
    project: &Project,
    ledger: &Ledger,
    date: Option<NaiveDate>,
    now: Instant,
) -> Result<Option<Report>> {
    let last = || ledger.last_date();
    let Some(date) = date.map_or_else(last, |date| Ok(Some(date)))? else { return Ok(None) };
    let mut report = assemble(project, ledger, date, now, None)?;
    if report.runs.is_empty() {
        return Ok(None);
    }
    if let Some(stored) = ledger.last_report(date)? {
        let sent: Report = serde_json::from_str(&stored.json).context("the stored report cannot be read")?;
        report.number = stored.number;
        report.rehearsal = sent.rehearsal;
        report.generated_at = sent.generated_at;
        report.to = sent.to;
    }
    Ok(Some(report))
}

/// A mail that did not arrive, as JSON.
fn undelivered_json(mail: &OutboxMail) -> Value {
    json!({
        "date": mail.date,
        "number": mail.number,
        "to": mail.mail.recipient,
        "state": mail.state.word(),
        "tries": mail.tries,
        "error": mail.last_error,
    })
}

/// An open ticket, as the JSON of `tickets`.
pub fn ticket_json(ticket: &OpenTicket) -> Value {
    json!({
        "number": ticket.number,
        "kind": ticket.kind,
        "site": ticket.site,
        "account": ticket.account,
        "task": ticket.task,
        "reason": ticket.text,
        "page": ticket.failure.as_ref().and_then(|failure| failure.page.clone()),
        "title": ticket.failure.as_ref().and_then(|failure| failure.title.clone()),
        "rule": ticket.failure.as_ref().and_then(|failure| failure.rule.clone()),
        "picture": ticket.failure.as_ref().and_then(|failure| failure.picture.clone()),
        "since": ticket.opened_at,
        "reopened": ticket.reopened,
        "closed_at": ticket.closed.as_ref().map(|(at, _)| at),
        "closed_by": ticket.closed.as_ref().map(|(_, by)| by),
    })
}
