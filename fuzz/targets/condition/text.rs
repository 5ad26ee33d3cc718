//! A condition or a template: it is refused at a place in its text, or it has an answer, or it is unknown, and always so
//! when it mentions what could not be read.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use chrono::NaiveDate;
use rust_decimal::Decimal;
use sunup::files::condition::{Condition, Names, Problem, Scope, Shape, Template, Type, Unknown};
use sunup::values::{Cell, Number, Row, Rows, Value};

/// A name of which nothing is known.
const LOST: &str = "lost";

fn text(value: &str) -> Value {
    Value::Text(value.to_owned())
}

fn number(value: Decimal) -> Value {
    Value::Number(Number { value, rounded: false })
}

fn row(title: &str, amount: Cell, done: Value) -> Row {
    let cells = [("title", Cell::Value(text(title))), ("amount", amount), ("done", Cell::Value(done))];
    Row { cells: cells.into_iter().map(|(name, cell)| (name.to_owned(), cell)).collect() }
}

fn details() -> Value {
    let rows = vec![
        row("签到", Cell::Value(number(Decimal::TEN)), Value::Boolean(true)),
        row("阅读", Cell::Value(number(Decimal::MAX)), Value::Boolean(false)),
        row("阅读", Cell::Value(number(Decimal::MIN)), Value::None),
        row("活动", Cell::Unreadable("见公告".to_owned()), Value::Boolean(true)),
    ];
    Value::Rows(Rows { read: rows.len(), rows })
}

/// Each name with its type and its value; the largest and the least of each among them.
fn given() -> Vec<(&'static str, Shape, Result<Value, Unknown>)> {
    let columns = [("title", Type::Text, false), ("amount", Type::Number, false), ("done", Type::Boolean, true)];
    let columns = columns.map(|(name, kind, optional)| (name.to_owned(), Shape { kind, optional }));
    let rows = Type::Rows(BTreeMap::from(columns));
    let date = |year, month, day| NaiveDate::from_ymd_opt(year, month, day).expect("a date");
    let rounded = Value::Number(Number { value: Decimal::from(12_000), rounded: true });
    let always = [
        ("day", Type::Date, Value::Date(date(2026, 11, 30))),
        ("period.start", Type::Date, Value::Date(NaiveDate::MIN)),
        ("period.end", Type::Date, Value::Date(NaiveDate::MAX)),
        ("vars.date", Type::Text, text("2026-11-30")),
        ("vars.noise", Type::Text, text("x")),
        ("vars.n", Type::NumberVar, text("3")),
        ("vars.on", Type::BooleanVar, text("true")),
        ("vars.bad", Type::NumberVar, text("99999999999999999999999999999999")),
        ("account.username", Type::Text, text("li")),
        ("signed", Type::Boolean, Value::Boolean(true)),
        ("level", Type::Number, number(Decimal::new(30, 1))),
        ("huge", Type::Number, number(Decimal::MAX)),
        ("least", Type::Number, number(Decimal::MIN)),
        ("views", Type::Number, rounded),
        ("at", Type::Time, Value::Time(chrono::DateTime::<chrono::Utc>::MAX_UTC)),
        ("details", rows, details()),
    ];
    let optional = [("user", Type::Text, text("li")), ("nobody", Type::Text, Value::None)];
    let always = always.map(|(name, kind, value)| (name, Shape::of(kind), Ok(value)));
    let optional = optional.map(|(name, kind, value)| (name, Shape { kind, optional: true }, Ok(value)));
    let lost = (LOST, Shape::of(Type::Boolean), Err(Unknown("it was not on the page".to_owned())));
    always.into_iter().chain(optional).chain([lost]).collect()
}

fn names_and_scope() -> &'static (Names, Scope) {
    static BOTH: OnceLock<(Names, Scope)> = OnceLock::new();
    BOTH.get_or_init(|| {
        let (mut names, mut scope) = (Names::of_the_day(), Scope::default());
        for (name, shape, value) in given() {
            names.add(name, shape);
            scope.names.insert(name.to_owned(), value);
        }
        (names.with_password(), scope)
    })
}

/// A problem lies inside the text, between two characters, and says what to do.
fn judge_problem(text: &str, problem: &Problem) {
    assert!(text.get(problem.span.clone()).is_some(), "{text:?}: {problem:?}");
    assert!(!problem.message.is_empty() && !problem.cure.is_empty(), "{text:?}: {problem:?}");
}

/// Parses and asks it.
pub fn judge(text: &str) {
    let (names, scope) = names_and_scope();
    match Condition::parse(text, names) {
        Ok(condition) => {
            let answer = condition.holds(scope);
            let is_lost = condition.names().contains(LOST);
            assert!(answer.is_err() || !is_lost, "{text:?} is {answer:?}, and {LOST} was not read");
            assert!(condition.holds(&Scope::default()).is_err() || condition.names().is_empty(), "{text:?}");
        }
        Err(problem) => judge_problem(text, &problem),
    }
    match Condition::parse_number(text, names) {
        Ok(count) => drop(count.number(scope)),
        Err(problem) => judge_problem(text, &problem),
    }
    if let Err(problem) = Condition::parse_rows(text, names) {
        judge_problem(text, &problem);
    }
    for text in [text, &format!("{{{{{text}}}}}")] {
        match Template::parse(text, names) {
            Ok(template) => {
                let is_lost = template.names().contains(LOST) || template.uses_password();
                assert!(template.render(scope).is_err() || !is_lost, "{text:?}");
            }
            Err(problem) => judge_problem(text, &problem),
        }
    }
}
