//! One round: the morning, its report, and the mails that wait. `sunup run` is one; the daemon makes one after another.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::heartbeat::{Heartbeat, verdict};
use super::notices::Notices;
use super::{
    Control, CredentialsFrom, Launcher, Morning, NewReport, Outcome, Proxy, Undelivered, Watch, World, deliver,
    keep_report, plan,
};
use crate::clock::Clock;
use crate::files::model::Project;
use crate::ledger::{Holder, Ledger, StoredReport};
use crate::report::{Alert, Mailer, Rehearsal, SmtpServer};
use crate::run::Source;
use crate::secrets::{Redactor, Resolver};

/// What a round works with.
pub struct Round<'a> {
    /// The files.
    pub project: &'a Project,
    /// The journal.
    pub ledger: &'a Ledger,
    /// The time.
    pub clock: &'a dyn Clock,
    /// The data folder.
    pub data: &'a Path,
    /// Where secrets come from.
    pub resolver: &'a Resolver,
    /// Knows every secret.
    pub redactor: &'a Redactor,
    /// Who watches.
    pub watch: &'a dyn Watch,
    /// How it is told to look again, or to stop.
    pub control: &'a Control,
    /// What is wrong with newer files than these, which are not taken in.
    pub faulty_files: Option<String>,
    /// What is there in place of the real sites.
    pub rehearsed: Option<Rehearsed<'a>>,
}

/// The sites of a rehearsal.
pub struct Rehearsed<'a> {
    /// Stands before the browser.
    pub proxy: Proxy,
    /// The fixtures, logins among them.
    pub fixtures: PathBuf,
    /// What the report says of it, as far as it has come.
    pub told: &'a dyn Fn() -> Rehearsal,
}

/// What came of a round.
#[derive(Debug)]
pub struct Done {
    /// What the morning did.
    pub outcome: Outcome,
    /// The report that it made, if there was anything new to tell.
    pub kept: Option<StoredReport>,
    /// Mails that have not arrived.
    pub undelivered: Vec<Undelivered>,
}

