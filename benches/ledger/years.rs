//! Years of mornings. One morning is lived through by the ledger's own functions; the others are its rows with their dates
//! moved, which is checked against a second morning that was lived through, too.

use std::path::{Path, PathBuf};

use chrono::{DateTime, Days, NaiveDate, SecondsFormat, TimeDelta, Utc};
use rusqlite::Connection;
use sunup::clock::{Clock, SystemClock};
use sunup::files::model::Project;
use sunup::ledger::{Holder, IntentAnswer, Lease, LeaseAnswer, Ledger, MAILS_KEPT_DAYS, MailState, PointsRead};
use sunup::run::{Answer, Event, Lane, Next, Reading, SUBMISSIONS_A_DAY, Source, TaskRun};
use sunup::runner::{NewReport, Planned, keep_report, plan};
use sunup::secrets::Redactor;
use sunup::values::{Cell, Number, Row, Rows, Value};

use crate::support::Place;

const RUN: &str = "0123456789abcdef";
/// What a morning adds rows to. Its leases are taken along once.
const TABLES: [&str; 10] =
    ["keys", "events", "intents", "sign_ins", "decisions", "attempts", "rows", "points_reads", "reports", "outbox"];
/// What stands in the template for the day before a morning, its day, and the day after.
const MARKS: [&str; 3] = ["####-##-#0", "####-##-#1", "####-##-#2"];
/// So far apart are the two mornings that are compared: both are of one weekday.
const APART: u64 = 7;

/// A ledger with today's morning, in which marks stand for its dates.
pub struct Template {
    ledger: PathBuf,
    today: NaiveDate,
}

impl Template {
    pub fn new(place: &Place, project: &Project) -> Self {
        let now = SystemClock::new().now();
        let today = now.with_timezone(&project.settings.timezone).date_naive();
        let lived = place.path("lived");
        live(&Ledger::open_for_simulation(&lived).expect("a ledger"), project, now);
        let template = Template { ledger: lived.join("ledger.db"), today };
        template.set_marks();
        template.compare(place, project, now);
        template
    }

    fn connection(&self, data: &Path) -> Connection {
        drop(Ledger::open(data).expect("a new ledger"));
        let connection = Connection::open(data.join("ledger.db")).expect("the same");
        // Nobody wants it back if this is cut off.
        let pragmas = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000;";
        connection.execute_batch(pragmas).expect("settings");
        connection.execute("ATTACH ?1 AS day", [self.ledger.to_str()]).expect("the template");
        connection
    }

    /// So many mornings, of which today's is the last.
    pub fn fill(&self, data: &Path, days: u32) {
        let connection = self.connection(data);
        connection.execute_batch("BEGIN").expect("a transaction");
        for ago in (0..days).rev() {
            self.add(&connection, self.today - Days::new(ago.into()));
        }
        // By UTC, a morning of this day may be of the day before.
        let (marks, today) = (MARKS.map(|mark| format!("'{mark}'")), dates(self.today).map(|date| format!("'{date}'")));
        let latest = moved("value", &marks, &today);
        let rest =
            format!("INSERT OR REPLACE INTO main.meta SELECT name, {latest} FROM day.meta WHERE name = 'high_water'");
        connection.execute(&rest, []).expect("the latest time");
        // What the runs of these days have left: nothing is to be trimmed, and the file was checked today.
        let now = SystemClock::new().now().to_rfc3339_opts(SecondsFormat::Millis, true);
        for (name, value) in [("trimmed_until", (self.kept_from() - Days::new(1)).to_string()), ("checked_at", now)] {
            let sql = "INSERT OR REPLACE INTO main.meta VALUES (?1, ?2)";
            connection.execute(sql, [name, &value]).expect("what a run leaves");
        }
        connection.execute_batch("COMMIT").expect("a commit");
    }

    /// From this day on, mails and reports are kept whole; earlier ones are filled in as `Ledger::trim` leaves them.
    fn kept_from(&self) -> NaiveDate {
        self.today - Days::new(MAILS_KEPT_DAYS)
    }

