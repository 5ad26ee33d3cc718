//! Tickets (what waits for a person) and waits (what a site asked for).

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::stamp::{json, parse, stamp, unstamp};
use super::store::Statements;
use super::{Ledger, LedgerError};
use crate::run::{Failure, FailureKind, Lane, Policy};

/// Who closed a ticket that was closed by hand.
pub const BY_A_PERSON: &str = "a person";

/// A ticket to be opened.
#[derive(Debug, Clone)]
pub struct Ticket {
    /// The lane in which it arose.
    pub lane: Lane,
    /// What happened; for a question to a person, none.
    pub failure: Option<Failure>,
    /// The task that asks a person (`act: person`).
    pub task: Option<String>,
    /// The task that met the block.
    pub arose: Option<String>,
    /// What the person shall do.
    pub text: String,
    /// Keyed hash of the secret that was rejected.
    pub fingerprint: Option<String>,
}

/// A ticket as the ledger holds it.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenTicket {
    /// Its number.
    pub number: i64,
    /// The site.
    pub site: String,
    /// The account; none for the whole site.
    pub account: Option<String>,
    /// The failure kind's word, or `question`.
    pub kind: String,
    /// It keeps the account (or the site) from being worked on.
    pub suspends: bool,
    /// The task that asks.
    pub task: Option<String>,
    /// What to do.
    pub text: String,
    /// What happened.
    pub failure: Option<Failure>,
    /// Keyed hash of the secret that was rejected.
    pub fingerprint: Option<String>,
    /// Since when.
    pub opened_at: DateTime<Utc>,
    /// How often it was closed and the same block came again.
    pub reopened: u32,
    /// When it was closed, and by whom; none while it is open.
    pub closed: Option<(DateTime<Utc>, String)>,
}

/// A site that asked to be left alone for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteWait {
    /// Until when.
    pub until: DateTime<Utc>,
    /// `rate_limited` or `maintenance`.
    pub kind: String,
}

