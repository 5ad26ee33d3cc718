//! Alerts, tickets and task runs, each as a title, a badge and a few lines.

use serde::Serialize;

use super::Tone;
use super::phrases::Phrases;
use crate::report::alarm::Alarm;
use crate::report::model::{Alert, CalendarTrouble, DeadLetters, LostLines, Reason, TaskRun};
use crate::report::waiting::{SessionAge, Ticket};
use crate::run::{Failure, FailureKind, Status};

/// One thing in a section.
#[derive(Debug, Serialize)]
pub(super) struct Entry {
    title: String,
    place: String,
    badge: Option<Badge>,
    changed: Option<String>,
    lines: Vec<Line>,
}

/// A status or a failure kind: its words, and the machine word beside them.
#[derive(Debug, Serialize)]
struct Badge {
    label: String,
    word: String,
    tone: Tone,
}

/// A line below the title.
#[derive(Debug, Serialize)]
struct Line {
    text: String,
    style: LineStyle,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum LineStyle {
    /// What is good to know.
    Detail,
    /// What to read first.
    Strong,
    /// A command or a path.
    Code,
}

impl Entry {
    pub(super) fn of_alert(alert: &Alert, phrases: &Phrases<'_>) -> Entry {
        let mut lines = Vec::new();
        if let Some(cure) = &alert.cure {
            push(&mut lines, LineStyle::Strong, phrases.words.with("what-to-do", &[("text", cure.into())]));
        }
        let badge = alert.kind.map(|kind| kind_badge(kind, phrases));
        Entry { title: alert.text.clone(), place: String::new(), badge, changed: None, lines }
    }

    pub(super) fn of_loss(loss: &LostLines, phrases: &Phrases<'_>) -> Entry {
        let title = loss.line(phrases.words, phrases.zone);
        Entry { title, place: String::new(), badge: None, changed: None, lines: Vec::new() }
    }

    pub(super) fn of_calendar(trouble: &CalendarTrouble, phrases: &Phrases<'_>) -> Entry {
        let title = trouble.line(phrases.words);
        Entry { title, place: String::new(), badge: None, changed: None, lines: Vec::new() }
    }

    pub(super) fn of_alarm(alarm: &Alarm, phrases: &Phrases<'_>) -> Entry {
        let title = alarm.line(phrases.words, phrases.zone);
        Entry { title, place: String::new(), badge: None, changed: None, lines: Vec::new() }
    }

    pub(super) fn of_session(session: &SessionAge, phrases: &Phrases<'_>) -> Entry {
        let title = session.line(phrases.words, phrases.zone);
        Entry { title, place: String::new(), badge: None, changed: None, lines: Vec::new() }
    }

    /// The same at another place.
    pub(super) fn at(self, place: String) -> Entry {
        Entry { place, ..self }
    }

    pub(super) fn of_dead_letters(letters: DeadLetters, phrases: &Phrases<'_>) -> Entry {
        let title = letters.line(phrases.words);
        Entry { title, place: String::new(), badge: None, changed: None, lines: Vec::new() }
    }

    pub(super) fn of_ticket(ticket: &Ticket, waiting: &[&str], phrases: &Phrases<'_>) -> Entry {
        let words = phrases.words;
        let mut lines = Vec::new();
        push(&mut lines, LineStyle::Detail, words.with("what-happened", &[("text", ticket.reason.as_str().into())]));
        let advice = ticket.what_to_do.clone().or_else(|| ticket.kind.and_then(|kind| advice(kind, phrases)));
        if let Some(advice) = advice {
            push(&mut lines, LineStyle::Strong, words.with("what-to-do", &[("text", advice.into())]));
        }
        let (first, then) = match &ticket.sign_in {
            Some(sign_in) => (Some(sign_in.as_str()), ticket.command.as_deref()),
            None => (ticket.command.as_deref(), None),
        };
        let page = ticket.page_and_title(words);
        let details = [
            ("command", "command", first, LineStyle::Code),
            ("command-then", "command", then, LineStyle::Code),
            ("ticket-page", "page", page.as_deref(), LineStyle::Code),
            ("ticket-rule", "rule", ticket.rule.as_deref(), LineStyle::Code),
            ("picture", "picture", ticket.picture.as_deref(), LineStyle::Code),
        ];
        for (key, argument, text, style) in details {
            if let Some(text) = text {
                push(&mut lines, style, words.with(key, &[(argument, text.into())]));
            }
        }
        if !waiting.is_empty() {
            let tasks = waiting.join(&words.get("separator"));
            push(&mut lines, LineStyle::Detail, words.with("ticket-waiting", &[("tasks", tasks.into())]));
        }
        let number = words.with("ticket-number", &[("number", ticket.number.into())]);
        let since = words.with("ticket-since", &[("time", phrases.time(ticket.since).into())]);
        let again = words.with("ticket-reopened", &[("count", ticket.reopened.into())]);
        let place = [Some(number), Some(since), (ticket.reopened > 0).then_some(again)];
        Entry {
            title: format!("{} · {}", ticket.site, ticket.account),
            place: place.into_iter().flatten().collect::<Vec<_>>().join(" · "),
            badge: Some(match ticket.kind {
                Some(kind) => kind_badge(kind, phrases),
                None => Badge {
                    label: words.get("ticket-asks"),
                    word: Status::Blocked.word().into(),
                    tone: Tone::Attention,
                },
            }),
            changed: None,
            lines,
        }
    }

