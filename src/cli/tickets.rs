//! `sunup tickets`: what waits for a person.

use anyhow::Result;
use clap::{Args, Subcommand};
use serde_json::json;

use super::exit::Exit;
use super::{Common, folders, show, status};
use crate::clock::{Clock, SystemClock};
use crate::ledger::{BY_A_PERSON, Ledger, OpenTicket};
use crate::runner::ticket_json;

/// What `tickets` takes.
#[derive(Debug, Args)]
pub(super) struct TicketsArgs {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
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
    eprintln!("sunup: there is no open ticket #{number}; `sunup tickets` lists those that are");
    Ok(Exit::Usage)
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
