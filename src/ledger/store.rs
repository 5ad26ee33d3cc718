//! The open ledger: its connection, its transactions, and how they reach the disk.

use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, Utc};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Params, Row};

use super::LedgerError;
use super::examine::{Examiner, STUMP};
use super::gate::Gate;
use super::mark::Mark;
use super::migrations::{VERSION, version};
use super::place::{has_content, is_stump, ledger_file, private_folder, refuse_network};
use crate::clock::{Clock, SystemClock};

/// How long a statement waits for another process's write.
pub(super) const BUSY: Duration = Duration::from_secs(10);

/// Statements are prepared once for each connection: a run asks the same few over and over, and preparing one takes longer
/// than running it.
pub(super) trait Statements {
    /// Runs a statement. How many rows it changed.
    fn execute_cached(&self, sql: &str, values: impl Params) -> rusqlite::Result<usize>;

    /// The one row of a query.
    fn query_row_cached<T>(
        &self,
        sql: &str,
        values: impl Params,
        row: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T>;
}

impl Statements for Connection {
    fn execute_cached(&self, sql: &str, values: impl Params) -> rusqlite::Result<usize> {
        self.prepare_cached(sql)?.execute(values)
    }

    fn query_row_cached<T>(
        &self,
        sql: &str,
        values: impl Params,
        row: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        self.prepare_cached(sql)?.query_row(values, row)
    }
}

/// More statements than the ledger has.
const STATEMENTS: usize = 64;

/// The ledger of one data folder.
#[derive(Debug)]
pub struct Ledger {
    pub(super) connection: Connection,
    path: PathBuf,
    /// Writes wait for the disk; not so in simulations.
    durable: bool,
    /// The mark beside the browser profiles.
    mark: PathBuf,
    // Given back after the connection is closed: the fields go in this order.
    _gate: Option<Gate>,
}

impl Ledger {
    /// Opens the ledger in this data folder, makes it when there is none, and checks that it can be written. A damaged one is
    /// set aside, an old one migrated, one that is not the last that worked here is known from then on ([`Ledger::losses`]).
    pub fn open(data: &Path) -> Result<Self, LedgerError> {
        Self::open_at(data, SystemClock::new().now())
    }

    /// The same at this time.
    pub fn open_at(data: &Path, now: DateTime<Utc>) -> Result<Self, LedgerError> {
        Self::open_within(data, now, BUSY)
    }

    /// The same, with so much patience for whoever holds a lock.
    pub(super) fn open_within(data: &Path, now: DateTime<Utc>, patience: Duration) -> Result<Self, LedgerError> {
        let path = ledger_file(data);
        private_folder(data).map_err(|error| LedgerError::of_io(&path, &error))?;
        refuse_network(data)?;
        let lock = lock_file(data);
        if let Some(_alone) = Gate::alone(&lock, &path)? {
            Examiner { data, now, patience }.examine()?;
        }
        let gate = Gate::beside_others(&lock, &path, patience)?;
        let connection = Connection::open(&path).map_err(|error| LedgerError::of(&path, error))?;
        refuse_read_only(&connection, &path)?;
        let ledger = Ledger { connection, path, durable: true, mark: Mark::file(data), _gate: Some(gate) };
        prepare(&ledger.connection, patience).map_err(|error| ledger.error(error))?;
        match version(&ledger.connection).map_err(|error| ledger.error(error))? {
            VERSION => {}
            found if found > VERSION => return Err(LedgerError::TooNew { path: ledger.path, found }),
            // Whoever is in there has not migrated it: an older Sunup.
            _ => return Err(LedgerError::of(&ledger.path, busy())),
        }
        ledger.write(|_| Ok(()))?;
        Ok(ledger)
    }

    /// The same without waiting for the disk, and without another process in view: for simulations, whose runners share this
    /// connection, and whose crashes fall between transactions.
    pub fn open_for_simulation(data: &Path) -> Result<Self, LedgerError> {
        let mut ledger = Self::open(data)?;
        ledger.durable = false;
        ledger.synchronous("OFF")?;
        for (name, value) in [("locking_mode", "EXCLUSIVE"), ("journal_mode", "MEMORY")] {
            ledger.connection.pragma_update(None, name, value).map_err(|error| ledger.error(error))?;
        }
        Ok(ledger)
    }

