//! One lane's turn: "run now?" for each of its keys, and what the answers say, until nothing more can be done at once.

use anyhow::Result;
use chrono::TimeDelta;

use super::ask::{Asked, ask, held_by_another};
use super::lane::OpenLane;
use super::morning::Morning;
use super::plan::Planned;
use super::{Progress, doubt, tickets};
use crate::clock::Instant;
use crate::ledger::{Holder, KeyRow, Lease, LeaseAnswer};
use crate::run::{Decision, Event, Failure, Key, Lane, Refusal, Source, TaskRun};
use crate::secrets::Redact;

/// A slot that is no further off than this is waited for.
const EARLY: TimeDelta = TimeDelta::minutes(1);
/// A requirement outside of our own tasks (a file) is looked at again after this.
const LOOK_AGAIN: TimeDelta = TimeDelta::minutes(1);

/// A lane as a run sees it.
pub(super) struct LaneState<'a> {
    /// Which.
    pub lane: Lane,
    /// Leased, with its browser.
    pub open: Option<OpenLane<'a>>,
    /// It is one of those in work, of which there are `browser.parallel` at the most.
    pub in_work: bool,
    /// It cannot go on before it is.
    pub wants_work: bool,
    /// The next time at which one of its keys may go on.
    pub wake: Option<Instant>,
    /// The site's answers showed that this clock or theirs is wrong.
    pub wrong_clock: Option<Failure>,
    /// How far the run had come when its keys were looked at last.
    pub seen: Option<u64>,
}

/// An answer to "run now?" on record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// The key.
    pub key: Key,
    /// Its task: `site/task`.
    pub task: String,
    /// The decision, in the words of the record.
    pub decision: String,
    /// It was "run".
    pub runs: bool,
}

/// What became of one key.
enum Turn {
    /// Something happened: the others are asked again.
    Worked,
    /// Nothing before this time.
    Waits(Instant),
    /// Nothing more without a person, or without another run.
    Rests,
    /// It may run as soon as its lane is one of those in work.
    WantsWork,
}

impl LaneState<'_> {
    /// A lane that was not looked at yet.
    pub fn new(lane: Lane) -> Self {
        LaneState { lane, open: None, in_work: false, wants_work: false, wake: None, wrong_clock: None, seen: None }
    }
}

