//! The small typed language of conditions and templates.

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::values::Value;

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

/// A condition, parsed and type-checked at load.
#[derive(Debug, Clone)]
pub struct Condition {
    text: String,
}

impl Condition {
    /// The text as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// True or false; unknown as a whole as soon as it touches anything unknown.
    pub fn holds(&self, _scope: &Scope) -> Result<bool, Unknown> {
        Err(Unknown(String::new()))
    }

    /// The number of a `have` or `want`.
    pub fn number(&self, _scope: &Scope) -> Result<Decimal, Unknown> {
        Err(Unknown(String::new()))
    }
}

/// A text with `{{ name }}` in it, parsed and type-checked at load.
#[derive(Debug, Clone)]
pub struct Template {
    text: String,
}

impl Template {
    /// A text without any name in it.
    pub fn literal(text: &str) -> Self {
        Template { text: text.to_owned() }
    }

    /// The text as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// True when it uses `account.password`.
    pub fn uses_password(&self) -> bool {
        false
    }

    /// The text with its names put in.
    pub fn render(&self, _scope: &Scope) -> Result<String, Unknown> {
        Ok(self.text.clone())
    }
}
