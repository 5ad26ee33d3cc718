//! Damaged files are set aside, and a new ledger begins that knows it.

use super::*;

/// Writes these bytes at this place of a file.
fn scribble(path: &Path, at: usize, bytes: &[u8]) {
    let mut content = fs::read(path).unwrap();
    content[at..at + bytes.len()].copy_from_slice(bytes);
    fs::write(path, content).unwrap();
}

fn truncate(path: &Path, length: u64) {
    fs::OpenOptions::new().write(true).open(path).unwrap().set_len(length).unwrap();
}

/// A way to break a file.
type Harm = (&'static str, fn(&Path));

/// Faults that SQLite meets as soon as it opens the file.
const PLAIN: [Harm; 5] = [
    ("another header", |path| scribble(path, 0, b"<!doctype html>!")),
    ("half of it", |path| truncate(path, fs::metadata(path).unwrap().len() / 2)),
    ("its last page gone", |path| truncate(path, fs::metadata(path).unwrap().len() - 4096)),
    ("cut within the header", |path| truncate(path, 60)),
    ("the first page overwritten", |path| scribble(path, 100, &[0xff; 1000])),
];

#[test]
fn a_damaged_ledger_is_set_aside_and_never_deleted() {
    for (name, harm) in PLAIN {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        filled(data, 40);
        harm(&file(data));
        let broken = fs::read(file(data)).unwrap();
        let read = Ledger::open_to_read(data);
        assert!(matches!(read, Err(LedgerError::Damaged { .. })), "{name}: {read:?}");
        assert_eq!(fs::read(file(data)).unwrap(), broken, "{name}: reading moves nothing");
        let ledger = open(data);
        let losses = ledger.losses().unwrap();
        assert_eq!((kinds(&ledger), keys(&ledger)), (vec![LossKind::Damaged], 0), "{name}");
        let kept = data.join(losses[0].kept.as_ref().unwrap());
        assert_eq!(kept.file_name().unwrap(), "ledger.damaged-20261130T000000Z", "{name}");
        assert_eq!(fs::read(kept).unwrap(), broken, "{name}: as it was found");
        assert_eq!(ledger.high_water().unwrap(), Some(now() + TimeDelta::minutes(39)), "{name}: no clock may go back");
        record(&ledger, "after", now() + TimeDelta::hours(1));
        drop(ledger);
        let ledger = open(data);
        assert_eq!((kinds(&ledger), keys(&ledger)), (vec![LossKind::Damaged], 1), "{name}: said once");
    }
}

#[test]
fn two_damages_in_one_second_are_both_kept() {
    let folder = tempfile::tempdir().unwrap();
    for text in ["one", "two", "three"] {
        fs::write(file(folder.path()), text.repeat(1_000)).unwrap();
        drop(open(folder.path()));
    }
    let kept = named(folder.path(), "ledger.damaged");
    let starts: Vec<_> = kept.iter().map(|path| fs::read(path).unwrap()[..3].to_vec()).collect();
    assert_eq!(starts, [b"one".to_vec(), b"two".to_vec(), b"thr".to_vec()], "{kept:?}");
}

/// Harms the page that holds the last lines of `decisions`, which no opening reads.
fn harm_a_page(path: &Path) {
    let connection = Connection::open(path).unwrap();
    let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'decisions'";
    let page: i64 = connection.query_row(sql, [], |row| row.get(0)).unwrap();
    drop(connection);
    scribble(path, (page as usize - 1) * 4096, &[0x55; 64]);
}

#[test]
fn a_page_that_nobody_reads_is_found_within_a_week_and_no_start_waits_for_that() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    filled(data, 3);
    harm_a_page(&file(data));
    // A run: how it finds the ledger, and what it does at its end.
    let run = |days| {
        let now = now() + TimeDelta::days(days);
        let ledger = open_at(data, now).unwrap();
        ledger.check_if_due(now).unwrap();
        kinds(&ledger)
    };
    assert_eq!(run(6), [], "a clean end, and checked six days ago");
    assert_eq!(run(8), [], "found when the work is done");
    assert_eq!(run(8), [LossKind::Damaged]);
    assert_eq!(run(9), [LossKind::Damaged], "and only by that");
}

#[test]
fn a_check_that_finds_nothing_is_good_for_a_week() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    filled(data, 3);
    let run = |days| {
        let now = now() + TimeDelta::days(days);
        let ledger = open_at(data, now).unwrap();
        ledger.check_if_due(now).unwrap();
        kinds(&ledger)
    };
    assert_eq!(run(8), []);
    harm_a_page(&file(data));
    assert_eq!((run(14), run(14)), (vec![], vec![]));
    assert_eq!((run(15), run(15)), (vec![], vec![LossKind::Damaged]));
}

