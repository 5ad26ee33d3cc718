//! Scans: which rules hold in a document, in its frames at every depth, and in shadow roots that only the driver opens.

use std::pin::Pin;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::browser::command::{Action, Context, Element, Response};
use crate::browser::steps::Walk;
use crate::browser::wire::{ELEMENT_KEY, element};
use crate::run::Failure;

/// Frames inside each other beyond this are not entered.
const DEEPEST: usize = 5;
/// How often, and how many times, a frame is looked at whose document is still on its way.
const FRAME_LOOK: Duration = Duration::from_millis(100);
const FRAME_LOOKS: usize = 15;

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
    /// Rules of things that are loaded and not displayed.
    #[serde(default)]
    loaded: Vec<String>,
    /// Displayed frames in which something may be asked.
    #[serde(default)]
    frames: Vec<Frame>,
    /// Elements that may have a closed shadow root.
    #[serde(default)]
    hosts: Vec<Json>,
    /// The document is still on its way.
    #[serde(default)]
    early: bool,
}

#[derive(Debug, Clone, Deserialize)]
struct Frame {
    element: Json,
    /// `overlay`, `covers` (most of the page), or `flow`.
    place: String,
    /// It stands in the way of what is about to be used.
    counts: bool,
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
    /// What the page script is told about a look before an element is used.
    pub(in crate::browser) fn look_out(&self) -> Json {
        self.how(Around::page(false))
    }

    fn how(&self, around: Around) -> Json {
        json!({ "signIn": self.signs_in, "everywhere": around.everywhere, "frame": around.frame })
    }

    /// The rules that hold in a document and in all frames in it. A scan that rode in a step's own script is `seen`.
    pub(super) fn scan_below<'w>(
        &'w mut self,
        context: &'w Context,
        target: Option<&'w Element>,
        around: Around,
        seen: Option<Scanned>,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<Hit>, Failure>> + Send + 'w>> {
        Box::pin(async move {
            let mut scanned = match seen {
                Some(seen) => seen,
                None => self.scan_one(context, target, around).await?,
            };
            // A frame begins with an empty document; what it shows is worth a moment before anything is clicked.
            for _ in 0..FRAME_LOOKS {
                if around.frame.is_none() || !scanned.early {
                    break;
                }
                self.visit.clock.sleep_real(FRAME_LOOK).await;
                scanned = self.scan_one(context, target, around).await?;
            }
            // A root that was opened may hold further ones.
            for _ in 0..DEEPEST {
                if !self.open_roots(context, &scanned.hosts).await? {
                    break;
                }
                scanned = self.scan_one(context, target, around).await?;
            }
            if !scanned.loaded.is_empty() {
                tracing::debug!(rules = scanned.loaded.join(" "), "loaded, and nothing of it is displayed");
            }
            let mut hits = scanned.hits;
            for frame in scanned.frames.iter().filter(|_| around.depth < DEEPEST) {
                let Some(reference) = frame.element.get(ELEMENT_KEY).and_then(Json::as_str) else { continue };
                let inside = context.inside(&Element { context: context.clone(), reference: reference.to_owned() });
                hits.extend(self.scan_below(&inside, None, around.inside(frame), None).await?);
            }
            Ok(hits)
        })
    }

    /// The rules that hold in one document. A document that goes away at that moment shows nothing: it is looked at again.
    pub(super) async fn scan_one(
        &mut self,
        context: &Context,
        target: Option<&Element>,
        around: Around,
    ) -> Result<Scanned, Failure> {
        let target = target.map_or(Json::Null, |target| element(&target.reference));
        let found = self.page(context, "scan", vec![self.how(around), target]).await?.ok();
        Ok(found.and_then(|scanned| serde_json::from_value(scanned).ok()).unwrap_or_default())
    }

    /// Opens the closed shadow roots of these elements for the page scripts. True when there was one.
    async fn open_roots(&mut self, context: &Context, hosts: &[Json]) -> Result<bool, Failure> {
        let mut opened = false;
        for host in hosts {
            let Some(reference) = host.get(ELEMENT_KEY).and_then(Json::as_str) else { continue };
            let Response::Json(root) = self.ask(context, Action::Shadow(reference.to_owned())).await? else { continue };
            opened |= self.page(context, "openRoot", vec![host.clone(), root]).await?.is_ok();
        }
        Ok(opened)
    }
}
