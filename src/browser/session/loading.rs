//! Loading pages, and following a click to the page it leads to.
//!
//! The driver is told not to wait at all: its own waiting holds a click up for as long as any image is still on its
//! way. We wait for the document instead: a script in the old one is answered at the moment it goes away.

use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::timeout;

use super::{RealBrowser, Wire};
use crate::browser::{Brand, Refusal, Response};
use crate::clock::Clock;
use crate::run::Failure;

/// How long after a click a document has time to begin to leave.
const LEAVING: Duration = Duration::from_millis(50);
/// A geckodriver that was at a click for so long has waited itself for the document to leave: it gives it 200 ms.
const DRIVER_WAITED: Duration = Duration::from_millis(200);

/// How long a script may take while a document is on its way: somewhat longer than [`ARRIVE`] itself waits.
const ARRIVING: Duration = Duration::from_millis(1500);
/// How long it may take otherwise; each command has a limit of its own.
const SCRIPTS: Duration = Duration::from_secs(3_600);
/// How long a page may take to be given up.
const STOPPING: Duration = Duration::from_secs(2);

/// Marks a document, so that the next one can be told from it, and notes when it begins to leave.
const MARK: &str = "window.sunupMark = arguments[0]; window.sunupLeaving = false;
    addEventListener('beforeunload', () => { window.sunupLeaving = true });
    return location.href;";

/// Says where the document is once one other than the marked one is parsed; `before` after a while, to be asked again.
/// In the marked document it waits to be torn away.
const ARRIVE: &str = concat!(
    include_str!("../page/place.js"),
    "const [mark, target] = arguments;
    const later = (span) => new Promise((done) => setTimeout(() => done('before'), span));
    if (target && location.href === target) return place();
    // A new process starts with an empty document, which the page then replaces.
    if (location.href === 'about:blank') return later(20);
    if (window.sunupMark === mark) return later(1000);
    if (document.readyState !== 'loading') return place();
    const parsed = new Promise((done) => document.addEventListener('DOMContentLoaded', () => done(place()), { once: true }));
    return Promise.race([parsed, later(1000)]);"
);

/// Says whether the marked document begins to leave within a short time: `stays`, `leaves`, or `gone` already.
const LEAVE: &str = "const [mark, patience] = arguments;
    if (window.sunupMark !== mark) return 'gone';
    const end = performance.now() + patience;
    return new Promise((done) => {
      const look = () => window.sunupLeaving ? done('leaves') : performance.now() < end ? setTimeout(look, 5) : done('stays');
      look();
    });";

impl RealBrowser {
    /// A command that leads to another document (load, back, reload), until that one is parsed.
    pub(super) async fn load(
        &mut self,
        wire: Wire,
        target: Option<&str>,
        limit: Duration,
    ) -> Result<Response, Failure> {
        self.scripts_may_take(ARRIVING).await?;
        let loaded = self.load_and_wait(wire, target, limit).await?;
        self.end_of_loading(loaded).await
    }

    async fn load_and_wait(&mut self, wire: Wire, target: Option<&str>, limit: Duration) -> Result<Response, Failure> {
        let mark = self.next_mark();
        let before = match self.ask(Wire::script(MARK, &[json!(mark)]), limit).await? {
            Ok(before) => before,
            Err(refusal @ (Refusal::DialogOpen(_) | Refusal::Gone)) => return Ok(Response::Refused(refusal)),
            Err(_) => Json::Null,
        };
        match self.ask(wire, limit).await? {
            // A frame that fails just then is blamed on the page: what arrives tells.
            Ok(_) | Err(Refusal::Script(_)) => {}
            Err(refusal) => return Ok(Response::Refused(refusal)),
        }
        // Where only the part behind `#` changes, there is no new document to wait for; an empty one is never new.
        let stays = |target: &&str| {
            let before = without_fragment(before.as_str().unwrap_or_default());
            *target == "about:blank" || (target.contains('#') && without_fragment(target) == before)
        };
        self.arrive(mark, target.filter(stays), limit).await
    }

    /// A click, and the page that it leads to, if it leads to one at once.
    pub(super) async fn click(&mut self, element: &str, limit: Duration) -> Result<Response, Failure> {
        self.scripts_may_take(ARRIVING).await?;
        let clicked = self.click_and_follow(element, limit).await?;
        self.end_of_loading(clicked).await
    }

