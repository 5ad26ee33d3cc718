//! `sunup run`: the morning, or a hand-started task; with `--dry-run`, against fixtures.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;

use super::exit::Exit;
use super::rehearsal::Stage;
use super::terminal::Terminal;
use super::{Common, folders, rehearsal, show, status};
use crate::browser::{Scratch, scratch};
use crate::clock::{Clock, SystemClock};
use crate::files::model::Project;
use crate::ledger::{Holder, Ledger, StoredReport};
use crate::report::{Mailer, Rehearsal, Report, SmtpServer, Words};
use crate::runner::{
    CredentialsFrom, Launcher, Morning, Outcome, Proxy, Undelivered, World, assemble, deliver, end_orphans, keep_report,
};
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
        eprintln!("sunup: there is no task `{unknown}`; `sunup validate` lists the tasks");
        return Ok(Exit::Usage);
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
    let terminal = Terminal::new(Words::new(project.settings.language)?, project.settings.timezone, common.json);
    let resolver = Resolver::new(&project.root, std::env::vars_os(), redactor.clone());
    let world = World {
        project: &project,
        ledger: &ledger,
        clock: setting.clock.as_ref(),
        launcher: Launcher {
            settings: project.settings.browser.clone(),
            data: setting.data.clone(),
            proxy: setting.stage.as_ref().map(|stage| Proxy(stage.proxy())),
            holder: Holder::this(),
        },
        credentials: CredentialsFrom {
            fixtures: setting.stage.as_ref().map(|stage| stage.fixtures().to_path_buf()),
            resolver: resolver.clone(),
            redactor: redactor.clone(),
            data: setting.data.clone(),
        },
        redactor,
        watch: &terminal,
        pictures: setting.data.join("pictures"),
        holder: Holder::this(),
        run: run_id(),
    };
    world.launcher.sweep();
    let outcome = Morning::new(&world, args.tasks.clone()).run().await;
    terminal.end();
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => {
            // What was done is told all the same, if the ledger still can; then the fault.
            tell_in_spite_of(&project, &setting, &ledger, &resolver, redactor).await;
            return Err(error);
        }
    };
    let rehearsal = setting.stage.as_ref().map(Stage::told);
    let now = setting.clock.now();
    let by_hand = !args.tasks.is_empty() && !args.dry_run;
    let kept = match outcome.report_date {
        Some(date) if outcome.others_at_work.is_empty() => {
            keep_report(&project, &ledger, redactor, date, now, rehearsal.clone(), by_hand)?
        }
        _ => None,
    };
    let undelivered = send(&project, &setting, &ledger, &resolver, redactor).await?;
    let ending = Ending { project: &project, ledger: &ledger, outcome, kept, undelivered, rehearsal };
    let exit = ending.tell(common, &setting)?;
    match setting.stage {
        Some(stage) => stage.end().await.map(|()| exit),
        None => Ok(exit),
    }
}

