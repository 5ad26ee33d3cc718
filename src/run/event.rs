//! What happened to a key: the ledger's lines. State is folded from them, and from nothing else.

use serde::{Deserialize, Serialize};

use super::{Failure, Note, Reading, Status};

/// Which section was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Which {
    /// `check`.
    Check,
    /// `verify`, before the act: one that already held proves nothing.
    Baseline,
    /// `verify`, after the act.
    Verify,
    /// `sign_in.check`, on behalf of the key.
    SignIn,
}

impl Which {
    /// Its name in task files.
    pub fn word(self) -> &'static str {
        match self {
            Which::Check => "check",
            Which::Baseline => "baseline",
            Which::Verify => "verify",
            Which::SignIn => "sign_in.check",
        }
    }
}

/// Who asked "run now?".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The morning: `sunup run`.
    Schedule,
    /// A hand-started task: `sunup run TASK`.
    Hand,
    /// A retry or a repeated verify that fell due.
    Retry,
    /// A slot that was passed while the daemon slept, or before it was started.
    CatchUp,
    /// The clock went ahead (sleep, suspend, a step), and no slot lay in between.
    Resume,
    /// The API: "run now".
    Api,
}

impl Source {
    /// The word in the ledger.
    pub fn word(self) -> &'static str {
        match self {
            Source::Schedule => "schedule",
            Source::Hand => "hand",
            Source::Retry => "retry",
            Source::CatchUp => "catch_up",
            Source::Resume => "resume",
            Source::Api => "api",
        }
    }
}

/// One thing that happened to a key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A decision said yes; an attempt begins.
    Started {
        /// Who asked.
        source: Source,
    },
    /// A section was read.
    Read {
        /// Which.
        which: Which,
        /// What it said.
        reading: Reading,
    },
    /// A section could not be read: unknown, never "no".
    ReadFailed {
        /// Which.
        which: Which,
        /// Why.
        failure: Failure,
    },
    /// The steps before the commit are done, the commit target stands ready.
    Prepared {
        /// Drift seen on the way.
        notes: Vec<Note>,
    },
    /// They could not be done. Nothing was sent.
    PrepareFailed {
        /// Why.
        failure: Failure,
    },
    /// An `expect` before the commit said: not open yet, or nothing to do.
    Halted {
        /// True for `later`, false for `skip`.
        later: bool,
        /// The reason in the task file.
        reason: String,
    },
    /// The intent is durable: the commit step is about to happen.
    Intended {
        /// The generation it was written for.
        generation: u32,
        /// For a goal: the unit's `have`.
        unit: Option<String>,
    },
    /// The commit step was dispatched, or may have been.
    Committed {
        /// What went wrong then or after it; `verify` decides.
        trouble: Option<Failure>,
        /// What the site showed then, if it said no.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        refused: Option<String>,
    },
    /// The site had said no after the commit, and two reads of `check` agree: the intent is freed.
    Released {
        /// What the site said.
        reason: String,
    },
    /// Proved that nothing was dispatched: the intent is freed.
    NotSent {
        /// What the driver said, or what changed in between.
        failure: Failure,
    },
    /// A runner died while it worked on this key, as the next one writes; or it was told to stop, and writes that itself.
    Interrupted,
    /// It was decided to run, but the machine or a block on the account came first.
    NotTried {
        /// What came first.
        failure: Failure,
    },
    /// `act: person`: the person was asked, by ticket.
    Asked {
        /// The ticket's number.
        ticket: i64,
    },
    /// The ledger lost lines in the time of this key: it may be done already, with nothing on record.
    Doubted {
        /// The loss's number.
        loss: i64,
    },
    /// A person ordered the act of a key in doubt, after `check` said that it is to do.
    Allowed {
        /// The ticket by whose closing it was ordered.
        ticket: i64,
    },
    /// A person, who has looked, orders a key that is dead to go on: it may act again once `check` says "to do".
    Ordered {
        /// Who.
        by: String,
    },
    /// Closed without a read.
    Closed {
        /// `skipped` or `dead`.
        status: Status,
        /// Why.
        reason: String,
    },
}

impl Event {
    /// A word for the ledger's `kind` column.
    pub fn word(&self) -> &'static str {
        match self {
            Event::Started { .. } => "started",
            Event::Read { .. } => "read",
            Event::ReadFailed { .. } => "read_failed",
            Event::Prepared { .. } => "prepared",
            Event::PrepareFailed { .. } => "prepare_failed",
            Event::Halted { .. } => "halted",
            Event::Intended { .. } => "intended",
            Event::Committed { .. } => "committed",
            Event::Released { .. } => "released",
            Event::NotSent { .. } => "not_sent",
            Event::Interrupted => "interrupted",
            Event::NotTried { .. } => "not_tried",
            Event::Asked { .. } => "asked",
            Event::Doubted { .. } => "doubted",
            Event::Allowed { .. } => "allowed",
            Event::Ordered { .. } => "ordered",
            Event::Closed { .. } => "closed",
        }
    }

    /// The failure in it, if there is one.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Event::ReadFailed { failure, .. }
            | Event::PrepareFailed { failure }
            | Event::NotSent { failure }
            | Event::NotTried { failure } => Some(failure),
            Event::Committed { trouble, .. } => trouble.as_ref(),
            _ => None,
        }
    }
}
