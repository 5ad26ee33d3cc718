//! Attempts (one row each) and decisions (a row when the answer changes).

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;

use super::stamp::{stamp, unstamp};
use super::store::Statements;
use super::{Ledger, LedgerError};
use crate::run::{Key, Source, TaskRun};

/// An answer to "run now?", given so many times in a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DecisionLine {
    /// Who asked first: `schedule`, `hand` or `retry`.
    pub source: String,
    /// The answer, such as `run` or `not_ready: …`.
    pub answer: String,
    /// When it was given first.
    pub first_at: DateTime<Utc>,
    /// And last.
    pub last_at: DateTime<Utc>,
    /// How often.
    pub count: u32,
}

impl Ledger {
    /// Writes down an answer to "run now?". The same answer again only counts.
    pub fn record_decision(
        &self,
        key: &Key,
        source: Source,
        answer: &str,
        at: DateTime<Utc>,
    ) -> Result<(), LedgerError> {
        self.write_lazily(|transaction| decided_in(transaction, key, source, answer, at))
    }

    /// True when "run now?" was asked for a key between these times, and the answer was not "not due".
    pub fn was_asked(&self, key: &Key, from: DateTime<Utc>, to: DateTime<Utc>) -> Result<bool, LedgerError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM decisions INDEXED BY decisions_key
                   WHERE key = ?1 AND first_at <= ?3 AND last_at >= ?2 AND answer NOT LIKE 'not_due%')";
        self.read(|connection| {
            connection.query_row_cached(sql, params![key.as_str(), stamp(from), stamp(to)], |row| row.get(0))
        })
    }

    /// Writes down that the last answer for each of these keys was given again then.
    pub fn decisions_repeated(&self, repeated: &[(Key, DateTime<Utc>)]) -> Result<(), LedgerError> {
        if repeated.is_empty() {
            return Ok(());
        }
        self.write_lazily(|transaction| {
            for (key, at) in repeated {
                transaction.execute_cached(
                    "UPDATE decisions SET last_at = max(last_at, ?2), count = count + 1
                     WHERE id = (SELECT max(id) FROM decisions WHERE key = ?1)",
                    params![key.as_str(), stamp(*at)],
                )?;
            }
            Ok(())
        })
    }

    /// The last answer to "run now?" for a key.
    pub fn last_decision(&self, key: &Key) -> Result<Option<String>, LedgerError> {
        self.read(|connection| {
            connection
                .query_row_cached(
                    "SELECT answer FROM decisions WHERE key = ?1 ORDER BY id DESC LIMIT 1",
                    [key.as_str()],
                    |row| row.get(0),
                )
                .optional()
        })
    }

    /// An attempt begins. Its row's id.
    pub fn attempt_started(&self, key: &Key, run: &str, source: Source, at: DateTime<Utc>) -> Result<i64, LedgerError> {
        self.write_lazily(|transaction| {
            // An earlier one that never ended was interrupted: its runner died.
            transaction.execute_cached(
                "UPDATE attempts SET finished_at = ?2, status = 'interrupted' WHERE key = ?1 AND finished_at IS NULL",
                params![key.as_str(), stamp(at)],
            )?;
            transaction.execute_cached(
                "INSERT INTO attempts (key, run, source, started_at) VALUES (?1, ?2, ?3, ?4)",
                params![key.as_str(), run, source.word(), stamp(at)],
            )?;
            Ok(transaction.last_insert_rowid())
        })
    }

    /// An attempt ended in this state.
    pub fn attempt_finished(
        &self,
        attempt: i64,
        after: &TaskRun,
        duration: std::time::Duration,
        at: DateTime<Utc>,
    ) -> Result<(), LedgerError> {
        let failure = after.failure.as_ref();
        self.write_lazily(|transaction| {
            transaction.execute_cached(
                "UPDATE attempts SET finished_at = ?2, duration_ms = ?3, status = ?4, kind = ?5, step = ?6, error = ?7
                 WHERE id = ?1",
                params![
                    attempt,
                    stamp(at),
                    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX),
                    after.status.word(),
                    failure.map(|failure| failure.kind.word()),
                    failure.and_then(|failure| failure.step.clone()),
                    failure.map(|failure| failure.message.clone())
                ],
            )?;
            Ok(())
        })
    }

    /// The answers to "run now?" for a key, oldest first.
    pub fn decisions(&self, key: &Key) -> Result<Vec<DecisionLine>, LedgerError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT source, answer, first_at, last_at, count FROM decisions WHERE key = ?1 ORDER BY id",
            )?;
            let lines = statement.query_map([key.as_str()], |row| {
                let (first, last): (String, String) = (row.get(2)?, row.get(3)?);
                Ok(DecisionLine {
                    source: row.get(0)?,
                    answer: row.get(1)?,
                    first_at: unstamp(2, &first)?,
                    last_at: unstamp(3, &last)?,
                    count: row.get(4)?,
                })
            })?;
            lines.collect()
        })
    }

    /// The attempt of a key that has not ended: its source, and when it began.
    pub fn running_attempt(&self, key: &Key) -> Result<Option<(String, DateTime<Utc>)>, LedgerError> {
        self.read(|connection| {
            connection
                .query_row_cached(
                    "SELECT source, started_at FROM attempts WHERE key = ?1 AND finished_at IS NULL ORDER BY id DESC LIMIT 1",
                    [key.as_str()],
                    |row| Ok((row.get(0)?, unstamp(1, &row.get::<_, String>(1)?)?)),
                )
                .optional()
        })
    }

    /// How many attempts a key had.
    pub fn attempts(&self, key: &Key) -> Result<u32, LedgerError> {
        self.read(|connection| {
            connection
                .query_row_cached("SELECT count(*) FROM attempts WHERE key = ?1", [key.as_str()], |row| row.get(0))
        })
    }
}

/// Writes down an answer inside a transaction.
pub(super) fn decided_in(
    transaction: &Connection,
    key: &Key,
    source: Source,
    answer: &str,
    at: DateTime<Utc>,
) -> rusqlite::Result<()> {
    let last: Option<(i64, String)> = transaction
        .query_row_cached(
            "SELECT id, answer FROM decisions WHERE key = ?1 ORDER BY id DESC LIMIT 1",
            [key.as_str()],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()?;
    match last {
        Some((id, before)) if before == answer => transaction.execute_cached(
            "UPDATE decisions SET last_at = ?2, count = count + 1 WHERE id = ?1",
            params![id, stamp(at)],
        )?,
        _ => transaction.execute_cached(
            "INSERT INTO decisions (key, source, answer, first_at, last_at, count) VALUES (?1, ?2, ?3, ?4, ?4, 1)",
            params![key.as_str(), source.word(), answer, stamp(at)],
        )?,
    };
    Ok(())
}
