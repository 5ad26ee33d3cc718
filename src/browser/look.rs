//! One look at a page: the displayed elements that a locator means, now.

use std::pin::Pin;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::challenge::Glance;
use super::command::{Action, Context, Element, Refusal, Response};
use super::find::{FRAME, Need};
use super::steps::{Walk, refused};
use super::wire::{ELEMENT_KEY, element};
use crate::files::model::{By, Locator, Target};
use crate::run::{Failure, FailureKind};
use crate::values::parse::normal;

/// How long a page may take until everything on it is loaded, before its elements are judged without the driver.
const COMPLETE: Duration = Duration::from_secs(2);
/// The page script hands out no more hits of a look than this.
pub(super) const MOST_HITS: usize = 300;

/// An element that was found.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub element: Element,
    /// In words, for a person.
    pub shown: String,
    /// What the look before its use gave; none when it was not looked at for that.
    pub ready: Option<Ready>,
}

impl Found {
    /// An element that was found earlier.
    pub fn again(element: Element, shown: &str) -> Self {
        Found { element, shown: shown.to_owned(), ready: None }
    }
}

/// A look at an element that is about to be used.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Ready {
    /// Why it cannot be used yet; none says that it can.
    pub why: Option<String>,
    /// What the page said and had at that moment; none where the element cannot be used.
    pub glance: Option<Box<Glance>>,
}

/// What one look at a page gave.
#[derive(Debug)]
pub(super) struct Look {
    pub hits: Vec<Found>,
    /// In the page, but not displayed.
    pub hidden: usize,
    /// Where it was looked, and how often the page had changed then.
    pub context: Context,
    pub changes: Json,
}

/// The document and the element to look in.
pub(super) type Root = Option<(Context, Option<Element>)>;

impl Walk<'_, '_> {
    /// The displayed hits of a locator, `nth` applied.
    pub(super) async fn look(&mut self, locator: &Locator, need: Need) -> Result<Look, Failure> {
        let base = self.context.clone();
        self.look_from(base, locator, need).await
    }

    async fn look_from(&mut self, base: Context, locator: &Locator, need: Need) -> Result<Look, Failure> {
        let nothing = |context| Look { hits: Vec::new(), hidden: 0, context, changes: Json::Null };
        let Some((context, root)) = self.root(base.clone(), locator).await? else { return Ok(nothing(base)) };
        let root = root.map_or(Json::Null, |root| element(&root.reference));
        let by_role = matches!(locator.by, By::Role { .. });
        // The driver computes roles and names only once everything on a page is loaded, and does not answer before: an
        // image that never ends would hold it up for ever. After some patience the page script's own judgement has to do.
        let patience = by_role.then(|| COMPLETE.min(self.left()).as_millis() as u64);
        // Where the page has several, it is not known yet which one is meant.
        let carried = match need {
            Need::Usable => json!("ready"),
            Need::DisplayedAtLast => json!("glance"),
            Need::Displayed => Json::Null,
        };
        let carried = if locator.nth.is_none() { carried } else { Json::Null };
        let query = vec![self.query(locator)?, root, json!(patience), carried];
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
        let by_driver = answer.get("judged") == Some(&Json::Bool(false));
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

    /// The document and the element that a locator is to be looked for in; none while they are not there.
    pub(super) fn root<'w>(
        &'w mut self,
        base: Context,
        locator: &'w Locator,
    ) -> Pin<Box<dyn Future<Output = Result<Root, Failure>> + Send + 'w>> {
        Box::pin(async move {
            let mut context = base;
            if let Some(frame) = &locator.frame {
                let Some(found) = self.surrounding(context.clone(), frame).await? else { return Ok(None) };
                context = found.element.context.inside(&found.element);
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
        let mut hits = self.look_from(context, locator, Need::Displayed).await?.hits;
        if hits.len() > 1 {
            let shown: Vec<String> = hits.iter().map(|hit| hit.shown.clone()).collect();
            return Err(self.ambiguous(&Target::Alternatives(vec![locator.clone()]), &shown));
        }
        Ok(hits.pop())
    }

    /// Those candidates whose role and name are the wanted ones by the W3C's rules, as the driver computes them.
    pub(super) async fn judged(
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
    pub(super) async fn wait_for_change(&mut self, look: Look, limit: Duration) -> Result<(), Failure> {
        let limit = limit.min(self.left());
        let arguments = vec![look.changes, json!(limit.as_millis() as u64)];
        if self.page(&look.context, "settle", arguments).await?.is_err() {
            // The document went away while we waited, which is a change as well; but a broken one must not make us spin.
            self.visit.clock.sleep_real(FRAME).await;
        }
        Ok(())
    }
}

/// What a page function says of an element that is about to be used.
pub(super) fn as_ready(answer: &Json) -> Option<Ready> {
    Ready::deserialize(answer).ok()
}

fn hits_in(answer: &Json, context: &Context) -> Vec<Found> {
    let ready = answer.get("ready").and_then(as_ready);
    let hits = answer.get("hits").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let found = hits.iter().filter_map(|hit| {
        let reference = hit.get("element")?.get(ELEMENT_KEY)?.as_str()?.to_owned();
        let shown = hit.get("shown")?.as_str()?.to_owned();
        Some(Found { element: Element { context: context.clone(), reference }, shown, ready: ready.clone() })
    });
    found.collect()
}
