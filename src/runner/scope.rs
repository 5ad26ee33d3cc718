//! The names that conditions and templates of a key may use before anything was read.

use std::collections::BTreeMap;

use super::Credentials;
use crate::files::condition::{Scope, Unknown};
use crate::files::model::{Account, Task};
use crate::timing::Period;
use crate::values::Value;

/// `day`, `period.…`, `account.…`, and, for a task, its `vars.…`, each of which may use those above it.
pub fn scope(period: &Period, account: &Account, credentials: &Credentials, task: Option<&Task>) -> Scope {
    let mut names: BTreeMap<String, Result<Value, Unknown>> = BTreeMap::new();
    let mut text = |name: String, value: &str| names.insert(name, Ok(Value::Text(value.to_owned())));
    text("account.id".to_owned(), &account.id);
    text("account.username".to_owned(), &credentials.username);
    for (name, value) in &account.vars {
        text(format!("account.vars.{name}"), value);
    }
    names.insert("day".to_owned(), Ok(Value::Date(period.day)));
    names.insert("period.start".to_owned(), Ok(Value::Date(period.start)));
    names.insert("period.end".to_owned(), Ok(Value::Date(period.end)));
    let mut scope = Scope { names, password: credentials.password.clone() };
    for (name, template) in task.map(|task| task.vars.as_slice()).unwrap_or_default() {
        let value = template.render(&scope).map(Value::Text);
        scope.names.insert(format!("vars.{name}"), value);
    }
    scope
}

/// The same with what `check` read, as `checked.…`, for the act.
pub fn with_checked(mut scope: Scope, checked: &BTreeMap<String, Value>) -> Scope {
    for (name, value) in checked {
        scope.names.insert(format!("checked.{name}"), Ok(value.clone()));
    }
    scope
}
