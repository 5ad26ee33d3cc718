//! Leases: who works on a lane. A holder known to be dead on this host is replaced at once; elsewhere after expiry.

use std::fs;

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

use super::stamp::{json, parse, stamp, unstamp};
use super::store::Statements;
use super::{Ledger, LedgerError};
use crate::run::Lane;

/// How long a lease lasts unless it is renewed; it is renewed at a third of this.
const LENGTH: TimeDelta = TimeDelta::minutes(30);

const HOST: &str = "/proc/sys/kernel/hostname";
const BOOT: &str = "/proc/sys/kernel/random/boot_id";

/// A process, named so that a pid that was used again is not taken for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Host name.
    pub host: String,
    /// The kernel's id of this boot.
    pub boot: String,
    /// Process id.
    pub pid: u32,
    /// The process's start time, in clock ticks since boot.
    pub start: u64,
    /// A person signs in there: it reports nothing, and runs wait for it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub signs_in: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // As serde asks it.
fn is_false(value: &bool) -> bool {
    !value
}

/// How the name of a holder ends in which a person signs in.
const SIGN_IN: &str = ": sign-in";

/// A lease that was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The lane.
    pub lane: Lane,
    /// The fencing token: an intent is written only under the lane's newest.
    pub token: i64,
    /// Until when it holds.
    pub expires_at: DateTime<Utc>,
}

/// What became of asking for a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseAnswer {
    /// Ours.
    Taken(Lease),
    /// Another's, who is alive or may be.
    Held(Holder),
}

impl Holder {
    /// This process.
    pub fn this() -> Self {
        let pid = std::process::id();
        Holder { host: read(HOST), boot: read(BOOT), pid, start: start_of(pid).unwrap_or_default(), signs_in: false }
    }

    /// The same, while a person signs in.
    pub fn signing_in(self) -> Self {
        Holder { signs_in: true, ..self }
    }

    /// True for the name of a holder in which a person signs in.
    pub fn is_sign_in(name: &str) -> bool {
        name.ends_with(SIGN_IN)
    }

    /// Its name in one line, for what may outlive it.
    pub fn mark(&self) -> String {
        format!("{} {} {} {}", self.pid, self.start, self.boot, self.host)
    }

    /// The holder of this mark.
    pub fn of_mark(mark: &str) -> Option<Self> {
        let mut parts = mark.splitn(4, ' ');
        let mut part = || parts.next();
        Some(Holder {
            pid: part()?.parse().ok()?,
            start: part()?.parse().ok()?,
            boot: part()?.to_owned(),
            host: part()?.to_owned(),
            signs_in: false,
        })
    }

    /// True when this holder is known to be dead: same host, and another boot, no such process, or the pid used again.
    pub fn is_dead(&self) -> bool {
        // The cheap question first: it is asked in a transaction.
        self.host == read(HOST) && (self.boot != read(BOOT) || start_of(self.pid) != Some(self.start))
    }
}

impl std::fmt::Display for Holder {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "process {} on {}{}", self.pid, self.host, if self.signs_in { SIGN_IN } else { "" })
    }
}

fn read(path: &str) -> String {
    fs::read_to_string(path).map(|text| text.trim().to_owned()).unwrap_or_default()
}

/// Field 22 of `/proc/<pid>/stat`; the name in brackets before it may hold blanks. A zombie counts as dead.
fn start_of(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    (state != "Z" && state != "X").then(|| fields.nth(18)?.parse().ok()).flatten()
}

impl Ledger {
    /// Takes the lane's lease, over a dead or expired holder too.
    pub fn take_lease(&self, lane: &Lane, holder: &Holder, at: DateTime<Utc>) -> Result<LeaseAnswer, LedgerError> {
        self.write(|transaction| {
            let found: Option<(String, i64, String)> = transaction
                .query_row_cached(
                    "SELECT holder, token, expires_at FROM leases WHERE lane = ?1",
                    [lane.to_string()],
                    |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
                )
                .optional()?;
            let token = match found {
                None => 1,
                Some((other, token, expires_at)) => {
                    let other: Holder = parse(0, &other)?;
                    let free = &other == holder || unstamp(2, &expires_at)? <= at || other.is_dead();
                    if !free {
                        return Ok(LeaseAnswer::Held(other));
                    }
                    token + 1
                }
            };
            let expires_at = at + LENGTH;
            transaction.execute_cached(
                "INSERT OR REPLACE INTO leases (lane, holder, token, expires_at) VALUES (?1, ?2, ?3, ?4)",
                params![lane.to_string(), json(holder)?, token, stamp(expires_at)],
            )?;
            Ok(LeaseAnswer::Taken(Lease { lane: lane.clone(), token, expires_at }))
        })
    }