impl<'a> Morning<'a> {
    /// Goes through the lane's keys, in order, until none of them can go on.
    pub(super) async fn take_turn(&self, mut lane: LaneState<'a>) -> Result<LaneState<'a>> {
        loop {
            (lane.seen, lane.wake, lane.wants_work) = (Some(self.progress.get()), None, false);
            let keys = self.due(Some(&lane.lane), self.world.clock.now())?;
            let mut worked = false;
            for key in &keys {
                // What is left then stays as it is, and the next run takes it up.
                if self.is_over() {
                    break;
                }
                match self.turn(key, &mut lane).await? {
                    Turn::Worked => {
                        worked = true;
                        self.progress.set(self.progress.get() + 1);
                    }
                    Turn::Waits(until) => lane.wake = Some(lane.wake.map_or(until, |before| before.min(until))),
                    Turn::Rests => {}
                    Turn::WantsWork => {
                        lane.wants_work = true;
                        return Ok(lane);
                    }
                }
            }
            if !worked || self.is_over() {
                return Ok(lane);
            }
        }
    }

    /// Closes a lane: it is no longer one of those in work.
    pub(super) async fn close(&self, mut lane: LaneState<'a>) -> Result<LaneState<'a>> {
        if let Some(open) = lane.open.take() {
            open.close().await?;
        }
        lane.in_work = false;
        Ok(lane)
    }

    /// Asks "run now?" for one key, and does what the answer says.
    async fn turn(&self, key: &Planned<'a>, lane: &mut LaneState<'a>) -> Result<Turn> {
        let world = self.world;
        let now = world.clock.now();
        if tickets::close_if_secret_changed(world, key, now).await?
            && let Some(open) = lane.open.take()
        {
            // It still has the old secret.
            open.close().await?;
        }
        let asked = self.ask(key, now).await?;
        let source = match asked.state.due {
            Some(_) => Source::Retry,
            None if key.rules.is_past() => Source::CatchUp,
            None => self.source,
        };
        self.record_decision(key, &asked, source, now)?;
        let decision = asked.decision;
        if decision == Decision::Run && held_by_another(world.ledger, key)?.is_some() {
            // Another runner was quicker with a task that shares the key.
            return Ok(Turn::Waits(now + LOOK_AGAIN));
        }
        match decision {
            Decision::Refused(refusal) => Ok(self.refused(&key.row.lane, refusal, now)),
            Decision::Close(status, reason) => self.record_alone(key, lane, Event::Closed { status, reason }).await,
            Decision::Run => {
                if let Some(failure) = world.clock_fault()?.or_else(|| lane.wrong_clock.clone()) {
                    return self.record_alone(key, lane, Event::NotTried { failure }).await;
                }
                if !lane.in_work {
                    return Ok(Turn::WantsWork);
                }
                self.work(key, source, lane).await
            }
        }
    }

    /// "Run now?", with what it was asked of.
    async fn ask(&self, key: &Planned<'a>, now: Instant) -> Result<Asked> {
        let (world, plan) = (self.world, self.plan(now));
        ask(world.project, world.ledger, &world.outside(), &world.holder, &plan, key, now).await
    }

    /// Puts the answer on record: the name under which it stands there.
    fn record_decision(&self, key: &Planned<'a>, asked: &Asked, source: Source, now: Instant) -> Result<Key> {
        let ledger = self.world.ledger;
        let held = asked.held_by.is_some();
        // A first slot that is not made up leaves no key, so that the next one is the first.
        let leaves_none = matches!(asked.decision, Decision::Refused(Refusal::NotDue(_) | Refusal::FirstStart));
        if !held && !asked.is_opened && !leaves_none {
            ledger.open_key(&key.row, now)?;
        }
        // The key's own decisions are those of the task that has it.
        let about = if held { key.path_key() } else { key.row.key.clone() };
        let answer = asked.decision.to_string();
        if ledger.last_decision(&about)?.as_ref() == Some(&answer) {
            self.repeated.borrow_mut().push((about.clone(), now));
        } else {
            ledger.record_decision(&about, source, &answer, now)?;
        }
        Ok(about)
    }

    /// Writes down which answers were given again.
    pub(super) fn record_repeated(&self) -> Result<()> {
        Ok(self.world.ledger.decisions_repeated(&self.repeated.take())?)
    }

    /// Asks "run now?" for each key, puts the answers on record, and does nothing. A key that is in work already, or will be
    /// at once, is in flight.
    pub async fn answers(&self, in_flight: impl Fn(&KeyRow) -> bool) -> Result<Vec<Answered>> {
        let now = self.world.clock.now();
        let mut answers = Vec::new();
        for key in self.due(None, now)? {
            let mut asked = self.ask(&key, now).await?;
            let task = key.site.task_path(key.task);
            if asked.decision == Decision::Run && in_flight(&key.row) {
                asked.decision = Decision::Refused(Refusal::InFlight(task.clone()));
            }
            let about = self.record_decision(&key, &asked, self.source, now)?;
            let runs = asked.decision == Decision::Run;
            answers.push(Answered { key: about, task, decision: asked.decision.to_string(), runs });
        }
        self.record_repeated()?;
        Ok(answers)
    }

    /// Another run is at work in this lane.
    fn leave_to(&self, lane: &Lane, holder: Option<String>) {
        self.others_at_work.borrow_mut().insert(lane.clone(), holder.unwrap_or_default());
    }

    fn refused(&self, lane: &Lane, refusal: Refusal, now: Instant) -> Turn {
        match refusal {
            // A timer may fire a little early; a slot that is far off is another run's.
            Refusal::NotDue(at) if at - now > EARLY => Turn::Rests,
            Refusal::NotDue(at) | Refusal::WaitingForEvidence(at) | Refusal::Waiting(at) | Refusal::CoolingDown(at) => {
                Turn::Waits(at)
            }
            Refusal::NotReady(_) => Turn::Waits(now + LOOK_AGAIN),
            // It comes to its end soon, and the lane can go on.
            Refusal::Locked(holder) if Holder::is_sign_in(&holder) => Turn::Waits(now + LOOK_AGAIN),
            Refusal::Locked(holder) => {
                self.leave_to(lane, Some(holder));
                Turn::Rests
            }
            // Whatever becomes of it, this one is looked at again then.
            Refusal::InFlight(_) => Turn::Rests,
            Refusal::WindowClosed | Refusal::FirstStart | Refusal::AlreadyDone | Refusal::DoneBy(_) => Turn::Rests,
            Refusal::Closed(_) | Refusal::ClosedBy(..) | Refusal::Ticket(_) => Turn::Rests,
        }
    }

    /// Works on a key in its lane, which is opened first when it is not open.
    async fn work(&self, key: &Planned<'a>, source: Source, lane: &mut LaneState<'a>) -> Result<Turn> {
        let world = self.world;
        let mut open = match lane.open.take() {
            Some(open) => open,
            None => {
                let Some(lease) = self.lease(key)? else { return Ok(Turn::Rests) };
                // Another runner may have been at the key between the answer and the lease.
                if self.ask(key, world.clock.now()).await?.decision != Decision::Run {
                    world.ledger.release_lease(&lease, world.clock.now())?;
                    return Ok(Turn::Worked);
                }
                match OpenLane::new(world, key, lease.clone(), self.limit).await {
                    Ok(open) => open,
                    Err(failure) => {
                        self.record_under(&lease, key, Event::NotTried { failure })?;
                        world.ledger.release_lease(&lease, world.clock.now())?;
                        return Ok(Turn::Worked);
                    }
                }
            }
        };
        doubt::take_in(world, key, &open.lease)?;
        let worked = open.work(key, source).await;
        lane.wrong_clock = open.wrong_clock.clone().or(lane.wrong_clock.take());
        if open.lost {
            return self.lose(open).await;
        }
        lane.open = Some(open);
        worked.map(|_| Turn::Worked)
    }

    /// Another run has taken the lane over: this one has no business in it any more.
    async fn lose(&self, mut open: OpenLane<'a>) -> Result<Turn> {
        let world = self.world;
        open.end_browser().await;
        let holder = world.ledger.lease_holder(&open.lane, &world.holder, world.clock.now())?;
        self.leave_to(&open.lane, holder.map(|holder| holder.to_string()));
        Ok(Turn::Rests)
    }

    /// The lease of a key's lane; none when another run has it.
    fn lease(&self, key: &Planned<'a>) -> Result<Option<Lease>> {
        let world = self.world;
        match world.ledger.take_lease(&key.row.lane, &world.holder, world.clock.now())? {
            LeaseAnswer::Taken(lease) => Ok(Some(lease)),
            LeaseAnswer::Held(holder) => {
                self.leave_to(&key.row.lane, Some(holder.to_string()));
                Ok(None)
            }
        }
    }

    /// An event beside the loop of a key: it was closed by its time, or could not be tried. It is written under the lane's
    /// lease too, because another run may be at the key by now.
    async fn record_alone(&self, key: &Planned<'a>, lane: &mut LaneState<'a>, event: Event) -> Result<Turn> {
        if let Some(open) = lane.open.take() {
            if !self.record_under(&open.lease, key, event)? {
                return self.lose(open).await;
            }
            lane.open = Some(open);
            return Ok(Turn::Worked);
        }
        let Some(lease) = self.lease(key)? else { return Ok(Turn::Rests) };
        let same = match self.ask(key, self.world.clock.now()).await?.decision {
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

    /// False, and nothing, when the lease is no longer ours.
    fn record_under(&self, lease: &Lease, key: &Planned<'a>, event: Event) -> Result<bool> {
        let world = self.world;
        let now = world.clock.now();
        let event = event.redacted(world.redactor);
        let mut state = TaskRun::fold(&world.ledger.events(&key.row.key)?, &key.rules);
        state.apply(now, &event, &key.rules);
        if !world.ledger.append_under(lease, &world.run, &key.row.key, now, &event, &state)? {
            return Ok(false);
        }
        if state.status.is_final() {
            tickets::task_is_final(world, key, state.status.is_done(), now)?;
        }
        world.watch.tell(Progress::Rests {
            key: &key.row.key,
            task: key.task,
            name: &key.name(),
            status: state.status,
            failure: state.failure.as_ref(),
            reason: state.reason.as_deref(),
            due: state.due,
        });
        Ok(true)
    }
}
