//! The subject of the mail, and the sentence that sums up the morning.

use super::phrases::{Phrases, signed};
use crate::report::clean::clean;
use crate::report::model::Report;
use crate::report::points::Sum;
use crate::report::summary::Summary;
use crate::report::waiting::Ticket;

/// Longer subjects are cut by mailers anyway, in worse places.
const LONGEST: usize = 120;

/// So many sites are named with their points; further ones are in the report.
const SITES_NAMED: usize = 3;

/// What is done, how many points, what needs a person: all of it already in the list of mails.
pub(super) fn subject(report: &Report, summary: &Summary, phrases: &Phrases<'_>) -> String {
    let words = phrases.words;
    let date = report.date.format("%m-%d").to_string();
    let mut said = sentence(report, summary, phrases);
    if report.runs.is_empty() {
        said = join(vec![words.get("nothing-ran"), said], phrases);
    }
    let mut args = vec![("date", date.into()), ("summary", said.into())];
    let key = if report.number > 1 { "subject-follow-up" } else { "subject" };
    if report.number > 1 {
        args.push(("number", report.number.into()));
    }
    let mut subject = words.with(key, &args);
    if let Some(what) = needs_you(report, summary, phrases) {
        subject = words.with("subject-needs-you", &[("what", what.into()), ("subject", subject.into())]);
    }
    if report.rehearsal.is_some() {
        subject = words.with("subject-rehearsal", &[("subject", subject.into())]);
    }
    clean(&subject, LONGEST)
}

/// The counts that are not zero, and the points.
pub(super) fn sentence(report: &Report, summary: &Summary, phrases: &Phrases<'_>) -> String {
    let words = phrases.words;
    let counts = [
        ("count-alerts", report.alerts.len() + report.losses.len() + report.calendars.len() + report.alarms.len()),
        ("count-done", summary.done),
        ("count-failed", summary.failed),
        ("count-unproved", summary.unproved),
        ("count-not-run", summary.not_run),
        ("count-nothing-to-do", summary.nothing_to_do),
    ];
    let mut parts: Vec<String> = counts
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(key, count)| words.with(key, &[("count", count.into())]))
        .collect();
    parts.extend(gained(summary, phrases));
    join(parts, phrases)
}

fn join(mut parts: Vec<String>, phrases: &Phrases<'_>) -> String {
    parts.retain(|part| !part.is_empty());
    parts.join(&phrases.words.get("separator"))
}

/// The points of the first sites; with one site its name is left out.
fn gained(summary: &Summary, phrases: &Phrases<'_>) -> Vec<String> {
    let words = phrases.words;
    let points = |sum: &Option<Sum>| match sum {
        None => words.get("points-gained-unknown"),
        Some(sum) if sum.partial || sum.rounded => {
            words.with("points-gained", &[("amount", phrases.sum(Some(*sum)).into())])
        }
        Some(sum) => words.with("points-gained", &[("amount", signed(sum.amount).into())]),
    };
    match summary.earned.as_slice() {
        [(_, sum)] => vec![points(sum)],
        several => several
            .iter()
            .take(SITES_NAMED)
            .map(|(site, sum)| {
                words.with("points-gained-at", &[("site", clean(site, 20).into()), ("points", points(sum).into())])
            })
            .collect(),
    }
}

/// The first thing that waits for a person, and how many more do.
fn needs_you(report: &Report, summary: &Summary, phrases: &Phrases<'_>) -> Option<String> {
    let first = match (report.tickets.first(), report.blocked_without_ticket().next()) {
        (Some(ticket), _) => named(ticket, phrases),
        (None, Some(run)) => format!("{} {}", clean(&run.site, 20), clean(&run.name, 20)),
        (None, None) => return None,
    };
    let more = summary.needs_you - 1;
    Some(match more {
        0 => first,
        more => phrases.words.with("subject-and-more", &[("what", first.into()), ("count", more.into())]),
    })
}

fn named(ticket: &Ticket, phrases: &Phrases<'_>) -> String {
    let what = match ticket.kind {
        Some(kind) => phrases.words.get(&format!("kind-{}", kind.word())),
        None => clean(&ticket.reason, 20),
    };
    format!("{} {what}", clean(&ticket.site, 20))
}
