//! The judges of the fuzz targets, on some thousands of inputs drawn from one seed: `make fuzz` looks for an hour each.

#[path = "../fuzz/targets/condition/text.rs"]
mod condition;
#[path = "../fuzz/targets/loader/folder.rs"]
mod loader;
#[path = "../fuzz/targets/fold/life.rs"]
mod fold;

use fastrand::Rng;

/// The same inputs in every run.
const SEED: u64 = 20_261_130;

fn bytes(random: &mut Rng, longest: usize) -> Vec<u8> {
    let length = random.usize(..=longest);
    (0..length).map(|_| random.u8(..)).collect()
}

#[test]
fn the_lines_of_any_ledger_fold_to_what_was_lived() {
    let mut random = Rng::with_seed(SEED);
    for _ in 0..3_000 {
        fold::judge(&bytes(&mut random, 600));
    }
}

/// Words of the language, in any order.
#[test]
fn any_condition_is_answered_refused_or_unknown() {
    const WORDS: [&str; 30] = [
        "signed",
        "lost",
        "level",
        "huge",
        "least",
        "views",
        "at",
        "day",
        "user",
        "nobody",
        "details",
        "vars.n",
        "vars.bad",
        "account.username",
        "account.password",
        "count(",
        "sum(",
        "title",
        "amount=",
        "=",
        "==",
        "<",
        ">=",
        "and",
        "or",
        "not",
        "(",
        ")",
        "\"签到\"",
        "1.2万",
    ];
    let mut random = Rng::with_seed(SEED);
    for _ in 0..20_000 {
        let words: Vec<&str> = (0..random.usize(..12)).map(|_| WORDS[random.usize(..WORDS.len())]).collect();
        condition::judge(&words.join(if random.bool() { " " } else { "" }));
    }
}

/// The samples of wrong files, with some of their bytes changed.
#[test]
fn any_folder_loads_or_every_fault_has_a_place_and_a_cure() {
    let samples = concat!(include_str!("format/wrong.txt"), include_str!("format/not-yet.txt")).as_bytes();
    let mut random = Rng::with_seed(SEED);
    for _ in 0..150 {
        let from = random.usize(..samples.len());
        let until = samples.len().min(from + random.usize(..1_200));
        let mut text = samples[from..until].to_vec();
        for byte in &mut text {
            if random.u8(..) < 2 {
                *byte = random.u8(..);
            }
        }
        loader::judge(&text);
    }
}
