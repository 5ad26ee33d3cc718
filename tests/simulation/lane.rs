//! One lane at work, as `runner/lane.rs`, `runner/perform.rs` and `runner/sign_in.rs` have it. A planted bug stands where it
//! would be made.

use chrono::TimeDelta;
use rust_decimal::Decimal;
use sunup::files::model::Effect;
use sunup::ledger::{IntentAnswer, Lease, SiteWait, Ticket};
use sunup::run::{
    Answer, Event, Failure, FailureKind, Lane, Next, Phase, Policy, Reading, SUBMISSIONS_A_DAY, Session, SessionEvent,
    SessionNext, Source, Standing, Status, TaskRun, Which, too_late,
};

use crate::bugs::Bug;
use crate::morning::Morning;
use crate::site::Sent;
use crate::task::{Planned, TIMEOUT};

const MARGIN: TimeDelta = TimeDelta::minutes(5);
const STANDING: &str = "standing-ticket";

pub struct OpenLane {
    pub lane: Lane,
    pub lease: Lease,
    pub session: Session,
    pub lost: bool,
    /// The line at which lease and tickets were looked at last.
    pub looked: u64,
    prepared: bool,
}

enum Stop {
    LeaseLost,
    Suspended(i64),
    Waits(SiteWait),
}

impl OpenLane {
    pub fn new(lease: Lease) -> Self {
        let lane = lease.lane.clone();
        OpenLane { lane, lease, session: Session::default(), lost: false, looked: 0, prepared: false }
    }

    pub async fn work(&mut self, of: &Morning<'_>, planned: &Planned, source: Source) {
        let world = of.world;
        let key = &planned.row.key;
        let mut state = TaskRun::fold(&world.ledger.events(key).unwrap(), &planned.rules);
        world.line().await;
        if world.has(Bug::ClosedKeyReopened) && state.status == Status::Dead {
            state = TaskRun::default();
        }
        if let Some(loss) = world.loss.get().filter(|loss| state.loss < *loss) {
            self.record(of, planned, &mut state, Event::Doubted { loss }).await;
        }
        if state.was_interrupted() {
            let freed = world.has(Bug::GenerationRaisedByCrash) && state.phase == Phase::Intended;
            let failure = Failure::new(FailureKind::BrowserCrashed, "died");
            let event = if freed { Event::NotSent { failure } } else { Event::Interrupted };
            self.record(of, planned, &mut state, event).await;
        }
        let mut attempt = None;
        let unasked = world.has(Bug::NotAskedAgainUnderTheLease) && state.phase != Phase::Acted;
        if state.may_begin(world.now()) || unasked {
            world.judge_start(planned, &self.lease, &state);
            self.record(of, planned, &mut state, Event::Started { source }).await;
            attempt = Some(world.ledger.attempt_started(key, &of.run, source, world.now()).unwrap());
            world.line().await;
        }
        while !self.lost {
            let Some(event) = self.step(of, planned, &state).await else { break };
            let event = self.with_bug(of, planned, &state, event).await;
            self.record(of, planned, &mut state, event).await;
        }
        if let Some(attempt) = attempt {
            let took = std::time::Duration::from_secs(1);
            world.ledger.attempt_finished(attempt, &state, took, world.now()).unwrap();
            world.line().await;
        }
        if !self.lost {
            world.judge_rest(planned, &self.lease, &state);
        }
    }

    async fn step(&mut self, of: &Morning<'_>, planned: &Planned, state: &TaskRun) -> Option<Event> {
        let now = of.world.now();
        let early = of.world.has(Bug::WindowIgnored);
        let next = state.next(if early { now.max(planned.rules.window.slot) } else { now }, &planned.rules);
        let before_act = match &next {
            Next::Done | Next::Wait(_) => return None,
            Next::Close(status, reason) => return Some(Event::Closed { status: *status, reason: reason.clone() }),
            Next::Release(reason) => return Some(Event::Released { reason: reason.clone() }),
            Next::Later(reason) => return Some(Event::Halted { later: true, reason: reason.clone() }),
            Next::Read(_) | Next::Commit | Next::Ask | Next::AskInDoubt => false,
            Next::Prepare => true,
            Next::Intend { .. } => !self.prepared,
        };
        let committing = next == Next::Commit;
        match self.stop(of) {
            Some(stop) if committing => return Some(Event::NotSent { failure: stop.failure(of) }),
            Some(Stop::LeaseLost) => return None,
            Some(Stop::Suspended(_)) if state.phase == Phase::Acted && state.verifies == 0 => {
                return Some(self.perform(of, planned, next, true).await);
            }
            Some(stop) => {
                let failure = stop.failure(of);
                let tells = state.due.is_some() || state.status == Status::Running;
                return tells.then_some(Event::NotTried { failure });
            }
            None => {}
        }
        if !committing && let Some(event) = self.signed_in(of, before_act).await {
            return Some(event);
        }
        Some(self.perform(of, planned, next, false).await)
    }

