//! `sunup run`: the morning, or a hand-started task; with `--dry-run`, against fixtures.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;

use super::exit::Exit;
use super::rehearsal::Stage;
use super::stop::stoppable;
use super::terminal::Terminal;
use super::{Common, folders, rehearsal, show, status};
use crate::browser::{Scratch, scratch};
use crate::clock::{Clock, SystemClock};
use crate::files::keep_calendars;
use crate::files::model::Project;
use crate::ledger::Ledger;
use crate::report::{Rehearsal, Report, Words};
use crate::run::Source;
use crate::runner::{Control, Done, Proxy, Rehearsed, Round, assemble, end_orphans};
use crate::secrets::{Redactor, Resolver};

/// What `run` takes.
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// Only these: `site/task`, `task` or `site` [default: all]
    tasks: Vec<String>,
    /// Rehearse: the same against `fixtures/`, no real site is reached, the mail goes to a file
    #[arg(long)]
    dry_run: bool,
    /// The fixture scenario of a rehearsal [default: fresh]
    #[arg(long, value_name = "NAME", requires = "dry_run")]
    scenario: Option<String>,
}

/// How the temporary data folder of a rehearsal begins.
const REHEARSAL: &str = "sunup-rehearsal-";

/// Where a run keeps its things, and by which time it goes.
struct Setting {
    data: PathBuf,
    clock: Arc<dyn Clock>,
    stage: Option<Stage>,
    // Removed at the end: a rehearsal without --data leaves nothing.
    _temporary: Option<Scratch>,
}

/// Runs what is due, and reports.
pub(super) async fn run(common: &Common, args: &RunArgs, redactor: &Redactor) -> Result<Exit> {
    let project = match folders::project(common) {
        Ok(project) => project,
        Err(exit) => return Ok(exit),
    };
    if let Some(unknown) = args.tasks.iter().find(|name| !project.has(name)) {
        return Ok(unknown_task(unknown));
    }
    if args.dry_run
        && let Err(exit) = rehearsal::check(&project, args.scenario.as_deref())
    {
        return Ok(exit);
    }
    end_orphans();
    let setting = setting(common, args, &project).await?;
    let ledger = Ledger::open(&setting.data)?;
    status::tell_losses(&ledger, &project)?;
    status::tell_calendars(&project, setting.clock.now())?;
    if let Err(error) = keep_calendars(&project.settings.calendars, &folders::calendar_copies(&setting.data)) {
        tracing::warn!("the calendars were not copied, should their files break one day: {error}");
    }
    let terminal = Terminal::new(Words::new(project.settings.language)?, project.settings.timezone, common.json);
    let resolver = Resolver::new(&project.root, std::env::vars_os(), redactor.clone());
    let control = Control::default();
    let told = || setting.stage.as_ref().map(Stage::told).unwrap_or_default();
    let rehearsed = setting.stage.as_ref().map(|stage| Rehearsed {
        proxy: Proxy(stage.proxy()),
        fixtures: stage.fixtures().to_path_buf(),
        told: &told,
    });
    let round = Round {
        project: &project,
        ledger: &ledger,
        clock: setting.clock.as_ref(),
        data: &setting.data,
        resolver: &resolver,
        redactor,
        watch: &terminal,
        control: &control,
        faulty_files: None,
        rehearsed,
    };
    let source = if args.tasks.is_empty() { Source::Schedule } else { Source::Hand };
    let words = Words::new(project.settings.language)?;
    let work = round.run(args.tasks.clone(), source);
    let stopped = stoppable(work, &control, setting.clock.as_ref(), &words).await;
    let (done, signal) = stopped.context("signals cannot be received")?;
    terminal.end();
    let Some(done) = done else { return Ok(signal.unwrap_or(Exit::Internal)) };
    let rehearsal = setting.stage.as_ref().map(Stage::told);
    let ending = Ending { project: &project, ledger: &ledger, done: done?, rehearsal };
    let told = ending.tell(common, &setting)?;
    let exit = signal.unwrap_or(told);
    match setting.stage {
        Some(stage) => stage.end().await.map(|()| exit),
        None => Ok(exit),
    }
}

/// Says that there is no such task.
pub(super) fn unknown_task(name: &str) -> Exit {
    eprintln!("sunup: there is no task `{name}`; `sunup validate` lists the tasks");
    Exit::Usage
}

