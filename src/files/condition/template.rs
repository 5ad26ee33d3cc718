//! Texts with `{{ name }}` in them.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;

use chrono::NaiveDate;
use secrecy::ExposeSecret;

use super::ast::{Expr, Kind};
use super::types::{Names, Type};
use super::{Problem, Scope, Unknown, check, eval, parser};
use crate::values::Value;

/// A text with `{{ name }}` in it, parsed and type-checked at load.
#[derive(Debug, Clone)]
pub struct Template {
    text: String,
    parts: Vec<Part>,
}

#[derive(Debug, Clone)]
enum Part {
    Text(String),
    Value { expr: Expr, format: Option<String> },
    Password,
}

impl Template {
    /// Reads a text. Its braces may hold every value that a condition may, and `| format("%m-%d")` behind a date.
    pub fn parse(text: &str, names: &Names) -> Result<Self, Problem> {
        let mut parts = Vec::new();
        let mut at = 0;
        while let Some(open) = text[at..].find("{{").map(|found| at + found) {
            if open > at {
                parts.push(Part::Text(text[at..open].to_owned()));
            }
            let Some(close) = closing(&text[open..]).map(|found| open + found) else {
                return Err(Problem::new(open..text.len(), "these braces do not end", "close them: `{{ name }}`"));
            };
            parts.push(part(text, open + 2..close, names)?);
            at = close + 2;
        }
        if at < text.len() {
            parts.push(Part::Text(text[at..].to_owned()));
        }
        Ok(Template { text: text.to_owned(), parts })
    }

    /// A text without any name in it.
    pub fn literal(text: &str) -> Self {
        Template { text: text.to_owned(), parts: vec![Part::Text(text.to_owned())] }
    }

    /// The text as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// True when no name stands in it.
    pub fn is_literal(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::Text(_)))
    }

    /// What stands before the first name.
    pub fn beginning(&self) -> &str {
        match self.parts.first() {
            Some(Part::Text(text)) => text,
            _ => "",
        }
    }

    /// True when it uses `account.password`.
    pub fn uses_password(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Password))
    }

    /// Every dotted name that it mentions, the password aside.
    pub fn names(&self) -> BTreeSet<&str> {
        let exprs = self.parts.iter().filter_map(|part| match part {
            Part::Value { expr, .. } => Some(expr),
            _ => None,
        });
        exprs.flat_map(Expr::names).collect()
    }

    /// The text with its names put in.
    pub fn render(&self, scope: &Scope) -> Result<String, Unknown> {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Password => match &scope.password {
                    Some(password) => out.push_str(password.expose_secret()),
                    None => return Err(Unknown("there is no password here".to_owned())),
                },
                Part::Value { expr, format: Some(format) } => {
                    out.push_str(&formatted(eval::as_date(&eval::value(expr, scope)?)?, format)?);
                }
                Part::Value { expr, format: None } => out.push_str(&printed(&eval::value(expr, scope)?)?),
            }
        }
        Ok(out)
    }
}

/// Where the braces close; those inside a text in quotes do not count.
fn closing(text: &str) -> Option<usize> {
    let mut quote = None;
    let mut escaped = false;
    for (at, found) in text.char_indices() {
        match (quote, found) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), _) if found == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(found),
            (None, '}') if text[at..].starts_with("}}") => return Some(at),
            (None, _) => {}
        }
    }
    None
}

fn part(text: &str, inside: Range<usize>, names: &Names) -> Result<Part, Problem> {
    let written = &text[inside.clone()];
    let moved = |mut problem: Problem| {
        problem.span = problem.span.start + inside.start..problem.span.end + inside.start;
        problem
    };
    if names.has_password() && written.trim() == "account.password" {
        return Ok(Part::Password);
    }
    let (expression, filter) = match filter_at(written) {
        Some(bar) => (&written[..bar], Some((inside.start + bar + 1, &written[bar + 1..]))),
        None => (written, None),
    };
    let mut expr = parser::parse(expression).map_err(moved)?;
    let kind = check::printable(&mut expr, names).map_err(moved)?;
    let format = filter.map(|(at, filter)| date_format(filter, at, &kind)).transpose()?;
    Ok(Part::Value { expr, format })
}

fn filter_at(written: &str) -> Option<usize> {
    let mut quote = None;
    for (at, found) in written.char_indices() {
        match quote {
            Some(open) if found == open => quote = None,
            Some(_) => {}
            None if matches!(found, '"' | '\'') => quote = Some(found),
            None if found == '|' => return Some(at),
            None => {}
        }
    }
    None
}

fn date_format(filter: &str, at: usize, kind: &Type) -> Result<String, Problem> {
    let span = at..at + filter.len();
    let call = parser::parse_format(filter.trim()).ok_or_else(|| {
        Problem::new(
            span.clone(),
            format!("there is no filter `{}`", filter.trim()),
            "the one filter is format(\"%m-%d\")",
        )
    })?;
    if !matches!(kind, Type::Date | Type::Text | Type::Any) {
        let cure = "only dates are formatted; leave the filter out";
        return Err(Problem::new(span, format!("`format` wants a date, this is {kind}"), cure));
    }
    let sample = NaiveDate::default();
    formatted(sample, &call).map_err(|_| {
        Problem::new(span, format!("\"{call}\" is no date format"), "use %Y, %m, %d, %U, %j and the like")
    })?;
    Ok(call)
}

fn formatted(date: NaiveDate, format: &str) -> Result<String, Unknown> {
    let mut out = String::new();
    write!(out, "{}", date.format(format)).map_err(|_| Unknown(format!("\"{format}\" is no date format")))?;
    Ok(out)
}

fn printed(value: &Value) -> Result<String, Unknown> {
    match value {
        Value::Text(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.value.to_string()),
        Value::Boolean(answer) => Ok(answer.to_string()),
        Value::Date(date) => Ok(date.to_string()),
        Value::Time(time) => Ok(time.to_rfc3339()),
        Value::None => Err(Unknown("a value that is absent cannot be written into a text".to_owned())),
        Value::Rows(_) => Err(Unknown("rows cannot be written into a text".to_owned())),
    }
}

/// A text that is a name without its braces: `with: account.password` would type these very words.
pub(crate) fn forgotten_braces(text: &str) -> bool {
    let name = matches!(
        parser::parse(text),
        Ok(Expr { kind: Kind::Name(name), .. })
            if ["account.", "vars.", "period.", "checked."].iter().any(|root| name.starts_with(root))
    );
    name && !text.contains(char::is_whitespace)
}
