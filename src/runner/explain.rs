//! Why a task did or did not run: what the decision looks at, in its order, with what is on record. Nothing is written.

use anyhow::Result;
use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;

use super::ask::ask;
use super::plan::{Planned, plan};
use super::requirements::{Outside, names, requirements};
use crate::clock::Instant;
use crate::files::model::{Project, Site, Task};
use crate::ledger::{DecisionLine, Holder, Ledger};
use crate::report::Reason;
use crate::run::{Event, Key, RequirementState, Status};
use crate::timing::{Comes, Shown, Skip, Slot, Window, shown};

/// So many keys back, it is looked how long requirements took.
const DAYS_BACK: u32 = 100;

/// So many of the last things that happened to a key are told.
const LOG_LINES: usize = 8;

/// One task and account, explained.
#[derive(Debug, Clone, Serialize)]
pub struct Explained {
    /// `site/task`.
    pub task: String,
    /// The task's name, for people.
    pub name: String,
    /// The site's name, for people.
    pub site: String,
    /// The account's id.
    pub account: String,
    /// Its key now, or its last one; none when it has no slot today and never had one.
    #[serde(flatten)]
    pub key: Option<KeyNow>,
    /// What its files require, and how that stands.
    pub requirements: Vec<Required>,
    /// Who is at work in its lane.
    pub at_work: Option<String>,
    /// The next slot that comes.
    pub next: Option<DateTime<Utc>>,
}

/// How a key stands.
#[derive(Debug, Clone, Serialize)]
pub struct KeyNow {
    /// The key.
    pub key: Key,
    /// Its window.
    pub window: Window,
    /// Its status; none when nothing of it is on record.
    pub status: Option<Status>,
    /// Why it has it.
    pub reason: Option<Reason>,
    /// The last answer to "run now?" on record.
    pub last_decision: Option<DecisionLine>,
    /// What the answer would be now.
    pub now: String,
    /// The attempt under way: its number, who began it, and when.
    pub attempt: Option<Attempt>,
    /// The end of what happened to it, oldest first: during an attempt the last line says how far that has come.
    pub log: Vec<LogLine>,
}

/// One thing that happened to a key.
#[derive(Debug, Clone, Serialize)]
pub struct LogLine {
    /// When.
    pub at: DateTime<Utc>,
    /// A word for it, as the ledger has it: `started`, `read`, `prepared`, `intended`, `committed` and so on.
    pub event: &'static str,
    /// What was read, or what went wrong.
    pub detail: Option<String>,
}

/// An attempt under way.
#[derive(Debug, Clone, Serialize)]
pub struct Attempt {
    /// Of the key's attempts, this is the so many-eth.
    pub number: u32,
    /// `schedule`, `hand` or `retry`.
    pub source: String,
    /// Since when.
    pub since: DateTime<Utc>,
}

/// One of `requires:`.
#[derive(Debug, Clone, Serialize)]
pub struct Required {
    /// Such as `task sign` or `file photos/today.jpg`.
    pub name: String,
    /// `met`, `not_ready` or `ended`.
    pub state: &'static str,
    /// What was seen.
    pub detail: String,
    /// How long it usually takes after the slot; none before it was ready once.
    pub ready: Option<Ready>,
}

/// How long a requirement took to hold, in minutes after the slot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Ready {
    /// On four days of five it held by then.
    pub p80_minutes: i64,
    /// On all days but one in a hundred.
    pub p99_minutes: i64,
    /// Over so many days.
    pub days: usize,
}

/// A coming slot.
#[derive(Debug, Clone, Serialize)]
pub struct NextSlot {
    /// `site/task`.
    pub task: String,
    /// When it comes.
    pub at: DateTime<Utc>,
    /// No act from here on.
    pub until: DateTime<Utc>,
    /// The schedule's date and time of day, where the clock does not show that time once.
    pub clock: Option<ClockNote>,
    /// What the calendar of holidays makes of it; none when it comes as the schedule says.
    pub calendar: Option<CalendarNote>,
}

/// The clock is put forward or back over a slot's time of day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClockNote {
    /// The time of day that the schedule says.
    pub time: String,
    /// The clock never shows it on that day; otherwise twice, and the earlier one is meant.
    pub skipped: bool,
}

/// What the calendar of holidays makes of a slot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CalendarNote {
    /// It does not come: a holiday of this name.
    Holiday(String),
    /// It does not come: no workday.
    NotWorkday,
    /// A holiday: it comes on that date.
    MovedTo(NaiveDate),
    /// It comes instead of that date's.
    InsteadOf(NaiveDate),
}

