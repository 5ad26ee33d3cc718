//! Sessions: since when an account is signed in, so that its end can be told before it comes.

use chrono::{DateTime, Utc};
use rusqlite::types::{FromSql, FromSqlResult, ValueRef};
use rusqlite::{OptionalExtension, params};

use super::stamp::{stamp, unstamp};
use super::store::Statements;
use super::{Ledger, LedgerError};
use crate::run::Lane;

/// Whose sign-in a session goes back to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionOrigin {
    /// The runner submitted the form.
    Runner,
    /// A person signed in by `sunup sign-in`.
    Person,
    /// It was there when the ledger first heard of it.
    Found,
}

/// A session, as the site showed it last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptSession {
    /// Since when.
    pub since: DateTime<Utc>,
    /// By whom.
    pub origin: SessionOrigin,
    /// When the browser's cookies end, where they say so: it lasts no longer.
    pub lasts_until: Option<DateTime<Utc>>,
}

impl SessionOrigin {
    /// The word in the ledger.
    pub fn word(self) -> &'static str {
        match self {
            SessionOrigin::Runner => "runner",
            SessionOrigin::Person => "person",
            SessionOrigin::Found => "found",
        }
    }
}

impl FromSql for SessionOrigin {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Ok(match value.as_str()? {
            "runner" => SessionOrigin::Runner,
            "person" => SessionOrigin::Person,
            _ => SessionOrigin::Found,
        })
    }
}

impl Ledger {
    /// The account is signed in: a sign-in of ours or of a person begins a session; one that is found goes on with what is
    /// known of it.
    pub fn signed_in(&self, lane: &Lane, origin: SessionOrigin, at: DateTime<Utc>) -> Result<(), LedgerError> {
        if origin == SessionOrigin::Found && self.session(lane)?.is_some() {
            return Ok(());
        }
        self.write(|transaction| {
            transaction.execute_cached(
                "INSERT OR REPLACE INTO sessions (site, account, since, origin) VALUES (?1, ?2, ?3, ?4)",
                params![lane.site, lane.account, stamp(at), origin.word()],
            )?;
            Ok(())
        })
    }

    /// When the cookies of the session end.
    pub fn session_lasts(&self, lane: &Lane, until: Option<DateTime<Utc>>) -> Result<(), LedgerError> {
        self.write_lazily(|transaction| {
            transaction.execute_cached(
                "UPDATE sessions SET lasts_until = ?3 WHERE site = ?1 AND account = ?2 AND lasts_until IS NOT ?3",
                params![lane.site, lane.account, until.map(stamp)],
            )?;
            Ok(())
        })
    }

    /// Nobody is signed in there any more, or somebody else.
    pub fn signed_out(&self, lane: &Lane) -> Result<(), LedgerError> {
        if self.session(lane)?.is_none() {
            return Ok(());
        }
        self.write(|transaction| {
            transaction.execute_cached(
                "DELETE FROM sessions WHERE site = ?1 AND account = ?2",
                params![lane.site, lane.account],
            )?;
            Ok(())
        })
    }

    /// The account's session, if one is known.
    pub fn session(&self, lane: &Lane) -> Result<Option<KeptSession>, LedgerError> {
        self.read(|connection| {
            connection
                .query_row_cached(
                    "SELECT since, origin, lasts_until FROM sessions WHERE site = ?1 AND account = ?2",
                    params![lane.site, lane.account],
                    |row| {
                        let until: Option<String> = row.get(2)?;
                        Ok(KeptSession {
                            since: unstamp(0, &row.get::<_, String>(0)?)?,
                            origin: row.get(1)?,
                            lasts_until: until.map(|at| unstamp(2, &at)).transpose()?,
                        })
                    },
                )
                .optional()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_as_old_as_its_sign_in_however_often_it_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::open(folder.path()).unwrap();
        let lane = Lane { site: "community".into(), account: "main".into() };
        let at = |day: u32| format!("2026-11-{day:02}T06:00:00Z").parse::<DateTime<Utc>>().unwrap();
        ledger.signed_in(&lane, SessionOrigin::Person, at(1)).unwrap();
        ledger.signed_in(&lane, SessionOrigin::Found, at(2)).unwrap();
        ledger.session_lasts(&lane, Some(at(30))).unwrap();
        let session = ledger.session(&lane).unwrap().unwrap();
        assert_eq!((session.since, session.origin, session.lasts_until), (at(1), SessionOrigin::Person, Some(at(30))));
        ledger.signed_in(&lane, SessionOrigin::Runner, at(3)).unwrap();
        let session = ledger.session(&lane).unwrap().unwrap();
        assert_eq!((session.since, session.lasts_until), (at(3), None), "what is known of an older one is over");
        ledger.signed_out(&lane).unwrap();
        assert_eq!(ledger.session(&lane).unwrap(), None);
    }
}
