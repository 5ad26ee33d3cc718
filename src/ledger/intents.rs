//! Intents: the durable record, written just before a commit step, that it is about to happen.

use chrono::{DateTime, NaiveDate, Utc};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::keys::append_in;
use super::stamp::stamp;
use super::tickets::suspended_by;
use super::{Lease, Ledger, LedgerError};
use crate::run::{Event, Key, Lane, TaskRun};

/// What became of an intent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IntentAnswer {
    /// It is on disk: the commit step may happen, once.
    Written,
    /// The lease is no longer ours.
    LeaseLost,
    /// A ticket suspends the account or its site.
    Suspended(i64),
    /// This generation of the key has one already.
    Taken,
}

impl Ledger {
    /// Writes the intent of a key (for a goal: of its unit) and its event, if the lease is still ours, nothing suspends
    /// the lane, and this generation has none yet. One transaction.
    pub fn intend(
        &self,
        run: &str,
        key: &Key,
        lease: &Lease,
        at: DateTime<Utc>,
        event: &Event,
        after: &TaskRun,
    ) -> Result<IntentAnswer, LedgerError> {
        let Event::Intended { generation, unit } = event else { return Ok(IntentAnswer::Taken) };
        let intent_key = unit.as_ref().map_or_else(|| key.clone(), |have| key.unit(have));
        self.write(|transaction| {
            if let Some(no) = forbidden(transaction, lease)? {
                return Ok(no);
            }
            let written = transaction.execute(
                "INSERT OR IGNORE INTO intents (key, generation, at, run, token, state)
                 VALUES (?1, ?2, ?3, ?4, ?5, 'intended')",
                params![intent_key.as_str(), generation, stamp(at), run, lease.token],
            )?;
            if written == 0 {
                return Ok(IntentAnswer::Taken);
            }
            append_in(transaction, run, key, at, event, after)?;
            Ok(IntentAnswer::Written)
        })
    }

    /// Writes down what became of the key's last intent, with its event.
    pub fn settle_intent(
        &self,
        run: &str,
        key: &Key,
        at: DateTime<Utc>,
        event: &Event,
        after: &TaskRun,
    ) -> Result<(), LedgerError> {
        let state = if matches!(event, Event::NotSent { .. }) { "not_sent" } else { "sent" };
        self.write(|transaction| {
            transaction.execute(
                "UPDATE intents SET state = ?2
                 WHERE state = 'intended' AND (key = ?1 OR substr(key, 1, length(?1) + 1) = ?1 || '#')",
                params![key.as_str(), state],
            )?;
            append_in(transaction, run, key, at, event, after)
        })
    }

    /// Intents that were, or may have been, dispatched for this key and its units.
    pub fn sent_intents(&self, key: &Key) -> Result<u32, LedgerError> {
        self.read(|connection| {
            connection.query_row(
                "SELECT count(*) FROM intents
                 WHERE state <> 'not_sent' AND (key = ?1 OR substr(key, 1, length(?1) + 1) = ?1 || '#')",
                [key.as_str()],
                |row| row.get(0),
            )
        })
    }

    /// Sign-in submissions of an account in one day of its site. One whose answer was never read counts.
    pub fn submissions(&self, lane: &Lane, day: NaiveDate) -> Result<u32, LedgerError> {
        self.read(|connection| submissions_in(connection, lane, day))
    }

    /// Writes down that a sign-in form is about to be submitted, under the same conditions as any intent, and only while
    /// fewer than `limit` were submitted in this day of the site.
    pub fn intend_sign_in(
        &self,
        run: &str,
        lease: &Lease,
        day: NaiveDate,
        limit: u32,
        at: DateTime<Utc>,
    ) -> Result<IntentAnswer, LedgerError> {
        self.write(|transaction| {
            if let Some(no) = forbidden(transaction, lease)? {
                return Ok(no);
            }
            if submissions_in(transaction, &lease.lane, day)? >= limit {
                return Ok(IntentAnswer::Taken);
            }
            transaction.execute(
                "INSERT INTO sign_ins (site, account, day, at, run, token, state)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'intended')",
                params![lease.lane.site, lease.lane.account, day.to_string(), stamp(at), run, lease.token],
            )?;
            Ok(IntentAnswer::Written)
        })
    }

    /// Writes down what became of the lane's last sign-in submission.
    pub fn settle_sign_in(&self, lane: &Lane, sent: bool) -> Result<(), LedgerError> {
        self.write(|transaction| {
            transaction.execute(
                "UPDATE sign_ins SET state = ?3 WHERE state = 'intended' AND site = ?1 AND account = ?2",
                params![lane.site, lane.account, if sent { "sent" } else { "not_sent" }],
            )?;
            Ok(())
        })
    }
}

fn submissions_in(connection: &Connection, lane: &Lane, day: NaiveDate) -> rusqlite::Result<u32> {
    connection.query_row(
        "SELECT count(*) FROM sign_ins WHERE site = ?1 AND account = ?2 AND day = ?3 AND state <> 'not_sent'",
        params![lane.site, lane.account, day.to_string()],
        |row| row.get(0),
    )
}

fn forbidden(transaction: &Transaction<'_>, lease: &Lease) -> rusqlite::Result<Option<IntentAnswer>> {
    let token: Option<i64> = transaction
        .query_row("SELECT token FROM leases WHERE lane = ?1", [lease.lane.to_string()], |row| row.get(0))
        .optional()?;
    if token != Some(lease.token) {
        return Ok(Some(IntentAnswer::LeaseLost));
    }
    Ok(suspended_by(transaction, &lease.lane)?.map(IntentAnswer::Suspended))
}
