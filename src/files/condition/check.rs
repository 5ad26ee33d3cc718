//! Whether a condition makes sense with the names that there are. All of it at load.

use std::collections::BTreeMap;
use std::ops::Range;

use chrono::NaiveDate;

use super::super::nearest::nearest;
use super::Problem;
use super::ast::{Compare, Expr, Filter, Kind, VarKind};
use super::types::{Names, Shape, Type};

/// The whole condition must be true or false.
pub(super) fn boolean(expr: &mut Expr, names: &Names) -> Result<(), Problem> {
    let shape = infer(expr, names)?;
    match shape.kind {
        Type::Boolean | Type::BooleanVar | Type::Any if !shape.optional => Ok(()),
        Type::Boolean => Err(Problem::new(
            expr.span.clone(),
            "this may be absent, and absent is neither true nor false",
            "say which it must be: `x == true`, `x == false` or `x is none`",
        )),
        kind => Err(Problem::new(expr.span.clone(), format!("this is {kind}, not true or false"), truth_cure(&kind))),
    }
}

fn truth_cure(kind: &Type) -> &'static str {
    match kind {
        Type::Text => "compare it: `x == \"…\"`, or `x is none` for an optional one; or read it as `boolean`",
        Type::Number => "compare it: `x > 0`",
        Type::Rows(_) => "count them: `count(x) > 0`",
        _ => "compare it: `x == day`",
    }
}

/// The whole condition must be a number.
pub(super) fn number(expr: &mut Expr, names: &Names) -> Result<(), Problem> {
    expect_number(expr, names)
}

/// The whole condition must be rows.
pub(super) fn rows(expr: &mut Expr, names: &Names) -> Result<(), Problem> {
    columns(expr, names).map(|_| ())
}

/// The type of a value in a template.
pub(super) fn printable(expr: &mut Expr, names: &Names) -> Result<Type, Problem> {
    let shape = infer(expr, names)?;
    match shape.kind {
        Type::Rows(_) => {
            let cure = "write one value of them: `pick(rows, id=\"x\").title`, `count(rows)`";
            Err(Problem::new(expr.span.clone(), "a list of rows cannot be written into a text", cure))
        }
        kind => Ok(kind),
    }
}

/// Finds the type of a part, and whether its own parts fit together.
fn infer(expr: &mut Expr, names: &Names) -> Result<Shape, Problem> {
    let span = expr.span.clone();
    let kind = match &mut expr.kind {
        Kind::Text(_) => Type::Text,
        Kind::Number(_) => Type::Number,
        Kind::Boolean(_) | Kind::TypedVar(_, VarKind::Boolean) => Type::Boolean,
        Kind::TypedVar(_, VarKind::Number) => Type::Number,
        Kind::Date(_) => Type::Date,
        Kind::List(items) => return list(items, names),
        Kind::Name(name) => {
            let shape = names.get(name).ok_or_else(|| names.missing(name, &span))?;
            let (kind, var) = match shape.kind {
                Type::NumberVar => (Type::Number, VarKind::Number),
                Type::BooleanVar => (Type::Boolean, VarKind::Boolean),
                kind => return Ok(Shape { kind, optional: shape.optional }),
            };
            expr.kind = Kind::TypedVar(std::mem::take(name), var);
            kind
        }
        Kind::Not(inner) => {
            boolean(inner, names)?;
            Type::Boolean
        }
        Kind::And(left, right) | Kind::Or(left, right) => {
            boolean(left, names)?;
            boolean(right, names)?;
            Type::Boolean
        }
        Kind::Compare(operator, left, right) => {
            compare(*operator, left, right, names)?;
            Type::Boolean
        }
        Kind::In(left, right) => {
            one_of(left, right, names)?;
            Type::Boolean
        }
        Kind::IsNone(inner) => {
            is_none(inner, names)?;
            Type::Boolean
        }
        Kind::Negative(inner) => {
            expect_number(inner, names)?;
            Type::Number
        }
        Kind::Add(left, right) | Kind::Subtract(left, right) => {
            expect_number(left, names)?;
            expect_number(right, names)?;
            Type::Number
        }
        Kind::Count { rows, filters } => {
            let columns = columns(rows, names)?;
            check_filters(filters, &columns, names)?;
            Type::Number
        }
        Kind::Sum { rows, column, filters } => {
            let columns = columns(rows, names)?;
            check_filters(filters, &columns, names)?;
            let shape = column_shape(column, &span, &columns)?;
            if !matches!(shape.kind, Type::Number | Type::Any) {
                let message = format!("the column `{column}` is {}, and only numbers have a sum", shape.kind);
                return Err(Problem::new(span, message, "name a column that is read as `number`"));
            }
            Type::Number
        }
        Kind::Pick { rows, filters, column } => {
            let columns = columns(rows, names)?;
            check_filters(filters, &columns, names)?;
            return column_shape(column, &span, &columns);
        }
        Kind::Contains(text, piece) => {
            expect(text, names, &Type::Text, "look into a text")?;
            expect(piece, names, &Type::Text, "look for a text in quotes")?;
            if matches!(&piece.kind, Kind::Text(piece) if piece.is_empty()) {
                return Err(Problem::new(piece.span.clone(), "every text contains nothing", "write what to look for"));
            }
            Type::Boolean
        }
        Kind::Days(date, count) => {
            expect_date(date, names)?;
            expect_number(count, names)?;
            Type::Date
        }
        Kind::Weekday(date) => {
            expect_date(date, names)?;
            Type::Number
        }
    };
    Ok(Shape::of(kind))
}

