//! Mails beside the report, each made once: reminders, alarms where somebody wants them by mail, ends that are told at once.
//!
//! What is told is worked out of the ledger at the end of each round, and stored with its mail in one transaction: a run that
//! dies before that tells nothing, and the next one does; one that dies after it has told.

use anyhow::Result;
use chrono::{DateTime, Days, NaiveDate, TimeDelta, Utc};

use super::deliver::{mails_to, redacted};
use super::plan::{Planned, plan_task};
use super::report::task_run;
use crate::files::model::{Notify, Project};
use crate::ledger::{Ledger, StatusLine};
use crate::report::{self, Alarm, Notice, NoticeKind, TaskRun};
use crate::run::{Lane, Status};
use crate::secrets::Redactor;
use crate::timing::instant;

/// A reminder this late is still in time: a timer starts a run so often.
const IN_TIME: TimeDelta = TimeDelta::minutes(10);

/// A skip is told of within so much: it does not turn up out of a ledger of years when somebody asks to be told.
const SKIPS_OF: TimeDelta = TimeDelta::days(2);

/// Why a key was skipped on purpose: nobody is reminded of it.
const ON_PURPOSE: [&str; 4] = ["skip", "holiday", "not_workday", "renamed"];

/// Makes the notices of a round.
pub(super) struct Notices<'a> {
    pub project: &'a Project,
    pub ledger: &'a Ledger,
    pub redactor: &'a Redactor,
    pub now: DateTime<Utc>,
    /// Where they go to files instead of a server.
    pub rehearses: bool,
}

/// What a notice tells of: how it is known, and what is shown.
type About<T> = Vec<(String, T)>;

impl Notices<'_> {
    /// The reminders whose time has just come: they do not wait until the round is over. True when there are any.
    pub fn remind_in_time(&self) -> Result<bool> {
        self.remind(self.now - IN_TIME)
    }

    /// All that is not told yet. Reminders of today that nobody could make in time, the machine being off, come now, for
    /// what the run has not done meanwhile.
    pub fn keep(&self) -> Result<()> {
        self.remind(DateTime::<Utc>::MIN_UTC)?;
        self.tell_runs(NoticeKind::Dead, self.dead()?)?;
        self.tell_runs(NoticeKind::Skip, self.skipped()?)?;
        self.tell_alarms()
    }

    fn remind(&self, since: DateTime<Utc>) -> Result<bool> {
        if !self.are_mailed() {
            return Ok(false);
        }
        let due = reminders(self.project, self.now).into_iter().filter(|(at, _)| *at >= since);
        let mut undone = Vec::new();
        for (at, planned) in due {
            let about = format!("{} {}", planned.row.key, at.format("%Y-%m-%dT%H:%MZ"));
            if let Some(run) = self.undone(&planned)? {
                undone.push((about, run));
            }
        }
        self.tell_runs(NoticeKind::Remind, undone)
    }

    /// How a key stands that a person is reminded of; none when it is done, or skipped on purpose.
    fn undone(&self, planned: &Planned<'_>) -> Result<Option<TaskRun>> {
        let mut line = self.ledger.key(&planned.row.key)?;
        if let (None, Some(former)) = (&line, planned.former_key()) {
            line = self.ledger.key(&former)?;
        }
        let line = line.unwrap_or_else(|| StatusLine {
            row: planned.row.clone(),
            status: Status::Pending,
            reason: None,
            due: None,
            changed_at: self.now,
            closed_at: None,
        });
        let run = task_run(self.project, self.ledger, &line, None)?;
        let reason = run.reason.as_ref().map_or("", |reason| reason.word.as_str());
        let on_purpose = run.status == Status::Skipped && ON_PURPOSE.contains(&reason);
        Ok((!run.status.is_done() && !on_purpose).then_some(run))
    }

    /// The dead letters that no report tells of.
    fn dead(&self) -> Result<About<TaskRun>> {
        let told = self.ledger.last_report_at()?;
        let mut lines = self.ledger.dead_letters()?;
        lines.retain(|line| told.is_none_or(|told| line.closed_at.is_some_and(|died| died > told)));
        self.ended(lines, |notify| notify.dead)
    }

    /// What was skipped, of the tasks that want that told, whether or not a report tells of it.
    fn skipped(&self) -> Result<About<TaskRun>> {
        let tasks = self.project.sites.iter().flat_map(|site| &site.tasks);
        if !tasks.clone().any(|task| task.notify.skip) {
            return Ok(Vec::new());
        }
        self.ended(self.ledger.skipped_since(self.now - SKIPS_OF)?, |notify| notify.skip)
    }

    fn ended(&self, lines: Vec<StatusLine>, wanted: impl Fn(Notify) -> bool) -> Result<About<TaskRun>> {
        let mut ended = Vec::new();
        for line in lines {
            let planned = Planned::again(self.project, line.row.clone());
            let notify = planned.map(|planned| planned.task.notify).unwrap_or_default();
            if let Some(at) = line.closed_at.filter(|_| wanted(notify)) {
                let about = format!("{} {}", line.row.key, at.format("%Y-%m-%dT%H:%M:%S%.3fZ"));
                ended.push((about, task_run(self.project, self.ledger, &line, None)?));
            }
        }
        Ok(ended)
    }

    fn tell_runs(&self, kind: NoticeKind, runs: About<TaskRun>) -> Result<bool> {
        let to = self.project.settings.report.as_ref().map(|report| report.to.as_slice()).unwrap_or_default();
        self.tell(kind, runs, to, |runs| Notice { runs, ..self.empty(kind) })
    }

    /// Each alarm when it begins. One that is over may come again.
    fn tell_alarms(&self) -> Result<()> {
        let (true, Some(to)) = (self.are_mailed(), &self.project.settings.alarms_to) else { return Ok(()) };
        let known = |alarm: Alarm| (format!("{} {} {}", alarm.kind.word(), alarm.task, alarm.account), alarm);
        let alarms: About<Alarm> = super::alarms(self.project, self.ledger, self.now)?.into_iter().map(known).collect();
        let standing: Vec<String> = alarms.iter().map(|(about, _)| about.clone()).collect();
        self.ledger.notices_over(NoticeKind::Alarm.word(), &standing, self.now)?;
        self.tell(NoticeKind::Alarm, alarms, to, |alarms| Notice { alarms, ..self.empty(NoticeKind::Alarm) })?;
        Ok(())
    }

    fn empty(&self, kind: NoticeKind) -> Notice {
        let (zone, made_at) = (self.project.settings.timezone, self.now);
        Notice { kind, zone, made_at, rehearsed: self.rehearses, runs: Vec::new(), alarms: Vec::new() }
    }

    /// One mail for all of these that were not told yet; false when there is nothing to tell.
    fn tell<T>(
        &self,
        kind: NoticeKind,
        all: About<T>,
        to: &[String],
        notice: impl FnOnce(Vec<T>) -> Notice,
    ) -> Result<bool> {
        let Some(report) = self.project.settings.report.as_ref().filter(|_| self.are_mailed()) else {
            return Ok(false);
        };
        let (mut about, mut told) = (Vec::new(), Vec::new());
        for (one, shown) in all {
            if !self.ledger.was_noticed(kind.word(), &one)? {
                about.push(one);
                told.push(shown);
            }
        }
        if about.is_empty() {
            return Ok(false);
        }
        let rendered = report::render_notice(&notice(told), self.project.settings.language)?;
        let rendered = redacted(self.redactor, &rendered);
        let id = |to: &str| report::notice_id(kind.word(), &about, self.now, &report.from, to);
        let mails = mails_to(&rendered, (&report.from, to), id, self.now, &[])?;
        Ok(self.ledger.keep_notice(kind.word(), &about, self.today(), &mails, self.now)?)
    }

    /// True where there is a server, or a rehearsal's folder.
    fn are_mailed(&self) -> bool {
        let report = self.project.settings.report.as_ref();
        report.is_some_and(|report| self.rehearses || report.smtp.is_some())
    }

    fn today(&self) -> NaiveDate {
        self.now.with_timezone(&self.project.settings.timezone).date_naive()
    }
}

