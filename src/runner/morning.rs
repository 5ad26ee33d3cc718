//! One run: all keys that are due, until each is final or waits beyond the report's time. Its lanes work side by side, as
//! many as `browser.parallel` allows; a lane that only waits gives its place to one that can work.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::path::PathBuf;
use std::pin::pin;
use std::task::Poll;

use anyhow::{Error, Result};
use chrono::{NaiveDate, TimeDelta};
use tracing::Instrument;

use super::crew::Crew;
use super::plan::{Plan, Planned};
use super::requirements::Outside;
use super::turn::LaneState;
use super::{Control, CredentialsFrom, Launcher, Progress, Watch};
use crate::clock::{AtWork, Clock, Instant};
use crate::files::model::{Project, ReportBy};
use crate::ledger::{Holder, Ledger};
use crate::run::{Key, Lane, Source};
use crate::secrets::Redactor;
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
    /// How the run is told to look again, or to stop.
    pub control: &'a Control,
    /// Where pictures of failures are written.
    pub pictures: PathBuf,
    /// This process.
    pub holder: Holder,
    /// The id of the run.
    pub run: String,
}

impl World<'_> {
    /// How servers and programs are asked that a task requires: a rehearsal asks none.
    pub(super) fn outside(&self) -> Outside {
        let rehearses = self.credentials.fixtures.is_some();
        Outside((!rehearses).then(|| self.credentials.resolver.programs()))
    }
}

/// One run.
pub struct Morning<'a> {
    pub(super) world: &'a World<'a>,
    pub(super) source: Source,
    pub(super) only: Vec<String>,
    deadline: Instant,
    pub(super) limit: Instant,
    pub(super) plan: RefCell<Plan<'a>>,
    /// What it makes up of past periods.
    pub(super) backlog: OnceCell<Vec<Planned<'a>>>,
    /// Answers that were given again: that they were is written down at the end, all at once.
    pub(super) repeated: RefCell<Vec<(Key, Instant)>>,
    /// Rises whenever something happened to a key: what waits for it is looked at again.
    pub(super) progress: Cell<u64>,
    /// Lanes in which another run is at work, and which that is.
    pub(super) others_at_work: RefCell<BTreeMap<Lane, String>>,
}

/// What a run did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The date of the report that covers it; none when nothing was due.
    pub report_date: Option<NaiveDate>,
    /// True when at least one key was worked on or closed.
    pub worked: bool,
    /// Another run holds a lane: that one reports.
    pub others_at_work: BTreeMap<Lane, String>,
}

/// The lanes of a run.
struct Lanes<'m, 'a> {
    at_work: Crew<'m, LaneState<'a>>,
    /// Whoever has rested longest stands first.
    resting: Vec<LaneState<'a>>,
    /// Those that have a browser or may start one: `browser.parallel` at the most.
    in_work: Vec<Lane>,
    /// Those of them that are being closed.
    closing: Vec<Lane>,
    /// A fault of ours ended their work: they are left alone for the rest of the run.
    ended: Vec<Lane>,
    /// How many want to be in work, and have no place yet.
    wanting: usize,
    /// Nothing is begun any more.
    stopped: bool,
    /// The first fault of ours.
    fault: Option<Error>,
}

/// A wait longer than this ends the browser first.
const KEEP_BROWSER: TimeDelta = TimeDelta::minutes(3);

impl<'a> Morning<'a> {
    /// A run over all tasks, or over those named (`site/task`, `task` or `site`).
    pub fn new(world: &'a World<'a>, only: Vec<String>) -> Self {
        let source = if only.is_empty() { Source::Schedule } else { Source::Hand };
        let now = world.clock.now();
        let limit = now + TimeDelta::from_std(world.project.settings.run_limit).unwrap_or_default();
        let deadline = deadline(world.project, now).min(limit);
        let (plan, progress, others_at_work) = (RefCell::default(), Cell::new(0), RefCell::default());
        let (backlog, repeated) = (OnceCell::new(), RefCell::default());
        Morning { world, source, only, deadline, limit, plan, backlog, repeated, progress, others_at_work }
    }

