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
    /// Opens a ticket; one per site, account and kind: an open one is returned as it is.
    pub fn open_ticket(&self, ticket: &Ticket, at: DateTime<Utc>) -> Result<i64, LedgerError> {
        let kind = ticket.failure.as_ref().map(|failure| failure.kind);
        let whole_site = kind.is_some_and(|kind| kind.policy() == Policy::SiteBlocked);
        let account = if whole_site { "" } else { &ticket.lane.account };
        let word = kind.map_or("question", FailureKind::word);
        self.write(|transaction| {
            let found: Option<i64> = transaction
                .query_row_cached(
                    "SELECT number FROM tickets WHERE site = ?1 AND account = ?2 AND kind = ?3
                     AND ifnull(task, '') = ifnull(?4, '') AND closed_at IS NULL",
                    params![ticket.lane.site, account, word, ticket.task],
                    |row| row.get(0),
                )
                .optional()?;
            if let Some(number) = found {
                return Ok(number);
            }
            transaction.execute_cached(
                "INSERT INTO tickets (site, account, kind, suspends, task, text, failure, fingerprint, opened_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                params![
                    ticket.lane.site,
                    account,
                    word,
                    kind.is_some(),
                    ticket.task,
                    ticket.text,
                    ticket.failure.as_ref().map(json).transpose()?,
                    ticket.fingerprint,
                    stamp(at)
                ],
            )?;
            Ok(transaction.last_insert_rowid())
        })
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
            let mut statement = connection.prepare_cached(
                "SELECT number, site, account, kind, suspends, task, text, failure, fingerprint, opened_at
                 FROM tickets INDEXED BY tickets_open WHERE closed_at IS NULL ORDER BY number",
            )?;
            statement.query_map([], open_ticket)?.collect()
        })
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
        self.read(|connection| {
            connection
                .query_row_cached(
                    "SELECT until, kind FROM waits WHERE site = ?1 AND until > ?2",
                    params![site, stamp(now)],
                    |row| Ok(SiteWait { until: unstamp(0, &row.get::<_, String>(0)?)?, kind: row.get(1)? }),
                )
                .optional()
        })
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
    })
}
