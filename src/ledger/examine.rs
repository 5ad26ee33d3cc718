//! What is done with the ledger before it is opened, by whoever is alone with it: is it there, whole, ours, and the one
//! that worked here last? What is damaged is set aside, what is old is migrated, what was lost is written down.

use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, Utc};
use rusqlite::Connection;
use rusqlite::config::DbConfig;

use super::check::{self, quick_check, suspect_file};
use super::losses::{LossKind, NewLoss, write_down};
use super::mark::Mark;
use super::place::{beside, has_content, is_stump, ledger_file};
use super::{LedgerError, aside, migrations};

/// What is said of a file that holds less than the beginning of a database.
pub(super) const STUMP: &str = "only its first bytes are left";

/// The ledger of a data folder, while nobody else has it open.
pub(super) struct Examiner<'a> {
    pub data: &'a Path,
    pub now: DateTime<Utc>,
    pub patience: Duration,
}

/// What the file turned out to be.
enum Found {
    /// Nothing, or a database without anything in it.
    Nothing(Connection),
    /// A ledger, perhaps of an older version; checked where there was a reason to.
    Ledger { connection: Connection, checked: bool },
    /// Damaged, and why.
    Damaged(String),
}

impl Examiner<'_> {
    /// Leaves a whole ledger of this version, or says why there is none.
    pub fn examine(&self) -> Result<(), LedgerError> {
        let mark = Mark::read(&self.mark_file());
        let (connection, loss, checked) = match self.look()? {
            Found::Ledger { connection, checked } => {
                self.migrate(&connection)?;
                let loss = self.compare(&connection, mark.as_ref())?;
                (connection, loss, checked)
            }
            Found::Nothing(connection) => {
                let reason = "there was none, and browser profiles that were used with one";
                let loss = mark.as_ref().map(|_| new_loss(LossKind::Gone, reason, None, None));
                (connection, loss, true)
            }
            Found::Damaged(reason) => {
                let kept = self.set_aside(&reason)?;
                let name = kept.file_name().map(|name| name.to_string_lossy().into_owned());
                (self.connect()?, Some(new_loss(LossKind::Damaged, &reason, None, name)), true)
            }
        };
        self.settle(&connection, mark.as_ref(), loss, checked)
    }

    fn ledger(&self) -> PathBuf {
        ledger_file(self.data)
    }

    fn mark_file(&self) -> PathBuf {
        Mark::file(self.data)
    }

    fn error(&self, error: rusqlite::Error) -> LedgerError {
        LedgerError::of(&self.ledger(), error)
    }

    fn connect(&self) -> Result<Connection, LedgerError> {
        let open = || {
            let connection = Connection::open(self.ledger())?;
            connection.busy_timeout(self.patience)?;
            Ok(connection)
        };
        let connection = open().map_err(|error| self.error(error))?;
        super::store::refuse_read_only(&connection, &self.ledger())?;
        Ok(connection)
    }

    fn look(&self) -> Result<Found, LedgerError> {
        let ledger = self.ledger();
        let metadata = std::fs::metadata(&ledger).ok();
        if metadata.as_ref().is_some_and(|metadata| !metadata.is_file()) {
            return Err(LedgerError::NotAFile(ledger));
        }
        let wal = has_content(&beside(&ledger, "-wal"));
        if !has_content(&ledger) && wal {
            // SQLite would remove what was written ahead of a file that has nothing in it.
            return Ok(Found::Damaged("it is empty or gone, and its write-ahead file is not".to_owned()));
        }
        if is_stump(&ledger) {
            return Ok(Found::Damaged(STUMP.to_owned()));
        }
        let connection = self.connect()?;
        // Until it is known to be good, nothing of the write-ahead file gets into the ledger: it may be another's.
        let cautious = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
        let found = cautious.and_then(|_| self.look_inside(&connection, wal));
        match found.map_err(|error| self.error(error)) {
            Ok(Inside::Sound) => Ok(Found::Ledger { connection, checked: false }),
            Ok(Inside::Checked) => Ok(Found::Ledger { connection, checked: true }),
            Ok(Inside::Empty) => Ok(Found::Nothing(connection)),
            Ok(Inside::Faulty(reason)) => Ok(Found::Damaged(reason)),
            Ok(Inside::Foreign) => Err(LedgerError::Foreign(ledger)),
            Ok(Inside::TooNew(found)) => Err(LedgerError::TooNew { path: ledger, found }),
            Err(LedgerError::Damaged { reason, .. }) => Ok(Found::Damaged(reason)),
            Err(error) => Err(error),
        }
    }

    fn look_inside(&self, connection: &Connection, wal: bool) -> rusqlite::Result<Inside> {
        let version = migrations::version(connection)?;
        let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        let ours: i64 = connection.query_row(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('meta', 'keys', 'events', 'intents')",
            [],
            |row| row.get(0),
        )?;
        if tables == 0 && version == 0 {
            return Ok(Inside::Empty);
        }
        if version > migrations::VERSION && ours == 4 {
            return Ok(Inside::TooNew(version));
        }
        if version <= 0 || ours != 4 {
            return Ok(Inside::Foreign);
        }
        // A write-ahead file is left where the last run did not come to its end. What is copied and migrated is looked at, too.
        if !(wal || self.suspect().exists() || version < migrations::VERSION) {
            return Ok(Inside::Sound);
        }
        Ok(quick_check(connection)?.map_or(Inside::Checked, Inside::Faulty))
    }

    /// A run left this when SQLite called the ledger damaged in the middle of its work.
    fn suspect(&self) -> PathBuf {
        suspect_file(&self.ledger())
    }

    fn set_aside(&self, reason: &str) -> Result<PathBuf, LedgerError> {
        let path = self.ledger();
        let kept = aside::set_aside(&path, self.now).map_err(|error| LedgerError::NotSetAside {
            path,
            reason: reason.to_owned(),
            why: error.to_string(),
        })?;
        tracing::error!(reason, kept = %kept.display(), "the ledger is damaged and was set aside");
        Ok(kept)
    }

    fn migrate(&self, connection: &Connection) -> Result<(), LedgerError> {
        let version = migrations::version(connection).map_err(|error| self.error(error))?;
        if version == migrations::VERSION {
            return Ok(());
        }
        let kept = migrations::keep_copy(connection, &self.ledger(), self.now).map_err(|error| self.error(error))?;
        migrations::migrate(connection).map_err(|error| self.error(error))?;
        tracing::info!(from = version, to = migrations::VERSION, kept = %kept.display(), "the ledger was migrated");
        Ok(())
    }

    /// Is this the ledger that worked here last, and has it all its lines?
    fn compare(&self, connection: &Connection, mark: Option<&Mark>) -> Result<Option<NewLoss>, LedgerError> {
        let Some(mark) = mark else { return Ok(None) };
        let here = Mark::of(connection).map_err(|error| self.error(error))?;
        if here.ledger != mark.ledger {
            let reason = "its id is not that of the ledger that worked here last";
            return Ok(Some(new_loss(LossKind::Another, reason, here.latest, None)));
        }
        if here.lines < mark.lines {
            let reason = format!("its last line is number {}, and there was a number {}", here.lines, mark.lines);
            return Ok(Some(new_loss(LossKind::OlderCopy, &reason, here.latest, None)));
        }
        Ok(None)
    }

    /// Makes what is missing, writes down what was lost and that all was looked at, and leaves the mark.
    fn settle(
        &self,
        connection: &Connection,
        mark: Option<&Mark>,
        loss: Option<NewLoss>,
        checked: bool,
    ) -> Result<(), LedgerError> {
        let work = || {
            super::store::prepare(connection, self.patience)?;
            migrations::migrate(connection)?;
            let transaction =
                rusqlite::Transaction::new_unchecked(connection, rusqlite::TransactionBehavior::Immediate)?;
            if let Some(loss) = &loss {
                let least = mark.and_then(|mark| mark.latest);
                // A clock that is behind would put the loss before the very keys that it is about.
                write_down(&transaction, loss, least.map_or(self.now, |least| least.max(self.now)), least)?;
            }
            if checked {
                check::checked(&transaction, self.now)?;
            }
            transaction.commit()?;
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
            Mark::of(connection)
        };
        let here = work().map_err(|error| self.error(error))?;
        let _ = std::fs::remove_file(self.suspect());
        let written = if loss.is_some() { here.write(&self.mark_file()) } else { here.advance(&self.mark_file()) };
        written.map_err(|error| LedgerError::of_io(&self.mark_file(), &error))
    }
}

enum Inside {
    Empty,
    /// The last run ended cleanly.
    Sound,
    /// It did not, and nothing is wrong.
    Checked,
    Faulty(String),
    Foreign,
    TooNew(i64),
}

fn new_loss(kind: LossKind, reason: &str, known_to: Option<DateTime<Utc>>, kept: Option<String>) -> NewLoss {
    NewLoss { kind, known_to, reason: reason.to_owned(), kept }
}
