//! Every statement that a run asks over and over finds its rows by an index, however many years the ledger has.

use std::ffi::CStr;
use std::ptr;

use rusqlite::ffi;

use super::*;

/// The few that go through a whole index, each of one that holds no more than what is wanted, or from its end.
const WALKS: [&str; 7] = [
    "SCAN keys USING INDEX keys_open",
    "SCAN keys USING INDEX keys_dead",
    "SCAN tickets USING INDEX tickets_open",
    "SCAN outbox USING INDEX outbox_undelivered",
    "SCAN reports USING COVERING INDEX reports_rendered",
    "SCAN reports USING INDEX sqlite_autoindex_reports_1",
    "SCAN keys USING INDEX keys_report",
];

/// Small tables, a row for each loss; and none at all.
const SMALL: [&str; 2] = ["SCAN losses", "SCAN CONSTANT ROW"];

/// The statements that this connection has prepared and keeps.
fn kept(connection: &Connection) -> Vec<String> {
    let mut kept = Vec::new();
    // SAFETY: the connection is open, nobody else uses it meanwhile, and a statement's text lives as long as the statement.
    unsafe {
        let mut statement = ffi::sqlite3_next_stmt(connection.handle(), ptr::null_mut());
        while !statement.is_null() {
            kept.push(CStr::from_ptr(ffi::sqlite3_sql(statement)).to_string_lossy().into_owned());
            statement = ffi::sqlite3_next_stmt(connection.handle(), statement);
        }
    }
    kept
}

fn plan(connection: &Connection, sql: &str) -> Vec<String> {
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    statement.raw_query().mapped(|row| row.get(3)).collect::<Result<_, _>>().unwrap()
}

/// True for a step of a plan that reads a whole table, or all of it before some value.
fn reads_the_years(line: &str) -> bool {
    let scans = line.starts_with("SCAN") && !WALKS.contains(&line) && !SMALL.contains(&line);
    scans || (line.contains("<?)") && !line.contains(">?"))
}

