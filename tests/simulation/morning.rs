//! A run, as `runner/morning.rs` leads it: which keys are due, the decision for each, the report at the end.

use std::rc::Rc;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use sunup::ledger::{Holder, Lease, LeaseAnswer};
use sunup::run::{
    Before, Decision, Event, Facts, Failure, FailureKind, Key, Refusal, RequirementState, Source, Status, TaskRun,
};
use sunup::run::{Session, decide};

use crate::bugs::Bug;
use crate::lane::OpenLane;
use crate::stage::Seat;
use crate::task::{Planned, ZONE};
use crate::world::World;

const KEEP_BROWSER: TimeDelta = TimeDelta::minutes(3);
const BEHIND: TimeDelta = TimeDelta::minutes(2);
const EARLY: TimeDelta = TimeDelta::minutes(1);
const LOOK_AGAIN: TimeDelta = TimeDelta::minutes(1);
/// `report.by` and `run_limit`.
const REPORT_BY: TimeDelta = TimeDelta::minutes(30);
const RUN_LIMIT: TimeDelta = TimeDelta::hours(2);

/// One process.
pub struct Morning<'w> {
    pub world: &'w World,
    pub seat: Rc<Seat>,
    pub holder: Holder,
    pub run: String,
    lane: Option<OpenLane>,
    closed: Vec<Key>,
    worked: bool,
    others_at_work: bool,
}

enum Turn {
    Worked,
    Waits(DateTime<Utc>),
    Rests,
}

/// `sunup run`.
pub async fn run(world: &World, seat: Rc<Seat>, holder: Holder, run: String) {
    let morning =
        Morning { world, seat, holder, run, lane: None, closed: vec![], worked: false, others_at_work: false };
    morning.run().await;
}

impl<'w> Morning<'w> {
    async fn run(mut self) {
        let world = self.world;
        let began = world.now();
        let (deadline, limit) = (began + REPORT_BY, began + RUN_LIMIT);
        let mut report_date = None;
        loop {
            world.line().await;
            let now = world.now();
            let planned = world.plan(now.with_timezone(&ZONE).date_naive());
            let keys = self.due(&planned);
            report_date = report_date.max(covered(&keys, now));
            let mut worked = false;
            let mut wake: Option<DateTime<Utc>> = None;
            for key in &keys {
                if self.closed.contains(&key.row.key) && !world.has(Bug::ClosedKeyReopened) {
                    continue;
                }
                if world.now() >= limit {
                    break;
                }
                match self.turn(&planned, key).await {
                    Turn::Worked => worked = true,
                    Turn::Waits(until) => wake = Some(wake.map_or(until, |before| before.min(until))),
                    Turn::Rests => {}
                }
            }
            self.worked |= worked;
            if worked && world.now() < limit {
                continue;
            }
            match wake {
                Some(until) if until <= deadline => self.wait(until).await,
                _ => break,
            }
        }
        self.close_lane().await;
        self.report(report_date).await;
    }

    /// The end of `cli/run.rs`.
    async fn report(&self, date: Option<NaiveDate>) {
        let world = self.world;
        world.line().await;
        let wanted = !world.has(Bug::NoReportOfAnIdleMorning) || self.worked;
        if let Some(date) = date.filter(|_| !self.others_at_work && wanted) {
            world.keep_report(date);
        }
        world.line().await;
        world.deliver(&self.seat).await;
        world.tell(|| format!("{} ends", self.run));
    }

    fn due(&self, planned: &[Planned]) -> Vec<Planned> {
        let mut keys: Vec<Planned> = Vec::new();
        let mut planned = planned.to_vec();
        for line in self.world.ledger.open_keys().unwrap() {
            if let Some(today) = planned.iter_mut().find(|today| today.row.key == line.row.key) {
                today.row.period = line.row.period;
                continue;
            }
            keys.push(self.world.task(&line.row.lane, &line.row.task).again(line.row.clone()));
        }
        keys.extend(planned);
        keys.sort_by(|one, other| one.row.lane.cmp(&other.row.lane));
        keys
    }

