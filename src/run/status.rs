//! The status of a task run. Ledger, report, command line and JSON use these very words.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What is true of one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Nothing was tried yet.
    #[default]
    Pending,
    /// An attempt is under way.
    Running,
    /// Acted, and `verify` read it from the server.
    Success,
    /// `check` read that it was done before anything was tried.
    AlreadyDone,
    /// Success, later than `grace` after its slot.
    Compensated,
    /// Nothing to do in this period; the reason is beside it.
    Skipped,
    /// Open, will be tried again in the window.
    Failed,
    /// Acted, the evidence is not there yet: only verify repeats.
    Unconfirmed,
    /// Waits for a person: a ticket says what to do.
    Blocked,
    /// Attempts or window used up; waits for a person's acknowledgement.
    Dead,
}

impl Status {
    /// The word in ledger, report, command line and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Status::Pending => "pending",
            Status::Running => "running",
            Status::Success => "success",
            Status::AlreadyDone => "already_done",
            Status::Compensated => "compensated",
            Status::Skipped => "skipped",
            Status::Failed => "failed",
            Status::Unconfirmed => "unconfirmed",
            Status::Blocked => "blocked",
            Status::Dead => "dead",
        }
    }

    /// True for what a read of the server closed as done.
    pub fn is_done(self) -> bool {
        matches!(self, Status::Success | Status::AlreadyDone | Status::Compensated)
    }

    /// True when nothing more happens in this period without a person.
    pub fn is_final(self) -> bool {
        self.is_done() || matches!(self, Status::Skipped | Status::Dead)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.word())
    }
}
