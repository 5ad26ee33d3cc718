//! Reports, and the mails that carry them: the rendered bytes and the Message-ID are stored before anything is sent.

use chrono::{DateTime, NaiveDate, Utc};
use rusqlite::{OptionalExtension, Row, params};

use super::stamp::{stamp, unstamp};
use super::{Ledger, LedgerError};

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

/// One mail to one recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// Its row.
    pub id: i64,
    /// The report that it carries.
    pub date: NaiveDate,
    /// The report's number.
    pub number: u32,
    /// To whom.
    pub recipient: String,
    /// Its bytes; the same for every try.
    pub bytes: Vec<u8>,
    /// Its state.
    pub state: MailState,
    /// Tries so far.
    pub tries: u32,
    /// Not tried before this.
    pub due: Option<DateTime<Utc>>,
    /// What went wrong last.
    pub last_error: Option<String>,
}

impl Ledger {
    /// Stores a rendered report with its mails (recipient, Message-ID, bytes), in one transaction.
    pub fn keep_report(&self, report: &StoredReport, mails: &[(String, String, Vec<u8>)]) -> Result<(), LedgerError> {
        self.write(|transaction| {
            transaction.execute(
                "INSERT INTO reports (date, number, rendered_at, subject, text, html, json)
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
            for (recipient, message_id, bytes) in mails {
                transaction.execute(
                    "INSERT INTO outbox (date, number, recipient, message_id, bytes, state, changed_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, 'queued', ?6)",
                    params![
                        report.date.to_string(),
                        report.number,
                        recipient,
                        message_id,
                        bytes,
                        stamp(report.rendered_at)
                    ],
                )?;
            }
            Ok(())
        })
    }

    /// The last report of a date.
    pub fn last_report(&self, date: NaiveDate) -> Result<Option<StoredReport>, LedgerError> {
        self.read(|connection| {
            connection
                .query_row(
                    "SELECT number, rendered_at, subject, text, html, json FROM reports
                     WHERE date = ?1 ORDER BY number DESC LIMIT 1",
                    [date.to_string()],
                    |row| {
                        Ok(StoredReport {
                            date,
                            number: row.get(0)?,
                            rendered_at: unstamp(1, &row.get::<_, String>(1)?)?,
                            subject: row.get(2)?,
                            text: row.get(3)?,
                            html: row.get(4)?,
                            json: row.get(5)?,
                        })
                    },
                )
                .optional()
        })
    }

    /// The mails that are not sent and not refused for good; an uncertain one is sent again once, by `tries`.
    pub fn unsent_mails(&self) -> Result<Vec<Mail>, LedgerError> {
        self.mails("state IN ('queued', 'uncertain') ORDER BY id")
    }

    /// The mails that did not arrive, as far as we know.
    pub fn undelivered_mails(&self) -> Result<Vec<Mail>, LedgerError> {
        self.mails("state <> 'sent' ORDER BY id")
    }

    fn mails(&self, condition: &str) -> Result<Vec<Mail>, LedgerError> {
        self.read(|connection| {
            let mut statement = connection.prepare(&format!(
                "SELECT id, date, number, recipient, bytes, state, tries, due, last_error FROM outbox WHERE {condition}"
            ))?;
            statement.query_map([], mail)?.collect()
        })
    }

    /// Writes down what became of a try.
    pub fn mail_tried(
        &self,
        id: i64,
        state: MailState,
        due: Option<DateTime<Utc>>,
        error: Option<&str>,
        at: DateTime<Utc>,
    ) -> Result<(), LedgerError> {
        self.write(|transaction| {
            transaction.execute(
                "UPDATE outbox SET state = ?2, tries = tries + 1, due = ?3, last_error = ?4, changed_at = ?5 WHERE id = ?1",
                params![id, state.word(), due.map(stamp), error, stamp(at)],
            )?;
            Ok(())
        })
    }
}

fn mail(row: &Row<'_>) -> rusqlite::Result<Mail> {
    let due: Option<String> = row.get(7)?;
    Ok(Mail {
        id: row.get(0)?,
        date: super::stamp::parse(1, &format!("\"{}\"", row.get::<_, String>(1)?))?,
        number: row.get(2)?,
        recipient: row.get(3)?,
        bytes: row.get(4)?,
        state: MailState::from_word(&row.get::<_, String>(5)?),
        tries: row.get(6)?,
        due: due.map(|text| unstamp(7, &text)).transpose()?,
        last_error: row.get(8)?,
    })
}