/// Asks the ledger all that a morning asks it.
fn ask_everything(ledger: &Ledger) {
    let (lane, day) = (Lane { site: "community".into(), account: "main".into() }, now().date_naive());
    let key = Key::from_ledger("2026-11-30:community/one@main".into());
    record(ledger, "one", now());
    let LeaseAnswer::Taken(mut lease) = ledger.take_lease(&lane, &Holder::this(), now()).unwrap() else { panic!() };
    let state = TaskRun::default();
    let failure = Failure::new(FailureKind::RateLimited, "too many");
    ledger.keep_lease(&mut lease, now(), TimeDelta::days(1)).unwrap();
    ledger.keep_lease(&mut lease, now(), TimeDelta::zero()).unwrap();
    ledger.lease_holder(&lane, &Holder::this(), now()).unwrap();
    ledger.record_decision(&key, Source::Schedule, "run", now()).unwrap();
    ledger.record_decision(&key, Source::Schedule, "run", now()).unwrap();
    ledger.last_decision(&key).unwrap();
    ledger.was_asked(&key, now(), now()).unwrap();
    ledger.open_keys_of(&lane).unwrap();
    let attempt = ledger.attempt_started(&key, "run", Source::Schedule, now()).unwrap();
    ledger.attempt_finished(attempt, &state, Duration::ZERO, now()).unwrap();
    ledger.attempts(&key).unwrap();
    ledger.events(&key).unwrap();
    ledger.last_event_at(&key).unwrap();
    ledger.append_under(&lease, "run", &key, now(), &Event::Interrupted, &state).unwrap();
    ledger.intend("run", &key, &lease, now(), &Event::Intended { generation: 0, unit: None }, &state).unwrap();
    let committed = Event::Committed { trouble: None, refused: None };
    ledger.settle_intent("run", &key, &lease, now(), &committed, &state).unwrap();
    ledger.sent_intents(&key).unwrap();
    ledger.intend_sign_in("run", &lease, day, 2, now()).unwrap();
    ledger.settle_sign_in(&lease, true).unwrap();
    ledger.suspended_by(&lane).unwrap();
    ledger.site_waits("community", now(), &failure).unwrap();
    ledger.site_wait("community", now()).unwrap();
    let (task, text) = (None, "seen".to_owned());
    let (arose, fingerprint) = (Some("one".to_owned()), None);
    let ticket = Ticket { lane: lane.clone(), failure: Some(failure), task, arose, text, fingerprint };
    let number = ledger.open_ticket(&ticket, now()).unwrap();
    ledger.open_tickets().unwrap();
    ledger.close_ticket(number, "a person", now()).unwrap();
    ledger.closed_by(number).unwrap();
    ledger.block_passed(&lane, Some("one"), now()).unwrap();
    ledger.block_passed(&lane, None, now()).unwrap();
    ledger.ticket(number).unwrap();
    ledger.signed_in(&lane, SessionOrigin::Runner, now()).unwrap();
    ledger.session_lasts(&lane, None).unwrap();
    ledger.session(&lane).unwrap();
    ledger.signed_out(&lane).unwrap();
    ledger.rejected_fingerprints(&lane).unwrap();
    ledger.keep_rows(&lane, "points", day, &[Default::default()], now()).unwrap();
    ledger.rows_of(&lane, "points", day).unwrap();
    ledger.rows_reported(&lane, day, now()).unwrap();
    ledger.keep_points_read(&lane, day, &PointsRead { at: now(), balance: None, incomplete: None }).unwrap();
    ledger.points_read(&lane, day).unwrap();
    ledger.key(&key).unwrap();
    ledger.open_keys().unwrap();
    ledger.open_keys_of(&lane).unwrap();
    ledger.decisions_repeated(&[(key.clone(), now())]).unwrap();
    ledger.dead_letters().unwrap();
    ledger.acknowledge(&key, "a person", now()).unwrap();
    ledger.skipped_since(now()).unwrap();
    ledger.last_report_at().unwrap();
    ledger.keep_notice("alarm", &["one".to_owned()], day, &[], now()).unwrap();
    ledger.notices_over("alarm", &[], now()).unwrap();
    ledger.keys_of(day).unwrap();
    ledger.keys_ended_since_last_report(day).unwrap();
    ledger.last_date().unwrap();
    ledger.high_water().unwrap();
    ledger.untold_losses().unwrap();
    ledger.last_report(day).unwrap();
    ledger.last_mail(day).unwrap();
    ledger.undelivered_mails().unwrap();
    ledger.trim(now() + TimeDelta::days(100)).unwrap();
    ledger.times_of(&lane, "one", Some("former")).unwrap();
    ledger.has_key_before(&lane, "one", Some("former"), day).unwrap();
    ledger.last_read_backs(&lane, 3).unwrap();
    ledger.last_verified().unwrap();
    ledger.last_failed().unwrap();
    ledger.last_outcome().unwrap();
    ledger.newest_report().unwrap();
    ledger.mail_sending(1, 0, true, now()).unwrap();
    ledger.mail_answered(1, MailState::Sent, None, None, now()).unwrap();
    ledger.release_lease(&lease, now()).unwrap();
}

#[test]
fn nothing_that_a_run_asks_reads_a_whole_table() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = open(folder.path());
    ask_everything(&ledger);
    let statements = ledger.read(|connection| Ok(kept(connection))).unwrap();
    assert!(statements.len() > 45, "{}: {statements:#?}", statements.len());
    let mut scans = Vec::new();
    for sql in &statements {
        let plan = ledger.read(|connection| Ok(plan(connection, sql))).unwrap();
        scans.extend(plan.iter().filter(|line| reads_the_years(line)).map(|line| format!("{line}: {sql}")));
    }
    assert!(scans.is_empty(), "{scans:#?}");
}
