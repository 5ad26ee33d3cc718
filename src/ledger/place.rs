//! Where the ledger lies: its folder, the files beside it, and the file systems on which its locks do not hold.

use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use nix::sys::statfs::{FUSE_SUPER_MAGIC, statfs};

use super::LedgerError;

/// File systems of other machines, by the number that `statfs` gives (`linux/magic.h`, and the source of those that are
/// not in it).
const NETWORK: [(u32, &str); 14] = [
    (0x6969, "NFS"),
    (0x517b, "SMB"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB2"),
    (0x0102_1997, "9p"),
    (0x5346_414f, "AFS"),
    (0x6b41_4653, "AFS"),
    (0x7375_7245, "Coda"),
    (0x564c, "NCP"),
    (0x00c3_6400, "Ceph"),
    (0x0bd0_0bd0, "Lustre"),
    (0x7461_636f, "OCFS2"),
    (0x0116_1970, "GFS2"),
    (0x786f_4256, "VirtualBox shared folder"),
];

/// Kinds of FUSE that keep their files on this machine; of any other nobody knows whether its locks hold.
const LOCAL_FUSE: [&str; 9] = [
    "fuseblk",
    "virtiofs",
    "fuse.gocryptfs",
    "fuse.encfs",
    "fuse.cryfs",
    "fuse.bindfs",
    "fuse.mergerfs",
    "fuse.fuse-overlayfs",
    "fuse.ntfs-3g",
];

/// The ledger's file in this data folder.
pub(super) fn ledger_file(data: &Path) -> PathBuf {
    data.join("ledger.db")
}

/// A file whose name is that of the ledger with this behind it.
pub(super) fn beside(ledger: &Path, ending: &str) -> PathBuf {
    let mut name = ledger.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// True when this file is there and has something in it.
pub(super) fn has_content(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0)
}

/// True for a file that is shorter than the shortest database: SQLite would take it for a new one, and write over it.
pub(super) fn is_stump(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && (1..512).contains(&metadata.len()))
}

/// Makes a folder that only its owner can enter.
pub(super) fn private_folder(folder: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Refuses a folder on a file system where two runs could not see each other's locks.
pub(super) fn refuse_network(data: &Path) -> Result<(), LedgerError> {
    // What cannot be asked is not refused: the locks then show themselves.
    let Ok(found) = statfs(data) else { return Ok(()) };
    let number = found.filesystem_type().0 as u32;
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let place = fs::canonicalize(data).unwrap_or_else(|_| data.to_path_buf());
    match network(number, mounted(&mounts, &place)) {
        Some(kind) => Err(LedgerError::Network { path: ledger_file(data), kind: kind.to_owned() }),
        None => Ok(()),
    }
}

/// The kind of network file system that this number, and the mount's own word for it, stand for.
fn network(number: u32, mounted: Option<&str>) -> Option<&str> {
    if number == FUSE_SUPER_MAGIC.0 as u32 {
        return Some(mounted.unwrap_or("fuse")).filter(|kind| !LOCAL_FUSE.contains(kind));
    }
    NETWORK.iter().find(|(known, _)| *known == number).map(|(_, name)| *name)
}

/// The kind of the mount that this place lies in: the deepest one above it, and of two at one point the later.
fn mounted<'m>(mounts: &'m str, place: &Path) -> Option<&'m str> {
    let mounts = mounts.lines().filter_map(|line| {
        // `36 35 98:0 /root /point rw,noatime master:1 - ext4 /dev/sda1 rw`; blanks in names are written `\040`.
        let (before, after) = line.split_once(" - ")?;
        let point = before.split(' ').nth(4)?.replace("\\040", " ");
        Some((point, after.split(' ').next()?))
    });
    let above = mounts.filter(|(point, _)| place.starts_with(point));
    above.max_by_key(|(point, _)| Path::new(point).components().count()).map(|(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_systems_of_other_machines_are_refused_and_those_of_this_one_are_not() {
        for (number, name) in [(0x6969, "NFS"), (0xff53_4d42, "CIFS"), (0xfe53_4d42, "SMB2"), (0x0102_1997, "9p")] {
            assert_eq!(network(number, Some("whatever")), Some(name));
        }
        let (ext4, tmpfs, overlay, btrfs, fuse) = (0xef53, 0x0102_1994, 0x794c_7630, 0x9123_683e, 0x6573_5546);
        for local in [ext4, tmpfs, overlay, btrfs] {
            assert_eq!(network(local, None), None);
        }
        assert_eq!(network(fuse, Some("fuse.sshfs")), Some("fuse.sshfs"));
        assert_eq!(network(fuse, None), Some("fuse"), "of an unknown one nobody knows");
        assert_eq!(network(fuse, Some("fuseblk")), None, "a local disk with NTFS");
    }

    #[test]
    fn the_mount_of_a_place_is_the_deepest_above_it() {
        let mounts = "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n\
                      30 22 0:40 / /home/a\\040b rw - fuse.sshfs host:/ rw\n\
                      31 22 0:41 / /home rw - nfs host:/ rw\n\
                      odd line";
        let kind = |place: &str| mounted(mounts, Path::new(place));
        assert_eq!(kind("/var"), Some("ext4"));
        assert_eq!(kind("/home/a b/data"), Some("fuse.sshfs"));
        assert_eq!(kind("/home/a"), Some("nfs"));
        assert_eq!(kind("/homely"), Some("ext4"));
        assert_eq!(mounted("", Path::new("/")), None);
    }

    #[test]
    fn a_folder_of_this_machine_is_taken() {
        assert!(refuse_network(tempfile::tempdir().unwrap().path()).is_ok());
    }
}