async fn setting(common: &Common, args: &RunArgs, project: &Project) -> Result<Setting> {
    if !args.dry_run {
        let data = folders::data(common).map_err(anyhow::Error::msg)?;
        return Ok(Setting { data, clock: Arc::new(SystemClock::new()), stage: None, _temporary: None });
    }
    // A rehearsal never shares the real ledger: without --data of its own it leaves nothing behind.
    let (data, temporary) = match &common.data {
        Some(data) => (data.clone(), None),
        None => {
            scratch::sweep(&std::env::temp_dir(), REHEARSAL);
            let folder = Scratch::new(&std::env::temp_dir(), REHEARSAL);
            let folder = folder.context("no temporary folder for the rehearsal; give it one with --data DIR")?;
            (folder.path().to_path_buf(), Some(folder))
        }
    };
    let last = Ledger::open(&data)?.high_water()?;
    let stage = Stage::set(project, args.scenario.as_deref(), &data, last).await?;
    Ok(Setting { data, clock: stage.clock(), stage: Some(stage), _temporary: temporary })
}

/// What a run says at its end.
struct Ending<'a> {
    project: &'a Project,
    ledger: &'a Ledger,
    done: Done,
    rehearsal: Option<Rehearsal>,
}

impl Ending<'_> {
    fn tell(&self, common: &Common, setting: &Setting) -> Result<Exit> {
        let words = Words::new(self.project.settings.language)?;
        let Some(date) = self.done.outcome.report_date else {
            if common.json {
                show::json(&json!({ "date": null, "runs": [], "tickets": [], "report": null, "undelivered": [] }));
            } else {
                show::line(&words.get("cli-nothing-due"));
            }
            return Ok(if self.done.undelivered.is_empty() { Exit::Ok } else { Exit::NotDelivered });
        };
        let now = setting.clock.now();
        let report = assemble(self.project, self.ledger, date, now, self.rehearsal.clone())?;
        if common.json {
            self.tell_json(&report);
        } else {
            self.tell_person(&report, setting, &words);
        }
        Ok(status::exit_of(&report.runs, !report.tickets.is_empty(), !self.done.undelivered.is_empty()))
    }

    fn tell_json(&self, report: &Report) {
        let undelivered = self
            .done
            .undelivered
            .iter()
            .map(|mail| json!({ "to": mail.recipient, "state": mail.state.word(), "error": mail.reason }));
        let others = self.done.outcome.others_at_work.iter();
        let others = others.map(|(lane, holder)| json!({ "lane": lane.to_string(), "holder": holder }));
        show::json(&json!({
            "date": report.date,
            "runs": report.runs,
            "tickets": report.tickets,
            "points": report.points,
            "report": self.done.kept.as_ref().map(|kept| json!({ "number": kept.number, "subject": kept.subject })),
            "undelivered": undelivered.collect::<Vec<_>>(),
            "rehearsal": report.rehearsal,
            "others_at_work": others.collect::<Vec<_>>(),
            "losses": report.losses,
            "calendars": report.calendars,
        }));
    }

    fn tell_person(&self, report: &Report, setting: &Setting, words: &Words) {
        match &self.done.kept {
            Some(kept) => show::line(kept.text.trim_end()),
            None => status::rows(&report.runs, words, self.project.settings.timezone),
        }
        for (lane, holder) in &self.done.outcome.others_at_work {
            let (lane, holder) = (lane.to_string(), holder.clone());
            show::line(&words.with("cli-other-at-work", &[("lane", lane.into()), ("holder", holder.into())]));
        }
        if !self.done.outcome.worked && report.runs.iter().all(|run| run.status.is_done()) {
            show::line(&words.get("cli-nothing-left"));
        }
        let to_files = setting.stage.is_some() && setting._temporary.is_none();
        if to_files && Round::mail_folder(&setting.data).is_dir() {
            let folder = Round::mail_folder(&setting.data).display().to_string();
            show::line(&words.with("cli-mail-folder", &[("folder", folder.into())]));
        }
        for mail in &self.done.undelivered {
            let to = mail.recipient.clone();
            let state = mail.state.word().to_owned();
            let reason = mail.reason.clone();
            eprintln!(
                "{}",
                words.with("cli-undelivered", &[("to", to.into()), ("state", state.into()), ("reason", reason.into())])
            );
        }
    }
}
