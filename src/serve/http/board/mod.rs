//! The status page as its template takes it: in one language, in the runner's zone, every line a finished text.

mod lines;
pub(super) mod said;
mod squares;
mod tickets;

use chrono::{Days, NaiveDate};
use serde::Serialize;

use self::lines::Line;
use self::said::Said;
use self::squares::{Square, legend};
use self::tickets::TicketView;
use super::health::{Wellness, is_overdue};
use crate::clock::Instant;
use crate::files::model::{Project, Site, Task};
use crate::ledger::{DayStatus, LastOutcome, Ledger, MailState, OutboxMail};
use crate::report::{NextRun, Report, TaskRun, Words};
use crate::runner::{Planned, assemble, plan};
use crate::serve::Health;
use crate::timing::Window;

/// So many days of squares.
pub(super) const DAYS: u64 = 30;

/// So many of the next runs.
const NEXT: usize = 8;

/// What the ledger shows for the page.
pub(super) struct Seen {
    report: Report,
    days: Vec<DayStatus>,
    undelivered: Vec<OutboxMail>,
    last_report: Option<(NaiveDate, String, Instant)>,
    outcome: Option<LastOutcome>,
}

/// What is known of today: from the ledger, and from the files.
struct Today<'a> {
    seen: Option<&'a Seen>,
    /// When something runs next.
    next: &'a [NextRun],
    /// `site/task`, account, and window of what the files ask for today.
    windows: Vec<(String, String, Window)>,
}

impl<'a> Today<'a> {
    fn of(project: &Project, seen: Option<&'a Seen>, next: &'a [NextRun], now: Instant) -> Self {
        let window = |key: Planned<'_>| (key.site.task_path(key.task), key.row.lane.account, key.row.window);
        Today { seen, next, windows: plan(project, now).into_iter().map(window).collect() }
    }

    fn runs(&self) -> impl Iterator<Item = &'a TaskRun> + use<'a> {
        self.seen.into_iter().flat_map(|seen| &seen.report.runs)
    }

    fn days(&self) -> impl Iterator<Item = &'a DayStatus> + Clone + use<'a> {
        self.seen.into_iter().flat_map(|seen| &seen.days)
    }

    /// How many keys of today are not on record, and may still be begun.
    fn to_come(&self, now: Instant) -> usize {
        let open = self.windows.iter().filter(|(_, _, window)| now < window.until);
        open.filter(|(path, account, _)| !self.runs().any(|run| run.task == *path && run.account == *account)).count()
    }
}

/// How something looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Tone {
    Good,
    Attention,
    Bad,
    Quiet,
}

/// Everything that the page shows.
#[derive(Debug, Serialize)]
pub(super) struct Board {
    tag: &'static str,
    title: String,
    date: String,
    headline: String,
    counts: String,
    tone: Tone,
    alerts: Vec<String>,
    tickets: Vec<TicketView>,
    sites: Vec<SiteView>,
    /// The legend's title.
    days_label: String,
    legend: Vec<Square>,
    next: Vec<NextView>,
    report: Option<ReportLink>,
    state: Vec<String>,
    state_tone: Tone,
}

#[derive(Debug, Serialize)]
struct SiteView {
    id: String,
    name: String,
    tasks: Vec<TaskView>,
}

#[derive(Debug, Serialize)]
struct TaskView {
    /// `site/task`.
    path: String,
    name: String,
    run_label: String,
    lines: Vec<Line>,
}

#[derive(Debug, Serialize)]
struct NextView {
    time: String,
    at: String,
    tasks: Vec<String>,
}

#[derive(Debug, Serialize)]
struct ReportLink {
    href: String,
    subject: String,
    made: String,
}

