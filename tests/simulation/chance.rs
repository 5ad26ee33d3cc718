//! Chance from a seed: the same numbers on every machine.

use std::cell::Cell;

/// SplitMix64.
#[derive(Debug)]
pub struct Chance(Cell<u64>);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Chance(Cell::new(seed))
    }

    fn next(&self) -> u64 {
        self.0.set(self.0.get().wrapping_add(0x9e37_79b9_7f4a_7c15));
        let mut mixed = self.0.get();
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub fn below(&self, end: u64) -> u64 {
        self.next() % end
    }

    /// A number from `first` to `last`.
    pub fn between(&self, first: i64, last: i64) -> i64 {
        first + i64::try_from(self.below((last - first + 1).unsigned_abs())).unwrap()
    }

    /// True so many times in a thousand.
    pub fn in_thousand(&self, times: u32) -> bool {
        times > 0 && self.below(1_000) < u64::from(times)
    }

    pub fn one_of<T: Copy>(&self, choices: &[T]) -> T {
        choices[usize::try_from(self.below(choices.len() as u64)).unwrap()]
    }
}

#[test]
fn the_numbers_are_the_same_everywhere() {
    let chance = Chance::new(1_234_567);
    let numbers: Vec<u64> = (0..3).map(|_| chance.next()).collect();
    assert_eq!(numbers, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
}
