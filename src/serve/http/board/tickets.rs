//! What waits for a person: why, what to do, and the very command.

use serde::Serialize;

use super::said::Said;
use crate::report::{Report, Ticket};

/// One ticket.
#[derive(Debug, Serialize)]
pub(super) struct TicketView {
    number: u32,
    title: String,
    kind: String,
    reason: String,
    what_to_do: Option<String>,
    waiting: Option<String>,
    page: Option<String>,
    rule: Option<String>,
    picture: Option<String>,
    since: String,
    sign_in: Option<String>,
    command: Option<String>,
    again: Option<String>,
    close_label: String,
    /// Said once it is closed.
    closed: String,
}

/// The tickets, oldest first.
pub(super) fn of(report: &Report, said: &Said<'_>) -> Vec<TicketView> {
    report.tickets.iter().map(|ticket| view(ticket, report, said)).collect()
}

fn view(ticket: &Ticket, report: &Report, said: &Said<'_>) -> TicketView {
    let words = said.words;
    let kind = match ticket.kind {
        Some(kind) => words.get(&format!("kind-{}", kind.word())),
        None => words.get("ticket-asks"),
    };
    let advice = ticket.kind.and_then(|kind| words.find(&format!("advice-{}", kind.word()), &[]));
    let waiting: Vec<&str> = report.waiting_for(ticket.number).map(|run| run.name.as_str()).collect();
    let waiting = (!waiting.is_empty()).then(|| waiting.join(&words.get("separator")));
    // A ticket for all accounts of a site names none.
    let whole_site = ticket.account == "*";
    TicketView {
        number: ticket.number,
        title: if whole_site { ticket.site.clone() } else { format!("{} · {}", ticket.site, ticket.account) },
        kind,
        reason: ticket.reason.clone(),
        what_to_do: ticket.what_to_do.clone().or(advice),
        waiting: waiting.map(|tasks| words.with("ticket-waiting", &[("tasks", tasks.into())])),
        page: ticket.page_and_title(words),
        rule: ticket.rule.clone(),
        sign_in: ticket.sign_in.clone(),
        again: (ticket.reopened > 0).then(|| words.with("ticket-reopened", &[("count", ticket.reopened.into())])),
        picture: ticket.picture.clone(),
        since: words.with("ticket-since", &[("time", said.time(ticket.since).into())]),
        command: ticket.command.clone(),
        closed: words.with("page-closed", &[("number", ticket.number.into())]),
        close_label: words.with("page-close-ticket", &[("number", ticket.number.into())]),
    }
}
