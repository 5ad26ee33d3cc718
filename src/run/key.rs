//! Names of things: lanes, keys, units.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::timing::Period;

/// All work for one account of one site: serial, one lease, one browser profile.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Lane {
    /// The site's id.
    pub site: String,
    /// The account's id.
    pub account: String,
}

impl fmt::Display for Lane {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}@{}", self.site, self.account)
    }
}

/// The idempotency key: `<period>:<site>/<task>@<account>`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Key(String);

impl Key {
    /// The key of a task for an account in a period.
    pub fn new(period: &Period, lane: &Lane, task: &str) -> Self {
        Key::of(period, &format!("{}/{task}", lane.site), &lane.account)
    }

    /// The key of this thing to do, by the task's path or its `business_key`.
    pub fn of(period: &Period, what: &str, account: &str) -> Self {
        Key(format!("{}:{what}@{account}", period.name()))
    }

    /// A key as the ledger stores it.
    pub fn from_ledger(text: String) -> Self {
        Key(text)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The key of one unit of a goal: `<key>#<have>`.
    pub fn unit(&self, have: &str) -> Self {
        Key(format!("{}#{have}", self.0))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}
