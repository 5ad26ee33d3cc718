//! Opening the ledger: the file, its settings, its version.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Params, Row, Transaction, TransactionBehavior};

/// The version of `schema.sql`; `PRAGMA user_version` of a ledger.
const VERSION: i64 = 1;

/// How long a statement waits for another process's write.
const BUSY: Duration = Duration::from_secs(10);

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
}

/// Why the ledger cannot be used, for a person.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The folder or the file cannot be written.
    #[error(
        "the ledger {path} cannot be written ({reason}): check the folder's owner and mode, or choose another with --data"
    )]
    NotWritable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// No room.
    #[error("the disk that holds the ledger {0} is full: make room, then run again; nothing was lost")]
    Full(PathBuf),
    /// Not a ledger, or damaged.
    #[error(
        "the ledger {path} is damaged ({reason}): move it aside, keep it, and run again; the day is then rebuilt by reading the sites"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        reason: String,
    },
    /// Written by a newer Sunup.
    #[error(
        "the ledger {path} has version {found}, and this program knows {VERSION}: use the newer Sunup that wrote it"
    )]
    TooNew {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
    },
    /// Another process keeps writing.
    #[error("the ledger {0} has been locked by another program for 10 seconds: close what has it open, and run again")]
    Locked(PathBuf),
    /// Anything else that SQLite says.
    #[error("the ledger {path} failed: {source}")]
    Other {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
}

impl LedgerError {
    fn of(path: &Path, error: rusqlite::Error) -> Self {
        let path = path.to_path_buf();
        let reason = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => LedgerError::Full(path),
            Some(
                ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::SystemIoFailure,
            ) => LedgerError::NotWritable { path, reason },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => LedgerError::Damaged { path, reason },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => LedgerError::Locked(path),
            _ => LedgerError::Other { path, source: error },
        }
    }
}

impl Ledger {
    /// Opens the ledger in this data folder, makes it when there is none, and checks that it can be written.
    pub fn open(data: &Path) -> Result<Self, LedgerError> {
        let path = data.join("ledger.db");
        private_folder(data)
            .map_err(|error| LedgerError::NotWritable { path: path.clone(), reason: error.to_string() })?;
        let connection = Connection::open(&path).map_err(|error| LedgerError::of(&path, error))?;
        let ledger = Ledger { connection, path, durable: true };
        ledger.prepare().map_err(|error| ledger.error(error))?;
        match ledger.version().map_err(|error| ledger.error(error))? {
            0 => ledger.create().map_err(|error| ledger.error(error))?,
            VERSION => {}
            found => return Err(LedgerError::TooNew { path: ledger.path, found }),
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

    /// Opens an existing ledger for reading only; none when there is no ledger yet.
    pub fn open_to_read(data: &Path) -> Result<Option<Self>, LedgerError> {
        let path = data.join("ledger.db");
        if !path.exists() {
            return Ok(None);
        }
        // Read-write, because a reader of a WAL must be able to recover it after a crash.
        let connection = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_WRITE)
            .or_else(|_| Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY))
            .map_err(|error| LedgerError::of(&path, error))?;
        let ledger = Ledger { connection, path, durable: true };
        ledger.connection.busy_timeout(BUSY).map_err(|error| ledger.error(error))?;
        match ledger.version().map_err(|error| ledger.error(error))? {
            VERSION => Ok(Some(ledger)),
            0 => Ok(None),
            found => Err(LedgerError::TooNew { path: ledger.path, found }),
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn prepare(&self) -> rusqlite::Result<()> {
        self.connection.busy_timeout(BUSY)?;
        self.connection.set_prepared_statement_cache_capacity(STATEMENTS);
        // A plan does not depend on the values: else SQLite prepares a statement again for each value where an index is partial.
        self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        self.connection.pragma_update(None, "journal_mode", "WAL")?;
        self.connection.pragma_update(None, "synchronous", "FULL")?;
        self.connection.pragma_update(None, "foreign_keys", true)
    }

    fn version(&self) -> rusqlite::Result<i64> {
        self.connection.query_row("PRAGMA user_version", [], |row| row.get(0))
    }

    fn create(&self) -> rusqlite::Result<()> {
        let transaction = self.begin()?;
        // Two first runs at once: the second finds it made.
        let version: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if version == 0 {
            transaction.execute_batch(include_str!("schema.sql"))?;
            transaction.pragma_update(None, "user_version", VERSION)?;
        }
        transaction.commit()
    }

    /// A transaction that starts as a writer, so that it waits for others instead of failing half-way.
    fn begin(&self) -> rusqlite::Result<Transaction<'_>> {
        Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)
    }

    /// Runs this in one write transaction.
    pub(super) fn write<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, LedgerError> {
        let run = || {
            let transaction = self.begin()?;
            let answer = work(&transaction)?;
            transaction.commit()?;
            Ok(answer)
        };
        run().map_err(|error| self.error(error))
    }

    /// The same without waiting for the disk, for what a power cut may take back: who looked when, and how far an attempt
    /// came before its intent. The next [`Ledger::write`] makes it durable as well. A crash of the process loses nothing.
    pub(super) fn write_lazily<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
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

    /// Runs this as a read.
    pub(super) fn read<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, LedgerError> {
        work(&self.connection).map_err(|error| self.error(error))
    }

    fn error(&self, error: rusqlite::Error) -> LedgerError {
        LedgerError::of(&self.path, error)
    }
}

/// Makes a folder that only its owner can enter.
fn private_folder(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
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
        assert_eq!(ledger.write(|transaction| level(transaction)).unwrap(), full);
        assert_eq!(ledger.write_lazily(|transaction| level(transaction)).unwrap(), normal);
        assert_eq!(ledger.write(|transaction| level(transaction)).unwrap(), full);
        assert!(ledger.write_lazily(|transaction| transaction.execute("no such statement", [])).is_err());
        assert_eq!(ledger.write(|transaction| level(transaction)).unwrap(), full, "after one that failed");
        // A simulated one has its file for itself.
        let folder = tempfile::tempdir().unwrap();
        let simulated = Ledger::open_for_simulation(folder.path()).unwrap();
        assert_eq!(simulated.write_lazily(|transaction| level(transaction)).unwrap(), off);
        assert_eq!(simulated.write(|transaction| level(transaction)).unwrap(), off);
    }
}
