//! What a ledger of many years need not keep: the bytes of mails that arrived, and the texts of their reports, which are
//! rendered again from the keys whenever somebody asks. They are three quarters of what a day would take.

use chrono::{DateTime, Days, NaiveDate, Utc};
use rusqlite::{Connection, OptionalExtension};

use super::store::Statements;
use super::{Ledger, LedgerError};

/// For so many days a mail can be looked at as it was sent.
pub const MAILS_KEPT_DAYS: u64 = 60;
/// So many days are trimmed at once: the first run on a ledger of years is not to take minutes.
const AT_ONCE: u64 = 100;

impl Ledger {
    /// At the end of a run: lets go of the bytes of mails that arrived, and of the texts of reports, older than
    /// [`MAILS_KEPT_DAYS`]. What did not arrive is kept whole, and so is its report.
    pub fn trim(&self, now: DateTime<Utc>) -> Result<(), LedgerError> {
        let Some(keep_from) = now.date_naive().checked_sub_days(Days::new(MAILS_KEPT_DAYS)) else { return Ok(()) };
        let Some(from) = self.read(|connection| untrimmed_from(connection, keep_from))? else { return Ok(()) };
        let until = from.checked_add_days(Days::new(AT_ONCE)).unwrap_or(keep_from).min(keep_from);
        self.write_lazily(|transaction| trim_between(transaction, from, until))
    }
}

/// The first day that was not trimmed yet, if it is old enough.
fn untrimmed_from(connection: &Connection, keep_from: NaiveDate) -> rusqlite::Result<Option<NaiveDate>> {
    let sql = "SELECT value FROM meta WHERE name = 'trimmed_until'";
    let done: Option<String> = connection.query_row_cached(sql, [], |row| row.get(0)).optional()?;
    let done = done.and_then(|text| text.parse().ok());
    let after = done.map_or(String::new(), |done: NaiveDate| done.to_string());
    let first = |sql| -> rusqlite::Result<Option<NaiveDate>> {
        let first: Option<String> = connection.query_row_cached(sql, [&after], |row| row.get(0))?;
        Ok(first.and_then(|text| text.parse().ok()))
    };
    let of_reports = first("SELECT min(date) FROM reports WHERE date > ?1")?;
    let of_mails = first("SELECT min(date) FROM outbox INDEXED BY outbox_date WHERE date > ?1")?;
    Ok(of_reports.into_iter().chain(of_mails).min().filter(|first| *first < keep_from))
}

/// Trims the days from the first one to before the other, and remembers it.
fn trim_between(transaction: &Connection, from: NaiveDate, until: NaiveDate) -> rusqlite::Result<()> {
    let days = [from.to_string(), until.to_string()];
    transaction.execute_cached(
        "UPDATE outbox SET bytes = x'' WHERE date >= ?1 AND date < ?2 AND state = 'sent'",
        [&days[0], &days[1]],
    )?;
    transaction.execute_cached(
        "UPDATE reports SET text = '', html = '', json = '' WHERE date >= ?1 AND date < ?2
         AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.date = reports.date AND outbox.number = reports.number
                         AND outbox.state <> 'sent')",
        [&days[0], &days[1]],
    )?;
    let last = until.pred_opt().unwrap_or(until).to_string();
    transaction.execute_cached("INSERT OR REPLACE INTO meta (name, value) VALUES ('trimmed_until', ?1)", [last])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{MailState, NewMail, StoredReport};

    fn at(text: &str) -> DateTime<Utc> {
        format!("{text}T22:00:00Z").parse().unwrap()
    }

    /// A report of that day with a mail; what became of the mail.
    fn keep(ledger: &Ledger, day: &str, state: MailState) {
        let date = day.parse().unwrap();
        let words = || format!("words of {day}");
        let report = StoredReport {
            date,
            number: 1,
            rendered_at: at(day),
            subject: day.to_owned(),
            text: words(),
            html: words(),
            json: words(),
        };
        let mail = NewMail {
            sender: "a@example.org".into(),
            recipient: "b@example.org".into(),
            message_id: format!("<{day}@example.org>"),
            bytes: words().into_bytes(),
        };
        assert!(ledger.keep_report(&report, &[mail]).unwrap());
        let id = ledger.undelivered_mails().unwrap().last().unwrap().id;
        assert!(ledger.mail_sending(id, 0, true, at(day)).unwrap());
        ledger.mail_answered(id, state, None, None, at(day)).unwrap();
    }

    /// How long text and mail of that day's report are.
    fn kept(ledger: &Ledger, day: &str) -> (usize, usize) {
        let date = day.parse().unwrap();
        let report = ledger.last_report(date).unwrap().unwrap();
        assert_eq!((report.subject.as_str(), report.rendered_at), (day, at(day)), "that it was there stays on record");
        assert_eq!([report.html.len(), report.json.len()], [report.text.len(); 2]);
        (report.text.len(), ledger.last_mail(date).unwrap().map_or(0, |bytes| bytes.len()))
    }

    #[test]
    fn what_arrived_long_ago_is_let_go_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::open_at(folder.path(), at("2026-06-01")).unwrap();
        keep(&ledger, "2026-06-01", MailState::Sent);
        keep(&ledger, "2026-06-02", MailState::Failed);
        keep(&ledger, "2026-06-03", MailState::Uncertain);
        keep(&ledger, "2026-06-04", MailState::Sent);
        let whole = "words of 2026-06-01".len();
        // On the sixtieth day after the first it is still there, on the next it is not.
        ledger.trim(at("2026-07-31")).unwrap();
        assert_eq!(kept(&ledger, "2026-06-01"), (whole, whole));
        ledger.trim(at("2026-08-01")).unwrap();
        assert_eq!(kept(&ledger, "2026-06-01"), (0, 0));
        assert_eq!(kept(&ledger, "2026-06-04"), (whole, whole));
        ledger.trim(at("2026-12-01")).unwrap();
        assert_eq!(kept(&ledger, "2026-06-04"), (0, 0));
        for not_arrived in ["2026-06-02", "2026-06-03"] {
            assert_eq!(kept(&ledger, not_arrived), (whole, whole), "{not_arrived} may still be sent");
        }
    }

    #[test]
    fn years_are_trimmed_a_part_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::open_at(folder.path(), at("2025-01-01")).unwrap();
        let days = ["2025-01-01", "2025-04-10", "2025-04-11", "2025-12-31"];
        days.iter().for_each(|day| keep(&ledger, day, MailState::Sent));
        let left = || days.iter().filter(|day| kept(&ledger, day).1 > 0).count();
        let mut after = Vec::new();
        for _ in 0..4 {
            ledger.trim(at("2026-12-01")).unwrap();
            after.push(left());
        }
        assert_eq!(after, [2, 1, 0, 0], "a hundred days from the first that is there");
    }
}