impl Ledger {
    /// Opens a ticket; one per site, account and kind. One that is open is returned as it is. One that was closed, and whose
    /// block was not passed since, is opened again under its number: closing it allowed one check, and this is what that saw.
    pub fn open_ticket(&self, ticket: &Ticket, at: DateTime<Utc>) -> Result<i64, LedgerError> {
        let about = About::of(ticket);
        self.write(|transaction| {
            if let Some(number) = about.open_one(transaction)? {
                return Ok(number);
            }
            if let Some(number) = about.unpassed(transaction)? {
                transaction.execute_cached(
                    "UPDATE tickets SET closed_at = NULL, closed_by = NULL, reopened = reopened + 1, text = ?2, failure = ?3,
                         arose = ?4 WHERE number = ?1",
                    params![number, ticket.text, about.failure_json()?, ticket.arose],
                )?;
                return Ok(number);
            }
            transaction.execute_cached(
                "INSERT INTO tickets (site, account, kind, suspends, task, arose, text, failure, fingerprint, opened_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                params![
                    ticket.lane.site,
                    about.account,
                    about.kind,
                    ticket.failure.is_some(),
                    ticket.task,
                    ticket.arose,
                    ticket.text,
                    about.failure_json()?,
                    ticket.fingerprint,
                    stamp(at)
                ],
            )?;
            Ok(transaction.last_insert_rowid())
        })
    }

    /// This task of the lane is done, or none where its points were read: whatever that met before, it has passed. The same
    /// block is another one from now on.
    pub fn block_passed(&self, lane: &Lane, task: Option<&str>, at: DateTime<Utc>) -> Result<(), LedgerError> {
        for account in ["", &lane.account] {
            let known = self.read(|connection| {
                connection
                    .query_row_cached(
                        "SELECT 1 FROM tickets INDEXED BY tickets_unpassed WHERE closed_at IS NOT NULL
                         AND passed_at IS NULL AND site = ?1 AND account = ?2 AND arose IS ?3 LIMIT 1",
                        params![lane.site, account, task],
                        |_| Ok(()),
                    )
                    .optional()
            })?;
            if known.is_some() {
                self.write(|transaction| {
                    transaction.execute_cached(
                        "UPDATE tickets INDEXED BY tickets_unpassed SET passed_at = ?4 WHERE closed_at IS NOT NULL
                         AND passed_at IS NULL AND site = ?1 AND account = ?2 AND arose IS ?3",
                        params![lane.site, account, task, stamp(at)],
                    )
                })?;
            }
        }
        Ok(())
    }

    /// Closes a ticket. False when there is no such open one.
    pub fn close_ticket(&self, number: i64, by: &str, at: DateTime<Utc>) -> Result<bool, LedgerError> {
        self.write(|transaction| {
            let closed = transaction.execute_cached(
                "UPDATE tickets SET closed_at = ?2, closed_by = ?3 WHERE number = ?1 AND closed_at IS NULL",
                params![number, stamp(at), by],
            )?;
            Ok(closed == 1)
        })
    }

    /// Who closed this ticket; none while it is open.
    pub fn closed_by(&self, number: i64) -> Result<Option<String>, LedgerError> {
        self.read(|connection| {
            let sql = "SELECT closed_by FROM tickets WHERE number = ?1";
            Ok(connection.query_row_cached(sql, [number], |row| row.get(0)).optional()?.flatten())
        })
    }

    /// The open tickets, oldest first.
    pub fn open_tickets(&self) -> Result<Vec<OpenTicket>, LedgerError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {COLUMNS} FROM tickets INDEXED BY tickets_open WHERE closed_at IS NULL ORDER BY number"
            ))?;
            statement.query_map([], open_ticket)?.collect()
        })
    }

    /// A ticket, open or closed.
    pub fn ticket(&self, number: i64) -> Result<Option<OpenTicket>, LedgerError> {
        let sql = format!("SELECT {COLUMNS} FROM tickets WHERE number = ?1");
        self.read(|connection| connection.query_row_cached(&sql, [number], open_ticket).optional())
    }

    /// The open ticket that keeps this lane from being worked on.
    pub fn suspended_by(&self, lane: &Lane) -> Result<Option<i64>, LedgerError> {
        self.read(|connection| suspended_by(connection, lane))
    }

    /// Fingerprints of the secrets that this lane's site ever rejected.
    pub fn rejected_fingerprints(&self, lane: &Lane) -> Result<Vec<String>, LedgerError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT DISTINCT fingerprint FROM tickets INDEXED BY tickets_rejected
                 WHERE site = ?1 AND account = ?2 AND kind = 'credentials_rejected' AND fingerprint IS NOT NULL",
            )?;
            statement.query_map(params![lane.site, lane.account], |row| row.get(0))?.collect()
        })
    }

    /// Writes down that a site asked to wait; a later time wins.
    pub fn site_waits(&self, site: &str, until: DateTime<Utc>, failure: &Failure) -> Result<(), LedgerError> {
        self.write(|transaction| {
            transaction.execute_cached(
                "INSERT INTO waits (site, until, kind, message) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (site) DO UPDATE SET until = excluded.until, kind = excluded.kind,
                     message = excluded.message WHERE excluded.until > until",
                params![site, stamp(until), failure.kind.word(), failure.message],
            )?;
            Ok(())
        })
    }

    /// Until when a site asked to be left alone, if that is still to come.
    pub fn site_wait(&self, site: &str, now: DateTime<Utc>) -> Result<Option<SiteWait>, LedgerError> {
        self.read(|connection| waits_in(connection, site, now))
    }
}

/// The wait of a site, inside a transaction.
pub(super) fn waits_in(connection: &Connection, site: &str, now: DateTime<Utc>) -> rusqlite::Result<Option<SiteWait>> {
    let sql = "SELECT until, kind FROM waits WHERE site = ?1 AND until > ?2";
    let wait = |row: &Row<'_>| Ok(SiteWait { until: unstamp(0, &row.get::<_, String>(0)?)?, kind: row.get(1)? });
    connection.query_row_cached(sql, params![site, stamp(now)], wait).optional()
}