    /// In Chromium a tab answers nothing while a page is on its way: one that is too slow is given up.
    async fn end_of_loading(&mut self, response: Response) -> Result<Response, Failure> {
        if self.brand == Brand::Chromium && response == Response::Refused(Refusal::Slow) {
            let stop = json!({ "cmd": "Page.stopLoading", "params": {} });
            self.ask(Wire::post("goog/cdp/execute", stop), STOPPING).await?.ok();
        }
        self.scripts_may_take(SCRIPTS).await?;
        Ok(response)
    }

    /// chromedriver is told how long to wait for an answer, so that it listens again meanwhile. geckodriver always listens.
    async fn scripts_may_take(&mut self, limit: Duration) -> Result<(), Failure> {
        if self.brand == Brand::Chromium {
            let limits = json!({ "script": limit.as_millis() as u64 });
            self.ask(Wire::post("timeouts", limits), limit).await?.ok();
        }
        Ok(())
    }

    async fn click_and_follow(&mut self, element: &str, limit: Duration) -> Result<Response, Failure> {
        let mark = self.next_mark();
        match self.ask(Wire::script(MARK, &[json!(mark)]), limit).await? {
            Ok(_) => {}
            // The document is going away, and the element with it.
            Err(Refusal::Script(_)) => return Ok(Response::Refused(Refusal::Stale)),
            Err(refusal) => return Ok(Response::Refused(refusal)),
        }
        let began = self.clock.uptime();
        let clicked = self.ask(Wire::post(format!("element/{element}/click"), json!({})), limit).await?;
        let took = self.clock.uptime().saturating_sub(began);
        let waited = self.brand == Brand::Firefox && took >= DRIVER_WAITED;
        match clicked {
            // What goes wrong with the page after the click is no sign that there was none.
            Ok(_) | Err(Refusal::Script(_)) => {
                self.follow(mark, if waited { Duration::ZERO } else { LEAVING }, limit).await
            }
            // The tab or frame was there a moment ago: the click's own handler may have closed it.
            Err(Refusal::Gone) => {
                self.at = None;
                Ok(Response::Done)
            }
            // chromedriver tries a click again when the document went away in the middle of it, and then finds the element gone.
            Err(Refusal::Stale) if self.brand == Brand::Chromium && !self.is_marked(mark, limit).await? => {
                self.follow(mark, LEAVING, limit).await
            }
            Err(refusal) => Ok(Response::Refused(refusal)),
        }
    }

    /// True when the document is still the marked one.
    async fn is_marked(&mut self, mark: u64, limit: Duration) -> Result<bool, Failure> {
        let same = self.ask(Wire::script("return window.sunupMark === arguments[0]", &[json!(mark)]), limit).await?;
        Ok(same.is_ok_and(|same| same == json!(true)))
    }

    /// After a click that was made: no refusal may say otherwise from here on.
    async fn follow(&mut self, mark: u64, patience: Duration, limit: Duration) -> Result<Response, Failure> {
        let patience = json!(patience.as_millis() as u64);
        let arrived = match self.ask(Wire::script(LEAVE, &[json!(mark), patience]), limit).await? {
            Ok(answer) if answer.as_str() == Some("stays") => return Ok(Response::Done),
            Ok(_) | Err(Refusal::Script(_)) => self.arrive(mark, None, limit).await?,
            Err(refusal) => Response::Refused(refusal),
        };
        Ok(match arrived {
            Response::Refused(Refusal::Slow) => Response::Refused(Refusal::Slow),
            // A dialog was opened, or the tab or frame closed itself: the steps look at that.
            Response::Refused(_) => {
                self.at = None;
                Response::Done
            }
            _ => Response::Done,
        })
    }

    /// Waits for the document after the marked one.
    async fn arrive(&mut self, mark: u64, target: Option<&str>, limit: Duration) -> Result<Response, Failure> {
        let arguments = [json!(mark), json!(target)];
        let waiting = async {
            loop {
                match self.ask(Wire::script(ARRIVE, &arguments), limit).await? {
                    Ok(place) if place.is_object() => {
                        self.bare = true;
                        return Ok(Response::Json(place));
                    }
                    // Torn away in the middle, or still the old document: again.
                    Ok(_) | Err(Refusal::Script(_)) => {}
                    Err(Refusal::DialogOpen(_)) => return Ok(Response::Done),
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
