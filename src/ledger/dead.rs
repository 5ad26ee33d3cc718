//! Dead letters: keys that ended as `dead`, until a person has taken note of them or ordered them to go on.

use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension, params};

use super::stamp::stamp;
use super::store::Statements;
use super::{Ledger, LedgerError, StatusLine};
use crate::run::Key;

/// Nobody has taken note of it since it died.
const UNKNOWN: &str = "status = 'dead' AND NOT EXISTS
    (SELECT 1 FROM acknowledgements a WHERE a.key = keys.key AND a.at >= keys.closed_at)";

impl Ledger {
    /// The keys that are dead and that nobody has taken note of, oldest first.
    pub fn dead_letters(&self) -> Result<Vec<StatusLine>, LedgerError> {
        self.status_lines(&format!("WHERE {UNKNOWN} ORDER BY closed_at, rowid"), [])
    }

    /// A person has taken note of a dead key. False when it is none, or when somebody has done so already.
    pub fn acknowledge(&self, key: &Key, by: &str, at: DateTime<Utc>) -> Result<bool, LedgerError> {
        self.write(|transaction| {
            let sql = format!("SELECT closed_at FROM keys WHERE key = ?1 AND {UNKNOWN}");
            let died: Option<String> =
                transaction.query_row_cached(&sql, [key.as_str()], |row| row.get(0)).optional()?;
            let Some(died) = died else { return Ok(false) };
            // A clock that was set back since then must not make it unheard.
            transaction.execute_cached(
                "INSERT INTO acknowledgements (key, at, by) VALUES (?1, max(?2, ?3), ?4)",
                params![key.as_str(), stamp(at), died, by],
            )?;
            Ok(true)
        })
    }
}
