//! Scans: which rules hold in a document, in its frames at every depth, and in shadow roots that only the driver opens.

use std::pin::Pin;
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use super::Tier;
use super::gate::{Glance, could_hold};
use crate::browser::command::{Action, Context, Element, Refusal, Response};
use crate::browser::steps::Walk;
use crate::browser::wire::{ELEMENT_KEY, element};
use crate::run::{Failure, FailureKind};

/// Frames inside each other beyond this are not entered.
const DEEPEST: usize = 5;
/// Frames of one document that are entered.
const MOST_FRAMES: usize = 8;
/// Documents that are looked at in one look, frames in frames included.
const MOST_DOCUMENTS: usize = 40;
/// How often, and how many times, a frame is looked at whose document is still on its way; and how many times in one look.
const FRAME_LOOK: Duration = Duration::from_millis(100);
const FRAME_LOOKS: usize = 15;
const MOST_WAITS: usize = 40;
/// How often a document may break the script that looks at it.
const BROKEN_LOOKS: usize = 3;

/// A rule that holds.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::browser) struct Hit {
    pub id: String,
    /// What was seen, in words.
    pub shown: String,
    /// There is nothing else on the page to use.
    #[serde(default)]
    pub alone: bool,
}

/// What a scan of one document gave.
#[derive(Debug, Clone, Default, Deserialize)]
pub(in crate::browser) struct Scanned {
    pub hits: Vec<Hit>,
    /// Displayed frames in which something may be asked.
    #[serde(default)]
    frames: Vec<Frame>,
}

#[derive(Debug, Clone, Deserialize)]
struct Frame {
    element: Json,
    /// `overlay`, `covers` (most of the page), or `flow`.
    place: String,
    /// It stands in the way of what is about to be used.
    counts: bool,
    /// What it says and has, where that can be seen from outside.
    inside: Option<Glance>,
}

impl Frame {
    /// False where it can be seen from outside that nothing in it asks for a person.
    fn could_hold(&self) -> bool {
        let could = |inside: &Glance| inside.frames || could_hold(inside).any(|rule| rule.tier != Tier::Loaded);
        self.inside.as_ref().is_none_or(could)
    }
}

/// What one look has come to so far. A page may be made of frames without end.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::browser) struct Looked {
    documents: usize,
    waits: usize,
}

/// What is known about a document from outside of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Around {
    everywhere: bool,
    frame: Option<&'static str>,
    depth: usize,
}

impl Around {
    /// A document that is looked at for itself.
    pub(super) fn page(everywhere: bool) -> Self {
        Around { everywhere, frame: None, depth: 0 }
    }

    fn inside(self, frame: &Frame) -> Self {
        // A popup in a popup is one; what covers the page counts as the page only where everything around it does.
        let place = match (self.frame, frame.place.as_str()) {
            (Some("overlay"), _) | (_, "overlay") => "overlay",
            (None | Some("covers"), "covers") => "covers",
            _ => "flow",
        };
        Around { everywhere: self.everywhere || frame.counts, frame: Some(place), depth: self.depth + 1 }
    }
}

