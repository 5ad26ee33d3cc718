//! Taking maps and lists out of the tree, with a fault for whatever does not fit.

use std::ops::Range;

use super::file::File;
use super::nearest::nearest;
use super::slips;
use super::yaml::{Entry, Node, NodeKind};

/// The keys of one map, every one of which is known.
pub(super) struct Fields<'f> {
    file: &'f File,
    node: &'f Node,
    entries: &'f [Entry],
    unknown: Vec<&'f str>,
    what: &'static str,
}

impl<'f> Fields<'f> {
    /// Looks at a map whose keys are all among `known`; another key is a fault. None when it is no map.
    pub fn of(file: &'f File, node: &'f Node, what: &'static str, known: &[&[&str]]) -> Option<Self> {
        let entries = file.map(node, what)?;
        let known = || known.iter().flat_map(|keys| keys.iter().copied());
        let mut unknown = Vec::new();
        for entry in entries.iter().filter(|entry| !known().any(|key| key == entry.key)) {
            file.unknown_key(entry, what, known());
            unknown.push(entry.key.as_str());
        }
        Some(Fields { file, node, entries, unknown, what })
    }

    /// The value of a key that may be left out.
    pub fn get(&self, key: &str) -> Option<&'f Node> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    /// True when a key was refused, so that something may only seem to be missing.
    pub fn has_unknown(&self) -> bool {
        !self.unknown.is_empty()
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
        // A key that was only misspelt was said already.
        let misspelt = self.unknown.iter().any(|unknown| nearest(unknown, [key]).is_some());
        if found.is_none() && !misspelt {
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

    pub(super) fn empty(&self, node: &Node) {
        let cure = "write the value behind the colon, or leave the key out; a text that looks empty is written \"\"";
        self.wrong(self.key_line(node), "nothing stands behind this key", cure);
    }

    /// An empty value has no place of its own: its line has.
    fn key_line(&self, node: &Node) -> Range<usize> {
        let at = node.span.start.min(self.text.len());
        let before = self.text.get(..at).unwrap_or("").trim_end();
        let start = before.rfind('\n').map_or(0, |found| found + 1);
        let indent = before[start..].len() - before[start..].trim_start_matches([' ', '-']).len();
        start + indent..before.len()
    }

    /// A key that nobody knows.
    pub fn unknown_key<'k>(&self, entry: &Entry, what: &str, known: impl Iterator<Item = &'k str> + Clone) {
        let without_colon = !self.text.get(entry.key_span.end..).unwrap_or("").trim_start().starts_with(':');
        let cure = match nearest(&entry.key, known.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if without_colon => {
                "a comma ends a value inside `{ }`: quote the value before it, \"a, b\"".to_owned()
            }
            None => format!("the keys here are: {}", known.collect::<Vec<_>>().join(", ")),
        };
        self.wrong(entry.key_span.clone(), format!("a {what} has no key `{}`", entry.key), cure);
    }
}
