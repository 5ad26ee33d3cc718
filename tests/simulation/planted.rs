//! Each planted bug is found: by which law, in which schedule or seed, after how many.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::bugs::Bug;
use crate::crashes::{Manner, Schedule};
use crate::judge::Law;
use crate::month::{DAYS, play};
use crate::task::shapes;

/// Seeds that are tried before a bug counts as not found.
const SEEDS: u64 = 200;

/// How a bug was found.
struct Found {
    bug: Bug,
    law: Law,
    place: String,
    tried: u64,
}

/// Every schedule with at most one crash on an honest site and on one that shows an act only after settling.
fn in_schedules(bug: Bug, tried: &mut u64) -> Option<(Law, String)> {
    for shape in shapes() {
        for manner in [Manner::Honest, Manner::Lags(600)] {
            let mut lines = 1;
            let mut line = 0;
            while line <= lines {
                let death = [line];
                // Line 0 is never reached: that one lives through.
                let schedule = Schedule { shape, manner, deaths: &death };
                let (law, passed) = schedule.broken_by(bug);
                *tried += 1;
                if let Some(law) = law {
                    let kind = format!("{:?}{}", shape.effect, if shape.want > 1 { ", goal" } else { "" });
                    let death = if line == 0 { "no crash".to_owned() } else { format!("crash at line {line}") };
                    return Some((law, format!("{kind}, {manner:?}, {death}")));
                }
                if line == 0 {
                    lines = passed;
                }
                line += 1;
            }
        }
    }
    None
}

fn find(bug: Bug) -> Option<Found> {
    let mut tried = 0;
    if bug.is_of_one_task()
        && let Some((law, place)) = in_schedules(bug, &mut tried)
    {
        return Some(Found { bug, law, place: format!("schedule: {place}"), tried });
    }
    for seed in 1..=SEEDS {
        let ending = play(seed, Some(bug), false);
        if let Some((law, _)) = ending.broken {
            let place = format!("seed {seed}, day {}", ending.mornings);
            return Some(Found { bug, law, place, tried: tried + (seed - 1) * DAYS + ending.mornings });
        }
    }
    None
}

#[test]
fn every_planted_bug_is_caught() {
    let next = AtomicUsize::new(0);
    let found: Mutex<Vec<Found>> = Mutex::default();
    let missed: Mutex<Vec<Bug>> = Mutex::default();
    let worker = || {
        while let Some(bug) = Bug::ALL.get(next.fetch_add(1, Ordering::Relaxed)) {
            match find(*bug) {
                Some(one) => found.lock().unwrap().push(one),
                None => missed.lock().unwrap().push(*bug),
            }
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(worker))));
    let mut found = found.into_inner().unwrap();
    found.sort_by_key(|one| one.bug);
    println!("{:28} {:24} {:52} after", "planted bug", "caught by", "in");
    for one in &found {
        println!("{:28} {:24} {:52} {}", format!("{:?}", one.bug), format!("{:?}", one.law), one.place, one.tried);
    }
    let missed = missed.into_inner().unwrap();
    assert!(missed.is_empty(), "not caught: {missed:?}");
}