impl Walk<'_, '_> {
    /// The rules that hold in a document and in all frames in it. A glance that rode in a step's own script is `seen`.
    pub(super) fn scan_below<'w>(
        &'w mut self,
        context: &'w Context,
        target: Option<&'w Element>,
        around: Around,
        seen: Option<Glance>,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<Hit>, Failure>> + Send + 'w>> {
        Box::pin(async move {
            self.looked.documents += 1;
            if self.looked.documents > MOST_DOCUMENTS {
                tracing::warn!(most = MOST_DOCUMENTS, "the page has more frames than are looked at");
                return Ok(Vec::new());
            }
            let mut glance = match seen {
                Some(seen) => Some(seen),
                None => self.glance(context).await?,
            };
            // A frame begins with an empty document; what it shows is worth a moment before anything is clicked.
            for _ in 0..FRAME_LOOKS {
                let early = glance.as_ref().is_some_and(|glance| glance.early);
                if around.frame.is_none() || !early || self.looked.waits == MOST_WAITS {
                    break;
                }
                self.looked.waits += 1;
                self.visit.clock.sleep_real(FRAME_LOOK).await;
                glance = self.glance(context).await?;
            }
            // A root that was opened may hold further ones.
            for _ in 0..DEEPEST {
                let hosts = glance.as_mut().map(|glance| std::mem::take(&mut glance.hosts)).unwrap_or_default();
                if !self.open_roots(context, &hosts).await? {
                    break;
                }
                glance = self.glance(context).await?;
            }
            let Some(glance) = glance else { return Ok(Vec::new()) };
            let scanned = self.second_look(context, target, around, &glance).await?;
            let mut hits = scanned.hits;
            for frame in scanned.frames.iter().filter(|frame| frame.could_hold()).take(MOST_FRAMES) {
                if around.depth == DEEPEST {
                    break;
                }
                let Some(reference) = frame.element.get(ELEMENT_KEY).and_then(Json::as_str) else { continue };
                let inside = context.inside(&Element { context: context.clone(), reference: reference.to_owned() });
                hits.extend(self.scan_below(&inside, None, around.inside(frame), None).await?);
            }
            Ok(hits)
        })
    }

    /// The rules that hold in one document.
    pub(super) async fn scan_one(
        &mut self,
        context: &Context,
        target: Option<&Element>,
        around: Around,
    ) -> Result<Scanned, Failure> {
        match self.glance(context).await? {
            Some(glance) => self.second_look(context, target, around, &glance).await,
            None => Ok(Scanned::default()),
        }
    }

    /// A first look at a document; none at one that goes away at that moment.
    async fn glance(&mut self, context: &Context) -> Result<Option<Glance>, Failure> {
        self.told(context, "glance", Vec::new()).await
    }

    /// What a page function says; none where its document, or its element, has gone away. A document that is just being replaced
    /// may break a script: it is asked again. One that breaks every time cannot be judged, which is no "nothing there".
    async fn told<T: DeserializeOwned>(
        &mut self,
        context: &Context,
        function: &'static str,
        arguments: Vec<Json>,
    ) -> Result<Option<T>, Failure> {
        let mut why = String::new();
        for _ in 0..BROKEN_LOOKS {
            match self.page(context, function, arguments.clone()).await? {
                Ok(Json::Null) => return Ok(None),
                Ok(told) => {
                    return serde_json::from_value(told).map(Some).map_err(|error| unreadable(&error.to_string()));
                }
                Err(Refusal::Script(broken)) => why = broken,
                Err(_) => return Ok(None),
            }
            self.visit.clock.sleep_real(FRAME_LOOK).await;
        }
        Err(unreadable(&why))
    }

    /// The rules that hold, of those that could by a first look. On most pages these are none, and nothing is looked at.
    async fn second_look(
        &mut self,
        context: &Context,
        target: Option<&Element>,
        around: Around,
        glance: &Glance,
    ) -> Result<Scanned, Failure> {
        tracing::debug!(glance_us = (glance.took * 1000.0) as u64, "glanced");
        let (loaded, wanted): (Vec<_>, Vec<_>) = could_hold(glance).partition(|rule| rule.tier == Tier::Loaded);
        if !loaded.is_empty() {
            let ids: Vec<&str> = loaded.iter().map(|rule| rule.id.as_str()).collect();
            tracing::debug!(rules = ids.join(" "), "loaded, and perhaps nothing of it is displayed");
        }
        let rules: Json = wanted.iter().filter(|rule| rule.is_for(self.signs_in)).map(|rule| rule.for_scan()).collect();
        if rules == json!([]) && !glance.frames {
            return Ok(Scanned::default());
        }
        let target = target.map_or(Json::Null, |target| element(&target.reference));
        let how = json!({ "signIn": self.signs_in, "everywhere": around.everywhere, "frame": around.frame });
        Ok(self.told(context, "scan", vec![how, target, rules]).await?.unwrap_or_default())
    }

    /// Opens the closed shadow roots of these elements for the page scripts. True when there was one.
    async fn open_roots(&mut self, context: &Context, hosts: &[Json]) -> Result<bool, Failure> {
        let mut opened = false;
        for host in hosts {
            let Some(reference) = host.get(ELEMENT_KEY).and_then(Json::as_str) else { continue };
            let Response::Json(root) = self.ask(context, Action::Shadow(reference.to_owned())).await? else { continue };
            opened |= self.page(context, "openRoot", vec![host.clone(), root]).await?.is_ok();
        }
        if !hosts.is_empty() {
            // A host that is gone by now needs no mark.
            let _ = self.page(context, "asked", vec![Json::Array(hosts.to_vec())]).await?;
        }
        Ok(opened)
    }
}

/// A page that cannot be judged is not worked on.
fn unreadable(why: &str) -> Failure {
    Failure::new(FailureKind::PageChanged, format!("The look for what asks for a person was not understood: {why}."))
}
