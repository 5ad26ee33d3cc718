//! `sunup status`: what is done, what waits, what was not delivered.

use anyhow::Result;
use chrono_tz::Tz;
use serde_json::json;

use super::exit::Exit;
use super::{Common, folders, show};
use crate::clock::{Clock, Instant, SystemClock};
use crate::files::model::Project;
use crate::ledger::{Ledger, OutboxMail};
use crate::report::{Report, TaskRun, Words};
use crate::run::Status;
use crate::runner::{assemble, lost_lines};

/// Shows the last day on record.
pub(super) fn status(common: &Common) -> Result<Exit> {
    let project = match folders::project(common) {
        Ok(project) => project,
        Err(exit) => return Ok(exit),
    };
    let words = Words::new(project.settings.language)?;
    let Some(ledger) = open(common)? else { return Ok(nothing(common, &words)) };
    let Some(date) = ledger.last_date()? else {
        tell_losses(&ledger, &project)?;
        return Ok(nothing(common, &words));
    };
    let now = SystemClock::new().now();
    let report = assemble(&project, &ledger, date, now, None)?;
    let mails = ledger.undelivered_mails()?;
    if common.json {
        show::json(&json!({
            "date": date,
            "runs": report.runs,
            "tickets": report.tickets,
            "undelivered": mails.iter().map(undelivered).collect::<Vec<_>>(),
            "next_runs": report.next_runs,
            "losses": report.losses,
            "alarms": report.alarms,
        }));
    } else {
        print(&report, &mails, &words, project.settings.timezone);
    }
    Ok(exit_of(&report.runs, !report.tickets.is_empty(), !mails.is_empty()))
}

/// The exit code of task runs, open tickets and mails that did not arrive.
pub(super) fn exit_of(runs: &[TaskRun], tickets: bool, undelivered: bool) -> Exit {
    let failed = runs.iter().any(|run| matches!(run.status, Status::Failed | Status::Dead));
    let person = tickets || runs.iter().any(|run| run.status == Status::Blocked);
    match (undelivered, person, failed) {
        (true, _, _) => Exit::NotDelivered,
        (false, true, _) => Exit::PersonNeeded,
        (false, false, true) => Exit::TaskFailed,
        _ => Exit::Ok,
    }
}

/// The ledger for reading, if there is one.
pub(super) fn open(common: &Common) -> Result<Option<Ledger>> {
    let data = folders::data(common).map_err(anyhow::Error::msg)?;
    Ok(Ledger::open_to_read(&data)?)
}

/// Says on standard error what the ledger lost, until a report has said it.
pub(super) fn tell_losses(ledger: &Ledger, project: &Project) -> Result<()> {
    let words = Words::new(project.settings.language)?;
    for loss in ledger.untold_losses()? {
        eprintln!("sunup: {}", lost_lines(loss).line(&words, project.settings.timezone));
    }
    Ok(())
}

fn nothing(common: &Common, words: &Words) -> Exit {
    if common.json {
        show::json(&json!({ "date": null, "runs": [], "tickets": [], "undelivered": [] }));
    } else {
        show::line(&words.get("cli-nothing-yet"));
    }
    Exit::Ok
}

fn print(report: &Report, mails: &[OutboxMail], words: &Words, zone: Tz) {
    show::line(&report.date.to_string());
    for loss in &report.losses {
        show::line(&loss.line(words, zone));
    }
    for alarm in &report.alarms {
        show::line(&alarm.line(words, zone));
    }
    rows(&report.runs, words, zone);
    for ticket in &report.tickets {
        show::line(&words.with(
            "cli-ticket",
            &[
                ("number", ticket.number.to_string().into()),
                ("site", ticket.site.clone().into()),
                ("account", ticket.account.clone().into()),
                ("reason", ticket.reason.clone().into()),
            ],
        ));
    }
    for mail in mails {
        let error = mail.last_error.clone().unwrap_or_default();
        let to = mail.mail.recipient.clone();
        let state = mail.state.word().to_owned();
        show::line(
            &words.with("cli-undelivered", &[("to", to.into()), ("state", state.into()), ("reason", error.into())]),
        );
    }
}

/// The table of task runs.
pub(super) fn rows(runs: &[TaskRun], words: &Words, zone: Tz) {
    let header = ["cli-status", "cli-task", "cli-account", "cli-when", "cli-why"].map(|key| words.get(key));
    let rows = runs.iter().map(|run| {
        let status = words.get(&format!("status-{}", run.status.word()));
        vec![
            words.with("beside", &[("words", status.into()), ("word", run.status.word().into())]),
            format!("{} {}", run.site, run.name),
            run.account.clone(),
            when(run, zone),
            why(run, words, zone),
        ]
    });
    show::table(&header, rows.collect());
}

fn when(run: &TaskRun, zone: Tz) -> String {
    run.verified_at.or(run.acted_at).map(|at| local(at, zone)).unwrap_or_default()
}

fn why(run: &TaskRun, words: &Words, zone: Tz) -> String {
    let mut why = Vec::new();
    if let Some(reason) = &run.reason {
        let text = words.find(&format!("reason-{}", reason.word), &[]).unwrap_or_else(|| reason.word.clone());
        why.push(reason.detail.as_ref().map_or(text.clone(), |detail| format!("{text}: {detail}")));
    }
    if let Some(failure) = &run.failure {
        let kind = words.get(&format!("kind-{}", failure.kind.word()));
        why.push(format!("{kind} ({}): {}", failure.kind, failure.message));
        why.extend(failure.step.clone());
    }
    if let Some(at) = run.again_at {
        why.push(words.with("cli-again", &[("time", local(at, zone).into())]));
    }
    why.join("; ")
}

fn local(at: Instant, zone: Tz) -> String {
    at.with_timezone(&zone).format("%m-%d %H:%M").to_string()
}

/// A mail that did not arrive, as JSON.
pub(super) fn undelivered(mail: &OutboxMail) -> serde_json::Value {
    json!({
        "date": mail.date,
        "number": mail.number,
        "to": mail.mail.recipient,
        "state": mail.state.word(),
        "tries": mail.tries,
        "error": mail.last_error,
    })
}
