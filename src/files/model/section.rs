//! Sections: reads, and what they mean.

use super::{Place, Step};
use crate::files::condition::{Condition, Template};

/// `check`, `verify`, `sign_in.check`, `points`.
#[derive(Debug, Clone)]
pub struct Section {
    /// Reads, and what leads to them.
    pub steps: Vec<Step>,
    /// What it means.
    pub verdict: Verdict,
    /// Nothing to do in this period; looked at first.
    pub skip: Vec<Reasoned>,
    /// Not open yet; looked at second.
    pub later: Vec<Reasoned>,
    /// Lines for the report, whatever the verdict.
    pub notice: Vec<Reasoned>,
    /// Where it stands.
    pub place: Place,
}

/// How a section's reads are judged.
#[derive(Debug, Clone)]
pub enum Verdict {
    /// `done` and, except in some `verify`s, `todo`.
    Stated {
        /// True when it is done.
        done: Condition,
        /// True when it is to do.
        todo: Option<Condition>,
    },
    /// `goal:`.
    Goal {
        /// How many there are.
        have: Condition,
        /// How many there shall be.
        want: Want,
    },
    /// Only reads (`points`).
    Reads,
}

/// `want` or `more` of a goal.
#[derive(Debug, Clone)]
pub enum Want {
    /// So many.
    Total(Condition),
    /// So many more than at the period's first read.
    More(u32),
}

/// A condition with the reason to give when it holds.
#[derive(Debug, Clone)]
pub struct Reasoned {
    /// The condition.
    pub when: Condition,
    /// What to say.
    pub reason: Template,
}
