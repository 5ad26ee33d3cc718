//! What a person who watches a run is told.

use crate::clock::Instant;
use crate::files::model::Task;
use crate::run::{Failure, Key, Status};

/// One thing worth showing.
#[derive(Debug, Clone)]
pub enum Progress<'a> {
    /// A browser starts for a lane.
    Browser {
        /// `site@account`.
        lane: &'a str,
    },
    /// Work on a key begins.
    Started {
        /// The key.
        key: &'a Key,
        /// Its task.
        task: &'a Task,
        /// The task's name.
        name: &'a str,
    },
    /// Work on it rests or is over.
    Rests {
        /// The key.
        key: &'a Key,
        /// Its task.
        task: &'a Task,
        /// The task's name.
        name: &'a str,
        /// Its status now.
        status: Status,
        /// What went wrong last.
        failure: Option<&'a Failure>,
        /// Why.
        reason: Option<&'a str>,
        /// It goes on then.
        due: Option<Instant>,
    },
    /// Everything waits until then.
    Waiting(Instant),
}

/// Somebody who watches.
pub trait Watch {
    /// Is told.
    fn tell(&self, progress: Progress<'_>);
}

/// Nobody watches.
#[derive(Debug, Clone, Copy)]
pub struct Quiet;

impl Watch for Quiet {
    fn tell(&self, _: Progress<'_>) {}
}
