//! `click`, `hover`, `tick`, `untick`: what is done to one element by the pointer.

use std::time::Duration;

use serde_json::Value as Json;

use super::{Walk, refused};
use crate::browser::command::{Action, Command, Context, Refusal, Response, Tab};
use crate::browser::find::Need;
use crate::browser::look::Found;
use crate::browser::wire::element;
use crate::files::model::{Dialog, Step, Target, Verb};
use crate::run::{Failure, FailureKind};

/// How often a tab or a dialog that is about to open is looked for.
const LOOK: Duration = Duration::from_millis(20);

impl Walk<'_, '_> {
    /// A step that has a target: found, waited for, and used. An `optional` one is left out when it is not there now.
    pub(super) async fn touch(&mut self, step: &Step) -> Result<(), Failure> {
        let Some(target) = target_of(&step.verb) else { return Ok(()) };
        if step.optional && self.locate_now(target).await?.is_none() {
            return Ok(());
        }
        let found = match self.locate(target, need_of(&step.verb)).await {
            Ok(found) => found,
            // It went away again before it could be used.
            Err(failure) if step.optional && failure.kind == FailureKind::PageChanged => return Ok(()),
            Err(failure) => return Err(failure),
        };
        self.watch_before(&found).await?;
        match self.use_element(&step.verb, &found).await? {
            Use::Done => Ok(()),
            Use::Refused(refusal) if step.optional && refusal.proves_nothing_dispatched() => Ok(()),
            Use::Refused(Refusal::Stale | Refusal::Intercepted(_) | Refusal::Left) if !step.commit => {
                self.once_more(step, target).await
            }
            Use::Refused(refusal) => Err(refused(&refusal)),
        }
    }

    /// The page was drawn again, or left, between the look and the use: it is looked for anew while there is time. geckodriver
    /// clicks at once; chromedriver takes up to a tenth of a second, in which a list can be drawn again more than once. What is
    /// no commit step may be done again, whether or not the page has seen something of it.
    async fn once_more(&mut self, step: &Step, target: &Target) -> Result<(), Failure> {
        loop {
            let found = self.locate(target, need_of(&step.verb)).await?;
            self.watch_before(&found).await?;
            match self.use_element(&step.verb, &found).await? {
                Use::Done => return Ok(()),
                Use::Refused(Refusal::Stale | Refusal::Left) if !self.left().is_zero() => {}
                Use::Refused(refusal) => return Err(refused(&refusal)),
            }
        }
    }

    /// Does to an element what the verb says.
    pub(in crate::browser) async fn use_element(&mut self, verb: &Verb, found: &Found) -> Result<Use, Failure> {
        match verb {
            Verb::Click { opens_tab, dialog, .. } => self.click(found, *opens_tab, *dialog).await,
            Verb::Fill { with, .. } => self.fill(found, with).await,
            Verb::Select { option, .. } => self.select(found, option).await,
            Verb::Tick { .. } => self.tick(found, true).await,
            Verb::Untick { .. } => self.tick(found, false).await,
            Verb::Hover { .. } => self.on(found, Action::Hover(found.element.reference.clone())).await,
            _ => Ok(Use::Done),
        }
    }

    /// One driver command on an element.
    pub(in crate::browser) async fn on(&mut self, found: &Found, action: Action) -> Result<Use, Failure> {
        Ok(match self.ask(&found.element.context, action).await? {
            Response::Refused(refusal) => Use::Refused(refusal),
            _ => Use::Done,
        })
    }

    async fn click(&mut self, found: &Found, opens_tab: bool, dialog: Option<Dialog>) -> Result<Use, Failure> {
        let before = if opens_tab { self.tabs().await? } else { Vec::new() };
        let click = Command {
            context: found.element.context.clone(),
            action: Action::Click(found.element.reference.clone()),
            limit: self.left().max(Duration::from_secs(1)),
        };
        // Not through `ask`: a dialog that opens here may be the one that the step expects.
        match self.visit.browser.execute(click).await? {
            Response::Refused(Refusal::DialogOpen(_) | Refusal::AsksForLogin) | Response::Done => {}
            // The click was made; the page that it led to is slow, or took the frame away with it.
            Response::Refused(Refusal::Slow) => return Err(refused(&Refusal::Slow)),
            Response::Refused(refusal) => return Ok(Use::Refused(refusal)),
            _ => {}
        }
        if let Some(dialog) = dialog {
            self.answer_dialog(dialog).await?;
        }
        if opens_tab {
            self.follow_new_tab(&before).await?;
        }
        Ok(Use::Done)
    }

