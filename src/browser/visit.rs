//! What the runner asks of a browser: read a section, get ready for the commit step, commit, finish.
//!
//! Steps are interpreted over the seam [`Browser`]; nothing here decides whether something may be done.

use std::path::Path;
use std::time::Duration;

pub use super::picture::Pictures;
use crate::clock::Clock;
use crate::files::condition::Scope;
use crate::files::model::{Refused, Section, Site, Step};
pub use crate::run::{Answer, Note, Reading};
use crate::run::{Failure, FailureKind};

use super::steps::Walk;
use super::{Browser, Context};

/// A site that says no after the commit says so within this.
const REFUSAL_COMES_WITHIN: Duration = Duration::from_secs(3);

/// One lane's browser at work for one site.
pub struct Visit<'a> {
    /// The browser.
    pub browser: &'a mut dyn Browser,
    /// For pauses, for `time` reads such as 刚刚, and for `keep: period`.
    pub clock: &'a dyn Clock,
    /// The site whose pages these are.
    pub site: &'a Site,
    /// The runner's zone: of `pause_until`.
    pub zone: chrono_tz::Tz,
    /// Relative file paths start here.
    pub root: &'a Path,
    /// The period of the key: what `keep: period` keeps.
    pub period: crate::timing::Period,
    /// Where pictures of failures are written; none for no pictures.
    pub pictures: Option<Pictures<'a>>,
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

impl From<Failure> for Halt {
    fn from(failure: Failure) -> Self {
        Halt::Failed(failure)
    }
}

impl Visit<'_> {
    /// Carries out a section and says what it means.
    pub async fn read_section(&mut self, section: &Section, scope: Scope) -> Result<Reading, Halt> {
        Walk::starting(self, &section.steps, scope).await?.section(section).await
    }

    /// The same of the section that says who is signed in; another person is a failure that needs a person.
    pub async fn read_identity(&mut self, section: &Section, scope: Scope) -> Result<Reading, Halt> {
        Walk::starting(self, &section.steps, scope).await?.identity(section).await
    }

    /// The steps before the commit step, and its target located. Sends nothing that may not be repeated.
    pub async fn prepare(&mut self, steps: &[Step], scope: Scope) -> Result<Prepared, Halt> {
        Walk::starting(self, steps, scope).await?.prepare(steps).await
    }

    /// The commit step, and nothing else.
    pub async fn commit(&mut self, steps: &[Step], prepared: &Prepared) -> Committed {
        let Some(step) = steps.get(prepared.commit) else {
            let message = "There is no commit step.";
            return Committed::NotSent(Failure::new(FailureKind::PageChanged, message));
        };
        let (context, scope) = (prepared.context.clone(), prepared.scope.clone());
        Walk::going_on(self, context, scope, prepared.signs_in).commit(step, prepared).await
    }

    /// The steps after the commit step. What fails in them is noted; `verify` decides.
    pub async fn finish(&mut self, steps: &[Step], prepared: Prepared) -> Option<Failure> {
        let Prepared { commit, scope, context, signs_in, .. } = prepared;
        Walk::going_on(self, context, scope, signs_in).finish(steps, commit).await
    }

    /// All steps of a `repeatable` act.
    pub async fn act_whole(&mut self, steps: &[Step], scope: Scope) -> Result<Vec<Note>, Halt> {
        let mut walk = Walk::starting(self, steps, scope).await?;
        walk.steps(steps, steps.len()).await?;
        Ok(walk.notes)
    }

    /// What asks for a person on the page that a submitted sign-in form led to, if anything does by now.
    pub async fn asks_for_person(&mut self, scope: Scope) -> Option<Failure> {
        let mut walk = Walk::going_on(self, Context::default(), scope, true);
        walk.set_limit(Duration::from_secs(5));
        walk.password_sent = true;
        let failure = walk.watch_everywhere().await.err().filter(|failure| failure.kind.needs_person())?;
        Some(walk.with_page(failure).await)
    }

    /// The reason of the first `refused` target that is displayed. The site is given a moment to say so.
    pub async fn shown_refusal(&mut self, refused: &[Refused], scope: Scope) -> Option<String> {
        let clock = self.clock;
        let began = clock.uptime();
        let mut walk = Walk::going_on(self, Context::default(), scope, false);
        walk.set_limit(Duration::from_secs(5));
        while !refused.is_empty() {
            for each in refused {
                if walk.any_of(&each.target).await.ok().flatten().is_some() {
                    return Some(each.reason.clone());
                }
            }
            if clock.uptime().saturating_sub(began) >= REFUSAL_COMES_WITHIN {
                break;
            }
            clock.sleep_real(Duration::from_millis(100)).await;
        }
        None
    }
}
