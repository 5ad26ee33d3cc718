//! A runner dies between any two of its lines and its ledger is gone with it: the next one knows nothing but that. What the
//! site shows within its settle time is enough not to do anything twice.

use std::cell::Cell;
use std::rc::Rc;

use chrono::TimeDelta;
use sunup::files::model::Effect;
use sunup::run::{Status, TaskRun};

use crate::crashes::{Manner, Schedule, state, world_of};
use crate::stage::{Fate, Stage};
use crate::task::{Planned, Shape, shapes};
use crate::world::{Book, World};

/// Sites that show an act within the settle time of the simulated tasks.
const SHOWING: [Manner; 5] = [Manner::Honest, Manner::Lags(30), Manner::Flaky, Manner::Stumbles, Manner::DoneBefore];

/// What became of a key whose ledger was lost.
struct Ended {
    state: TaskRun,
    acts: usize,
    has: u32,
    /// Of the second runner.
    lines: u32,
}

/// The ledger is lost when its runner dies at this line; none when it does not die by then. With the crashes of the second
/// runner at these lines of its own.
fn after_loss(shape: Shape, manner: Manner, line: u32, deaths: &[u32]) -> Option<Ended> {
    let (lost, planned) = world_of(Rc::new(Book::new()), 0, None, shape, manner);
    let before = lost.sites.borrow()[0].tried();
    if !dies_at(&lost, &planned, line) {
        return None;
    }
    let tasks = lost.tasks.iter().map(|task| (**task).clone()).collect();
    let (sites, start) = (lost.sites.borrow().clone(), lost.truth() + TimeDelta::seconds(1));
    let world = World::on(Rc::new(Book::new()), 0, None, start, tasks, sites);
    world.loss.set(Some(1));
    let lines = Schedule { shape, manner, deaths }.live(&world, &planned);
    let sites = world.sites.borrow();
    let has = sites[0].have(&planned.task, &planned.row.period);
    Some(Ended { state: state(&world, &planned), acts: sites[0].tried() - before, has, lines })
}

/// Lives until the key is final, or the runner dies at this line for ever. True when it died.
fn dies_at(world: &World, planned: &Planned, line: u32) -> bool {
    let died = Cell::new(false);
    let mut stage = Stage::new(world, 1, 0);
    while !state(world, planned).status.is_final() {
        stage.start(0);
        stage.play(world.truth() + TimeDelta::days(2), |_, passed| {
            died.set(died.get() || passed == line);
            if passed == line { Fate::Dies(TimeDelta::days(1_000)) } else { Fate::GoOn }
        });
        if died.get() {
            return true;
        }
        world.pass_until(world.truth() + TimeDelta::minutes(10));
    }
    false
}

fn judge(shape: Shape, manner: Manner, told: &str, ended: &Ended) {
    let Ended { state, acts, has, .. } = ended;
    assert!(state.status.is_final(), "{told}: {state:?}");
    assert!(*acts <= shape.want as usize, "{told}: done twice: {acts}");
    assert!(!state.status.is_done() || *has >= shape.want, "{told}: falsely done");
    if manner == Manner::DoneBefore {
        assert_eq!((*acts, state.status), (0, Status::AlreadyDone), "{told}");
    } else {
        assert!(state.status.is_done(), "{told}: what was not done is done by the second: {state:?}");
    }
}

#[test]
fn a_ledger_that_is_lost_at_any_line_makes_nothing_happen_twice() {
    let mut schedules = 0;
    for shape in shapes() {
        for manner in SHOWING {
            for line in 1.. {
                let told = format!("{shape:?} on {manner:?}, lost at line {line}");
                let Some(ended) = after_loss(shape, manner, line, &[]) else { break };
                judge(shape, manner, &told, &ended);
                schedules += 1;
            }
        }
    }
    println!("{schedules} schedules with a lost ledger");
    assert!(schedules > 300, "{schedules}");
}

#[test]
fn nor_does_a_crash_of_the_runner_that_knows_of_the_loss() {
    crashes_after_a_loss(4);
}

#[test]
#[ignore = "minutes long: part of `make soak`"]
fn nor_does_any_crash_of_it() {
    crashes_after_a_loss(1);
}

/// The ledger is lost at each of these lines, and the second runner dies at each of these.
fn crashes_after_a_loss(step: usize) {
    let shape = Shape { effect: Effect::Once, verify_is_check: false, want: 1 };
    for line in (1..).step_by(step) {
        let Some(ended) = after_loss(shape, Manner::Lags(30), line, &[]) else { break };
        for death in (1..=ended.lines).step_by(step) {
            let told = format!("lost at line {line}, died again at {death}");
            let ended = after_loss(shape, Manner::Lags(30), line, &[death]).expect("it dies as before");
            assert!(ended.acts <= 1, "{told}: done twice");
            assert!(ended.state.status.is_final(), "{told}: {:?}", ended.state);
        }
    }
}
