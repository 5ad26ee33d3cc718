//! What the answer of a server says by itself, by its headers, its status and its body. Pure: the rules are data.

mod body;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;
use serde_json::Value as Json;
use url::Url;

use crate::run::{Failure, FailureKind};
use body::Body;

pub(in crate::browser) use body::no_json;

/// How long to stay away when a server says "too many" without saying for how long.
const COOL_DOWN: TimeDelta = TimeDelta::minutes(15);
/// The longest wait that is believed: until the same time tomorrow, when the next slot of a daily task is there.
const LONGEST_WAIT: TimeDelta = TimeDelta::days(1);

/// An answer as it is looked at.
#[derive(Debug, Clone, Copy)]
pub(in crate::browser) struct Answered<'a> {
    pub status: u16,
    /// By name in lower case.
    pub headers: &'a BTreeMap<String, String>,
    /// Of an answer to a `fetch`; none for a page, which is looked at itself.
    pub body: Option<&'a str>,
    /// A sign-in is under way.
    pub signs_in: bool,
    /// The password was sent.
    pub password_sent: bool,
}

/// What an answer says.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::browser) struct Said {
    pub failure: Failure,
    /// Such answers often give way to the page within seconds.
    pub passive: bool,
    /// By its status alone: whatever the page itself says goes before that.
    pub by_status: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    signs: Vec<Sign>,
    statuses: Vec<Status>,
    errors: Vec<ErrorName>,
    sign_in_paths: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sign {
    id: String,
    kind: FailureKind,
    #[serde(default)]
    header: Option<HeaderSign>,
    #[serde(default)]
    status: Vec<u16>,
    #[serde(default)]
    url: Option<UrlSign>,
    #[serde(default)]
    json: Option<JsonSign>,
    #[serde(default)]
    body: Vec<String>,
    #[serde(default)]
    passive: bool,
    source: String,
    #[allow(dead_code)] // For whoever keeps the rules.
    checked: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct HeaderSign {
    name: String,
    #[serde(default)]
    value: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct UrlSign {
    #[serde(default)]
    hosts: Vec<String>,
    path: String,
    #[serde(default)]
    query: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonSign {
    name: String,
    #[serde(default)]
    value: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Status {
    status: Vec<Json>,
    kind: String,
    #[serde(default)]
    says: String,
    #[serde(default)]
    header: Option<String>,
    #[serde(default)]
    sign_in: Option<bool>,
    #[serde(default)]
    password_sent: Option<bool>,
    #[serde(default)]
    answer_to: Option<AnswerTo>,
    #[serde(default)]
    passive: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum AnswerTo {
    Page,
    Fetch,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ErrorName {
    error: String,
    #[serde(default)]
    with: Vec<String>,
    kind: FailureKind,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let text = include_str!("rules/http.yaml");
    serde_saphyr::from_str(text).unwrap_or_else(|error| panic!("the built-in rules of answers are broken: {error}"))
});

impl Answered<'_> {
    /// What the answer says, its signs before its status. None for an answer that is fine.
    pub fn says(&self, now: DateTime<Utc>) -> Option<Said> {
        self.sign(now).or_else(|| self.by_status(now))
    }

    /// What asks for a person, or says that the session is over or the site closed, whatever the status.
    pub fn sign(&self, now: DateTime<Utc>) -> Option<Said> {
        let body = self.body.map(Body::of);
        let sign = RULES.signs.iter().find(|sign| sign.holds(self, body.as_ref()))?;
        let message = format!("The server's answer ({}) says so: {}.", self.status, sign.source);
        let failure = Failure { rule: Some(sign.id.clone()), ..Failure::new(sign.kind, message) };
        Some(Said { failure: self.waiting(failure, now), passive: sign.passive, by_status: false })
    }

    /// What the status means. None for statuses that are fine.
    pub fn by_status(&self, now: DateTime<Utc>) -> Option<Said> {
        if let Some(failure) = self.asks_for_http_login() {
            return Some(Said { failure, passive: false, by_status: true });
        }
        let rule = RULES.statuses.iter().find(|rule| rule.holds(self))?;
        let kind = FailureKind::from_word(&rule.kind)?;
        let failure = Failure::new(kind, format!("The server answered {}: {}.", self.status, rule.says));
        Some(Said { failure: self.waiting(failure, now), passive: rule.passive, by_status: true })
    }

    /// With the time that the server stated, or the one that is kept when it said "too many" and stated none.
    fn waiting(&self, failure: Failure, now: DateTime<Utc>) -> Failure {
        let stated = self.headers.get("retry-after").and_then(|value| wait_until(value, now));
        let unstated = (failure.kind == FailureKind::RateLimited).then(|| now + COOL_DOWN);
        Failure { retry_at: stated.or(unstated), ..failure }
    }

    fn asks_for_http_login(&self) -> Option<Failure> {
        let schemes = self.headers.get("www-authenticate").filter(|_| self.status == 401)?.to_lowercase();
        let in_a_dialog = ["basic", "digest", "ntlm", "negotiate"];
        let asks = schemes.split([' ', ',', '\n']).any(|word| in_a_dialog.contains(&word.trim()));
        asks.then(http_login)
    }
}

/// HTTP authentication: a browser asks for it in a dialog of its own.
pub(in crate::browser) fn http_login() -> Failure {
    let message = "The server, or a proxy before it, asks for HTTP authentication, which a browser answers in a dialog: Sunup does not.";
    Failure::new(FailureKind::Environment, message)
}

impl Sign {
    fn holds(&self, answer: &Answered<'_>, body: Option<&Body<'_>>) -> bool {
        let header = |sign: &HeaderSign| {
            let value = answer.headers.get(&sign.name).map(|value| value.trim().to_lowercase());
            value.is_some_and(|value| sign.value.as_ref().is_none_or(|wanted| value == *wanted))
        };
        let in_body = |says: &dyn Fn(&Body<'_>) -> bool| body.is_some_and(says);
        (self.status.is_empty() || self.status.contains(&answer.status))
            && self.header.as_ref().is_none_or(header)
            && self.url.as_ref().is_none_or(|sign| in_body(&|body| body.addresses.iter().any(|url| sign.matches(url))))
            && self
                .json
                .as_ref()
                .is_none_or(|sign| in_body(&|body| body.json.as_ref().is_some_and(|json| sign.is_in(json))))
            && (self.body.is_empty() || in_body(&|body| self.body.iter().any(|part| body.text.contains(part.as_str()))))
    }
}

impl UrlSign {
    fn matches(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        let under = |wanted: &String| {
            host == wanted || host.strip_suffix(wanted.as_str()).is_some_and(|rest| rest.ends_with('.'))
        };
        (self.hosts.is_empty() || self.hosts.iter().any(under))
            && url.path().contains(self.path.as_str())
            && self
                .query
                .as_ref()
                .is_none_or(|wanted| url.query().is_some_and(|query| query.split('&').any(|part| part == wanted)))
    }
}

impl JsonSign {
    fn is_in(&self, json: &Json) -> bool {
        match json {
            Json::Object(fields) => fields.iter().any(|(name, value)| {
                let named = *name == self.name && !value.is_null();
                named && self.value.as_ref().is_none_or(|wanted| value.as_str() == Some(wanted)) || self.is_in(value)
            }),
            Json::Array(list) => list.iter().any(|each| self.is_in(each)),
            _ => false,
        }
    }
}

impl Status {
    fn holds(&self, answer: &Answered<'_>) -> bool {
        let to = if answer.body.is_some() { AnswerTo::Fetch } else { AnswerTo::Page };
        self.status.iter().any(|span| is_in_span(span, answer.status))
            && self.header.as_ref().is_none_or(|name| answer.headers.contains_key(name))
            && self.sign_in.is_none_or(|wanted| wanted == answer.signs_in)
            && self.password_sent.is_none_or(|wanted| wanted == answer.password_sent)
            && self.answer_to.is_none_or(|wanted| wanted == to)
    }
}

fn is_in_span(span: &Json, status: u16) -> bool {
    match span {
        Json::String(text) => text.split_once('-').is_some_and(|(from, to)| {
            let of = |part: &str| part.trim().parse::<u16>().unwrap_or_default();
            (of(from)..=of(to)).contains(&status)
        }),
        number => number.as_u64() == Some(u64::from(status)),
    }
}

/// What an address says by `error=`, by which an identity server ends a way without a sign-in.
pub(in crate::browser) fn by_address(address: &str) -> Option<Failure> {
    let url = Url::parse(address).ok()?;
    let given: Vec<(String, String)> = [url.query(), url.fragment()]
        .into_iter()
        .flatten()
        .flat_map(|part| url::form_urlencoded::parse(part.as_bytes()).into_owned())
        .collect();
    let has = |name: &String| given.iter().any(|(key, _)| key == name);
    let rule = RULES.errors.iter().find(|rule| {
        given.iter().any(|(key, value)| key == "error" && *value == rule.error)
            && (rule.with.is_empty() || rule.with.iter().any(has))
    })?;
    let message = format!("The way to the page ended at {} with “{}”.", url.host_str().unwrap_or_default(), rule.error);
    Some(Failure { rule: Some(format!("oidc-{}", rule.error)), ..Failure::new(rule.kind, message) })
}

/// True for the path of a sign-in page. What stands below such a path may be anything that belongs to a sign-in.
pub(in crate::browser) fn is_sign_in(path: &str) -> bool {
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let name = last.split_once('.').map_or(last, |(name, _)| name).to_lowercase();
    RULES.sign_in_paths.contains(&name)
}

/// `Retry-After`: seconds, or an HTTP date in any of its three forms.
pub(in crate::browser) fn wait_until(value: &str, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let until = match value.trim().parse::<i64>() {
        Ok(seconds) => {
            now + TimeDelta::try_seconds(seconds.max(0)).filter(|wait| *wait < LONGEST_WAIT).unwrap_or(LONGEST_WAIT)
        }
        Err(_) => http_date(value)?,
    };
    Some(until.clamp(now, now + LONGEST_WAIT))
}

/// A date as HTTP writes it (RFC 9110, 5.6.7).
pub(in crate::browser) fn http_date(value: &str) -> Option<DateTime<Utc>> {
    let value = value.trim();
    let old = |form: &str| chrono::NaiveDateTime::parse_from_str(value, form).ok().map(|at| at.and_utc());
    DateTime::parse_from_rfc2822(value)
        .ok()
        .map(|at| at.to_utc())
        .or_else(|| old("%A, %d-%b-%y %H:%M:%S GMT"))
        .or_else(|| old("%a %b %e %H:%M:%S %Y"))
}

/// When an answer was made, by the clock of its server; none for one that lay in a cache for a while.
pub(in crate::browser) fn made_at(headers: &BTreeMap<String, String>) -> Option<DateTime<Utc>> {
    http_date(headers.get("date").filter(|_| !headers.contains_key("age"))?)
}

#[cfg(test)]
mod tests;
