//! `sunup explain TASK`: why it did or did not run, and when it comes next.

use anyhow::Result;
use chrono::Datelike;
use chrono_tz::Tz;
use clap::Args;
use serde_json::json;

use super::exit::Exit;
use super::{Common, folders, run, show, status};
use crate::clock::{Clock, SystemClock};
use crate::files::model::{Project, Site, Task};
use crate::program::Programs;
use crate::report::{Reason, Words};
use crate::runner::{
    CalendarNote, Explained, KeyNow, LogLine, NextSlot, Outside, Ready, Required, explain as explain_task, next_slots,
};

/// What `explain` takes.
#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// Which: `site/task`, or `task`
    task: String,
    /// Show so many coming slots, too
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    next: Option<u16>,
}

/// Explains a task; several when several sites have one of this name.
pub(super) async fn explain(common: &Common, args: &ExplainArgs) -> Result<Exit> {
    let project = match folders::project(common) {
        Ok(project) => project,
        Err(exit) => return Ok(exit),
    };
    let found = find(&project, &args.task);
    if found.is_empty() {
        return Ok(run::unknown_task(&args.task));
    }
    let ledger = status::open(common)?;
    let now = SystemClock::new().now();
    let outside = Outside(Some(Programs::new(&project.root, &std::env::vars_os().collect())));
    let mut all = Vec::new();
    for (site, task) in found {
        let explained = explain_task(&project, ledger.as_ref(), &outside, site, task, now).await?;
        let slots = args.next.map(|count| next_slots(&project, site, task, now, usize::from(count)));
        all.push((explained, slots.unwrap_or_default()));
    }
    if common.json {
        let (explained, slots): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        show::json(&json!({ "explained": explained.concat(), "next_slots": slots.concat() }));
        return Ok(Exit::Ok);
    }
    let page = Page { words: Words::new(project.settings.language)?, zone: project.settings.timezone };
    for (explained, slots) in &all {
        explained.iter().for_each(|explained| page.explained(explained));
        if !slots.is_empty() {
            page.slots(slots);
        }
    }
    Ok(Exit::Ok)
}

fn find<'p>(project: &'p Project, name: &str) -> Vec<(&'p Site, &'p Task)> {
    let all = project.sites.iter().flat_map(|site| site.tasks.iter().map(move |task| (site, task)));
    all.filter(|(site, task)| task.id == name || site.task_path(task) == name).collect()
}

/// Prints in the user's language, and the runner's zone.
struct Page {
    words: Words,
    zone: Tz,
}

