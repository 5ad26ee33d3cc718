//! What a section read from the server, and what it means.

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::values::Value;

/// What a section read, and what it means: the evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// What the section means.
    pub answer: Answer,
    /// What was read, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, Value>,
    /// Lines for the report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
}

/// What a section means.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// It is done.
    Done,
    /// It is to do.
    Todo,
    /// A `verify` without `todo` whose `done` does not hold.
    NotYet,
    /// A goal: so many there are, so many there shall be.
    Goal {
        /// How many there are.
        have: Decimal,
        /// How many there shall be; none for `more`, which counts from the first read.
        want: Option<Decimal>,
    },
    /// Nothing to do in this period.
    Skip(String),
    /// Not open yet.
    Later(String),
    /// Only reads (`points`).
    Reads,
}

/// A line for the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "note", content = "text")]
pub enum Note {
    /// A `notice` of the task file that held.
    Notice(String),
    /// A locator that was found only by an alternative, with its place.
    Drift(String),
    /// How many rows of a list were kept for the period, such as "details: 1 of 40 rows kept".
    Kept(String),
}
