//! One run: all keys that are due, until each is final or waits beyond the report's time.

use std::path::PathBuf;

use anyhow::Result;
use chrono::{NaiveDate, TimeDelta};

use super::lane::OpenLane;
use super::plan::{Planned, plan};
use super::requirements::requirements;
use super::{CredentialsFrom, Launcher, Progress, Watch, tickets};
use crate::clock::{Clock, Instant};
use crate::files::model::{Project, ReportBy};
use crate::ledger::{Holder, KeyRow, Lease, LeaseAnswer, Ledger};
use crate::run::{Decision, Event, Facts, Failure, FailureKind, Key, Refusal, Source, Status, TaskRun, decide};
use crate::secrets::{Redact, Redactor};
use crate::timing::instant;

/// What a run works with.
pub struct World<'a> {
    /// The files.
    pub project: &'a Project,
    /// The journal.
    pub ledger: &'a Ledger,
    /// The time.
    pub clock: &'a dyn Clock,
    /// How browsers are started.
    pub launcher: Launcher,
    /// Where logins come from.
    pub credentials: CredentialsFrom,
    /// Knows every secret.
    pub redactor: &'a Redactor,
    /// Who watches.
    pub watch: &'a dyn Watch,
    /// Where pictures of failures are written.
    pub pictures: PathBuf,
    /// This process.
    pub holder: Holder,
    /// The id of the run.
    pub run: String,
}

/// One run.
pub struct Morning<'a> {
    world: &'a World<'a>,
    source: Source,
    only: Vec<String>,
    deadline: Instant,
    limit: Instant,
    lane: Option<OpenLane<'a>>,
    /// Found closed: not asked again in this run.
    closed: Vec<Key>,
    worked: bool,
    others_at_work: bool,
}

/// What a run did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The date of the report that covers it; none when nothing was due.
    pub report_date: Option<NaiveDate>,
    /// True when at least one key was worked on or closed.
    pub worked: bool,
    /// Another run holds a lane: that one reports.
    pub others_at_work: bool,
}

/// A wait longer than this ends the browser first.
const KEEP_BROWSER: TimeDelta = TimeDelta::minutes(3);
/// A clock may be stepped back by so much; more is a fault.
const BEHIND: TimeDelta = TimeDelta::minutes(2);
/// A slot that is no further off than this is waited for.
const EARLY: TimeDelta = TimeDelta::minutes(1);
/// A requirement outside of our own tasks (a file) is looked at again after this.
const LOOK_AGAIN: TimeDelta = TimeDelta::minutes(1);

/// What became of one key in one round.
enum Turn {
    /// Something happened: the others are asked again.
    Worked,
    /// Nothing before this time.
    Waits(Instant),
    /// Nothing more without a person, or without another run.
    Rests,
}

impl<'a> Morning<'a> {
    /// A run over all tasks, or over those named (`site/task`, `task` or `site`).
    pub fn new(world: &'a World<'a>, only: Vec<String>) -> Self {
        let source = if only.is_empty() { Source::Schedule } else { Source::Hand };
        let now = world.clock.now();
        let limit = now + TimeDelta::from_std(world.project.settings.run_limit).unwrap_or_default();
        let deadline = deadline(world.project, now).min(limit);
        Morning {
            world,
            source,
            only,
            deadline,
            limit,
            lane: None,
            closed: Vec::new(),
            worked: false,
            others_at_work: false,
        }
    }

