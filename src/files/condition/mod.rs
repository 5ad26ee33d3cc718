//! The small typed language of conditions and templates, checked at load.
//!
//! It has no truthiness, no default and no conversion: an answer is true or false only when everything that the
//! condition mentions is known. One unknown makes the whole unknown, wherever it stands.

mod ast;
mod check;
mod eval;
mod identity;
mod lexer;
mod parser;
mod template;
mod types;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::values::Value;

pub use template::Template;
pub(crate) use template::forgotten_braces;
pub use types::{Names, Shape, Type};

use ast::Expr;

/// Why a condition or a template has no answer: a read failed, a value is none, `pick` found no single row.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{0}")]
pub struct Unknown(pub String);

/// The names that a condition or a template may use, with their values now.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// Dotted names: `day`, `period.start`, `account.username`, `vars.x`, `checked.x`, what `read` named.
    pub names: BTreeMap<String, Result<Value, Unknown>>,
    /// `account.password`; only a `fill` may use it, and it is never part of `names`.
    pub password: Option<secrecy::SecretString>,
}

/// What is wrong with a text, where in it, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Bytes of the text.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub cure: String,
}

impl Problem {
    fn new(span: Range<usize>, message: impl Into<String>, cure: impl Into<String>) -> Self {
        Problem { span, message: message.into(), cure: cure.into() }
    }
}

/// A condition, parsed and type-checked at load.
#[derive(Debug, Clone)]
pub struct Condition {
    text: String,
    expr: Expr,
}

impl Condition {
    /// Reads a text that must be true or false.
    pub fn parse(text: &str, names: &Names) -> Result<Self, Problem> {
        Self::parse_as(text, names, check::boolean)
    }

    /// Reads the text of a `have` or `want`, which must be a number.
    pub fn parse_number(text: &str, names: &Names) -> Result<Self, Problem> {
        Self::parse_as(text, names, check::number)
    }

    /// Reads a text that must be a list of rows.
    pub fn parse_rows(text: &str, names: &Names) -> Result<Self, Problem> {
        Self::parse_as(text, names, check::rows)
    }

    fn parse_as(
        text: &str,
        names: &Names,
        check: fn(&mut Expr, &Names) -> Result<(), Problem>,
    ) -> Result<Self, Problem> {
        let mut expr = parser::parse(text)?;
        check(&mut expr, names)?;
        Ok(Condition { text: text.to_owned(), expr })
    }

    /// True when both hold: a `when` of a `use` together with that of a step in it.
    pub(crate) fn and(self, other: Condition) -> Condition {
        let text = format!("({}) and ({})", self.text, other.text);
        Condition { text, expr: Expr::both(self.expr, other.expr) }
    }

    /// The text as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Every dotted name that it mentions.
    pub fn names(&self) -> BTreeSet<&str> {
        self.expr.names()
    }

    /// True or false; unknown as a whole as soon as it touches anything unknown.
    pub fn holds(&self, scope: &Scope) -> Result<bool, Unknown> {
        eval::boolean(&self.expr, scope)
    }

    /// Where it says that something that was read must equal something of the account (`user == account.username`): what was
    /// read, and what it must be, if both are known texts or numbers and differ.
    pub fn other_account(&self, scope: &Scope) -> Option<(String, String)> {
        identity::other_account(&self.expr, scope)
    }

    /// The number of a `have` or `want`. A rounded number is not one: nothing can be counted with it.
    pub fn number(&self, scope: &Scope) -> Result<Decimal, Unknown> {
        eval::exact_number(&self.expr, scope)
    }
}

#[cfg(test)]
mod tests;
