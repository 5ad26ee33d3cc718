//! `sunup status`: what is done, what waits, what was not delivered.

use anyhow::Result;
use chrono_tz::Tz;

use super::exit::Exit;
use super::{Common, folders, show};
use crate::clock::{Clock, Instant, SystemClock};
use crate::files::model::Project;
use crate::ledger::{Ledger, OutboxMail};
use crate::report::{NextRun, Reason, Report, TaskRun, Words};
use crate::run::Status;
use crate::runner::{Standing, calendar_troubles, lost_lines};

/// Shows the last day on record.
pub(super) fn status(common: &Common) -> Result<Exit> {
    let project = match folders::project(common) {
        Ok(project) => project,
        Err(exit) => return Ok(exit),
    };
    let words = Words::new(project.settings.language)?;
    let ledger = open(common)?;
    let standing = Standing::of(&project, ledger.as_ref(), SystemClock::new().now())?;
    if common.json {
        show::json(&Standing::json(standing.as_ref()));
    }
    let Some(Standing { report, undelivered }) = standing else {
        if let Some(ledger) = &ledger {
            tell_losses(ledger, &project)?;
        }
        if !common.json {
            show::line(&words.get("cli-nothing-yet"));
        }
        return Ok(Exit::Ok);
    };
    if !common.json {
        print(&report, &undelivered, &words, project.settings.timezone);
        next_rows(&report.next_runs, &words, project.settings.timezone);
    }
    Ok(exit_of(&report.runs, !report.tickets.is_empty(), !undelivered.is_empty()))
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

/// Says on standard error what is wrong with the calendars of holidays.
pub(super) fn tell_calendars(project: &Project, now: Instant) -> Result<()> {
    let words = Words::new(project.settings.language)?;
    for trouble in calendar_troubles(project, now) {
        eprintln!("sunup: {}", trouble.line(&words));
    }
    Ok(())
}

fn print(report: &Report, mails: &[OutboxMail], words: &Words, zone: Tz) {
    show::line(&report.date.to_string());
    for loss in &report.losses {
        show::line(&loss.line(words, zone));
    }
    for trouble in &report.calendars {
        show::line(&trouble.line(words));
    }
    for alarm in &report.alarms {
        show::line(&alarm.line(words, zone));
    }
    rows(&report.runs, words, zone);
    if let Some(letters) = report.dead_letters {
        show::line(&letters.line(words));
    }
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
    for session in &report.sessions {
        show::line(&session.line(words, zone));
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

/// The table of next runs.
pub(super) fn next_rows(next: &[NextRun], words: &Words, zone: Tz) {
    let header = ["cli-next-run", "cli-task", "cli-account"].map(|key| words.get(key));
    let rows =
        next.iter().map(|run| vec![local(run.at, zone), format!("{} {}", run.site, run.name), run.account.clone()]);
    show::table(&header, rows.collect());
}

fn when(run: &TaskRun, zone: Tz) -> String {
    run.verified_at.or(run.acted_at).map(|at| local(at, zone)).unwrap_or_default()
}

pub(super) fn why(run: &TaskRun, words: &Words, zone: Tz) -> String {
    let mut why = Vec::new();
    why.extend(run.reason.as_ref().map(|reason| reason_words(reason, words)));
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

/// A reason in words, with what was seen.
pub(super) fn reason_words(reason: &Reason, words: &Words) -> String {
    let text = words.find(&format!("reason-{}", reason.word), &[]).unwrap_or_else(|| reason.word.clone());
    reason.detail.as_ref().map_or(text.clone(), |detail| format!("{text}: {detail}"))
}

/// A time in the runner's zone, as tables have it.
pub(super) fn local(at: Instant, zone: Tz) -> String {
    at.with_timezone(&zone).format("%m-%d %H:%M").to_string()
}