    fn add(&self, connection: &Connection, date: NaiveDate) {
        let dates = dates(date);
        for table in TABLES {
            let columns = columns(connection, table);
            let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
            let of_long_ago = date < self.kept_from();
            let values: Vec<String> = columns
                .iter()
                .map(|(name, kind)| match (name.as_str(), kind.as_str()) {
                    ("text" | "html" | "json", _) if of_long_ago && table == "reports" => "''".to_owned(),
                    ("bytes", _) if of_long_ago => "x''".to_owned(),
                    (_, "TEXT") => {
                        moved(name, &MARKS.map(|mark| format!("'{mark}'")), &["?1", "?2", "?3"].map(str::to_owned))
                    }
                    _ => name.clone(),
                })
                .collect();
            let (names, values) = (names.join(", "), values.join(", "));
            // All three are named, so that every table takes the same.
            let sql = format!(
                "INSERT INTO main.{table} ({names}) SELECT {values} FROM day.{table} WHERE ?1 < ?2 AND ?2 < ?3 ORDER BY rowid"
            );
            let mut insert = connection.prepare_cached(&sql).expect("columns of the table");
            insert.execute([&dates[0], &dates[1], &dates[2]]).expect("rows of a morning");
        }
    }

    /// Puts the marks in the place of the dates.
    fn set_marks(&self) {
        let connection = Connection::open(&self.ledger).expect("the ledger");
        connection.execute_batch("PRAGMA foreign_keys = OFF").expect("a setting");
        let dates = dates(self.today).map(|date| format!("'{date}'"));
        for table in TABLES.into_iter().chain(["meta"]) {
            let columns = columns(&connection, table).into_iter().filter(|(_, kind)| kind == "TEXT");
            let marks = MARKS.map(|mark| format!("'{mark}'"));
            let sets: Vec<String> =
                columns.map(|(name, _)| format!("{name} = {}", moved(&name, &dates, &marks))).collect();
            connection.execute(&format!("UPDATE {table} SET {}", sets.join(", ")), []).expect("marks");
        }
    }

    /// A morning whose dates were moved is, row by row, what a morning of that day is.
    fn compare(&self, place: &Place, project: &Project, now: DateTime<Utc>) {
        let earlier = self.today - Days::new(APART);
        let (lived, filled) = (place.path("compared-lived"), place.path("compared-filled"));
        live(&Ledger::open_for_simulation(&lived).expect("a ledger"), project, now - TimeDelta::days(APART as i64));
        let connection = self.connection(&filled);
        self.add(&connection, earlier);
        let lived = Connection::open(lived.join("ledger.db")).expect("the ledger");
        // What is rendered says dates in words, and a mail has chance in it.
        for table in TABLES.into_iter().filter(|table| !["reports", "outbox"].contains(table)) {
            let (lived, filled) = (rows(&lived, table), rows(&connection, table));
            assert!(!lived.is_empty() && lived == filled, "{table}: {:?}\n{:?}", lived.first(), filled.first());
        }
    }
}

/// The day before, the day, and the day after.
fn dates(date: NaiveDate) -> [String; 3] {
    [date - Days::new(1), date, date + Days::new(1)].map(|date| date.to_string())
}

fn moved(column: &str, from: &[String; 3], to: &[String; 3]) -> String {
    from.iter().zip(to).fold(column.to_owned(), |text, (from, to)| format!("replace({text}, {from}, {to})"))
}

/// The columns of a table with their types, those aside that number its rows.
fn columns(connection: &Connection, table: &str) -> Vec<(String, String)> {
    let sql = format!("SELECT name, type FROM pragma_table_info('{table}') WHERE NOT (pk = 1 AND type = 'INTEGER')");
    let mut statement = connection.prepare_cached(&sql).expect("a table");
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("columns");
    rows.collect::<Result<_, _>>().expect("names")
}

fn rows(connection: &Connection, table: &str) -> Vec<String> {
    let names: Vec<String> = columns(connection, table).into_iter().map(|(name, _)| name).collect();
    let sql = format!("SELECT concat_ws('|', {}) FROM main.{table} ORDER BY rowid", names.join(", "));
    let mut statement = connection.prepare(&sql).expect("columns");
    statement.query_map([], |row| row.get(0)).expect("rows").collect::<Result<_, _>>().expect("texts")
}

/// A morning on which everything is done at the first try.
fn live(ledger: &Ledger, project: &Project, now: DateTime<Utc>) {
    let plan = plan(project, now);
    let at = plan[0].row.window.slot + TimeDelta::minutes(5);
    let mut lane: Option<(Lane, Lease)> = None;
    for key in &plan {
        if lane.as_ref().is_none_or(|(lane, _)| *lane != key.row.lane) {
            lane = Some((key.row.lane.clone(), begin(ledger, key, at)));
        }
        let (_, lease) = lane.as_ref().expect("a lane");
        act(ledger, key, lease, at);
    }
    // The report comes after the last key's end.
    let (date, at) = (plan[0].row.report_date, at + TimeDelta::minutes(1));
    let new = NewReport { date, now: at, ..NewReport::default() };
    let report = keep_report(project, ledger, &Redactor::default(), new).expect("a report");
    assert!(report.is_some(), "a morning has a report");
    for mail in ledger.undelivered_mails().expect("mails") {
        assert!(ledger.mail_sending(mail.id, 0, true, at).expect("a mail"));
        ledger.mail_answered(mail.id, MailState::Sent, None, None, at).expect("a mail");
    }
}

