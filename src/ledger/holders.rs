//! Which process keeps a file locked, by the kernel's own list, so that a person knows what to end.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::place::beside;

/// SQLite's lock for writers of a WAL: one byte of the `-shm` file.
const WRITERS: u64 = 120;

/// Who holds the ledger's lock for writers, if the kernel tells.
pub(super) fn writer(ledger: &Path) -> Option<String> {
    // Only looked at: to open and close this file would give up our own locks on it.
    let inode = fs::metadata(beside(ledger, "-shm")).ok()?.ino();
    let locks = fs::read_to_string("/proc/locks").ok()?;
    holder(&locks, inode, |from, to| from <= WRITERS && to.is_none_or(|to| WRITERS <= to)).map(named)
}

/// Who else holds this lock file, if the kernel tells.
pub(super) fn keeper(lock: &Path) -> Option<String> {
    let inode = fs::metadata(lock).ok()?.ino();
    holder(&fs::read_to_string("/proc/locks").ok()?, inode, |_, _| true).map(named)
}

/// The process of the first lock on this inode whose range is meant; ours and unknown ones are left out.
fn holder(locks: &str, inode: u64, meant: impl Fn(u64, Option<u64>) -> bool) -> Option<u32> {
    locks.lines().find_map(|line| {
        // `3: POSIX  ADVISORY  WRITE 1234 fd:01:393217 120 120`, where the last may be `EOF`; `->` marks who waits.
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [_, "POSIX" | "FLOCK", _, "WRITE" | "READ", pid, place, from, to] = fields.as_slice() else { return None };
        let same_file = place.rsplit(':').next()?.parse::<u64>().ok()? == inode;
        let pid = pid.parse::<u32>().ok().filter(|pid| *pid != 0 && *pid != std::process::id())?;
        (same_file && meant(from.parse().ok()?, to.parse().ok())).then_some(pid)
    })
}

fn named(pid: u32) -> String {
    match fs::read_to_string(format!("/proc/{pid}/comm")) {
        Ok(name) => format!("process {pid} ({})", name.trim()),
        Err(_) => format!("process {pid}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_told_by_file_and_range() {
        let locks = "1: POSIX  ADVISORY  READ 11 fd:01:77 123 123\n\
                     2: FLOCK  ADVISORY  WRITE 12 fd:01:78 0 EOF\n\
                     2: -> FLOCK  ADVISORY  WRITE 13 fd:01:77 0 EOF\n\
                     3: POSIX  ADVISORY  WRITE 14 fd:01:77 120 120\n\
                     garbage";
        let writers = |from, to: Option<u64>| from <= WRITERS && to.is_none_or(|to| WRITERS <= to);
        assert_eq!(holder(locks, 77, writers), Some(14));
        assert_eq!(holder(locks, 78, |_, _| true), Some(12));
        assert_eq!(holder(locks, 79, |_, _| true), None);
        assert_eq!(holder(&locks.replace("14", &std::process::id().to_string()), 77, writers), None, "ourselves");
    }
}
