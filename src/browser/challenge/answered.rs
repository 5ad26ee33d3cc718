//! What servers answered to page loads, weighed against what the pages show.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value as Json;
use url::Url;

use super::answer::{by_address, is_sign_in};
use super::watch::{PASSIVE_LOOK, PASSIVE_WAIT};
use super::{Answered, Glance, Said, precedence};
use crate::browser::command::{Action, Element, Response};
use crate::browser::steps::{Place, Walk};
use crate::run::{Failure, FailureKind, Policy};

/// The answer to a page load, as the browser tells it.
#[derive(Debug, Deserialize)]
struct PageAnswer {
    url: String,
    through: Vec<String>,
    status: u16,
    headers: BTreeMap<String, String>,
    cached: bool,
}

impl Walk<'_, '_> {
    /// A look for what asks for a person: at what the server said to the load of this page, if that is new, and at the page.
    pub(super) async fn watch(
        &mut self,
        target: Option<&Element>,
        everywhere: bool,
        seen: Option<Glance>,
    ) -> Result<(), Failure> {
        match self.newly_said().await? {
            Heard::Nothing | Heard::Fine => self.watch_page(target, everywhere, seen).await,
            Heard::Said(said) => self.weigh(said).await,
        }
    }

    /// What the load of a page came to, before anything on it is used.
    pub(in crate::browser) async fn loaded(&mut self, asked_for: &Url, place: &Place) -> Result<(), Failure> {
        match self.newly_said().await? {
            Heard::Said(said) => self.weigh(said).await?,
            Heard::Nothing if place.status >= 400 => {
                let failure = self.by_status_alone(place).await;
                if !self.is_asked_for(failure.kind) && !self.is_form_behind(failure.kind).await? {
                    return Err(failure);
                }
            }
            Heard::Nothing | Heard::Fine => {}
        }
        if let Some(failure) = self.told_by_address(&place.url) {
            return Err(failure);
        }
        self.led_to_sign_in(asked_for, place).await
    }

    /// What the server said to a load that ended in one of the browser's own pages, in place of what that page says.
    pub(in crate::browser) async fn answer_behind(&mut self, failure: Failure) -> Failure {
        match self.newly_said().await {
            Ok(Heard::Said(said)) => said.failure,
            _ => failure,
        }
    }

    /// What an address says of a way through an identity server; a sign-in under way may pass one that says "not yet".
    fn told_by_address(&self, address: &str) -> Option<Failure> {
        let under_way = |kind| self.signs_in && kind == FailureKind::SessionExpired;
        by_address(address).filter(|failure| !under_way(failure.kind) && !self.is_asked_for(failure.kind))
    }

    /// A page that was asked for and led to the sign-in: nobody is signed in, unless it asks for more than a sign-in. Whoever
    /// asks who is signed in reads that himself.
    async fn led_to_sign_in(&mut self, asked_for: &Url, place: &Place) -> Result<(), Failure> {
        let led = !is_sign_in(asked_for.path()) && is_sign_in(&place.path);
        if !led || self.signs_in || self.identifies {
            return Ok(());
        }
        self.watch_out().await?;
        let message = format!("{} led to the sign-in, {}{}.", asked_for.path(), place.host, place.path);
        Err(Failure::new(FailureKind::SessionExpired, message))
    }

    /// What the server said to the latest load in this tab, if it was not looked at before.
    async fn newly_said(&mut self) -> Result<Heard, Failure> {
        let context = self.context.top();
        let Response::Json(answer @ Json::Object(_)) = self.ask(&context, Action::Answered).await? else {
            return Ok(Heard::Nothing);
        };
        let Ok(answer) = serde_json::from_value::<PageAnswer>(answer) else { return Ok(Heard::Nothing) };
        let (headers, now) = (&answer.headers, self.visit.clock.now());
        let answered = self.page_answered(answer.status, headers);
        if let Some(said) = answered.says(now).filter(|said| !self.is_asked_for(said.failure.kind)) {
            return Ok(Heard::Said(said));
        }
        let passed = answer.through.iter().chain([&answer.url]).find_map(|address| self.told_by_address(address));
        if let Some(failure) = passed {
            return Ok(Heard::Said(Said { failure, passive: false, by_status: false }));
        }
        let fault = if answer.cached { None } else { self.clock_fault(&answer.url, headers) };
        fault.map_or(Ok(Heard::Fine), Err)
    }

