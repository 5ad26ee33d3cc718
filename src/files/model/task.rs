//! A task, and what it takes over from its site.

use std::time::Duration;

use super::{Place, Section, Step, Target, TextSource};
use crate::files::condition::Template;
use crate::timing::{PeriodKind, Schedule};

/// One task file.
#[derive(Debug, Clone)]
pub struct Task {
    /// The file's name without its ending; with the site's id in front it is the task's identity.
    pub id: String,
    /// For people.
    pub name: String,
    /// How long a key lasts.
    pub period: PeriodKind,
    /// May the act be repeated?
    pub effect: Effect,
    /// Ids of the accounts it is done for.
    pub accounts: Vec<String>,
    /// `vars.x`, those of the site first; each may use those before it.
    pub vars: Vec<(String, Template)>,
    /// What must hold first.
    pub requires: Vec<Requirement>,
    /// Reads whether it is done.
    pub check: Section,
    /// Does it.
    pub act: Act,
    /// What the site shows after the commit when it said no.
    pub refused: Vec<Refused>,
    /// What the person shall do (`act: person`).
    pub ask: Option<Template>,
    /// Reads the evidence.
    pub verify: Verify,
    /// How long the evidence may take to appear.
    pub settle: Duration,
    /// What the site is expected to credit; only to reconcile.
    pub reward: Option<Reward>,
    /// Attempts, and the wait between them.
    pub retry: Retry,
    /// Limit of one attempt; with `goal`, of one unit.
    pub timeout: Duration,
    /// When it may run.
    pub schedule: Schedule,
    /// What its keys say instead of its path: tasks that must not both do one thing share it.
    pub business_key: Option<Template>,
    /// Its former path, `site/task`, whose keys are its own.
    pub was: Option<String>,
    /// `notify:`.
    pub notify: Notify,
    /// `heartbeat.url`: pinged for this task alone.
    pub heartbeat: Option<TextSource>,
    /// The task file, for messages.
    pub place: Place,
}

/// May an act be repeated within its period?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Never: exactly one commit step.
    Once,
    /// Yes, after a look: the server itself counts it once.
    Repeatable,
}

/// `act:`.
#[derive(Debug, Clone)]
pub enum Act {
    /// Steps in the browser.
    Steps(Vec<Step>),
    /// A person does it.
    Person,
}

/// `verify:`.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant)] // There is one for each task: a box would save nothing.
pub enum Verify {
    /// The same reads as `check`, again, freshly.
    Check,
    /// Reads of its own.
    Section(Section),
}

/// Expected row in the site's points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reward {
    /// How many points.
    pub points: rust_decimal::Decimal,
    /// The row's title.
    pub title: String,
}

/// `retry:`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// Tries in a series: the total, at least 1.
    pub attempts: u32,
    /// First wait; doubles, with jitter.
    pub initial: Duration,
    /// A series that ended comes again after this.
    pub again: Duration,
    /// So many series inside the window.
    pub series: u32,
}

/// `notify:`: the ends that are told by a mail of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notify {
    /// It was skipped. Default false.
    pub skip: bool,
    /// It is dead. Default true.
    pub dead: bool,
}

impl Default for Notify {
    fn default() -> Self {
        Notify { skip: false, dead: true }
    }
}

/// One of `requires:`.
#[derive(Debug, Clone)]
pub enum Requirement {
    /// A task of the same site and account (`site` none), or a site's task for all its accounts.
    Task {
        /// The other site.
        site: Option<String>,
        /// The task's id.
        task: String,
    },
    /// A file that is there, and changed in this period where `changed_in_period`.
    File {
        /// Relative to the project's root.
        path: Template,
        /// A file of another day does not count.
        changed_in_period: bool,
    },
    /// A request that answers 200 to 299.
    Http {
        /// An `http` or `https` URL.
        url: Template,
    },
    /// A program of the user's that ends with 0. It must have no side effects: it is run again and again.
    Command {
        /// The program and its arguments.
        words: Vec<Template>,
    },
}

/// One of `refused:`.
#[derive(Debug, Clone)]
pub struct Refused {
    /// Displayed when the site said no.
    pub target: Target,
    /// What it means.
    pub reason: String,
}
