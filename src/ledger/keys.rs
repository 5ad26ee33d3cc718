//! Keys and their events.

use chrono::{DateTime, NaiveDate, Utc};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::leases::is_newest;
use super::stamp::{json, parse, stamp, unstamp};
use super::store::Statements;
use super::{Lease, Ledger, LedgerError};
use crate::run::{Event, Key, Lane, Status, TaskRun};
use crate::timing::{Period, Window};

/// One key as it was planned.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyRow {
    /// The key.
    pub key: Key,
    /// Its lane.
    pub lane: Lane,
    /// The task's id within its site.
    pub task: String,
    /// The site's period, fixed when the key was opened.
    pub period: Period,
    /// The schedule's window, likewise.
    pub window: Window,
    /// The runner's date of its slot: the report it belongs to.
    pub report_date: NaiveDate,
}

/// One key with the state that its events fold to, as `status` and the report show it.
#[derive(Debug, Clone, PartialEq)]
pub struct StatusLine {
    /// The key.
    pub row: KeyRow,
    /// Its status.
    pub status: Status,
    /// Why.
    pub reason: Option<String>,
    /// Nothing happens before this.
    pub due: Option<DateTime<Utc>>,
    /// When its status last changed.
    pub changed_at: DateTime<Utc>,
    /// When it became final.
    pub closed_at: Option<DateTime<Utc>>,
}

const COLUMNS: &str =
    "key, site, account, task, period, window, report_date, status, reason, due, changed_at, closed_at";

impl Ledger {
    /// Opens a key. One that is there already keeps its period; the window, and the report it belongs to, are those of the
    /// last time it was looked at, until it is final: a week has several.
    pub fn open_key(&self, row: &KeyRow, at: DateTime<Utc>) -> Result<(), LedgerError> {
        // Most calls find it as it is, and need no writer.
        let known = self.read(|connection| {
            connection.query_row_cached(
                "SELECT EXISTS (SELECT 1 FROM keys WHERE key = ?1 AND (closed_at IS NOT NULL OR window = ?2))",
                params![row.key.as_str(), json(&row.window)?],
                |row| row.get(0),
            )
        })?;
        if known {
            return Ok(());
        }
        self.write_lazily(|transaction| open_in(transaction, row, at))
    }

    /// One key.
    pub fn key(&self, key: &Key) -> Result<Option<StatusLine>, LedgerError> {
        self.read(|connection| {
            connection
                .query_row_cached(&format!("SELECT {COLUMNS} FROM keys WHERE key = ?1"), [key.as_str()], status_line)
                .optional()
        })
    }

    /// Every key that is not final.
    pub fn open_keys(&self) -> Result<Vec<StatusLine>, LedgerError> {
        self.status_lines("INDEXED BY keys_open WHERE closed_at IS NULL ORDER BY opened_at, rowid", [])
    }

    /// The keys of a lane that are not final.
    pub fn open_keys_of(&self, lane: &Lane) -> Result<Vec<StatusLine>, LedgerError> {
        self.status_lines(
            "INDEXED BY keys_open WHERE closed_at IS NULL AND site = ?1 AND account = ?2 ORDER BY opened_at, rowid",
            [&lane.site, &lane.account],
        )
    }

    /// The keys that a day's report covers.
    pub fn keys_of(&self, date: NaiveDate) -> Result<Vec<StatusLine>, LedgerError> {
        self.status_lines("WHERE report_date = ?1 ORDER BY rowid", [date.to_string()])
    }

