//! Every single and double crash of each shape on each kind of site.

use std::sync::atomic::{AtomicUsize, Ordering};

use sunup::files::model::Effect;
use sunup::run::{Status, TaskRun};

use crate::rules::{Shape, lane, rules, shapes};
use crate::site::{Manner, Site};
use crate::world::{Book, World};

/// Plays one schedule. The lines that were passed.
fn play(book: &Book, shape: Shape, manner: Manner, deaths: &[u32]) -> u32 {
    let (state, world) = ended(book, shape, manner, deaths);
    let told = format!("{shape:?} on {manner:?} with deaths {deaths:?}: {state:?}, acts {:?}", world.site.acts);
    judge(shape, manner, &state, &world, &told);
    world.fate.line
}

/// The state at the end, and the world that led to it.
fn ended<'b>(book: &'b Book, shape: Shape, manner: Manner, deaths: &[u32]) -> (TaskRun, World<'b>) {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let lane = lane(NUMBER.fetch_add(1, Ordering::Relaxed));
    let mut world = World::new(book, rules(shape, &lane), lane, Site::new(manner, shape.want), deaths.to_vec());
    (world.run(), world)
}

fn judge(shape: Shape, manner: Manner, state: &TaskRun, world: &World<'_>, told: &str) {
    let acts = world.site.acts.len();
    if state.status.is_done() {
        assert!(world.site.is_done(), "falsely done: {told}");
    }
    if shape.effect == Effect::Once {
        assert!(acts <= shape.want as usize, "done twice: {told}");
    }
    if manner == Manner::DoneBefore {
        assert_eq!(acts, 0, "acted although it was done: {told}");
        assert_eq!(state.status, Status::AlreadyDone, "{told}");
    }
    // A repeatable act that the server counts is not repeated either, once it shows.
    if shape.effect == Effect::Repeatable && matches!(manner, Manner::Honest | Manner::Lags(30)) {
        assert!(acts <= shape.want as usize + world.fate.deaths.len(), "repeated without need: {told}");
    }
    assert!(state.status.is_final(), "{told}");
    assert!(state.status.is_done() || state.reason.is_some(), "ended without a reason: {told}");
    let intents = world.ledger.sent_intents(&world.rules.key).unwrap() as usize;
    assert!(intents >= acts, "an act without an intent: {told}");
}

#[test]
fn without_a_crash_every_shape_ends_as_the_site_deserves() {
    let book = Book::new();
    for shape in shapes() {
        for manner in Manner::ALL {
            let (state, world) = ended(&book, shape, manner, &[]);
            let told = format!("{shape:?} on {manner:?}: {state:?}");
            let expected = match (manner, shape.effect) {
                (Manner::DoneBefore, _) => &[Status::AlreadyDone][..],
                (Manner::Deaf, _) => &[Status::Dead],
                // A credit that comes after settling is over is not waited for by a `once` task; it is never repeated.
                (Manner::Lags(600), Effect::Once) => &[Status::Dead],
                (Manner::Lags(600), Effect::Repeatable) => &[Status::Success, Status::Compensated],
                (Manner::Flaky, _) => &[Status::Success, Status::Compensated],
                _ => &[Status::Success, Status::Compensated],
            };
            assert!(expected.contains(&state.status), "{told}");
            judge(shape, manner, &state, &world, &told);
        }
    }
}

/// Every single death of these shapes on sites of these manners. How many schedules that were.
fn single_crashes(shapes: &[Shape], manners: &[Manner]) -> usize {
    let book = Book::new();
    let mut schedules = 0;
    for &shape in shapes {
        for &manner in manners {
            let lines = play(&book, shape, manner, &[]);
            for first in 1..=lines {
                play(&book, shape, manner, &[first]);
                schedules += 1;
            }
        }
    }
    println!("{schedules} schedules with one crash");
    schedules
}

#[test]
fn every_single_crash_of_every_shape() {
    let quick = [Manner::Honest, Manner::Lags(30), Manner::Flaky, Manner::Stumbles, Manner::DoneBefore];
    assert!(single_crashes(&shapes(), &quick) > 500);
}

#[test]
fn every_single_crash_on_sites_that_say_no() {
    assert!(single_crashes(&shapes(), &[Manner::Refuses, Manner::SaysNo]) > 300);
}

#[test]
fn every_single_crash_on_sites_where_an_act_does_not_show() {
    let once: Vec<Shape> = shapes().into_iter().filter(|shape| shape.effect == Effect::Once).collect();
    assert!(single_crashes(&once, &[Manner::Lags(600), Manner::Deaf]) > 200);
}

#[test]
#[ignore = "minutes long: part of `make soak`"]
fn every_single_crash_of_every_shape_on_every_site() {
    assert!(single_crashes(&shapes(), &Manner::ALL) > 2_000);
}

/// Every pair of deaths on sites of these manners. How many schedules that were.
fn double_crashes(shapes: &[Shape], manners: &[Manner]) -> usize {
    let book = Book::new();
    let mut schedules = 0;
    for &shape in shapes {
        for &manner in manners {
            let lines = play(&book, shape, manner, &[]);
            for first in 1..=lines {
                let more = play(&book, shape, manner, &[first]);
                for second in first + 1..=more {
                    play(&book, shape, manner, &[first, second]);
                    schedules += 1;
                }
            }
        }
    }
    println!("{schedules} schedules with two crashes");
    schedules
}

#[test]
fn every_double_crash_of_a_plain_task() {
    let plain: Vec<Shape> = shapes().into_iter().filter(|shape| shape.want == 1).collect();
    assert!(double_crashes(&plain, &[Manner::Honest]) > 500);
}

#[test]
#[ignore = "minutes long: part of `make soak`"]
fn every_double_crash_of_every_shape() {
    assert!(double_crashes(&shapes(), &Manner::ALL) > 10_000);
}

#[test]
fn a_once_task_that_died_at_its_commit_is_never_done_again_and_proves_itself_from_the_server() {
    let shape = Shape { effect: Effect::Once, verify_is_check: false, want: 1 };
    let book = Book::new();
    let lines = play(&book, shape, Manner::Honest, &[]);
    for death in 1..=lines {
        let (state, world) = ended(&book, shape, Manner::Honest, &[death]);
        // Died between intent and act: nobody can know that nothing was sent, so that it is dead, never repeated.
        let acted = !world.site.acts.is_empty();
        assert_eq!(state.status.is_done(), acted, "death at line {death}: {state:?}");
    }
}
