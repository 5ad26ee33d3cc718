//! Finding the element that a locator means: displayed, the only one, usable; and waiting until it is.

use std::time::Duration;

use serde_json::{Value as Json, json};

use super::command::{Action, Context, Element, Refusal, Response};
use super::steps::{Walk, refused};
use super::visit::Note;
use super::wire::{ELEMENT_KEY, element};
use crate::files::model::{By, Locator, Target};
use crate::run::{Failure, FailureKind};
use crate::values::parse::normal;

/// How long a better alternative may take to appear before a later one is taken, and how long a second hit may take to
/// go away before it is a fault: pages are built step by step.
const PATIENCE: Duration = Duration::from_secs(1);
/// The longest wait for a change that no observer sees, such as one inside a shadow root.
const LOOK_AGAIN: Duration = Duration::from_millis(250);
/// About one frame: while a candidate is there that cannot be used yet.
const FRAME: Duration = Duration::from_millis(16);
/// How long a page may take until everything on it is loaded, before its elements are judged without the driver.
const COMPLETE: Duration = Duration::from_secs(2);
/// How often a page that does not show what is waited for is asked whether it wants a person instead.
const WATCH_OUT: Duration = Duration::from_secs(2);

/// The page script hands out no more hits of a look than this.
pub(super) const MOST_HITS: usize = 300;

/// An element that was found.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub element: Element,
    /// In words, for a person.
    pub shown: String,
}

/// What must be true of an element before it is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// A person sees it.
    Displayed,
    /// It can be used as well: still, uncovered, enabled.
    Usable,
}

/// What one look at a page gave.
#[derive(Debug)]
struct Look {
    hits: Vec<Found>,
    /// In the page, but not displayed.
    hidden: usize,
    /// Where it was looked, and how often the page had changed then.
    context: Context,
    changes: Json,
}

/// What one look at a target gave.
enum Sight {
    One(Found, usize),
    Many(Vec<String>),
    Nothing { hidden: bool },
}

/// The document and the element to look in.
pub(super) type Root = Option<(Context, Option<Element>)>;