    /// The same, on another's word.
    pub fn by(self, source: Source) -> Self {
        Morning { source, ..self }
    }

    /// Works until every due key is final or waits beyond the report's time. A fault of ours in one lane stops that lane
    /// alone, and is told when all others are done.
    pub async fn run(self) -> Result<Outcome> {
        let mut lanes = Lanes::none();
        let mut report_date = None;
        let mut looked_back = None;
        loop {
            let now = self.world.clock.now();
            // The machine may sleep for days in the middle of a run, too.
            let today = now.with_timezone(&self.world.project.settings.timezone).date_naive();
            if looked_back.replace(today) != Some(today)
                && let Err(fault) = self.record_missed(now)
            {
                lanes.keep(fault);
            }
            let spoken = self.world.control.spoken();
            lanes.stopped |= self.is_over();
            match self.due(None, now) {
                _ if lanes.stopped => {}
                Ok(keys) => {
                    report_date = report_date.max(covered(&keys, now));
                    lanes.meet(&keys);
                }
                Err(fault) => lanes.stop(fault),
            }
            let wake = self.put_to_work(&mut lanes, now);
            match wake {
                None if lanes.at_work.is_empty() => break,
                Some(until) if lanes.at_work.is_empty() => self.world.watch.tell(Progress::Waiting(until)),
                _ => {}
            }
            self.next(&mut lanes, wake, spoken).await;
        }
        if self.has_lasted()
            && let Err(fault) = self.record_left_over(self.world.clock.now())
        {
            lanes.keep(fault);
        }
        if let Err(fault) = self.record_repeated() {
            lanes.keep(fault);
        }
        match lanes.fault {
            Some(fault) => Err(fault),
            None => {
                let (worked, others_at_work) = (self.progress.get() > 0, self.others_at_work.take());
                Ok(Outcome { report_date, worked, others_at_work })
            }
        }
    }

    /// Starts every resting lane that can go on, and closes those that shall not stay open. When the first of the others
    /// wakes, if that is still before the report's time.
    fn put_to_work<'m>(&'m self, lanes: &mut Lanes<'m, 'a>, now: Instant) -> Option<Instant> {
        let parallel = self.world.project.settings.browser.parallel;
        let mut first: Option<Instant> = None;
        lanes.wanting = lanes.resting.iter().filter(|lane| lane.wants_work).count();
        for mut lane in std::mem::take(&mut lanes.resting) {
            let wake = lane.wake.filter(|until| *until <= self.deadline && !lanes.stopped);
            let waits_long = wake.is_none_or(|until| until - now > KEEP_BROWSER);
            if lane.wants_work && lanes.in_work.len() < parallel && !lanes.stopped {
                lane.in_work = true;
                lanes.wanting -= 1;
                lanes.in_work.push(lane.lane.clone());
                self.start(lanes, lane, false);
            } else if lane.in_work && (waits_long || lanes.are_waiting()) {
                lanes.closing.push(lane.lane.clone());
                self.start(lanes, lane, true);
            } else if !lanes.stopped && !lane.wants_work && self.may_go_on(&lane, wake, now) {
                self.start(lanes, lane, false);
            } else {
                // One that waits for its place is woken by whoever leaves it.
                first = first.into_iter().chain(wake.filter(|_| !lane.wants_work)).min();
                lanes.resting.push(lane);
            }
        }
        first
    }

    fn may_go_on(&self, lane: &LaneState<'a>, wake: Option<Instant>, now: Instant) -> bool {
        lane.seen.is_none_or(|seen| seen < self.progress.get()) || wake.is_some_and(|until| until <= now)
    }

    /// A lane goes through its keys, or closes. It is at work by the clock from now on, not from its first step.
    fn start<'m>(&'m self, lanes: &mut Lanes<'m, 'a>, lane: LaneState<'a>, closes: bool) {
        let at_work = AtWork::by(self.world.clock);
        // Each line of the log says which lane it is about.
        let span = tracing::error_span!("lane", name = %lane.lane);
        let name = lane.lane.clone();
        let work = async move {
            let _at_work = at_work;
            if closes { self.close(lane).await } else { self.take_turn(lane).await }
        };
        lanes.at_work.start(name, work.instrument(span));
    }

    /// Waits until a lane is done, until something happened that another may wait for, or until a resting one wakes; or
    /// until the run is told to look again, or to stop.
    async fn next<'m>(&'m self, lanes: &mut Lanes<'m, 'a>, wake: Option<Instant>, spoken: impl Future<Output = ()>) {
        let before = self.progress.get();
        let mut wake = pin!(self.sleep_until(wake));
        let mut spoken = pin!(spoken);
        let done = poll_fn(|context| {
            let awake = wake.as_mut().poll(context).is_ready();
            let done = lanes.at_work.poll(context);
            if spoken.as_mut().poll(context).is_ready() {
                self.progress.set(self.progress.get() + 1);
            }
            let goes_on = awake || !done.is_empty() || self.progress.get() > before;
            if goes_on { Poll::Ready(done) } else { Poll::Pending }
        });
        for (lane, came) in done.await {
            match came {
                Ok(state) => lanes.rests(state),
                Err(fault) => lanes.came_to_grief(lane, fault),
            }
        }
    }

    async fn sleep_until(&self, wake: Option<Instant>) {
        let Some(until) = wake else { return std::future::pending().await };
        let _at_work = AtWork::by(self.world.clock);
        self.world.clock.sleep_until(until).await;
    }

    /// True once nothing more is begun: the run was told to stop, or has lasted as long as it may.
    pub(super) fn is_over(&self) -> bool {
        self.world.control.is_stopped() || self.has_lasted()
    }

    fn has_lasted(&self) -> bool {
        self.world.clock.now() >= self.limit
    }
}

