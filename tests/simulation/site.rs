//! The simulated site: what is true, and what its pages show, which is not always the same.

use chrono::{DateTime, TimeDelta, Utc};
use rust_decimal::Decimal;
use sunup::run::{Answer, Failure, FailureKind, Which};

/// How a site behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Acts count, and show at once.
    Honest,
    /// Acts count, and show this long after.
    Lags(i64),
    /// Acts count for nothing.
    Deaf,
    /// Every third read fails.
    Flaky,
    /// The first attempt to get to the commit step fails.
    Stumbles,
    /// The first act is refused: it counts for nothing, and the site says so.
    Refuses,
    /// Acts count, show a while later, and the site says no all the same.
    SaysNo,
    /// The day's thing was done by phone already.
    DoneBefore,
}

impl Manner {
    pub const ALL: [Manner; 9] = [
        Manner::Honest,
        Manner::Lags(30),
        Manner::Lags(600),
        Manner::Deaf,
        Manner::Flaky,
        Manner::Stumbles,
        Manner::Refuses,
        Manner::SaysNo,
        Manner::DoneBefore,
    ];
}

/// One site with one account and one task.
#[derive(Debug, Clone)]
pub struct Site {
    manner: Manner,
    /// How many there shall be; 1 for a plain task.
    pub want: u32,
    /// When each act arrived.
    pub acts: Vec<DateTime<Utc>>,
    reads: u32,
    prepares: u32,
    refusals: u32,
}

impl Site {
    pub fn new(manner: Manner, want: u32) -> Self {
        Site { manner, want, acts: Vec::new(), reads: 0, prepares: 0, refusals: 0 }
    }

    /// What is true of the server now, whatever its pages show.
    pub fn is_done(&self) -> bool {
        match self.manner {
            Manner::DoneBefore => true,
            Manner::Deaf => false,
            _ => self.acts.len() >= self.want as usize,
        }
    }

    fn shown(&self, now: DateTime<Utc>) -> u32 {
        match self.manner {
            Manner::DoneBefore => self.want,
            Manner::Deaf => 0,
            Manner::SaysNo => self.acts.iter().filter(|at| **at + TimeDelta::seconds(60) <= now).count() as u32,
            Manner::Lags(seconds) => {
                self.acts.iter().filter(|at| **at + TimeDelta::seconds(seconds) <= now).count() as u32
            }
            _ => self.acts.len() as u32,
        }
    }

    /// What a section reads.
    pub fn read(&mut self, which: Which, counts: bool, now: DateTime<Utc>) -> Result<Answer, Failure> {
        self.reads += 1;
        if self.manner == Manner::Flaky && self.reads % 3 == 1 {
            return Err(Failure::new(FailureKind::ServerError, "500").at_step(format!("read {}", self.reads)));
        }
        let have = self.shown(now);
        Ok(match (counts, have >= self.want, which) {
            (true, ..) => Answer::Goal { have: Decimal::from(have), want: Some(Decimal::from(self.want)) },
            (false, true, _) => Answer::Done,
            (false, false, Which::Check) => Answer::Todo,
            (false, false, _) => Answer::NotYet,
        })
    }

    /// The steps before the commit.
    pub fn prepare(&mut self) -> Result<(), Failure> {
        self.prepares += 1;
        match self.manner {
            Manner::Stumbles if self.prepares == 1 => Err(Failure::new(FailureKind::PageChanged, "no button")),
            _ => Ok(()),
        }
    }

    /// The commit step, and what the site says if it says no.
    pub fn act(&mut self, now: DateTime<Utc>) -> Option<&'static str> {
        if self.manner == Manner::Refuses && self.refusals == 0 {
            self.refusals += 1;
            return Some("full");
        }
        self.acts.push(now);
        (self.manner == Manner::SaysNo).then_some("full")
    }
}
