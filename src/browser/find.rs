//! Finding the element that a locator means: displayed, the only one, usable; and waiting until it is.

use std::time::Duration;

use serde_json::Value as Json;

use super::locator::locators;
use super::look::{Found, Look, as_ready};
use super::steps::Walk;
use super::visit::Note;
use super::wire::element;
use crate::files::model::{Locator, Target};
use crate::run::{Failure, FailureKind};

/// How long a better alternative may take to appear before a later one is taken, and how long a second hit may take to
/// go away before it is a fault: pages are built step by step.
const PATIENCE: Duration = Duration::from_secs(1);
/// The longest wait for a change that no observer sees, such as one inside a shadow root.
const LOOK_AGAIN: Duration = Duration::from_millis(250);
/// About one frame: while a candidate is there that cannot be used yet.
pub(super) const FRAME: Duration = Duration::from_millis(16);
/// How often a page that does not show what is waited for is asked whether it wants a person instead.
const WATCH_OUT: Duration = Duration::from_secs(2);

/// What must be true of an element before it is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// A person sees it.
    Displayed,
    /// A person sees it, and then the step is done: the look is one for what asks for a person as well.
    DisplayedAtLast,
    /// It can be used as well: still, uncovered, enabled.
    Usable,
}

/// What one look at a target gave.
enum Sight {
    One(Found, usize),
    Many(Vec<String>),
    Nothing { hidden: bool },
}

impl Walk<'_, '_> {
    /// The element that a target means, once it is there and good; at the latest when the step's time is over.
    pub(super) async fn locate(&mut self, target: &Target, need: Need) -> Result<Found, Failure> {
        let start = self.visit.clock.uptime();
        let mut watched = None;
        loop {
            let waited = self.visit.clock.uptime().saturating_sub(start);
            let (sight, look) = self.sight(target, need).await?;
            let (trouble, close) = match sight {
                Sight::One(mut found, index) if is_best(target, index) || waited >= PATIENCE => {
                    match self.why_not(&mut found, need).await? {
                        None => {
                            self.note_drift(target, index, &found);
                            return Ok(found);
                        }
                        Some(why) => (format!("{} cannot be used: {why}", found.shown), true),
                    }
                }
                Sight::One(..) => (String::new(), false),
                Sight::Many(shown) if waited >= PATIENCE => return Err(self.ambiguous(target, &shown)),
                Sight::Many(_) => (String::new(), false),
                Sight::Nothing { hidden } => (self.absent(target, hidden)?, hidden),
            };
            if self.left().is_zero() {
                return Err(self.not_found(target, trouble).await);
            }
            // What is not there at once may be hidden by what asks for a person.
            watched = self.watch_again(watched).await?;
            self.wait_for_change(look, if close { FRAME } else { LOOK_AGAIN }).await?;
        }
    }

    /// A look at what asks for a person, if it is time for the next one; when the last one was.
    async fn watch_again(&mut self, last: Option<Duration>) -> Result<Option<Duration>, Failure> {
        match last {
            None => self.watch_out().await?,
            Some(last) if self.visit.clock.uptime().saturating_sub(last) >= WATCH_OUT => {
                self.watch_everywhere().await?
            }
            Some(last) => return Ok(Some(last)),
        }
        Ok(Some(self.visit.clock.uptime()))
    }

    /// The element if it is there now; none when it is not. Two are a fault.
    pub(super) async fn locate_now(&mut self, target: &Target) -> Result<Option<Found>, Failure> {
        match self.sight(target, Need::Displayed).await?.0 {
            Sight::One(found, index) => {
                self.note_drift(target, index, &found);
                Ok(Some(found))
            }
            Sight::Many(shown) => Err(self.ambiguous(target, &shown)),
            Sight::Nothing { .. } => Ok(None),
        }
    }

