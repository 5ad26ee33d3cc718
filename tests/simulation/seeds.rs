//! Many seeds, and one again.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::bugs::Bug;
use crate::judge::{Law, Seen};
use crate::month::{DAYS, play};

/// Mornings where `SUNUP_MORNINGS` does not say how many; `make soak` has a million.
const MORNINGS: u64 = 20_000;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.replace('_', "").parse().expect("a number"))
}

/// What was found, with the last lines before it and how to see it again.
pub fn account(seed: u64, bug: Option<Bug>, law: Law, what: &str) -> String {
    let told = play(seed, bug, true).told;
    let last = told[told.len().saturating_sub(30)..].join("\n  ");
    format!(
        "seed {seed} breaks {law:?}: {what}\nthe last lines:\n  {last}\nagain: SUNUP_SEED={seed} cargo test --locked --test \
         simulation seeds::replay -- --nocapture"
    )
}

#[test]
fn thirty_days_of_every_seed() {
    let seeds = number("SUNUP_MORNINGS").unwrap_or(MORNINGS).div_ceil(DAYS);
    // A long run can be cut in parts.
    let first = number("SUNUP_FIRST_SEED").unwrap_or(1);
    let next = AtomicU64::new(first);
    let faults: Mutex<Vec<String>> = Mutex::default();
    let totals: Mutex<(Seen, f64)> = Mutex::default();
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let worker = || {
        let began = cpu_seconds();
        let mut seen = Seen::default();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed > seeds || faults.lock().unwrap().len() >= 3 {
                break;
            }
            let ending = play(seed, None, false);
            seen.add(&ending.seen);
            if let Some((law, what)) = ending.broken {
                faults.lock().unwrap().push(account(seed, None, law, &what));
            }
        }
        let mut totals = totals.lock().unwrap();
        totals.0.add(&seen);
        totals.1 += cpu_seconds() - began;
    };
    std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(worker))));
    let faults = faults.into_inner().unwrap();
    assert!(faults.is_empty(), "\n{}", faults.join("\n\n"));
    let (seen, seconds) = totals.into_inner().unwrap();
    let seeds_played = seeds + 1 - first;
    let mornings = seeds_played * DAYS;
    println!(
        "seeds {first} to {seeds}: {mornings} mornings, {:.0} a second on one core\n{seen:?}",
        mornings as f64 / seconds
    );
    // What the seeds shall meet, they meet.
    let met = [seen.dead, seen.skipped, seen.tickets, seen.fenced, seen.interrupted, seen.not_sent, seen.deaths];
    assert!(met.into_iter().chain([seen.stops, seen.sleeps]).all(|times| times > seeds_played / 50), "{seen:?}");
    assert!(seen.done > mornings / 2 && seen.done > 4 * seen.dead, "{seen:?}");
}

/// One seed again, told line by line: `SUNUP_SEED=7 cargo test --locked --test simulation seeds::replay -- --nocapture`.
#[test]
fn replay() {
    let seed = number("SUNUP_SEED").unwrap_or(1);
    let (one, two) = (play(seed, None, true), play(seed, None, true));
    assert_eq!(one.told, two.told, "a seed is the same each time");
    if number("SUNUP_SEED").is_some() {
        println!("{}\n{:?}", one.told.join("\n"), one.broken);
    }
    assert!(one.broken.is_none(), "{:?}", one.broken);
}

/// Seconds that this thread has worked.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    stat.split_whitespace().next().and_then(|text| text.parse::<f64>().ok()).unwrap_or_default() / 1e9
}
