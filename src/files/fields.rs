//! Taking keys and typed values out of the tree, with a fault for whatever does not fit.

use std::ops::Range;
use std::str::FromStr;
use std::time::Duration;

use super::file::File;
use super::nearest::nearest;
use super::slips;
use super::yaml::{Entry, Node, NodeKind};
use crate::timing::{ClockTime, parse_clock, parse_duration};

/// The keys of one map, every one of which is known.
pub(super) struct Fields<'f> {
    file: &'f File,
    node: &'f Node,
    entries: &'f [Entry],
    what: &'static str,
}

impl<'f> Fields<'f> {
    /// Looks at a map whose keys are all among `known`; another key is a fault. None when it is no map.
    pub fn of(file: &'f File, node: &'f Node, what: &'static str, known: &[&[&str]]) -> Option<Self> {
        let entries = file.map(node, what)?;
        let known = || known.iter().flat_map(|keys| keys.iter().copied());
        for entry in entries.iter().filter(|entry| !known().any(|key| key == entry.key)) {
            file.unknown_key(entry, what, known());
        }
        Some(Fields { file, node, entries, what })
    }

    /// The value of a key that may be left out.
    pub fn get(&self, key: &str) -> Option<&'f Node> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    /// Where a key stands.
    pub fn key_span(&self, key: &str) -> Range<usize> {
        self.entries
            .iter()
            .find(|entry| entry.key == key)
            .map_or(self.node.span.clone(), |entry| entry.key_span.clone())
    }

    /// The value of a key that must be there. `example` is what to write.
    pub fn need(&self, key: &str, example: &str) -> Option<&'f Node> {
        let found = self.get(key);
        if found.is_none() {
            let span = self.entries.first().map_or(self.node.span.clone(), |entry| entry.key_span.clone());
            self.file.wrong(span, format!("`{key}` is missing in this {}", self.what), format!("write `{example}`"));
        }
        found
    }

    /// Those of `keys` that are there.
    pub fn present<'k>(&self, keys: &[&'k str]) -> Vec<&'k str> {
        keys.iter().copied().filter(|key| self.get(key).is_some()).collect()
    }

    /// Says "not supported yet" for each of these keys that is there.
    pub fn not_supported(&self, keys: &[&str]) {
        for key in self.present(keys) {
            self.file.not_supported(self.key_span(key), key);
        }
    }
}

