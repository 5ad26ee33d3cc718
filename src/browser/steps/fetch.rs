//! `fetch`: a request from a document of its origin, with the cookies of the session.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use url::Url;

use super::Walk;
use crate::browser::challenge;
use crate::browser::command::Action;
use crate::files::model::{Fetch, FetchBody, JsonTemplate};
use crate::run::{Failure, FailureKind, SITE_CLOCK};

/// The longest body that is read.
const MOST: usize = 8 * 1024 * 1024;
/// How long to stay away when a server says "too many" without saying for how long.
const COOL_DOWN: TimeDelta = TimeDelta::minutes(15);
/// A site's clock and this one may differ by so much.
const CLOCKS_APART: TimeDelta = TimeDelta::minutes(5);
/// The longest wait that is believed.
const LONGEST_WAIT: TimeDelta = TimeDelta::days(2);

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
        self.take_answer(answer.ok_or_else(|| no_document(&request.url))?, accept)
    }

    /// Keeps an answer for the reads, if it is one.
    pub(in crate::browser) fn take_answer(&mut self, answer: Answer, accept: &[u16]) -> Result<(), Failure> {
        if let Some(failure) = by_header(&answer) {
            return Err(failure);
        }
        if let Some(failure) = self.clock_fault(&answer) {
            return Err(failure);
        }
        if !accepted(answer.status, accept) {
            return Err(self.not_accepted(&answer));
        }
        self.answer = Some(answer);
        Ok(())
    }

    /// This clock against that of the site, by an answer that one of its own origins just made.
    fn clock_fault(&self, answer: &Answer) -> Option<Failure> {
        let url = Url::parse(&answer.url).ok()?;
        let made = made_at(answer).filter(|_| self.is_own(&url.origin().ascii_serialization()))?;
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
    pub(super) async fn stated_wait(&mut self, address: &str) -> Option<DateTime<Utc>> {
        let url = Url::parse(address).ok()?;
        let request = Request { method: "HEAD".to_owned(), ..Request::get(url) };
        let answer = self.dispatch(&request).await.ok()??;
        wait_until(answer.headers.get("retry-after")?, self.visit.clock.now())
    }

    /// A request needs a document of its origin: its icon is a small one that asks for nothing.
    pub(in crate::browser) async fn enter_origin(&mut self, url: &Url) -> Result<(), Failure> {
        let origin = url.origin().ascii_serialization();
        if self.place().await.is_ok_and(|here| here.origin == origin) {
            return Ok(());
        }
        for path in ["/favicon.ico", "/robots.txt"] {
            match self.load(Action::Navigate(format!("{origin}{path}"))).await {
                Ok(place) if place.origin == origin => return Ok(()),
                Err(failure) if failure.kind != FailureKind::PageChanged => return Err(failure),
                _ => {}
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

    fn not_accepted(&self, answer: &Answer) -> Failure {
        let now = self.visit.clock.now();
        let retry_after = answer.headers.get("retry-after").and_then(|value| wait_until(value, now));
        if answer.status == 401 && answer.headers.contains_key("www-authenticate") {
            let message =
                "The server asks for HTTP authentication, which a browser answers with a dialog: Sunup does not.";
            return Failure::new(FailureKind::Environment, message);
        }
        by_status(answer.status, retry_after, now).unwrap_or_else(|| {
            Failure::new(FailureKind::PageChanged, format!("The server answered {}.", answer.status))
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

/// A header that says that a person is asked for, or that the session is over.
fn by_header(answer: &Answer) -> Option<Failure> {
    let says_so = |rule: &&challenge::Rule| {
        let Some(header) = &rule.header else { return false };
        let value = answer.headers.get(&header.name);
        value.is_some_and(|value| header.value.as_ref().is_none_or(|wanted| value == wanted))
    };
    let rule = challenge::rules().iter().find(says_so)?;
    let message = format!("The server's answer says so ({}).", rule.source);
    Some(Failure { rule: Some(rule.id.clone()), ..Failure::new(rule.kind, message) })
}

/// What a status means that is not an answer. None for statuses that are fine.
pub(in crate::browser) fn by_status(
    status: u16,
    retry_after: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Option<Failure> {
    use FailureKind::*;
    let (kind, meaning) = match status {
        300..400 => (SessionExpired, "it redirects, which it does to who is signed out"),
        401 | 419 | 440 => (SessionExpired, "nobody is signed in"),
        404 | 410 => (PageChanged, "there is nothing at this address"),
        403 | 412 | 418 | 451 => (AccessDenied, "access is refused"),
        407 => (Environment, "a proxy on the way wants a login"),
        408 | 425 => (Timeout, "it was too slow or too early"),
        423 => (AccountRestricted, "the account is locked"),
        429 => (RateLimited, "too many requests"),
        503 if retry_after.is_some() => (Maintenance, "it is not available for a while"),
        511 => (Environment, "this network wants a login of its own"),
        400..500 => (PageChanged, "the request is not understood any more"),
        500.. => (ServerError, "the server has a fault"),
        _ => return None,
    };
    let retry_at = match kind {
        RateLimited => Some(retry_after.unwrap_or(now + COOL_DOWN)),
        _ => retry_after,
    };
    Some(Failure { retry_at, ..Failure::new(kind, format!("The server answered {status}: {meaning}.")) })
}

/// `Retry-After`: seconds, or an HTTP date.
fn wait_until(value: &str, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let until = match value.trim().parse::<i64>() {
        Ok(seconds) => {
            now + TimeDelta::try_seconds(seconds.max(0)).filter(|wait| *wait < LONGEST_WAIT).unwrap_or(LONGEST_WAIT)
        }
        Err(_) => DateTime::parse_from_rfc2822(value.trim()).ok()?.to_utc(),
    };
    Some(until.clamp(now, now + LONGEST_WAIT))
}

/// When an answer was made, by the clock of its server; none for one that lay in a cache for a while.
fn made_at(answer: &Answer) -> Option<DateTime<Utc>> {
    let date = answer.headers.get("date").filter(|_| !answer.headers.contains_key("age"))?;
    Some(DateTime::parse_from_rfc2822(date.trim()).ok()?.to_utc())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn statuses_that_are_no_answer() {
        let now = at("2026-11-30T00:00:00Z");
        let kind = |status| by_status(status, None, now).map(|failure| failure.kind);
        assert_eq!(kind(200), None);
        assert_eq!(kind(302), Some(FailureKind::SessionExpired));
        assert_eq!(kind(401), Some(FailureKind::SessionExpired));
        assert_eq!(kind(403), Some(FailureKind::AccessDenied));
        assert_eq!(kind(404), Some(FailureKind::PageChanged));
        assert_eq!(kind(500), Some(FailureKind::ServerError));
        assert_eq!(kind(503), Some(FailureKind::ServerError));
        let said = Some(at("2026-11-30T01:00:00Z"));
        assert_eq!(by_status(503, said, now).map(|failure| failure.kind), Some(FailureKind::Maintenance));
        assert_eq!(by_status(429, None, now).and_then(|failure| failure.retry_at), Some(now + COOL_DOWN));
        assert_eq!(by_status(429, said, now).and_then(|failure| failure.retry_at), said);
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = at("2026-11-30T00:00:00Z");
        assert_eq!(wait_until("120", now), Some(at("2026-11-30T00:02:00Z")));
        assert_eq!(wait_until("Mon, 30 Nov 2026 00:10:00 GMT", now), Some(at("2026-11-30T00:10:00Z")));
        assert_eq!(wait_until("Mon, 30 Nov 2020 00:10:00 GMT", now), Some(now));
        assert_eq!(wait_until("99999999999999999", now), Some(now + LONGEST_WAIT));
        assert_eq!(wait_until("soon", now), None);
    }

    #[test]
    fn an_answer_says_when_it_was_made_unless_it_lay_in_a_cache() {
        let made = |headers: &[(&str, &str)]| {
            let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            made_at(&Answer { status: 200, url: String::new(), headers, body: String::new() })
        };
        let date = ("date", "Mon, 30 Nov 2026 00:10:00 GMT");
        assert_eq!(made(&[date]), Some(at("2026-11-30T00:10:00Z")));
        assert_eq!(made(&[date, ("age", "0")]), None);
        assert_eq!(made(&[("date", "today")]), None);
        assert_eq!(made(&[]), None);
    }

    #[test]
    fn a_challenge_in_a_header_goes_before_the_status() {
        let headers = BTreeMap::from([("cf-mitigated".to_owned(), "challenge".to_owned())]);
        let answer = Answer { status: 429, url: String::new(), headers, body: String::new() };
        assert_eq!(by_header(&answer).map(|failure| failure.kind), Some(FailureKind::Interstitial));
    }
}
