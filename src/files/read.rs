//! Reads: `name: { type: where }`.

use regex::Regex;

use super::condition::{Shape, Type};
use super::fields::Fields;
use super::here::Here;
use super::json_path;
use super::locator::{LOCATOR_KEYS, or_default, transpose};
use super::model::{From, Read, ReadKind, ScalarKind, Source};
use super::nearest::nearest;
use super::rows::{ROWS_KEYS, ROWS_TYPES};
use super::yaml::{Node, NodeKind};

/// The types that stand for one value.
const SCALARS: [(&str, ScalarKind); 6] = [
    ("text", ScalarKind::Text),
    ("number", ScalarKind::Number),
    ("boolean", ScalarKind::Boolean),
    ("time", ScalarKind::Time),
    ("date", ScalarKind::Date),
    ("value", ScalarKind::Value),
];

/// Every type of a read.
pub(super) const TYPES: &[&str] =
    &["text", "number", "boolean", "time", "date", "value", "visible", "checked", "count", "table", "items", "rows"];

/// Places to read from that are no locator.
const PLACES: [&str; 8] = ["json", "status", "url", "body", "header.name", "content", "exists", "size"];

impl Here<'_> {
    /// One read, without its name.
    pub fn read(&self, node: &Node) -> Option<Read> {
        let fields = Fields::of(self.file, node, "read", &[TYPES, &["optional", "match"], ROWS_KEYS])?;
        let kind = self.one_type(&fields, node)?;
        let optional = or_default(fields.get("optional").map(|node| self.file.boolean(node)), false);
        let place = self.place(node);
        if ROWS_TYPES.contains(&kind) {
            let rows = self.rows_read(&fields, kind, node)?;
            if optional? {
                let cure = "say by `empty` what the page shows when there is none, and count them";
                self.file.wrong(fields.key_span("optional"), "a list is never optional: it has rows or not", cure);
            }
            return Some(Read { kind: ReadKind::Rows(Box::new(rows)), optional: false, place });
        }
        for key in fields.present(ROWS_KEYS) {
            let cure = "leave it out, or read `table`, `items` or `rows`";
            self.file.wrong(fields.key_span(key), format!("`{key}` belongs to a list of rows"), cure);
        }
        let value = fields.get(kind)?;
        let kind = match kind {
            "visible" => ReadKind::Visible(self.locator(value)?),
            "checked" => ReadKind::Checked(self.locator(value)?),
            "count" => ReadKind::Count(self.locator(value)?),
            _ => {
                let (_, kind) = SCALARS.into_iter().find(|(word, _)| *word == kind)?;
                let source = self.source(value, kind, fields.get("match"))?;
                ReadKind::Scalar { kind, source }
            }
        };
        if optional? && matches!(kind, ReadKind::Visible(_) | ReadKind::Count(_)) {
            let cure = "leave `optional` out: what is not there is not visible, and counts 0";
            self.file.wrong(fields.key_span("optional"), "this always has an answer", cure);
        }
        Some(Read { kind, optional: optional?, place })
    }

    fn one_type<'k>(&self, fields: &Fields<'_>, node: &Node) -> Option<&'k str> {
        match fields.present(TYPES).as_slice() {
            [kind] => TYPES.iter().copied().find(|word| word == kind),
            [] if fields.has_unknown() => None,
            [] => {
                let cure = format!("write `{{ text: … }}` with one of: {}", TYPES.join(", "));
                self.file.wrong(node.span.clone(), "this read has no type", cure);
                None
            }
            [_, second, ..] => {
                self.file.wrong(fields.key_span(second), "a read has one type", "read each under a name of its own");
                None
            }
        }
    }

    /// Where one value is: a locator, or a place in an answer or a file.
    pub fn source(&self, node: &Node, kind: ScalarKind, outer_match: Option<&Node>) -> Option<Source> {
        if let NodeKind::Map(_) = node.kind {
            let inner_match = node.find("match");
            let matching = inner_match.or(outer_match).map(|node| self.matching(node));
            let from = self.element(node)?;
            return Some(Source { from, matching: transpose(matching)? });
        }
        let matching = outer_match.map(|node| self.matching(node));
        let text = self.file.words(node)?;
        let Some(from) = answer(text) else {
            self.strange_place(node, text);
            return None;
        };
        self.fits(node, kind, &from, text)?;
        Some(Source { from, matching: transpose(matching)? })
    }

    /// An element's text or attribute; the keys of the locator may be left out beside `attribute` (the item itself).
    fn element(&self, node: &Node) -> Option<From> {
        let further = &["attribute", "match"];
        let attribute = node.find("attribute").map(|node| self.file.words(node).map(str::to_owned));
        let has_locator = node.entries()?.iter().any(|entry| !further.contains(&entry.key.as_str()));
        let locator = match has_locator {
            true => Some(self.locator_with(node, further)?),
            false => None,
        };
        Some(From::Element { locator, attribute: transpose(attribute)? })
    }

    /// `match: "…(…)…"`: a pattern with one group.
    pub fn matching(&self, node: &Node) -> Option<String> {
        let pattern = self.file.words(node)?;
        match Regex::new(pattern) {
            Ok(regex) if regex.captures_len() == 2 => return Some(pattern.to_owned()),
            Ok(_) => {
                let cure =
                    "put the piece to take in one pair of brackets: \"共 ([0-9]+) 条\"; write `(?:…)` for others";
                self.file.wrong(node.span.clone(), "this pattern does not have exactly one group", cure);
            }
            Err(error) => {
                let reason = error.to_string();
                let reason = reason.lines().last().unwrap_or("").trim_start_matches("error: ").to_owned();
                self.file.wrong(
                    node.span.clone(),
                    format!("this pattern cannot be read: {reason}"),
                    "write a regular expression, such as \"([0-9]+)\"",
                );
            }
        }
        None
    }

    fn strange_place(&self, node: &Node, text: &str) {
        let cure = if json_path::parse(&format!("json.{text}")).is_some_and(|steps| !steps.is_empty())
            && nearest(text, PLACES).is_none()
        {
            format!("did you mean `json.{text}`? On a page write a locator: `{{ css: \"…\" }}`")
        } else {
            format!("write a locator, `{{ css: \"…\" }}`, or one of: json.a.b, {}", PLACES[1..].join(", "))
        };
        self.file.wrong(node.span.clone(), format!("`{text}` is not a place to read from"), cure);
    }

    /// A status is a number, "exists" is true or false: another type would always be unknown.
    fn fits(&self, node: &Node, kind: ScalarKind, from: &From, text: &str) -> Option<()> {
        let (fits, wanted) = match from {
            From::Status | From::FileSize => (kind == ScalarKind::Number, "number"),
            From::FileExists => (kind == ScalarKind::Boolean, "boolean"),
            From::Url | From::Body | From::Header(_) | From::FileContent => {
                (!matches!(kind, ScalarKind::Boolean | ScalarKind::Value), "text")
            }
            _ => (kind != ScalarKind::Value, "text"),
        };
        if !fits {
            self.file.wrong(
                node.span.clone(),
                format!("`{text}` is never of this type"),
                format!("write `{wanted}: {text}`"),
            );
        }
        fits.then_some(())
    }
}

