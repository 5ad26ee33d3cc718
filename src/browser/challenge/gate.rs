//! What a page must have and say before a rule can hold there: asked of a glance, before any element is looked at.

use std::sync::{LazyLock, OnceLock};

use regex::Regex;
use serde::Deserialize;
use serde_json::{Map, Value as Json};
use url::Url;

use super::keys::keys_of;
use super::rules::{Rule, rules};
use super::stems::stems_of;

/// What the page script's first look gave.
#[derive(Clone, Deserialize)]
pub(in crate::browser) struct Glance {
    address: String,
    /// Title and words are in the form in which the rules are written.
    title: String,
    status: u16,
    /// None where there are too many.
    words: Option<String>,
    /// Which of [`marks`] the markup has.
    marks: Vec<usize>,
    /// Frames are displayed.
    pub frames: bool,
    /// Elements that may have a closed shadow root.
    #[serde(default)]
    pub hosts: Vec<Json>,
    /// The document is still on its way.
    #[serde(default)]
    pub early: bool,
    /// How long the page script needed for this, in milliseconds, as exactly as the browser lets pages know.
    #[serde(default)]
    pub took: f64,
}

impl std::fmt::Debug for Glance {
    /// The words of a page are nobody's business in a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Glance").field("marks", &self.marks).finish_non_exhaustive()
    }
}

/// The words that the page script looks for in the markup.
pub(in crate::browser) fn marks() -> &'static [String] {
    &MARKS
}

/// The rules that could hold on this page, in their order.
pub(super) fn could_hold(glance: &Glance) -> impl Iterator<Item = &'static Rule> {
    let url = Url::parse(&glance.address).ok();
    rules().iter().zip(GATES.iter()).filter(move |(_, gate)| gate.lets_pass(glance, url.as_ref())).map(|(rule, _)| rule)
}

static MARKS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut marks: Vec<String> = rules().iter().flat_map(|rule| marks_of(rule.for_the_page()).concat()).collect();
    marks.sort_unstable();
    marks.dedup();
    marks
});

static GATES: LazyLock<Vec<Gate>> =
    LazyLock::new(|| rules().iter().map(|rule| Gate::of(rule.for_the_page())).collect());

/// Words of which the markup must have one, those of which it must have another, and those that it may not have.
fn marks_of(rule: &Map<String, Json>) -> [Vec<String>; 3] {
    let keys = if rule.contains_key("keys") { strings(rule, "keys") } else { keys_of(rule) };
    [keys, strings(rule, "html"), strings(rule, "unless_html")]
}

fn strings(rule: &Map<String, Json>, name: &str) -> Vec<String> {
    let list = rule.get(name).and_then(Json::as_array).into_iter().flatten();
    list.filter_map(Json::as_str).map(str::to_owned).collect()
}

#[derive(Debug)]
struct Gate {
    /// Of each, one must be there; none asks nothing.
    marks: [Vec<usize>; 2],
    no_marks: Vec<usize>,
    status: Vec<u16>,
    title: Vec<Pattern>,
    says: Vec<Pattern>,
    page_says: Vec<Pattern>,
    address: Option<Address>,
}

impl Gate {
    fn of(rule: &Map<String, Json>) -> Self {
        let numbers = |words: Vec<String>| words.iter().filter_map(|word| MARKS.binary_search(word).ok()).collect();
        let patterns = |name| strings(rule, name).into_iter().map(Pattern::new).collect();
        let [keys, html, unless] = marks_of(rule).map(numbers);
        let status = rule.get("status").and_then(|status| Vec::deserialize(status).ok()).unwrap_or_default();
        // Beside what else is pointed at, a title need not be there.
        let beside = rule.contains_key("css") || rule.contains_key("frames");
        Gate {
            marks: [keys, html],
            no_marks: unless,
            status,
            title: if beside { Vec::new() } else { patterns("title") },
            says: patterns("says"),
            page_says: patterns("page_says"),
            address: rule.get("address").and_then(|address| Address::deserialize(address).ok()),
        }
    }

    fn lets_pass(&self, glance: &Glance, url: Option<&Url>) -> bool {
        let has = |mark: &usize| glance.marks.binary_search(mark).is_ok();
        let said = |patterns: &[Pattern]| match &glance.words {
            Some(words) => patterns.is_empty() || patterns.iter().any(|pattern| pattern.may_be_in(words)),
            None => true,
        };
        self.marks.iter().all(|marks| marks.is_empty() || marks.iter().any(has))
            && !self.no_marks.iter().any(has)
            && (self.status.is_empty() || self.status.contains(&glance.status))
            && self.address.as_ref().is_none_or(|address| url.is_some_and(|url| address.may_fit(url)))
            && (self.title.is_empty() || self.title.iter().any(|pattern| pattern.may_be_in(&glance.title)))
            && said(&self.says)
            && said(&self.page_says)
    }
}

