//! Taking secrets out of recorded values before they are written down.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::Redactor;
use crate::run::Failure;
use crate::values::{Cell, Row, Value};

/// A recorded value from which secrets can be taken out. Words and numbers of ours stay as they are, whatever the
/// secrets: only texts that came from outside are changed.
pub trait Redact {
    /// Takes the secrets out.
    fn redact(&mut self, redactor: &Redactor);

    /// The same value without secrets.
    fn redacted(mut self, redactor: &Redactor) -> Self
    where
        Self: Sized,
    {
        self.redact(redactor);
        self
    }
}

impl Redact for String {
    fn redact(&mut self, redactor: &Redactor) {
        *self = redactor.redact(self);
    }
}

impl<T: Redact> Redact for Option<T> {
    fn redact(&mut self, redactor: &Redactor) {
        self.iter_mut().for_each(|inner| inner.redact(redactor));
    }
}

impl<T: Redact> Redact for Vec<T> {
    fn redact(&mut self, redactor: &Redactor) {
        self.iter_mut().for_each(|inner| inner.redact(redactor));
    }
}

/// Keys are names from the user's own files.
impl<T: Redact> Redact for BTreeMap<String, T> {
    fn redact(&mut self, redactor: &Redactor) {
        self.values_mut().for_each(|inner| inner.redact(redactor));
    }
}

impl Redact for Failure {
    fn redact(&mut self, redactor: &Redactor) {
        self.message.redact(redactor);
        self.step.redact(redactor);
        self.page.redact(redactor);
        self.title.redact(redactor);
        self.candidates.redact(redactor);
        self.picture.redact(redactor);
    }
}

impl Redact for Value {
    fn redact(&mut self, redactor: &Redactor) {
        match self {
            Value::Text(text) => text.redact(redactor),
            Value::Rows(rows) => rows.rows.redact(redactor),
            Value::None | Value::Number(_) | Value::Boolean(_) | Value::Time(_) | Value::Date(_) => {}
        }
    }
}

impl Redact for Row {
    fn redact(&mut self, redactor: &Redactor) {
        self.cells.redact(redactor);
    }
}

impl Redact for Cell {
    fn redact(&mut self, redactor: &Redactor) {
        match self {
            Cell::Value(value) => value.redact(redactor),
            Cell::Unreadable(text) => text.redact(redactor),
        }
    }
}

/// JSON of unknown origin: its keys too may be anything.
impl Redact for Json {
    fn redact(&mut self, redactor: &Redactor) {
        match self {
            Json::String(text) => text.redact(redactor),
            Json::Array(items) => items.iter_mut().for_each(|item| item.redact(redactor)),
            Json::Object(map) => {
                let entries = std::mem::take(map).into_iter();
                *map = entries.map(|(key, value)| (redactor.redact(&key), value.redacted(redactor))).collect();
            }
            Json::Number(number) => {
                let text = number.to_string();
                let redacted = redactor.redact(&text);
                if redacted != text {
                    *self = Json::String(redacted);
                }
            }
            Json::Null | Json::Bool(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use secrecy::SecretString;
    use serde_json::json;

    use super::*;
    use crate::run::FailureKind;
    use crate::values::Rows;

    fn redactor() -> Redactor {
        let redactor = Redactor::new();
        redactor.add(&SecretString::from("hunter22"));
        redactor.add(&SecretString::from("13800138000"));
        redactor
    }

    #[test]
    fn a_failure_keeps_its_kind_and_loses_its_secrets() {
        let redactor = redactor();
        redactor.add(&SecretString::from("timeout"));
        let mut failure = Failure::new(FailureKind::Timeout, "typed hunter22").at_step("a.yaml:1:2 fill hunter22");
        failure.candidates = vec!["button hunter22".into()];
        failure.page = Some("example.org/hunter22".into());
        let failure = failure.redacted(&redactor);
        assert_eq!(failure.kind, FailureKind::Timeout);
        assert!(!format!("{failure:?}").contains("hunter22"));
    }

    #[test]
    fn rows_lose_secrets_in_every_cell() {
        let text = || Value::Text("hunter22".into());
        let cells = [("a", Cell::Value(text())), ("b", Cell::Unreadable("x hunter22".into()))];
        let row = Row { cells: cells.map(|(name, cell)| (name.to_owned(), cell)).into() };
        let value = Value::Rows(Rows { rows: vec![row], read: 1 }).redacted(&redactor());
        assert!(!format!("{value:?}").contains("hunter22"));
    }

    #[test]
    fn json_loses_secrets_in_texts_keys_and_numbers() {
        let value = json!({ "a": ["hunter22", 1, true], "hunter22": { "phone": 13800138000u64 } });
        assert_eq!(value.redacted(&redactor()), json!({ "a": ["•••", 1, true], "•••": { "phone": "•••" } }));
    }
}