    /// What the page shows against what its answer said, by the design's order. A check that often ends by itself is given
    /// its seconds first, without any input.
    async fn weigh(&mut self, said: Said) -> Result<(), Failure> {
        let mut said = Some(said);
        let shown = self.watch_page(None, false, None).await.err();
        // The page may have been replaced while it was looked at.
        said = self.replaced(said).await?;
        let waits = |said: &Option<Said>| said.as_ref().is_some_and(|said| said.passive);
        let mut waited = std::time::Duration::ZERO;
        while shown.is_none() && waits(&said) && waited < PASSIVE_WAIT {
            self.extend_limit(PASSIVE_LOOK);
            self.visit.clock.sleep_real(PASSIVE_LOOK).await;
            waited += PASSIVE_LOOK;
            said = self.replaced(said).await?;
        }
        match (said, shown) {
            (Some(said), None) if said.by_status && self.is_form_behind(said.failure.kind).await? => Ok(()),
            (None, None) => self.watch_page(None, false, None).await,
            (None, Some(shown)) => Err(shown),
            (Some(said), None) => Err(said.failure),
            (Some(said), Some(shown)) => Err(first_of(said, shown)),
        }
    }

    /// The sign-in form that was looked for came with a status that says no by itself: some servers send it so.
    async fn is_form_behind(&mut self, kind: FailureKind) -> Result<bool, Failure> {
        use FailureKind::{AccessDenied, PageChanged, SessionExpired};
        let may_be = self.signs_in && matches!(kind, AccessDenied | PageChanged | SessionExpired);
        Ok(may_be && self.asks_for_password().await? == Some(true))
    }

    fn page_answered<'h>(&self, status: u16, headers: &'h BTreeMap<String, String>) -> Answered<'h> {
        Answered { status, headers, body: None, signs_in: self.signs_in, password_sent: self.password_sent }
    }

    /// What a newer answer says, where there is one.
    async fn replaced(&mut self, said: Option<Said>) -> Result<Option<Said>, Failure> {
        Ok(match self.newly_said().await? {
            Heard::Nothing => said,
            Heard::Fine => None,
            Heard::Said(newer) => Some(newer),
        })
    }

    /// What a page means that came with this status, where the browser does not tell the rest of the answer. How long to stay
    /// away stands in a header: where a server asks for patience, it is asked once more, by `HEAD`, rather than too early.
    async fn by_status_alone(&mut self, place: &Place) -> Failure {
        let shown = self.watch_page(None, false, None).await.err();
        let (headers, now) = (BTreeMap::new(), self.visit.clock.now());
        let answered = self.page_answered(place.status, &headers);
        let said = answered.by_status(now).map(|said| said.failure);
        let failure = shown
            .or(said)
            .unwrap_or_else(|| Failure::new(FailureKind::PageChanged, format!("The page answered {}.", place.status)));
        let asks_for_patience = failure.kind.policy() == Policy::SiteWaits || place.status == 503;
        if !asks_for_patience {
            return failure;
        }
        match self.stated_wait(&place.url).await {
            Some(wait) if failure.kind == FailureKind::ServerError => {
                let message = format!("The server answered {}: it is not available for a while.", place.status);
                Failure { retry_at: Some(wait), ..Failure::new(FailureKind::Maintenance, message) }
            }
            stated => Failure { retry_at: stated.or(failure.retry_at), ..failure },
        }
    }
}

/// What is known of the answer to a page load.
enum Heard {
    /// Nothing new, or the browser does not tell.
    Nothing,
    /// A new one, with which nothing is wrong.
    Fine,
    Said(Said),
}

/// Which of the two decides. A status is the weakest word there is, but for what lies between us and the site.
fn first_of(said: Said, shown: Failure) -> Failure {
    let retry_at = shown.retry_at.or(said.failure.retry_at);
    let (by_answer, by_page) = (precedence(said.failure.kind), precedence(shown.kind));
    let between = said.failure.kind == FailureKind::Environment;
    if between || (!said.by_status && by_answer <= by_page) { said.failure } else { Failure { retry_at, ..shown } }
}
