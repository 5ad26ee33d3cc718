//! One daemon for a data folder: a lock that the system gives back when its holder is gone, however it went.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::clock::Instant;

/// The daemon's lock, held for as long as this lives.
#[derive(Debug)]
pub struct Lock {
    // Closing the file gives the lock back.
    _file: File,
}

/// What became of asking for it.
#[derive(Debug)]
pub enum LockAnswer {
    /// Ours.
    Taken(Lock),
    /// Another daemon has it: which, and since when, in its own words.
    Held(String),
}

impl Lock {
    /// Asks for the lock of this data folder, which must be there. The file is never removed: another may hold it by its name.
    pub fn take(data: &Path, now: Instant) -> io::Result<LockAnswer> {
        let path = data.join("serve.lock");
        let mut file = OpenOptions::new().create(true).truncate(false).read(true).write(true).mode(0o600).open(path)?;
        match file.try_lock() {
            Ok(()) => {
                file.set_len(0)?;
                file.rewind()?;
                write!(file, "process {} since {}", std::process::id(), now.format("%Y-%m-%dT%H:%M:%SZ"))?;
                Ok(LockAnswer::Taken(Lock { _file: file }))
            }
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                file.read_to_string(&mut holder)?;
                Ok(LockAnswer::Held(holder))
            }
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_is_told_of_the_first_and_follows_it() {
        let folder = tempfile::tempdir().unwrap();
        let (six, seven) = ("2026-11-30T06:00:00Z".parse().unwrap(), "2026-11-30T07:00:00Z".parse().unwrap());
        let LockAnswer::Taken(first) = Lock::take(folder.path(), six).unwrap() else { panic!("nobody has it") };
        let LockAnswer::Held(holder) = Lock::take(folder.path(), seven).unwrap() else { panic!("two daemons") };
        assert_eq!(holder, format!("process {} since 2026-11-30T06:00:00Z", std::process::id()));
        drop(first);
        assert!(matches!(Lock::take(folder.path(), seven).unwrap(), LockAnswer::Taken(_)));
    }
}