impl Page {
    fn line(&self, key: &str, values: &[(&'static str, String)]) {
        let values: Vec<_> = values.iter().map(|(name, value)| (*name, value.clone().into())).collect();
        show::line(&self.words.with(key, &values));
    }

    fn time(&self, at: crate::clock::Instant) -> String {
        at.with_timezone(&self.zone).format("%Y-%m-%d %H:%M").to_string()
    }

    /// In the order in which "run now?" is asked.
    fn explained(&self, explained: &Explained) {
        let (name, task) = (format!("{} {}", explained.site, explained.name), explained.task.clone());
        self.line("explain-title", &[("name", name), ("task", task), ("account", explained.account.clone())]);
        match &explained.key {
            Some(key) => self.key(key),
            None => self.line("explain-nothing", &[]),
        }
        explained.requirements.iter().for_each(|required| self.required(required));
        match &explained.at_work {
            Some(holder) => self.line("explain-at-work", &[("holder", holder.clone())]),
            None => self.line("explain-nobody", &[]),
        }
        if let Some(attempt) = explained.key.as_ref().and_then(|key| key.attempt.as_ref()) {
            let (number, since) = (attempt.number.to_string(), self.time(attempt.since));
            self.line(
                "explain-attempt",
                &[("number", number), ("time", since), ("source", self.source(&attempt.source))],
            );
        }
        explained.key.iter().for_each(|key| self.log(&key.log));
        if let Some(next) = explained.next {
            self.line("explain-next", &[("time", self.time(next))]);
        }
    }

    fn key(&self, key: &KeyNow) {
        let status = match key.status {
            Some(status) => {
                let words = self.words.get(&format!("status-{}", status.word()));
                self.words.with("beside", &[("words", words.into()), ("word", status.word().into())])
            }
            None => self.words.get("explain-no-status"),
        };
        let reason = key.reason.as_ref().map(|reason| format!(": {}", self.reason(reason))).unwrap_or_default();
        self.line("explain-state", &[("status", status), ("reason", reason)]);
        if let Some(last) = &key.last_decision {
            let values = [
                ("answer", self.answer(&last.answer)),
                ("source", self.source(&last.source)),
                ("count", last.count.to_string()),
                ("time", self.time(last.last_at)),
            ];
            self.line("explain-decision", &values);
        }
        if !key.now.is_empty() {
            self.line("explain-now", &[("answer", self.answer(&key.now))]);
        }
        let window = [("from", self.time(key.window.slot)), ("until", self.time(key.window.until))];
        self.line("explain-key", &[[("key", key.key.as_str().to_owned())].as_slice(), &window].concat());
    }

    /// The end of what happened to the key.
    fn log(&self, lines: &[LogLine]) {
        if !lines.is_empty() {
            self.line("explain-log", &[]);
        }
        for line in lines {
            let at = line.at.with_timezone(&self.zone).format("%Y-%m-%d %H:%M:%S");
            let detail = line.detail.as_ref().map(|detail| format!(" ({detail})")).unwrap_or_default();
            show::line(&format!("  {at} {}{detail}", line.event));
        }
    }

    fn required(&self, required: &Required) {
        let detail = if required.detail.is_empty() { String::new() } else { format!(" ({})", required.detail) };
        let state = self.words.get(&format!("explain-{}", required.state)) + &detail;
        self.line("explain-required", &[("name", required.name.clone()), ("state", state)]);
        if let Some(Ready { p80_minutes, p99_minutes, days }) = &required.ready {
            let values =
                [("p80", p80_minutes.to_string()), ("p99", p99_minutes.to_string()), ("days", days.to_string())];
            self.line("explain-ready", &values);
        }
    }

    /// `run`, or a reason in the user's words.
    fn answer(&self, answer: &str) -> String {
        match answer {
            "run" => self.words.get("explain-yes"),
            no => self.reason(&Reason::of(no.strip_prefix("skipped: ").or(no.strip_prefix("dead: ")).unwrap_or(no))),
        }
    }

    fn reason(&self, reason: &Reason) -> String {
        let words = self.words.find(&format!("reason-{}", reason.word), &[]).unwrap_or_else(|| reason.word.clone());
        reason.detail.as_ref().map_or(words.clone(), |detail| format!("{words}: {detail}"))
    }

    fn source(&self, source: &str) -> String {
        self.words.get(&format!("source-{source}"))
    }

    fn slots(&self, slots: &[NextSlot]) {
        let header = ["explain-slot", "explain-until", "explain-note"].map(|key| self.words.get(key));
        let row = |slot: &NextSlot| {
            let at = slot.at.with_timezone(&self.zone);
            let clock = slot.clock.as_ref().map(|clock| {
                let key = if clock.skipped { "slot-skipped" } else { "slot-twice" };
                let shown = at.format("%H:%M").to_string();
                self.words.with(key, &[("time", clock.time.clone().into()), ("shown", shown.into())])
            });
            let calendar = slot.calendar.as_ref().map(|note| match note {
                CalendarNote::Holiday(title) => self.words.with("slot-holiday", &[("title", title.clone().into())]),
                CalendarNote::NotWorkday => self.words.get("slot-not-workday"),
                CalendarNote::MovedTo(date) => self.words.with("slot-moved", &[("date", date.to_string().into())]),
                CalendarNote::InsteadOf(date) => self.words.with("slot-instead", &[("date", date.to_string().into())]),
            });
            let notes: Vec<String> = clock.into_iter().chain(calendar).collect();
            let weekday = self.words.get(&format!("weekday-{}", at.weekday().number_from_monday()));
            let slot_at = format!("{} {weekday} {}", at.format("%Y-%m-%d"), at.format("%H:%M %Z"));
            vec![slot_at, status::local(slot.until, self.zone), notes.join("; ")]
        };
        show::table(&header, slots.iter().map(row).collect());
    }
}