#[test]
fn after_a_crash_it_is_found_at_once() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), 3);
    harm_a_page(&file(folder.path()));
    let ledger = open(folder.path());
    record(&ledger, "another", now() + TimeDelta::hours(1));
    let killed = copy_of(folder.path());
    drop(Ledger::open_to_read(killed.path()));
    assert!(killed.path().join("ledger.db-wal").exists(), "who only reads leaves the trace of the crash");
    assert_eq!(kinds(&open(killed.path())), [LossKind::Damaged]);
    let kept = named(killed.path(), "ledger.damaged");
    assert!(kept.iter().any(|path| path.to_string_lossy().ends_with("-wal")), "with its write-ahead file: {kept:?}");
}

#[test]
fn damage_that_a_run_meets_is_looked_into_by_the_next() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), 3);
    harm_a_page(&file(folder.path()));
    let ledger = open(folder.path());
    let key = Key::from_ledger("2026-11-30:community/task0@main".into());
    assert!(matches!(ledger.last_decision(&key), Err(LedgerError::Damaged { .. }) | Ok(None)));
    let met = ledger
        .read(|connection| connection.query_row("SELECT count(answer) FROM decisions", [], |row| row.get::<_, i64>(0)));
    assert!(matches!(met, Err(LedgerError::Damaged { .. })), "{met:?}");
    drop(ledger);
    assert_eq!(kinds(&open(folder.path())), [LossKind::Damaged]);
    assert_eq!(kinds(&open(folder.path())), [LossKind::Damaged], "and only by that");
}

#[test]
fn a_ledger_that_somebody_has_open_is_not_moved_away_under_him() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), 40);
    let ledger = open(folder.path());
    scribble(&file(folder.path()), 0, b"<!doctype html>!");
    let second = open_at(folder.path(), now());
    assert!(!matches!(&second, Ok(ledger) if !kinds(ledger).is_empty()), "{second:?}");
    assert_eq!(named(folder.path(), "ledger.damaged"), Vec::<PathBuf>::new());
    drop(ledger);
}

#[test]
fn the_write_ahead_file_of_another_ledger_does_not_get_in() {
    for lines in [1, 5, 60] {
        let (ours, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        filled(ours.path(), 40);
        let at_work = open(other.path());
        (0..lines).for_each(|number| record(&at_work, &format!("other{number}"), now()));
        let wal = "ledger.db-wal";
        fs::copy(other.path().join(wal), ours.path().join(wal)).unwrap();
        let before = fs::read(file(ours.path())).unwrap();
        drop(Ledger::open_to_read(ours.path()));
        assert_eq!(fs::read(file(ours.path())).unwrap(), before, "{lines}: who only reads takes nothing in");
        let ledger = open(ours.path());
        assert_ne!(kinds(&ledger), [], "{lines} lines of another: it was taken for ours");
        if kinds(&ledger) == [LossKind::Damaged] {
            let kept = named(ours.path(), "ledger.damaged");
            assert_eq!(fs::read(&kept[0]).unwrap(), before, "{lines}: nothing of it got into ours");
        }
    }
}

#[test]
fn a_write_ahead_file_alone_is_kept() {
    for empty in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let at_work = open(folder.path());
        record(&at_work, "one", now());
        let killed = copy_of(folder.path());
        let wal = fs::read(killed.path().join("ledger.db-wal")).unwrap();
        fs::remove_file(file(killed.path())).unwrap();
        if empty {
            fs::write(file(killed.path()), "").unwrap();
        }
        assert_eq!(kinds(&open(killed.path())), [LossKind::Damaged]);
        let kept = named(killed.path(), "ledger.damaged");
        let kept = kept.iter().find(|path| path.to_string_lossy().ends_with("-wal")).expect("the write-ahead file");
        assert_eq!(fs::read(kept).unwrap(), wal);
    }
}

#[test]
fn a_crash_while_it_was_set_aside_is_known_by_the_mark() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), 2);
    // Set aside, and then the power went: no new ledger, no line about it.
    fs::rename(file(folder.path()), folder.path().join("ledger.damaged-20261129T000000Z")).unwrap();
    assert_eq!(kinds(&open(folder.path())), [LossKind::Gone]);
}