fn list(items: &mut [Expr], names: &Names) -> Result<Shape, Problem> {
    let mut first: Option<Shape> = None;
    for item in items {
        let shape = infer(item, names)?;
        match &first {
            Some(first) if !same(&first.kind, &shape.kind) => {
                let message = format!("this is {}, the values before it are {}", shape.kind, first.kind);
                return Err(Problem::new(item.span.clone(), message, "a list has values of one type"));
            }
            Some(_) => {}
            None => first = Some(shape),
        }
    }
    Ok(first.unwrap_or(Shape::of(Type::Any)))
}

fn same(left: &Type, right: &Type) -> bool {
    left == right || *left == Type::Any || *right == Type::Any
}

/// Makes both sides one type; a text beside a date is read as a date.
fn align(left: &mut Expr, right: &mut Expr, names: &Names) -> Result<(Type, Type), Problem> {
    let (left_type, right_type) = (infer(left, names)?.kind, infer(right, names)?.kind);
    match (&left_type, &right_type) {
        (Type::Date, Type::Text) => read_date(right)?,
        (Type::Text, Type::Date) => read_date(left)?,
        (left_type, right_type) if same(left_type, right_type) => {}
        _ => {
            let span = left.span.start..right.span.end;
            let message = format!("{left_type} on the left, {right_type} on the right");
            return Err(Problem::new(span, message, align_cure(&left_type, &right_type)));
        }
    }
    Ok((left_type, right_type))
}

fn align_cure(left: &Type, right: &Type) -> &'static str {
    match (left, right) {
        (Type::Text, Type::Number) | (Type::Number, Type::Text) => {
            "compare equal types: quote the number, or read the text as `number`"
        }
        (Type::Text, Type::Boolean) | (Type::Boolean, Type::Text) => {
            "compare equal types: write true or false without quotes, or read the text as `boolean`"
        }
        (Type::Time, _) | (_, Type::Time) => "a time is compared with a time; for a day, read it as `date`",
        (Type::Rows(_), _) | (_, Type::Rows(_)) => "count the rows: `count(x) == 1`",
        _ => "compare two values of one type",
    }
}

/// A text in quotes becomes the date that it says; another text is read when the condition is asked.
fn read_date(expr: &mut Expr) -> Result<(), Problem> {
    let texts = match &mut expr.kind {
        Kind::List(items) => items.as_mut_slice(),
        _ => std::slice::from_mut(expr),
    };
    for item in texts {
        if let Kind::Text(text) = &item.kind {
            let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").map_err(|_| {
                Problem::new(item.span.clone(), format!("\"{text}\" is not a date"), "write \"2026-11-01\"")
            })?;
            item.kind = Kind::Date(date);
        }
    }
    Ok(())
}

