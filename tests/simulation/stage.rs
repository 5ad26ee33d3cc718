//! The stage: several runners in one thread, each a future that is stopped at every line; who goes on is drawn by the seed.
//! To end a process is to drop its future.

use std::cell::Cell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Waker};

use chrono::{DateTime, TimeDelta, Utc};
use sunup::ledger::Holder;

use crate::morning;
use crate::world::World;

/// What the stage knows of a process.
#[derive(Debug, Default)]
pub struct Seat {
    /// It sleeps until its clock shows this.
    pub wakes: Cell<Option<DateTime<Utc>>>,
    /// It has looked for the last time, and its next line is the commit step: what happens in between cannot be fenced, and
    /// the documentation says so.
    pub at_commit: Cell<bool>,
    frozen_until: Cell<Option<DateTime<Utc>>>,
}

/// What a line brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    GoOn,
    /// It dies, and is started again after this.
    Dies(TimeDelta),
    /// This process is stopped for so long.
    Freezes(TimeDelta),
    /// The whole machine is suspended for so long.
    Sleeps(TimeDelta),
}

struct Process<'w> {
    seat: Rc<Seat>,
    life: Option<Pin<Box<dyn Future<Output = ()> + 'w>>>,
    lives: u64,
    /// It died, and is started again then.
    starts_at: Option<DateTime<Utc>>,
    /// A holder that died on another host is known only by its lease's end.
    elsewhere: u64,
}

/// The runners.
pub struct Stage<'w> {
    world: &'w World,
    processes: Vec<Process<'w>>,
    /// Deaths in a thousand after which the next life is on another host.
    moves: u32,
    /// Lines that were passed; the fate of each is asked.
    pub passed: u32,
}

impl<'w> Stage<'w> {
    pub fn new(world: &'w World, processes: usize, moves: u32) -> Self {
        let process = |_| Process { seat: Rc::default(), life: None, lives: 0, starts_at: None, elsewhere: 0 };
        Stage { world, processes: (0..processes).map(process).collect(), moves, passed: 0 }
    }

    /// `sunup run`, unless this process still runs.
    pub fn start(&mut self, number: usize) {
        let process = &mut self.processes[number];
        if process.life.is_some() {
            return;
        }
        process.starts_at = None;
        process.lives += 1;
        process.seat = Rc::default();
        let run = format!("r{number}.{}", process.lives);
        self.world.tell(|| format!("{run} starts"));
        // The same holder again stands for one that is known to be dead on its host, and is replaced at once.
        let host = format!("host{number}");
        let holder = Holder { host, boot: "b".into(), pid: 1, start: process.elsewhere, signs_in: false };
        process.life = Some(Box::pin(morning::run(self.world, Rc::clone(&process.seat), holder, run)));
    }

    pub fn all_ended(&self) -> bool {
        self.processes.iter().all(|process| process.life.is_none() && process.starts_at.is_none())
    }

    /// Lets the runners work until none is left, or this time has come, or a law was broken.
    pub fn play(&mut self, until: DateTime<Utc>, mut fate: impl FnMut(&World, u32) -> Fate) {
        while self.world.truth() < until && self.world.judge.borrow().broken.is_none() {
            let now = self.world.truth();
            let due = |process: &Process<'w>| process.starts_at.is_some_and(|at| at <= now);
            while let Some(number) = self.processes.iter().position(due) {
                self.start(number);
            }
            let ready = |process: &&Process<'w>| process.life.is_some() && self.ready_at(process) <= now;
            let count = self.processes.iter().filter(ready).count();
            if count == 0 {
                let living = self.processes.iter().filter(|process| process.life.is_some());
                let wakes = living.map(|process| self.ready_at(process));
                let starts = self.processes.iter().filter_map(|process| process.starts_at);
                match wakes.chain(starts).min() {
                    Some(next) if next < until => self.world.pass_until(next),
                    _ => return,
                }
                continue;
            }
            let drawn = if count == 1 { 0 } else { self.world.chance.below(count as u64) as usize };
            let chosen = (0..self.processes.len()).filter(|number| ready(&&self.processes[*number])).nth(drawn);
            self.turn(chosen.expect("one is ready"), &mut fate);
        }
    }

    fn ready_at(&self, process: &Process<'w>) -> DateTime<Utc> {
        let wakes = process.seat.wakes.get().map(|clock| self.world.truth_at(clock));
        let free = process.seat.frozen_until.get();
        wakes.max(free).unwrap_or(DateTime::<Utc>::MIN_UTC)
    }

    /// One line of one process.
    fn turn(&mut self, number: usize, fate: &mut impl FnMut(&World, u32) -> Fate) {
        let world = self.world;
        self.passed += 1;
        let fate = fate(world, self.passed);
        let committing = self.processes.iter().any(|process| process.life.is_some() && process.seat.at_commit.get());
        let process = &mut self.processes[number];
        match fate {
            Fate::Dies(again) => {
                world.seen(|seen| seen.deaths += 1);
                world.tell(|| format!("r{number}.{} dies", process.lives));
                process.life = None;
                process.starts_at = Some(world.truth() + again);
                process.elsewhere += u64::from(world.chance.in_thousand(self.moves));
                return;
            }
            Fate::Freezes(long) if !process.seat.at_commit.get() => {
                world.seen(|seen| seen.stops += 1);
                world.tell(|| format!("r{number}.{} is stopped for {} s", process.lives, long.num_seconds()));
                process.seat.frozen_until.set(Some(world.truth() + long));
                return;
            }
            Fate::Sleeps(long) if !committing => {
                world.seen(|seen| seen.sleeps += 1);
                world.tell(|| format!("the machine sleeps for {} s", long.num_seconds()));
                world.pass_until(world.truth() + long);
            }
            _ => {}
        }
        process.seat.wakes.set(None);
        process.seat.frozen_until.set(None);
        let mut context = Context::from_waker(Waker::noop());
        if let Some(life) = process.life.as_mut()
            && life.as_mut().poll(&mut context).is_ready()
        {
            process.life = None;
        }
    }
}
