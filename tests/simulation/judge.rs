//! The laws that hold in every world, whatever dies and whatever lies, and who watches over them.

use std::collections::HashMap;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use sunup::files::model::Effect;
use sunup::ledger::Lease;
use sunup::run::{Answer, Event, Failure, FailureKind, Key, Lane, Phase, Policy, TaskRun, Which};
use sunup::run::{SUBMISSIONS_A_DAY, Status};

use crate::lane::OpenLane;
use crate::task::Planned;
use crate::world::World;

/// What always holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Law {
    /// An act's intent is the key's last line in the ledger when the act happens, and was written just now.
    IntentBeforeAct,
    /// At most one act for each key, unit and generation.
    OneActPerGeneration,
    /// At most one act for each key and unit of a `once` task, but for those that the site refused and that were freed.
    OnceIsOnce,
    /// Where a key is done, the site agrees.
    SuccessIsTrue,
    /// An act follows a read of this run that said "to do", and a baseline that did not hold.
    ReadBeforeAct,
    /// A `repeatable` act is repeated only after settling and two "to do" reads that stand apart.
    TwoReadsBeforeRepeat,
    /// Nothing is done on an account, or a site, that waits for a person.
    NothingAfterABlock,
    /// Nothing is done in a lane that another has taken over.
    NothingUnderALostLease,
    /// Acts lie inside their window and period.
    InsideTheWindow,
    /// Nothing begins before its time, while its site waits, or before what it requires.
    NotBeforeItsTime,
    /// Two sign-ins a day, and no more.
    TwoSignInsADay,
    /// What is closed stays closed.
    ClosedIsClosed,
    /// The state that is folded from the ledger is the live one, and so is the key's row.
    FoldIsLive,
    /// Every morning takes a bounded number of steps.
    BoundedSteps,
    /// Every key ends, or waits with a reason.
    EndsOrWaits,
    /// Every slot that came has a key on record.
    NothingMissedSilently,
    /// A mail for every morning, sent once, and once more only where nobody knows.
    AMailPerMorning,
}

/// Who watches.
#[derive(Debug, Default)]
pub struct Judge {
    pub broken: Option<(Law, String)>,
    /// What happened, where it is being told.
    pub told: Option<Vec<String>>,
    stories: HashMap<Key, Story>,
    tokens: HashMap<Lane, (i64, u64)>,
    tickets: Vec<Suspension>,
    submissions: HashMap<(Lane, NaiveDate), u32>,
    pub seen: Seen,
}

/// What the seeds met, so that it can be seen that they meet it.
#[derive(Debug, Default, Clone, Copy)]
pub struct Seen {
    pub acts: u64,
    pub done: u64,
    pub dead: u64,
    pub skipped: u64,
    pub tickets: u64,
    pub fenced: u64,
    pub interrupted: u64,
    pub not_sent: u64,
    pub released: u64,
    pub deaths: u64,
    pub stops: u64,
    pub sleeps: u64,
    pub mails: u64,
}

impl Seen {
    pub fn add(&mut self, other: &Seen) {
        self.acts += other.acts;
        self.done += other.done;
        self.dead += other.dead;
        self.skipped += other.skipped;
        self.tickets += other.tickets;
        self.fenced += other.fenced;
        self.interrupted += other.interrupted;
        self.not_sent += other.not_sent;
        self.released += other.released;
        self.deaths += other.deaths;
        self.stops += other.stops;
        self.sleeps += other.sleeps;
        self.mails += other.mails;
    }
}

/// A ticket that suspends, with the lines between which it was open.
#[derive(Debug)]
struct Suspension {
    number: i64,
    site: String,
    account: Option<String>,
    opened: u64,
    closed: Option<u64>,
}

