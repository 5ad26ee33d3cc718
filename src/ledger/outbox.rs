//! Reports, and the mails that carry them: the rendered bytes and the Message-ID are stored before anything is sent.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::notices::NO_REPORT;
use super::stamp::{stamp, unstamp};
use super::store::Statements;
use super::{Ledger, LedgerError};

/// A mail that was given to a server is its sender's for this long; a run that died in it is followed by the next after
/// that.
const SEND_LIMIT: TimeDelta = TimeDelta::minutes(15);

/// A report as it was rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredReport {
    /// The runner's date.
    pub date: NaiveDate,
    /// 1 for the morning's, then its follow-ups.
    pub number: u32,
    /// When.
    pub rendered_at: DateTime<Utc>,
    /// Its subject.
    pub subject: String,
    /// Its text part.
    pub text: String,
    /// Its HTML part.
    pub html: String,
    /// Its data.
    pub json: String,
}

/// The state of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailState {
    /// To be sent.
    Queued,
    /// The server took it.
    Sent,
    /// No answer after DATA: it may have been taken.
    Uncertain,
    /// Refused for good.
    Failed,
}

impl MailState {
    /// The word in the ledger.
    pub fn word(self) -> &'static str {
        match self {
            MailState::Queued => "queued",
            MailState::Sent => "sent",
            MailState::Uncertain => "uncertain",
            MailState::Failed => "failed",
        }
    }

    fn from_word(word: &str) -> Self {
        match word {
            "sent" => MailState::Sent,
            "uncertain" => MailState::Uncertain,
            "failed" => MailState::Failed,
            _ => MailState::Queued,
        }
    }
}

/// One mail to one recipient, as it was composed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMail {
    /// The sender's address.
    pub sender: String,
    /// The recipient's address.
    pub recipient: String,
    /// With its angle brackets; the same for every try.
    pub message_id: String,
    /// Its bytes; the same for every try.
    pub bytes: Vec<u8>,
}

/// A mail in the outbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxMail {
    /// Its row.
    pub id: i64,
    /// The date of the report that it carries; for a notice, of the day on which it was made.
    pub date: NaiveDate,
    /// The report's number; 0 for a notice.
    pub number: u32,
    /// The mail.
    pub mail: NewMail,
    /// Its state.
    pub state: MailState,
    /// Tries so far.
    pub tries: u32,
    /// Sends that may have arrived.
    pub unanswered: u32,
    /// Not tried before this.
    pub due: Option<DateTime<Utc>>,
    /// What went wrong last.
    pub last_error: Option<String>,
}

impl Ledger {
    /// Stores a rendered report with its mails, in one transaction. False when that number is there already.
    pub fn keep_report(&self, report: &StoredReport, mails: &[NewMail]) -> Result<bool, LedgerError> {
        self.write(|transaction| {
            let written = transaction.execute_cached(
                "INSERT OR IGNORE INTO reports (date, number, rendered_at, subject, text, html, json)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![
                    report.date.to_string(),
                    report.number,
                    stamp(report.rendered_at),
                    report.subject,
                    report.text,
                    report.html,
                    report.json
                ],
            )?;
            if written == 0 {
                return Ok(false);
            }
            put_into_outbox(transaction, report.date, report.number, mails, report.rendered_at)?;
            Ok(true)
        })
    }

    /// The last report of a date.
    pub fn last_report(&self, date: NaiveDate) -> Result<Option<StoredReport>, LedgerError> {
        self.read(|connection| {
            connection
                .query_row_cached(
                    "SELECT date, number, rendered_at, subject, text, html, json FROM reports
                     WHERE date = ?1 ORDER BY number DESC LIMIT 1",
                    [date.to_string()],
                    stored_report,
                )
                .optional()
        })
    }

    /// One report.
    pub fn report(&self, date: NaiveDate, number: u32) -> Result<Option<StoredReport>, LedgerError> {
        self.read(|connection| {
            connection
                .query_row_cached(
                    "SELECT date, number, rendered_at, subject, text, html, json FROM reports
                     WHERE date = ?1 AND number = ?2",
                    params![date.to_string(), number],
                    stored_report,
                )
                .optional()
        })
    }

    /// The bytes of the mail with a date's newest report.
    pub fn last_mail(&self, date: NaiveDate) -> Result<Option<Vec<u8>>, LedgerError> {
        self.read(|connection| {
            connection
                .query_row_cached(
                    "SELECT bytes FROM outbox WHERE date = ?1 AND number > ?2 ORDER BY number DESC, id LIMIT 1",
                    params![date.to_string(), NO_REPORT],
                    |row| row.get(0),
                )
                .optional()
        })
    }

    /// The mails that did not arrive, as far as we know, oldest first.
    pub fn undelivered_mails(&self) -> Result<Vec<OutboxMail>, LedgerError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, date, number, sender, recipient, message_id, bytes, state, tries, unanswered, due, last_error
                 FROM outbox INDEXED BY outbox_undelivered WHERE state <> 'sent' ORDER BY id",
            )?;
            statement.query_map([], outbox_mail)?.collect()
        })
    }

    /// Written before a mail is sent, for the `nth` time that no answer may come: from now on it may have arrived, until an
    /// answer says otherwise. False when another run has it in hand, or had it meanwhile; `ours` when this run had it last.
    pub fn mail_sending(&self, id: i64, nth: u32, ours: bool, at: DateTime<Utc>) -> Result<bool, LedgerError> {
        self.write(|transaction| {
            let claimed = transaction.execute_cached(
                "UPDATE outbox SET state = 'uncertain', tries = tries + 1, unanswered = unanswered + 1, changed_at = ?3
                 WHERE id = ?1 AND unanswered = ?2 AND (state = 'queued' OR (state = 'uncertain' AND (?5 OR changed_at <= ?4)))",
                params![id, nth, stamp(at), stamp(at - SEND_LIMIT), ours],
            )?;
            Ok(claimed == 1)
        })
    }

    /// Written after it: what became of it, when it is tried again, and what went wrong.
    pub fn mail_answered(
        &self,
        id: i64,
        state: MailState,
        due: Option<DateTime<Utc>>,
        error: Option<&str>,
        at: DateTime<Utc>,
    ) -> Result<(), LedgerError> {
        self.write(|transaction| {
            transaction.execute_cached(
                "UPDATE outbox SET state = ?2, unanswered = unanswered - ?3, due = ?4, last_error = ?5, changed_at = ?6
                 WHERE id = ?1 AND state <> 'sent'",
                params![id, state.word(), state != MailState::Uncertain, due.map(stamp), error, stamp(at)],
            )?;
            Ok(())
        })
    }
}