    fn stop(&mut self, of: &Morning<'_>) -> Option<Stop> {
        let world = of.world;
        self.looked = world.lines();
        let needed = TimeDelta::from_std(TIMEOUT).unwrap() + MARGIN;
        let kept = world.ledger.keep_lease(&mut self.lease, world.now(), needed).unwrap();
        if !kept && !world.has(Bug::LeaseNotReRead) {
            self.lost = true;
            return Some(Stop::LeaseLost);
        }
        let ticket = world.ledger.suspended_by(&self.lane).unwrap();
        if let Some(number) = ticket.filter(|_| !world.has(Bug::SuspensionIgnored)) {
            return Some(Stop::Suspended(number));
        }
        world.ledger.site_wait(&self.lane.site, world.now()).unwrap().map(Stop::Waits)
    }

    /// `perform`: one effect. `last` when it is the one read that a suspended lane may still do.
    async fn perform(&mut self, of: &Morning<'_>, planned: &Planned, next: Next, last: bool) -> Event {
        match next {
            Next::Read(which) => self.read(of, planned, which, last).await,
            Next::Prepare => {
                of.world.line().await;
                of.world.judge_visit(self, &of.run, false);
                let now = of.world.truth();
                match of.world.site(&self.lane.site, |site, chance| site.prepare(chance, &self.lane, now)) {
                    Ok(()) => {
                        self.prepared = true;
                        Event::Prepared { notes: vec![] }
                    }
                    Err(failure) => Event::PrepareFailed { failure },
                }
            }
            Next::Intend { generation, unit } => Event::Intended { generation, unit },
            Next::Commit => self.commit(of, planned).await,
            other => unreachable!("{other:?} is no effect of these shapes"),
        }
    }

    async fn read(&mut self, of: &Morning<'_>, planned: &Planned, which: Which, last: bool) -> Event {
        let world = of.world;
        if let Some(answer) = self.made_up(of, planned, which) {
            return Event::Read { which, reading: reading(answer) };
        }
        self.session.apply(&SessionEvent::Worked);
        world.line().await;
        world.judge_visit(self, &of.run, last);
        let now = world.truth();
        let mut period = planned.row.period;
        if world.has(Bug::VerifyOfYesterdaysRow) && which == Which::Verify {
            period.start = period.start.pred_opt().unwrap();
        }
        let read = || world.site(&self.lane.site, |site, chance| site.read(chance, &planned.task, which, &period, now));
        let answer = world.dated().and_then(|()| read());
        world.judge_read(planned, &of.run, which, &answer);
        match answer {
            Ok(answer) => Event::Read { which, reading: reading(answer) },
            Err(failure) => Event::ReadFailed { which, failure },
        }
    }

    async fn commit(&mut self, of: &Morning<'_>, planned: &Planned) -> Event {
        if let Some(failure) = self.too_late(of, planned) {
            return Event::NotSent { failure };
        }
        self.session.apply(&SessionEvent::Worked);
        let prepared = std::mem::take(&mut self.prepared);
        if planned.task.shape.effect == Effect::Once && !prepared {
            let gone = "the page that stood ready is gone; nothing was sent";
            return Event::NotSent { failure: Failure::new(FailureKind::BrowserCrashed, gone) };
        }
        self.dispatch(of, planned).await
    }

    /// The commit step itself.
    async fn dispatch(&mut self, of: &Morning<'_>, planned: &Planned) -> Event {
        let world = of.world;
        of.seat.at_commit.set(true);
        world.line().await;
        of.seat.at_commit.set(false);
        let now = world.truth();
        let sent = world.site(&self.lane.site, |site, chance| site.act(chance, &planned.task, now));
        let event = match sent {
            Sent::NotSent(failure) => Event::NotSent { failure },
            Sent::Sent { trouble, refused } => {
                world.judge_act(self, planned, &of.run);
                Event::Committed { trouble, refused }
            }
        };
        world.line().await;
        event
    }

    fn too_late(&self, of: &Morning<'_>, planned: &Planned) -> Option<Failure> {
        let world = of.world;
        if world.has(Bug::ClockNotReRead) || world.has(Bug::LeaseNotReRead) {
            return None;
        }
        let now = world.now();
        let intended_at = world.ledger.last_event_at(&planned.row.key).unwrap().unwrap_or(now);
        too_late(now, intended_at, &planned.rules)
    }

