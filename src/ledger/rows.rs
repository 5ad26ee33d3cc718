//! Rows that a server showed, and how their reading went.

use chrono::{DateTime, NaiveDate, Utc};
use rusqlite::{OptionalExtension, params};
use rust_decimal::Decimal;

use super::stamp::{json, parse, stamp, unstamp};
use super::store::Statements;
use super::{Ledger, LedgerError};
use crate::run::Lane;
use crate::values::{Cell, Row, Value};

/// One row of a feed as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredRow {
    /// What was read.
    pub row: Row,
    /// When it was first seen.
    pub collected_at: DateTime<Utc>,
    /// False until a report carried it.
    pub reported: bool,
}

/// How an account's points read-back went.
#[derive(Debug, Clone, PartialEq)]
pub struct PointsRead {
    /// When.
    pub at: DateTime<Utc>,
    /// The balance that the site shows, if it shows one.
    pub balance: Option<Decimal>,
    /// Why the rows are not all of the day's.
    pub incomplete: Option<String>,
}

impl Ledger {
    /// Keeps the rows of a feed; those seen before stay as they are. A row without an id of its own is named by all that
    /// it shows, and by which of several like it it is.
    pub fn keep_rows(
        &self,
        lane: &Lane,
        feed: &str,
        day: NaiveDate,
        rows: &[Row],
        at: DateTime<Utc>,
    ) -> Result<usize, LedgerError> {
        let ids = row_ids(rows);
        self.write(|transaction| {
            let mut new = 0;
            for (position, (row, id)) in rows.iter().zip(&ids).enumerate() {
                new += transaction.execute_cached(
                    "INSERT OR IGNORE INTO rows (site, account, feed, row_id, day, position, cells, collected_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                    params![
                        lane.site,
                        lane.account,
                        feed,
                        id,
                        day.to_string(),
                        i64::try_from(position).unwrap_or(i64::MAX),
                        json(row)?,
                        stamp(at)
                    ],
                )?;
            }
            Ok(new)
        })
    }

    /// The rows of a feed that were read for this day, in the server's order.
    pub fn rows_of(&self, lane: &Lane, feed: &str, day: NaiveDate) -> Result<Vec<StoredRow>, LedgerError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT cells, collected_at, reported_at IS NOT NULL FROM rows INDEXED BY rows_day
                 WHERE site = ?1 AND account = ?2 AND feed = ?3 AND day = ?4 ORDER BY position, rowid",
            )?;
            let rows = statement.query_map(params![lane.site, lane.account, feed, day.to_string()], |row| {
                Ok(StoredRow {
                    row: parse(0, &row.get::<_, String>(0)?)?,
                    collected_at: unstamp(1, &row.get::<_, String>(1)?)?,
                    reported: row.get(2)?,
                })
            })?;
            rows.collect()
        })
    }

    /// Writes down that a report carried the rows read for this day.
    pub fn rows_reported(&self, lane: &Lane, day: NaiveDate, at: DateTime<Utc>) -> Result<(), LedgerError> {
        self.write(|transaction| {
            transaction.execute_cached(
                "UPDATE rows SET reported_at = ?4
                 WHERE site = ?1 AND account = ?2 AND day = ?3 AND reported_at IS NULL",
                params![lane.site, lane.account, day.to_string(), stamp(at)],
            )?;
            Ok(())
        })
    }

    /// Keeps how the read-back of a day's points went.
    pub fn keep_points_read(&self, lane: &Lane, day: NaiveDate, read: &PointsRead) -> Result<(), LedgerError> {
        self.write(|transaction| {
            transaction.execute_cached(
                "INSERT OR REPLACE INTO points_reads (site, account, day, at, balance, incomplete)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![
                    lane.site,
                    lane.account,
                    day.to_string(),
                    stamp(read.at),
                    read.balance.map(|balance| balance.to_string()),
                    read.incomplete
                ],
            )?;
            Ok(())
        })
    }

    /// How the last read-back of a day's points went.
    pub fn points_read(&self, lane: &Lane, day: NaiveDate) -> Result<Option<PointsRead>, LedgerError> {
        self.read(|connection| {
            connection
                .query_row_cached(
                    "SELECT at, balance, incomplete FROM points_reads WHERE site = ?1 AND account = ?2 AND day = ?3",
                    params![lane.site, lane.account, day.to_string()],
                    |row| {
                        let balance: Option<String> = row.get(1)?;
                        Ok(PointsRead {
                            at: unstamp(0, &row.get::<_, String>(0)?)?,
                            balance: balance.and_then(|text| text.parse().ok()),
                            incomplete: row.get(2)?,
                        })
                    },
                )
                .optional()
        })
    }
}

/// An id for each row: its own, or all that it shows with an ordinal, counted from the oldest row (the list's end), so
/// that a new row at the top does not rename the others.
fn row_ids(rows: &[Row]) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    let mut ids: Vec<String> = rows
        .iter()
        .rev()
        .map(|row| {
            if let Some(Cell::Value(Value::Text(id))) = row.cells.get("id") {
                return format!("id:{id}");
            }
            let shown = serde_json::to_string(&row.cells).unwrap_or_default();
            let ordinal = seen.iter().filter(|before| **before == shown).count();
            seen.push(shown.clone());
            format!("{shown}#{ordinal}")
        })
        .collect();
    ids.reverse();
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(title: &str) -> Row {
        Row { cells: [("title".to_owned(), Cell::Value(Value::Text(title.to_owned())))].into() }
    }

    #[test]
    fn two_rows_alike_are_two_and_a_new_one_on_top_renames_none() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::open(folder.path()).unwrap();
        let lane = Lane { site: "s".into(), account: "a".into() };
        let day = NaiveDate::from_ymd_opt(2026, 11, 30).unwrap();
        let now = "2026-11-30T06:00:00Z".parse().unwrap();
        assert_eq!(ledger.keep_rows(&lane, "points", day, &[row("a"), row("a")], now).unwrap(), 2);
        assert_eq!(ledger.keep_rows(&lane, "points", day, &[row("b"), row("a"), row("a")], now).unwrap(), 1);
        assert_eq!(ledger.rows_of(&lane, "points", day).unwrap().len(), 3);
    }
}