impl Walk<'_, '_> {
    /// The element that a target means, once it is there and good; at the latest when the step's time is over.
    pub(super) async fn locate(&mut self, target: &Target, need: Need) -> Result<Found, Failure> {
        let start = self.visit.clock.uptime();
        let mut watched = start;
        loop {
            let waited = self.visit.clock.uptime().saturating_sub(start);
            let (sight, look) = self.sight(target).await?;
            let (trouble, close) = match sight {
                Sight::One(found, index) if is_best(target, index) || waited >= PATIENCE => {
                    match self.unusable(&found, need).await? {
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
            if self.visit.clock.uptime().saturating_sub(watched) >= WATCH_OUT {
                self.watch_everywhere().await?;
                watched = self.visit.clock.uptime();
            }
            self.wait_for_change(look, if close { FRAME } else { LOOK_AGAIN }).await?;
        }
    }

    /// The element if it is there now; none when it is not. Two are a fault.
    pub(super) async fn locate_now(&mut self, target: &Target) -> Result<Option<Found>, Failure> {
        match self.sight(target).await?.0 {
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
        Ok(self.look(locator).await?.hits)
    }

    /// Waits until nothing of the target is displayed.
    pub(super) async fn wait_gone(&mut self, target: &Target) -> Result<(), Failure> {
        loop {
            let mut last = None;
            for locator in locators(target) {
                let look = self.look(locator).await?;
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

    /// Why an element is not good yet.
    pub(super) async fn unusable(&mut self, found: &Found, need: Need) -> Result<Option<String>, Failure> {
        if need == Need::Displayed {
            return Ok(None);
        }
        let argument = element(&found.element.reference);
        let answer = self.page(&found.element.context, "unusable", vec![argument]).await?;
        Ok(match answer {
            Ok(Json::Null) => None,
            Ok(why) => Some(why.as_str().unwrap_or("it cannot be used").to_owned()),
            Err(refusal) => Some(refusal.to_string()),
        })
    }

    /// One look at all locators of a target, the best first.
    async fn sight(&mut self, target: &Target) -> Result<(Sight, Look), Failure> {
        let (mut hidden, mut last) = (false, None);
        for (index, locator) in locators(target).iter().enumerate() {
            let mut look = self.look(locator).await?;
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

    /// The displayed hits of a locator, `nth` applied.
    async fn look(&mut self, locator: &Locator) -> Result<Look, Failure> {
        let base = self.context.clone();
        self.look_from(base, locator).await
    }

    async fn look_from(&mut self, base: Context, locator: &Locator) -> Result<Look, Failure> {
        let nothing = |context| Look { hits: Vec::new(), hidden: 0, context, changes: Json::Null };
        let Some((context, root)) = self.root(base.clone(), locator).await? else { return Ok(nothing(base)) };
        let root = root.map_or(Json::Null, |root| element(&root.reference));
        let by_role = matches!(locator.by, By::Role { .. });
        let by_driver = by_role && self.wait_until_complete(&context).await?;
        let query = vec![self.query(locator)?, root, json!(by_role && !by_driver)];
        let answer = match self.page(&context, "look", query).await? {
            Ok(answer) => answer,
            Err(Refusal::Script(why)) if why.contains("SyntaxError") || why.contains("not a valid") => {
                return Err(Failure::new(
                    FailureKind::PageChanged,
                    format!("{} cannot be read: {why}.", self.describe(locator)?),
                ));
            }
            // The document is being replaced, or the surrounding element was drawn again: look again.
            Err(Refusal::Script(_) | Refusal::Stale | Refusal::Gone) => return Ok(nothing(base)),
            Err(refusal) => return Err(refused(&refusal)),
        };
        let mut hits = hits_in(&answer, &context);
        if let (By::Role { role, name }, true) = (&locator.by, by_driver) {
            let name = name.as_ref().map(|name| self.render(name)).transpose()?;
            hits = self.judged(hits, role, name.as_deref(), locator.exact).await?;
        }
        if let Some(nth) = locator.nth {
            hits = hits.into_iter().skip((nth as usize).saturating_sub(1)).take(1).collect();
        }
        let hidden = answer.get("hidden").and_then(Json::as_u64).unwrap_or_default() as usize;
        let changes = answer.get("changes").cloned().unwrap_or_default();
        Ok(Look { hits, hidden, context, changes })
    }

    /// The driver computes roles and names only once everything on a page is loaded, and does not answer before: an image
    /// that never ends would hold it up for ever. After some patience the page script's own judgement has to do.
    async fn wait_until_complete(&mut self, context: &Context) -> Result<bool, Failure> {
        let patience = json!(COMPLETE.min(self.left()).as_millis() as u64);
        Ok(self.page(context, "complete", vec![patience]).await?.is_ok_and(|answer| answer == Json::Bool(true)))
    }

    /// The document and the element that a locator is to be looked for in; none while they are not there.
    fn root<'w>(
        &'w mut self,
        base: Context,
        locator: &'w Locator,
    ) -> std::pin::Pin<Box<dyn Future<Output = Result<Root, Failure>> + Send + 'w>> {
        Box::pin(async move {
            let mut context = base;
            if let Some(frame) = &locator.frame {
                let Some(found) = self.surrounding(context.clone(), frame).await? else { return Ok(None) };
                context = context.inside(&found.element);
            }
            let Some(within) = &locator.within else { return Ok(Some((context, None))) };
            let found = self.surrounding(context, within).await?;
            Ok(found.map(|found| (found.element.context.clone(), Some(found.element))))
        })
    }

    /// Where a locator's own query is to be asked.
    pub(super) async fn root_of(&mut self, locator: &Locator) -> Result<Root, Failure> {
        let base = self.context.clone();
        self.root(base, locator).await
    }

    async fn surrounding(&mut self, context: Context, locator: &Locator) -> Result<Option<Found>, Failure> {
        let mut hits = self.look_from(context, locator).await?.hits;
        if hits.len() > 1 {
            let shown: Vec<String> = hits.iter().map(|hit| hit.shown.clone()).collect();
            return Err(self.ambiguous(&Target::Alternatives(vec![locator.clone()]), &shown));
        }
        Ok(hits.pop())
    }

    /// Those candidates whose role and name are the wanted ones by the W3C's rules, as the driver computes them.
    async fn judged(
        &mut self,
        candidates: Vec<Found>,
        role: &str,
        name: Option<&str>,
        exact: bool,
    ) -> Result<Vec<Found>, Failure> {
        let mut judged = Vec::new();
        for candidate in candidates {
            let reference = candidate.element.reference.clone();
            let context = candidate.element.context.clone();
            if self.text_of(&context, Action::Role(reference.clone())).await?.as_deref() != Some(role) {
                continue;
            }
            if let Some(wanted) = name {
                let label = self.text_of(&context, Action::Label(reference)).await?.unwrap_or_default();
                let (label, wanted) = (normal(&label), normal(wanted));
                if !(if exact { label == wanted } else { label.contains(&wanted) }) {
                    continue;
                }
            }
            judged.push(candidate);
        }
        Ok(judged)
    }

    async fn text_of(&mut self, context: &Context, action: Action) -> Result<Option<String>, Failure> {
        match self.ask(context, action).await? {
            Response::Text(text) => Ok(Some(text)),
            _ => Ok(None),
        }
    }

    /// Waits until the page changed since a look, at the latest for `limit`.
    async fn wait_for_change(&mut self, look: Look, limit: Duration) -> Result<(), Failure> {
        let limit = limit.min(self.left());
        let arguments = vec![look.changes, json!(limit.as_millis() as u64)];
        if self.page(&look.context, "settle", arguments).await?.is_err() {
            // The document went away while we waited, which is a change as well; but a broken one must not make us spin.
            self.visit.clock.sleep_real(FRAME).await;
        }
        Ok(())
    }

    /// A locator as the page script takes it.
    pub(super) fn query(&self, locator: &Locator) -> Result<Json, Failure> {
        let (by, value) = match &locator.by {
            By::Role { role, name } => {
                let name = name.as_ref().map(|name| self.render(name)).transpose()?;
                let text = locator.text.as_ref().map(|text| self.render(text)).transpose()?;
                return Ok(json!({ "by": "role", "role": role, "name": name, "exact": locator.exact, "text": text }));
            }
            By::Label(value) => ("label", value),
            By::Text(value) => ("text", value),
            By::Placeholder(value) => ("placeholder", value),
            By::TestId(value) => ("testid", value),
            By::Css(value) => ("css", value),
            By::Xpath(value) => ("xpath", value),
        };
        let text = locator.text.as_ref().map(|text| self.render(text)).transpose()?;
        Ok(json!({ "by": by, "value": self.render(value)?, "exact": locator.exact, "text": text }))
    }

    /// A locator with what it is within, for places where the driver is not asked about roles.
    pub(super) fn nested_query(&self, locator: &Locator, with_within: bool) -> Result<Json, Failure> {
        let mut query = self.query(locator)?;
        query["nth"] = json!(locator.nth);
        if let Some(within) = locator.within.as_ref().filter(|_| with_within) {
            query["within"] = self.nested_query(within, true)?;
        }
        Ok(query)
    }

    /// A locator in words.
    pub(super) fn describe(&self, locator: &Locator) -> Result<String, Failure> {
        let mut words = match &locator.by {
            By::Role { role, name: None } => role.clone(),
            By::Role { role, name: Some(name) } => format!("{role} “{}”", self.render(name)?),
            By::Label(value) => format!("label “{}”", self.render(value)?),
            By::Text(value) => format!("text “{}”", self.render(value)?),
            By::Placeholder(value) => format!("placeholder “{}”", self.render(value)?),
            By::TestId(value) => format!("testid `{}`", self.render(value)?),
            By::Css(value) => format!("css `{}`", self.render(value)?),
            By::Xpath(value) => format!("xpath `{}`", self.render(value)?),
        };
        if let Some(text) = &locator.text {
            words.push_str(&format!(" with text “{}”", self.render(text)?));
        }
        if let Some(nth) = locator.nth {
            words.push_str(&format!(", number {nth}"));
        }
        if let Some(within) = &locator.within {
            words.push_str(&format!(" within {}", self.describe(within)?));
        }
        if let Some(frame) = &locator.frame {
            words.push_str(&format!(" in the frame {}", self.describe(frame)?));
        }
        Ok(words)
    }

    fn describe_all(&self, target: &Target) -> Result<String, Failure> {
        let words: Result<Vec<String>, Failure> = locators(target).iter().map(|each| self.describe(each)).collect();
        Ok(words?.join(", or "))
    }

    fn absent(&self, target: &Target, hidden: bool) -> Result<String, Failure> {
        let what = self.describe_all(target)?;
        Ok(if hidden {
            format!("{what} is in the page but not displayed")
        } else {
            format!("{what} is not in the page")
        })
    }

    fn ambiguous(&self, target: &Target, shown: &[String]) -> Failure {
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
        if !self.signs_in && self.place().await.is_ok_and(|place| place.password_shown) {
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

pub(super) fn locators(target: &Target) -> &[Locator] {
    match target {
        Target::Alternatives(locators) | Target::FirstOf(locators) => locators,
    }
}

fn hits_in(answer: &Json, context: &Context) -> Vec<Found> {
    let hits = answer.get("hits").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let found = hits.iter().filter_map(|hit| {
        let reference = hit.get("element")?.get(ELEMENT_KEY)?.as_str()?.to_owned();
        let shown = hit.get("shown")?.as_str()?.to_owned();
        Some(Found { element: Element { context: context.clone(), reference }, shown })
    });
    found.collect()
}