    /// Opens an existing ledger for reading only; none when there is no ledger yet. One of an older version is migrated.
    pub fn open_to_read(data: &Path) -> Result<Option<Self>, LedgerError> {
        let path = ledger_file(data);
        if !has_content(&path) {
            return Ok(None);
        }
        if is_stump(&path) {
            return Err(LedgerError::Damaged { path, reason: STUMP.to_owned() });
        }
        // Who cannot take the lock (a disk that is read-only) reads all the same.
        let gate = Gate::beside_others(&lock_file(data), &path, BUSY).ok();
        // Read-write, because a reader of a WAL must be able to recover it after a crash.
        let connection = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_WRITE)
            .or_else(|_| Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY))
            .map_err(|error| LedgerError::of(&path, error))?;
        let ledger = Ledger { connection, path, durable: true, mark: Mark::file(data), _gate: gate };
        ledger.read(|connection| {
            connection.busy_timeout(BUSY)?;
            // What a killed run left in the write-ahead file stays there: the next run checks before it takes it in.
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        })?;
        let tables = "SELECT count(*) FROM sqlite_schema";
        ledger.read(|connection| connection.query_row(tables, [], |row| row.get::<_, i64>(0)))?;
        match ledger.read(version)? {
            VERSION => Ok(Some(ledger)),
            0 => Ok(None),
            found if found > VERSION => Err(LedgerError::TooNew { path: ledger.path, found }),
            _ => {
                drop(ledger);
                Self::open(data).map(Some)
            }
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The data folder that it is in.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    /// Runs this in one write transaction.
    pub(super) fn write<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, LedgerError> {
        let run = || {
            let writing = Writing::begin(&self.connection)?;
            let answer = work(&self.connection)?;
            writing.commit()?;
            Ok(answer)
        };
        run().map_err(|error| self.error(error))
    }

    /// The same without waiting for the disk, for what a power cut may take back: who looked when, and how far an attempt
    /// came before its intent. The next [`Ledger::write`] makes it durable as well. A crash of the process loses nothing.
    pub(super) fn write_lazily<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, LedgerError> {
        if !self.durable {
            return self.write(work);
        }
        self.synchronous("NORMAL")?;
        let answer = self.write(work);
        self.synchronous("FULL")?;
        answer
    }

    fn synchronous(&self, level: &str) -> Result<(), LedgerError> {
        self.connection.pragma_update(None, "synchronous", level).map_err(|error| self.error(error))
    }

    /// Leaves the mark of how far the ledger is, beside the browser profiles. Called after what must not be lost unnoticed, an
    /// intent or an end, is on disk.
    pub(super) fn leave_mark(&self) -> Result<(), LedgerError> {
        if self.durable {
            let mark = self.read(Mark::of)?;
            if let Err(error) = mark.advance(&self.mark) {
                // A mark that lags recognises fewer copies; no reason to stop a morning.
                tracing::warn!("the mark {} cannot be written: {error}", self.mark.display());
            }
        }
        Ok(())
    }

    /// Runs this as a read.
    pub(super) fn read<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, LedgerError> {
        work(&self.connection).map_err(|error| self.error(error))
    }

    fn error(&self, error: rusqlite::Error) -> LedgerError {
        let error = LedgerError::of(&self.path, error);
        if matches!(error, LedgerError::Damaged { .. }) {
            // The next opening looks closely.
            self.suspect();
        }
        error
    }
}

/// A write transaction, with statements that are prepared once. It is taken back where it is dropped before its end.
struct Writing<'c>(&'c Connection);

impl<'c> Writing<'c> {
    /// Starts as a writer, so that it waits for others instead of failing half-way.
    fn begin(connection: &'c Connection) -> rusqlite::Result<Self> {
        connection.execute_cached("BEGIN IMMEDIATE", [])?;
        Ok(Writing(connection))
    }

    fn commit(self) -> rusqlite::Result<()> {
        self.0.execute_cached("COMMIT", []).map(drop)
    }
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        if !self.0.is_autocommit() {
            // Where this fails, too, SQLite takes it back when the connection is closed.
            let _ = self.0.execute_batch("ROLLBACK");
        }
    }
}

/// The settings of a connection.
pub(super) fn prepare(connection: &Connection, patience: Duration) -> rusqlite::Result<()> {
    connection.busy_timeout(patience)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // A plan does not depend on the values: else SQLite prepares a statement again for each value where an index is partial.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)
}

/// SQLite opens a file that may not be written all the same, and even begins a write in it; only the first change fails.
pub(super) fn refuse_read_only(connection: &Connection, path: &Path) -> Result<(), LedgerError> {
    match connection.is_readonly("main") {
        Ok(false) => Ok(()),
        Ok(true) => {
            Err(LedgerError::NotWritable { path: path.to_path_buf(), reason: "the file is read-only".to_owned() })
        }
        Err(error) => Err(LedgerError::of(path, error)),
    }
}

/// Held by whoever has the ledger open.
fn lock_file(data: &Path) -> PathBuf {
    data.join("ledger.lock")
}

fn busy() -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(connection: &Connection) -> rusqlite::Result<i64> {
        connection.query_row("PRAGMA synchronous", [], |row| row.get(0))
    }

    #[test]
    fn writes_wait_for_the_disk_but_for_the_lazy_ones_and_those_of_simulations() {
        let (off, normal, full) = (0, 1, 2);
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::open(folder.path()).unwrap();
        assert_eq!(ledger.write(level).unwrap(), full);
        assert_eq!(ledger.write_lazily(level).unwrap(), normal);
        assert_eq!(ledger.write(level).unwrap(), full);
        assert!(ledger.write_lazily(|transaction| transaction.execute("no such statement", [])).is_err());
        assert_eq!(ledger.write(level).unwrap(), full, "after one that failed");
        drop(ledger);
        let simulated = Ledger::open_for_simulation(folder.path()).unwrap();
        assert_eq!(simulated.write_lazily(level).unwrap(), off);
        assert_eq!(simulated.write(level).unwrap(), off);
    }
}