impl File {
    /// The entries of a map.
    pub fn map<'n>(&self, node: &'n Node, what: &str) -> Option<&'n [Entry]> {
        match &node.kind {
            NodeKind::Map(entries) => Some(entries),
            NodeKind::Refused => None,
            NodeKind::Scalar { .. } if node.is_empty() => {
                self.empty(node);
                None
            }
            NodeKind::Scalar { text, .. } if text.contains('：') => {
                let span = slips::full_width_colon(&self.text, node.span.start).unwrap_or(node.span.clone());
                self.wrong(
                    span,
                    "`：` is a full-width colon, and YAML does not know it",
                    "write `:` and a blank behind it",
                );
                None
            }
            NodeKind::List(_) => {
                self.wrong(
                    node.span.clone(),
                    format!("a list stands where a {what} must stand"),
                    "write `key: value` lines without `-`",
                );
                None
            }
            NodeKind::Scalar { .. } => {
                self.wrong(node.span.clone(), format!("a text stands where a {what} must stand"), "write `key: value`");
                None
            }
        }
    }

    /// The items of a list.
    pub fn list<'n>(&self, node: &'n Node, what: &str) -> Option<&'n [Node]> {
        match &node.kind {
            NodeKind::List(items) => Some(items),
            NodeKind::Refused => None,
            _ if node.is_empty() => {
                self.empty(node);
                None
            }
            _ => {
                let cure = "write each behind a `- `, or all in `[a, b]`";
                self.wrong(node.span.clone(), format!("{what} is a list"), cure);
                None
            }
        }
    }

    fn empty(&self, node: &Node) {
        let cure = "write the value behind the colon, or leave the key out; a text that looks empty is written \"\"";
        self.wrong(self.key_line(node), "nothing stands behind this key", cure);
    }

    /// An empty value has no place of its own: its line has.
    fn key_line(&self, node: &Node) -> Range<usize> {
        let at = node.span.start.min(self.text.len());
        let before = self.text[..at].trim_end();
        let start = before.rfind('\n').map_or(0, |found| found + 1);
        let indent = before[start..].len() - before[start..].trim_start_matches([' ', '-']).len();
        start + indent..before.len()
    }

    /// A key that nobody knows.
    pub fn unknown_key<'k>(&self, entry: &Entry, what: &str, known: impl Iterator<Item = &'k str> + Clone) {
        let in_flow = entry.value.is_empty() && entry.value.span.start <= entry.key_span.end;
        let cure = match nearest(&entry.key, known.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if in_flow => "a comma ends a value inside `{ }`: quote the value before it, \"a, b\"".to_owned(),
            None => format!("the keys here are: {}", known.collect::<Vec<_>>().join(", ")),
        };
        self.wrong(entry.key_span.clone(), format!("a {what} has no key `{}`", entry.key), cure);
    }

    /// A scalar as written, whatever it looks like.
    pub fn scalar<'n>(&self, node: &'n Node) -> Option<&'n str> {
        match &node.kind {
            NodeKind::Scalar { .. } if node.is_empty() => {
                self.empty(node);
                None
            }
            NodeKind::Scalar { text, .. } => Some(text),
            NodeKind::Refused => None,
            NodeKind::List(_) | NodeKind::Map(_) => {
                let cure = match self.text.get(node.span.start..node.span.start + 1) {
                    Some("{" | "[") => slips::quote_cure(self, node.span.start),
                    _ => "write one value".to_owned(),
                };
                self.wrong(node.span.clone(), "a map or a list stands where a text must stand", cure);
                None
            }
        }
    }

    /// A text. What looks like a number or a boolean must be quoted: other tools would change it.
    pub fn text<'n>(&self, node: &'n Node) -> Option<&'n str> {
        let text = self.scalar(node)?;
        if node.plain_text().is_some_and(|plain| looks_like_number(plain) || matches!(plain, "true" | "false")) {
            self.wrong(
                node.span.clone(),
                format!("`{text}` is a number or a boolean for YAML, and a text must stand here"),
                format!("quote this value: \"{text}\""),
            );
            return None;
        }
        Some(text)
    }

    /// A text that is not empty.
    pub fn words<'n>(&self, node: &'n Node) -> Option<&'n str> {
        let text = self.text(node)?;
        if text.trim().is_empty() {
            self.wrong(node.span.clone(), "this text is empty", "write what it shall say");
            return None;
        }
        Some(text)
    }

    /// `true` or `false`, without quotes.
    pub fn boolean(&self, node: &Node) -> Option<bool> {
        let text = self.scalar(node)?;
        match node.plain_text() {
            Some("true") => return Some(true),
            Some("false") => return Some(false),
            _ => {}
        }
        let cure = match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "y" => "write `true`, without quotes",
            "false" | "no" | "off" | "n" => "write `false`, without quotes",
            _ => "write `true` or `false`, without quotes",
        };
        self.wrong(node.span.clone(), format!("`{text}` is not a boolean"), cure);
        None
    }

    /// A duration.
    pub fn duration(&self, node: &Node) -> Option<Duration> {
        let text = self.scalar(node)?;
        match parse_duration(text) {
            Ok(duration) if duration.is_zero() => {
                self.wrong(node.span.clone(), "this lasts no time at all", "write 1s at least, or leave the key out");
                None
            }
            Ok(duration) => Some(duration),
            Err(_) => {
                let cure = format!("write a whole number and a unit: 15s, 20m, 2h or 30d{}", half_width(text));
                self.wrong(node.span.clone(), format!("`{text}` is not a duration"), cure);
                None
            }
        }
    }

    /// A time of day.
    pub fn clock(&self, node: &Node) -> Option<ClockTime> {
        let text = self.scalar(node)?;
        let clock = parse_clock(text);
        if clock.is_err() {
            let cure = format!("write hours and minutes in quotes: \"06:00\"{}", half_width(text));
            self.wrong(node.span.clone(), format!("`{text}` is not a time of day"), cure);
        }
        clock.ok()
    }

    /// A whole number inside a range.
    pub fn whole<T>(&self, node: &Node, range: std::ops::RangeInclusive<T>) -> Option<T>
    where
        T: FromStr + PartialOrd + std::fmt::Display,
    {
        let text = self.scalar(node)?;
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let plain = node.plain_text().is_some();
        match text.parse::<T>() {
            Ok(value) if digits && plain && range.contains(&value) => Some(value),
            _ => {
                let cure = format!(
                    "write a number from {} to {}, without quotes{}",
                    range.start(),
                    range.end(),
                    half_width(text)
                );
                self.wrong(node.span.clone(), format!("`{text}` is not a number that fits here"), cure);
                None
            }
        }
    }

    /// One of a few words.
    pub fn one_of<T: Copy>(&self, node: &Node, words: &[(&str, T)]) -> Option<T> {
        let text = self.scalar(node)?;
        let found = words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
        if found.is_none() {
            let all = words.iter().map(|(word, _)| *word);
            let cure = match nearest(text, all.clone()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("write one of: {}", all.collect::<Vec<_>>().join(", ")),
            };
            self.wrong(node.span.clone(), format!("`{text}` means nothing here"), cure);
        }
        found
    }

    /// An id, such as the name of a read.
    pub fn id(&self, text: &str, span: &Range<usize>, what: &str) -> bool {
        let mut letters = text.bytes();
        let good = letters.next().is_some_and(|first| first.is_ascii_lowercase())
            && letters.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        if !good {
            let cure = "write a-z first, then a-z, 0-9 and _";
            self.wrong(span.clone(), format!("`{text}` cannot be the name of {what}"), cure);
        }
        good
    }
}

/// What YAML, or another tool that reads this file, takes for a number.
pub(super) fn looks_like_number(text: &str) -> bool {
    let digits = text.trim_start_matches(['+', '-']);
    !digits.is_empty()
        && digits.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && digits.contains(|found: char| found.is_ascii_digit())
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && digits.matches('.').count() < 2
}

fn half_width(text: &str) -> &'static str {
    let full_width = text.chars().any(|found| ('\u{ff01}'..='\u{ff5e}').contains(&found));
    if full_width { ", in plain (half-width) characters" } else { "" }
}
