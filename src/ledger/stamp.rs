//! Times in the ledger: UTC with milliseconds, of one width, so that they compare as text.

use chrono::{DateTime, Datelike, Timelike, Utc};
use rusqlite::types::Type;

/// The text of an instant. By hand, because every line has some, and a pattern is read anew each time.
pub(super) fn stamp(at: DateTime<Utc>) -> String {
    let (year, month, day) = (at.year(), at.month(), at.day());
    let (hour, minute, second) = (at.hour(), at.minute(), at.second());
    let milliseconds = at.timestamp_subsec_millis() % 1_000;
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milliseconds:03}Z")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_the_same_when_it_is_read_back_and_all_are_of_one_width() {
        for text in ["0000-01-01T00:00:00.000Z", "2026-11-30T06:07:08.009Z", "9999-12-31T23:59:59.999Z"] {
            let at = unstamp(0, text).unwrap();
            assert_eq!((stamp(at).as_str(), text.len()), (text, 24));
            assert_eq!(at.format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string(), text);
        }
    }
}