    async fn signed_in(&mut self, of: &Morning<'_>, before_act: bool) -> Option<Event> {
        let world = of.world;
        loop {
            let day = world.site(&self.lane.site, |site, _| site.calendar.day(world.now()));
            let standing = Standing { submissions: world.ledger.submissions(&self.lane, day).unwrap() };
            let done = match self.session.next(&standing, false, before_act) {
                SessionNext::SignedIn => return None,
                SessionNext::Blocked(failure) => Err(failure),
                SessionNext::Identify => {
                    world.line().await;
                    world.judge_visit(self, &of.run, false);
                    let now = world.truth();
                    let identify =
                        || world.site(&self.lane.site, |site, chance| site.identify(chance, &self.lane, now));
                    let who = world.dated().and_then(|()| identify());
                    who.map(SessionEvent::Identified)
                }
                SessionNext::Prepare => Ok(SessionEvent::Prepared),
                SessionNext::Intend if world.has(Bug::SubmissionNotWrittenDown) => Ok(SessionEvent::Intended),
                SessionNext::Intend => {
                    world.line().await;
                    let intend = world.ledger.intend_sign_in(&of.run, &self.lease, day, SUBMISSIONS_A_DAY, world.now());
                    match intend.unwrap() {
                        IntentAnswer::Written => Ok(SessionEvent::Intended),
                        _ => Err(Failure::new(FailureKind::Timeout, "the sign-in was not submitted")),
                    }
                }
                SessionNext::Commit => {
                    self.submit(of).await;
                    Ok(SessionEvent::Committed)
                }
            };
            match done {
                Ok(event) => self.session.apply(&event),
                Err(failure) => return Some(Event::ReadFailed { which: Which::SignIn, failure }),
            }
            if let Some(stop) = self.stop(of) {
                let failure = stop.failure(of);
                return Some(match stop {
                    Stop::LeaseLost => Event::ReadFailed { which: Which::SignIn, failure },
                    Stop::Suspended(_) | Stop::Waits(_) => Event::NotTried { failure },
                });
            }
        }
    }

    /// Submits the sign-in form.
    async fn submit(&mut self, of: &Morning<'_>) {
        let world = of.world;
        of.seat.at_commit.set(true);
        world.line().await;
        of.seat.at_commit.set(false);
        world.judge_submission(self, &of.run);
        world.site(&self.lane.site, |site, chance| site.sign_in(chance, &self.lane));
        world.line().await;
        world.ledger.settle_sign_in(&self.lease, true).unwrap();
    }

    async fn record(&mut self, of: &Morning<'_>, planned: &Planned, state: &mut TaskRun, event: Event) {
        let world = of.world;
        let at = world.now();
        if let Some(failure) = event.failure() {
            self.take_in(of, planned, failure).await;
        }
        let mut after = state.clone();
        after.apply(at, &event, &planned.rules);
        let key = &planned.row.key;
        world.line().await;
        match &event {
            Event::Intended { .. } if world.has(Bug::NoWriteAhead) || world.has(Bug::IntentAfterCommit) => {}
            Event::Intended { .. } => {
                match world.ledger.intend(&of.run, key, &self.lease, at, &event, &after).unwrap() {
                    IntentAnswer::Written => {}
                    answer => {
                        let failure = Failure::new(FailureKind::Timeout, format!("{answer:?}: nothing was sent"));
                        let event = Event::PrepareFailed { failure };
                        return Box::pin(self.record(of, planned, state, event)).await;
                    }
                }
            }
            Event::Committed { .. } | Event::NotSent { .. } | Event::Released { .. } => {
                self.lost |= !world.ledger.settle_intent(&of.run, key, &self.lease, at, &event, &after).unwrap();
            }
            _ if world.has(Bug::LeaseNotReRead) => world.ledger.append(&of.run, key, at, &event, &after).unwrap(),
            _ => self.lost |= !world.ledger.append_under(&self.lease, &of.run, key, at, &event, &after).unwrap(),
        }
        world
            .tell(|| format!("{} {key} {event:?} -> {}{}", of.run, after.status, if self.lost { " LOST" } else { "" }));
        if self.lost {
            world.seen(|seen| seen.fenced += 1);
        } else {
            world.judge_record(planned, &event, state, &after);
            *state = after;
            if state.status.is_done() {
                world.ledger.block_passed(&self.lane, Some(&planned.row.task), at).unwrap();
            }
        }
        world.line().await;
    }

