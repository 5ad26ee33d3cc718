//! Looking at every page of the file. It takes seconds for each gigabyte: at once where there is a reason to doubt the file,
//! and every week all the same, when a run has done its work.

use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::{Connection, OptionalExtension};

use super::stamp::{stamp, unstamp};
use super::{Ledger, LedgerError};

/// A ledger that was checked is trusted for so long, if its runs end well.
const TRUSTED: TimeDelta = TimeDelta::days(7);

impl Ledger {
    /// At the end of a run: checks the file when that was not done for a week. What is wrong with it is left for the next
    /// opening, which looks again and sets it aside.
    pub fn check_if_due(&self, now: DateTime<Utc>) -> Result<(), LedgerError> {
        if !self.read(|connection| is_due(connection, now))? {
            return Ok(());
        }
        let fault = match self.read(quick_check) {
            Ok(None) => return self.write_lazily(|transaction| checked(transaction, now)),
            Ok(Some(fault)) | Err(LedgerError::Damaged { reason: fault, .. }) => fault,
            Err(error) => return Err(error),
        };
        tracing::error!("the ledger {} is damaged: {fault}; the next run sets it aside", self.path().display());
        self.suspect();
        Ok(())
    }

    /// Leaves word that the next opening shall look closely.
    pub(super) fn suspect(&self) {
        let _ = std::fs::write(suspect_file(self.path()), "");
    }
}

/// Where a run leaves word that the ledger is to be checked.
pub(super) fn suspect_file(ledger: &Path) -> PathBuf {
    ledger.with_extension("suspect")
}

fn is_due(connection: &Connection, now: DateTime<Utc>) -> rusqlite::Result<bool> {
    let sql = "SELECT value FROM meta WHERE name = 'checked_at'";
    let checked: Option<String> = connection.query_row(sql, [], |row| row.get(0)).optional()?;
    let checked = checked.and_then(|text| unstamp(0, &text).ok());
    // One of the future is of a clock that was wrong.
    Ok(checked.is_none_or(|checked| !(checked..checked + TRUSTED).contains(&now)))
}

/// Writes down that all was looked at.
pub(super) fn checked(connection: &Connection, now: DateTime<Utc>) -> rusqlite::Result<()> {
    connection.execute("INSERT OR REPLACE INTO meta (name, value) VALUES ('checked_at', ?1)", [stamp(now)])?;
    Ok(())
}

/// What SQLite finds wrong with the file, if anything: the first fault.
pub(super) fn quick_check(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let said: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    Ok((said != "ok").then(|| said.lines().last().unwrap_or_default().to_owned()))
}