impl<'a> Lanes<'_, 'a> {
    fn none() -> Self {
        Lanes {
            at_work: Crew::new(),
            resting: Vec::new(),
            in_work: Vec::new(),
            closing: Vec::new(),
            ended: Vec::new(),
            wanting: 0,
            stopped: false,
            fault: None,
        }
    }

    /// Takes in the lanes of these keys that are not known yet.
    fn meet(&mut self, keys: &[Planned<'a>]) {
        for lane in keys.iter().map(|key| &key.row.lane) {
            let resting = self.resting.iter().any(|state| state.lane == *lane);
            if !resting && !self.at_work.has(lane) && !self.ended.contains(lane) {
                self.resting.push(LaneState::new(lane.clone()));
            }
        }
    }

    /// True when more lanes want to be in work than will soon have a place.
    fn are_waiting(&self) -> bool {
        self.wanting > self.closing.len()
    }

    /// A lane's turn is over. One that was not opened after all, or that was lost, leaves its place to others.
    fn rests(&mut self, mut lane: LaneState<'a>) {
        lane.in_work = lane.open.is_some();
        if !lane.in_work {
            self.leaves_work(&lane.lane);
        }
        self.resting.push(lane);
    }

    fn leaves_work(&mut self, lane: &Lane) {
        self.in_work.retain(|other| other != lane);
        self.closing.retain(|other| other != lane);
    }

    /// A fault of ours in one lane: the others go on.
    fn came_to_grief(&mut self, lane: Lane, fault: Error) {
        self.leaves_work(&lane);
        let fault = fault.context(format!("the lane {lane} came to grief"));
        self.ended.push(lane);
        self.keep(fault);
    }

    /// A fault of ours that concerns them all: those at work come to their end.
    fn stop(&mut self, fault: Error) {
        self.stopped = true;
        self.keep(fault);
    }

    /// The first one is told at the end of the run; more of them are logged.
    fn keep(&mut self, fault: Error) {
        match self.fault {
            None => self.fault = Some(fault),
            Some(_) => tracing::error!("{fault:#}"),
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
