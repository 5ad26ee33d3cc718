//! `fetch`: a request from a document of its origin, with the cookies of the session.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use url::Url;

use super::Walk;
use super::open::Place;
use crate::browser::challenge::{self, Answered, Said, made_at, wait_until};
use crate::browser::command::Action;
use crate::files::model::{Fetch, FetchBody, JsonTemplate};
use crate::run::{Failure, FailureKind, SITE_CLOCK};

/// The longest body that is read.
const MOST: usize = 8 * 1024 * 1024;
/// A site's clock and this one may differ by so much.
const CLOCKS_APART: TimeDelta = TimeDelta::minutes(5);

/// What a server answered.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::browser) struct Answer {
    pub status: u16,
    pub url: String,
    /// By name in lower case.
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

impl Answer {
    /// The body as JSON.
    pub fn json(&self) -> Result<Json, String> {
        serde_json::from_str(self.body.trim_start_matches('\u{feff}'))
            .map_err(|error| format!("the answer is not JSON ({error}); it starts with “{}”", start_of(&self.body)))
    }
}

impl Walk<'_, '_> {
    pub(super) async fn fetch(&mut self, fetch: &Fetch) -> Result<(), Failure> {
        let request = self.request(fetch)?;
        self.send(request, &fetch.accept).await
    }

    /// Sends a request; what it answers is what reads look at from then on.
    pub(in crate::browser) async fn send(&mut self, request: Request, accept: &[u16]) -> Result<(), Failure> {
        self.answer = None;
        let mut answer = self.dispatch(&request).await?;
        if answer.is_none() && !self.hands_off {
            self.enter_origin(&request.url).await?;
            answer = self.dispatch(&request).await?;
        }
        let mut answer = answer.ok_or_else(|| no_document(&request.url))?;
        // A check cannot run in the answer to a script, but it may end elsewhere: what only reads is asked once more.
        if request.method == "GET" && self.said_by(&answer, accept).is_some_and(|said| said.passive) {
            self.extend_limit(challenge::PASSIVE_WAIT);
            self.visit.clock.sleep_real(challenge::PASSIVE_WAIT).await;
            answer = self.dispatch(&request).await?.unwrap_or(answer);
        }
        self.take_answer(answer, accept)
    }

    /// Keeps an answer for the reads, if it is one.
    pub(in crate::browser) fn take_answer(&mut self, answer: Answer, accept: &[u16]) -> Result<(), Failure> {
        if let Some(said) = self.said_by(&answer, accept) {
            return Err(said.failure);
        }
        if let Some(failure) = self.clock_fault(&answer.url, &answer.headers) {
            return Err(failure);
        }
        self.answer = Some(answer);
        Ok(())
    }

    /// What an answer says instead of being one: a challenge whatever the status, and a status that the step does not accept.
    fn said_by(&self, answer: &Answer, accept: &[u16]) -> Option<Said> {
        let now = self.visit.clock.now();
        let Answer { status, headers, body, .. } = answer;
        let (signs_in, password_sent) = (self.signs_in, self.password_sent);
        let answered = Answered { status: *status, headers, body: Some(body), signs_in, password_sent };
        if let Some(said) = answered.sign(now) {
            return Some(said);
        }
        if accepted(*status, accept) {
            return None;
        }
        let other = || {
            let failure = Failure::new(FailureKind::PageChanged, format!("The server answered {status}."));
            Said { failure, passive: false, by_status: true }
        };
        Some(answered.by_status(now).unwrap_or_else(other))
    }

    /// This clock against that of the site, by an answer that one of its own origins just made.
    pub(in crate::browser) fn clock_fault(&self, url: &str, headers: &BTreeMap<String, String>) -> Option<Failure> {
        let url = Url::parse(url).ok()?;
        let made = made_at(headers).filter(|_| self.is_own(&url.origin().ascii_serialization()))?;
        let now = self.visit.clock.now();
        let apart = (made - now).abs() > CLOCKS_APART;
        apart.then(|| clocks_differ(url.host_str().unwrap_or_default(), now, made, self.visit.zone))
    }

    /// Sends it; none when the document is not of the request's origin, so that nothing was sent. Whatever else goes wrong,
    /// the server may have got it.
    pub(in crate::browser) async fn dispatch(&mut self, request: &Request) -> Result<Option<Answer>, Failure> {
        let limit = self.left().max(Duration::from_millis(500));
        let call = json!({
            "url": request.url.as_str(), "method": request.method, "headers": request.headers, "body": request.body,
            "limit": limit.as_millis() as u64, "most": MOST,
        });
        let context = self.context.clone();
        self.extend_limit(Duration::from_millis(500));
        let answer = self.page_sure(&context, "request", vec![call]).await?;
        if answer.get("elsewhere").is_some() {
            return Ok(None);
        }
        if let Some(why) = answer.get("failed").and_then(Json::as_str) {
            return Err(unanswered(why, &request.url, limit));
        }
        serde_json::from_value(answer).map(Some).map_err(|error| {
            Failure::new(FailureKind::NotRendered, format!("The answer cannot be understood: {error}."))
        })
    }

    /// Until when the server of this address wants to be left alone, if it says so.
    pub(in crate::browser) async fn stated_wait(&mut self, address: &str) -> Option<DateTime<Utc>> {
        let url = Url::parse(address).ok()?;
        let request = Request { method: "HEAD".to_owned(), ..Request::get(url) };
        let answer = self.dispatch(&request).await.ok()??;
        wait_until(answer.headers.get("retry-after")?, self.visit.clock.now())
    }

