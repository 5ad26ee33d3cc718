//! What is refused, each with one line.

use std::process::{Command, Stdio};

use super::*;
use crate::clock::{Clock, SystemClock};

#[test]
fn a_new_ledger_and_its_mark_are_made_and_nothing_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("a/b");
    filled(&data, 3);
    assert!(data.join("profiles/ledger.mark").is_file());
    let ledger = open(&data);
    assert_eq!((kinds(&ledger), keys(&ledger)), (vec![], 3));
}

#[test]
fn what_stands_in_its_place_and_is_no_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(file(folder.path())).unwrap();
    assert!(refused(folder.path()).contains("no file"));
}

#[test]
fn the_database_of_another_program_is_left_as_it_is() {
    for (version, sql) in [(0, "CREATE TABLE moz_places (id)"), (1, "CREATE TABLE keys (a)"), (9, "CREATE TABLE x (a)")]
    {
        let folder = tempfile::tempdir().unwrap();
        some_database(&file(folder.path()), &format!("{sql}; PRAGMA user_version = {version}"));
        let before = fs::read(file(folder.path())).unwrap();
        assert!(refused(folder.path()).contains("another program"), "{sql}");
        assert_eq!(fs::read(file(folder.path())).unwrap(), before);
    }
}

#[test]
fn a_ledger_of_a_newer_sunup_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), 1);
    some_database(&file(folder.path()), "PRAGMA user_version = 99");
    let before = fs::read(file(folder.path())).unwrap();
    let said = refused(folder.path());
    assert!(said.contains("version 99") && said.contains("newer Sunup"), "{said}");
    assert_eq!(fs::read(file(folder.path())).unwrap(), before);
    let read = Ledger::open_to_read(folder.path()).expect_err("it opened").to_string();
    assert!(read.contains("version 99"), "{read}");
}

#[test]
fn another_program_that_keeps_writing_is_waited_for_and_then_named_as_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), 1);
    let other = Connection::open(file(folder.path())).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(refused(folder.path()).contains("locked by"));
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(keys(&open(folder.path())), 1);
}

#[test]
fn a_process_that_keeps_the_ledger_for_itself_is_named() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), 1);
    let lock = folder.path().join("ledger.lock");
    let holding = Command::new("flock")
        .arg("--exclusive")
        .arg(&lock)
        .args(["sh", "-c", "echo held; read line"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut holding) = holding else {
        eprintln!("not tried: there is no `flock` on this machine");
        return;
    };
    let mut held = [0; 5];
    std::io::Read::read_exact(holding.stdout.as_mut().unwrap(), &mut held).unwrap();
    let said = refused(folder.path());
    assert!(said.contains(&format!("process {}", holding.id())), "{said}");
    drop(holding.stdin.take());
    holding.wait().unwrap();
    assert_eq!(keys(&open(folder.path())), 1, "it was let go");
}

/// A disk of its own, of so many KiB, where this machine allows one.
struct Disk(tempfile::TempDir);

impl Disk {
    fn new(kib: u32) -> Option<Self> {
        let disk = Disk(tempfile::tempdir().unwrap());
        let made = disk.mount(&["-t", "tmpfs", "-o", &format!("size={kib}k"), "tmpfs"]);
        if !made {
            eprintln!("not tried: this machine lets us mount nothing");
        }
        made.then_some(disk)
    }

    fn mount(&self, arguments: &[&str]) -> bool {
        let mut command = Command::new("mount");
        command.args(arguments).arg(self.0.path()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.0.path()).stderr(Stdio::null()).status();
    }
}

#[test]
fn a_full_disk_is_said_and_loses_nothing() {
    let Some(disk) = Disk::new(600) else { return };
    let data = disk.0.path().join("data");
    filled(&data, 1);
    let ledger = open(&data);
    let filler = vec![1; 4096];
    let mut full = fs::File::create(disk.0.path().join("filler")).unwrap();
    while std::io::Write::write_all(&mut full, &filler).is_ok() {}
    let said = (0..1_000)
        .find_map(|number| ledger.open_ticket(&ticket(number), now()).err())
        .expect("the disk is full")
        .to_string();
    assert!(said.contains("is full"), "{said}");
    drop(ledger);
    fs::remove_file(disk.0.path().join("filler")).unwrap();
    let ledger = open(&data);
    assert_eq!((keys(&ledger), kinds(&ledger)), (1, vec![]));
}

fn ticket(number: usize) -> Ticket {
    let lane = Lane { site: format!("site{number}"), account: "main".into() };
    Ticket { lane, failure: None, task: None, arose: None, text: "x".repeat(1_000), fingerprint: None }
}

#[test]
fn a_disk_that_was_full_from_the_first_is_said() {
    let Some(disk) = Disk::new(60) else { return };
    assert!(refused(disk.0.path()).contains("is full"));
}

#[test]
fn a_disk_that_is_read_only_is_said() {
    let Some(disk) = Disk::new(1_000) else { return };
    filled(disk.0.path(), 2);
    assert!(disk.mount(&["-o", "remount,ro"]));
    assert!(refused(disk.0.path()).contains("cannot be written"));
}

#[test]
fn a_folder_of_somebody_else_is_said() {
    use std::os::unix::fs::PermissionsExt;
    if nix::unistd::geteuid().is_root() {
        eprintln!("not tried: root may write everywhere");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), 1);
    fs::set_permissions(file(folder.path()), fs::Permissions::from_mode(0o400)).unwrap();
    assert!(refused(folder.path()).contains("cannot be written"));
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o500)).unwrap();
    assert!(refused(folder.path()).contains("cannot be written"));
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn a_usual_start_is_quick_and_so_is_one_after_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = open(folder.path());
    let many = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
                INSERT INTO decisions (key, source, answer, first_at, last_at, count)
                SELECT 'key' || i, 'schedule', 'run', '2026-11-30', '2026-11-30', 1 FROM n";
    ledger.write(|transaction| transaction.execute(many, [])).unwrap();
    let killed = copy_of(folder.path());
    drop(ledger);
    let clock = SystemClock::new();
    for data in [folder.path(), killed.path()] {
        let before = clock.uptime();
        drop(open(data));
        let took = clock.uptime() - before;
        assert!(took < Duration::from_millis(1_000), "{took:?}, on a machine that may be busy");
    }
}
