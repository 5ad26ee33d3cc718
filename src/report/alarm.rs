//! Alarms: what nobody would notice by the single days. Judged by what the ledger knows of a task's or an account's past. Pure.

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use super::Words;

/// So many read-backs in a row without a new row are no chance any more: the sign-in or the rules are stale.
pub const READS_WITHOUT_ROWS: usize = 3;

/// What is wrong for some time already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AlarmKind {
    /// The last verified success is older than twice the task's interval.
    NoSuccess,
    /// The last window was missed, and nothing was proved since.
    Missed,
    /// The points were read without an error, again and again, and no row was new.
    NoRows,
}

/// One alarm; it ends by itself when its reason does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alarm {
    /// What is wrong.
    pub kind: AlarmKind,
    /// `site/task`, or the site's id where it is about an account's points.
    pub task: String,
    /// The name for people.
    pub name: String,
    /// The account's id.
    pub account: String,
    /// Since when.
    pub since: DateTime<Utc>,
}

/// What the ledger knows of one task and account.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Past {
    /// When its first key was opened; none when it never had one.
    pub known_since: Option<DateTime<Utc>>,
    /// When a read last said that it is done, or that there is nothing to do.
    pub well_at: Option<DateTime<Utc>>,
    /// When a window was last missed.
    pub missed_at: Option<DateTime<Utc>>,
}

/// One read-back of an account's points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadBack {
    /// When.
    pub at: DateTime<Utc>,
    /// The rows were read to their end.
    pub complete: bool,
    /// So many of them were new.
    pub new_rows: usize,
}

impl AlarmKind {
    /// The word in JSON, and behind `alarm-` in the words.
    pub fn word(self) -> &'static str {
        match self {
            AlarmKind::NoSuccess => "no_success",
            AlarmKind::Missed => "missed",
            AlarmKind::NoRows => "no_rows",
        }
    }
}

impl Past {
    /// What is wrong with a task whose slots are at most so far apart, and since when. The worse of two is said.
    pub fn alarm(&self, interval: TimeDelta, now: DateTime<Utc>) -> Option<(AlarmKind, DateTime<Utc>)> {
        let last_well = self.well_at.or(self.known_since)?;
        if now - last_well > interval * 2 {
            return Some((AlarmKind::NoSuccess, last_well));
        }
        let missed = self.missed_at.filter(|missed| self.well_at.is_none_or(|well| well < *missed))?;
        Some((AlarmKind::Missed, missed))
    }
}

/// Since when an account's points bring nothing new; the latest read-back stands first.
pub fn without_rows(reads: &[ReadBack]) -> Option<DateTime<Utc>> {
    let last = reads.get(..READS_WITHOUT_ROWS)?;
    last.iter().all(|read| read.complete && read.new_rows == 0).then(|| last[READS_WITHOUT_ROWS - 1].at)
}

impl Alarm {
    /// The line that says so, in the report and in `status`.
    pub fn line(&self, words: &Words, zone: Tz) -> String {
        let since = self.since.with_timezone(&zone).format("%Y-%m-%d %H:%M").to_string();
        let values =
            [("name", self.name.clone().into()), ("account", self.account.clone().into()), ("time", since.into())];
        words.with(&format!("alarm-{}", self.kind.word()), &values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(day: u32) -> DateTime<Utc> {
        format!("2026-11-{day:02}T06:00:00Z").parse().unwrap()
    }

    #[test]
    fn twice_the_interval_without_a_success_is_an_alarm_and_not_before() {
        let past = Past { known_since: Some(at(1)), well_at: Some(at(10)), missed_at: None };
        let day = TimeDelta::days(1);
        assert_eq!(past.alarm(day, at(12)), None, "exactly twice");
        assert_eq!(past.alarm(day, at(13)), Some((AlarmKind::NoSuccess, at(10))));
        assert_eq!(past.alarm(TimeDelta::days(3), at(13)), None, "it runs every third day");
        let never = Past { well_at: None, ..past };
        assert_eq!(never.alarm(day, at(4)), Some((AlarmKind::NoSuccess, at(1))), "known, and never well");
        assert_eq!(Past::default().alarm(day, at(30)), None, "never looked at");
    }

    #[test]
    fn a_missed_window_is_one_until_the_next_success() {
        let past = Past { known_since: Some(at(1)), well_at: Some(at(10)), missed_at: Some(at(11)) };
        let day = TimeDelta::days(1);
        assert_eq!(past.alarm(day, at(11)), Some((AlarmKind::Missed, at(11))));
        let made_up = Past { well_at: Some(at(12)), ..past };
        assert_eq!(made_up.alarm(day, at(12)), None);
    }

    #[test]
    fn three_good_reads_without_a_new_row_are_one_and_a_failed_read_is_none() {
        let read = |day, complete, new_rows| ReadBack { at: at(day), complete, new_rows };
        let quiet = [read(12, true, 0), read(11, true, 0), read(10, true, 0), read(9, true, 4)];
        assert_eq!(without_rows(&quiet), Some(at(10)));
        assert_eq!(without_rows(&quiet[..2]), None, "two may be chance");
        assert_eq!(without_rows(&[read(12, true, 0), read(11, false, 0), read(10, true, 0)]), None);
        assert_eq!(without_rows(&[read(12, true, 0), read(11, true, 1), read(10, true, 0)]), None);
    }
}
