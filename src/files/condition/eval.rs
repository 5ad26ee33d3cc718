//! The answer of a condition, or that it has none.
//!
//! Every part is evaluated, also where the other side already decides: an unknown is never hidden.

use std::cmp::Ordering;

use chrono::{Datelike, Days, NaiveDate};
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

use super::ast::{Compare, Expr, Filter, Kind, VarKind};
use super::{Scope, Unknown};
use crate::values::{Cell, Number, Row, Rows, Value};

/// The condition as a whole.
pub(super) fn boolean(expr: &Expr, scope: &Scope) -> Result<bool, Unknown> {
    match value(expr, scope)? {
        Value::Boolean(answer) => Ok(answer),
        other => Err(unexpected(&other, "true or false")),
    }
}

/// A number that can be counted with.
pub(super) fn exact_number(expr: &Expr, scope: &Scope) -> Result<Decimal, Unknown> {
    exact(number(expr, scope)?)
}

/// The value of a part.
pub(super) fn value(expr: &Expr, scope: &Scope) -> Result<Value, Unknown> {
    match &expr.kind {
        Kind::Text(text) => Ok(Value::Text(text.clone())),
        Kind::Number(number) => Ok(plain(*number)),
        Kind::Boolean(answer) => Ok(Value::Boolean(*answer)),
        Kind::Date(date) => Ok(Value::Date(*date)),
        Kind::List(_) => Err(Unknown("a list has no value of its own".to_owned())),
        Kind::Name(name) => named(name, scope),
        Kind::TypedVar(name, kind) => typed_var(name, *kind, scope),
        Kind::Not(inner) => Ok(Value::Boolean(!boolean(inner, scope)?)),
        Kind::And(left, right) => {
            let (left, right) = (boolean(left, scope)?, boolean(right, scope)?);
            Ok(Value::Boolean(left && right))
        }
        Kind::Or(left, right) => {
            let (left, right) = (boolean(left, scope)?, boolean(right, scope)?);
            Ok(Value::Boolean(left || right))
        }
        Kind::Compare(operator, left, right) => {
            let (left, right) = (value(left, scope)?, value(right, scope)?);
            Ok(Value::Boolean(compare(*operator, &left, &right)?))
        }
        Kind::In(left, right) => Ok(Value::Boolean(is_in(left, right, scope)?)),
        Kind::IsNone(inner) => Ok(Value::Boolean(value(inner, scope)? == Value::None)),
        Kind::Negative(inner) => {
            let inner = number(inner, scope)?;
            Ok(Value::Number(Number { value: -inner.value, rounded: inner.rounded }))
        }
        Kind::Add(left, right) => add(number(left, scope)?, number(right, scope)?).map(Value::Number),
        Kind::Subtract(left, right) => {
            let (left, right) = (exact(number(left, scope)?)?, exact(number(right, scope)?)?);
            left.checked_sub(right).map(plain).ok_or_else(too_large)
        }
        Kind::Count { rows, filters } => {
            let matching = matching(rows, filters, scope)?;
            Ok(plain(Decimal::from(matching.len())))
        }
        Kind::Sum { rows, column, filters } => {
            let mut total = Number { value: Decimal::ZERO, rounded: false };
            for row in matching(rows, filters, scope)? {
                total = add(total, as_number(cell(&row, column)?)?)?;
            }
            Ok(Value::Number(total))
        }
        Kind::Pick { rows, filters, column } => match matching(rows, filters, scope)?.as_slice() {
            [row] => cell(row, column).cloned(),
            rows => Err(Unknown(format!("`pick` wants exactly one row, {} fit", rows.len()))),
        },
        Kind::Contains(whole, piece) => {
            let (whole, piece) = (text(whole, scope)?, text(piece, scope)?);
            Ok(Value::Boolean(contains(&whole, &piece)?))
        }
        Kind::Days(start, count) => days(date(start, scope)?, exact_number(count, scope)?).map(Value::Date),
        Kind::Weekday(day) => Ok(plain(Decimal::from(date(day, scope)?.weekday().number_from_monday()))),
    }
}

