//! From what was there to a typed value: displayed text is read as people print things, JSON as it is typed.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use regex::Regex;
use serde_json::Value as Json;

use crate::files::model::{Column, ColumnKind, JsonStep, ScalarKind};
use crate::values::{Cell, Number, Value, parse};

/// What reading depends on beside the text itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader {
    pub now: DateTime<Utc>,
    pub zone: Tz,
    pub decimal_comma: bool,
}

/// What stood in a cell before it was typed.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Raw {
    /// Nothing was there.
    Absent,
    /// A displayed text, an attribute, a field of a CSV file.
    Text(String),
    /// A value in JSON.
    Json(Json),
    /// Several elements where one was meant.
    Many(u64),
}

impl Reader {
    /// Displayed text as a value of this type.
    pub fn text(&self, text: &str, kind: ScalarKind) -> Option<Value> {
        match kind {
            ScalarKind::Text | ScalarKind::Value => Some(Value::Text(text.to_owned())),
            ScalarKind::Number => parse::number(text, self.decimal_comma).map(Value::Number),
            ScalarKind::Boolean => parse::boolean(text).map(Value::Boolean),
            ScalarKind::Time => parse::time(text, self.now, self.zone).map(Value::Time),
            ScalarKind::Date => parse::date(text, self.now, self.zone).map(Value::Date),
        }
    }

    /// A value in JSON as one of this type: a number is no text, and `"true"` is not true. Times are text, or Unix time.
    pub fn json(&self, json: &Json, kind: ScalarKind) -> Option<Value> {
        match (kind, json) {
            (ScalarKind::Text | ScalarKind::Value, Json::String(text)) => Some(Value::Text(text.clone())),
            (ScalarKind::Boolean, Json::Bool(value)) => Some(Value::Boolean(*value)),
            (ScalarKind::Number, Json::Number(number)) => parse::plain_number(&number.to_string()).map(Value::Number),
            (ScalarKind::Time | ScalarKind::Date, Json::String(text)) => self.text(text, kind),
            (ScalarKind::Time, Json::Number(number)) => number.as_i64().and_then(parse::from_unix).map(Value::Time),
            (ScalarKind::Date, Json::Number(number)) => {
                let instant = number.as_i64().and_then(parse::from_unix)?;
                Some(Value::Date(instant.with_timezone(&self.zone).date_naive()))
            }
            _ => None,
        }
    }

    /// A cell of a row. What is not of its type is kept as it stood there.
    pub fn cell(&self, raw: &Raw, column: &Column) -> Cell {
        let ColumnKind::Scalar(kind) = column.kind else {
            let shown = matches!(raw, Raw::Json(Json::Bool(true)));
            return Cell::Value(Value::Boolean(shown));
        };
        let value = match raw {
            Raw::Absent | Raw::Json(Json::Null) if column.optional => Some(Value::None),
            Raw::Absent | Raw::Many(_) => None,
            Raw::Text(text) => piece(text, column.source.matching.as_deref()).and_then(|text| self.text(&text, kind)),
            Raw::Json(Json::String(text)) if column.source.matching.is_some() => {
                piece(text, column.source.matching.as_deref()).and_then(|text| self.text(&text, kind))
            }
            Raw::Json(json) => self.json(json, kind),
        };
        value.map_or_else(|| Cell::Unreadable(raw.to_string()), Cell::Value)
    }
}

impl std::fmt::Display for Raw {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Raw::Absent => Ok(()),
            Raw::Text(text) => out.write_str(text),
            Raw::Json(Json::String(text)) => out.write_str(text),
            Raw::Json(json) => write!(out, "{json}"),
            Raw::Many(count) => write!(out, "{count} elements"),
        }
    }
}

/// The piece of a text that the group of `match` takes; the whole text without one.
pub(super) fn piece(text: &str, matching: Option<&str>) -> Option<String> {
    let Some(pattern) = matching else { return Some(text.to_owned()) };
    let found = Regex::new(pattern).ok()?.captures(text)?;
    found.get(1).or_else(|| found.get(0)).map(|piece| piece.as_str().to_owned())
}

/// A whole number as a value.
pub(super) fn whole(number: u64) -> Value {
    Value::Number(Number { value: number.into(), rounded: false })
}

/// What a path leads to in JSON.
pub(super) fn follow<'j>(json: &'j Json, path: &[JsonStep]) -> Option<&'j Json> {
    path.iter().try_fold(json, |at, step| match step {
        JsonStep::Name(name) => at.get(name),
        JsonStep::Index(index) => at.get(index),
    })
}

/// A path as it is written.
pub(super) fn path_text(path: &[JsonStep]) -> String {
    path.iter().fold("json".to_owned(), |text, step| match step {
        JsonStep::Name(name) => format!("{text}.{name}"),
        JsonStep::Index(index) => format!("{text}[{index}]"),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn reader() -> Reader {
        let now = "2026-11-30T00:00:00Z".parse().unwrap();
        Reader { now, zone: chrono_tz::Asia::Shanghai, decimal_comma: false }
    }

    #[test]
    fn json_of_another_type_is_never_converted() {
        let read = |json: Json, kind| reader().json(&json, kind);
        assert_eq!(read(json!(true), ScalarKind::Boolean), Some(Value::Boolean(true)));
        for (json, kind) in [
            (json!(1), ScalarKind::Boolean),
            (json!("true"), ScalarKind::Boolean),
            (json!("10"), ScalarKind::Number),
            (json!(10), ScalarKind::Text),
            (json!(null), ScalarKind::Text),
            (json!(1.5), ScalarKind::Time),
        ] {
            assert_eq!(read(json.clone(), kind), None, "{json}");
        }
    }

    #[test]
    fn a_group_takes_its_piece() {
        assert_eq!(piece("第 3 天", Some(r"第 (\d+) 天")).as_deref(), Some("3"));
        assert_eq!(piece("无", Some(r"第 (\d+) 天")), None);
    }

    #[test]
    fn paths_into_json() {
        let json = json!({ "a": [{ "b": 1 }] });
        let path = [JsonStep::Name("a".into()), JsonStep::Index(0), JsonStep::Name("b".into())];
        assert_eq!(follow(&json, &path), Some(&json!(1)));
        assert_eq!(path_text(&path), "json.a[0].b");
        assert_eq!(follow(&json, &[JsonStep::Name("c".into())]), None);
    }
}
