//! The report as the templates take it: in one language, in the runner's zone, every line a finished text. What the mail
//! and the page say differs only in how it is set. Pure.

mod entries;
mod missed;
mod notice;
mod phrases;
mod points;
mod subject;

use serde::Serialize;

use self::entries::Entry;
use self::phrases::Phrases;
use self::points::PointsView;
use super::model::Report;
use super::summary::{Section, Summary};
use super::words::Words;

/// How a text looks: calm, good, or wanting attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Tone {
    Good,
    Attention,
    Bad,
    Quiet,
}

/// Everything that the templates show.
#[derive(Debug, Serialize)]
pub(super) struct View {
    tag: &'static str,
    pub(super) subject: String,
    brand: String,
    date: String,
    follow_up: Option<String>,
    rehearsal: Option<Rehearsed>,
    headline: String,
    summary: String,
    tone: Tone,
    stats: Vec<Stat>,
    sections: Vec<SectionView>,
    points_title: String,
    points: Vec<PointsView>,
    next_title: String,
    next: Vec<Next>,
    footer: Vec<String>,
}

/// The line on top of a rehearsal's report.
#[derive(Debug, Serialize)]
struct Rehearsed {
    title: String,
    lines: Vec<String>,
}

/// One of the three numbers on the first screen.
#[derive(Debug, Serialize)]
struct Stat {
    label: String,
    values: Vec<String>,
    tone: Tone,
}

#[derive(Debug, Serialize)]
struct SectionView {
    title: String,
    tone: Tone,
    entries: Vec<Entry>,
}

#[derive(Debug, Serialize)]
struct Next {
    time: String,
    text: String,
}

impl View {
    /// What the templates show of this report.
    pub(super) fn of(report: &Report, words: &Words) -> View {
        let phrases = Phrases { words, zone: report.zone, date: report.date };
        let summary = report.summary();
        let (headline, tone) = headline(&summary, words);
        View {
            tag: words.tag(),
            subject: subject::subject(report, &summary, &phrases),
            brand: words.get("brand"),
            date: phrases.long_date(),
            follow_up: (report.number > 1).then(|| words.with("follow-up", &[("number", report.number.into())])),
            rehearsal: rehearsed(report, words),
            headline,
            summary: subject::sentence(report, &summary, &phrases),
            tone,
            stats: stats(&summary, &phrases),
            sections: sections(report, &phrases),
            points_title: words.get("section-points"),
            points: report.points.iter().map(|points| PointsView::of(points, report.number, &phrases)).collect(),
            next_title: words.get("section-next"),
            next: next(report, &phrases),
            footer: footer(report, &phrases),
        }
    }
}

/// The answer to "is everything done?", the most pressing thing first.
fn headline(summary: &Summary, words: &Words) -> (String, Tone) {
    let counted = |key: &str, count: usize| words.with(key, &[("count", count.into())]);
    if summary.needs_you > 0 {
        (counted("headline-needs-you", summary.needs_you), Tone::Attention)
    } else if summary.to_do() == 0 && summary.nothing_to_do == 0 {
        (words.get("headline-nothing-ran"), Tone::Attention)
    } else if summary.to_do() == 0 {
        (words.get("headline-nothing-to-do"), Tone::Good)
    } else if summary.all_done() {
        (words.get("headline-all-done"), Tone::Good)
    } else if summary.not_run == summary.to_do() {
        (words.get("headline-nothing-ran"), Tone::Attention)
    } else if summary.failed > 0 && summary.done == 0 && summary.unproved == 0 {
        (words.get("headline-none-done"), Tone::Bad)
    } else if summary.failed > 0 {
        (counted("headline-some-failed", summary.failed), Tone::Bad)
    } else if summary.unproved > 0 {
        (counted("headline-some-unproved", summary.unproved), Tone::Attention)
    } else {
        (counted("headline-some-not-run", summary.not_run), Tone::Attention)
    }
}

fn rehearsed(report: &Report, words: &Words) -> Option<Rehearsed> {
    let rehearsal = report.rehearsal.as_ref()?;
    let mut lines = vec![words.get("rehearsal-said")];
    if let Some(scenario) = &rehearsal.scenario {
        lines.push(words.with("rehearsal-scenario", &[("scenario", scenario.into())]));
    }
    if !rehearsal.refused_hosts.is_empty() {
        let hosts = rehearsal.refused_hosts.join(", ");
        lines.push(words.with("rehearsal-refused", &[("hosts", hosts.into())]));
    }
    Some(Rehearsed { title: words.get("rehearsal"), lines })
}

