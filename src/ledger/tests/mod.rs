//! Opening the ledger, with real files in every state that a disk, a crash or a person can leave them in.

mod copies;
mod damage;
mod old;
mod opening;
mod plans;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::Connection;

use super::*;
use crate::run::{Event, Failure, FailureKind, Key, Lane, Source, Status, TaskRun};
use crate::timing::{Calendar, PeriodKind, Window};

fn now() -> DateTime<Utc> {
    "2026-11-30T00:00:00Z".parse().unwrap()
}

/// Opens with little patience.
fn open_at(data: &Path, now: DateTime<Utc>) -> Result<Ledger, LedgerError> {
    Ledger::open_within(data, now, Duration::from_millis(200))
}

fn open(data: &Path) -> Ledger {
    open_at(data, now()).unwrap_or_else(|error| panic!("{error}"))
}

/// What a person reads, which is one line.
fn refused(data: &Path) -> String {
    let said = open_at(data, now()).expect_err("it opened").to_string();
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains("ledger.db"), "{said}");
    said
}

/// A key that is closed at this time: one line, of the kind that leaves a mark.
fn record(ledger: &Ledger, task: &str, at: DateTime<Utc>) {
    let calendar = Calendar { zone: chrono_tz::UTC, starts_at: chrono::NaiveTime::MIN };
    let period = calendar.period(PeriodKind::Day, at);
    let lane = Lane { site: "community".into(), account: "main".into() };
    let key = Key::new(&period, &lane, task);
    let window = Window { slot: at, until: at + TimeDelta::hours(1) };
    let row = KeyRow { key: key.clone(), lane, task: task.into(), period, window, report_date: period.day };
    ledger.open_key(&row, at).unwrap();
    let event = Event::Closed { status: Status::Skipped, reason: "missed".into() };
    let mut state = TaskRun::default();
    state.status = Status::Skipped;
    ledger.append("run", &key, at, &event, &state).unwrap();
}

/// A ledger with this many keys, closed cleanly.
fn filled(data: &Path, keys: usize) {
    let ledger = open(data);
    for number in 0..keys {
        record(&ledger, &format!("task{number}"), now() + TimeDelta::minutes(number as i64));
    }
}

fn keys(ledger: &Ledger) -> i64 {
    ledger.read(|connection| connection.query_row("SELECT count(*) FROM keys", [], |row| row.get(0))).unwrap()
}

fn kinds(ledger: &Ledger) -> Vec<LossKind> {
    ledger.losses().unwrap().iter().map(|loss| loss.kind).collect()
}

fn file(data: &Path) -> PathBuf {
    data.join("ledger.db")
}

/// The files of the ledger as they lie there now, which is what a killed process leaves: its write-ahead file too.
fn copy_of(data: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    for name in ["ledger.db", "ledger.db-wal", "profiles/ledger.mark"] {
        if data.join(name).exists() {
            fs::create_dir_all(copy.path().join("profiles")).unwrap();
            fs::copy(data.join(name), copy.path().join(name)).unwrap();
        }
    }
    copy
}

/// Every file beside the ledger whose name starts so.
fn named(data: &Path, start: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(data).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        entries.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with(start)).collect();
    files.sort();
    files
}

/// Any database that is no ledger.
fn some_database(path: &Path, sql: &str) {
    Connection::open(path).unwrap().execute_batch(sql).unwrap();
}