    async fn take_in(&mut self, of: &Morning<'_>, planned: &Planned, failure: &Failure) {
        let world = of.world;
        let policy = failure.kind.policy();
        if failure.kind.needs_person() && failure.rule.as_deref() != Some(STANDING) {
            let (lane, text, arose) = (self.lane.clone(), failure.message.clone(), Some(planned.row.task.clone()));
            let ticket = Ticket { lane, failure: Some(failure.clone()), task: None, arose, text, fingerprint: None };
            let number = world.ledger.open_ticket(&ticket, world.now()).unwrap();
            world.ticket_opened(number, &self.lane, failure.kind);
            world.line().await;
        }
        if policy == Policy::SiteWaits {
            let until = failure.site_waits_until(world.now());
            world.ledger.site_waits(&self.lane.site, until, failure).unwrap();
            world.line().await;
        }
        self.prepared = false;
        self.session.apply(&SessionEvent::Lost { expired: policy == Policy::SignIn });
    }

    /// What a planted bug says without a read.
    fn made_up(&self, of: &Morning<'_>, planned: &Planned, which: Which) -> Option<Answer> {
        let want = planned.task.shape.want;
        match (of.world.bug?, which) {
            (Bug::BaselineNotRead, Which::Baseline) => Some(Answer::NotYet),
            (Bug::ActsUncheckedAfterTicket, Which::Check) if want == 1 && of.world.was_suspended(&self.lane) => {
                Some(Answer::Todo)
            }
            (Bug::UnitCountedByClick, Which::Verify) if want > 1 => {
                let have = Decimal::from(of.world.acts(&planned.row.key));
                Some(Answer::Goal { have, want: Some(Decimal::from(want)) })
            }
            _ => None,
        }
    }

    /// What a planted bug makes of an event.
    async fn with_bug(&mut self, of: &Morning<'_>, planned: &Planned, state: &TaskRun, event: Event) -> Event {
        let Some(bug) = of.world.bug else { return event };
        let want = Decimal::from(planned.task.shape.want);
        match (bug, &event) {
            (Bug::UnknownTakenForNo, Event::ReadFailed { which, failure }) if !failure.kind.needs_person() => {
                let answer = match (which, want > Decimal::ONE) {
                    (Which::SignIn, _) => return event,
                    (_, true) => Answer::Goal { have: Decimal::ZERO, want: Some(want) },
                    (Which::Check, false) => Answer::Todo,
                    _ => Answer::NotYet,
                };
                Event::Read { which: *which, reading: reading(answer) }
            }
            (Bug::NotSentAfterTimeout, Event::Committed { trouble: Some(failure), .. }) => {
                Event::NotSent { failure: failure.clone() }
            }
            (Bug::SuccessOnClick, Event::Committed { trouble: None, .. }) => {
                Event::Closed { status: Status::Success, reason: "clicked".to_owned() }
            }
            (Bug::SettledTakenForDone, Event::Read { which: Which::Verify, reading: read })
                if read.answer == Answer::NotYet && state.verifies > 1 =>
            {
                Event::Read { which: Which::Verify, reading: reading(Answer::Done) }
            }
            (Bug::RetryAfterCommit, Event::Read { which: Which::Verify, reading: read })
                if matches!(read.answer, Answer::NotYet | Answer::Todo) =>
            {
                self.dispatch(of, planned).await;
                event
            }
            (Bug::UnconfirmedTakenForFailed, Event::Read { which: Which::Verify, reading: read })
                if matches!(read.answer, Answer::NotYet | Answer::Todo) =>
            {
                Event::NotSent { failure: Failure::new(FailureKind::Timeout, "not seen") }
            }
            (Bug::IntentAfterCommit, Event::Committed { .. }) => {
                let intended = Event::Intended { generation: state.generation - 1, unit: None };
                let ledger = &of.world.ledger;
                let answer = ledger.intend(&of.run, &planned.row.key, &self.lease, of.world.now(), &intended, state);
                assert!(answer.is_ok());
                event
            }
            _ => event,
        }
    }
}

impl Stop {
    fn failure(&self, of: &Morning<'_>) -> Failure {
        match self {
            Stop::LeaseLost => Failure::new(FailureKind::Timeout, "another runner took the lane over"),
            Stop::Waits(wait) => {
                let kind = FailureKind::from_word(&wait.kind).unwrap_or(FailureKind::RateLimited);
                Failure { retry_at: Some(wait.until), ..Failure::new(kind, "the site asked to be left alone") }
            }
            Stop::Suspended(number) => {
                let open = of.world.ledger.open_tickets().unwrap();
                let failure =
                    open.into_iter().find(|ticket| ticket.number == *number).and_then(|ticket| ticket.failure);
                let mut failure = failure.unwrap_or_else(|| Failure::new(FailureKind::Login, "a ticket waits"));
                failure.rule = Some(STANDING.to_owned());
                failure
            }
        }
    }
}

fn reading(answer: Answer) -> Reading {
    Reading { answer, values: Default::default(), notes: vec![] }
}