impl Round<'_> {
    /// All tasks, or those named, on this one's word. One that was told to stop leaves report and mails to the next.
    pub async fn run(&self, only: Vec<String>, source: Source) -> Result<Done> {
        let by_hand = !only.is_empty() && self.rehearsed.is_none();
        let of_run = self.project.settings.heartbeat.as_ref().filter(|_| !by_hand && self.rehearsed.is_none());
        let heartbeat = Heartbeat::beside(self.watch, of_run, self.resolver, self.redactor);
        let watch: &dyn Watch = if self.rehearsed.is_some() { self.watch } else { &heartbeat };
        if self.has_begun()? {
            heartbeat.run_begins();
        }
        let done = self.morning(only, source, by_hand, watch).await;
        self.tell_heartbeat(&heartbeat, &done)?;
        heartbeat.end().await;
        done
    }

    async fn morning(&self, only: Vec<String>, source: Source, by_hand: bool, watch: &dyn Watch) -> Result<Done> {
        let world = self.world(watch);
        world.launcher.sweep();
        self.remind_in_time().await;
        let outcome = match Morning::new(&world, only).by(source).run().await {
            Ok(outcome) => outcome,
            Err(error) => {
                // What was done is told all the same, if the ledger still can; then the fault.
                self.tell_in_spite_of().await;
                return Err(error);
            }
        };
        if self.control.is_stopped() {
            return Ok(Done { outcome, kept: None, undelivered: Vec::new() });
        }
        let kept = match outcome.report_date {
            Some(date) if outcome.others_at_work.is_empty() => self.keep_report(date, by_hand)?,
            _ => None,
        };
        // What goes wrong with the notices does not hold up the report.
        let noticed = match outcome.others_at_work.is_empty() {
            true => self.notices().keep(),
            false => Ok(()),
        };
        let undelivered = self.send().await?;
        noticed?;
        self.ledger.trim(self.clock.now())?;
        self.ledger.check_if_due(self.clock.now())?;
        Ok(Done { outcome, kept, undelivered })
    }

    /// Something is due, or was, and is not over yet: a run that has nothing to do is nothing to tell of.
    fn has_begun(&self) -> Result<bool> {
        let now = self.clock.now();
        let due = plan(self.project, now).iter().any(|planned| planned.rules.window.contains(now));
        Ok(due || !self.ledger.open_keys()?.is_empty())
    }

    fn tell_heartbeat(&self, heartbeat: &Heartbeat<'_>, done: &Result<Done>) -> Result<()> {
        match done {
            Err(error) => heartbeat.run_ends(false, self.redactor.redact(&format!("{error:#}"))),
            Ok(done) if self.control.is_stopped() || done.outcome.report_date.is_none() => {}
            Ok(done) => {
                let date = done.outcome.report_date.unwrap_or_default();
                let (well, line) = verdict(&self.ledger.keys_of(date)?);
                match done.undelivered.first() {
                    Some(mail) => heartbeat.run_ends(false, format!("{line}; report {}", mail.state.word())),
                    None => heartbeat.run_ends(well, line),
                }
            }
        }
        Ok(())
    }

    /// What its morning works with, and who watches it.
    pub fn world<'w>(&'w self, watch: &'w dyn Watch) -> World<'w> {
        World {
            project: self.project,
            ledger: self.ledger,
            clock: self.clock,
            launcher: Launcher {
                settings: self.project.settings.browser.clone(),
                data: self.data.to_owned(),
                proxy: self.rehearsed.as_ref().map(|rehearsed| rehearsed.proxy),
                holder: Holder::this(),
            },
            credentials: CredentialsFrom {
                fixtures: self.rehearsed.as_ref().map(|rehearsed| rehearsed.fixtures.clone()),
                resolver: self.resolver.clone(),
                redactor: self.redactor.clone(),
                data: self.data.to_owned(),
            },
            redactor: self.redactor,
            watch,
            control: self.control,
            pictures: self.data.join("pictures"),
            holder: Holder::this(),
            run: run_id(),
        }
    }

    /// A reminder is no reason to hold up a morning: what goes wrong with it is tried again at its end.
    async fn remind_in_time(&self) {
        let reminded = match self.notices().remind_in_time() {
            Ok(true) => self.send().await.map(drop),
            Ok(false) => Ok(()),
            Err(error) => Err(error),
        };
        if let Err(error) = reminded {
            tracing::error!("a reminder could not be mailed: {error:#}");
        }
    }

    fn notices(&self) -> Notices<'_> {
        let (project, ledger, redactor) = (self.project, self.ledger, self.redactor);
        Notices { project, ledger, redactor, now: self.clock.now(), rehearses: self.rehearsed.is_some() }
    }

    /// Where the mails of a rehearsal in this data folder go.
    pub fn mail_folder(data: &Path) -> PathBuf {
        data.join("mail")
    }

    fn keep_report(&self, date: chrono::NaiveDate, by_hand: bool) -> Result<Option<StoredReport>> {
        let rehearsal = self.rehearsed.as_ref().map(|rehearsed| (rehearsed.told)());
        let faulty = self.faulty_files.iter().map(|faults| Alert {
            kind: None,
            text: format!("the files have changed and are faulty; those from before stay in use: {faults}"),
            cure: Some("`sunup validate` shows every fault with its cure".to_owned()),
        });
        let (now, alerts) = (self.clock.now(), faulty.collect());
        keep_report(self.project, self.ledger, self.redactor, NewReport { date, now, by_hand, rehearsal, alerts })
    }

    /// After a fault of ours in the middle of a morning: a report of what is on record, and what waits in the outbox.
    async fn tell_in_spite_of(&self) {
        let told = async {
            if let Some(date) = self.ledger.last_date()? {
                self.keep_report(date, false)?;
            }
            self.send().await
        };
        if let Err(error) = told.await {
            tracing::error!("the report could not be made either: {error:#}");
        }
    }

    /// Sends what waits in the outbox. The mail server's password is asked for only when something does.
    async fn send(&self) -> Result<Vec<Undelivered>> {
        if self.ledger.undelivered_mails()?.is_empty() {
            return Ok(Vec::new());
        }
        match self.mailer().await {
            Ok(Some(mailer)) => deliver(self.ledger, self.clock, &mailer, self.redactor).await,
            Ok(None) => Ok(Vec::new()),
            Err(why) => self.undeliverable(&why),
        }
    }

    /// Where mails go: a rehearsal's into a folder, others to the server; none when no server is named.
    async fn mailer(&self) -> Result<Option<Mailer>, String> {
        if self.rehearsed.is_some() {
            return Ok(Some(Mailer::Files(Self::mail_folder(self.data))));
        }
        let report = self.project.settings.report.as_ref();
        let Some(smtp) = report.and_then(|report| report.smtp.as_ref()) else { return Ok(None) };
        let password = match &smtp.login {
            Some((_, source)) => {
                let secret = self.resolver.secret(source).await;
                Some(secret.map_err(|error| format!("the mail server's password: {error}"))?)
            }
            None => None,
        };
        Ok(Some(Mailer::Smtp(SmtpServer::new(smtp, password))))
    }

    /// The mails that cannot even be tried.
    fn undeliverable(&self, why: &str) -> Result<Vec<Undelivered>> {
        let mails = self.ledger.undelivered_mails()?.into_iter();
        let untried =
            mails.map(|mail| Undelivered { recipient: mail.mail.recipient, state: mail.state, reason: why.to_owned() });
        Ok(untried.collect())
    }
}

/// The run's id: random, so that two runs of one second differ.
pub(super) fn run_id() -> String {
    format!("{:016x}", fastrand::u64(..))
}