/// After a fault of ours in the middle of a morning: a report of what is on record, and what waits in the outbox.
async fn tell_in_spite_of(
    project: &Project,
    setting: &Setting,
    ledger: &Ledger,
    resolver: &Resolver,
    redactor: &Redactor,
) {
    let told = async {
        let rehearsal = setting.stage.as_ref().map(Stage::told);
        if let Some(date) = ledger.last_date()? {
            keep_report(project, ledger, redactor, date, setting.clock.now(), rehearsal, false)?;
        }
        send(project, setting, ledger, resolver, redactor).await
    };
    if let Err(error) = told.await {
        tracing::error!("the report could not be made either: {error:#}");
    }
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

/// The run's id: random, so that two runs of one second differ.
fn run_id() -> String {
    format!("{:016x}", fastrand::u64(..))
}

/// Sends what waits in the outbox. The mail server's password is asked for only when something does.
async fn send(
    project: &Project,
    setting: &Setting,
    ledger: &Ledger,
    resolver: &Resolver,
    redactor: &Redactor,
) -> Result<Vec<Undelivered>> {
    if ledger.undelivered_mails()?.is_empty() {
        return Ok(Vec::new());
    }
    match mailer(project, setting, resolver).await {
        Ok(Some(mailer)) => deliver(ledger, setting.clock.as_ref(), &mailer, redactor).await,
        Ok(None) => Ok(Vec::new()),
        Err(why) => undeliverable(ledger, &why),
    }
}

/// Where mails go: a rehearsal's into a folder, others to the server; none when no server is named.
async fn mailer(project: &Project, setting: &Setting, resolver: &Resolver) -> Result<Option<Mailer>, String> {
    if setting.stage.is_some() {
        return Ok(Some(Mailer::Files(mail_folder(&setting.data))));
    }
    let Some(smtp) = project.settings.report.as_ref().and_then(|report| report.smtp.as_ref()) else { return Ok(None) };
    let password = match &smtp.login {
        Some((_, source)) => {
            let secret = resolver.secret(source).await;
            Some(secret.map_err(|error| format!("the mail server's password: {error}"))?)
        }
        None => None,
    };
    Ok(Some(Mailer::Smtp(SmtpServer::new(smtp, password))))
}

/// The mails that cannot even be tried.
fn undeliverable(ledger: &Ledger, why: &str) -> Result<Vec<Undelivered>> {
    let mails = ledger.undelivered_mails()?;
    let reason = why.to_owned();
    Ok(mails
        .into_iter()
        .map(|mail| Undelivered { recipient: mail.mail.recipient, state: mail.state, reason: reason.clone() })
        .collect())
}

fn mail_folder(data: &Path) -> PathBuf {
    data.join("mail")
}

/// What a run says at its end.
struct Ending<'a> {
    project: &'a Project,
    ledger: &'a Ledger,
    outcome: Outcome,
    kept: Option<StoredReport>,
    undelivered: Vec<Undelivered>,
    rehearsal: Option<Rehearsal>,
}

impl Ending<'_> {
    fn tell(&self, common: &Common, setting: &Setting) -> Result<Exit> {
        let words = Words::new(self.project.settings.language)?;
        let Some(date) = self.outcome.report_date else {
            if common.json {
                show::json(&json!({ "date": null, "runs": [], "tickets": [], "report": null, "undelivered": [] }));
            } else {
                show::line(&words.get("cli-nothing-due"));
            }
            return Ok(if self.undelivered.is_empty() { Exit::Ok } else { Exit::NotDelivered });
        };
        let now = setting.clock.now();
        let report = assemble(self.project, self.ledger, date, now, self.rehearsal.clone())?;
        if common.json {
            self.tell_json(&report);
        } else {
            self.tell_person(&report, setting, &words);
        }
        Ok(status::exit_of(&report.runs, !report.tickets.is_empty(), !self.undelivered.is_empty()))
    }

    fn tell_json(&self, report: &Report) {
        let undelivered = self
            .undelivered
            .iter()
            .map(|mail| json!({ "to": mail.recipient, "state": mail.state.word(), "error": mail.reason }));
        let others = self.outcome.others_at_work.iter();
        let others = others.map(|(lane, holder)| json!({ "lane": lane.to_string(), "holder": holder }));
        show::json(&json!({
            "date": report.date,
            "runs": report.runs,
            "tickets": report.tickets,
            "points": report.points,
            "report": self.kept.as_ref().map(|kept| json!({ "number": kept.number, "subject": kept.subject })),
            "undelivered": undelivered.collect::<Vec<_>>(),
            "rehearsal": report.rehearsal,
            "others_at_work": others.collect::<Vec<_>>(),
            "losses": report.losses,
        }));
    }

    fn tell_person(&self, report: &Report, setting: &Setting, words: &Words) {
        match &self.kept {
            Some(kept) => show::line(kept.text.trim_end()),
            None => status::rows(&report.runs, words, self.project.settings.timezone),
        }
        for (lane, holder) in &self.outcome.others_at_work {
            let (lane, holder) = (lane.to_string(), holder.clone());
            show::line(&words.with("cli-other-at-work", &[("lane", lane.into()), ("holder", holder.into())]));
        }
        if !self.outcome.worked && report.runs.iter().all(|run| run.status.is_done()) {
            show::line(&words.get("cli-nothing-left"));
        }
        let to_files = setting.stage.is_some() && setting._temporary.is_none();
        if to_files && mail_folder(&setting.data).is_dir() {
            let folder = mail_folder(&setting.data).display().to_string();
            show::line(&words.with("cli-mail-folder", &[("folder", folder.into())]));
        }
        for mail in &self.undelivered {
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
