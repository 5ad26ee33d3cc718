//! What the ledger knows of a task's and an account's past, for the alarms.

use chrono::{DateTime, NaiveDate, Utc};
use rusqlite::{Connection, OptionalExtension, params};

use super::stamp::unstamp;
use super::store::Statements;
use super::{Ledger, LedgerError};
use crate::run::Lane;

/// The times of a task in a lane: its first key was opened, it was last well (done, or nothing to do), it was last missed.
pub type Times = [Option<DateTime<Utc>>; 3];

impl Ledger {
    /// The times of this task, also under its former name. Each is one step into an index, however many years there are.
    pub fn times_of(&self, lane: &Lane, task: &str, former: Option<&str>) -> Result<Times, LedgerError> {
        let mut times: Times = [None; 3];
        for name in [task].into_iter().chain(former) {
            let [since, well, missed] = self.read(|connection| times_of_one(connection, lane, name))?;
            times[0] = times[0].into_iter().chain(since).min();
            times[1] = times[1].max(well);
            times[2] = times[2].max(missed);
        }
        Ok(times)
    }

    /// True when this task, also under its former name, has a key in this lane of a date before this one.
    pub fn has_key_before(
        &self,
        lane: &Lane,
        task: &str,
        former: Option<&str>,
        date: NaiveDate,
    ) -> Result<bool, LedgerError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM keys INDEXED BY keys_task
                   WHERE site = ?1 AND account = ?2 AND task IN (?3, ?4) AND report_date < ?5)";
        let date = date.to_string();
        self.read(|connection| {
            connection.query_row_cached(sql, params![lane.site, lane.account, task, former, date], |row| row.get(0))
        })
    }

    /// The last read-backs of an account's points, the latest first: when, whether to the end, how many rows were new.
    pub fn last_read_backs(&self, lane: &Lane, most: usize) -> Result<Vec<(DateTime<Utc>, bool, usize)>, LedgerError> {
        let sql = "SELECT at, incomplete IS NULL, (SELECT count(*) FROM rows r
                 WHERE r.site = p.site AND r.account = p.account AND r.day = p.day)
             FROM points_reads p WHERE site = ?1 AND account = ?2 ORDER BY day DESC LIMIT ?3";
        self.read(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            let rows = statement.query_map(params![lane.site, lane.account, most], |row| {
                let new: i64 = row.get(2)?;
                Ok((unstamp(0, &row.get::<_, String>(0)?)?, row.get(1)?, usize::try_from(new).unwrap_or_default()))
            })?;
            rows.collect()
        })
    }
}

fn times_of_one(connection: &Connection, lane: &Lane, task: &str) -> rusqlite::Result<Times> {
    let first = "SELECT min(opened_at) FROM keys INDEXED BY keys_task WHERE site = ?1 AND account = ?2 AND task = ?3";
    let well = "SELECT closed_at FROM keys INDEXED BY keys_task_closed
                WHERE site = ?1 AND account = ?2 AND task = ?3 AND closed_at IS NOT NULL
                  AND (status IN ('success', 'already_done', 'compensated')
                       OR (status = 'skipped' AND reason <> 'period_over' AND reason NOT LIKE 'missed%'))
                ORDER BY closed_at DESC LIMIT 1";
    let missed = "SELECT max(closed_at) FROM keys INDEXED BY keys_missed
                  WHERE site = ?1 AND account = ?2 AND task = ?3 AND status = 'skipped' AND reason = 'missed'";
    let time = |sql: &str| -> rusqlite::Result<Option<DateTime<Utc>>> {
        let told = connection.query_row_cached(sql, [&lane.site, &lane.account, task], |row| row.get(0)).optional()?;
        told.flatten().map(|text: String| unstamp(0, &text)).transpose()
    };
    Ok([time(first)?, time(well)?, time(missed)?])
}

#[cfg(test)]
mod tests {
    use chrono::{NaiveTime, TimeDelta};

    use super::*;
    use crate::ledger::{KeyRow, PointsRead};
    use crate::run::{Event, Key, Status, TaskRun};
    use crate::timing::{Calendar, PeriodKind, Window};

    fn day(day: u32) -> DateTime<Utc> {
        format!("2026-11-{day:02}T06:00:00Z").parse().unwrap()
    }

    fn lane() -> Lane {
        Lane { site: "community".into(), account: "main".into() }
    }

    fn closed(ledger: &Ledger, task: &str, at: DateTime<Utc>, status: Status, reason: &str) {
        let calendar = Calendar { zone: chrono_tz::UTC, starts_at: NaiveTime::MIN };
        let period = calendar.period(PeriodKind::Day, at);
        let key = Key::new(&period, &lane(), task);
        let window = Window { slot: at, until: at + TimeDelta::hours(1) };
        let (report_date, task) = (period.day, task.to_owned());
        ledger.open_key(&KeyRow { key: key.clone(), lane: lane(), task, period, window, report_date }, at).unwrap();
        let mut state = TaskRun::default();
        (state.status, state.reason) = (status, Some(reason.to_owned()));
        let event = Event::Closed { status, reason: reason.to_owned() };
        ledger.append("run", &key, at, &event, &state).unwrap();
    }

    #[test]
    fn what_was_done_or_was_not_to_be_done_is_well_and_what_was_missed_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::open(folder.path()).unwrap();
        assert_eq!(ledger.times_of(&lane(), "checkin", None).unwrap(), [None; 3]);
        closed(&ledger, "sign", day(9), Status::Success, "");
        closed(&ledger, "checkin", day(10), Status::AlreadyDone, "");
        closed(&ledger, "checkin", day(11), Status::Skipped, "skip: nothing to do");
        closed(&ledger, "checkin", day(12), Status::Skipped, "missed");
        closed(&ledger, "checkin", day(13), Status::Dead, "no_effect");
        closed(&ledger, "another", day(14), Status::Success, "");
        closed(&ledger, "checkin", day(15), Status::Skipped, "missed: overlap");
        let [since, well, missed] = ledger.times_of(&lane(), "checkin", None).unwrap();
        assert_eq!((since, well, missed), (Some(day(10)), Some(day(11)), Some(day(12))));
        let before = |task, former, at| ledger.has_key_before(&lane(), task, former, day(at).date_naive()).unwrap();
        assert!(before("checkin", None, 11) && !before("checkin", None, 10), "the tenth is its first");
        assert!(before("checkin", Some("sign"), 10) && !before("read", None, 30));
        assert_eq!(ledger.times_of(&lane(), "checkin", Some("sign")).unwrap()[0], Some(day(9)), "its former name");
    }

    #[test]
    fn the_latest_read_backs_stand_first() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::open(folder.path()).unwrap();
        for (number, incomplete) in [(10, None), (11, Some("half".to_owned())), (12, None)] {
            let date = NaiveDate::from_ymd_opt(2026, 11, number).unwrap();
            let read = PointsRead { at: day(number), balance: None, incomplete };
            ledger.keep_points_read(&lane(), date, &read).unwrap();
        }
        let reads = ledger.last_read_backs(&lane(), 2).unwrap();
        assert_eq!(reads, [(day(12), true, 0), (day(11), false, 0)]);
    }
}
