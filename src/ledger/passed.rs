//! Keys that nobody opened in their time: opened and closed in one write, however many there are.

use chrono::{DateTime, Utc};
use rusqlite::OptionalExtension;

use super::attempts::decided_in;
use super::keys::{append_in, open_in};
use super::stamp::{stamp, unstamp};
use super::store::Statements;
use super::{KeyRow, Ledger, LedgerError};
use crate::run::{Event, Source, Status, TaskRun};

impl Ledger {
    /// Opens and closes these keys, each for its reason. One that another runner has opened meanwhile is left to it.
    pub fn close_passed(
        &self,
        run: &str,
        keys: &[(KeyRow, String)],
        status: Status,
        at: DateTime<Utc>,
    ) -> Result<(), LedgerError> {
        if keys.is_empty() {
            return Ok(());
        }
        self.write(|transaction| {
            for (row, reason) in keys {
                let sql = "SELECT EXISTS (SELECT 1 FROM keys WHERE key = ?1)";
                if transaction.query_row_cached(sql, [row.key.as_str()], |row| row.get(0))? {
                    continue;
                }
                open_in(transaction, row, at)?;
                let event = Event::Closed { status, reason: reason.clone() };
                let state = TaskRun::over_as(status, Some(reason.clone()));
                append_in(transaction, run, &row.key, at, &event, &state)?;
                decided_in(transaction, &row.key, Source::CatchUp, &format!("{status}: {reason}"), at)?;
            }
            Ok(())
        })?;
        self.leave_mark()
    }

    /// When it was last looked, of all tasks, for slots that were passed.
    pub fn looked_for_passed(&self) -> Result<Option<DateTime<Utc>>, LedgerError> {
        self.read(|connection| {
            let sql = "SELECT value FROM meta WHERE name = 'looked_for_passed'";
            let at: Option<String> = connection.query_row_cached(sql, [], |row| row.get(0)).optional()?;
            at.map(|text| unstamp(0, &text)).transpose()
        })
    }

    /// Writes down that it was looked for them.
    pub fn note_look_for_passed(&self, at: DateTime<Utc>) -> Result<(), LedgerError> {
        self.write_lazily(|connection| {
            let sql = "INSERT OR REPLACE INTO meta (name, value) VALUES ('looked_for_passed', ?1)";
            connection.execute_cached(sql, [stamp(at)]).map(drop)
        })
    }
}