/// Done, points, needs you.
fn stats(summary: &Summary, phrases: &Phrases<'_>) -> Vec<Stat> {
    let words = phrases.words;
    let done = Stat {
        label: words.get("stat-done"),
        values: vec![words.with("stat-done-of", &[("done", summary.done.into()), ("total", summary.to_do().into())])],
        tone: if summary.done > 0 && summary.all_done() { Tone::Good } else { Tone::Quiet },
    };
    let points = Stat {
        label: words.get("stat-points"),
        values: match summary.earned.as_slice() {
            [] => vec![words.get("stat-points-none")],
            [(_, sum)] => vec![phrases.sum(*sum)],
            several => several.iter().map(|(site, sum)| format!("{site} {}", phrases.sum(*sum))).collect(),
        },
        tone: Tone::Quiet,
    };
    let needs_you = Stat {
        label: words.get("stat-needs-you"),
        values: vec![if summary.needs_you == 0 { words.get("needs-you-none") } else { summary.needs_you.to_string() }],
        tone: if summary.needs_you == 0 { Tone::Quiet } else { Tone::Attention },
    };
    vec![done, points, needs_you]
}

/// What is wrong with the machine, then the sections in their order; empty ones are left out.
fn sections(report: &Report, phrases: &Phrases<'_>) -> Vec<SectionView> {
    let losses = report.losses.iter().map(|loss| Entry::of_loss(loss, phrases));
    let alerts = report.alerts.iter().map(|alert| Entry::of_alert(alert, phrases));
    let calendars = report.calendars.iter().map(|trouble| Entry::of_calendar(trouble, phrases));
    let alarms = report.alarms.iter().map(|alarm| Entry::of_alarm(alarm, phrases));
    let entries = losses.chain(alerts).chain(calendars).chain(alarms).collect();
    let mut sections = vec![SectionView { title: phrases.words.get("section-alerts"), tone: Tone::Bad, entries }];
    for section in Section::ALL {
        let (key, tone) = match section {
            Section::NeedsYou => ("section-needs-you", Tone::Attention),
            Section::Failed => ("section-failed", Tone::Bad),
            Section::Unproved => ("section-unproved", Tone::Attention),
            Section::DidNotRun => ("section-did-not-run", Tone::Quiet),
            Section::Done => ("section-done", Tone::Good),
        };
        let runs = report.section(section).into_iter().map(|run| Entry::of_run(run, phrases));
        let earlier = report.dead_letters.map(|letters| Entry::of_dead_letters(letters, phrases));
        let entries = match section {
            Section::NeedsYou => needs_you(report, phrases),
            Section::Failed => runs.chain(earlier).collect(),
            _ => missed::together(report.section(section), phrases),
        };
        sections.push(SectionView { title: phrases.words.get(key), tone, entries });
    }
    sections.retain(|section| !section.entries.is_empty());
    sections
}

/// The tickets, each with the task runs that wait for it, then blocked runs without one.
fn needs_you(report: &Report, phrases: &Phrases<'_>) -> Vec<Entry> {
    let tickets = report.tickets.iter().map(|ticket| {
        let waiting: Vec<&str> = report.waiting_for(ticket.number).map(|run| run.name.as_str()).collect();
        Entry::of_ticket(ticket, &waiting, phrases)
    });
    let ending = report.sessions.iter().filter(|session| session.ends_soon);
    let ending = ending.map(|session| Entry::of_session(session, phrases));
    tickets.chain(report.blocked_without_ticket().map(|run| Entry::of_run(run, phrases))).chain(ending).collect()
}

fn next(report: &Report, phrases: &Phrases<'_>) -> Vec<Next> {
    let mut runs: Vec<_> = report.next_runs.iter().collect();
    runs.sort_by_key(|run| run.at);
    let text = |run: &&super::model::NextRun| format!("{} · {} · {}", run.name, run.site, run.account);
    runs.iter().map(|run| Next { time: phrases.time(run.at), text: text(run) }).collect()
}

fn footer(report: &Report, phrases: &Phrases<'_>) -> Vec<String> {
    let window = [("from", phrases.time(report.from).into()), ("to", phrases.time(report.to).into())];
    let made = [("time", phrases.time(report.generated_at).into()), ("zone", report.zone.name().into())];
    vec![
        phrases.words.get("footer-promise"),
        phrases.words.with("footer-window", &window),
        phrases.words.with("footer-made", &made),
    ]
}
