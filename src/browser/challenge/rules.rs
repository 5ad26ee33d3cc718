//! The built-in rules, as data.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use crate::run::FailureKind;

/// One rule. What is not named here is only of interest to the page scripts, and handed through to them;
/// `rules/README.md` says what there is.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Rule {
    /// Its name in failures, tickets and logs.
    pub id: String,
    /// What follows from it.
    pub kind: FailureKind,
    /// What it is that holds: how good the evidence is.
    pub tier: Tier,
    /// Such pages often go away by themselves: so many seconds they are given, without any input.
    #[serde(default)]
    pub wait: u64,
    /// Where it comes from.
    pub source: String,
    /// When it was last checked.
    pub checked: String,
    #[serde(flatten)]
    for_the_page: Map<String, Json>,
}

/// The four tiers of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// The whole page: its address, its title with its structure, a header. It stops at once.
    Page,
    /// A displayed popup, dialog, message or frame. It stops at once.
    Overlay,
    /// A displayed widget that nobody used yet; it stops only what it stands before.
    Widget,
    /// It is loaded, and nothing of it is displayed. It is logged, and stops nothing.
    Loaded,
}

/// One file a vendor, or a group of texts.
const FILES: &[&str] = &[
    include_str!("rules/cloudflare.yaml"),
    include_str!("rules/recaptcha_hcaptcha.yaml"),
    include_str!("rules/chinese_vendors.yaml"),
    include_str!("rules/walls.yaml"),
    include_str!("rules/self_hosted.yaml"),
    include_str!("rules/identity_hosts.yaml"),
    include_str!("rules/codes.yaml"),
    include_str!("rules/gates.yaml"),
    include_str!("rules/accounts.yaml"),
    include_str!("rules/limits.yaml"),
];

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let read = |text: &&str| -> Vec<Rule> {
        serde_saphyr::from_str(text).unwrap_or_else(|error| panic!("the built-in rules are broken: {error}"))
    };
    FILES.iter().flat_map(read).collect()
});

/// What only [`super::gate`] asks for, and what is only written down.
const NOT_FOR_SCANS: [&str; 7] =
    ["keys", "unless_html", "status", "page_says", "guard", "sign_in_only", "signed_in_only"];

impl Rule {
    /// What is asked of a page, by name.
    pub(super) fn for_the_page(&self) -> &Map<String, Json> {
        &self.for_the_page
    }

    /// As the page script's second look takes it.
    pub(super) fn for_scan(&self) -> Json {
        let mut rule = json!({ "id": self.id, "tier": self.tier });
        for (name, value) in self.for_the_page.iter().filter(|(name, _)| !NOT_FOR_SCANS.contains(&name.as_str())) {
            rule[name] = value.clone();
        }
        rule
    }

    /// Some rules are only for pages of a sign-in, and some for all others.
    pub(super) fn is_for(&self, signs_in: bool) -> bool {
        let other = if signs_in { "signed_in_only" } else { "sign_in_only" };
        self.for_the_page.get(other) != Some(&Json::Bool(true))
    }
}

/// The hosts of vendors whose frames the rules know by their routes.
pub(in crate::browser) fn frame_hosts() -> Vec<&'static str> {
    let frames = RULES.iter().filter_map(|rule| rule.for_the_page.get("frames")?.as_array()).flatten();
    let hosts = frames.filter_map(|frame| frame.get("hosts")?.as_array()).flatten();
    let mut hosts: Vec<&str> = hosts.filter_map(Json::as_str).collect();
    hosts.sort_unstable();
    hosts.dedup();
    hosts
}

/// The built-in rules.
pub fn rules() -> &'static [Rule] {
    &RULES
}

/// The rule of this id.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id)
}

/// Which of two kinds decides when several are seen together: the lower one. The order is the design's.
pub fn precedence(kind: FailureKind) -> u8 {
    use FailureKind::*;
    match kind {
        Environment => 0,
        CredentialsRejected => 1,
        AccountRestricted => 2,
        SuspiciousPage => 3,
        Interstitial | AccessDenied => 4,
        Captcha => 5,
        OneTimeCode | QrLogin | Identity | Consent | Terms | PasswordChange | Login => 7,
        SessionExpired => 8,
        RateLimited | Maintenance | ServerError | NotRendered | Timeout | Network | BrowserCrashed => 9,
        PageChanged | NoEffect => 11,
    }
}

/// The same of two rules that hold. A widget that is `alone` is all that there is to use on its page.
pub(super) fn order(rule: &Rule, alone: bool) -> u8 {
    match (rule.kind, rule.tier) {
        (FailureKind::Captcha, Tier::Page) => precedence(FailureKind::AccessDenied),
        // A widget that nobody used yet comes last; a check that often ends by itself is told by the puzzle it shows.
        (FailureKind::Captcha, Tier::Widget) if !alone || rule.wait > 0 => 10,
        (FailureKind::Interstitial, _) if rule.wait > 0 => 6,
        (kind, _) => precedence(kind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_can_be_read_and_their_ids_are_unique() {
        let mut ids: Vec<&str> = rules().iter().map(|rule| rule.id.as_str()).collect();
        ids.sort_unstable();
        let count = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), count);
        assert!(count > 100, "{count}");
    }

    #[test]
    fn every_rule_says_where_it_comes_from_and_when_it_was_looked_at() {
        for rule in rules() {
            assert!(!rule.source.trim().is_empty(), "{} has no source", rule.id);
            let date = chrono::NaiveDate::parse_from_str(&rule.checked, "%Y-%m-%d");
            assert!(date.is_ok(), "{}: {} is no date", rule.id, rule.checked);
        }
    }

    #[test]
    fn every_rule_looks_at_something_that_the_page_scripts_know() {
        const KNOWN: [&str; 34] = [
            "css",
            "frames",
            "title",
            "address",
            "says",
            "signal",
            "html",
            "status",
            "keys",
            "in",
            "unless",
            "near",
            "unless_near",
            "with",
            "unless_with",
            "beside",
            "without",
            "marker",
            "min",
            "done",
            "sparse",
            "bare",
            "gate",
            "sign_in_only",
            "signed_in_only",
            "guard",
            "page_says",
            "unless_html",
            "only_frames",
            "unless_frames",
            "overlay",
            "around_says",
            "around_unless",
            "lists",
        ];
        for rule in rules() {
            for name in rule.for_the_page.keys() {
                assert!(KNOWN.contains(&name.as_str()), "{}: nothing knows `{name}`", rule.id);
            }
            let points = ["css", "frames", "title", "address", "says", "signal", "html"];
            assert!(points.iter().any(|name| rule.for_the_page.contains_key(*name)), "{} points at nothing", rule.id);
        }
    }

    #[test]
    fn credentials_come_before_the_captcha_that_follows_from_them() {
        let of = |kind, tier| {
            let found = rules().iter().find(|rule| rule.kind == kind && rule.tier == tier);
            order(found.unwrap_or_else(|| panic!("a rule of {kind}")), false)
        };
        use FailureKind::*;
        let order = [
            of(CredentialsRejected, Tier::Overlay),
            of(AccountRestricted, Tier::Overlay),
            of(AccessDenied, Tier::Page),
            of(Captcha, Tier::Overlay),
            of(Interstitial, Tier::Overlay),
            of(OneTimeCode, Tier::Overlay),
            of(SessionExpired, Tier::Overlay),
            of(RateLimited, Tier::Overlay),
            of(Captcha, Tier::Widget),
        ];
        assert!(order.windows(2).all(|pair| pair[0] < pair[1]), "{order:?}");
    }
}