impl Seen {
    /// Looks at the ledger for today's page.
    pub fn of(project: &Project, ledger: Option<&Ledger>, now: Instant) -> anyhow::Result<Option<Self>> {
        let Some(ledger) = ledger else { return Ok(None) };
        let today = now.with_timezone(&project.settings.timezone).date_naive();
        Ok(Some(Seen {
            report: assemble(project, ledger, today, now, None)?,
            days: ledger.days_since(first_day(today))?,
            undelivered: ledger.undelivered_mails()?,
            last_report: ledger.newest_report()?,
            outcome: ledger.last_outcome()?,
        }))
    }
}

/// The first of the days that have squares.
fn first_day(today: NaiveDate) -> NaiveDate {
    today - Days::new(DAYS - 1)
}

impl Board {
    pub fn of(
        project: &Project,
        seen: Option<&Seen>,
        next: &[NextRun],
        health: &Health,
        words: &Words,
        now: Instant,
    ) -> Self {
        let said = Said { words, zone: project.settings.timezone, now };
        let today = Today::of(project, seen, next, now);
        let (headline, counts, tone) = headline(&today, &said);
        let wellness = {
            let overdue = seen.is_some_and(|seen| is_overdue(&seen.report.alarms));
            Wellness::of(health, seen.and_then(|seen| seen.outcome), overdue, now)
        };
        let date = said.long_date();
        Board {
            tag: words.tag(),
            title: words.with("page-title", &[("date", date.clone().into())]),
            date,
            headline,
            counts,
            tone,
            alerts: alerts(seen, health, wellness, &said),
            tickets: seen.map(|seen| tickets::of(&seen.report, &said)).unwrap_or_default(),
            sites: project.sites.iter().map(|site| site_view(site, &today, &said)).collect(),
            days_label: words.with("page-days", &[("days", DAYS.into())]),
            legend: legend(&said),
            next: next_view(next, &said),
            report: seen.and_then(|seen| seen.last_report.as_ref()).map(|report| report_link(report, &said)),
            state: [state(health, wellness, &said), sessions(seen, &said)].concat(),
            state_tone: match wellness {
                Wellness::Fresh => Tone::Quiet,
                Wellness::LastVerified => Tone::Good,
                Wellness::LastFailed => Tone::Attention,
                Wellness::Wedged => Tone::Bad,
            },
        }
    }
}

/// The answer to "is everything done?", the most pressing thing first, with the counts behind it.
fn headline(today: &Today<'_>, said: &Said<'_>) -> (String, String, Tone) {
    let counted = |key: &str, count: usize| said.words.with(key, &[("count", count.into())]);
    let summary = today.seen.map(|seen| seen.report.summary());
    let count = |of: fn(&crate::report::Summary) -> usize| summary.as_ref().map_or(0, of);
    let (done, failed, needs_you) = (count(|it| it.done), count(|it| it.failed), count(|it| it.needs_you));
    let open = count(|it| it.unproved) + count(|it| it.not_run) + today.to_come(said.now);
    let pieces = [("page-counts-done", done), ("count-failed", failed), ("page-counts-open", open)];
    let pieces: Vec<String> =
        pieces.into_iter().filter(|(_, count)| *count > 0).map(|(key, count)| counted(key, count)).collect();
    let (headline, tone) = match () {
        () if needs_you > 0 => (counted("headline-needs-you", needs_you), Tone::Attention),
        () if failed > 0 => (counted("headline-some-failed", failed), Tone::Bad),
        () if open > 0 => (counted("page-headline-to-come", open), Tone::Quiet),
        () if done > 0 => (said.words.get("headline-all-done"), Tone::Good),
        () => (said.words.get("page-headline-quiet"), Tone::Quiet),
    };
    // What the headline has said already is not said again.
    let counts = if done + failed == 0 { String::new() } else { pieces.join(&said.words.get("separator")) };
    (headline, counts, tone)
}

