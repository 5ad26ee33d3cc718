//! What the runner asks of a browser: read a section, get ready for the commit step, commit, finish.
//!
//! Steps are interpreted over the seam [`Browser`]; nothing here decides whether something may be done.

use std::path::Path;

use crate::clock::Clock;
use crate::files::condition::Scope;
use crate::files::model::Site;
pub use crate::run::{Answer, Reading};
use crate::run::{Failure, Note};

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