/// Of an address, what decides most; the page script looks at the rest of it.
#[derive(Debug, Deserialize)]
struct Address {
    #[serde(default)]
    hosts: Vec<String>,
    #[serde(default)]
    path: Option<Pattern>,
}

impl Address {
    fn may_fit(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        let is = |wanted: &String| {
            host.strip_suffix(wanted.as_str()).is_some_and(|sub| sub.is_empty() || sub.ends_with('.'))
        };
        (self.hosts.is_empty() || self.hosts.iter().any(is))
            && self.path.as_ref().is_none_or(|path| path.may_be_in(url.path()))
    }
}

/// A pattern of a rule, as it is looked for in a text that may hold more than one message, put together without blanks: where
/// one ends is no sign. It is compiled when a page has its words.
#[derive(Debug, Deserialize)]
#[serde(from = "String")]
struct Pattern {
    source: String,
    stems: Option<Vec<String>>,
    /// None inside when it is written in a way that only browsers know.
    compiled: OnceLock<Option<Regex>>,
}

impl From<String> for Pattern {
    fn from(source: String) -> Self {
        Pattern::new(source)
    }
}

impl Pattern {
    fn new(source: String) -> Self {
        let stems = stems_of([source.as_str()].into_iter());
        Pattern { source, stems, compiled: OnceLock::new() }
    }

    /// Never no where the page script would say yes.
    fn may_be_in(&self, text: &str) -> bool {
        let has_stem = self.stems.as_ref().is_none_or(|stems| stems.iter().any(|stem| text.contains(stem.as_str())));
        has_stem && self.compiled().is_none_or(|pattern| pattern.is_match(text))
    }

    fn compiled(&self) -> Option<&Regex> {
        static ENDS: LazyLock<[Regex; 2]> =
            LazyLock::new(|| [r"(^|[(|])\^", r"\$|\\b"].map(|ends| Regex::new(ends).expect("a pattern")));
        let compile = || {
            let anywhere = ENDS[0].replace_all(&self.source, "$1");
            Regex::new(&ENDS[1].replace_all(&anywhere, "")).ok()
        };
        self.compiled.get_or_init(compile).as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glance(words: &str) -> Glance {
        Glance {
            address: "https://community.example/home".to_owned(),
            title: "个人中心".to_owned(),
            status: 200,
            words: Some(words.to_owned()),
            marks: Vec::new(),
            frames: false,
            hosts: Vec::new(),
            early: false,
            took: 0.0,
        }
    }

    fn ids(glance: &Glance) -> Vec<&'static str> {
        could_hold(glance).map(|rule| rule.id.as_str()).collect()
    }

    fn mark(word: &str) -> usize {
        MARKS.iter().position(|mark| mark == word).unwrap_or_else(|| panic!("{word} is no mark"))
    }

    #[test]
    fn an_ordinary_page_could_hold_nothing() {
        assert_eq!(
            ids(&glance("个人中心 每日签到 每天签到一次，获得 10 积分。 签到 补签 今日任务 阅读文章 3 / 5")),
            Vec::<&str>::new()
        );
    }

    #[test]
    fn what_is_said_lets_the_rules_of_these_words_pass() {
        assert!(ids(&glance("登录 用户名或密码不正确 忘记密码？")).contains(&"wrong-credentials"));
        let long = Glance { words: None, ..glance("") };
        assert!(ids(&long).contains(&"wrong-credentials"), "a page that is too long could say anything");
    }

    #[test]
    fn marks_titles_addresses_and_statuses_are_asked_for() {
        let with = Glance { marks: vec![mark("yidun_popup")], ..glance("") };
        assert!(ids(&with).iter().any(|id| id.starts_with("yidun")), "{:?}", ids(&with));
        let sorry = Glance { address: "https://www.google.com/sorry/index".to_owned(), ..glance("") };
        assert_eq!(ids(&sorry), ["google-sorry"]);
        let other = Glance { address: "https://notgoogle.com/sorry/index".to_owned(), ..glance("") };
        assert_eq!(ids(&other), Vec::<&str>::new());
        assert_eq!(ids(&Glance { title: "access denied".to_owned(), ..glance("") }), ["akamai-denied"]);
        assert_eq!(ids(&Glance { status: 423, ..glance("") }), ["locked-status"]);
    }

    #[test]
    fn every_pattern_can_be_looked_for_here() {
        let patterns = GATES.iter().flat_map(|gate| {
            let path = gate.address.iter().filter_map(|address| address.path.as_ref());
            gate.title.iter().chain(&gate.says).chain(&gate.page_says).chain(path)
        });
        for pattern in patterns {
            // What only browsers can is let pass by its words, so it needs some.
            assert!(pattern.compiled().is_some() || pattern.stems.is_some(), "{}", pattern.source);
        }
    }
}
