//! Who is signed in, by a condition such as `user == account.username`.

use super::Scope;
use super::ast::{Compare, Expr, Kind};
use super::eval::value;
use crate::values::Value;

/// What was read and what it must be, where a condition that must hold compares the two and they differ.
pub(super) fn other_account(expr: &Expr, scope: &Scope) -> Option<(String, String)> {
    match &expr.kind {
        Kind::And(left, right) => other_account(left, scope).or_else(|| other_account(right, scope)),
        Kind::Compare(Compare::Equal, left, right) => {
            let (read, own) = match (of_account(left), of_account(right)) {
                (false, true) => (left, right),
                (true, false) => (right, left),
                _ => return None,
            };
            let (read, own) = (shown(read, scope)?, shown(own, scope)?);
            (read != own && !read.is_empty()).then_some((read, own))
        }
        _ => None,
    }
}

fn of_account(expr: &Expr) -> bool {
    expr.names().iter().any(|name| name.starts_with("account."))
}

fn shown(expr: &Expr, scope: &Scope) -> Option<String> {
    match value(expr, scope).ok()? {
        Value::Text(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.value.normalize().to_string()),
        _ => None,
    }
}
