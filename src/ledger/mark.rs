//! The mark: which ledger worked here last, and how far it was. It lies beside the browser profiles, so that a ledger
//! that is put back from a copy, or comes from elsewhere, is told from the one that these browsers were used with.
//!
//! It is written after the ledger: a crash between the two leaves a mark that lags, which is nothing; only a ledger that
//! is *behind* its mark has lost lines. For the same reason it need not wait for the disk.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension};
use serde::{Deserialize, Serialize};

use super::stamp::unstamp;
use super::store::Statements;

/// How far a ledger is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mark {
    /// Its id.
    pub ledger: String,
    /// The number of its last line.
    pub lines: i64,
    /// The latest time on record.
    pub latest: Option<DateTime<Utc>>,
}

impl Mark {
    /// Where the mark of this data folder lies.
    pub fn file(data: &Path) -> PathBuf {
        data.join("profiles").join("ledger.mark")
    }

    /// The mark that was left; none when there is none, or none that can be understood: profiles may be removed.
    pub fn read(file: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(file).ok()?).ok()
    }

    /// How far this ledger is.
    pub fn of(connection: &Connection) -> rusqlite::Result<Self> {
        let meta = |name: &str| {
            let sql = "SELECT value FROM meta WHERE name = ?1";
            connection.query_row_cached(sql, [name], |row| row.get::<_, String>(0)).optional()
        };
        Ok(Mark {
            ledger: meta("id")?.unwrap_or_default(),
            lines: connection.query_row_cached("SELECT ifnull(max(seq), 0) FROM events", [], |row| row.get(0))?,
            latest: meta("high_water")?.map(|text| unstamp(0, &text)).transpose()?,
        })
    }

    /// Leaves it, whole or not at all.
    pub fn write(&self, file: &Path) -> std::io::Result<()> {
        let folder = file.parent().unwrap_or(Path::new("."));
        super::place::private_folder(folder)?;
        let mut fresh = tempfile::NamedTempFile::new_in(folder)?;
        fresh.write_all(&serde_json::to_vec(self)?)?;
        fresh.persist(file)?;
        Ok(())
    }

    /// Leaves it where the one that is there lags: of two runs at once the other may be further.
    pub fn advance(&self, file: &Path) -> std::io::Result<()> {
        match Mark::read(file) {
            Some(there) if there.ledger == self.ledger && there.lines >= self.lines => Ok(()),
            _ => self.write(file),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_only_goes_forward_and_a_broken_one_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let file = Mark::file(folder.path());
        let mark = |lines| Mark { ledger: "a".into(), lines, latest: None };
        assert_eq!(Mark::read(&file), None);
        mark(5).advance(&file).unwrap();
        mark(3).advance(&file).unwrap();
        assert_eq!(Mark::read(&file), Some(mark(5)));
        mark(3).write(&file).unwrap();
        assert_eq!(Mark::read(&file), Some(mark(3)));
        for broken in ["", "{", "{}", "[1]", "\0\0\0\0"] {
            fs::write(&file, broken).unwrap();
            assert_eq!(Mark::read(&file), None, "{broken:?}");
        }
        let entries = fs::read_dir(file.parent().unwrap()).unwrap().count();
        assert_eq!(entries, 1, "no half-written file is left");
    }
}
