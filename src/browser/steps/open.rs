//! `open` and `go`: loading pages, on the site's own origins only.

use std::time::Duration;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::Value as Json;
use url::Url;

use super::Walk;
use crate::browser::command::{Action, Context, Refusal, Response};
use crate::browser::wire::{error_page, is_error_page};
use crate::files::condition::Template;
use crate::files::model::Go;
use crate::run::{Failure, FailureKind};

/// What must not stand as itself in the value of a query.
const IN_QUERY: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'&').add(b'+').add(b'<').add(b'=').add(b'>').add(b'?');

/// How long an empty page is waited for, and how often it is looked at.
const EMPTY: Duration = Duration::from_secs(5);
const FILLING: Duration = Duration::from_millis(50);
/// How soon a document that was replaced is asked again.
const LOOK: Duration = Duration::from_millis(20);

/// Where a document is.
#[derive(Debug, Clone, serde::Deserialize)]
pub(in crate::browser) struct Place {
    pub url: String,
    pub origin: String,
    pub host: String,
    pub path: String,
    #[serde(default)]
    pub title: String,
    /// The document's own address: of an error page it is not the site's.
    pub document: String,
    /// HTTP status of the page load; 0 where the browser does not say.
    pub status: u16,
    /// A page of the browser's own stands in for it, such as one that says that nothing came: no request can be sent from there.
    #[serde(default)]
    pub stand_in: bool,
    /// There is nothing on it.
    #[serde(default)]
    pub bare: bool,
}

impl Walk<'_, '_> {
    pub(super) async fn open(&mut self, path: &Template, query: &[(String, Template)]) -> Result<(), Failure> {
        let url = self.address(path, query)?;
        let place = self.load(Action::Navigate(url.clone().into())).await?;
        self.loaded(&url, &place).await?;
        let place = if place.bare { self.filled().await? } else { place };
        if !self.is_own(&place.origin) {
            self.watch_out().await?;
            let message = format!("The page led to {}, which is not one of the site's origins.", place.host);
            return Err(Failure::new(FailureKind::PageChanged, message));
        }
        Ok(())
    }

    /// An empty page is no page, whatever its status: a script may fill or replace it yet, or it says nothing at all.
    async fn filled(&mut self) -> Result<Place, Failure> {
        let end = self.visit.clock.uptime() + self.left().min(EMPTY);
        loop {
            let place = self.place().await?;
            if !place.bare {
                return Ok(place);
            }
            if self.visit.clock.uptime() >= end {
                self.watch_out().await?;
                let message = format!("The page of {} is empty, which says nothing.", place.host);
                return Err(Failure::new(FailureKind::NotRendered, message));
            }
            self.visit.clock.sleep_real(FILLING).await;
        }
    }

    pub(super) async fn go(&mut self, go: Go) -> Result<(), Failure> {
        match go {
            Go::Back => self.load(Action::Back).await.map(drop),
            Go::Reload => self.load(Action::Reload).await.map(drop),
            Go::CloseTab => self.close_tab().await,
        }
    }

    /// Loads a document into the tab, and says where that is; the browser's own error pages are failures.
    pub(in crate::browser) async fn load(&mut self, action: Action) -> Result<Place, Failure> {
        let context = self.context.clone();
        let place = match self.ask(&context, action).await? {
            Response::Json(place) => as_place(place)?,
            Response::Refused(refusal) => return Err(super::refused(&refusal)),
            _ => self.place().await?,
        };
        if is_error_page(&place.document) {
            // A browser may show its own page for an answer, too: then the answer says why.
            return Err(self.answer_behind(error_page(&place.document)).await);
        }
        Ok(place)
    }

    /// Closes the tab and goes on in the first. The browser would end with its last tab: that one is emptied.
    async fn close_tab(&mut self) -> Result<(), Failure> {
        let context = self.context.clone();
        if self.tabs().await?.len() < 2 {
            self.ask(&context, Action::Navigate("about:blank".to_owned())).await?;
            return Ok(());
        }
        self.ask(&context, Action::CloseTab).await?;
        self.context = Context { tab: self.tabs().await?.first().cloned(), frames: Vec::new() };
        Ok(())
    }

    /// Where the tab is.
    pub(in crate::browser) async fn place(&mut self) -> Result<Place, Failure> {
        let context = self.context.clone();
        self.place_in(&context).await
    }

    /// Where a document is. Its own script may replace it at that moment: then where the next one is.
    pub(in crate::browser) async fn place_in(&mut self, context: &Context) -> Result<Place, Failure> {
        loop {
            match self.ask(context, Action::Place).await? {
                Response::Json(place) if place.is_object() => return as_place(place),
                Response::Json(_) | Response::Refused(Refusal::Script(_)) if !self.left().is_zero() => {
                    self.visit.clock.sleep_real(LOOK).await;
                }
                Response::Refused(refusal) => return Err(super::refused(&refusal)),
                other => return Err(super::refused(&Refusal::Script(format!("unexpected answer {other:?}")))),
            }
        }
    }

    /// Is a password field displayed? None where that cannot be told.
    pub(in crate::browser) async fn asks_for_password(&mut self) -> Result<Option<bool>, Failure> {
        let context = self.context.clone();
        Ok(self.page(&context, "asksForPassword", Vec::new()).await?.ok().and_then(|asks| asks.as_bool()))
    }

    /// True for an origin that the site names as its own.
    pub(in crate::browser) fn is_own(&self, origin: &str) -> bool {
        let as_written = |own: &String| Url::parse(own).map(|url| url.origin().ascii_serialization());
        self.visit.site.origins.iter().filter_map(|own| as_written(own).ok()).any(|own| own == origin)
    }

    /// The address of a path with its query, on an origin of the site.
    pub(in crate::browser) fn address(&self, path: &Template, query: &[(String, Template)]) -> Result<Url, Failure> {
        let path = self.render(path)?;
        let mut url = self.resolve(&path)?;
        let mut pairs = url.query().map(|already| vec![already.to_owned()]).unwrap_or_default();
        for (name, value) in query {
            pairs.push(format!("{}={}", encode(name), encode(&self.render(value)?)));
        }
        url.set_query((!pairs.is_empty()).then(|| pairs.join("&")).as_deref());
        Ok(url)
    }

    /// A path, or a URL on an origin of the site; anything else is refused.
    pub(in crate::browser) fn resolve(&self, path: &str) -> Result<Url, Failure> {
        let first = self.visit.site.origins.first().map(String::as_str).unwrap_or_default();
        let wrong = |why: String| Failure::new(FailureKind::PageChanged, format!("`{path}` cannot be opened: {why}."));
        let base = Url::parse(first).map_err(|error| wrong(error.to_string()))?;
        let url = base.join(path).map_err(|error| wrong(error.to_string()))?;
        if self.is_own(&url.origin().ascii_serialization()) {
            Ok(url)
        } else {
            Err(wrong("it is not on one of the site's origins".to_owned()))
        }
    }
}

fn as_place(answer: Json) -> Result<Place, Failure> {
    serde_json::from_value(answer)
        .map_err(|error| Failure::new(FailureKind::NotRendered, format!("The page does not say where it is: {error}.")))
}

fn encode(text: &str) -> String {
    utf8_percent_encode(text, IN_QUERY).to_string()
}
