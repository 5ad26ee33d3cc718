//! The built-in rules, as data.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::run::FailureKind;
use crate::values::parse::normal;

/// One rule. What is not named here is only of interest to the page script, and handed through to it.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Rule {
    /// Its name in failures, tickets and logs.
    pub id: String,
    /// What follows from it.
    pub kind: FailureKind,
    /// How much of the page it takes.
    pub tier: Tier,
    /// Such pages often go away by themselves.
    #[serde(default)]
    pub passive: bool,
    /// Where it comes from.
    pub source: String,
    /// When it was last checked.
    pub checked: String,
    #[serde(flatten)]
    for_the_page: serde_json::Map<String, Json>,
}

/// How much of a page a challenge takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// The whole page.
    Page,
    /// A popup over it.
    Overlay,
    /// A widget; it stops only what it stands before.
    Widget,
}

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let text = include_str!("rules.yaml");
    serde_saphyr::from_str(text).unwrap_or_else(|error| panic!("the built-in rules are broken: {error}"))
});

static FOR_PAGES: LazyLock<String> = LazyLock::new(|| RULES.iter().map(Rule::for_pages).collect::<Json>().to_string());

impl Rule {
    /// As the page script takes it: only what it looks at, phrases in the form in which texts are compared.
    fn for_pages(&self) -> Json {
        let mut rule = json!({ "id": self.id, "tier": self.tier });
        for (name, value) in &self.for_the_page {
            rule[name] = match (name.as_str(), value) {
                ("texts" | "near" | "unless_texts", Json::Array(phrases)) => {
                    phrases.iter().filter_map(Json::as_str).map(|phrase| normal(phrase).to_lowercase()).collect()
                }
                _ => value.clone(),
            };
        }
        rule
    }
}

/// The built-in rules.
pub fn rules() -> &'static [Rule] {
    &RULES
}

/// The rule of this id.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id)
}

/// Those rules that look at pages, as the page script wants them.
pub fn for_pages() -> &'static str {
    &FOR_PAGES
}

/// Which of two kinds decides when several are seen together: the lower one. The order is the design's.
pub fn precedence(kind: FailureKind) -> u8 {
    use FailureKind::*;
    match kind {
        Environment => 0,
        CredentialsRejected => 1,
        AccountRestricted => 2,
        Interstitial | AccessDenied | SuspiciousPage => 3,
        Captcha => 4,
        OneTimeCode | QrLogin | Identity | Consent | Terms | PasswordChange | Login => 5,
        SessionExpired => 6,
        RateLimited | Maintenance | ServerError | NotRendered | Timeout | Network | BrowserCrashed => 7,
        PageChanged | NoEffect => 8,
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
        assert!(count > 30);
        assert!(for_pages().contains("recaptcha-popup"));
        let denied =
            |rule: &Rule| rule.for_pages()["texts"].as_array().is_some_and(|all| all.contains(&json!("access denied")));
        assert!(rules().iter().any(denied), "phrases are compared in lower case");
    }

    #[test]
    fn credentials_come_before_the_captcha_that_follows_from_them() {
        assert!(precedence(FailureKind::CredentialsRejected) < precedence(FailureKind::Captcha));
        assert!(precedence(FailureKind::Captcha) < precedence(FailureKind::RateLimited));
    }
}
