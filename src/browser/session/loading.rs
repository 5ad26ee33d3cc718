//! Loading pages, and following a click to the page it leads to.
//!
//! The driver is told not to wait at all: its own waiting holds a click up for as long as any image is still on its
//! way. We wait for the document instead: a script in the old one is answered at the moment it goes away.

use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::timeout;

use super::{Firefox, Wire};
use crate::browser::{Refusal, Response};
use crate::run::Failure;

/// How long after a click a document has time to begin to leave.
const LEAVING: Duration = Duration::from_millis(50);

/// Marks a document, so that the next one can be told from it, and notes when it begins to leave.
const MARK: &str = "window.sunupMark = arguments[0]; window.sunupLeaving = false;
    addEventListener('beforeunload', () => { window.sunupLeaving = true });
    return location.href;";

/// Answers once a document other than the marked one is parsed: `ready`. In the marked one it waits to be torn away. The
/// empty document of a new tab may be replaced by another empty one first: that is no arrival where a page was asked for.
const ARRIVE: &str = "const [mark, target, limit, page] = arguments;
    const parsed = () => document.readyState !== 'loading' ? 'ready'
      : new Promise((done) => document.addEventListener('DOMContentLoaded', () => done('ready'), { once: true }));
    const empty = page && location.href === 'about:blank';
    if (window.sunupMark !== mark && !empty) return parsed();
    if (target && location.href === target && target.includes('#')) return 'ready';
    return new Promise((done) => setTimeout(() => done('before'), empty ? 10 : Math.min(limit, 1000)));";

/// Says whether the marked document begins to leave within a short time: `stays`, `leaves`, or `gone` already.
const LEAVE: &str = "const [mark, patience] = arguments;
    if (window.sunupMark !== mark) return 'gone';
    const end = performance.now() + patience;
    return new Promise((done) => {
      const look = () => window.sunupLeaving ? done('leaves') : performance.now() < end ? setTimeout(look, 5) : done('stays');
      look();
    });";

impl Firefox {
    /// A command that leads to another document (load, back, reload), until that one is parsed.
    pub(super) async fn load(
        &mut self,
        wire: Wire,
        target: Option<&str>,
        limit: Duration,
    ) -> Result<Response, Failure> {
        let mark = self.next_mark();
        let before = match self.ask(Wire::script(MARK, &[json!(mark)]), limit).await? {
            Ok(before) => before,
            Err(refusal @ (Refusal::DialogOpen(_) | Refusal::Gone)) => return Ok(Response::Refused(refusal)),
            Err(_) => Json::Null,
        };
        if let Err(refusal) = self.ask(wire, limit).await? {
            return Ok(Response::Refused(refusal));
        }
        let page = target.is_some_and(|target| target != "about:blank");
        // Only the part behind `#` changes: there is no new document to wait for.
        let target =
            target.filter(|target| without_fragment(target) == without_fragment(before.as_str().unwrap_or_default()));
        self.arrive(mark, target, page, limit).await
    }

    /// A click, and the page that it leads to, if it leads to one at once.
    pub(super) async fn click(&mut self, element: &str, limit: Duration) -> Result<Response, Failure> {
        let mark = self.next_mark();
        if let Err(refusal) = self.ask(Wire::script(MARK, &[json!(mark)]), limit).await? {
            return Ok(Response::Refused(refusal));
        }
        if let Err(refusal) = self.ask(Wire::post(format!("element/{element}/click"), json!({})), limit).await? {
            return Ok(Response::Refused(refusal));
        }
        // From here on the click was made, whatever the page does: no refusal may say otherwise.
        let patience = json!(LEAVING.as_millis() as u64);
        match self.ask(Wire::script(LEAVE, &[json!(mark), patience]), limit).await? {
            Ok(answer) if answer.as_str() == Some("stays") => Ok(Response::Done),
            Ok(_) | Err(Refusal::Script(_)) => self.arrive(mark, None, false, limit).await,
            // A dialog was opened, or a tab or frame closed itself: the steps look at that.
            Err(_) => {
                self.at = None;
                Ok(Response::Done)
            }
        }
    }

    /// Waits for the document after the marked one; for one that is not empty where a `page` was asked for.
    async fn arrive(
        &mut self,
        mark: u64,
        target: Option<&str>,
        page: bool,
        limit: Duration,
    ) -> Result<Response, Failure> {
        let arguments = [json!(mark), json!(target), json!(limit.as_millis() as u64), json!(page)];
        let waiting = async {
            loop {
                match self.ask(Wire::script(ARRIVE, &arguments), limit).await? {
                    Ok(answer) if answer.as_str() == Some("ready") => {
                        self.bare = true;
                        return Ok(Response::Done);
                    }
                    // Torn away in the middle, or still the old document: again.
                    Ok(_) | Err(Refusal::Script(_)) => {}
                    Err(Refusal::DialogOpen(_)) => return Ok(Response::Done),
                    Err(refusal @ Refusal::Gone) => {
                        self.at = None;
                        return Ok(Response::Refused(refusal));
                    }
                    Err(refusal) => return Ok(Response::Refused(refusal)),
                }
            }
        };
        timeout(limit, waiting).await.unwrap_or(Ok(Response::Refused(Refusal::Slow)))
    }

    fn next_mark(&mut self) -> u64 {
        self.marks += 1;
        self.marks
    }
}

fn without_fragment(url: &str) -> &str {
    url.split_once('#').map_or(url, |(before, _)| before)
}