/// Puts composed mails into the outbox, inside a transaction.
pub(super) fn put_into_outbox(
    transaction: &Connection,
    date: NaiveDate,
    number: u32,
    mails: &[NewMail],
    at: DateTime<Utc>,
) -> rusqlite::Result<()> {
    for mail in mails {
        transaction.execute_cached(
            "INSERT INTO outbox (date, number, sender, recipient, message_id, bytes, state, changed_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'queued', ?7)",
            params![date.to_string(), number, mail.sender, mail.recipient, mail.message_id, mail.bytes, stamp(at)],
        )?;
    }
    Ok(())
}

fn outbox_mail(row: &Row<'_>) -> rusqlite::Result<OutboxMail> {
    let due: Option<String> = row.get(10)?;
    Ok(OutboxMail {
        id: row.get(0)?,
        date: super::stamp::parse(1, &format!("\"{}\"", row.get::<_, String>(1)?))?,
        number: row.get(2)?,
        mail: NewMail { sender: row.get(3)?, recipient: row.get(4)?, message_id: row.get(5)?, bytes: row.get(6)? },
        state: MailState::from_word(&row.get::<_, String>(7)?),
        tries: row.get(8)?,
        unanswered: row.get(9)?,
        due: due.map(|text| unstamp(10, &text)).transpose()?,
        last_error: row.get(11)?,
    })
}

fn stored_report(row: &Row<'_>) -> rusqlite::Result<StoredReport> {
    Ok(StoredReport {
        date: super::stamp::parse(0, &format!("\"{}\"", row.get::<_, String>(0)?))?,
        number: row.get(1)?,
        rendered_at: unstamp(2, &row.get::<_, String>(2)?)?,
        subject: row.get(3)?,
        text: row.get(4)?,
        html: row.get(5)?,
        json: row.get(6)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: u32) -> DateTime<Utc> {
        format!("2026-11-29T22:{minute:02}:00Z").parse().unwrap()
    }

    fn with_a_mail(folder: &std::path::Path) -> (Ledger, i64) {
        let ledger = Ledger::open(folder).unwrap();
        let date = NaiveDate::from_ymd_opt(2026, 11, 30).unwrap();
        let text = String::new;
        let report = StoredReport {
            date,
            number: 1,
            rendered_at: at(0),
            subject: text(),
            text: text(),
            html: text(),
            json: text(),
        };
        let mail = NewMail {
            sender: "a@example.org".into(),
            recipient: "b@example.org".into(),
            message_id: "<1@example.org>".into(),
            bytes: b"x".to_vec(),
        };
        assert!(ledger.keep_report(&report, &[mail]).unwrap());
        assert!(!ledger.keep_report(&report, &[]).unwrap(), "one of each number");
        let id = ledger.undelivered_mails().unwrap()[0].id;
        (ledger, id)
    }

    #[test]
    fn a_mail_that_another_run_has_in_hand_is_left_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let (ledger, id) = with_a_mail(folder.path());
        assert!(ledger.mail_sending(id, 0, false, at(1)).unwrap());
        assert!(!ledger.mail_sending(id, 0, false, at(2)).unwrap(), "it was queued when the other looked");
        assert!(!ledger.mail_sending(id, 1, false, at(2)).unwrap(), "it is being sent");
        assert!(ledger.mail_sending(id, 1, false, at(20)).unwrap(), "whoever sent it died");
    }

    #[test]
    fn an_answer_that_comes_late_does_not_undo_that_it_was_sent() {
        let folder = tempfile::tempdir().unwrap();
        let (ledger, id) = with_a_mail(folder.path());
        assert!(ledger.mail_sending(id, 0, false, at(1)).unwrap());
        ledger.mail_answered(id, MailState::Sent, None, None, at(2)).unwrap();
        ledger.mail_answered(id, MailState::Queued, None, Some("451"), at(3)).unwrap();
        assert_eq!(ledger.undelivered_mails().unwrap(), vec![]);
    }
}