    async fn turn(&mut self, plan: &[Planned], key: &Planned) -> Turn {
        let world = self.world;
        world.line().await;
        let now = world.now();
        let (state, decision) = self.ask(plan, key, now);
        world.tell(|| format!("{} {} {decision:?}", self.run, key.row.key));
        if !matches!(decision, Decision::Refused(Refusal::NotDue(_))) {
            world.ledger.open_key(&key.row, now).unwrap();
        }
        world.line().await;
        let source = if state.due.is_some() { Source::Retry } else { Source::Schedule };
        world.ledger.record_decision(&key.row.key, source, &answer(&decision), now).unwrap();
        world.line().await;
        if let Decision::Refused(Refusal::AlreadyDone | Refusal::Closed(_)) = decision {
            self.closed.push(key.row.key.clone());
        }
        match decision {
            Decision::Refused(refusal) => self.refused(refusal, now),
            Decision::Close(status, reason) => self.record_alone(plan, key, Event::Closed { status, reason }).await,
            Decision::Run => match self.clock_fault() {
                Some(failure) => self.record_alone(plan, key, Event::NotTried { failure }).await,
                None => self.work(plan, key, source).await,
            },
        }
    }

    /// "Run now?", with what it was asked of.
    fn ask(&self, plan: &[Planned], key: &Planned, now: DateTime<Utc>) -> (TaskRun, Decision) {
        let ledger = &self.world.ledger;
        let state = match ledger.key(&key.row.key).unwrap() {
            Some(line) if line.status.is_final() => TaskRun::over_as(line.status, line.reason),
            _ => TaskRun::fold(&ledger.events(&key.row.key).unwrap(), &key.rules),
        };
        let state = self.seen(state);
        let decision = self.decision(plan, key, &state, now);
        if decision == Decision::Run {
            self.world.judge_decision(plan, key, &state, now);
        }
        (state, decision)
    }

    /// The state as a runner with a planted bug sees it.
    fn seen(&self, mut state: TaskRun) -> TaskRun {
        if self.world.has(Bug::ClosedKeyReopened) && state.status == Status::Dead {
            return TaskRun::default();
        }
        if self.world.has(Bug::DueTimeIgnored) {
            state.due = None;
        }
        state
    }

    fn decision(&self, plan: &[Planned], key: &Planned, state: &TaskRun, now: DateTime<Utc>) -> Decision {
        let world = self.world;
        let (ledger, lane) = (&world.ledger, &key.row.lane);
        let requirements = match key.task.requires {
            Some(wanted) => vec![(wanted.to_owned(), self.requirement(plan, key, wanted))],
            None => vec![],
        };
        let locked_by = ledger.lease_holder(lane, &self.holder, now).unwrap().map(|holder| holder.to_string());
        let suspended_by = ledger.suspended_by(lane).unwrap();
        let cooling_until = ledger.site_wait(&lane.site, now).unwrap().map(|wait| wait.until);
        decide(&Facts {
            now: if world.has(Bug::WindowIgnored) { now.max(key.rules.window.slot) } else { now },
            rules: &key.rules,
            state,
            held_by: None,
            skip: None,
            before: Before::default(),
            requirements: &requirements,
            suspended_by: suspended_by.filter(|_| !world.has(Bug::SuspensionIgnored)),
            cooling_until: cooling_until.filter(|_| !world.has(Bug::SiteWaitIgnored)),
            locked_by: locked_by.as_deref().filter(|_| !world.has(Bug::LeaseShared)),
        })
    }

    /// As in `runner/requirements.rs`.
    fn requirement(&self, plan: &[Planned], key: &Planned, wanted: &str) -> RequirementState {
        if self.world.has(Bug::RequirementIgnored) {
            return RequirementState::Met;
        }
        let other = plan.iter().find(|other| other.row.task == wanted && other.row.lane == key.row.lane);
        let Some(other) = other else { return RequirementState::NotReady("it does not run today".to_owned()) };
        match self.world.ledger.key(&other.row.key).unwrap().map_or(Status::Pending, |line| line.status) {
            status if status.is_done() => RequirementState::Met,
            status @ (Status::Blocked | Status::Dead | Status::Skipped) => {
                RequirementState::Ended(format!("{wanted} is {status}"))
            }
            status => RequirementState::NotReady(status.to_string()),
        }
    }

    fn clock_fault(&self) -> Option<Failure> {
        let now = self.world.now();
        self.world.ledger.high_water().unwrap().filter(|last| *last - now > BEHIND)?;
        Some(Failure::new(FailureKind::Environment, "this machine's clock is wrong"))
    }

    fn refused(&mut self, refusal: Refusal, now: DateTime<Utc>) -> Turn {
        match refusal {
            Refusal::NotDue(at) if at - now > EARLY => Turn::Rests,
            Refusal::NotDue(at) | Refusal::WaitingForEvidence(at) | Refusal::Waiting(at) | Refusal::CoolingDown(at) => {
                Turn::Waits(at)
            }
            Refusal::NotReady(_) => Turn::Waits(now + LOOK_AGAIN),
            Refusal::Locked(_) => {
                self.others_at_work = true;
                Turn::Rests
            }
            Refusal::WindowClosed
            | Refusal::FirstStart
            | Refusal::AlreadyDone
            | Refusal::Closed(_)
            | Refusal::Ticket(_) => Turn::Rests,
            Refusal::DoneBy(_) | Refusal::InFlight(_) | Refusal::ClosedBy(..) => {
                unreachable!("no two tasks share a key")
            }
        }
    }

