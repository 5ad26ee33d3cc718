//! Setting a damaged ledger aside. Nothing is deleted, and nothing is written over.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use super::place::beside;

/// Moves the ledger with its write-ahead files to a name of their own, `ledger.damaged-<time>`. The name.
///
/// The write-ahead files go first: a crash in between leaves a ledger without them, which is an older state and is known
/// as such by its mark; the other way round a new ledger would find the old one's write-ahead file.
pub(super) fn set_aside(ledger: &Path, now: DateTime<Utc>) -> io::Result<PathBuf> {
    let kept = free_name(ledger, "damaged", now);
    for ending in ["-wal", "-shm", "-journal", ""] {
        match fs::rename(beside(ledger, ending), beside(&kept, ending)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(kept)
}

/// A name beside the ledger that is not taken: `ledger.<what>-<time>`.
pub(super) fn free_name(ledger: &Path, what: &str, now: DateTime<Utc>) -> PathBuf {
    let name = format!("ledger.{what}-{}", now.format("%Y%m%dT%H%M%SZ"));
    let taken = |path: &Path| {
        ["", "-wal", "-shm", "-journal"].iter().any(|ending| beside(path, ending).symlink_metadata().is_ok())
    };
    let names = std::iter::once(name.clone()).chain((2..).map(|number| format!("{name}-{number}")));
    names
        .map(|name| ledger.with_file_name(name))
        .find(|path| !taken(path))
        .unwrap_or_else(|| ledger.with_file_name(name))
}
