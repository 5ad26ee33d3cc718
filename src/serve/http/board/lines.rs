//! A task's lines: one for each account, and for each period that is still open.

use serde::Serialize;

use super::said::Said;
use super::squares::{self, Squares};
use super::{Today, Tone};
use crate::files::model::{Site, Task};
use crate::report::{NextRun, TaskRun};
use crate::run::Status;
use crate::timing::Window;

/// How a task stands for one account in one period.
#[derive(Debug, Serialize)]
pub(super) struct Line {
    /// Named where the site has several.
    account: Option<String>,
    badge: Badge,
    /// What happened when, and what is next.
    times: String,
    /// Why not, and what went wrong: the most pressing first.
    why: Vec<Text>,
    ticket: Option<TicketLink>,
    /// None beside another line that has them.
    squares: Option<Squares>,
}

/// A status: its words, and the machine word.
#[derive(Debug, Serialize)]
struct Badge {
    label: String,
    word: &'static str,
    tone: Tone,
}

#[derive(Debug, Serialize)]
struct TicketLink {
    number: u32,
    label: String,
}

#[derive(Debug, Serialize)]
struct Text {
    text: String,
    /// A place in a file, or a page.
    code: bool,
}

/// The lines of a task.
pub(super) fn of(site: &Site, task: &Task, today: &Today<'_>, said: &Said<'_>) -> Vec<Line> {
    let path = site.task_path(task);
    let mut lines = Vec::new();
    for account in &task.accounts {
        let next = today.next.iter().find(|run| run.task == path && run.account == *account);
        let runs: Vec<&TaskRun> = today.runs().filter(|run| run.task == path && run.account == *account).collect();
        let name = (site.accounts.len() > 1).then(|| said.words.with("page-account", &[("account", account.into())]));
        let first = lines.len();
        lines.extend(runs.iter().map(|run| of_run(run, &runs, name.clone(), next, said)));
        if runs.is_empty() {
            let window = today.windows.iter().find(|(key, of, _)| *key == path && of == account);
            lines.push(of_none(name, window.map(|(_, _, window)| window), next, said));
        }
        let is_its = |task_of: &str| task_of == path || task.was.as_deref() == Some(task_of);
        let days = today.days();
        let days = days.filter(|day| day.account == *account && is_its(&format!("{}/{}", day.site, day.task)));
        lines[first].squares = Some(squares::of(days, said));
    }
    lines
}

/// Nothing is on record for today.
fn of_none(account: Option<String>, window: Option<&Window>, next: Option<&NextRun>, said: &Said<'_>) -> Line {
    let label = match window {
        None => "page-no-slot",
        Some(window) if said.now < window.slot => "reason-not_due",
        Some(window) if said.now < window.until => "status-pending",
        Some(_) => "reason-window_closed",
    };
    let badge = Badge { label: said.words.get(label), word: Status::Pending.word(), tone: Tone::Quiet };
    // What is to come today says when; what is under way will be there in a moment.
    let next = next_due(next, said).filter(|_| label != "status-pending");
    Line { account, badge, times: next.unwrap_or_default(), why: Vec::new(), ticket: None, squares: None }
}

fn of_run(run: &TaskRun, all: &[&TaskRun], account: Option<String>, next: Option<&NextRun>, said: &Said<'_>) -> Line {
    let words = said.words;
    let mut why = Vec::new();
    let mut push = |text: String, code: bool| {
        if !text.is_empty() {
            why.push(Text { text, code });
        }
    };
    if all.len() > 1 {
        push(words.with("period", &[("period", run.period.clone().into())]), false);
    }
    if let Some(reason) = &run.reason {
        push(said.reason_of(&reason.word, reason.detail.as_deref()), false);
    }
    if let Some(failure) = &run.failure {
        let kind = words.get(&format!("kind-{}", failure.kind.word()));
        push(format!("{kind}{}{}", words.get("colon"), failure.message), false);
        push(failure.step.clone().unwrap_or_default(), true);
    }
    run.notices.iter().for_each(|notice| push(words.with("notice", &[("text", notice.clone().into())]), false));
    run.drift.iter().for_each(|drift| push(words.with("drift", &[("text", drift.clone().into())]), false));
    let label = words.get(&format!("status-{}", run.status.word()));
    let badge = Badge { label, word: run.status.word(), tone: tone(run.status) };
    let link = |number: u32| TicketLink { number, label: words.with("page-ticket-link", &[("number", number.into())]) };
    Line { account, badge, times: times(run, next, said), why, ticket: run.ticket.map(link), squares: None }
}

fn times(run: &TaskRun, next: Option<&NextRun>, said: &Said<'_>) -> String {
    let words = said.words;
    let at = |key: &str, at| words.with(key, &[("time", said.time(at).into())]);
    let mut times = Vec::new();
    match (run.verified_at, run.acted_at) {
        (Some(verified), _) => times.push(at("page-done-at", verified)),
        (None, Some(acted)) => times.push(at("acted-at", acted)),
        (None, None) => {}
    }
    if let Some(late) = run.late_minutes {
        let late = words.with("minutes", &[("count", late.into())]);
        times.push(words.with("late", &[("duration", late.into())]));
    }
    let again = if run.status == Status::Unconfirmed { "read-again-at" } else { "again-at" };
    times.extend(run.again_at.map(|due| at(again, due)));
    if run.status.is_final() {
        times.extend(next_due(next, said));
    }
    times.join(" · ")
}

fn next_due(next: Option<&NextRun>, said: &Said<'_>) -> Option<String> {
    let time = said.time(next?.at);
    Some(said.words.with("page-next-due", &[("time", time.into())]))
}

fn tone(status: Status) -> Tone {
    match status {
        Status::Success | Status::AlreadyDone | Status::Compensated => Tone::Good,
        Status::Unconfirmed | Status::Running | Status::Blocked => Tone::Attention,
        Status::Failed | Status::Dead => Tone::Bad,
        Status::Pending | Status::Skipped => Tone::Quiet,
    }
}
