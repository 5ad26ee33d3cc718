//! One lane at work: its lease, its browser, its sign-in, and the loop of a key.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Result;

use super::morning::World;
use super::plan::Planned;
use super::progress::Progress;
use super::scope::scope;
use super::stop::Stop;
use super::{Credentials, clock_fault, doubt, perform, requirements, tickets};
use crate::browser::RealBrowser;
use crate::browser::visit::{Pictures, Prepared, Visit};
use crate::clock::Instant;
use crate::files::condition::Scope;
use crate::files::model::{Account, Site};
use crate::ledger::{IntentAnswer, Lease};
use crate::run::{
    Event, Failure, FailureKind, Lane, Next, Phase, Policy, Session, SessionEvent, Source, Standing, Status, TaskRun,
};
use crate::secrets::Redact;
use crate::timing::Period;
use crate::values::Value;

/// A lane that is open: leased, with a browser as soon as one is needed.
pub struct OpenLane<'a> {
    pub(super) world: &'a World<'a>,
    pub(super) site: &'a Site,
    pub(super) account: &'a Account,
    pub(super) lane: Lane,
    pub(super) lease: Lease,
    pub(super) credentials: Credentials,
    pub(super) browser: Option<RealBrowser>,
    /// That browser was given what died with the last one.
    pub(super) given_back: bool,
    pub(super) session: Session,
    /// The act that stands ready before its commit step.
    pub(super) prepared: Option<Prepared>,
    /// What `check` read, for the act.
    pub(super) checked: BTreeMap<String, Value>,
    /// The run has lasted as long as it may from here on: nothing more is begun.
    pub(super) ends_at: Instant,
    /// Another runner took the lane over: nothing more is done in it.
    pub(super) lost: bool,
    /// The site's answers showed that this clock or theirs is wrong: nothing more is done in this run.
    pub(super) wrong_clock: Option<Failure>,
    /// A period in which something was read or done, so that its points are worth a read.
    pub(super) touched: Option<Period>,
}

/// What a run has begun before its limit has so much longer.
const LAST_STEP: Duration = Duration::from_secs(15);

impl<'a> OpenLane<'a> {
    /// Opens a lane under a lease that was taken.
    pub async fn new(
        world: &'a World<'a>,
        planned: &Planned<'a>,
        lease: Lease,
        ends_at: Instant,
    ) -> Result<Self, Failure> {
        let lane = planned.row.lane.clone();
        let account = requirements::account(planned.site, &lane.account).ok_or_else(|| {
            Failure::new(FailureKind::Environment, format!("the account {lane} is gone from the files"))
        })?;
        let credentials = world.credentials.of(planned.site, account).await?;
        Ok(OpenLane {
            world,
            site: planned.site,
            account,
            lane,
            lease,
            credentials,
            browser: None,
            given_back: false,
            session: Session::default(),
            prepared: None,
            checked: BTreeMap::new(),
            ends_at,
            lost: false,
            wrong_clock: None,
            touched: None,
        })
    }

    /// Works on a key until it rests: final, or nothing to do before some time.
    pub async fn work(&mut self, planned: &Planned<'a>, source: Source) -> Result<TaskRun> {
        let world = self.world;
        let key = &planned.row.key;
        let name = planned.name();
        world.watch.tell(Progress::Started { key, task: planned.task, name: &name });
        self.checked.clear();
        let mut state = TaskRun::fold(&world.ledger.events(key)?, &planned.rules);
        if state.was_interrupted() {
            self.record(planned, &mut state, Event::Interrupted)?;
        }
        // An interruption may have spent the attempt: then its wait comes first.
        let attempt = match state.may_begin(world.clock.now()) {
            false => None,
            true => {
                self.record(planned, &mut state, Event::Started { source })?;
                Some((world.ledger.attempt_started(key, &world.run, source, world.clock.now())?, world.clock.uptime()))
            }
        };
        while !self.lost {
            let Some(event) = self.step(planned, &state).await? else { break };
            self.record(planned, &mut state, event)?;
        }
        if let Some((attempt, began)) = attempt {
            let took = world.clock.uptime().saturating_sub(began);
            world.ledger.attempt_finished(attempt, &state, took, world.clock.now())?;
        }
        world.watch.tell(Progress::Rests {
            key,
            task: planned.task,
            name: &name,
            status: state.status,
            failure: state.failure.as_ref(),
            reason: state.reason.as_deref(),
            due: state.due,
        });
        Ok(state)
    }