fn compare(operator: Compare, left: &mut Expr, right: &mut Expr, names: &Names) -> Result<(), Problem> {
    let (kind, other) = align(left, right, names)?;
    let span = left.span.start..right.span.end;
    if matches!(kind, Type::Rows(_)) {
        return Err(Problem::new(span, "lists of rows are not compared", "count them: `count(x) == 1`"));
    }
    let ordered = !matches!(operator, Compare::Equal | Compare::Different);
    if ordered && matches!(kind, Type::Text | Type::Boolean) && other != Type::Date {
        let cure = "only numbers, dates and times are larger or smaller; read it as `number` or `date`";
        return Err(Problem::new(span, format!("{kind} has no order"), cure));
    }
    Ok(())
}

fn one_of(left: &mut Expr, right: &mut Expr, names: &Names) -> Result<(), Problem> {
    if matches!(right.kind, Kind::List(_)) {
        return align(left, right, names).map(|_| ());
    }
    expect(left, names, &Type::Text, "look for a text in a text, or for a value in a list: `x in [1, 2]`")?;
    expect(right, names, &Type::Text, "look for a text in a text, or for a value in a list: `x in [1, 2]`")
}

fn is_none(inner: &mut Expr, names: &Names) -> Result<(), Problem> {
    let shape = infer(inner, names)?;
    if shape.optional || shape.kind == Type::Any {
        return Ok(());
    }
    let cure = "read it with `optional: true`; without it a missing value makes the whole section unknown";
    Err(Problem::new(inner.span.clone(), "this is never none", cure))
}

fn expect(expr: &mut Expr, names: &Names, wanted: &Type, cure: &str) -> Result<(), Problem> {
    let found = infer(expr, names)?.kind;
    if same(&found, wanted) {
        return Ok(());
    }
    Err(Problem::new(expr.span.clone(), format!("this is {found}, and must be {wanted}"), cure))
}

fn expect_number(expr: &mut Expr, names: &Names) -> Result<(), Problem> {
    expect(expr, names, &Type::Number, "read it as `number`; a date moves by `days(date, n)`")
}

fn expect_date(expr: &mut Expr, names: &Names) -> Result<(), Problem> {
    match infer(expr, names)?.kind {
        Type::Text => read_date(expr),
        Type::Date | Type::Any => Ok(()),
        found => {
            let message = format!("this is {found}, and must be a date");
            Err(Problem::new(expr.span.clone(), message, "write `day`, or a value that is read as `date`"))
        }
    }
}

/// The columns of a list of rows; none when they are not known.
fn columns(expr: &mut Expr, names: &Names) -> Result<Option<BTreeMap<String, Shape>>, Problem> {
    match infer(expr, names)?.kind {
        Type::Rows(columns) => Ok(Some(columns)),
        Type::Any => Ok(None),
        found => {
            let message = format!("this is {found}, and must be a list of rows");
            Err(Problem::new(expr.span.clone(), message, "name a read of `table`, `items` or `rows`"))
        }
    }
}

fn column_shape(
    column: &str,
    span: &Range<usize>,
    columns: &Option<BTreeMap<String, Shape>>,
) -> Result<Shape, Problem> {
    let Some(columns) = columns else { return Ok(Shape::of(Type::Any)) };
    columns.get(column).cloned().ok_or_else(|| {
        let known = columns.keys().map(String::as_str);
        let cure = match nearest(column, known.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the columns are: {}", known.collect::<Vec<_>>().join(", ")),
        };
        Problem::new(span.clone(), format!("there is no column `{column}`"), cure)
    })
}

fn check_filters(
    filters: &mut [Filter],
    columns: &Option<BTreeMap<String, Shape>>,
    names: &Names,
) -> Result<(), Problem> {
    for index in 0..filters.len() {
        let (before, rest) = filters.split_at_mut(index);
        let filter = &mut rest[0];
        if before.iter().any(|other| other.column == filter.column) {
            let cure = format!("write both values in one list: `{}=[a, b]`", filter.column);
            return Err(Problem::new(filter.span.clone(), "this column stands here twice", cure));
        }
        let wanted = column_shape(&filter.column, &filter.span, columns)?.kind;
        let found = infer(&mut filter.value, names)?.kind;
        match (&wanted, &found) {
            (Type::Date, Type::Text) => read_date(&mut filter.value)?,
            (Type::Text, Type::Date) => {}
            (wanted, found) if same(wanted, found) => {}
            _ => {
                let message = format!("the column `{}` is {wanted}, this is {found}", filter.column);
                return Err(Problem::new(filter.value.span.clone(), message, align_cure(&wanted, &found)));
            }
        }
    }
    Ok(())
}
