//! Every single and double crash of each shape on each kind of site.

use sunup::files::model::Effect;
use sunup::run::{Status, TaskRun};

use crate::rules::{Shape, rules, shapes};
use crate::site::{Manner, Site};
use crate::world::World;

/// Plays one schedule. The state at the end, how often the site was acted on, and the lines that were passed.
fn play(shape: Shape, manner: Manner, deaths: &[u32]) -> u32 {
    let mut world = World::new(rules(shape), Site::new(manner, shape.want), deaths.to_vec());
    let state = world.run();
    let told = format!("{shape:?} on {manner:?} with deaths {deaths:?}: {state:?}, acts {:?}", world.site.acts);
    judge(shape, manner, &state, &world, &told);
    world.fate.line
}

fn judge(shape: Shape, manner: Manner, state: &TaskRun, world: &World, told: &str) {
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
    assert_eq!(
        world.ledger.sent_intents(&world.rules.key).unwrap() as usize >= acts,
        true,
        "an act without intent: {told}"
    );
}

#[test]
fn without_a_crash_every_shape_ends_as_the_site_deserves() {
    for shape in shapes() {
        for manner in Manner::ALL {
            let mut world = World::new(rules(shape), Site::new(manner, shape.want), vec![]);
            let state = world.run();
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

#[test]
fn every_single_crash() {
    let mut schedules = 0;
    for shape in shapes() {
        for manner in Manner::ALL {
            let lines = play(shape, manner, &[]);
            for first in 1..=lines {
                play(shape, manner, &[first]);
                schedules += 1;
            }
        }
    }
    println!("{schedules} schedules with one crash");
    assert!(schedules > 500);
}

#[test]
fn every_double_crash() {
    let mut schedules = 0;
    for shape in shapes() {
        for manner in [Manner::Honest, Manner::Lags(30), Manner::Stumbles] {
            let lines = play(shape, manner, &[]);
            for first in 1..=lines {
                let more = play(shape, manner, &[first]);
                for second in first + 1..=more {
                    play(shape, manner, &[first, second]);
                    schedules += 1;
                }
            }
        }
    }
    println!("{schedules} schedules with two crashes");
    assert!(schedules > 1_000);
}

#[test]
fn a_once_task_that_died_at_its_commit_is_never_done_again_and_proves_itself_from_the_server() {
    let shape = Shape { effect: Effect::Once, verify_is_check: false, want: 1 };
    let lines = play(shape, Manner::Honest, &[]);
    for death in 1..=lines {
        let mut world = World::new(rules(shape), Site::new(Manner::Honest, 1), vec![death]);
        let state = world.run();
        // Died between intent and act: nobody can know that nothing was sent, so that it is dead, never repeated.
        let acted = !world.site.acts.is_empty();
        assert_eq!(state.status.is_done(), acted, "death at line {death}: {state:?}");
    }
}