fn plain(value: Decimal) -> Value {
    Value::Number(Number { value, rounded: false })
}

fn named(name: &str, scope: &Scope) -> Result<Value, Unknown> {
    match scope.names.get(name) {
        Some(found) => found.clone(),
        None => Err(Unknown(format!("`{name}` was not read"))),
    }
}

fn typed_var(name: &str, kind: VarKind, scope: &Scope) -> Result<Value, Unknown> {
    let found = named(name, scope)?;
    let Value::Text(text) = &found else { return Ok(found) };
    let read = match kind {
        VarKind::Number => text.parse().ok().map(plain),
        VarKind::Boolean => text.parse().ok().map(Value::Boolean),
    };
    read.ok_or_else(|| Unknown(format!("`{name}` is \"{text}\"")))
}

fn number(expr: &Expr, scope: &Scope) -> Result<Number, Unknown> {
    as_number(&value(expr, scope)?)
}

fn as_number(value: &Value) -> Result<Number, Unknown> {
    match value {
        Value::Number(number) => Ok(*number),
        other => Err(unexpected(other, "a number")),
    }
}

fn exact(number: Number) -> Result<Decimal, Unknown> {
    if number.rounded {
        return Err(Unknown(format!("{} is rounded, and nothing can be counted or compared with it", number.value)));
    }
    Ok(number.value)
}

fn add(left: Number, right: Number) -> Result<Number, Unknown> {
    let value = left.value.checked_add(right.value).ok_or_else(too_large)?;
    Ok(Number { value, rounded: left.rounded || right.rounded })
}

fn too_large() -> Unknown {
    Unknown("the number is too large".to_owned())
}

fn text(expr: &Expr, scope: &Scope) -> Result<String, Unknown> {
    match value(expr, scope)? {
        Value::Text(text) => Ok(text),
        other => Err(unexpected(&other, "a text")),
    }
}

fn contains(whole: &str, piece: &str) -> Result<bool, Unknown> {
    if piece.is_empty() {
        return Err(Unknown("the text to look for is empty".to_owned()));
    }
    Ok(whole.contains(piece))
}

fn date(expr: &Expr, scope: &Scope) -> Result<NaiveDate, Unknown> {
    as_date(&value(expr, scope)?)
}

/// A date, or a text that says one.
pub(super) fn as_date(value: &Value) -> Result<NaiveDate, Unknown> {
    match value {
        Value::Date(date) => Ok(*date),
        Value::Text(text) => {
            NaiveDate::parse_from_str(text, "%Y-%m-%d").map_err(|_| Unknown(format!("\"{text}\" is not a date")))
        }
        other => Err(unexpected(other, "a date")),
    }
}

fn days(start: NaiveDate, count: Decimal) -> Result<NaiveDate, Unknown> {
    let whole = count.is_integer().then(|| count.to_i32()).flatten();
    let count = whole.ok_or_else(|| Unknown(format!("{count} is not a number of days")))?;
    let span = Days::new(u64::from(count.unsigned_abs()));
    let moved = if count < 0 { start.checked_sub_days(span) } else { start.checked_add_days(span) };
    moved.ok_or_else(|| Unknown(format!("there is no date {count} days from {start}")))
}

fn is_in(left: &Expr, right: &Expr, scope: &Scope) -> Result<bool, Unknown> {
    let Kind::List(_) = &right.kind else {
        let (piece, whole) = (text(left, scope)?, text(right, scope)?);
        return contains(&whole, &piece);
    };
    let left = value(left, scope)?;
    if left == Value::None {
        return Err(unexpected(&left, "a value to look for"));
    }
    is_one_of(&left, &wanted(right, scope)?)
}

