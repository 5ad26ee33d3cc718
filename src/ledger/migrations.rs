//! The versions of the ledger, each a step from the one before. A new ledger takes all of them, an old one those it lacks,
//! in one transaction, after a copy of it was kept.

use std::fs;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::place::beside;

/// What leads to each version from the one before. A released step is never changed.
pub(super) const STEPS: [&str; 4] = [
    include_str!("schema/v1.sql"),
    include_str!("schema/v2.sql"),
    include_str!("schema/v3.sql"),
    include_str!("schema/v4.sql"),
];

/// The version that this program writes; `PRAGMA user_version` of a ledger.
pub(super) const VERSION: i64 = STEPS.len() as i64;

/// The version of this ledger; 0 for an empty database.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Takes the steps that are missing, all of them or none.
pub(super) fn migrate(connection: &Connection) -> rusqlite::Result<()> {
    if version(connection)? == VERSION {
        return Ok(());
    }
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    let taken = usize::try_from(version(&transaction)?).unwrap_or_default();
    for step in STEPS.iter().skip(taken) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()
}

/// Keeps a whole copy of the ledger beside it, what still stands in its write-ahead file included.
pub(super) fn keep_copy(connection: &Connection, ledger: &Path, now: DateTime<Utc>) -> rusqlite::Result<PathBuf> {
    // Half of a copy, from a try that was cut off, is nothing that anybody would want back.
    let part = beside(ledger, ".part");
    let _ = fs::remove_file(&part);
    let copied = connection.execute("VACUUM INTO ?1", [part.to_string_lossy()]);
    let version = version(connection)?;
    let kept = super::aside::free_name(ledger, &format!("version-{version}"), now);
    let moved = copied.and_then(|_| {
        fs::rename(&part, &kept).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
    });
    if moved.is_err() {
        let _ = fs::remove_file(&part);
    }
    moved.map(|()| kept)
}
