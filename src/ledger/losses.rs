//! Losses: the moments at which lines of the ledger turned out to be missing. What was done on the sites before such a
//! moment may not be on record.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, Row, params};
use serde::{Deserialize, Serialize};

use super::stamp::{parse, stamp, unstamp};
use super::store::Statements;
use super::{Ledger, LedgerError};

/// How lines were lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LossKind {
    /// The ledger was damaged; it was set aside, and a new one begun.
    Damaged,
    /// The ledger was gone, although browser profiles that were used with one are there; a new one was begun.
    Gone,
    /// The ledger is an older copy of the one that worked here last.
    OlderCopy,
    /// The ledger is another one than that which worked here last.
    Another,
}

impl LossKind {
    /// The word in the ledger, in reports and in JSON.
    pub fn word(self) -> &'static str {
        match self {
            LossKind::Damaged => "damaged",
            LossKind::Gone => "gone",
            LossKind::OlderCopy => "older_copy",
            LossKind::Another => "another",
        }
    }
}

/// One such moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// Its number; a later one has a higher one.
    pub id: i64,
    /// When it was found. What began before may have been done already.
    pub found_at: DateTime<Utc>,
    /// How.
    pub kind: LossKind,
    /// The last time on record in what was left.
    pub known_to: Option<DateTime<Utc>>,
    /// What was seen.
    pub reason: String,
    /// The name of the file that was set aside.
    pub kept: Option<String>,
}

/// A loss that was found and is still to be written down.
#[derive(Debug, Clone)]
pub(super) struct NewLoss {
    pub kind: LossKind,
    pub known_to: Option<DateTime<Utc>>,
    pub reason: String,
    pub kept: Option<String>,
}

impl Ledger {
    /// Every loss, oldest first.
    pub fn losses(&self) -> Result<Vec<Loss>, LedgerError> {
        self.read(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT id, found_at, kind, known_to, reason, kept FROM losses ORDER BY id")?;
            statement.query_map([], loss)?.collect()
        })
    }

    /// The losses that no report has told of yet.
    pub fn untold_losses(&self) -> Result<Vec<Loss>, LedgerError> {
        let last: Option<DateTime<Utc>> = self.read(|connection| {
            let last = connection.query_row_cached("SELECT max(rendered_at) FROM reports", [], |row| row.get(0));
            last.and_then(|text: Option<String>| text.map(|text| unstamp(0, &text)).transpose())
        })?;
        let mut losses = self.losses()?;
        losses.retain(|loss| last.is_none_or(|last| last < loss.found_at));
        Ok(losses)
    }
}

/// Writes a loss down. The ledger gets another id with it: if the lost one turns up again, it is known to be another.
/// `least` is a time that no clock may show less than, whatever the ledger that is left says.
pub(super) fn write_down(
    connection: &Connection,
    new: &NewLoss,
    found_at: DateTime<Utc>,
    least: Option<DateTime<Utc>>,
) -> rusqlite::Result<()> {
    connection.execute(
        "INSERT INTO losses (found_at, kind, known_to, reason, kept) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![stamp(found_at), new.kind.word(), new.known_to.map(stamp), new.reason, new.kept],
    )?;
    connection.execute("UPDATE meta SET value = lower(hex(randomblob(16))) WHERE name = 'id'", [])?;
    if let Some(least) = least {
        super::keys::raise_high_water(connection, least)?;
    }
    Ok(())
}

fn loss(row: &Row<'_>) -> rusqlite::Result<Loss> {
    let known_to: Option<String> = row.get(3)?;
    Ok(Loss {
        id: row.get(0)?,
        found_at: unstamp(1, &row.get::<_, String>(1)?)?,
        kind: parse(2, &format!("\"{}\"", row.get::<_, String>(2)?))?,
        known_to: known_to.map(|text| unstamp(3, &text)).transpose()?,
        reason: row.get(4)?,
        kept: row.get(5)?,
    })
}