/// The reminders of today whose time has come, each with the key of the slot that it belongs to.
fn reminders(project: &Project, now: DateTime<Utc>) -> Vec<(DateTime<Utc>, Planned<'_>)> {
    let zone = project.settings.timezone;
    let today = now.with_timezone(&zone).date_naive();
    let mut due = Vec::new();
    for site in &project.sites {
        for task in &site.tasks {
            let Some(at) = task.schedule.remind.map(|time| instant(zone, today, time)).filter(|at| *at <= now) else {
                continue;
            };
            let lanes = task.accounts.iter().map(|account| Lane { site: site.id.clone(), account: account.clone() });
            let planned = lanes.filter_map(|lane| plan_task(project, site, task, &lane, at));
            // A slot that is still to come, or that the calendar leaves out, is nothing to be reminded of; nor is last night's.
            let has_come = |key: &Planned<'_>| key.row.window.slot <= at && key.skip.is_none();
            let is_over = |key: &Planned<'_>| key.row.window.until <= now && key.row.report_date < today;
            due.extend(planned.filter(|key| has_come(key) && !is_over(key)).map(|key| (at, key)));
        }
    }
    due
}

/// When a person may have to be reminded next. The round that it wakes sees whether it is a day of the task.
pub fn next_reminder(project: &Project, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let zone = project.settings.timezone;
    let today = now.with_timezone(&zone).date_naive();
    let tasks = project.sites.iter().flat_map(|site| &site.tasks);
    let times = tasks.filter_map(|task| task.schedule.remind);
    let instants = times.flat_map(|time| [today, today + Days::new(1)].map(|date| instant(zone, date, time)));
    instants.filter(|at| *at > now).min()
}

#[cfg(test)]
mod tests;