    async fn answer_dialog(&mut self, dialog: Dialog) -> Result<(), Failure> {
        let context = self.context.clone();
        loop {
            let accept = dialog == Dialog::Accept;
            match self.ask(&context, Action::AnswerDialog(accept)).await? {
                Response::Refused(Refusal::NoDialog) if !self.left().is_zero() => {
                    self.visit.clock.sleep_real(LOOK).await;
                }
                Response::Refused(Refusal::NoDialog) => {
                    let message = "The dialog that the step expects did not open.";
                    return Err(Failure::new(FailureKind::PageChanged, message));
                }
                Response::Refused(refusal) => return Err(refused(&refusal)),
                _ => return Ok(()),
            }
        }
    }

    pub(super) async fn tabs(&mut self) -> Result<Vec<Tab>, Failure> {
        let context = self.context.clone();
        match self.ask(&context, Action::Tabs).await? {
            Response::Tabs(tabs) => Ok(tabs),
            _ => Ok(Vec::new()),
        }
    }

    /// Goes on in the tab that a click opened, which may be in the list only a little later.
    async fn follow_new_tab(&mut self, before: &[Tab]) -> Result<(), Failure> {
        loop {
            let tabs = self.tabs().await?;
            if let Some(new) = tabs.into_iter().find(|tab| !before.contains(tab)) {
                self.context = Context { tab: Some(new), frames: Vec::new() };
                return self.wait_until_loaded().await;
            }
            if self.left().is_zero() {
                return Err(Failure::new(FailureKind::PageChanged, "The click opened no new tab."));
            }
            self.visit.clock.sleep_real(LOOK).await;
        }
    }

    /// Goes on in the tab that the commit step opened.
    pub(in crate::browser) async fn go_to_newest_tab(&mut self) -> Result<(), Failure> {
        let here = self.context.tab.clone();
        if let Some(newest) = self.tabs().await?.into_iter().rfind(|tab| Some(tab) != here.as_ref()) {
            self.context = Context { tab: Some(newest), frames: Vec::new() };
        }
        Ok(())
    }

    /// A tab opens with an empty document, which the page then replaces.
    async fn wait_until_loaded(&mut self) -> Result<(), Failure> {
        loop {
            let context = self.context.clone();
            if self.place_in(&context).await?.url != "about:blank" {
                let loaded = vec![Json::from(50), Json::from(self.left().as_millis() as u64)];
                self.page(&context, "calm", loaded).await?.ok();
                return Ok(());
            }
            if self.left().is_zero() {
                return Err(Failure::new(FailureKind::Timeout, "The new tab stayed empty."));
            }
            self.visit.clock.sleep_real(LOOK).await;
        }
    }

    async fn tick(&mut self, found: &Found, wanted: bool) -> Result<Use, Failure> {
        if self.is_ticked(found).await? == Some(wanted) {
            return Ok(Use::Done);
        }
        let click = self.on(found, Action::Click(found.element.reference.clone())).await?;
        if matches!(click, Use::Refused(_)) {
            return Ok(click);
        }
        match self.is_ticked(found).await? {
            Some(ticked) if ticked != wanted => {
                let message = format!("{} did not change when it was clicked.", found.shown);
                Err(Failure::new(FailureKind::PageChanged, message))
            }
            _ => Ok(Use::Done),
        }
    }

    /// Is a box ticked? None for what is no box.
    pub(in crate::browser) async fn is_ticked(&mut self, found: &Found) -> Result<Option<bool>, Failure> {
        let argument = element(&found.element.reference);
        Ok(self.page(&found.element.context, "ticked", vec![argument]).await?.ok().and_then(|answer| answer.as_bool()))
    }
}

/// What became of using an element.
pub(in crate::browser) enum Use {
    Done,
    Refused(Refusal),
}

/// What a verb works on.
pub(in crate::browser) fn target_of(verb: &Verb) -> Option<&Target> {
    match verb {
        Verb::Click { target, .. }
        | Verb::Fill { target, .. }
        | Verb::Select { target, .. }
        | Verb::Tick { target }
        | Verb::Untick { target }
        | Verb::Hover { target }
        | Verb::Wait { target }
        | Verb::WaitGone { target } => Some(target),
        _ => None,
    }
}

/// A box may be drawn by its label and be covered by it; a list of options is used by its options.
fn need_of(_verb: &Verb) -> Need {
    Need::Usable
}
