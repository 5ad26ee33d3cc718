//! Times in the ledger: UTC with milliseconds, of one width, so that they compare as text.

use chrono::{DateTime, Utc};
use rusqlite::types::Type;

const FORMAT: &str = "%Y-%m-%dT%H:%M:%S%.3fZ";

/// The text of an instant.
pub(super) fn stamp(at: DateTime<Utc>) -> String {
    at.format(FORMAT).to_string()
}

/// The instant of a text, as an error of the column it stood in.
pub(super) fn unstamp(column: usize, text: &str) -> rusqlite::Result<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text)
        .map(|time| time.with_timezone(&Utc))
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error)))
}

/// JSON in a column, as an error of the column it stood in.
pub(super) fn parse<T: serde::de::DeserializeOwned>(column: usize, text: &str) -> rusqlite::Result<T> {
    serde_json::from_str(text)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error)))
}

/// JSON for a column. Our own types always have one.
pub(super) fn json<T: serde::Serialize>(value: &T) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}