    /// Something of a target, if any of it is displayed now.
    pub(super) async fn any_of(&mut self, target: &Target) -> Result<Option<Found>, Failure> {
        for locator in locators(target) {
            if let Some(found) = self.hits(locator).await?.into_iter().next() {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The displayed hits of one locator, now.
    pub(super) async fn hits(&mut self, locator: &Locator) -> Result<Vec<Found>, Failure> {
        Ok(self.look(locator, Need::Displayed).await?.hits)
    }

    /// Waits until nothing of the target is displayed.
    pub(super) async fn wait_gone(&mut self, target: &Target) -> Result<(), Failure> {
        loop {
            let mut last = None;
            for locator in locators(target) {
                let look = self.look(locator, Need::Displayed).await?;
                if !look.hits.is_empty() {
                    last = Some(look);
                    break;
                }
            }
            let Some(look) = last else { return Ok(()) };
            if self.left().is_zero() {
                let shown = look.hits.first().map(|hit| hit.shown.clone()).unwrap_or_default();
                return Err(Failure::new(FailureKind::Timeout, format!("{shown} is still displayed.")));
            }
            self.wait_for_change(look, Duration::from_millis(50)).await?;
        }
    }

    /// Why an element is not good yet. Most looks have found that out already.
    async fn why_not(&mut self, found: &mut Found, need: Need) -> Result<Option<String>, Failure> {
        if need != Need::Usable {
            return Ok(None);
        }
        if found.ready.is_none() {
            let arguments = vec![element(&found.element.reference)];
            match self.page(&found.element.context, "ready", arguments).await? {
                Ok(answer) => found.ready = as_ready(&answer),
                Err(refusal) => return Ok(Some(refusal.to_string())),
            }
        }
        let unclear = || Some("it cannot be used".to_owned());
        Ok(found.ready.as_ref().map_or_else(unclear, |ready| ready.why.clone()))
    }

    /// Why an element cannot be used now.
    pub(super) async fn unusable(&mut self, found: &Found) -> Result<Option<String>, Failure> {
        let argument = element(&found.element.reference);
        let answer = self.page(&found.element.context, "unusable", vec![argument]).await?;
        Ok(match answer {
            Ok(Json::Null) => None,
            Ok(why) => Some(why.as_str().unwrap_or("it cannot be used").to_owned()),
            Err(refusal) => Some(refusal.to_string()),
        })
    }

    /// One look at all locators of a target, the best first.
    async fn sight(&mut self, target: &Target, need: Need) -> Result<(Sight, Look), Failure> {
        let (mut hidden, mut last) = (false, None);
        for (index, locator) in locators(target).iter().enumerate() {
            let mut look = self.look(locator, need).await?;
            hidden |= look.hidden > 0;
            match look.hits.len() {
                0 => last = Some(look),
                1 => return Ok((Sight::One(look.hits.remove(0), index), look)),
                _ => return Ok((Sight::Many(look.hits.iter().map(|hit| hit.shown.clone()).collect()), look)),
            }
        }
        let context = self.context.clone();
        let nowhere = || Look { hits: Vec::new(), hidden: 0, context, changes: Json::Null };
        Ok((Sight::Nothing { hidden }, last.unwrap_or_else(nowhere)))
    }

    fn absent(&self, target: &Target, hidden: bool) -> Result<String, Failure> {
        let what = self.describe_all(target)?;
        Ok(if hidden {
            format!("{what} is in the page but not displayed")
        } else {
            format!("{what} is not in the page")
        })
    }

    pub(super) fn ambiguous(&self, target: &Target, shown: &[String]) -> Failure {
        let what = self.describe_all(target).unwrap_or_default();
        let message = format!("{what} means {} elements; say which by `within` or `nth`.", shown.len());
        Failure {
            candidates: shown.iter().take(5).cloned().collect(),
            ..Failure::new(FailureKind::PageChanged, message)
        }
    }

    /// Nothing was found in time: said with what is there instead.
    async fn not_found(&mut self, target: &Target, trouble: String) -> Failure {
        self.set_limit(Duration::from_secs(5));
        // Where a password is asked for and we are not the ones who type it, nobody is signed in any more.
        if !self.signs_in && self.asks_for_password().await == Ok(Some(true)) {
            return Failure::new(FailureKind::SessionExpired, format!("The page asks to sign in; {trouble}."));
        }
        let candidates = self.nearest(target).await.unwrap_or_default();
        Failure { candidates, ..Failure::new(FailureKind::PageChanged, format!("{trouble}.")) }
    }

    async fn nearest(&mut self, target: &Target) -> Result<Vec<String>, Failure> {
        let Some(locator) = locators(target).first() else { return Ok(Vec::new()) };
        let base = self.context.clone();
        let (context, root) = self.root(base.clone(), locator).await?.unwrap_or((base, None));
        let query = self.query(locator)?;
        let root = root.map_or(Json::Null, |root| element(&root.reference));
        let answer = self.page(&context, "nearest", vec![query, root]).await?.unwrap_or_default();
        Ok(answer.as_array().into_iter().flatten().filter_map(Json::as_str).map(str::to_owned).collect())
    }

    fn note_drift(&mut self, target: &Target, index: usize, found: &Found) {
        if let (Target::Alternatives(locators), 1..) = (target, index) {
            let first = locators.first().and_then(|first| self.describe(first).ok()).unwrap_or_default();
            let by = locators.get(index).and_then(|by| self.describe(by).ok()).unwrap_or_default();
            self.note(Note::Drift(format!("{first} was not found; {} was found by {by}", found.shown)));
        }
    }
}

/// The first alternative is taken at once; of different things the first that is there.
fn is_best(target: &Target, index: usize) -> bool {
    index == 0 || matches!(target, Target::FirstOf(_))
}