const COLUMNS: &str = "number, site, account, kind, suspends, task, text, failure, fingerprint, opened_at, reopened, \
                       closed_at, closed_by";

/// What a ticket is about: there is one open one about the same.
struct About<'t> {
    ticket: &'t Ticket,
    account: &'t str,
    kind: &'static str,
}

impl<'t> About<'t> {
    fn of(ticket: &'t Ticket) -> Self {
        let kind = ticket.failure.as_ref().map(|failure| failure.kind);
        let whole_site = kind.is_some_and(|kind| kind.policy() == Policy::SiteBlocked);
        let account = if whole_site { "" } else { &ticket.lane.account };
        About { ticket, account, kind: kind.map_or("question", FailureKind::word) }
    }

    fn failure_json(&self) -> rusqlite::Result<Option<String>> {
        self.ticket.failure.as_ref().map(json).transpose()
    }

    fn open_one(&self, connection: &Connection) -> rusqlite::Result<Option<i64>> {
        connection
            .query_row_cached(
                "SELECT number FROM tickets WHERE site = ?1 AND account = ?2 AND kind = ?3
                 AND ifnull(task, '') = ifnull(?4, '') AND closed_at IS NULL",
                params![self.ticket.lane.site, self.account, self.kind, self.ticket.task],
                |row| row.get(0),
            )
            .optional()
    }

    /// A question is asked anew; another secret that is rejected is another block, because both must be remembered.
    fn unpassed(&self, connection: &Connection) -> rusqlite::Result<Option<i64>> {
        if self.ticket.failure.is_none() {
            return Ok(None);
        }
        connection.query_row_cached(
            "SELECT max(number) FROM tickets INDEXED BY tickets_unpassed WHERE closed_at IS NOT NULL
             AND passed_at IS NULL AND site = ?1 AND account = ?2 AND kind = ?3 AND fingerprint IS ?4",
            params![self.ticket.lane.site, self.account, self.kind, self.ticket.fingerprint],
            |row| row.get(0),
        )
    }
}

/// The open ticket that suspends this account or its whole site.
pub(super) fn suspended_by(connection: &Connection, lane: &Lane) -> rusqlite::Result<Option<i64>> {
    // Asked before every step: the index of the open ones answers it, without a sort and however many were closed.
    connection.query_row_cached(
        "SELECT min(number) FROM tickets INDEXED BY tickets_open
         WHERE closed_at IS NULL AND suspends AND site = ?1 AND (account = '' OR account = ?2)",
        params![lane.site, lane.account],
        |row| row.get(0),
    )
}

