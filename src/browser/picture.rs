//! A picture of a page that failed, with everything that was typed blacked out, and none of a page that shows a secret. No
//! page source is ever kept.

use std::path::Path;

use serde_json::{Value as Json, json};

use super::command::{Action, Context, Element, Response};
use super::steps::Walk;
use super::wire::ELEMENT_KEY;
use crate::run::FailureKind;
use crate::secrets::Redactor;

/// A page with more documents than this in it gets the others hidden.
const MOST_DOCUMENTS: usize = 24;
/// So do frames that lie deeper in others.
const DEEPEST: usize = 4;

/// Where pictures go, and what they must not show.
#[derive(Debug, Clone, Copy)]
pub struct Pictures<'a> {
    /// Their folder.
    pub folder: &'a Path,
    /// Knows the secrets.
    pub redactor: &'a Redactor,
}

/// What became of a picture.
pub(super) enum Picture {
    /// It was written under this file name.
    Kept(String),
    /// It would have shown a secret, or nobody can tell.
    Withheld,
    /// There was none to take, or no room for it.
    Absent,
}

impl Walk<'_, '_> {
    /// Takes a picture and writes it.
    pub(super) async fn picture(&mut self, kind: FailureKind) -> Picture {
        let Some(Pictures { folder, redactor }) = self.visit.pictures else { return Picture::Absent };
        let context = self.context.clone();
        let (documents, mut harmless) = self.mask_all(&context, redactor).await;
        let taken = if harmless { self.ask(&context, Action::Picture).await.ok() } else { None };
        // The page may have gone on while it was looked at.
        for document in documents {
            harmless &= self.mask(&document, false).await.is_some_and(|seen| is_harmless(&seen, redactor));
        }
        if !harmless {
            return Picture::Withheld;
        }
        let Some(Response::Picture(bytes)) = taken else { return Picture::Absent };
        let name = format!("{}-{kind}.png", self.visit.clock.now().format("%Y%m%dT%H%M%S%3fZ"));
        let written = std::fs::create_dir_all(folder).and_then(|()| write_private(&folder.join(&name), &bytes));
        match written {
            Ok(()) => Picture::Kept(name),
            Err(error) => {
                tracing::warn!(%error, "the picture of a failure was not written");
                Picture::Absent
            }
        }
    }

    /// Masks the page and all documents in its frames; which, and whether a picture of them may be kept.
    async fn mask_all(&mut self, top: &Context, redactor: &Redactor) -> (Vec<Context>, bool) {
        let mut documents = vec![top.clone()];
        let mut next = 0;
        while let Some(document) = documents.get(next).cloned() {
            let Some(seen) = self.mask(&document, true).await else {
                documents.remove(next);
                // Without a mask no picture: it could show what was typed.
                if !self.hide(&document).await {
                    return (documents, false);
                }
                continue;
            };
            if !is_harmless(&seen, redactor) {
                return (documents, false);
            }
            for frame in frames_in(&seen) {
                let inner = document.inside(&Element { context: document.clone(), reference: frame });
                if documents.len() < MOST_DOCUMENTS && inner.frames.len() <= DEEPEST {
                    documents.push(inner);
                } else if !self.hide(&inner).await {
                    return (documents, false);
                }
            }
            next += 1;
        }
        (documents, true)
    }

    /// Masks a document, or takes the mask away; none where it cannot be done.
    async fn mask(&mut self, document: &Context, on: bool) -> Option<Json> {
        self.page(document, "mask", vec![json!(on)]).await.ok()?.ok()
    }

    /// Hides a frame, from the document around it; false where that cannot be done, or where it is no frame.
    async fn hide(&mut self, document: &Context) -> bool {
        let mut around = document.clone();
        let Some(frame) = around.frames.pop() else { return false };
        let hidden = self.page(&around, "hide", vec![super::wire::element(&frame)]).await;
        // A frame that is gone shows nothing.
        match hidden {
            Ok(Ok(_)) => true,
            Ok(Err(refusal)) => refusal == super::Refusal::Stale,
            Err(_) => false,
        }
    }
}

fn is_harmless(seen: &Json, redactor: &Redactor) -> bool {
    seen.get("said").and_then(Json::as_str).is_some_and(|said| !redactor.finds_in(said))
}

fn frames_in(seen: &Json) -> Vec<String> {
    let frames = seen.get("frames").and_then(Json::as_array).into_iter().flatten();
    frames.filter_map(|frame| frame.get(ELEMENT_KEY)?.as_str().map(str::to_owned)).collect()
}

/// For its owner's eyes: pictures show accounts.
fn write_private(file: &std::path::Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(file)?.write_all(bytes)
}
