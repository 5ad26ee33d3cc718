//! Takes secrets out of texts.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, RwLock};

use aho_corasick::{AhoCorasick, MatchKind};
use secrecy::{ExposeSecret, SecretString};

use super::decode::{Layer, each_layer};
use super::forms::{Form, forms, variants};

/// What stands where a secret stood.
pub const MASK: &str = "•••";

/// Shorter secrets, in characters, are not taken out of texts: they would take ordinary words apart, which tells more
/// about them than it hides.
pub const SHORTEST: usize = 4;

/// Every secret of this process, so that none is written down. Cheap to clone; all clones know the same secrets, those
/// added later too.
#[derive(Clone, Default)]
pub struct Redactor {
    known: Arc<RwLock<Known>>,
}

/// What stands at the end of a text that was cut.
const CUTS: [&str; 2] = ["…", "..."];

#[derive(Default)]
struct Known {
    /// Those that stay, and those that are somebody's until he has others.
    lasting: Part,
    passing: BTreeMap<String, Part>,
    /// Each secret as it may be read.
    plain: BTreeSet<String>,
    forms: Vec<Form>,
    automaton: Option<AhoCorasick>,
}

/// Some secrets.
#[derive(Default, PartialEq)]
struct Part {
    plain: BTreeSet<String>,
    forms: BTreeSet<Form>,
}

impl Part {
    fn add(&mut self, secret: &SecretString) {
        let secret = secret.expose_secret();
        if secret.chars().count() >= SHORTEST {
            self.plain.extend(variants(secret));
            self.forms.extend(forms(secret));
        }
    }
}

impl Redactor {
    /// A redactor that knows no secret yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// From now on this secret is taken out.
    pub fn add(&self, secret: &SecretString) {
        let mut known = self.known.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        let before = known.lasting.forms.len();
        known.lasting.add(secret);
        if known.lasting.forms.len() != before {
            known.build();
        }
    }

    /// From now on these secrets are taken out, and no more those that `owner` had before: cookies change every day.
    pub fn set(&self, owner: &str, secrets: impl IntoIterator<Item = SecretString>) {
        let mut part = Part::default();
        secrets.into_iter().for_each(|secret| part.add(&secret));
        let mut known = self.known.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        if known.passing.get(owner) != Some(&part) {
            known.passing.insert(owner.to_owned(), part);
            known.build();
        }
    }

    /// The text without secrets.
    pub fn redact(&self, text: &str) -> String {
        // Forms are whole characters, so what is left of a text between them is a text.
        String::from_utf8_lossy(&self.redact_bytes(text.as_bytes())).into_owned()
    }

    /// The bytes without secrets; they need not be text.
    pub fn redact_bytes(&self, bytes: &[u8]) -> Vec<u8> {
        self.known.read().unwrap_or_else(|poisoned| poisoned.into_inner()).redact(bytes)
    }

    /// The same for whoever must not wait, in the middle of a panic: nothing is left where that cannot be told now.
    pub(super) fn redact_at_once(&self, text: &str) -> String {
        match self.known.try_read() {
            Ok(known) => String::from_utf8_lossy(&known.redact(text.as_bytes())).into_owned(),
            Err(_) => MASK.to_owned(),
        }
    }

    /// True when a secret stands in the text, in whatever form.
    pub fn finds_in(&self, text: &str) -> bool {
        let known = self.known.read().unwrap_or_else(|poisoned| poisoned.into_inner());
        !known.ranges(text.as_bytes()).is_empty()
    }
}

impl Known {
    fn build(&mut self) {
        let parts = || [&self.lasting].into_iter().chain(self.passing.values());
        let plain = parts().flat_map(|part| &part.plain).cloned().collect();
        let forms: BTreeSet<Form> = parts().flat_map(|part| &part.forms).cloned().collect();
        (self.plain, self.forms) = (plain, forms.into_iter().collect());
        self.automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(self.forms.iter().map(|form| &form.bytes))
            .ok();
    }

    fn redact(&self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        let mut copied = 0;
        for hidden in self.ranges(bytes) {
            out.extend_from_slice(&bytes[copied..hidden.start]);
            out.extend_from_slice(MASK.as_bytes());
            copied = hidden.end;
        }
        out.extend_from_slice(&bytes[copied..]);
        out
    }

