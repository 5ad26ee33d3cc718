//! What can go wrong with the world, and what follows from it. A failure is a recorded value, never an `Err` of ours.

use std::fmt;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

/// The kinds of failure; their words are those of the design.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // Each kind is its word; `docs/failures.md` describes them.
pub enum FailureKind {
    NotRendered,
    Timeout,
    Network,
    ServerError,
    BrowserCrashed,
    RateLimited,
    Maintenance,
    SessionExpired,
    PageChanged,
    NoEffect,
    Login,
    Captcha,
    Interstitial,
    OneTimeCode,
    QrLogin,
    Identity,
    Consent,
    Terms,
    PasswordChange,
    AccountRestricted,
    AccessDenied,
    SuspiciousPage,
    CredentialsRejected,
    Environment,
}

/// The rule named in a failure of the clock that a site's own answer showed.
pub const SITE_CLOCK: &str = "site-clock";

/// The rule named in a failure that says that another person is signed in.
pub const SOMEBODY_ELSE: &str = "somebody-else";

/// What follows from a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// Again with backoff, inside budget and window.
    Retry,
    /// Wait for what the server said; holds for the whole site.
    SiteWaits,
    /// Sign in once, then go on.
    SignIn,
    /// Failed after the budget, with the locator and the nearest candidates.
    PageChanged,
    /// Acted, and the server shows it undone.
    NoEffect,
    /// Stop, ticket, zero retries; the account is suspended.
    AccountBlocked,
    /// Stop, ticket, zero retries; the whole site is suspended.
    SiteBlocked,
    /// Stop, ticket, until the secret changes.
    CredentialsRejected,
    /// The machine's fault: not tried, one clear line.
    Environment,
}

impl FailureKind {
    /// Every kind, in the order of the design's table.
    pub const ALL: [FailureKind; 24] = {
        use FailureKind::*;
        [
            NotRendered,
            Timeout,
            Network,
            ServerError,
            BrowserCrashed,
            RateLimited,
            Maintenance,
            SessionExpired,
            PageChanged,
            NoEffect,
            Login,
            Captcha,
            Interstitial,
            OneTimeCode,
            QrLogin,
            Identity,
            Consent,
            Terms,
            PasswordChange,
            AccountRestricted,
            AccessDenied,
            SuspiciousPage,
            CredentialsRejected,
            Environment,
        ]
    };

    /// The word in ledger, report, command line and JSON.
    pub fn word(self) -> &'static str {
        use FailureKind::*;
        match self {
            NotRendered => "not_rendered",
            Timeout => "timeout",
            Network => "network",
            ServerError => "server_error",
            BrowserCrashed => "browser_crashed",
            RateLimited => "rate_limited",
            Maintenance => "maintenance",
            SessionExpired => "session_expired",
            PageChanged => "page_changed",
            NoEffect => "no_effect",
            Login => "login",
            Captcha => "captcha",
            Interstitial => "interstitial",
            OneTimeCode => "one_time_code",
            QrLogin => "qr_login",
            Identity => "identity",
            Consent => "consent",
            Terms => "terms",
            PasswordChange => "password_change",
            AccountRestricted => "account_restricted",
            AccessDenied => "access_denied",
            SuspiciousPage => "suspicious_page",
            CredentialsRejected => "credentials_rejected",
            Environment => "environment",
        }
    }

    /// The kind of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// What follows from it.
    pub fn policy(self) -> Policy {
        use FailureKind::*;
        match self {
            NotRendered | Timeout | Network | ServerError | BrowserCrashed => Policy::Retry,
            RateLimited | Maintenance => Policy::SiteWaits,
            SessionExpired => Policy::SignIn,
            PageChanged => Policy::PageChanged,
            NoEffect => Policy::NoEffect,
            Login | Captcha | OneTimeCode | QrLogin | Identity | Consent | Terms | PasswordChange
            | AccountRestricted | SuspiciousPage => Policy::AccountBlocked,
            Interstitial | AccessDenied => Policy::SiteBlocked,
            CredentialsRejected => Policy::CredentialsRejected,
            Environment => Policy::Environment,
        }
    }

    /// True when a person is needed before anything goes on.
    pub fn needs_person(self) -> bool {
        matches!(self.policy(), Policy::AccountBlocked | Policy::SiteBlocked | Policy::CredentialsRejected)
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.word())
    }
}

/// The world said no: what happened, where, and what was seen. Holds no secret and no page source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Its kind.
    pub kind: FailureKind,
    /// What happened, for a person, in one or two sentences (English; the report translates the kind beside it).
    pub message: String,
    /// The step, as `file:line:column verb`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Host and path of the page; the query is left out, it carries tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// The page's title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The nearest candidates when a locator was not found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
    /// The challenge rule that matched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Not before this, as the server said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<DateTime<Utc>>,
    /// A picture of the page with inputs masked: file name below the data folder's `pictures/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
}

impl Failure {
    /// A failure of this kind, with nothing known beside its message.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Failure {
            kind,
            message: message.into(),
            step: None,
            page: None,
            title: None,
            candidates: Vec::new(),
            rule: None,
            retry_at: None,
            picture: None,
        }
    }

    /// Until when a site that asked to wait (`rate_limited`, `maintenance`) is left alone: as it said, half an hour when it
    /// did not say, and a minute at the least, whatever it said.
    pub fn site_waits_until(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        self.retry_at.unwrap_or(now + TimeDelta::minutes(30)).max(now + TimeDelta::minutes(1))
    }

    /// The same, at this step.
    pub fn at_step(mut self, step: impl Into<String>) -> Self {
        self.step.get_or_insert(step.into());
        self
    }
}