/// The values of a list, or the one value.
fn wanted(expr: &Expr, scope: &Scope) -> Result<Vec<Value>, Unknown> {
    let values = match &expr.kind {
        Kind::List(items) => items.iter().map(|item| value(item, scope)).collect::<Result<Vec<_>, _>>()?,
        _ => vec![value(expr, scope)?],
    };
    match values.iter().find(|value| **value == Value::None) {
        Some(none) => Err(unexpected(none, "a value to look for")),
        None => Ok(values),
    }
}

fn is_one_of(found: &Value, wanted: &[Value]) -> Result<bool, Unknown> {
    // All are compared before any counts, so that an unknown among them is not hidden.
    let answers = wanted.iter().map(|one| equal(found, one)).collect::<Result<Vec<_>, _>>()?;
    Ok(answers.contains(&true))
}

fn compare(operator: Compare, left: &Value, right: &Value) -> Result<bool, Unknown> {
    let order = match operator {
        Compare::Equal => return equal(left, right),
        Compare::Different => return equal(left, right).map(|same| !same),
        _ => order(left, right)?,
    };
    Ok(match operator {
        Compare::Less => order == Ordering::Less,
        Compare::AtMost => order != Ordering::Greater,
        Compare::Greater => order == Ordering::Greater,
        _ => order != Ordering::Less,
    })
}

fn equal(left: &Value, right: &Value) -> Result<bool, Unknown> {
    match (left, right) {
        (Value::None, other) | (other, Value::None) => Ok(*other == Value::None),
        (Value::Text(left), Value::Text(right)) => Ok(left == right),
        (Value::Boolean(left), Value::Boolean(right)) => Ok(left == right),
        _ => Ok(order(left, right)? == Ordering::Equal),
    }
}

fn order(left: &Value, right: &Value) -> Result<Ordering, Unknown> {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => Ok(exact(*left)?.cmp(&exact(*right)?)),
        (Value::Time(left), Value::Time(right)) => Ok(left.cmp(right)),
        (Value::Date(_), Value::Date(_) | Value::Text(_)) | (Value::Text(_), Value::Date(_)) => {
            Ok(as_date(left)?.cmp(&as_date(right)?))
        }
        (left, right) => Err(Unknown(format!("{} and {} cannot be compared", word(left), word(right)))),
    }
}

/// The rows whose columns all have the wanted values. Every row is asked about every column, so that a cell that could
/// not be read makes the whole unknown.
fn matching(rows: &Expr, filters: &[Filter], scope: &Scope) -> Result<Vec<Row>, Unknown> {
    let Rows { rows, .. } = match value(rows, scope)? {
        Value::Rows(rows) => rows,
        other => return Err(unexpected(&other, "rows")),
    };
    let mut wanted_by_column = Vec::new();
    for filter in filters {
        wanted_by_column.push((&filter.column, wanted(&filter.value, scope)?));
    }
    let mut found = Vec::new();
    for row in rows {
        let mut fits = true;
        for (column, wanted) in &wanted_by_column {
            fits &= is_one_of(cell(&row, column)?, wanted)?;
        }
        if fits {
            found.push(row);
        }
    }
    Ok(found)
}

fn cell<'r>(row: &'r Row, column: &str) -> Result<&'r Value, Unknown> {
    match row.cells.get(column) {
        Some(Cell::Value(value)) => Ok(value),
        Some(Cell::Unreadable(text)) => Err(Unknown(format!("the cell `{column}` says \"{text}\""))),
        None => Err(Unknown(format!("a row has no cell `{column}`"))),
    }
}

fn unexpected(found: &Value, wanted: &str) -> Unknown {
    Unknown(format!("{} where {wanted} must be", word(found)))
}

fn word(value: &Value) -> &'static str {
    match value {
        Value::None => "nothing",
        Value::Text(_) => "a text",
        Value::Number(_) => "a number",
        Value::Boolean(_) => "true or false",
        Value::Time(_) => "a time",
        Value::Date(_) => "a date",
        Value::Rows(_) => "rows",
    }
}
