//! Looking back over many keys: for the status page, the health answer, and the metrics. Reads only.

use chrono::{DateTime, NaiveDate, Utc};
use rusqlite::{OptionalExtension, Row};

use super::stamp::{parse, unstamp};
use super::store::Statements;
use super::{Ledger, LedgerError};
use crate::run::{Key, Status};

/// An answer to "run now?" as it is on record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDecision {
    /// The key that it was given for.
    pub key: Key,
    /// Who asked.
    pub source: String,
    /// The answer.
    pub answer: String,
    /// When it was given first…
    pub first_at: DateTime<Utc>,
    /// …and when last.
    pub last_at: DateTime<Utc>,
    /// How often in between.
    pub count: u32,
}

/// How a key of a day stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DayStatus {
    /// The runner's date of its slot.
    pub date: NaiveDate,
    /// The site's id.
    pub site: String,
    /// The task's id within its site.
    pub task: String,
    /// The account's id.
    pub account: String,
    /// Its status.
    pub status: Status,
    /// Why.
    pub reason: Option<String>,
}

/// What the last day with an outcome came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastOutcome {
    /// The day.
    pub date: NaiveDate,
    /// At least one of its keys failed, is dead, or is blocked.
    pub failed: bool,
}

/// How many attempts of a task ended so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptCount {
    /// `site/task`.
    pub task: String,
    /// The status that they ended in; `running` for one that has not ended.
    pub status: String,
    /// How many.
    pub count: u64,
}

/// What a read of the server closed.
const DONE: &str = "status IN ('success', 'already_done', 'compensated')";

/// What did not come to a good end, or waits for a person.
const FAILED: &str = "status IN ('failed', 'dead', 'blocked')";

impl Ledger {
    /// The last answers to "run now?", of one task (`site/task`) or of all, newest first.
    pub fn recent_decisions(&self, task: Option<&str>, limit: u32) -> Result<Vec<StoredDecision>, LedgerError> {
        // A task that shares a key has its refusals under the key by its path, which no row of `keys` may have.
        let sql = "SELECT d.key, d.source, d.answer, d.first_at, d.last_at, d.count
                   FROM decisions d LEFT JOIN keys k ON k.key = d.key
                   WHERE ?1 IS NULL OR k.site || '/' || k.task = ?1 OR instr(d.key, ':' || ?1 || '@') > 0
                   ORDER BY d.last_at DESC, d.id DESC LIMIT ?2";
        self.read(|connection| {
            connection.prepare_cached(sql)?.query_map(rusqlite::params![task, limit], decision)?.collect()
        })
    }

    /// How the keys of each day stand, from this date on.
    pub fn days_since(&self, date: NaiveDate) -> Result<Vec<DayStatus>, LedgerError> {
        let sql = "SELECT report_date, site, task, account, status, reason FROM keys
                   WHERE report_date >= ?1 ORDER BY report_date, rowid";
        self.read(|connection| connection.prepare_cached(sql)?.query_map([date.to_string()], day_status)?.collect())
    }

    /// When a read of the server last closed a key as done.
    pub fn last_verified(&self) -> Result<Option<DateTime<Utc>>, LedgerError> {
        self.latest(&format!(
            "SELECT (SELECT closed_at FROM keys INDEXED BY keys_closed WHERE closed_at IS NOT NULL AND {DONE}
                     ORDER BY closed_at DESC LIMIT 1)"
        ))
    }

    /// When a key last failed, died, or was blocked.
    pub fn last_failed(&self) -> Result<Option<DateTime<Utc>>, LedgerError> {
        // Of these only the dead are closed.
        self.latest(&format!(
            "SELECT max(at) FROM (
                 SELECT max(changed_at) AS at FROM keys INDEXED BY keys_open WHERE closed_at IS NULL AND {FAILED}
                 UNION ALL SELECT max(changed_at) FROM keys INDEXED BY keys_dead WHERE status = 'dead')"
        ))
    }

    /// What the last day came to on which anything was proved or failed; none while there was no such day.
    pub fn last_outcome(&self) -> Result<Option<LastOutcome>, LedgerError> {
        let sql = format!(
            "SELECT report_date, max({FAILED}) FROM keys WHERE {DONE} OR {FAILED}
             GROUP BY report_date ORDER BY report_date DESC LIMIT 1"
        );
        let outcome = |row: &Row<'_>| Ok(LastOutcome { date: date(row, 0)?, failed: row.get(1)? });
        self.read(|connection| connection.query_row_cached(&sql, [], outcome).optional())
    }

    /// Date, subject and time of the last report of all.
    pub fn newest_report(&self) -> Result<Option<(NaiveDate, String, DateTime<Utc>)>, LedgerError> {
        let sql = "SELECT date, subject, rendered_at FROM reports ORDER BY date DESC, number DESC LIMIT 1";
        let report = |row: &Row<'_>| Ok((date(row, 0)?, row.get(1)?, unstamp(2, &row.get::<_, String>(2)?)?));
        self.read(|connection| connection.query_row_cached(sql, [], report).optional())
    }

    /// When each task, `site/task`, was last proved.
    pub fn verified_by_task(&self) -> Result<Vec<(String, DateTime<Utc>)>, LedgerError> {
        let sql = format!("SELECT site || '/' || task, max(closed_at) FROM keys WHERE {DONE} GROUP BY site, task");
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, unstamp(1, &row.get::<_, String>(1)?)?)))?;
            rows.collect()
        })
    }

    /// How the attempts of each task ended.
    pub fn attempts_by_task(&self) -> Result<Vec<AttemptCount>, LedgerError> {
        let sql = "SELECT k.site || '/' || k.task, ifnull(a.status, 'running'), count(*)
                   FROM attempts a JOIN keys k ON k.key = a.key GROUP BY 1, 2";
        let count = |row: &Row<'_>| {
            Ok(AttemptCount { task: row.get(0)?, status: row.get(1)?, count: row.get::<_, u32>(2)?.into() })
        };
        self.read(|connection| connection.prepare_cached(sql)?.query_map([], count)?.collect())
    }

    fn latest(&self, sql: &str) -> Result<Option<DateTime<Utc>>, LedgerError> {
        self.read(|connection| {
            let latest: Option<String> = connection.query_row_cached(sql, [], |row| row.get(0))?;
            latest.map(|text| unstamp(0, &text)).transpose()
        })
    }
}

fn date(row: &Row<'_>, column: usize) -> rusqlite::Result<NaiveDate> {
    parse(column, &format!("\"{}\"", row.get::<_, String>(column)?))
}

fn decision(row: &Row<'_>) -> rusqlite::Result<StoredDecision> {
    Ok(StoredDecision {
        key: Key::from_ledger(row.get(0)?),
        source: row.get(1)?,
        answer: row.get(2)?,
        first_at: unstamp(3, &row.get::<_, String>(3)?)?,
        last_at: unstamp(4, &row.get::<_, String>(4)?)?,
        count: row.get(5)?,
    })
}

fn day_status(row: &Row<'_>) -> rusqlite::Result<DayStatus> {
    Ok(DayStatus {
        date: date(row, 0)?,
        site: row.get(1)?,
        task: row.get(2)?,
        account: row.get(3)?,
        status: parse(4, &format!("\"{}\"", row.get::<_, String>(4)?))?,
        reason: row.get(5)?,
    })
}