    /// One turn of the loop: what to do, done. None when the key rests.
    async fn step(&mut self, planned: &Planned<'a>, state: &TaskRun) -> Result<Option<Event>> {
        let next = state.next(self.world.clock.now(), &planned.rules);
        let wrong_clock = self.world.clock_fault()?.or_else(|| self.wrong_clock.clone());
        let before_act = match &next {
            Next::Done | Next::Wait(_) => return Ok(None),
            Next::Close(status, reason) => return Ok(Some(Event::Closed { status: *status, reason: reason.clone() })),
            Next::Release(reason) => return Ok(Some(Event::Released { reason: reason.clone() })),
            Next::Later(reason) if wrong_clock.is_none() => {
                return Ok(Some(Event::Halted { later: true, reason: reason.clone() }));
            }
            Next::Later(_) | Next::Read(_) | Next::Commit | Next::Ask | Next::AskInDoubt => false,
            Next::Prepare => true,
            Next::Intend { .. } => self.prepared.is_none(),
        };
        let committing = next == Next::Commit;
        match self.stop(planned)? {
            // Nothing was dispatched yet: the intent is freed. That the day is over says more than that the run is.
            Some(stop) if committing => {
                let failure = self.too_late(planned)?.map_or_else(|| stop.failure(self), Ok)?;
                return Ok(Some(Event::NotSent { failure }));
            }
            Some(Stop::LeaseLost) => return Ok(None),
            Some(Stop::Told) => return Ok((state.status == Status::Running).then_some(Event::Interrupted)),
            // What was sent is read once, then it waits under the ticket.
            Some(Stop::Suspended(_)) if state.phase == Phase::Acted && state.verifies == 0 => {
                return self.perform(planned, next).await.map(Some);
            }
            Some(stop) => return Ok(not_tried(state, stop.failure(self)?)),
            None => {}
        }
        // The last look before the commit step is a stricter one.
        if !committing && let Some(failure) = wrong_clock {
            return Ok(not_tried(state, failure));
        }
        match next {
            Next::Ask => return tickets::ask(self, planned).map(Some),
            Next::AskInDoubt => return doubt::ask(self, planned, state).map(Some),
            _ => {}
        }
        if !committing && let Some(event) = self.signed_in(planned, before_act).await? {
            return Ok(Some(self.unless_stopped(event)));
        }
        self.touched = Some(planned.row.period);
        let event = self.perform(planned, next).await?;
        Ok(Some(self.unless_stopped(event)))
    }

    /// What failed because the run was told to stop did not fail: whoever is told writes down himself that it was interrupted.
    fn unless_stopped(&self, event: Event) -> Event {
        match event {
            Event::ReadFailed { .. } | Event::PrepareFailed { .. } if self.world.control.is_stopped() => {
                Event::Interrupted
            }
            event => event,
        }
    }

    /// How long the next effect may take: the attempt's limit, and not much longer than the run itself.
    pub(super) fn limit(&self, attempt: Duration) -> Duration {
        let left = (self.ends_at - self.world.clock.now()).to_std().unwrap_or_default();
        attempt.min(left + LAST_STEP)
    }

    /// The site's day now, which may be another than that of the key at work.
    pub(super) fn site_day(&self) -> chrono::NaiveDate {
        self.site.calendar.day(self.world.clock.now())
    }

    /// Sign-ins of today that the ledger may have lost.
    pub(super) fn lost_submissions(&self) -> Result<u32> {
        let losses = self.world.ledger.losses()?;
        Ok(doubt::lost_submissions(&losses, &self.site.calendar, self.site_day()))
    }

    /// What the ledger says of the lane, for the sign-in.
    pub(super) fn standing(&self) -> Result<Standing> {
        let known = self.world.ledger.submissions(&self.lane, self.site_day())?;
        Ok(Standing { submissions: known + self.lost_submissions()? })
    }

    /// Writes an event down, then takes it in; what follows from a failure for the lane is written before it.
    fn record(&mut self, planned: &Planned<'a>, state: &mut TaskRun, event: Event) -> Result<()> {
        let world = self.world;
        let at = world.clock.now();
        let event = event.redacted(world.redactor);
        if let Some(failure) = event.failure() {
            self.take_in(Some(&planned.task.id), failure, at)?;
        }
        let mut after = state.clone();
        after.apply(at, &event, &planned.rules);
        let key = &planned.row.key;
        match &event {
            Event::Intended { .. } => match world.ledger.intend(&world.run, key, &self.lease, at, &event, &after)? {
                IntentAnswer::Written => {}
                answer => {
                    let failure = perform::refused_intent(&answer);
                    return self.record(planned, state, Event::PrepareFailed { failure });
                }
            },
            Event::Committed { .. } | Event::NotSent { .. } | Event::Released { .. } => {
                self.lost |= !world.ledger.settle_intent(&world.run, key, &self.lease, at, &event, &after)?;
            }
            _ => self.lost |= !world.ledger.append_under(&self.lease, &world.run, key, at, &event, &after)?,
        }
        if self.lost {
            // Somebody else's lines are the key's story now.
            return Ok(());
        }
        tracing::info!(key = key.as_str(), event = event.word(), status = after.status.word(), "recorded");
        *state = after;
        if state.status.is_final() {
            tickets::task_is_final(world, planned, state.status.is_done(), at)?;
        }
        Ok(())
    }