/// Explains a task, for each of its accounts.
pub async fn explain(
    project: &Project,
    ledger: Option<&Ledger>,
    outside: &Outside,
    site: &Site,
    task: &Task,
    now: Instant,
) -> Result<Vec<Explained>> {
    let planned = plan(project, now);
    let mut all = Vec::new();
    for account in &task.accounts {
        let own =
            |key: &&Planned<'_>| key.site.id == site.id && key.task.id == task.id && key.row.lane.account == *account;
        let mut key = planned.iter().find(own).cloned();
        if let (Some(ledger), None) = (ledger, &key) {
            let lane = crate::run::Lane { site: site.id.clone(), account: account.clone() };
            let last = ledger.last_keys_of(&lane, &task.id, 1)?;
            key = last.into_iter().next().and_then(|line| Planned::again(project, line.row));
        }
        let mut explained = Explained {
            task: site.task_path(task),
            name: task.name.clone(),
            site: site.name.clone(),
            account: account.clone(),
            key: None,
            requirements: Vec::new(),
            at_work: None,
            next: project.slots(site, task).after(now).find(Slot::runs).map(|slot| slot.window.slot),
        };
        match (ledger, key) {
            (Some(ledger), Some(key)) => {
                explain_key(&mut explained, project, ledger, outside, &planned, key, now).await?
            }
            (None, Some(key)) => explained.key = Some(unknown(&key)),
            _ => {}
        }
        all.push(explained);
    }
    Ok(all)
}

/// A key of which nothing is on record, because nothing is at all.
fn unknown(key: &Planned<'_>) -> KeyNow {
    KeyNow {
        key: key.row.key.clone(),
        window: key.row.window,
        status: None,
        reason: None,
        last_decision: None,
        now: String::new(),
        attempt: None,
        log: Vec::new(),
    }
}