    /// Renews a lease that has less than two thirds of its time left, or less than is needed for the next step. False when
    /// it is no longer ours.
    pub fn keep_lease(&self, lease: &mut Lease, at: DateTime<Utc>, needed: TimeDelta) -> Result<bool, LedgerError> {
        if lease.expires_at - at > (LENGTH * 2 / 3).max(needed) {
            let token: Option<i64> = self.read(|connection| {
                connection
                    .query_row_cached("SELECT token FROM leases WHERE lane = ?1", [lease.lane.to_string()], |row| {
                        row.get(0)
                    })
                    .optional()
            })?;
            return Ok(token == Some(lease.token));
        }
        let expires_at = at + (LENGTH * 3 / 2).max(needed * 2);
        let changed = self.write(|transaction| {
            transaction.execute_cached(
                "UPDATE leases SET expires_at = ?3 WHERE lane = ?1 AND token = ?2",
                params![lease.lane.to_string(), lease.token, stamp(expires_at)],
            )
        })?;
        lease.expires_at = expires_at;
        Ok(changed == 1)
    }

    /// Gives a lease back.
    pub fn release_lease(&self, lease: &Lease, at: DateTime<Utc>) -> Result<(), LedgerError> {
        self.write_lazily(|transaction| {
            transaction.execute_cached(
                "UPDATE leases SET expires_at = ?3 WHERE lane = ?1 AND token = ?2",
                params![lease.lane.to_string(), lease.token, stamp(at)],
            )?;
            Ok(())
        })
    }

    /// Who holds the lane, if it is somebody else who is alive or may be.
    pub fn lease_holder(&self, lane: &Lane, holder: &Holder, at: DateTime<Utc>) -> Result<Option<Holder>, LedgerError> {
        self.read(|connection| {
            let found: Option<(String, String)> = connection
                .query_row_cached("SELECT holder, expires_at FROM leases WHERE lane = ?1", [lane.to_string()], |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })
                .optional()?;
            let Some((other, expires_at)) = found else { return Ok(None) };
            let other: Holder = parse(0, &other)?;
            let held = &other != holder && unstamp(1, &expires_at)? > at && !other.is_dead();
            Ok(held.then_some(other))
        })
    }
}

/// True while no other runner has taken the lane over.
pub(super) fn is_newest(connection: &Connection, lease: &Lease) -> rusqlite::Result<bool> {
    let token: Option<i64> = connection
        .query_row_cached("SELECT token FROM leases WHERE lane = ?1", [lease.lane.to_string()], |row| row.get(0))
        .optional()?;
    Ok(token == Some(lease.token))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane() -> Lane {
        Lane { site: "community".into(), account: "main".into() }
    }

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn a_living_holder_is_not_replaced_and_a_dead_one_is_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::open(folder.path()).unwrap();
        let now = at("2026-11-30T06:00:00Z");
        let me = Holder::this();
        let dead = Holder { start: me.start + 1, ..me.clone() };
        let LeaseAnswer::Taken(first) = ledger.take_lease(&lane(), &dead, now).unwrap() else { panic!() };
        let LeaseAnswer::Taken(second) = ledger.take_lease(&lane(), &me, now).unwrap() else { panic!("not replaced") };
        assert!(second.token > first.token);
        let other = Holder { host: "elsewhere".into(), ..me.clone() };
        assert_eq!(ledger.take_lease(&lane(), &other, now).unwrap(), LeaseAnswer::Held(me.clone()));
        let later = now + LENGTH;
        assert!(matches!(ledger.take_lease(&lane(), &other, later).unwrap(), LeaseAnswer::Taken(_)), "expired");
    }

    #[test]
    fn a_mark_names_its_holder() {
        let holder = Holder { host: "büro 7".into(), ..Holder::this() };
        assert_eq!(Holder::of_mark(&holder.mark()), Some(holder));
        for other in ["", "x", "1 2 boot", "x 2 boot host", "-1 2 boot host"] {
            assert_eq!(Holder::of_mark(other), None, "{other}");
        }
    }

    #[test]
    fn a_lease_that_was_taken_over_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::open(folder.path()).unwrap();
        let now = at("2026-11-30T06:00:00Z");
        let me = Holder::this();
        let LeaseAnswer::Taken(mut lease) = ledger.take_lease(&lane(), &me, now).unwrap() else { panic!() };
        assert!(ledger.keep_lease(&mut lease, now, TimeDelta::zero()).unwrap());
        ledger.take_lease(&lane(), &Holder { host: "elsewhere".into(), ..me }, now + LENGTH).unwrap();
        assert!(!ledger.keep_lease(&mut lease, now, TimeDelta::zero()).unwrap());
        assert!(!ledger.keep_lease(&mut lease, now + LENGTH, TimeDelta::zero()).unwrap());
    }
}
