//! Who has the ledger open: a lock of its own, beside the file. Who opens it holds it shared for as long; who is alone may
//! for a moment hold it whole, and only then is the file examined, migrated or moved.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use super::{LedgerError, holders};
use crate::clock::SystemClock;

/// How often a lock is asked for again.
const AGAIN: Duration = Duration::from_millis(20);

/// The lock, held for as long as this lives.
#[derive(Debug)]
pub(super) struct Gate {
    // Closing the file gives the lock back.
    _file: File,
}

impl Gate {
    /// Asks for the whole ledger; none when others have it open, who have then examined it.
    pub(super) fn alone(lock: &Path, ledger: &Path) -> Result<Option<Self>, LedgerError> {
        let file = open(lock).map_err(|error| LedgerError::of_io(ledger, &error))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Gate { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(LedgerError::of_io(ledger, &error)),
        }
    }

    /// Comes in beside others, when whoever examines the ledger is done.
    pub(super) fn beside_others(lock: &Path, ledger: &Path, patience: Duration) -> Result<Self, LedgerError> {
        let file = open(lock).map_err(|error| LedgerError::of_io(ledger, &error))?;
        let mut waited = Duration::ZERO;
        loop {
            match file.try_lock_shared() {
                Ok(()) => return Ok(Gate { _file: file }),
                Err(TryLockError::Error(error)) => return Err(LedgerError::of_io(ledger, &error)),
                Err(TryLockError::WouldBlock) if waited >= patience => {
                    let by = holders::keeper(lock).unwrap_or_else(|| "another program".to_owned());
                    return Err(LedgerError::Locked { path: ledger.to_path_buf(), by, seconds: patience.as_secs() });
                }
                Err(TryLockError::WouldBlock) => {
                    SystemClock::block(AGAIN);
                    waited += AGAIN;
                }
            }
        }
    }
}

/// The lock file is never removed: another process may hold it by its old name.
fn open(lock: &Path) -> std::io::Result<File> {
    OpenOptions::new().create(true).truncate(false).read(true).write(true).mode(0o600).open(lock)
}