    /// What a failure means for the lane: a ticket, a wait of the site, a session or a browser that is gone.
    pub(super) fn take_in(&mut self, task: Option<&str>, failure: &Failure, at: Instant) -> Result<()> {
        let policy = failure.kind.policy();
        if failure.kind.needs_person() && failure.rule.as_deref() != Some(tickets::STANDING) {
            tickets::open(self, task, failure, at)?;
        }
        if policy == Policy::SiteWaits {
            self.world.ledger.site_waits(&self.lane.site, failure.site_waits_until(at), failure)?;
        }
        self.wrong_clock = clock_fault::of_site(failure).or(self.wrong_clock.take());
        self.prepared = None;
        self.session.apply(&SessionEvent::Lost { expired: policy == Policy::SignIn });
        Ok(())
    }

    /// The browser of the lane, started when it is not running.
    pub(super) async fn browser(&mut self) -> Result<&mut RealBrowser, Failure> {
        use crate::browser::Browser;
        if let Some(dead) = self.browser.take_if(|browser| browser.is_dead()) {
            dead.close().await;
            self.session = Session::default();
        }
        if self.browser.is_none() {
            self.given_back = false;
            self.world.watch.tell(Progress::Browser { lane: &self.lane.to_string() });
            let (world, no_limit) = (self.world, Duration::MAX);
            let start = world.launcher.start(self.site, &self.lane);
            let started = world.control.in_time(no_limit, start).await;
            self.browser = Some(started.map_err(|cut| cut.failure(no_limit))??);
        }
        self.browser.as_mut().ok_or_else(|| Failure::new(FailureKind::Environment, "the browser did not start"))
    }

    /// A visit of this lane's browser to its site.
    pub(super) async fn visit(&mut self, period: Period) -> Result<Visit<'_>, Failure> {
        let (world, site) = (self.world, self.site);
        let browser = self.browser().await?;
        Ok(Visit {
            browser,
            clock: world.clock,
            site,
            root: &world.project.root,
            period,
            zone: world.project.settings.timezone,
            pictures: Some(Pictures { folder: &world.pictures, redactor: world.redactor }),
        })
    }

    /// The names that this key's conditions and templates may use.
    pub(super) fn scope(&self, planned: &Planned<'_>) -> Scope {
        scope(&planned.row.period, self.account, &self.credentials, Some(planned.task))
    }

    /// Ends the browser, within seconds.
    pub async fn end_browser(&mut self) {
        self.session = Session::default();
        self.prepared = None;
        if let Some(browser) = self.browser.take() {
            browser.close().await;
        }
    }

    /// Closes the lane: points are read back, the browser ends, the lease is given back.
    pub async fn close(mut self) -> Result<()> {
        if let Some(period) = self.touched {
            if !self.lost && !self.world.control.is_stopped() {
                self.read_points(period).await?;
            }
            if self.may_load()? && self.session.is_signed_in() {
                self.keep_session(period).await?;
            }
        }
        self.end_browser().await;
        Ok(self.world.ledger.release_lease(&self.lease, self.world.clock.now())?)
    }
}

/// Something came first, for a key that is at work or about to be; one that rests goes on resting.
fn not_tried(state: &TaskRun, failure: Failure) -> Option<Event> {
    (state.due.is_some() || state.status == Status::Running).then_some(Event::NotTried { failure })
}

/// Nothing more is begun in this run; the next one takes it up.
pub(super) fn run_over() -> Failure {
    Failure::new(FailureKind::Timeout, "the run's time (`limits.run`) was over; the next run goes on")
}

/// The limit of one attempt: what the task says, and its pauses, which do not count.
pub(super) fn attempt_limit(planned: &Planned<'_>) -> Duration {
    use crate::files::model::{Act, Verb};
    let Act::Steps(steps) = &planned.task.act else { return planned.task.timeout };
    let pauses = steps.iter().map(|step| match step.verb {
        Verb::Pause(duration) => duration,
        Verb::PauseUntil(_) => Duration::from_secs(24 * 3_600),
        _ => Duration::ZERO,
    });
    planned.task.timeout + pauses.sum::<Duration>()
}