    /// The keys of earlier dates that came to an end since the last report before `date`.
    pub fn keys_ended_since_last_report(&self, date: NaiveDate) -> Result<Vec<StatusLine>, LedgerError> {
        self.status_lines(
            "INDEXED BY keys_closed WHERE report_date < ?1 AND closed_at > ifnull(
                 (SELECT rendered_at FROM reports INDEXED BY reports_rendered WHERE date < ?1
                  ORDER BY rendered_at DESC LIMIT 1), '') ORDER BY rowid",
            [date.to_string()],
        )
    }

    /// The last keys of a task and account, the newest first.
    pub fn last_keys_of(&self, lane: &Lane, task: &str, most: u32) -> Result<Vec<StatusLine>, LedgerError> {
        let condition = "site = ?1 AND account = ?2 AND task = ?3 ORDER BY rowid DESC LIMIT ?4";
        self.status_lines(condition, params![lane.site, lane.account, task, most])
    }

    /// The keys whose slot lay on the last such date that has any.
    pub fn last_date(&self) -> Result<Option<NaiveDate>, LedgerError> {
        self.read(|connection| {
            let last: Option<String> =
                connection.query_row_cached("SELECT max(report_date) FROM keys", [], |row| row.get(0))?;
            Ok(last.and_then(|text| text.parse().ok()))
        })
    }

    pub(super) fn status_lines(
        &self,
        which: &str,
        values: impl rusqlite::Params,
    ) -> Result<Vec<StatusLine>, LedgerError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM keys {which}"))?;
            statement.query_map(values, status_line)?.collect()
        })
    }

    /// The events of a key, oldest first.
    pub fn events(&self, key: &Key) -> Result<Vec<(DateTime<Utc>, Event)>, LedgerError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT at, data FROM events WHERE key = ?1 ORDER BY seq")?;
            let rows = statement.query_map([key.as_str()], |row| {
                Ok((unstamp(0, &row.get::<_, String>(0)?)?, parse(1, &row.get::<_, String>(1)?)?))
            })?;
            rows.collect()
        })
    }

    /// When the last event of a key was written.
    pub fn last_event_at(&self, key: &Key) -> Result<Option<DateTime<Utc>>, LedgerError> {
        self.read(|connection| {
            let sql = "SELECT at FROM events WHERE key = ?1 ORDER BY seq DESC LIMIT 1";
            let at = |row: &rusqlite::Row<'_>| unstamp(0, &row.get::<_, String>(0)?);
            connection.query_row_cached(sql, [key.as_str()], at).optional()
        })
    }

    /// Appends an event, with the state that it leads to. Where the key rests in it, it is durable afterwards; what is on
    /// the way becomes so with the next intent or outcome.
    pub fn append(
        &self,
        run: &str,
        key: &Key,
        at: DateTime<Utc>,
        event: &Event,
        after: &TaskRun,
    ) -> Result<(), LedgerError> {
        let append = |transaction: &Connection| append_in(transaction, run, key, at, event, after);
        if after.status == Status::Running {
            self.write_lazily(append)?
        } else {
            self.write(append)?
        }
        if after.status.is_final() { self.leave_mark() } else { Ok(()) }
    }

    /// Appends an event of a lane's runner while its lease is still the lane's newest; false, and nothing, when another
    /// runner has taken the lane over.
    pub fn append_under(
        &self,
        lease: &Lease,
        run: &str,
        key: &Key,
        at: DateTime<Utc>,
        event: &Event,
        after: &TaskRun,
    ) -> Result<bool, LedgerError> {
        let append = |transaction: &Connection| {
            let ours = is_newest(transaction, lease)?;
            if ours {
                append_in(transaction, run, key, at, event, after)?;
            }
            Ok(ours)
        };
        let ours = if after.status == Status::Running { self.write_lazily(append)? } else { self.write(append)? };
        if after.status.is_final() {
            self.leave_mark()?;
        }
        Ok(ours)
    }

    /// The latest time on record: no clock may show less. It is kept by itself, because a clock that was set back writes
    /// lines of earlier times behind it.
    pub fn high_water(&self) -> Result<Option<DateTime<Utc>>, LedgerError> {
        self.read(|connection| {
            let latest: Option<String> = connection
                .query_row_cached("SELECT value FROM meta WHERE name = 'high_water'", [], |row| row.get(0))
                .optional()?;
            latest.map(|text| unstamp(0, &text)).transpose()
        })
    }
}

/// Opens a key inside a transaction, or gives an open one its window; a final one stays as it is.
pub(super) fn open_in(transaction: &Connection, row: &KeyRow, at: DateTime<Utc>) -> rusqlite::Result<()> {
    transaction.execute_cached(
        "INSERT INTO keys (key, site, task, account, period, window, report_date, status, opened_at, changed_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9)
         ON CONFLICT (key) DO UPDATE SET window = excluded.window, report_date = excluded.report_date
             WHERE closed_at IS NULL AND window <> excluded.window",
        params![
            row.key.as_str(),
            row.lane.site,
            row.task,
            row.lane.account,
            json(&row.period)?,
            json(&row.window)?,
            row.report_date.to_string(),
            Status::Pending.word(),
            stamp(at)
        ],
    )?;
    Ok(())
}

/// Appends an event inside a transaction.
pub(super) fn append_in(
    transaction: &Connection,
    run: &str,
    key: &Key,
    at: DateTime<Utc>,
    event: &Event,
    after: &TaskRun,
) -> rusqlite::Result<()> {
    transaction.execute_cached(
        "INSERT INTO events (at, run, key, kind, data) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![stamp(at), run, key.as_str(), event.word(), json(event)?],
    )?;
    raise_high_water(transaction, at)?;
    project(transaction, key, at, after)
}

/// No clock may show less than this from now on.
pub(super) fn raise_high_water(connection: &Connection, at: DateTime<Utc>) -> rusqlite::Result<()> {
    connection.execute_cached(
        "INSERT INTO meta (name, value) VALUES ('high_water', ?1)
         ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)",
        [stamp(at)],
    )?;
    Ok(())
}

/// Keeps the row of a key in step with its state.
fn project(connection: &Connection, key: &Key, at: DateTime<Utc>, after: &TaskRun) -> rusqlite::Result<()> {
    connection.execute_cached(
        "UPDATE keys SET
             changed_at = CASE WHEN status = ?2 THEN changed_at ELSE ?5 END,
             status = ?2, reason = ?3, due = ?4,
             closed_at = CASE WHEN ?6 THEN ifnull(closed_at, ?5) END
         WHERE key = ?1",
        params![
            key.as_str(),
            after.status.word(),
            after.reason,
            after.due.map(stamp),
            stamp(at),
            after.status.is_final()
        ],
    )?;
    Ok(())
}

fn status_line(row: &Row<'_>) -> rusqlite::Result<StatusLine> {
    let text = |column: usize| row.get::<_, String>(column);
    let time = |column: usize| -> rusqlite::Result<Option<DateTime<Utc>>> {
        row.get::<_, Option<String>>(column)?.map(|text| unstamp(column, &text)).transpose()
    };
    Ok(StatusLine {
        row: KeyRow {
            key: Key::from_ledger(text(0)?),
            lane: Lane { site: text(1)?, account: text(2)? },
            task: text(3)?,
            period: parse(4, &text(4)?)?,
            window: parse(5, &text(5)?)?,
            report_date: parse(6, &format!("\"{}\"", text(6)?))?,
        },
        status: parse(7, &format!("\"{}\"", text(7)?))?,
        reason: row.get(8)?,
        due: time(9)?,
        changed_at: unstamp(10, &text(10)?)?,
        closed_at: time(11)?,
    })
}