fn open_ticket(row: &Row<'_>) -> rusqlite::Result<OpenTicket> {
    let account: String = row.get(2)?;
    let failure: Option<String> = row.get(7)?;
    Ok(OpenTicket {
        number: row.get(0)?,
        site: row.get(1)?,
        account: Some(account).filter(|account| !account.is_empty()),
        kind: row.get(3)?,
        suspends: row.get(4)?,
        task: row.get(5)?,
        text: row.get(6)?,
        failure: failure.map(|text| parse(7, &text)).transpose()?,
        fingerprint: row.get(8)?,
        opened_at: unstamp(9, &row.get::<_, String>(9)?)?,
        reopened: row.get(10)?,
        closed: row.get::<_, Option<String>>(11)?.map(|at| unstamp(11, &at)).transpose()?.zip(row.get(12)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger() -> (tempfile::TempDir, Ledger) {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::open(folder.path()).unwrap();
        (folder, ledger)
    }

    fn now() -> DateTime<Utc> {
        "2026-11-30T06:00:00Z".parse().unwrap()
    }

    fn block(kind: FailureKind, account: &str, fingerprint: Option<&str>) -> Ticket {
        Ticket {
            lane: Lane { site: "community".into(), account: account.into() },
            failure: Some(Failure::new(kind, "seen")),
            task: None,
            arose: Some("checkin".into()),
            text: "seen".into(),
            fingerprint: fingerprint.map(str::to_owned),
        }
    }

    #[test]
    fn the_same_block_comes_again_under_its_number_until_its_task_is_done() {
        let (_folder, ledger) = ledger();
        let captcha = block(FailureKind::Captcha, "main", None);
        let first = ledger.open_ticket(&captcha, now()).unwrap();
        assert!(ledger.close_ticket(first, BY_A_PERSON, now()).unwrap());
        assert_eq!(ledger.suspended_by(&captcha.lane).unwrap(), None, "one check is allowed");
        assert_eq!(ledger.open_ticket(&captcha, now()).unwrap(), first);
        assert_eq!(ledger.suspended_by(&captcha.lane).unwrap(), Some(first));
        let again = ledger.ticket(first).unwrap().unwrap();
        assert_eq!((again.reopened, again.closed, again.opened_at), (1, None, now()));

        assert!(ledger.close_ticket(first, BY_A_PERSON, now()).unwrap());
        ledger.block_passed(&captcha.lane, Some("publish"), now()).unwrap();
        assert_eq!(ledger.open_ticket(&captcha, now()).unwrap(), first, "another task proves nothing");
        assert!(ledger.close_ticket(first, BY_A_PERSON, now()).unwrap());
        ledger.block_passed(&captcha.lane, Some("checkin"), now()).unwrap();
        assert_ne!(ledger.open_ticket(&captcha, now()).unwrap(), first, "it was passed in between");
    }

    #[test]
    fn another_kind_another_account_and_another_secret_have_tickets_of_their_own() {
        let (_folder, ledger) = ledger();
        let kind = FailureKind::CredentialsRejected;
        let first = ledger.open_ticket(&block(kind, "main", Some("a")), now()).unwrap();
        ledger.close_ticket(first, BY_A_PERSON, now()).unwrap();
        let others =
            [block(FailureKind::Captcha, "main", None), block(kind, "mum", Some("a")), block(kind, "main", Some("b"))];
        let mut numbers = vec![first];
        for other in others {
            numbers.push(ledger.open_ticket(&other, now()).unwrap());
        }
        assert_eq!(numbers, [1, 2, 3, 4]);
        let mut rejected = ledger.rejected_fingerprints(&block(kind, "main", None).lane).unwrap();
        rejected.sort();
        assert_eq!(rejected, ["a", "b"], "neither is ever typed again");
    }

    #[test]
    fn what_the_points_met_is_passed_when_they_are_read() {
        let (_folder, ledger) = ledger();
        let captcha = Ticket { arose: None, ..block(FailureKind::Captcha, "main", None) };
        let first = ledger.open_ticket(&captcha, now()).unwrap();
        ledger.close_ticket(first, BY_A_PERSON, now()).unwrap();
        ledger.block_passed(&captcha.lane, Some("checkin"), now()).unwrap();
        assert_eq!(ledger.open_ticket(&captcha, now()).unwrap(), first, "a task proves nothing of the points");
        ledger.close_ticket(first, BY_A_PERSON, now()).unwrap();
        ledger.block_passed(&captcha.lane, None, now()).unwrap();
        assert_ne!(ledger.open_ticket(&captcha, now()).unwrap(), first);
    }

    #[test]
    fn a_block_of_the_whole_site_is_passed_by_the_task_that_met_it() {
        let (_folder, ledger) = ledger();
        let check = block(FailureKind::Interstitial, "main", None);
        let first = ledger.open_ticket(&check, now()).unwrap();
        ledger.close_ticket(first, BY_A_PERSON, now()).unwrap();
        ledger.block_passed(&check.lane, Some("checkin"), now()).unwrap();
        assert_ne!(ledger.open_ticket(&check, now()).unwrap(), first);
    }
}
