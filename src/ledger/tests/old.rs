//! Every released version is read by this one. `tests/ledgers/` keeps a ledger of each, with a morning in it.

use super::*;
use crate::ledger::migrations::{STEPS, VERSION, migrate, version};

const RELEASED: [(i64, &str); 3] = [
    (1, include_str!("../../../tests/ledgers/v1.sql")),
    (2, include_str!("../../../tests/ledgers/v2.sql")),
    (3, include_str!("../../../tests/ledgers/v3.sql")),
];

/// How many columns `tickets` had before version 4.
const OF_A_TICKET: usize = 12;

fn put(data: &Path, content: &str) {
    fs::create_dir_all(data).unwrap();
    some_database(&file(data), &format!("PRAGMA journal_mode = WAL; {content}"));
}

/// Every row of these tables, as text.
fn rows(connection: &Connection) -> Vec<String> {
    let tables =
        "keys events intents sign_ins leases tickets waits decisions attempts rows points_reads reports outbox";
    let mut all = Vec::new();
    for table in tables.split(' ') {
        let mut statement = connection
            .prepare(&format!("SELECT * FROM {table} ORDER BY rowid"))
            .unwrap_or_else(|_| connection.prepare(&format!("SELECT * FROM {table}")).unwrap());
        let width = if table == "tickets" { OF_A_TICKET } else { statement.column_count() };
        let texts = statement.query_map([], |row| {
            (0..width).map(|column| row.get::<_, rusqlite::types::Value>(column)).collect::<Result<Vec<_>, _>>()
        });
        all.extend(texts.unwrap().map(|row| format!("{table} {:?}", row.unwrap())));
    }
    all
}

#[test]
fn a_ledger_of_every_released_version_is_migrated_and_reads_the_same() {
    for (number, content) in RELEASED {
        let folder = tempfile::tempdir().unwrap();
        put(folder.path(), content);
        let before = rows(&Connection::open(file(folder.path())).unwrap());
        assert!(before.len() > 50, "a morning has many lines");
        let ledger = open(folder.path());
        ledger
            .read(|connection| {
                assert_eq!((version(connection)?, rows(connection)), (VERSION, before.clone()));
                Ok(())
            })
            .unwrap();
        let lost: &[LossKind] = if number == 2 { &[LossKind::Damaged] } else { &[] };
        assert_eq!(kinds(&ledger), lost, "what an old one knew to be lost");
        let line = ledger.key(&Key::from_ledger("2026-11-30:community/checkin@main".into())).unwrap().unwrap();
        assert_eq!(line.status, Status::Success);
        assert!(ledger.events(&line.row.key).unwrap().len() > 5, "every event is still understood");
        assert_eq!(ledger.open_tickets().unwrap().len(), 1);
        let kept = folder.path().join(format!("ledger.version-{number}-20261130T000000Z"));
        let kept = Connection::open(kept).unwrap();
        assert_eq!((version(&kept).unwrap(), rows(&kept)), (number, before), "the copy is as it was");
        drop(ledger);
        drop(open(folder.path()));
        assert_eq!(named(folder.path(), "ledger.version").len(), 1, "one copy, of one migration");
    }
}

#[test]
fn one_that_is_only_shown_is_migrated_too() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), RELEASED[0].1);
    let ledger = Ledger::open_to_read(folder.path()).unwrap().expect("a ledger");
    assert_eq!(ledger.losses().unwrap(), []);
}

#[test]
fn a_migration_that_fails_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), RELEASED[0].1);
    // The second version makes a table of this name.
    some_database(&file(folder.path()), "CREATE TABLE losses (a)");
    assert!(refused(folder.path()).contains("losses"));
    let connection = Connection::open(file(folder.path())).unwrap();
    assert_eq!(version(&connection).unwrap(), 1);
    let ids: i64 = connection.query_row("SELECT count(*) FROM meta WHERE name = 'id'", [], |row| row.get(0)).unwrap();
    assert_eq!(ids, 0, "the steps are taken all or none");
}

/// The tables and indexes of a database, without what differs by chance.
fn schema(connection: &Connection) -> Vec<String> {
    let sql = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY name";
    let mut statement = connection.prepare(sql).unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
}

#[test]
fn a_released_version_is_never_changed_and_a_new_ledger_is_what_an_old_one_becomes() {
    let new = Connection::open_in_memory().unwrap();
    migrate(&new).unwrap();
    for (number, content) in RELEASED {
        let (released, today) = (Connection::open_in_memory().unwrap(), Connection::open_in_memory().unwrap());
        released.execute_batch(content).unwrap();
        STEPS.iter().take(number as usize).for_each(|step| today.execute_batch(step).unwrap());
        assert_eq!(schema(&today), schema(&released), "version {number}");
        migrate(&released).unwrap();
        assert_eq!(schema(&new), schema(&released), "from version {number}");
    }
}
