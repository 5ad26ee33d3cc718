//! Looking out for pages that ask for a person: the site's own rules first, then the built-in ones.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::{Rule, precedence, rule};
use crate::browser::command::{Context, Element};
use crate::browser::steps::Walk;
use crate::browser::wire::element;
use crate::run::{Failure, FailureKind};

/// Popups fade in and out: what is seen must be seen again after this.
const SECOND_LOOK: Duration = Duration::from_millis(300);
/// How long a check that often ends by itself is given, without any input.
const PASSIVE_WAIT: Duration = Duration::from_secs(15);
/// How often it is looked at meanwhile.
const PASSIVE_LOOK: Duration = Duration::from_millis(500);

/// A rule that holds.
#[derive(Debug, Clone, Deserialize)]
struct Hit {
    id: String,
    /// What was seen, in words.
    shown: String,
}

impl Walk<'_, '_> {
    /// A look before an element is used (`target`), or after a step. What asks for a person is a failure of its kind.
    pub(in crate::browser) async fn watch_out(&mut self, target: Option<&Element>) -> Result<(), Failure> {
        self.watch(target, false).await
    }

    /// A look when what was expected did not come: an idle widget anywhere may be the reason.
    pub(in crate::browser) async fn watch_everywhere(&mut self) -> Result<(), Failure> {
        self.watch(None, true).await
    }

    /// The challenge that a page shows, in place of the failure that it led to.
    pub(in crate::browser) async fn challenge_behind(&mut self, failure: Failure) -> Failure {
        if let Err(challenge) = self.watch_everywhere().await {
            return challenge;
        }
        failure
    }

    async fn watch(&mut self, target: Option<&Element>, everywhere: bool) -> Result<(), Failure> {
        self.watch_own_rules().await?;
        let context = target.map_or_else(|| self.context.clone(), |target| target.context.clone());
        let mut hits = self.scan(&context, target, everywhere).await?;
        if hits.is_empty() {
            return Ok(());
        }
        self.extend_limit(SECOND_LOOK);
        self.visit.clock.sleep_real(SECOND_LOOK).await;
        hits = self.seen_again(&context, target, everywhere, hits).await?;
        let mut waited = Duration::ZERO;
        while !hits.is_empty() && hits.iter().all(is_passive) && waited < PASSIVE_WAIT {
            self.extend_limit(PASSIVE_LOOK);
            self.visit.clock.sleep_real(PASSIVE_LOOK).await;
            waited += PASSIVE_LOOK;
            hits = self.scan(&context, target, everywhere).await?;
        }
        self.decide(hits)
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

    async fn seen_again(
        &mut self,
        context: &Context,
        target: Option<&Element>,
        everywhere: bool,
        before: Vec<Hit>,
    ) -> Result<Vec<Hit>, Failure> {
        let again = self.scan(context, target, everywhere).await?;
        Ok(again.into_iter().filter(|hit| before.iter().any(|earlier| earlier.id == hit.id)).collect())
    }

    /// The rules that hold in a document and, where it is in a frame, in the page around it.
    async fn scan(
        &mut self,
        context: &Context,
        target: Option<&Element>,
        everywhere: bool,
    ) -> Result<Vec<Hit>, Failure> {
        let how = json!({ "signIn": self.signs_in, "everywhere": everywhere });
        let target = target.map_or(Json::Null, |target| element(&target.reference));
        let mut found = self.page(context, "scan", vec![how.clone(), target]).await?.ok();
        let mut hits: Vec<Hit> = found.take().and_then(|hits| serde_json::from_value(hits).ok()).unwrap_or_default();
        if !context.frames.is_empty() {
            let around = self.page(&context.top(), "scan", vec![how, Json::Null]).await?.ok();
            hits.extend(around.and_then(|hits| serde_json::from_value::<Vec<Hit>>(hits).ok()).unwrap_or_default());
        }
        Ok(hits)
    }

    /// The first by the design's order decides; the others are named beside it.
    fn decide(&self, hits: Vec<Hit>) -> Result<(), Failure> {
        let mut held: Vec<(&Rule, &Hit)> = hits.iter().filter_map(|hit| Some((rule(&hit.id)?, hit))).collect();
        held.sort_by_key(|(rule, _)| precedence(rule.kind));
        let Some(((first, hit), others)) = held.split_first() else { return Ok(()) };
        let mut message = format!("The page shows {}", hit.shown);
        if !others.is_empty() {
            let ids: Vec<&str> = others.iter().map(|(rule, _)| rule.id.as_str()).collect();
            message.push_str(&format!(" (and {})", ids.join(", ")));
        }
        message.push('.');
        Err(Failure { rule: Some(first.id.clone()), ..Failure::new(first.kind, message) })
    }
}

fn is_passive(hit: &Hit) -> bool {
    rule(&hit.id).is_some_and(|rule| rule.passive)
}
