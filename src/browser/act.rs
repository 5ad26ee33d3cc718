//! Acts: what stands before the commit step, the commit step itself, and what stands after it.

use std::time::Duration;

use super::command::Refusal;
use super::find::Need;
use super::look::Found;
use super::steps::{Use, Walk, no_document, place_of, refused, target_of};
use super::visit::{Committed, Halt, Prepared};
use crate::files::model::{Fetch, Step, Target, Verb};
use crate::run::{Failure, FailureKind};

/// How long a page is watched for what it says to a password.
const ANSWER_TO_PASSWORD: Duration = Duration::from_secs(3);
/// How often it is looked at meanwhile.
const LOOK: Duration = Duration::from_millis(100);

impl Walk<'_, '_> {
    /// The steps before the commit, and its target: there, the only one, usable, and no challenge before it.
    pub(super) async fn prepare(mut self, steps: &[Step]) -> Result<Prepared, Halt> {
        let commit = steps.iter().position(|step| step.commit).unwrap_or(steps.len());
        self.steps(steps, commit).await?;
        let found = match steps.get(commit) {
            Some(step) => {
                self.set_limit(step.timeout);
                match self.commit_target(step).await {
                    Ok(found) => found,
                    Err(failure) => return Err(Halt::Failed(self.explain(failure, step).await)),
                }
            }
            None => None,
        };
        Ok(Prepared {
            commit,
            scope: self.scope,
            element: found.map(|found| found.element),
            context: self.context,
            signs_in: self.signs_in,
            notes: self.notes,
        })
    }

    async fn commit_target(&mut self, step: &Step) -> Result<Option<Found>, Failure> {
        let target = match &step.verb {
            Verb::Press { on: Some(locator), .. } => Target::Alternatives(vec![locator.clone()]),
            verb => match target_of(verb) {
                Some(target) => target.clone(),
                None => return Ok(None),
            },
        };
        let found = self.locate(&target, Need::Usable).await?;
        self.watch_before(&found).await?;
        Ok(Some(found))
    }

    /// The commit step. Only what proves that the page saw nothing makes it `NotSent`.
    pub(super) async fn commit(&mut self, step: &Step, prepared: &Prepared) -> Committed {
        self.set_limit(step.timeout);
        let committed = match &step.verb {
            Verb::Fetch(fetch) => self.commit_fetch(fetch).await,
            verb => match &prepared.element {
                Some(element) => {
                    let found = Found::again(element.clone(), "the commit step's target");
                    self.commit_on(verb, &found).await
                }
                None => self.commit_without_target(verb).await,
            },
        };
        match committed {
            Committed::NotSent(failure) => Committed::NotSent(self.explain(failure, step).await),
            // The page must keep what it says until it was read: a picture can wait for the steps that follow.
            Committed::Sent { trouble } => {
                Committed::Sent { trouble: trouble.map(|failure| failure.at_step(place_of(step))) }
            }
        }
    }

    async fn commit_on(&mut self, verb: &Verb, found: &Found) -> Committed {
        match self.unusable(found).await {
            Ok(None) => {}
            Ok(Some(why)) => return Committed::NotSent(changed(&why)),
            Err(failure) => return Committed::NotSent(failure),
        }
        if let Verb::Press { keys, .. } = verb {
            return sent(self.press_on(keys, &found.element).await);
        }
        match self.use_element(verb, found).await {
            Ok(Use::Refused(refusal)) if refusal.proves_nothing_dispatched() => {
                Committed::NotSent(changed(&refusal.to_string()))
            }
            Ok(Use::Refused(refusal)) => Committed::Sent { trouble: Some(refused(&refusal)) },
            Ok(Use::Done) => Committed::Sent { trouble: None },
            Err(failure) => Committed::Sent { trouble: Some(failure) },
        }
    }

    async fn commit_fetch(&mut self, fetch: &Fetch) -> Committed {
        let request = match self.request(fetch) {
            Ok(request) => request,
            Err(failure) => return Committed::NotSent(failure),
        };
        if let Err(failure) = self.enter_origin(&request.url).await {
            return Committed::NotSent(failure);
        }
        match self.dispatch(&request).await {
            Ok(Some(answer)) => sent(self.take_answer(answer, &fetch.accept)),
            Ok(None) => Committed::NotSent(no_document(&request.url)),
            Err(failure) => Committed::Sent { trouble: Some(failure) },
        }
    }

    /// Keys to whatever has the focus.
    async fn commit_without_target(&mut self, verb: &Verb) -> Committed {
        match verb {
            Verb::Press { keys, .. } => sent(self.press(keys, None).await),
            _ => Committed::NotSent(refused(&Refusal::NotInteractable("the commit step has no target".to_owned()))),
        }
    }

    /// The reads of the commit step and the steps after it. Before anything wipes it, the page's own word is read.
    pub(super) async fn finish(&mut self, steps: &[Step], commit: usize) -> Option<Failure> {
        let step = steps.get(commit)?;
        self.set_limit(step.timeout);
        self.password_sent = self.signs_in;
        if let Verb::Click { opens_tab: true, .. } = step.verb
            && let Err(failure) = self.go_to_newest_tab().await
        {
            return Some(failure.at_step(place_of(step)));
        }
        let said = if self.signs_in { self.answer_to_password().await } else { self.watch_out().await };
        if let Err(failure) = said {
            return Some(self.explain(failure, step).await);
        }
        if let Err(failure) = self.read_all(&step.reads).await {
            return Some(self.explain(failure, step).await);
        }
        let after = &steps[commit + 1..];
        for (index, step) in after.iter().enumerate() {
            match self.step(step, after.get(index + 1)).await {
                Ok(()) => {}
                Err(Halt::Failed(failure)) => return Some(failure),
                Err(Halt::Later(reason) | Halt::Skip(reason)) => {
                    return Some(Failure::new(FailureKind::PageChanged, reason).at_step(place_of(step)));
                }
            }
        }
        None
    }

    /// Waits until the page has taken the password (its field is gone) or has said something about it.
    async fn answer_to_password(&mut self) -> Result<(), Failure> {
        let end = self.visit.clock.uptime() + ANSWER_TO_PASSWORD;
        loop {
            self.watch_out().await?;
            if self.asks_for_password().await? == Some(false) || self.visit.clock.uptime() >= end {
                return Ok(());
            }
            self.visit.clock.sleep_real(LOOK).await;
        }
    }
}

fn sent(outcome: Result<(), Failure>) -> Committed {
    Committed::Sent { trouble: outcome.err() }
}

fn changed(why: &str) -> Failure {
    Failure::new(FailureKind::PageChanged, format!("The commit step was not sent: {why}."))
}
