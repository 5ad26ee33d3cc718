//! A runner dies between any two of its lines and its ledger is gone with it: the next one knows nothing but that. What the
//! site shows within its settle time is enough not to do anything twice.

use sunup::run::{Status, TaskRun};

use crate::rules::{Shape, lane, rules, shapes};
use crate::site::{Manner, Site};
use crate::world::{Book, World};

/// Sites that show an act within the settle time of the simulated tasks.
const SHOWING: [Manner; 5] = [Manner::Honest, Manner::Lags(30), Manner::Flaky, Manner::Stumbles, Manner::DoneBefore];

/// What becomes of a key whose ledger is lost when its runner dies at this line; none when it does not die by then. With the
/// crashes of the second runner at these lines of its own.
fn after_loss(shape: Shape, manner: Manner, line: u32, deaths: &[u32]) -> Option<(TaskRun, Site, u32)> {
    let lane = lane(0);
    let (first, second) = (Book::new(), Book::new());
    let site = Site::new(manner, shape.want);
    let mut lost = World::new(&first, rules(shape, &lane), lane.clone(), site, vec![line]);
    if !lost.run_until_it_dies() {
        return None;
    }
    let mut world = World::new(&second, rules(shape, &lane), lane, lost.site.clone(), deaths.to_vec());
    world.now = lost.now + chrono::TimeDelta::seconds(1);
    world.loss = Some(1);
    let state = world.run();
    Some((state, world.site.clone(), world.fate.line))
}

fn judge(shape: Shape, manner: Manner, told: &str, state: &TaskRun, site: &Site) {
    assert!(state.status.is_final(), "{told}: {state:?}");
    assert!(site.acts.len() <= shape.want as usize, "{told}: done twice: {:?}", site.acts);
    assert!(!state.status.is_done() || site.is_done(), "{told}: falsely done");
    if manner == Manner::DoneBefore {
        assert_eq!((site.acts.len(), state.status), (0, Status::AlreadyDone), "{told}");
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
                let Some((state, site, _)) = after_loss(shape, manner, line, &[]) else { break };
                judge(shape, manner, &told, &state, &site);
                schedules += 1;
            }
        }
    }
    println!("{schedules} schedules with a lost ledger");
    assert!(schedules > 300, "{schedules}");
}

#[test]
fn nor_does_a_crash_of_the_runner_that_knows_of_the_loss() {
    let shape = Shape { effect: sunup::files::model::Effect::Once, verify_is_check: false, want: 1 };
    for line in 1.. {
        let Some((_, _, lines)) = after_loss(shape, Manner::Lags(30), line, &[]) else { break };
        for death in 1..=lines {
            let told = format!("lost at line {line}, died again at {death}");
            let (state, site, _) = after_loss(shape, Manner::Lags(30), line, &[death]).expect("it dies as before");
            assert!(site.acts.len() <= 1, "{told}: done twice");
            assert!(state.status.is_final(), "{told}: {state:?}");
        }
    }
}