/// What a key's acts and reads were, as the sites saw them.
#[derive(Debug, Default)]
struct Story {
    /// Unit and generation of each.
    acts: Vec<(Option<String>, u32)>,
    checked_by: Option<String>,
    baseline_by: Option<String>,
    last_act: Option<DateTime<Utc>>,
    /// When the last intent was written, in truth: the clock may be set between it and the act.
    intended_at: Option<DateTime<Utc>>,
    /// "To do" reads since the last act.
    to_do: Vec<DateTime<Utc>>,
    records: (Option<NaiveDate>, u32),
    /// Acts that the site refused, and whose intent was freed for it.
    freed: Vec<(Option<String>, u32)>,
}

/// Lines that one key may take in a day.
const RECORDS: u32 = 200;
const RECHECK_GAP: TimeDelta = TimeDelta::seconds(30);
/// Others may come between a runner's last look at the clock and its act.
const SLACK: TimeDelta = TimeDelta::minutes(1);

impl World {
    fn story<T>(&self, key: &Key, work: impl FnOnce(&mut Story) -> T) -> T {
        let mut judge = self.judge.borrow_mut();
        match judge.stories.get_mut(key) {
            Some(story) => work(story),
            None => work(judge.stories.entry(key.clone()).or_default()),
        }
    }

    pub fn seen(&self, work: impl FnOnce(&mut Seen)) {
        work(&mut self.judge.borrow_mut().seen);
    }

    /// Acts of a key so far.
    pub fn acts(&self, key: &Key) -> usize {
        self.story(key, |story| story.acts.len())
    }

    pub fn lease_taken(&self, lease: &Lease) {
        self.judge.borrow_mut().tokens.insert(lease.lane.clone(), (lease.token, self.lines()));
    }

    pub fn ticket_opened(&self, number: i64, lane: &Lane, kind: FailureKind) {
        let mut judge = self.judge.borrow_mut();
        // One that was closed may be opened again under its number.
        if judge.tickets.iter().all(|ticket| ticket.number != number || ticket.closed.is_some()) {
            judge.seen.tickets += 1;
            let account = (kind.policy() != Policy::SiteBlocked).then(|| lane.account.clone());
            let site = lane.site.clone();
            judge.tickets.push(Suspension { number, site, account, opened: self.lines(), closed: None });
        }
    }

    pub fn ticket_closed(&self, number: i64) {
        let lines = self.lines();
        let mut judge = self.judge.borrow_mut();
        judge
            .tickets
            .iter_mut()
            .filter(|ticket| ticket.number == number && ticket.closed.is_none())
            .for_each(|ticket| ticket.closed = Some(lines));
    }

    /// True when a person has closed a ticket of this lane.
    pub fn was_suspended(&self, lane: &Lane) -> bool {
        let judge = self.judge.borrow();
        judge.tickets.iter().any(|ticket| ticket.is_of(lane) && ticket.closed.is_some())
    }

    /// A page is asked for. `last` when it is the read that a suspended lane may still do.
    pub fn judge_visit(&self, open: &OpenLane, run: &str, last: bool) {
        let (judge, lane) = (self.judge.borrow(), &open.lane);
        let before = |line: u64| line < open.looked;
        let ticket =
            judge.tickets.iter().find(|ticket| ticket.is_of(lane) && before(ticket.opened) && ticket.closed.is_none());
        let ticket = ticket.map(|ticket| ticket.number);
        let taken = judge.tokens.get(lane).is_some_and(|(token, line)| *token != open.lease.token && before(*line));
        drop(judge);
        if let Some(number) = ticket.filter(|_| !last) {
            self.broken(Law::NothingAfterABlock, || format!("{run} goes on at {lane} under ticket #{number}"));
        }
        if taken {
            self.broken(Law::NothingUnderALostLease, || {
                format!("{run} goes on at {lane}, which another has taken over")
            });
        }
    }

    /// It was decided to run.
    pub fn judge_decision(&self, plan: &[Planned], key: &Planned, state: &TaskRun, now: DateTime<Utc>) {
        let acted = matches!(state.phase, Phase::Acted | Phase::Intended);
        let waits = self.ledger.site_wait(&key.row.lane.site, now).unwrap().is_some();
        let wanted = key.task.requires.filter(|_| !acted);
        let other =
            wanted.and_then(|wanted| plan.iter().find(|it| it.row.task == wanted && it.row.lane == key.row.lane));
        let unmet =
            other.is_some_and(|it| !self.ledger.key(&it.row.key).unwrap().is_some_and(|line| line.status.is_done()));
        if waits || unmet {
            self.broken(Law::NotBeforeItsTime, || format!("{} is decided to run; waits {waits}", key.row.key));
        }
    }

