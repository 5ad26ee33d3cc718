//! Typed values: what a read gives, what a condition compares. Pure.

pub mod parse;

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

/// A number as a page printed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Number {
    /// The value.
    pub value: Decimal,
    /// True for `1.2万` and the like: good for showing, never used for a difference or an equality.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rounded: bool,
}

/// One value that was read, or computed in a condition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// An `optional` read that found nothing there. Only `is none` and `==` may look at it.
    None,
    /// Text as a person sees it: blanks collapsed.
    Text(String),
    /// A number.
    Number(Number),
    /// True or false.
    Boolean(bool),
    /// An instant.
    Time(DateTime<Utc>),
    /// A calendar day.
    Date(NaiveDate),
    /// A list of rows.
    Rows(Rows),
}

/// One row of a list: a cell for each column. A cell that could not be read is kept as the text that was there.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Row {
    /// What was read, by column name.
    pub cells: BTreeMap<String, Cell>,
}

/// One cell of a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cell {
    /// It was read as the type that was written.
    Value(Value),
    /// Something was there that is not of that type: shown as such, never dropped, never 0.
    Unreadable(String),
}

/// A list of rows read to its end.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Rows {
    /// The rows kept.
    pub rows: Vec<Row>,
    /// How many rows were read before `keep: period` left some out.
    pub read: usize,
}