    /// A request needs a document of its origin: its icon is a small one that asks for nothing. What the server says to that is
    /// no word about the account: whoever needs a person says so again to the request itself.
    pub(in crate::browser) async fn enter_origin(&mut self, url: &Url) -> Result<(), Failure> {
        let origin = url.origin().ascii_serialization();
        let is_there = |place: &Place| place.origin == origin && !place.stand_in;
        if self.place().await.is_ok_and(|here| is_there(&here)) {
            return Ok(());
        }
        for path in ["/favicon.ico", "/robots.txt"] {
            let failure = match self.load(Action::Navigate(format!("{origin}{path}"))).await {
                Ok(place) if is_there(&place) => return Ok(()),
                Ok(_) => continue,
                Err(failure) => failure,
            };
            if !is_of_account(failure.kind) && failure.kind != FailureKind::PageChanged {
                return Err(failure);
            }
            if is_of_account(failure.kind) && self.place().await.is_ok_and(|here| is_there(&here)) {
                return Ok(());
            }
        }
        Err(no_document(url))
    }

    /// The request as it is to be sent.
    pub(in crate::browser) fn request(&self, fetch: &Fetch) -> Result<Request, Failure> {
        let url = self.address(&fetch.path, &fetch.query)?;
        let mut headers = Map::new();
        for (name, value) in &fetch.headers {
            headers.insert(name.clone(), self.render(value)?.into());
        }
        let (kind, body) = match &fetch.body {
            FetchBody::Empty => (None, None),
            FetchBody::Form(fields) => {
                let mut form = url::form_urlencoded::Serializer::new(String::new());
                for (name, value) in fields {
                    form.append_pair(name, &self.render(value)?);
                }
                (Some("application/x-www-form-urlencoded"), Some(form.finish()))
            }
            FetchBody::Json(template) => (Some("application/json"), Some(self.render_json(template)?.to_string())),
        };
        if let Some(kind) = kind {
            headers.entry("Content-Type").or_insert_with(|| kind.into());
        }
        Ok(Request { url, method: fetch.method.clone(), headers, body })
    }

    fn render_json(&self, template: &JsonTemplate) -> Result<Json, Failure> {
        Ok(match template {
            JsonTemplate::Null => Json::Null,
            JsonTemplate::Boolean(value) => Json::Bool(*value),
            JsonTemplate::Number(number) => serde_json::from_str(&number.to_string()).unwrap_or(Json::Null),
            JsonTemplate::Text(text) => Json::String(self.render(text)?),
            JsonTemplate::List(list) => {
                Json::Array(list.iter().map(|each| self.render_json(each)).collect::<Result<_, _>>()?)
            }
            JsonTemplate::Map(entries) => Json::Object(
                entries
                    .iter()
                    .map(|(name, each)| Ok((name.clone(), self.render_json(each)?)))
                    .collect::<Result<_, Failure>>()?,
            ),
        })
    }
}

/// A request as it is sent.
#[derive(Debug, Clone)]
pub(in crate::browser) struct Request {
    pub url: Url,
    pub method: String,
    pub headers: Map<String, Json>,
    pub body: Option<String>,
}

impl Request {
    /// A plain GET.
    pub fn get(url: Url) -> Self {
        Request { url, method: "GET".to_owned(), headers: Map::new(), body: None }
    }
}

fn accepted(status: u16, accept: &[u16]) -> bool {
    if accept.is_empty() { (200..300).contains(&status) } else { accept.contains(&status) }
}

/// Kinds that would stop an account, or its whole site.
fn is_of_account(kind: FailureKind) -> bool {
    kind.needs_person() || kind == FailureKind::SessionExpired
}

pub(in crate::browser) fn no_document(url: &Url) -> Failure {
    let origin = url.origin().ascii_serialization();
    let message = format!("No document of {origin} could be opened to send the request from.");
    Failure::new(FailureKind::Network, message)
}

fn unanswered(why: &str, url: &Url, limit: Duration) -> Failure {
    let host = url.host_str().unwrap_or_default();
    match why {
        "timeout" => Failure::new(
            FailureKind::Timeout,
            format!("{host} did not answer the request within {} s.", limit.as_secs()),
        ),
        "too long" => {
            Failure::new(FailureKind::PageChanged, format!("The answer of {host} is longer than {} MiB.", MOST >> 20))
        }
        _ => Failure::new(
            FailureKind::Network,
            format!("The request to {host} failed: no connection, or the page forbids it."),
        ),
    }
}

fn clocks_differ(host: &str, now: DateTime<Utc>, made: DateTime<Utc>, zone: chrono_tz::Tz) -> Failure {
    let shown = |at: DateTime<Utc>| at.with_timezone(&zone).format("%Y-%m-%d %H:%M").to_string();
    let message = format!(
        "this machine's clock shows {}, and that of {host} {}: one of them is wrong. Where it is this one, set it \
         (`timedatectl`); nothing is done on this site until they agree",
        shown(now),
        shown(made)
    );
    Failure { rule: Some(SITE_CLOCK.to_owned()), ..Failure::new(FailureKind::Environment, message) }
}

fn start_of(body: &str) -> String {
    crate::values::parse::collapse(&body.chars().take(60).collect::<String>())
}
