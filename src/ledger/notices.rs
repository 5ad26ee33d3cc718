//! Mails beside the report: what was told by one, so that it is told once, whatever crashes and however many runs there are.

use chrono::{DateTime, NaiveDate, Utc};
use rusqlite::{Connection, params};

use super::outbox::put_into_outbox;
use super::stamp::{stamp, unstamp};
use super::store::Statements;
use super::{Ledger, LedgerError, NewMail, StatusLine};

/// What the mails of notices have in place of a report's number.
pub(super) const NO_REPORT: u32 = 0;

impl Ledger {
    /// True when a notice of this kind has told of this, and it is not over.
    pub fn was_noticed(&self, kind: &str, about: &str) -> Result<bool, LedgerError> {
        self.read(|connection| was_noticed(connection, kind, about))
    }

    /// Stores that a notice tells of these, and its mails, in one transaction. False, and nothing is stored, when another run
    /// was quicker with one of them.
    pub fn keep_notice(
        &self,
        kind: &str,
        about: &[String],
        date: NaiveDate,
        mails: &[NewMail],
        at: DateTime<Utc>,
    ) -> Result<bool, LedgerError> {
        self.write(|transaction| {
            for one in about {
                if was_noticed(transaction, kind, one)? {
                    return Ok(false);
                }
            }
            for one in about {
                transaction.execute_cached(
                    "INSERT INTO notices (kind, about, made_at) VALUES (?1, ?2, ?3)",
                    params![kind, one, stamp(at)],
                )?;
            }
            put_into_outbox(transaction, date, NO_REPORT, mails, at)?;
            Ok(true)
        })
    }

    /// What notices of this kind have told of is over, but for these: should it come again, it is told again.
    pub fn notices_over(&self, kind: &str, but_for: &[String], at: DateTime<Utc>) -> Result<(), LedgerError> {
        let standing: Vec<(i64, String)> = self.read(|connection| {
            let sql = "SELECT id, about FROM notices INDEXED BY notices_made WHERE kind = ?1 AND over_at IS NULL";
            let mut statement = connection.prepare_cached(sql)?;
            statement.query_map([kind], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })?;
        for (id, _) in standing.iter().filter(|(_, about)| !but_for.contains(about)) {
            self.write(|transaction| {
                transaction.execute_cached("UPDATE notices SET over_at = ?2 WHERE id = ?1", params![id, stamp(at)])
            })?;
        }
        Ok(())
    }

    /// When the last report of all was made: what had ended by then, it tells of.
    pub fn last_report_at(&self) -> Result<Option<DateTime<Utc>>, LedgerError> {
        self.read(|connection| {
            let sql = "SELECT max(rendered_at) FROM reports INDEXED BY reports_rendered";
            let last: Option<String> = connection.query_row_cached(sql, [], |row| row.get(0))?;
            last.map(|text| unstamp(0, &text)).transpose()
        })
    }

    /// The keys that were skipped after this time.
    pub fn skipped_since(&self, time: DateTime<Utc>) -> Result<Vec<StatusLine>, LedgerError> {
        let condition = "INDEXED BY keys_closed WHERE closed_at > ?1 AND status = 'skipped' ORDER BY closed_at, rowid";
        self.status_lines(condition, [stamp(time)])
    }
}

fn was_noticed(connection: &Connection, kind: &str, about: &str) -> rusqlite::Result<bool> {
    connection.query_row_cached(
        "SELECT EXISTS (SELECT 1 FROM notices WHERE kind = ?1 AND about = ?2 AND over_at IS NULL)",
        [kind, about],
        |row| row.get(0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: u32) -> DateTime<Utc> {
        format!("2026-11-30T06:{minute:02}:00Z").parse().unwrap()
    }

    fn mail(number: u32) -> NewMail {
        NewMail {
            sender: "a@example.org".into(),
            recipient: "b@example.org".into(),
            message_id: format!("<{number}@example.org>"),
            bytes: b"x".to_vec(),
        }
    }

    fn keep(ledger: &Ledger, about: &[&str], number: u32) -> bool {
        let about: Vec<String> = about.iter().map(|one| (*one).to_owned()).collect();
        ledger.keep_notice("alarm", &about, at(0).date_naive(), &[mail(number)], at(number)).unwrap()
    }

    #[test]
    fn it_is_told_once_until_it_is_over_and_then_again() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::open(folder.path()).unwrap();
        assert!(keep(&ledger, &["one", "two"], 1));
        assert!(!keep(&ledger, &["three", "two"], 2), "one of them is told of already");
        assert!(!ledger.was_noticed("alarm", "three").unwrap(), "all or nothing");
        assert!(!ledger.was_noticed("dead", "one").unwrap(), "another kind");
        ledger.notices_over("alarm", &["two".to_owned()], at(3)).unwrap();
        assert!(!keep(&ledger, &["two"], 3), "it has not ended");
        assert!(keep(&ledger, &["one"], 4), "it has come again");
        assert_eq!(ledger.undelivered_mails().unwrap().len(), 2);
    }

    #[test]
    fn the_mail_of_a_notice_is_not_that_of_a_report() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::open(folder.path()).unwrap();
        keep(&ledger, &["one"], 1);
        assert_eq!(ledger.last_mail(at(0).date_naive()).unwrap(), None);
    }
}
