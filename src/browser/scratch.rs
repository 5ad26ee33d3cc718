//! Temporary folders that a killed run leaves behind, and the next run can tell from those in use.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use tempfile::TempDir;

/// A temporary folder. It is removed when this is dropped; when the process is killed instead, its lock is gone with it,
/// and [`sweep`] removes it.
#[derive(Debug)]
pub struct Scratch {
    folder: TempDir,
    // The lock lasts as long as this; no child inherits it.
    _held: File,
}

impl Scratch {
    /// A new one inside `parent`, for its owner alone.
    pub fn new(parent: &Path, prefix: &str) -> io::Result<Self> {
        loop {
            let folder = TempDir::with_prefix_in(prefix, parent)?;
            let held = File::open(folder.path())?;
            held.lock()?;
            // A sweep may have come between the first line and the third, and taken it for a left one.
            if folder.path().is_dir() {
                return Ok(Scratch { folder, _held: held });
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes the folders inside `parent` with this prefix that no living process holds, and returns how many.
pub fn sweep(parent: &Path, prefix: &str) -> usize {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let named = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix));
    // Links are left alone: `file_type` does not follow them.
    let folders = named.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.filter(|folder| remove_left(&folder.path())).count()
}

fn remove_left(folder: &Path) -> bool {
    let Ok(held) = File::open(folder) else { return false };
    if held.try_lock().is_err() {
        return false;
    }
    fs::remove_dir_all(folder)
        .inspect_err(|error| tracing::warn!(%error, folder = %folder.display(), "a killed run left this folder"))
        .is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_stays_and_what_was_left_goes() {
        let parent = tempfile::tempdir().unwrap();
        let held = Scratch::new(parent.path(), "work-").unwrap();
        fs::create_dir_all(parent.path().join("work-left/deep")).unwrap();
        fs::create_dir(parent.path().join("other")).unwrap();
        fs::write(parent.path().join("work-file"), "").unwrap();
        std::os::unix::fs::symlink(parent.path().join("other"), parent.path().join("work-link")).unwrap();
        assert_eq!(sweep(parent.path(), "work-"), 1);
        assert!(held.path().is_dir() && !parent.path().join("work-left").exists());
        for other in ["other", "work-file", "work-link"] {
            assert!(parent.path().join(other).exists(), "{other}");
        }
        let path = held.path().to_owned();
        drop(held);
        assert!(!path.exists());
        assert_eq!(sweep(&parent.path().join("missing"), "work-"), 0);
    }
}