/// A place in an answer or a file.
fn answer(text: &str) -> Option<From> {
    Some(match text {
        "status" => From::Status,
        "url" => From::Url,
        "body" => From::Body,
        "content" => From::FileContent,
        "exists" => From::FileExists,
        "size" => From::FileSize,
        _ => match text.strip_prefix("header.") {
            Some(name) if is_header_name(name) => From::Header(name.to_ascii_lowercase()),
            _ => From::Json(json_path::parse(text)?),
        },
    })
}

/// A name that a request or an answer can carry.
pub(super) fn is_header_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.!#$%&'*+^`|~".contains(&byte))
}

/// The shape that a read has in conditions.
pub(super) fn shape(read: &Read) -> Shape {
    let kind = match &read.kind {
        ReadKind::Scalar { kind, .. } => scalar_type(*kind),
        ReadKind::Visible(_) | ReadKind::Checked(_) => Type::Boolean,
        ReadKind::Count(_) => Type::Number,
        ReadKind::Rows(rows) => Type::Rows(super::rows::shapes(rows)),
    };
    Shape { kind, optional: read.optional }
}

/// The type of a scalar in conditions.
pub(super) fn scalar_type(kind: ScalarKind) -> Type {
    match kind {
        ScalarKind::Text | ScalarKind::Value => Type::Text,
        ScalarKind::Number => Type::Number,
        ScalarKind::Boolean => Type::Boolean,
        ScalarKind::Time => Type::Time,
        ScalarKind::Date => Type::Date,
    }
}

/// The word of a scalar type, and the type.
pub(super) fn scalar_kind(word: &str) -> Option<ScalarKind> {
    SCALARS.into_iter().find(|(known, _)| *known == word).map(|(_, kind)| kind)
}

/// True where the keys of this map are those of a locator.
pub(super) fn is_locator(node: &Node) -> bool {
    node.entries().is_some_and(|entries| entries.iter().any(|entry| LOCATOR_KEYS.contains(&entry.key.as_str())))
}
