//! The loop, with a ledger, a clock and a site, and a place to die.

use chrono::{DateTime, TimeDelta, Utc};
use sunup::ledger::{Holder, IntentAnswer, KeyRow, Lease, LeaseAnswer, Ledger};
use sunup::run::{Event, Lane, Next, Reading, Rules, Source, TaskRun, Which};

use crate::rules::start;
use crate::site::Site;

/// A runner died here.
#[derive(Debug)]
pub struct Died;

/// Lines at which the runner dies, counted over all its lives.
#[derive(Debug, Clone, Default)]
pub struct Fate {
    pub deaths: Vec<u32>,
    pub line: u32,
}

impl Fate {
    /// A line of the loop: the process may end here.
    fn line(&mut self) -> Result<(), Died> {
        self.line += 1;
        if self.deaths.contains(&self.line) { Err(Died) } else { Ok(()) }
    }
}

/// One ledger for many schedules, each with a key of its own.
pub struct Book {
    pub ledger: Ledger,
    _folder: tempfile::TempDir,
}

impl Book {
    pub fn new() -> Self {
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        Book { ledger: Ledger::open_for_simulation(folder.path()).unwrap(), _folder: folder }
    }
}

pub struct World<'b> {
    pub ledger: &'b Ledger,
    pub rules: Rules,
    pub site: Site,
    pub now: DateTime<Utc>,
    pub fate: Fate,
    lane: Lane,
    lives: u64,
}

impl<'b> World<'b> {
    pub fn new(book: &'b Book, rules: Rules, lane: Lane, site: Site, deaths: Vec<u32>) -> Self {
        let ledger = &book.ledger;
        let row = KeyRow {
            key: rules.key.clone(),
            lane: lane.clone(),
            task: "checkin".into(),
            period: rules.period,
            window: rules.window,
            report_date: rules.period.day,
        };
        ledger.open_key(&row, start()).unwrap();
        World { ledger, rules, site, now: start(), fate: Fate { deaths, line: 0 }, lane, lives: 0 }
    }

    /// Lives, dies and lives again until the key is final. The state at the end.
    pub fn run(&mut self) -> TaskRun {
        for _ in 0..1_000 {
            match self.live() {
                Ok(Some(state)) => return state,
                // It rests: the clock goes on to its due time.
                Ok(None) => {
                    let due = self.state().due.expect("a key that rests says until when");
                    self.now = self.now.max(due);
                }
                Err(Died) => self.now += TimeDelta::seconds(20),
            }
        }
        panic!("the key never ends: {:?}", self.state());
    }

    pub fn state(&self) -> TaskRun {
        TaskRun::fold(&self.ledger.events(&self.rules.key).unwrap(), &self.rules)
    }

    /// One life of a runner, as `runner/lane.rs` leads it. None when the key rests.
    fn live(&mut self) -> Result<Option<TaskRun>, Died> {
        self.lives += 1;
        let holder = Holder { host: "simulated".into(), boot: "b".into(), pid: 1, start: self.lives };
        // Dead holders elsewhere are replaced after expiry; here the host knows that they are dead.
        let lease = loop {
            match self.ledger.take_lease(&self.lane, &holder, self.now).unwrap() {
                LeaseAnswer::Taken(lease) => break lease,
                LeaseAnswer::Held(_) => self.now += TimeDelta::minutes(31),
            }
        };
        let mut state = self.state();
        self.fate.line()?;
        if state.was_interrupted() {
            self.record(&lease, &mut state, Event::Interrupted)?;
        }
        if state.phase != sunup::run::Phase::Acted && state.phase != sunup::run::Phase::Closed {
            self.record(&lease, &mut state, Event::Started { source: Source::Schedule })?;
        }
        loop {
            let event = match state.next(self.now, &self.rules) {
                Next::Done => {
                    assert_eq!(state, self.state(), "the live state is not the folded one");
                    return Ok(Some(state));
                }
                Next::Wait(_) => {
                    assert_eq!(state, self.state(), "the live state is not the folded one");
                    self.ledger.release_lease(&lease, self.now).unwrap();
                    return Ok(None);
                }
                Next::Close(status, reason) => Event::Closed { status, reason },
                Next::Later(reason) => Event::Halted { later: true, reason },
                Next::Intend { generation, unit } => Event::Intended { generation, unit },
                Next::Ask => unreachable!("no shape asks a person"),
                Next::Read(which) => self.read(which)?,
                Next::Prepare => {
                    self.fate.line()?;
                    match self.site.prepare() {
                        Ok(()) => Event::Prepared { notes: vec![] },
                        Err(failure) => Event::PrepareFailed { failure },
                    }
                }
                Next::Commit => {
                    self.fate.line()?;
                    self.site.act(self.now);
                    self.fate.line()?;
                    Event::Committed { trouble: None }
                }
            };
            self.record(&lease, &mut state, event)?;
            self.now += TimeDelta::milliseconds(200);
        }
    }

    fn read(&mut self, which: Which) -> Result<Event, Died> {
        self.fate.line()?;
        let answer = self.site.read(which, self.rules.counts, self.now);
        Ok(match answer {
            Ok(answer) => Event::Read { which, reading: Reading { answer, values: Default::default(), notes: vec![] } },
            Err(failure) => Event::ReadFailed { which, failure },
        })
    }

    fn record(&mut self, lease: &Lease, state: &mut TaskRun, event: Event) -> Result<(), Died> {
        self.fate.line()?;
        let key = &self.rules.key;
        let mut after = state.clone();
        after.apply(self.now, &event, &self.rules);
        match &event {
            Event::Intended { .. } => {
                let answer = self.ledger.intend("run", key, lease, self.now, &event, &after).unwrap();
                assert_eq!(answer, IntentAnswer::Written, "two intents of one generation");
            }
            Event::Committed { .. } | Event::NotSent { .. } => {
                assert!(self.ledger.settle_intent("run", key, lease, self.now, &event, &after).unwrap());
            }
            _ => assert!(self.ledger.append_under(lease, "run", key, self.now, &event, &after).unwrap()),
        }
        self.fate.line()?;
        *state = after;
        Ok(())
    }
}