    /// The fencing token of a lane's newest lease.
    pub fn token(&self, lane: &Lane) -> i64 {
        self.judge.borrow().tokens.get(lane).map_or(0, |(token, _)| *token)
    }

    /// A runner that was stopped may have lost its lane, and not know it yet; its next line in the ledger will tell it.
    fn is_lost(&self, lease: &Lease) -> bool {
        self.judge.borrow().tokens.get(&lease.lane).is_some_and(|(token, _)| *token != lease.token)
    }

    /// An attempt begins.
    pub fn judge_start(&self, key: &Planned, lease: &Lease, state: &TaskRun) {
        if self.is_lost(lease) {
            return;
        }
        if state.due.is_some_and(|due| self.now() < due) {
            self.broken(Law::NotBeforeItsTime, || format!("{} begins before {:?}", key.row.key, state.due));
        }
        if state.phase == Phase::Closed {
            self.broken(Law::ClosedIsClosed, || format!("{} begins again, and is {}", key.row.key, state.status));
        }
    }

    /// The site answered a read.
    pub fn judge_read(&self, key: &Planned, run: &str, which: Which, answer: &Result<Answer, Failure>) {
        let Ok(answer) = answer else { return };
        let now = self.now();
        self.story(&key.row.key, |story| match (which, answer) {
            (Which::Check, Answer::Todo | Answer::Goal { .. }) => {
                story.checked_by = Some(run.to_owned());
                story.to_do.push(now);
            }
            (Which::Baseline, Answer::NotYet | Answer::Todo) => story.baseline_by = Some(run.to_owned()),
            (Which::Verify, Answer::Goal { .. }) => {
                story.checked_by = Some(run.to_owned());
                story.to_do.push(now);
            }
            (Which::Verify, Answer::Todo) => story.to_do.push(now),
            _ => {}
        });
    }

    /// An act arrives at the site.
    pub fn judge_act(&self, open: &OpenLane, key: &Planned, run: &str) {
        let (name, rules, shape) = (&key.row.key, &key.rules, key.task.shape);
        self.judge_visit(open, run, false);
        self.seen(|seen| seen.acts += 1);
        let Some((_, Event::Intended { generation, unit })) = self.ledger.events(name).unwrap().pop() else {
            self.broken(Law::IntentBeforeAct, || format!("{run} acts for {name}"));
            return;
        };
        let now = self.now();
        let intended_at = self.story(name, |story| story.intended_at.take());
        if intended_at.is_none_or(|intended_at| self.truth() - intended_at > SLACK) {
            self.broken(Law::IntentBeforeAct, || format!("{run} acts for {name} on an intent of {intended_at:?}"));
        }
        let act = (unit, generation);
        let (twice, stands, unread, hasty) = self.story(name, |story| {
            let twice = story.acts.contains(&act);
            let again = story.acts.iter().any(|(unit, _)| *unit == act.0);
            let stands = story.acts.iter().any(|other| other.0 == act.0 && !story.freed.contains(other));
            let by_us = |by: &Option<String>| by.as_deref() == Some(run);
            let unread = !by_us(&story.checked_by) || !(shape.verify_is_check || by_us(&story.baseline_by));
            let settled = story.last_act.is_none_or(|last| now - last >= key.task.settle_delta());
            let apart =
                story.to_do.last().zip(story.to_do.first()).is_some_and(|(last, first)| *last - *first >= RECHECK_GAP);
            let hasty = again && !(settled && apart);
            *story = Story {
                acts: std::mem::take(&mut story.acts),
                last_act: Some(now),
                records: story.records,
                freed: std::mem::take(&mut story.freed),
                ..Story::default()
            };
            story.acts.push(act.clone());
            (twice, stands, unread, hasty)
        });
        if twice {
            self.broken(Law::OneActPerGeneration, || format!("{run} acts for {name}, {act:?}, which was done"));
        }
        if stands && shape.effect == Effect::Once {
            self.broken(Law::OnceIsOnce, || format!("{run} acts again for {name}, {act:?}"));
        }
        if unread {
            self.broken(Law::ReadBeforeAct, || format!("{run} acts for {name} and has not read that it is to do"));
        }
        if hasty {
            self.broken(Law::TwoReadsBeforeRepeat, || format!("{run} repeats {name} too soon"));
        }
        if now < rules.window.slot || now >= rules.window.until + SLACK || !key.row.period.contains(self.truth()) {
            self.broken(Law::InsideTheWindow, || format!("{run} acts for {name} at {now}"));
        }
    }