async fn explain_key(
    explained: &mut Explained,
    project: &Project,
    ledger: &Ledger,
    outside: &Outside,
    plan: &[Planned<'_>],
    mut key: Planned<'_>,
    now: Instant,
) -> Result<()> {
    // As a run has it: a renamed task goes on with its former key, and a key keeps the period that it was opened with.
    let former = key.former_key().map(|former| ledger.key(&former)).transpose()?.flatten();
    let own = ledger.key(&key.row.key)?;
    if let Some(line) = own.as_ref().or(former.as_ref()).filter(|line| key.has_task_of(&line.row)) {
        key.take(&line.row);
    }
    let asked = ask(project, ledger, outside, &Holder::this(), plan, &key, now).await?;
    let about = if asked.held_by.is_some() { key.path_key() } else { key.row.key.clone() };
    let line = ledger.key(&about)?;
    let attempt = ledger.running_attempt(&about)?;
    let number = ledger.attempts(&about)?;
    explained.key = Some(KeyNow {
        window: key.row.window,
        status: line.as_ref().map(|line| line.status),
        reason: line.and_then(|line| line.reason).map(|text| Reason::of(&text)),
        last_decision: ledger.decisions(&about)?.pop(),
        now: asked.decision.to_string(),
        attempt: attempt.map(|(source, since)| Attempt { number, source, since }),
        log: log_of(ledger, &about)?,
        key: about,
    });
    let at_work = ledger.lease_holder(&key.row.lane, &Holder::this(), now)?;
    explained.at_work = at_work.map(|holder| holder.to_string());
    let days = days_of(project, ledger, &key)?;
    // A key that is closed, or out of its window, was not asked for them.
    let standing = requirements(project, ledger, outside, plan, &key).await?;
    for (at, (name, state)) in standing.into_iter().enumerate() {
        let (state, detail) = match state {
            RequirementState::Met => ("met", String::new()),
            RequirementState::NotReady(why) => ("not_ready", why),
            RequirementState::Ended(why) => ("ended", why),
        };
        explained.requirements.push(Required { name, state, detail, ready: ready(&days, at) });
    }
    Ok(())
}

/// The last lines of a key.
fn log_of(ledger: &Ledger, key: &Key) -> Result<Vec<LogLine>> {
    let events = ledger.events(key)?;
    let last = events.iter().skip(events.len().saturating_sub(LOG_LINES));
    let line = |(at, event): &(DateTime<Utc>, Event)| {
        let which = match event {
            Event::Read { which, .. } => Some(which.word().to_owned()),
            _ => event.failure().map(|failure| format!("{}: {}", failure.kind, failure.message)),
        };
        LogLine { at: *at, event: event.word(), detail: which }
    };
    Ok(last.map(line).collect())
}

/// One of a task's keys: its slot, what its requirements were called, and the answers.
struct Day {
    slot: DateTime<Utc>,
    names: Vec<String>,
    decisions: Vec<DecisionLine>,
}

fn days_of(project: &Project, ledger: &Ledger, key: &Planned<'_>) -> Result<Vec<Day>> {
    if key.task.requires.is_empty() {
        return Ok(Vec::new());
    }
    let mut days = Vec::new();
    for line in ledger.last_keys_of(&key.row.lane, &key.row.task, DAYS_BACK)? {
        let Some(planned) = Planned::again(project, line.row) else { continue };
        let decisions = ledger.decisions(&planned.row.key)?;
        days.push(Day { slot: planned.row.window.slot, names: names(&planned), decisions });
    }
    Ok(days)
}

/// How long the requirement at this place took on the days on which it held at last.
fn ready(days: &[Day], at: usize) -> Option<Ready> {
    let mut minutes: Vec<i64> = days.iter().filter_map(|day| ready_after(day, day.names.get(at)?)).collect();
    minutes.sort_unstable();
    // The nearest rank: the smallest number that so many percent do not exceed.
    let rank = |percent: usize| minutes.get((percent * minutes.len()).div_ceil(100).saturating_sub(1)).copied();
    Some(Ready { p80_minutes: rank(80)?, p99_minutes: rank(99)?, days: minutes.len() })
}

/// Minutes from the slot to the first answer after the last that named it as not ready; none while it was not seen to hold.
fn ready_after(day: &Day, name: &str) -> Option<i64> {
    let not_ready = |line: &DecisionLine| {
        let named = line.answer.strip_prefix("not_ready: ").and_then(|rest| rest.strip_prefix(name));
        named.is_some_and(|rest| rest.is_empty() || rest.starts_with(": "))
    };
    let asked = |line: &&DecisionLine| !line.answer.starts_with("not_due");
    let after = match day.decisions.iter().rposition(not_ready) {
        Some(last) => day.decisions.get(last + 1),
        // It held when it was asked for the first time: whenever that was, nobody waited for it.
        None => return day.decisions.iter().any(|line| asked(&line)).then_some(0),
    };
    // What was closed by its time was never ready; what failed elsewhere was.
    let after =
        after.filter(|line| !["skipped", "dead", "window_closed"].iter().any(|end| line.answer.starts_with(end)));
    after.map(|line| (line.first_at - day.slot).num_minutes().max(0))
}

/// The next slots of a task, with those that the calendar leaves out.
pub fn next_slots(project: &Project, site: &Site, task: &Task, now: Instant, count: usize) -> Vec<NextSlot> {
    let zone = project.settings.timezone;
    let note = |slot: Slot| NextSlot {
        task: site.task_path(task),
        at: slot.window.slot,
        until: slot.window.until,
        clock: match shown(zone, slot.date, slot.time) {
            Shown::Once => None,
            other => Some(ClockNote { time: slot.time.format("%H:%M").to_string(), skipped: other == Shown::Never }),
        },
        calendar: match slot.comes {
            Comes::Yes => None,
            Comes::InsteadOf(date) => Some(CalendarNote::InsteadOf(date)),
            Comes::MovedTo(date) => Some(CalendarNote::MovedTo(date)),
            Comes::Not(Skip::Holiday(title)) => Some(CalendarNote::Holiday(title)),
            Comes::Not(Skip::NotWorkday) => Some(CalendarNote::NotWorkday),
        },
    };
    project.slots(site, task).after(now).take(count).map(note).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64) -> DateTime<Utc> {
        "2026-11-29T22:00:00Z".parse::<DateTime<Utc>>().unwrap() + chrono::TimeDelta::minutes(minute)
    }

    fn day(answers: &[(i64, &str)]) -> Day {
        let line = |(minute, answer): &(i64, &str)| DecisionLine {
            source: "schedule".into(),
            answer: (*answer).into(),
            first_at: at(*minute),
            last_at: at(*minute),
            count: 1,
        };
        Day {
            slot: at(0),
            names: vec!["task sign".into(), "task sign_in".into()],
            decisions: answers.iter().map(line).collect(),
        }
    }

    #[test]
    fn a_requirement_is_ready_at_the_first_answer_that_names_it_no_more() {
        let waited = day(&[(0, "not_ready: task sign: failed"), (7, "not_ready: task sign_in: pending"), (9, "run")]);
        assert_eq!((ready_after(&waited, "task sign"), ready_after(&waited, "task sign_in")), (Some(7), Some(9)));
        assert_eq!(ready_after(&day(&[(0, "run")]), "task sign"), Some(0));
        assert_eq!(ready_after(&day(&[(200, "run")]), "task sign"), Some(0), "the machine slept, the data was there");
        assert_eq!(ready_after(&day(&[(-1, "not_due: until x")]), "task sign"), None);
        assert_eq!(ready_after(&day(&[(0, "not_ready: task sign: failed")]), "task sign"), None, "still waiting");
        let missed = day(&[(0, "not_ready: task sign: failed"), (1_050, "skipped: missed")]);
        assert_eq!(ready_after(&missed, "task sign"), None);
    }

    #[test]
    fn ranks() {
        let days: Vec<Day> = (1..=10).map(|minute| day(&[(0, "not_ready: task sign"), (minute, "run")])).collect();
        assert_eq!(ready(&days, 0), Some(Ready { p80_minutes: 8, p99_minutes: 10, days: 10 }));
        assert_eq!(ready(&days[..1], 0), Some(Ready { p80_minutes: 1, p99_minutes: 1, days: 1 }));
        assert_eq!(ready(&[], 0), None);
    }
}
