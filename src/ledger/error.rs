//! Why the ledger cannot be used: one line for a person, with what happened, where, and what to do.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use super::holders;

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
    /// A folder, or something else that is no file, stands in its place.
    #[error("the ledger {0} cannot be written: what stands there is no file. Move it away, then run again")]
    NotAFile(PathBuf),
    /// No room.
    #[error("the disk that holds the ledger {0} is full: make room, then run again; nothing was lost")]
    Full(PathBuf),
    /// Damaged; the next run sets it aside.
    #[error(
        "the ledger {path} is damaged ({reason}): the next `sunup run` sets it aside, keeps it, and goes on by reading the sites"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was seen.
        reason: String,
    },
    /// Damaged, and it cannot be set aside now.
    #[error(
        "the ledger {path} is damaged ({reason}), and cannot be set aside: {why}. Mend that, then run again; nothing was changed"
    )]
    NotSetAside {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
        /// Why it stays where it is.
        why: String,
    },
    /// A database, but not one of ours.
    #[error(
        "{0} is the database of another program, and no ledger: nothing was changed. Choose another folder with --data"
    )]
    Foreign(PathBuf),
    /// Written by a newer Sunup.
    #[error(
        "the ledger {path} has version {found}, and this program knows {known}: use the newer Sunup that wrote it",
        known = super::migrations::VERSION
    )]
    TooNew {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
    },
    /// The folder is on another machine.
    #[error(
        "the ledger {path} would lie on a network file system ({kind}): its locks do not hold there, and two runs could do \
         one thing twice. Choose a folder on a disk of this machine with --data"
    )]
    Network {
        /// The file.
        path: PathBuf,
        /// The kind of file system.
        kind: String,
    },
    /// Another process keeps it.
    #[error(
        "the ledger {path} is locked by {by}, and was not let go within {seconds} seconds: let that end, or end it, and run again"
    )]
    Locked {
        /// The file.
        path: PathBuf,
        /// Who, as far as the system tells.
        by: String,
        /// How long was waited.
        seconds: u64,
    },
    /// Anything else that SQLite says.
    #[error("the ledger {path} failed: {reason}")]
    Other {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        reason: String,
    },
}

impl LedgerError {
    /// What SQLite's answer means for this file.
    pub(super) fn of(path: &Path, error: rusqlite::Error) -> Self {
        let by = || holders::writer(path).unwrap_or_else(|| "another program".to_owned());
        let path_of = path.to_path_buf();
        // SQLite quotes whole statements; one line is enough.
        let reason = error.to_string().lines().next().unwrap_or_default().to_owned();
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => LedgerError::Full(path_of),
            Some(
                ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::SystemIoFailure,
            ) => LedgerError::NotWritable { path: path_of, reason },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                LedgerError::Damaged { path: path_of, reason }
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                LedgerError::Locked { path: path_of, by: by(), seconds: super::store::BUSY.as_secs() }
            }
            _ => LedgerError::Other { path: path_of, reason },
        }
    }

    /// What the file system's answer means for this file.
    pub(super) fn of_io(path: &Path, error: &std::io::Error) -> Self {
        let path = path.to_path_buf();
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => LedgerError::Full(path),
            _ => LedgerError::NotWritable { path, reason: error.to_string() },
        }
    }
}
