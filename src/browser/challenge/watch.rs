//! Looking out for pages that ask for a person: the site's own rules first, then the built-in ones.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::{Rule, precedence, rule};
use crate::browser::command::{Context, Element};
use crate::browser::look::Found;
use crate::browser::steps::Walk;
use crate::browser::wire::element;
use crate::run::{Failure, FailureKind};

/// Popups fade in and out: what is seen must be seen again after this.
const SECOND_LOOK: Duration = Duration::from_millis(300);
/// How long a check that often ends by itself is given, without any input.
pub(in crate::browser) const PASSIVE_WAIT: Duration = Duration::from_secs(15);
/// How often it is looked at meanwhile.
pub(super) const PASSIVE_LOOK: Duration = Duration::from_millis(500);

/// A rule that holds.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::browser) struct Hit {
    id: String,
    /// What was seen, in words.
    shown: String,
}

impl Walk<'_, '_> {
    /// A look after a step. What asks for a person is a failure of its kind.
    pub(in crate::browser) async fn watch_out(&mut self) -> Result<(), Failure> {
        self.watch(None, false, None).await
    }

    /// A look before an element is used; what was seen when it was found to be usable counts.
    pub(in crate::browser) async fn watch_before(&mut self, found: &Found) -> Result<(), Failure> {
        let seen = found.ready.as_ref().map(|ready| ready.challenges.clone());
        self.watch(Some(&found.element), false, seen).await
    }

    /// What the page script is told about a look before an element is used.
    pub(in crate::browser) fn look_out(&self) -> Json {
        self.how(false)
    }

    fn how(&self, everywhere: bool) -> Json {
        json!({ "signIn": self.signs_in, "everywhere": everywhere })
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

    /// A look at the page itself; `watch` weighs it against what the server's answer said.
    pub(super) async fn watch_page(
        &mut self,
        target: Option<&Element>,
        everywhere: bool,
        seen: Option<Vec<Hit>>,
    ) -> Result<(), Failure> {
        self.watch_own_rules().await?;
        let context = target.map_or_else(|| self.context.clone(), |target| target.context.clone());
        let mut hits = match seen {
            Some(hits) => [hits, self.scan_around(&context, everywhere).await?].concat(),
            None => self.scan(&context, target, everywhere).await?,
        };
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
        let target = target.map_or(Json::Null, |target| element(&target.reference));
        let hits = self.scan_in(context, target, everywhere).await?;
        Ok([hits, self.scan_around(context, everywhere).await?].concat())
    }

    /// The rules that hold in the page around a frame.
    async fn scan_around(&mut self, context: &Context, everywhere: bool) -> Result<Vec<Hit>, Failure> {
        if context.frames.is_empty() {
            return Ok(Vec::new());
        }
        self.scan_in(&context.top(), Json::Null, everywhere).await
    }

    async fn scan_in(&mut self, context: &Context, target: Json, everywhere: bool) -> Result<Vec<Hit>, Failure> {
        let found = self.page(context, "scan", vec![self.how(everywhere), target]).await?.ok();
        Ok(found.and_then(|hits| serde_json::from_value(hits).ok()).unwrap_or_default())
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