/// A lane is opened, signed in, and its points are read.
fn begin(ledger: &Ledger, key: &Planned<'_>, at: DateTime<Utc>) -> Lease {
    let lane = &key.row.lane;
    let LeaseAnswer::Taken(lease) = ledger.take_lease(lane, &Holder::this(), at).expect("a lease") else {
        panic!("another has {lane}");
    };
    let day = key.row.period.day;
    let answer = ledger.intend_sign_in(RUN, &lease, day, SUBMISSIONS_A_DAY, at).expect("a sign-in");
    assert_eq!(answer, IntentAnswer::Written);
    ledger.settle_sign_in(&lease, true).expect("a sign-in");
    let rows: Vec<Row> = (0..30).map(|number| points_row(at + TimeDelta::seconds(number))).collect();
    ledger.keep_rows(lane, "points", day, &rows, at).expect("rows");
    let read = PointsRead { at, balance: Some(1_280.into()), incomplete: None };
    ledger.keep_points_read(lane, day, &read).expect("a read");
    ledger.rows_reported(lane, day, at).expect("rows");
    lease
}

fn points_row(at: DateTime<Utc>) -> Row {
    let cells = [
        ("time", Value::Time(at)),
        ("title", Value::Text("每日签到".to_owned())),
        ("amount", Value::Number(Number { value: 10.into(), rounded: false })),
    ];
    Row { cells: cells.into_iter().map(|(name, value)| (name.to_owned(), Cell::Value(value))).collect() }
}

/// One key, from its first decision to its end, and the decision of a later run.
fn act(ledger: &Ledger, key: &Planned<'_>, lease: &Lease, at: DateTime<Utc>) {
    let (row, rules) = (&key.row, &key.rules);
    ledger.open_key(row, at).expect("a key");
    ledger.record_decision(&row.key, Source::Schedule, "run", at).expect("a decision");
    let attempt = ledger.attempt_started(&row.key, RUN, Source::Schedule, at).expect("an attempt");
    let mut state = TaskRun::default();
    let mut event = Event::Started { source: Source::Schedule };
    let mut at = at;
    loop {
        state.apply(at, &event, rules);
        let written = match &event {
            Event::Intended { .. } => {
                let answer = ledger.intend(RUN, &row.key, lease, at, &event, &state).expect("an intent");
                answer == IntentAnswer::Written
            }
            Event::Committed { .. } => {
                ledger.settle_intent(RUN, &row.key, lease, at, &event, &state).expect("an intent")
            }
            _ => ledger.append_under(lease, RUN, &row.key, at, &event, &state).expect("an event"),
        };
        assert!(written, "{event:?}");
        at += TimeDelta::milliseconds(1_250);
        event = match state.next(at, rules) {
            Next::Read(which) => Event::Read { which, reading: reading(&state, at) },
            Next::Prepare => Event::Prepared { notes: Vec::new() },
            Next::Intend { generation, unit } => Event::Intended { generation, unit },
            Next::Commit => Event::Committed { trouble: None, refused: None },
            Next::Done => break,
            other => panic!("a good morning has no {other:?}"),
        };
    }
    let took = std::time::Duration::from_millis(8_750);
    ledger.attempt_finished(attempt, &state, took, at).expect("an attempt");
    ledger.record_decision(&row.key, Source::Schedule, "already_done", at).expect("a decision");
}

/// It is to do, the evidence is not there; and after the act it is.
fn reading(state: &TaskRun, at: DateTime<Utc>) -> Reading {
    let rows = |rows: Vec<Row>| ("details".to_owned(), Value::Rows(Rows { rows, read: 30 }));
    let (answer, values) = match (state.phase, state.acts) {
        (sunup::run::Phase::Open, _) => (Answer::Todo, ("signed".to_owned(), Value::Boolean(false))),
        (_, 0) => (Answer::NotYet, rows(Vec::new())),
        _ => (Answer::Done, rows(vec![points_row(at)])),
    };
    Reading { answer, values: [values].into(), notes: Vec::new() }
}