    /// The places of secrets, in order, those that overlap or touch as one: of two secrets that share letters, neither
    /// end may be left over.
    fn ranges(&self, bytes: &[u8]) -> Vec<Range<usize>> {
        if self.forms.is_empty() {
            return Vec::new();
        }
        // Without an automaton (too many secrets for the memory) nothing can be told apart, so everything is hidden.
        let Some(automaton) = &self.automaton else {
            return std::iter::once(0..bytes.len()).collect();
        };
        let mut found = Vec::new();
        each_layer(bytes, |layer| found.extend(self.found_in(automaton, layer)));
        found.extend(self.cut_off(bytes));
        found.sort_by_key(|range| range.start);
        let mut merged: Vec<Range<usize>> = Vec::new();
        for range in found {
            match merged.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        merged
    }

    /// The places of secrets in one layer, as the text is written.
    fn found_in(&self, automaton: &AhoCorasick, layer: &Layer) -> Vec<Range<usize>> {
        let hits = automaton.find_overlapping_iter(&layer.bytes).map(|hit| {
            let bytes = hit.start()..hit.end();
            match self.forms[hit.pattern().as_usize()].base64 {
                true => with_neighbours(&layer.bytes, bytes),
                false => bytes,
            }
        });
        hits.map(|hit| layer.written(hit)).collect()
    }

    /// Beginnings of secrets before the marks of a text that was cut: what was cut before it came here is told by them.
    fn cut_off(&self, bytes: &[u8]) -> Vec<Range<usize>> {
        let marked = |at: &usize| CUTS.iter().any(|mark| bytes[*at..].starts_with(mark.as_bytes()));
        let cuts = (0..bytes.len()).filter(marked);
        cuts.filter_map(|at| {
            // Half a letter at the cut.
            let end = at - if bytes[..at].ends_with("\u{fffd}".as_bytes()) { "\u{fffd}".len() } else { 0 };
            let beginnings = self.plain.iter().flat_map(|secret| beginnings(secret));
            let longest = beginnings.filter(|start| bytes[..end].ends_with(start.as_bytes())).map(str::len).max()?;
            Some(end - longest..at)
        })
        .collect()
    }
}

/// The beginnings of a secret that are long enough to be told.
fn beginnings(secret: &str) -> impl Iterator<Item = &str> {
    secret.char_indices().skip(SHORTEST).map(|(end, _)| &secret[..end])
}

/// The range with one more letter of base64 at each end.
fn with_neighbours(bytes: &[u8], range: Range<usize>) -> Range<usize> {
    let is_letter = |index: usize| {
        bytes.get(index).is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_'))
    };
    let start = match range.start.checked_sub(1) {
        Some(before) if is_letter(before) => before,
        _ => range.start,
    };
    start..range.end + usize::from(is_letter(range.end))
}

impl fmt::Debug for Redactor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Redactor(…)")
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE};
    use proptest::prelude::*;

    use super::*;

    fn knowing(secrets: &[&str]) -> Redactor {
        let redactor = Redactor::new();
        secrets.iter().for_each(|secret| redactor.add(&SecretString::from(*secret)));
        redactor
    }

    #[test]
    fn a_secret_is_replaced_wherever_it_stands() {
        let redactor = knowing(&["hunter22", "密码是它"]);
        assert_eq!(redactor.redact("a hunter22, hunter22hunter22 密码是它!"), "a •••, ••• •••!");
        assert_eq!(redactor.redact("nothing here"), "nothing here");
        assert_eq!(redactor.redact_bytes(b"\xff hunter22 \xfe"), [b"\xff ", MASK.as_bytes(), b" \xfe"].concat());
    }

    #[test]
    fn of_secrets_that_overlap_no_end_is_left() {
        assert_eq!(knowing(&["abcdef", "defghi", "cdef"]).redact("xabcdefghix"), "x•••x");
        assert_eq!(knowing(&["pass", "password1"]).redact("password1"), "•••");
    }

    #[test]
    fn what_was_cut_before_it_came_here_leaves_no_beginning() {
        let redactor = knowing(&["hunter22-密码🔑-and-more"]);
        for (text, left) in [
            ("<p> “your hunter22-密…”", "<p> “your •••…”"),
            ("hunter22-密码\u{fffd}…", "•••…"),
            ("hunt...", "•••..."),
            ("the hun…", "the hun…"),
            ("more…", "more…"),
        ] {
            assert_eq!(redactor.redact(text), left);
        }
    }

    #[test]
    fn escapes_of_any_kind_hide_nothing() {
        let redactor = knowing(&["hun\"ter&22 密"]);
        for text in [
            "%68un%22ter&22%20%e5%AF%86",
            r#"{\"a\":\"hun\\\"ter\u0026\u0032\u0032 \\u5bc6\"}"#,
            "hun&#34;ter&amp;22&#32;密",
            "h=75n=22ter=\r\n&22 =E5=AF=86",
            r#"b"hun\"ter&22 \xe5\xaf\x86""#,
            "hun%2522ter%252622+%25E5%25AF%2586",
            "hun%26quot%3Bter%26amp%3B22%20%E5%AF%86",
        ] {
            let redacted = redactor.redact(text);
            assert!(redacted.contains(MASK) && !redacted.contains("un"), "{text} -> {redacted}");
            assert!(redactor.finds_in(text));
        }
        assert!(!redactor.finds_in("nothing%20here &amp; there"));
    }

    #[test]
    fn clones_know_what_is_added_later() {
        let redactor = Redactor::new();
        let clone = redactor.clone();
        redactor.add(&SecretString::from("hunter22"));
        assert_eq!(clone.redact("hunter22"), MASK);
    }

    #[test]
    fn short_secrets_are_left_alone_and_never_shown_by_debug() {
        assert_eq!(knowing(&["abc"]).redact("alphabet abc"), "alphabet abc");
        assert_eq!(format!("{:?}", knowing(&["hunter22"])), "Redactor(…)");
    }

    #[test]
    fn a_login_in_base64_leaves_no_letter_of_the_password() {
        let login = STANDARD.encode("\0me@example.org\0hunter22");
        let left = knowing(&["hunter22"]).redact(&format!("AUTH PLAIN {login}"));
        let kept = left.strip_prefix("AUTH PLAIN ").and_then(|rest| rest.strip_suffix(MASK)).unwrap();
        let decoded = STANDARD.decode(&kept[..kept.len() / 4 * 4]).unwrap();
        assert!(b"\0me@example.org\0".starts_with(&decoded), "{left}");
    }

    proptest! {
        #[test]
        fn no_secret_survives_in_any_form(
            secret in "[ -~äß密码🔑]{4,20}",
            before in "[ -~密]{0,9}",
            after in "[ -~密]{0,9}",
        ) {
            let redactor = knowing(&[&secret]);
            let around = |text: &str| format!("{before}{text}{after}");
            let json = |text: &str| serde_json::to_string(text).unwrap();
            let inner = |quoted: String| quoted[1..quoted.len() - 1].to_owned();
            let percent = |lower: bool| -> String {
                secret.bytes().map(|byte| match byte {
                    byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
                    byte if lower => format!("%{byte:02x}"),
                    byte => format!("%{byte:02X}"),
                }).collect()
            };
            let form: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
            for (text, hidden) in [
                (around(&secret), secret.clone()),
                (json(&around(&secret)), inner(json(&secret))),
                (json(&json(&around(&secret))), inner(json(&inner(json(&secret))))),
                (format!("{:?}", around(&secret)), secret.escape_debug().to_string()),
                (around(&percent(false)), percent(false)),
                (around(&percent(true)), percent(true)),
                (around(&form), form.clone()),
            ] {
                let redacted = redactor.redact(&text);
                prop_assert!(!redacted.contains(&hidden), "{text} -> {redacted}");
            }
        }

        #[test]
        fn no_secret_survives_in_base64(secret in "[ -~密]{6,20}", before in "[ -~]{0,5}", after in "[ -~]{0,5}") {
            let redactor = knowing(&[&secret]);
            for engine in [&STANDARD, &URL_SAFE] {
                let text = engine.encode(format!("{before}{secret}{after}"));
                let redacted = redactor.redact(&text);
                prop_assert!(redacted.contains(MASK), "{text} -> {redacted}");
            }
        }

        #[test]
        fn texts_without_secrets_are_untouched(text in "[a-y ]{0,60}") {
            prop_assert_eq!(knowing(&["zzzz0000"]).redact(&text), text);
        }
    }
}
