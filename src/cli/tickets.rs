//! `sunup tickets`: what waits for a person.

use std::path::Path;

use anyhow::Result;
use clap::{Args, Subcommand};
use serde_json::json;

use super::exit::Exit;
use super::{Common, folders, show, status};
use crate::clock::{Clock, SystemClock};
use crate::ledger::{BY_A_PERSON, Ledger, OpenTicket};
use crate::report::{Ticket, Words};
use crate::runner::{ticket_json, waits_for_person};

/// What `tickets` takes.
#[derive(Debug, Args)]
pub(super) struct TicketsArgs {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show a ticket: what was seen, its picture, what to do, and the command that helps
    Show {
        /// Its number
        number: i64,
    },
    /// Close a ticket: what it asked for is done, and the next run may look again
    Close {
        /// Its number
        number: i64,
    },
}

/// Shows the open tickets, or closes one.
pub(super) fn tickets(common: &Common, args: &TicketsArgs) -> Result<Exit> {
    match &args.action {
        None => list(common),
        Some(Action::Show { number }) => one(common, *number),
        Some(Action::Close { number }) => close(common, *number),
    }
}

fn list(common: &Common) -> Result<Exit> {
    let tickets = status::open(common)?.map(|ledger| ledger.open_tickets()).transpose()?.unwrap_or_default();
    if common.json {
        show::json(&tickets.iter().map(ticket_json).collect::<Vec<_>>());
    } else if tickets.is_empty() {
        show::line("no open tickets");
    } else {
        let header = ["#", "kind", "site", "account", "what"].map(str::to_owned);
        show::table(&header, tickets.iter().map(as_row).collect());
    }
    Ok(if tickets.is_empty() { Exit::Ok } else { Exit::PersonNeeded })
}

fn close(common: &Common, number: i64) -> Result<Exit> {
    let data = folders::data(common).map_err(anyhow::Error::msg)?;
    let closed = Ledger::open(&data)?.close_ticket(number, BY_A_PERSON, SystemClock::new().now())?;
    if closed && common.json {
        show::json(&json!({ "closed": number }));
        return Ok(Exit::Ok);
    }
    if closed {
        show::line(&format!("ticket #{number} is closed; the next run looks again"));
        return Ok(Exit::Ok);
    }
    let known = status::open(common)?.map(|ledger| ledger.ticket(number)).transpose()?.flatten();
    let Some((_, by)) = known.and_then(|ticket| ticket.closed) else { return Ok(none(number)) };
    show::line(&format!("ticket #{number} was closed before ({by}); the next run looks again"));
    Ok(Exit::Ok)
}

fn none(number: i64) -> Exit {
    eprintln!("sunup: there is no ticket #{number}; `sunup tickets` lists those that are open");
    Exit::Usage
}

/// Shows one ticket, open or closed.
fn one(common: &Common, number: i64) -> Result<Exit> {
    let ledger = status::open(common)?;
    let Some(ledger) = ledger else { return Ok(none(number)) };
    let Some(ticket) = ledger.ticket(number)? else { return Ok(none(number)) };
    if common.json {
        show::json(&ticket_json(&ticket));
        return Ok(Exit::Ok);
    }
    let project = match folders::project(common) {
        Ok(project) => project,
        Err(exit) => return Ok(exit),
    };
    let words = Words::new(project.settings.language)?;
    let told = waits_for_person(&project, &ledger, &ticket);
    let local =
        |at: crate::clock::Instant| at.with_timezone(&project.settings.timezone).format("%Y-%m-%d %H:%M").to_string();
    let kind = match told.kind {
        Some(kind) => words.with(
            "beside",
            &[("words", words.get(&format!("kind-{}", kind.word())).into()), ("word", kind.word().into())],
        ),
        None => words.get("ticket-asks"),
    };
    show::line(&format!("#{number} {kind} · {} · {}", told.site, told.account));
    show::line(&words.with("ticket-since", &[("time", local(told.since).into())]));
    if told.reopened > 0 {
        show::line(&words.with("ticket-reopened", &[("count", told.reopened.into())]));
    }
    for line in lines(&told, &words, ledger.folder()) {
        show::line(&line);
    }
    if let Some((at, by)) = &ticket.closed {
        let closed = [("time", local(*at).into()), ("by", by.clone().into())];
        show::line(&words.with("ticket-closed", &closed));
    }
    Ok(Exit::Ok)
}

/// What was seen, where, and what to do about it.
fn lines(told: &Ticket, words: &Words, data: &Path) -> Vec<String> {
    let advice = told.kind.and_then(|kind| words.find(&format!("advice-{}", kind.word()), &[]));
    let picture = told.picture.as_ref().map(|name| data.join("pictures").join(name).display().to_string());
    let then = if told.sign_in.is_some() { "command-then" } else { "command" };
    let said = [
        ("what-happened", "text", Some(told.reason.clone())),
        ("ticket-page", "page", told.page_and_title(words)),
        ("ticket-rule", "rule", told.rule.clone()),
        ("picture", "picture", picture),
        ("what-to-do", "text", told.what_to_do.clone().or(advice)),
        ("command", "command", told.sign_in.clone()),
        (then, "command", told.command.clone()),
    ];
    said.into_iter().filter_map(|(key, name, text)| Some(words.with(key, &[(name, text?.into())]))).collect()
}

fn as_row(ticket: &OpenTicket) -> Vec<String> {
    vec![
        format!("#{}", ticket.number),
        ticket.kind.clone(),
        ticket.site.clone(),
        ticket.account.clone().unwrap_or_else(|| "*".to_owned()),
        ticket.text.clone(),
    ]
}