/// What is wrong with the machine, the files, the ledger or the mail, rather than with a task.
fn alerts(seen: Option<&Seen>, health: &Health, wellness: Wellness, said: &Said<'_>) -> Vec<String> {
    let words = said.words;
    let mut alerts = Vec::new();
    if wellness == Wellness::Wedged {
        alerts.push(words.get("page-wellness-wedged"));
    }
    let faults = [("page-files-fault", &health.files_fault), ("page-round-fault", &health.round_fault)];
    for (key, fault) in faults {
        if let Some(fault) = fault {
            alerts.push(words.with(key, &[("reason", fault.clone().into())]));
        }
    }
    let Some(seen) = seen else { return alerts };
    alerts.extend(seen.report.losses.iter().map(|loss| loss.line(words, said.zone)));
    alerts.extend(seen.report.alarms.iter().map(|alarm| alarm.line(words, said.zone)));
    alerts.extend(seen.report.dead_letters.map(|letters| letters.line(words)));
    alerts.extend(seen.report.alerts.iter().map(|alert| match &alert.cure {
        Some(cure) => format!("{}{}{cure}", alert.text, words.get("colon")),
        None => alert.text.clone(),
    }));
    // One that was not tried yet is on its way.
    let tried = seen.undelivered.iter().filter(|mail| mail.last_error.is_some() || mail.state != MailState::Queued);
    alerts.extend(tried.map(|mail| {
        let to = mail.mail.recipient.clone();
        let reason = mail.last_error.clone().unwrap_or_default();
        words.with(
            "cli-undelivered",
            &[("to", to.into()), ("state", mail.state.word().into()), ("reason", reason.into())],
        )
    }));
    alerts
}

fn site_view(site: &Site, today: &Today<'_>, said: &Said<'_>) -> SiteView {
    let view = |task: &Task| {
        let path = site.task_path(task);
        let run_label = said.words.with("page-run-task", &[("task", task.name.clone().into())]);
        TaskView { run_label, name: task.name.clone(), lines: lines::of(site, task, today, said), path }
    };
    SiteView { id: site.id.clone(), name: site.name.clone(), tasks: site.tasks.iter().map(view).collect() }
}

/// The next runs: those of one moment together, each site's tasks in one text.
fn next_view(next: &[NextRun], said: &Said<'_>) -> Vec<NextView> {
    let mut views: Vec<(Instant, Vec<String>)> = Vec::new();
    for run in next {
        let text = format!("{} · {}", run.site, run.name);
        match views.iter_mut().find(|(at, _)| *at == run.at) {
            Some((_, tasks)) if tasks.contains(&text) => {}
            Some((_, tasks)) => tasks.push(text),
            None => views.push((run.at, vec![text])),
        }
    }
    let view = |(at, tasks): (Instant, Vec<String>)| NextView { time: said.time(at), at: at.to_rfc3339(), tasks };
    views.into_iter().take(NEXT).map(view).collect()
}

fn report_link((date, subject, at): &(NaiveDate, String, Instant), said: &Said<'_>) -> ReportLink {
    let made = said.words.with("page-report-made", &[("time", said.time(*at).into())]);
    ReportLink { href: format!("/report/{date}"), subject: subject.clone(), made }
}

/// Who is signed in, since when, and for how long.
fn sessions(seen: Option<&Seen>, said: &Said<'_>) -> Vec<String> {
    let sessions = seen.into_iter().flat_map(|seen| &seen.report.sessions);
    sessions.map(|session| session.line(said.words, said.zone)).collect()
}

/// How the daemon is.
fn state(health: &Health, wellness: Wellness, said: &Said<'_>) -> Vec<String> {
    let at = |key: &str, at: Instant| said.words.with(key, &[("time", said.time(at).into())]);
    let mut state = vec![said.words.get(&format!("page-wellness-{}", wellness.word()))];
    if let Some(began) = health.round_began.filter(|_| health.in_round) {
        state.push(at("page-round-now", began));
    } else {
        state.extend(health.round_ended.map(|ended| at("page-round-last", ended)));
        state.extend(health.next_round.map(|next| at("page-round-next", next)));
    }
    state.push(at("page-since", health.started_at));
    state.push(said.words.with("page-zone", &[("zone", said.zone.name().into())]));
    state
}