    pub fn judge_submission(&self, open: &OpenLane, run: &str) {
        self.judge_visit(open, run, false);
        let day = self.site(&open.lane.site, |site, _| site.calendar.day(self.now()));
        let count = {
            let mut judge = self.judge.borrow_mut();
            let count = judge.submissions.entry((open.lane.clone(), day)).or_default();
            *count += 1;
            *count
        };
        if count > SUBMISSIONS_A_DAY {
            self.broken(Law::TwoSignInsADay, || format!("{run} signs in at {} for the {count}th time", open.lane));
        }
    }

    /// An event was written.
    pub fn judge_record(&self, key: &Planned, event: &Event, before: &TaskRun, after: &TaskRun) {
        let name = &key.row.key;
        let day = key.row.report_date;
        let records = self.story(name, |story| {
            let today = if story.records.0 == Some(day) { story.records.1 } else { 0 };
            story.records = (Some(day), today + 1);
            today + 1
        });
        if records > RECORDS {
            self.broken(Law::BoundedSteps, || format!("{name} took {records} lines in one day"));
        }
        if matches!(event, Event::Released { .. }) {
            self.story(name, |story| story.freed.extend(story.acts.last().cloned()));
        }
        if matches!(event, Event::Intended { .. }) {
            let truth = self.truth();
            self.story(name, |story| story.intended_at = Some(truth));
        }
        self.seen(|seen| match event {
            Event::Released { .. } => seen.released += 1,
            Event::Interrupted => seen.interrupted += 1,
            Event::NotSent { .. } => seen.not_sent += 1,
            _ => {}
        });
        if after.status.is_final() && !before.status.is_final() {
            self.judge_end(key, after);
        }
    }

    fn judge_end(&self, key: &Planned, after: &TaskRun) {
        self.seen(|seen| match after.status {
            Status::Dead => seen.dead += 1,
            Status::Skipped => seen.skipped += 1,
            _ => seen.done += 1,
        });
        let have = self.site(&key.row.lane.site, |site, _| site.have(&key.task, &key.row.period));
        if after.status.is_done() && have < key.task.shape.want {
            self.broken(Law::SuccessIsTrue, || format!("{} is {}, and the site has {have}", key.row.key, after.status));
        }
        if !after.status.is_done() && after.reason.is_none() {
            self.broken(Law::EndsOrWaits, || format!("{} is {} without a reason", key.row.key, after.status));
        }
    }

    /// A runner leaves a key.
    pub fn judge_rest(&self, key: &Planned, lease: &Lease, live: &TaskRun) {
        if self.is_lost(lease) {
            return;
        }
        let folded = TaskRun::fold(&self.ledger.events(&key.row.key).unwrap(), &key.rules);
        let line = self.ledger.key(&key.row.key).unwrap();
        let row = line.as_ref().is_some_and(|line| line.status == live.status && line.due == live.due);
        if folded != *live || !row {
            self.broken(Law::FoldIsLive, || format!("{}: live {live:?}, folded {folded:?}, {line:?}", key.row.key));
        }
    }
}

impl Suspension {
    fn is_of(&self, lane: &Lane) -> bool {
        self.site == lane.site && self.account.as_ref().is_none_or(|account| *account == lane.account)
    }
}
