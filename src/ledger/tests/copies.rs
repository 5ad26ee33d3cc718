//! A ledger that is not the one that worked here last is known by the mark beside the browser profiles.

use std::sync::atomic::{AtomicBool, Ordering};

use super::*;

fn mark(data: &Path) -> PathBuf {
    data.join("profiles/ledger.mark")
}

#[test]
fn an_older_copy_put_back_is_recognised_and_said_once() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    filled(data, 2);
    let copy = copy_of(data);
    record(&open(data), "later", now() + TimeDelta::hours(2));
    let newest = copy_of(data);
    fs::copy(file(copy.path()), file(data)).unwrap();
    let later = now() + TimeDelta::hours(3);
    let ledger = open_at(data, later).unwrap();
    let losses = ledger.losses().unwrap();
    assert_eq!((losses.len(), losses[0].kind), (1, LossKind::OlderCopy));
    assert_eq!((losses[0].found_at, losses[0].known_to), (later, Some(now() + TimeDelta::minutes(1))));
    assert_eq!(
        ledger.high_water().unwrap(),
        Some(now() + TimeDelta::hours(2)),
        "no clock may go back behind the lost lines"
    );
    drop(ledger);
    assert_eq!(kinds(&open_at(data, later).unwrap()), [LossKind::OlderCopy]);
    // The newest one turns up again: it does not know what was done under the copy.
    fs::copy(file(newest.path()), file(data)).unwrap();
    assert_eq!(kinds(&open_at(data, later).unwrap()), [LossKind::Another]);
}

#[test]
fn a_copy_without_its_write_ahead_file_is_an_older_one() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = open(folder.path());
    record(&ledger, "one", now());
    let killed = copy_of(folder.path());
    assert_eq!(kinds(&open(copy_of(killed.path()).path())), [], "with it nothing is lost");
    fs::remove_file(killed.path().join("ledger.db-wal")).unwrap();
    assert_eq!(kinds(&open(killed.path())), [LossKind::OlderCopy]);
}

#[test]
fn the_ledger_of_elsewhere_and_one_that_is_gone_are_recognised() {
    let (here, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    filled(here.path(), 2);
    filled(elsewhere.path(), 9);
    fs::copy(file(elsewhere.path()), file(here.path())).unwrap();
    let ledger = open(here.path());
    assert_eq!((kinds(&ledger), keys(&ledger)), (vec![LossKind::Another], 9));
    drop(ledger);
    for empty in [false, true] {
        let before = open(here.path()).high_water().unwrap();
        fs::remove_file(file(here.path())).unwrap();
        if empty {
            fs::write(file(here.path()), "").unwrap();
        }
        let ledger = open(here.path());
        assert_eq!((kinds(&ledger), keys(&ledger)), (vec![LossKind::Gone], 0));
        assert_eq!(ledger.high_water().unwrap(), before);
    }
}

#[test]
fn without_a_mark_nothing_is_compared_and_one_is_left() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), 2);
    let left = fs::read(mark(folder.path())).unwrap();
    for harm in ["gone", "broken"] {
        fs::remove_dir_all(folder.path().join("profiles")).unwrap();
        if harm == "broken" {
            fs::create_dir(folder.path().join("profiles")).unwrap();
            fs::write(mark(folder.path()), "{").unwrap();
        }
        assert_eq!(kinds(&open(folder.path())), [], "{harm}");
        assert_eq!(fs::read(mark(folder.path())).unwrap(), left, "{harm}");
    }
}

#[test]
fn a_whole_data_folder_that_is_moved_has_lost_nothing() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), 2);
    let moved = copy_of(folder.path());
    assert_eq!(kinds(&open(moved.path())), []);
}

#[test]
fn a_crash_between_a_line_and_its_mark_is_no_loss() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), 1);
    let before = fs::read(mark(folder.path())).unwrap();
    record(&open(folder.path()), "second", now());
    fs::write(mark(folder.path()), before).unwrap();
    assert_eq!(kinds(&open(folder.path())), []);
}

#[test]
fn no_moment_of_a_run_leaves_a_mark_that_is_ahead() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = open(folder.path());
    for number in 0..20 {
        record(&ledger, &format!("task{number}"), now());
        let killed = copy_of(folder.path());
        assert_eq!(kinds(&open(killed.path())), [], "killed after line {number}");
    }
}

#[test]
fn openings_beside_a_run_at_work_see_no_loss() {
    let folder = tempfile::tempdir().unwrap();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..60 {
                // Opened each time, so that the others are now alone with the file and now not.
                record(&Ledger::open_at(folder.path(), now()).unwrap(), &format!("task{number}"), now());
            }
            over.store(true, Ordering::Relaxed);
        });
        for _ in 0..2 {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    assert_eq!(kinds(&Ledger::open_at(folder.path(), now()).unwrap()), []);
                }
            });
        }
    });
    assert_eq!(keys(&open(folder.path())), 60);
}

#[test]
fn a_clock_that_is_behind_puts_no_loss_into_the_past() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), 2);
    fs::remove_file(file(folder.path())).unwrap();
    let ledger = open_at(folder.path(), "1970-01-01T00:00:00Z".parse().unwrap()).unwrap();
    assert_eq!(ledger.losses().unwrap()[0].found_at, now() + TimeDelta::minutes(1));
}
