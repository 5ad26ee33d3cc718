//! Keys that nobody opened in their time: opened and closed in one write, however many there are.

use chrono::{DateTime, Utc};

use super::attempts::decided_in;
use super::keys::{append_in, open_in};
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
}