    async fn work(&mut self, plan: &[Planned], key: &Planned, source: Source) -> Turn {
        if self.lane.as_ref().is_some_and(|open| open.lane != key.row.lane) {
            self.close_lane().await;
        }
        let world = self.world;
        let mut lane = match self.lane.take() {
            Some(lane) => lane,
            None => {
                let Some(lease) = self.lease(key).await else { return Turn::Rests };
                let asked_again = !world.has(Bug::NotAskedAgainUnderTheLease);
                if asked_again && self.ask(plan, key, world.now()).1 != Decision::Run {
                    world.ledger.release_lease(&lease, world.now()).unwrap();
                    return Turn::Worked;
                }
                OpenLane::new(lease)
            }
        };
        lane.work(self, key, source).await;
        if lane.lost {
            self.others_at_work = true;
            return Turn::Rests;
        }
        self.lane = Some(lane);
        Turn::Worked
    }

    async fn lease(&mut self, key: &Planned) -> Option<Lease> {
        let world = self.world;
        let answer = world.ledger.take_lease(&key.row.lane, &self.holder, world.now()).unwrap();
        if world.has(Bug::LeaseShared) && matches!(answer, LeaseAnswer::Held(_)) {
            let (lane, token) = (key.row.lane.clone(), world.token(&key.row.lane));
            return Some(Lease { lane, token, expires_at: world.now() + REPORT_BY });
        }
        let LeaseAnswer::Taken(lease) = answer else {
            self.others_at_work = true;
            return None;
        };
        world.lease_taken(&lease);
        world.line().await;
        Some(lease)
    }

    /// An event beside the loop of a key.
    async fn record_alone(&mut self, plan: &[Planned], key: &Planned, event: Event) -> Turn {
        let world = self.world;
        let open = self.lane.as_ref().filter(|open| open.lane == key.row.lane);
        if let Some(lease) = open.map(|open| open.lease.clone()) {
            if !self.record_under(&lease, key, event).await {
                (self.lane, self.others_at_work) = (None, true);
                return Turn::Rests;
            }
            return Turn::Worked;
        }
        let Some(lease) = self.lease(key).await else { return Turn::Rests };
        let same = match self.ask(plan, key, world.now()).1 {
            Decision::Close(..) => matches!(event, Event::Closed { .. }),
            Decision::Run => matches!(event, Event::NotTried { .. }),
            Decision::Refused(_) => false,
        };
        if same {
            self.record_under(&lease, key, event).await;
        }
        world.ledger.release_lease(&lease, world.now()).unwrap();
        world.line().await;
        Turn::Worked
    }

    async fn record_under(&self, lease: &Lease, key: &Planned, event: Event) -> bool {
        let world = self.world;
        let now = world.now();
        let before = TaskRun::fold(&world.ledger.events(&key.row.key).unwrap(), &key.rules);
        let mut after = before.clone();
        after.apply(now, &event, &key.rules);
        let (ledger, name) = (&world.ledger, &key.row.key);
        world.line().await;
        let written = ledger.append_under(lease, &self.run, name, now, &event, &after).unwrap();
        if written {
            world.tell(|| format!("{} {name} {event:?} -> {}", self.run, after.status));
            world.judge_record(key, &event, &before, &after);
            world.judge_rest(key, lease, &after);
        }
        world.line().await;
        written
    }

    async fn wait(&mut self, until: DateTime<Utc>) {
        if until - self.world.now() > KEEP_BROWSER {
            self.close_lane().await;
        }
        self.seat.wakes.set(Some(until));
        self.world.line().await;
    }

    async fn close_lane(&mut self) {
        if let Some(mut lane) = self.lane.take() {
            self.world.line().await;
            lane.session = Session::default();
            self.world.ledger.release_lease(&lane.lease, self.world.now()).unwrap();
        }
    }
}

fn covered(keys: &[Planned], now: DateTime<Utc>) -> Option<NaiveDate> {
    keys.iter().filter(|key| key.row.window.slot <= now).map(|key| key.row.report_date).max()
}

fn answer(decision: &Decision) -> String {
    match decision {
        Decision::Run => "run".to_owned(),
        Decision::Refused(refusal) => refusal.to_string(),
        Decision::Close(status, reason) => format!("{status}: {reason}"),
    }
}
