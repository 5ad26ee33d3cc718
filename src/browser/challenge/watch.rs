//! Looking out for pages that ask for a person: the site's own rules first, then the built-in ones.

use std::time::Duration;

use super::rules::order;
use super::scan::{Around, Hit, Looked};
use super::{Glance, Rule, rule};
use crate::browser::command::{Context, Element};
use crate::browser::look::Found;
use crate::browser::steps::Walk;
use crate::run::{Failure, FailureKind};

/// Popups fade in and out: what is seen must be seen again after this.
const SECOND_LOOK: Duration = Duration::from_millis(400);
/// How long an answer that often gives way to the page by itself is given, without any input.
pub(in crate::browser) const PASSIVE_WAIT: Duration = Duration::from_secs(15);
/// How often a check that often ends by itself is looked at meanwhile.
pub(super) const PASSIVE_LOOK: Duration = Duration::from_millis(500);

impl Walk<'_, '_> {
    /// A look after a step. What asks for a person is a failure of its kind.
    pub(in crate::browser) async fn watch_out(&mut self) -> Result<(), Failure> {
        self.watch(None, false, None).await
    }

    /// The same for a page that the step itself has looked at last.
    pub(in crate::browser) async fn watch_left(&mut self, seen: Option<Box<Glance>>) -> Result<(), Failure> {
        self.watch(None, false, seen.map(|seen| *seen)).await
    }

    /// A look before an element is used; what was seen when it was found to be usable counts.
    pub(in crate::browser) async fn watch_before(&mut self, found: &Found) -> Result<(), Failure> {
        let seen = found.ready.as_ref().and_then(|ready| ready.glance.as_deref().cloned());
        self.watch(Some(&found.element), false, seen).await
    }

    /// A look when what was expected did not come: an idle widget anywhere may be the reason.
    pub(in crate::browser) async fn watch_everywhere(&mut self) -> Result<(), Failure> {
        self.watch(None, true, None).await
    }

    /// The challenge that a page shows, in place of the failure that it led to.
    pub(in crate::browser) async fn challenge_behind(&mut self, failure: Failure) -> Failure {
        if let Err(challenge) = self.watch_everywhere().await {
            return challenge;
        }
        failure
    }

    /// Two looks at the page that agree; where all that was seen often goes away by itself, as many as its rules give it.
    pub(super) async fn watch_page(
        &mut self,
        target: Option<&Element>,
        everywhere: bool,
        seen: Option<Glance>,
    ) -> Result<(), Failure> {
        self.watch_own_rules().await?;
        let first = self.holding(target, everywhere, seen).await?;
        if first.is_empty() {
            return Ok(());
        }
        self.extend_limit(SECOND_LOOK);
        self.visit.clock.sleep_real(SECOND_LOOK).await;
        let mut hits = self.holding(target, everywhere, None).await?;
        hits.retain(|hit| first.iter().any(|earlier| earlier.id == hit.id));
        let mut waited = SECOND_LOOK;
        while hits.iter().any(|hit| waited < wait_of(hit)) && hits.iter().all(|hit| wait_of(hit) > Duration::ZERO) {
            self.extend_limit(PASSIVE_LOOK);
            self.visit.clock.sleep_real(PASSIVE_LOOK).await;
            waited += PASSIVE_LOOK;
            hits = self.holding(target, everywhere, None).await?;
        }
        decide(&hits)
    }

    async fn watch_own_rules(&mut self) -> Result<(), Failure> {
        let site = self.visit.site;
        for own in &site.challenges {
            let Some(kind) = FailureKind::from_word(&own.kind) else { continue };
            let Some(found) = self.any_of(&own.when).await? else { continue };
            let message = format!("The page shows {}, which the site's own rules call {kind}.", found.shown);
            return Err(Failure { rule: Some(format!("{}:{}", site.id, own.kind)), ..Failure::new(kind, message) });
        }
        Ok(())
    }

    /// The rules that hold in a document, in the frames in it, and in the pages around it.
    async fn holding(
        &mut self,
        target: Option<&Element>,
        everywhere: bool,
        seen: Option<Glance>,
    ) -> Result<Vec<Hit>, Failure> {
        let context = target.map_or_else(|| self.context.clone(), |target| target.context.clone());
        let around = Around::page(everywhere);
        self.looked = Looked::default();
        let mut hits = self.scan_below(&context, target, around, seen).await?;
        // Around a frame, what counts is what stands in the way of the frame.
        let mut frames = context.frames.clone();
        while let Some(reference) = frames.pop() {
            let outside = Context { tab: context.tab.clone(), frames: frames.clone() };
            let frame = Element { context: outside.clone(), reference };
            hits.extend(self.scan_one(&outside, Some(&frame), around).await?.hits);
        }
        hits.retain(|hit| rule(&hit.id).is_none_or(|rule| !self.is_asked_for(rule.kind)));
        Ok(hits)
    }

    /// That nobody is signed in is an answer to whoever asks that, and no failure.
    pub(super) fn is_asked_for(&self, kind: FailureKind) -> bool {
        self.identifies && kind == FailureKind::SessionExpired
    }
}

fn wait_of(hit: &Hit) -> Duration {
    Duration::from_secs(rule(&hit.id).map_or(0, |rule| rule.wait))
}

/// The first by the design's order decides; the others are named beside it.
fn decide(hits: &[Hit]) -> Result<(), Failure> {
    let mut held: Vec<(&Rule, &Hit)> = hits.iter().filter_map(|hit| Some((rule(&hit.id)?, hit))).collect();
    held.sort_by_key(|(rule, hit)| order(rule, hit.alone));
    let Some(((first, hit), others)) = held.split_first() else { return Ok(()) };
    let mut message = format!("The page shows {} (rule {}", hit.shown, first.id);
    let mut ids: Vec<&str> = others.iter().map(|(rule, _)| rule.id.as_str()).filter(|id| *id != first.id).collect();
    ids.dedup();
    if !ids.is_empty() {
        message.push_str(&format!("; also {}", ids.join(", ")));
    }
    message.push_str(").");
    Err(Failure { rule: Some(first.id.clone()), ..Failure::new(first.kind, message) })
}