    /// Works until every due key is final or waits beyond the report's time.
    pub async fn run(mut self) -> Result<Outcome> {
        let mut report_date = None;
        loop {
            let now = self.world.clock.now();
            let planned = plan(self.world.project, now);
            let keys = self.due(&planned, now)?;
            report_date = report_date.max(covered(&keys, now));
            let mut worked = false;
            let mut wake: Option<Instant> = None;
            for key in keys.iter().filter(|key| !self.closed.contains(&key.row.key)).collect::<Vec<_>>() {
                // What is left then stays as it is, and the next run takes it up.
                if self.world.clock.now() >= self.limit {
                    break;
                }
                match self.turn(&planned, key).await? {
                    Turn::Worked => worked = true,
                    Turn::Waits(until) => wake = Some(wake.map_or(until, |before| before.min(until))),
                    Turn::Rests => {}
                }
            }
            self.worked |= worked;
            if worked && self.world.clock.now() < self.limit {
                continue;
            }
            match wake {
                Some(until) if until <= self.deadline => self.wait(until).await?,
                _ => break,
            }
        }
        self.close_lane().await?;
        Ok(Outcome { report_date, worked: self.worked, others_at_work: self.others_at_work })
    }

    /// Today's keys, and those of earlier days that are still open.
    fn due(&self, planned: &[Planned<'a>], _now: Instant) -> Result<Vec<Planned<'a>>> {
        let mut keys: Vec<Planned<'a>> = Vec::new();
        let mut planned = planned.to_vec();
        for line in self.world.ledger.open_keys()? {
            if let Some(today) = planned.iter_mut().find(|today| today.row.key == line.row.key) {
                // `day` and the period are those of the first time; a week's window is today's.
                today.row.period = line.row.period;
                continue;
            }
            match Planned::again(self.world.project, line.row.clone()) {
                Some(again) => keys.push(again),
                None => self.give_up(&line.row)?,
            }
        }
        keys.extend(planned);
        keys.retain(|key| self.is_asked_for(key));
        // Lane by lane, so that a browser is started once: the order of the files, earlier days first.
        keys.sort_by_key(|key| {
            let site = self.world.project.sites.iter().position(|site| site.id == key.row.lane.site);
            let account = key.site.accounts.iter().position(|account| account.id == key.row.lane.account);
            (site, account)
        });
        Ok(keys)
    }

    fn is_asked_for(&self, key: &Planned<'_>) -> bool {
        let path = format!("{}/{}", key.row.lane.site, key.row.task);
        self.only.is_empty()
            || self.only.iter().any(|name| *name == path || *name == key.row.task || *name == key.row.lane.site)
    }

    /// A key whose task file is gone: nothing can be read for it any more.
    fn give_up(&self, row: &KeyRow) -> Result<()> {
        let mut state = TaskRun::default();
        state.status = Status::Dead;
        let event = Event::Closed { status: Status::Dead, reason: "its task file is gone".to_owned() };
        Ok(self.world.ledger.append(&self.world.run, &row.key, self.world.clock.now(), &event, &state)?)
    }

    /// Asks "run now?" for one key, and does what the answer says.
    async fn turn(&mut self, plan: &[Planned<'a>], key: &Planned<'a>) -> Result<Turn> {
        let world = self.world;
        let now = world.clock.now();
        if tickets::close_if_secret_changed(world, key, now).await? {
            // The open lane, if it is this one, still has the old secret.
            self.close_lane().await?;
        }
        let (state, decision) = self.ask(plan, key, now)?;
        if !matches!(decision, Decision::Refused(Refusal::NotDue(_))) {
            world.ledger.open_key(&key.row, now)?;
        }
        let source = if state.due.is_some() { Source::Retry } else { self.source };
        world.ledger.record_decision(&key.row.key, source, &answer(&decision), now)?;
        if let Decision::Refused(Refusal::AlreadyDone | Refusal::Closed(_)) = decision {
            self.closed.push(key.row.key.clone());
        }
        match decision {
            Decision::Refused(refusal) => Ok(self.refused(refusal, now)),
            Decision::Close(status, reason) => self.record_alone(plan, key, Event::Closed { status, reason }),
            Decision::Run => match self.clock_fault()? {
                Some(failure) => self.record_alone(plan, key, Event::NotTried { failure }),
                None => self.work(plan, key, source).await,
            },
        }
    }

    /// "Run now?", with what it was asked of.
    fn ask(&self, plan: &[Planned<'a>], key: &Planned<'a>, now: Instant) -> Result<(TaskRun, Decision)> {
        let world = self.world;
        let state = TaskRun::fold(&world.ledger.events(&key.row.key)?, &key.rules);
        let requirements = requirements(world.project, world.ledger, plan, key)?;
        let locked_by = world.ledger.lease_holder(&key.row.lane, &world.holder, now)?.map(|holder| holder.to_string());
        let decision = decide(&Facts {
            now,
            rules: &key.rules,
            state: &state,
            requirements: &requirements,
            suspended_by: world.ledger.suspended_by(&key.row.lane)?,
            cooling_until: world.ledger.site_wait(&key.row.lane.site, now)?.map(|wait| wait.until),
            locked_by: locked_by.as_deref(),
        });
        Ok((state, decision))
    }

    /// Another runner may have been at the key between the answer and the lease: under the lease the question is asked again.
    fn still_runs(&self, plan: &[Planned<'a>], key: &Planned<'a>) -> Result<bool> {
        Ok(self.ask(plan, key, self.world.clock.now())?.1 == Decision::Run)
    }

    /// A clock that shows less than the ledger's last line, by more than a step of the clock may be: nothing is done by it.
    fn clock_fault(&self) -> Result<Option<Failure>> {
        let now = self.world.clock.now();
        let Some(last) = self.world.ledger.high_water()?.filter(|last| *last - now > BEHIND) else { return Ok(None) };
        let shown = |at: Instant| at.with_timezone(&self.world.project.settings.timezone).format("%Y-%m-%d %H:%M");
        let message = format!(
            "this machine's clock is wrong: it shows {}, and the ledger's last line is of {}. Set the clock (`timedatectl`), \
             then run again",
            shown(now),
            shown(last)
        );
        Ok(Some(Failure::new(FailureKind::Environment, message)))
    }

    fn refused(&mut self, refusal: Refusal, now: Instant) -> Turn {
        match refusal {
            // A timer may fire a little early; a slot that is far off is another run's.
            Refusal::NotDue(at) if at - now > EARLY => Turn::Rests,
            Refusal::NotDue(at) | Refusal::WaitingForEvidence(at) | Refusal::Waiting(at) | Refusal::CoolingDown(at) => {
                Turn::Waits(at)
            }
            Refusal::NotReady(_) => Turn::Waits(now + LOOK_AGAIN),
            Refusal::Locked(_) => {
                self.others_at_work = true;
                Turn::Rests
            }
            Refusal::WindowClosed | Refusal::AlreadyDone | Refusal::Closed(_) | Refusal::Ticket(_) => Turn::Rests,
        }
    }

    /// Works on a key in its lane; the lane of another key is closed first.
    async fn work(&mut self, plan: &[Planned<'a>], key: &Planned<'a>, source: Source) -> Result<Turn> {
        if self.lane.as_ref().is_some_and(|open| open.lane != key.row.lane) {
            self.close_lane().await?;
        }
        let world = self.world;
        let mut lane = match self.lane.take() {
            Some(lane) => lane,
            None => {
                let Some(lease) = self.lease(key)? else { return Ok(Turn::Rests) };
                if !self.still_runs(plan, key)? {
                    world.ledger.release_lease(&lease, world.clock.now())?;
                    return Ok(Turn::Worked);
                }
                match OpenLane::new(world, key, lease.clone()).await {
                    Ok(lane) => lane,
                    Err(failure) => {
                        self.record_under(&lease, key, Event::NotTried { failure })?;
                        world.ledger.release_lease(&lease, world.clock.now())?;
                        return Ok(Turn::Worked);
                    }
                }
            }
        };
        let worked = lane.work(key, source).await;
        if lane.lost {
            lane.end_browser().await;
            self.others_at_work = true;
            return Ok(Turn::Rests);
        }
        self.lane = Some(lane);
        worked.map(|_| Turn::Worked)
    }

    /// The lease of a key's lane; none when another run has it.
    fn lease(&mut self, key: &Planned<'a>) -> Result<Option<Lease>> {
        let world = self.world;
        match world.ledger.take_lease(&key.row.lane, &world.holder, world.clock.now())? {
            LeaseAnswer::Taken(lease) => Ok(Some(lease)),
            LeaseAnswer::Held(_) => {
                self.others_at_work = true;
                Ok(None)
            }
        }
    }

    /// An event beside the loop of a key: it was closed by its time, or could not be tried. It is written under the lane's
    /// lease too, because another run may be at the key by now.
    fn record_alone(&mut self, plan: &[Planned<'a>], key: &Planned<'a>, event: Event) -> Result<Turn> {
        if let Some(open) = self.lane.as_ref().filter(|open| open.lane == key.row.lane) {
            self.record_under(&open.lease, key, event)?;
            return Ok(Turn::Worked);
        }
        let Some(lease) = self.lease(key)? else { return Ok(Turn::Rests) };
        let same = match self.ask(plan, key, self.world.clock.now())?.1 {
            Decision::Close(..) => matches!(event, Event::Closed { .. }),
            Decision::Run => matches!(event, Event::NotTried { .. }),
            Decision::Refused(_) => false,
        };
        if same {
            self.record_under(&lease, key, event)?;
        }
        self.world.ledger.release_lease(&lease, self.world.clock.now())?;
        Ok(Turn::Worked)
    }

    fn record_under(&self, lease: &Lease, key: &Planned<'a>, event: Event) -> Result<()> {
        let world = self.world;
        let now = world.clock.now();
        let event = event.redacted(world.redactor);
        let mut state = TaskRun::fold(&world.ledger.events(&key.row.key)?, &key.rules);
        state.apply(now, &event, &key.rules);
        if !world.ledger.append_under(lease, &world.run, &key.row.key, now, &event, &state)? {
            return Ok(());
        }
        if state.status.is_final() {
            return tickets::close_question(world, key, now);
        }
        world.watch.tell(Progress::Rests {
            key: &key.row.key,
            name: &key.task.name,
            status: state.status,
            failure: state.failure.as_ref(),
            reason: None,
            due: state.due,
        });
        Ok(())
    }

    /// Waits; a long wait is not worth a browser.
    async fn wait(&mut self, until: Instant) -> Result<()> {
        let now = self.world.clock.now();
        if until - now > KEEP_BROWSER {
            self.close_lane().await?;
        }
        self.world.watch.tell(Progress::Waiting(until));
        self.world.clock.sleep_until(until).await;
        Ok(())
    }

    async fn close_lane(&mut self) -> Result<()> {
        match self.lane.take() {
            Some(lane) => lane.close().await,
            None => Ok(()),
        }
    }
}

/// The report's time: so long after the start of this run, or a time of day.
fn deadline(project: &Project, now: Instant) -> Instant {
    let zone = project.settings.timezone;
    let by = project.settings.report.as_ref().map_or(ReportBy::After(DEFAULT_BY), |report| report.by);
    match by {
        ReportBy::After(duration) => now + TimeDelta::from_std(duration).unwrap_or_default(),
        ReportBy::At(time) => instant(zone, now.with_timezone(&zone).date_naive(), time).max(now),
    }
}

/// `report.by` where nothing is said.
const DEFAULT_BY: std::time::Duration = std::time::Duration::from_secs(30 * 60);

/// The date whose report covers these keys: that of the latest slot that has come.
fn covered(keys: &[Planned<'_>], now: Instant) -> Option<NaiveDate> {
    keys.iter().filter(|key| key.row.window.slot <= now).map(|key| key.row.report_date).max()
}

fn answer(decision: &Decision) -> String {
    match decision {
        Decision::Run => "run".to_owned(),
        Decision::Refused(refusal) => refusal.to_string(),
        Decision::Close(status, reason) => format!("{status}: {reason}"),
    }
}