    pub(super) fn of_run(run: &TaskRun, phrases: &Phrases<'_>) -> Entry {
        let words = phrases.words;
        let mut lines = Vec::new();
        if let Some(reason) = &run.reason {
            push(&mut lines, LineStyle::Strong, reason_line(reason, phrases));
        }
        if let Some(failure) = run.failure.as_ref().filter(|_| !run.status.is_done()) {
            failure_lines(&mut lines, failure, phrases);
        }
        for (key, text) in [("evidence", run.evidence.as_ref())].into_iter().chain(remarks(run)) {
            if let Some(text) = text {
                push(&mut lines, LineStyle::Detail, words.with(key, &[("text", text.as_str().into())]));
            }
        }
        Entry {
            title: run.name.clone(),
            place: place(run, phrases),
            badge: Some(status_badge(run.status, phrases)),
            changed: run.changed.then(|| words.get("changed")),
            lines,
        }
    }
}

/// Site and account; the period where it is not the report's own date; what happened when.
fn place(run: &TaskRun, phrases: &Phrases<'_>) -> String {
    let mut pieces = vec![run.site.clone(), run.account.clone()];
    if run.period != phrases.date.to_string() {
        pieces.push(phrases.words.with("period", &[("period", run.period.as_str().into())]));
    }
    pieces.extend(times(run, phrases));
    pieces.join(" · ")
}

fn times(run: &TaskRun, phrases: &Phrases<'_>) -> Vec<String> {
    let words = phrases.words;
    let again = if run.status == Status::Unconfirmed { "read-again-at" } else { "again-at" };
    let mut pieces: Vec<String> = [("acted-at", run.acted_at), ("verified-at", run.verified_at), (again, run.again_at)]
        .into_iter()
        .filter_map(|(key, at)| Some(words.with(key, &[("time", phrases.time(at?).into())])))
        .collect();
    if let Some(late) = run.late_minutes {
        pieces.push(words.with("late", &[("duration", phrases.duration(late).into())]));
    }
    if run.attempts > 1 || (run.attempts == 1 && !run.status.is_done()) {
        pieces.push(words.with("attempts", &[("count", run.attempts.into())]));
    }
    pieces
}

fn remarks(run: &TaskRun) -> impl Iterator<Item = (&'static str, Option<&String>)> {
    let notices = run.notices.iter().map(|text| ("notice", Some(text)));
    notices.chain(run.drift.iter().map(|text| ("drift", Some(text))))
}

/// Kind and message, the stuck step, what was nearest, the page, the picture, and what to do.
fn failure_lines(lines: &mut Vec<Line>, failure: &Failure, phrases: &Phrases<'_>) {
    let words = phrases.words;
    let kind = words.get(&format!("kind-{}", failure.kind.word()));
    let colon = words.get("colon");
    push(lines, LineStyle::Strong, format!("{}{colon}{}", phrases.beside(kind, failure.kind.word()), failure.message));
    let candidates = (!failure.candidates.is_empty()).then(|| failure.candidates.join(" · "));
    let details = [
        ("stuck-step", "step", failure.step.as_deref()),
        ("candidates", "candidates", candidates.as_deref()),
        ("failure-page", "page", failure.page.as_deref()),
        ("picture", "picture", failure.picture.as_deref()),
    ];
    for (key, argument, text) in details {
        if let Some(text) = text {
            push(lines, LineStyle::Code, words.with(key, &[(argument, text.into())]));
        }
    }
    if let Some(advice) = advice(failure.kind, phrases) {
        push(lines, LineStyle::Detail, words.with("what-to-do", &[("text", advice.into())]));
    }
}

/// The reason's words with the machine word beside them, and what was seen. A word without a translation stands alone.
fn reason_line(reason: &Reason, phrases: &Phrases<'_>) -> String {
    let head = match phrases.words.find(&format!("reason-{}", reason.word), &[]) {
        Some(words) => phrases.beside(words, &reason.word),
        None => reason.word.clone(),
    };
    match &reason.detail {
        Some(detail) => format!("{head}{}{detail}", phrases.words.get("colon")),
        None => head,
    }
}

fn advice(kind: FailureKind, phrases: &Phrases<'_>) -> Option<String> {
    phrases.words.find(&format!("advice-{}", kind.word()), &[])
}

fn kind_badge(kind: FailureKind, phrases: &Phrases<'_>) -> Badge {
    Badge {
        label: phrases.words.get(&format!("kind-{}", kind.word())),
        word: kind.word().to_owned(),
        tone: if kind.needs_person() { Tone::Attention } else { Tone::Bad },
    }
}

fn status_badge(status: Status, phrases: &Phrases<'_>) -> Badge {
    let tone = match status {
        Status::Success | Status::AlreadyDone | Status::Compensated => Tone::Good,
        Status::Unconfirmed | Status::Running | Status::Blocked => Tone::Attention,
        Status::Failed | Status::Dead => Tone::Bad,
        Status::Pending | Status::Skipped => Tone::Quiet,
    };
    Badge { label: phrases.words.get(&format!("status-{}", status.word())), word: status.word().to_owned(), tone }
}

fn push(lines: &mut Vec<Line>, style: LineStyle, text: String) {
    if !text.is_empty() {
        lines.push(Line { text, style });
    }
}
