//! What the runner asks of a browser: read a section, get ready for the commit step, commit, finish.
//!
//! Steps are interpreted over the seam [`Browser`]; nothing here decides whether something may be done.

use std::path::Path;

use crate::clock::Clock;
use crate::files::condition::Scope;
use crate::files::model::{Refused, Section, Site, Step};
pub use crate::run::{Answer, Reading};
use crate::run::{Failure, FailureKind, Note};

use super::Browser;

/// One lane's browser at work for one site.
pub struct Visit<'a> {
    /// The browser.
    pub browser: &'a mut dyn Browser,
    /// For pauses, for `time` reads such as 刚刚, and for `keep: period`.
    pub clock: &'a dyn Clock,
    /// The site whose pages these are.
    pub site: &'a Site,
    /// Relative file paths start here.
    pub root: &'a Path,
    /// The period of the key: what `keep: period` keeps.
    pub period: crate::timing::Period,
    /// Where pictures of failures are written; none for no pictures.
    pub pictures: Option<&'a Path>,
}

/// Why steps before the commit came to an end.
#[derive(Debug, Clone, PartialEq)]
pub enum Halt {
    /// The world said no.
    Failed(Failure),
    /// An `expect` with `otherwise: later`.
    Later(String),
    /// An `expect` with `otherwise: skip`.
    Skip(String),
}

/// The steps before the commit are done; the commit target is located, usable, the only one.
#[derive(Debug)]
pub struct Prepared {
    /// Index of the commit step in the act; the number of steps when there is none (`repeatable`).
    pub commit: usize,
    /// Names read so far.
    pub scope: Scope,
    /// The element, where the commit step has a target.
    pub element: Option<super::Element>,
    /// The document that the steps are at.
    pub context: super::Context,
    /// A password was typed: this is a sign-in.
    pub signs_in: bool,
    /// Drift seen so far.
    pub notes: Vec<Note>,
}

/// What became of a commit step.
#[derive(Debug, Clone, PartialEq)]
pub enum Committed {
    /// It was, or may have been, dispatched. `trouble` is what went wrong then or in the steps after it.
    Sent {
        /// Noted; `verify` decides.
        trouble: Option<Failure>,
    },
    /// The driver's answer proves that nothing was dispatched.
    NotSent(Failure),
}

impl Visit<'_> {
    /// Carries out a section and says what it means.
    pub async fn read_section(&mut self, _section: &Section, _scope: Scope) -> Result<Reading, Halt> {
        Err(Halt::Failed(unbuilt()))
    }

    /// The steps before the commit step, and its target located. Sends nothing that may not be repeated.
    pub async fn prepare(&mut self, _steps: &[Step], _scope: Scope) -> Result<Prepared, Halt> {
        Err(Halt::Failed(unbuilt()))
    }

    /// The commit step, and nothing else.
    pub async fn commit(&mut self, _steps: &[Step], _prepared: &Prepared) -> Committed {
        Committed::NotSent(unbuilt())
    }

    /// The steps after the commit step. What fails in them is noted; `verify` decides.
    pub async fn finish(&mut self, _steps: &[Step], _prepared: Prepared) -> Option<Failure> {
        Some(unbuilt())
    }

    /// All steps of a `repeatable` act.
    pub async fn act_whole(&mut self, _steps: &[Step], _scope: Scope) -> Result<Vec<Note>, Halt> {
        Err(Halt::Failed(unbuilt()))
    }

    /// The reason of the first `refused` target that is displayed now.
    pub async fn shown_refusal(&mut self, _refused: &[Refused], _scope: Scope) -> Option<String> {
        None
    }
}

fn unbuilt() -> Failure {
    Failure::new(FailureKind::Environment, "the steps come with the next commit")
}
