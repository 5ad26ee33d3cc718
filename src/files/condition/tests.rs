//! The language by examples. What is refused at load stands in `tests/format/`.

use std::collections::BTreeMap;

use rust_decimal::Decimal;

use super::*;
use crate::values::{Cell, Number, Row, Rows};

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn number(value: &str) -> Value {
    Value::Number(Number { value: value.parse().unwrap(), rounded: false })
}

fn rounded(value: &str) -> Value {
    Value::Number(Number { value: value.parse().unwrap(), rounded: true })
}

fn row(title: &str, amount: Cell, done: Value) -> Row {
    let cells = [("title", Cell::Value(text(title))), ("amount", amount), ("done", Cell::Value(done))];
    Row { cells: cells.into_iter().map(|(name, cell)| (name.to_owned(), cell)).collect() }
}

/// `details`: 签到 +10, 阅读 +5, 阅读 −2. `broken`: the same, and a row whose amount is no number.
fn scope() -> Scope {
    let points = |value: &str| Cell::Value(number(value));
    let mut rows = vec![
        row("签到", points("10"), Value::Boolean(true)),
        row("阅读", points("5"), Value::Boolean(false)),
        row("阅读", points("-2"), Value::None),
    ];
    let details = Value::Rows(Rows { rows: rows.clone(), read: 3 });
    rows.push(row("活动", Cell::Unreadable("见公告".to_owned()), Value::Boolean(true)));
    let broken = Value::Rows(Rows { rows, read: 4 });
    let values = [
        ("day", Value::Date("2026-11-30".parse().unwrap())),
        ("vars.date", text("2026-11-30")),
        ("vars.noise", text("x")),
        ("vars.n", text("3")),
        ("vars.on", text("true")),
        ("account.username", text("li")),
        ("signed", Value::Boolean(true)),
        ("user", text("li")),
        ("nobody", Value::None),
        ("maybe", Value::None),
        ("level", number("3.0")),
        ("views", rounded("12000")),
        ("details", details),
        ("broken", broken),
    ];
    let mut names: BTreeMap<_, _> = values.into_iter().map(|(name, value)| (name.to_owned(), Ok(value))).collect();
    names.insert("lost".to_owned(), Err(Unknown("it was not on the page".to_owned())));
    Scope { names, password: Some("geheim".into()) }
}

fn names() -> Names {
    let mut names = Names::of_the_day();
    let columns = [
        ("title", Shape::of(Type::Text)),
        ("amount", Shape::of(Type::Number)),
        ("done", Shape { kind: Type::Boolean, optional: true }),
    ];
    let rows = Type::Rows(columns.into_iter().map(|(name, shape)| (name.to_owned(), shape)).collect());
    let shapes = [
        ("vars.date", Type::Text),
        ("vars.noise", Type::Text),
        ("vars.n", Type::NumberVar),
        ("vars.on", Type::BooleanVar),
        ("account.username", Type::Text),
        ("signed", Type::Boolean),
        ("lost", Type::Boolean),
        ("level", Type::Number),
        ("views", Type::Number),
        ("details", rows.clone()),
        ("broken", rows),
    ];
    for (name, kind) in shapes {
        names.add(name, Shape::of(kind));
    }
    names.add("user", Shape { kind: Type::Text, optional: true });
    names.add("nobody", Shape { kind: Type::Text, optional: true });
    names.add("maybe", Shape { kind: Type::Boolean, optional: true });
    names
}

fn holds(text: &str) -> Result<bool, Unknown> {
    Condition::parse(text, &names()).unwrap_or_else(|problem| panic!("{text}: {problem:?}")).holds(&scope())
}

#[test]
fn what_holds() {
    for good in [
        "signed",
        "signed and not (not signed)",
        "not signed or signed",
        "user == account.username",
        "user is not none and nobody is none",
        "nobody != \"li\"",
        "not (nobody == \"li\")",
        "maybe is none",
        "level == 3",
        "level >= 3 and level < 3.5 and level in [1, 3]",
        "vars.n == 3 and vars.on",
        "1 + 2 - 3 == 0 and -1 < 0",
        "day == \"2026-11-30\"",
        "day == vars.date and vars.date <= day",
        "days(day, 1) == \"2026-12-01\" and days(vars.date, -30) == \"2026-10-31\"",
        "weekday(day) == 1 and weekday(vars.date) == 1",
        "count(details) == 3",
        "count(details, title=\"阅读\") == 2",
        "count(details, title=[\"阅读\", \"签到\"]) == 3",
        "count(details, title=\"阅读\", amount=5) == 1",
        "count(details, done=true) == 1",
        "sum(details, \"amount\") == 13 and sum(details, \"amount\", title=\"阅读\") == 3",
        "pick(details, title=\"签到\").amount == 10",
        "pick(details, amount=-2).done is none",
        "contains(user, \"l\") and \"i\" in user",
        "user in [\"li\", \"wang\"]",
        "count(broken, title=\"签到\") == 1",
        "sum(broken, \"amount\", title=\"签到\") == 10",
    ] {
        assert_eq!(holds(good), Ok(true), "{good}");
    }
}

/// Nothing turns an unknown into an answer, wherever it stands.
#[test]
fn what_is_unknown() {
    for unknown in [
        "lost",
        "not lost",
        "signed or lost",
        "lost or signed",
        "not signed and lost",
        "lost and not signed",
        "lost == true",
        "nobody in [\"li\"]",
        "contains(nobody, \"x\")",
        "contains(user, nobody)",
        "count(details, title=nobody) == 0",
        "maybe == true or lost",
        "views == 12000",
        "views != 1",
        "views < 1",
        "views - 1 == 0",
        "views in [1, 2]",
        "count(details, amount=views) == 0",
        "day == vars.noise",
        "weekday(vars.noise) == 1",
        "days(day, 0.5) == day",
        "days(day, 99999999999) == day",
        "pick(details, title=\"阅读\").amount == 5",
        "pick(details, title=\"没有\").amount == 5",
        "sum(broken, \"amount\") == 13",
        "count(broken, amount=10) == 1",
        "count(broken, title=\"签到\", amount=10) == 1",
    ] {
        assert!(holds(unknown).is_err(), "{unknown}: {:?}", holds(unknown));
    }
}

#[test]
fn a_name_that_was_not_read_is_unknown() {
    let condition = Condition::parse("signed", &names()).unwrap();
    assert!(condition.holds(&Scope::default()).is_err());
}

#[test]
fn numbers_of_a_goal() {
    let of = |text: &str| Condition::parse_number(text, &names()).unwrap().number(&scope());
    assert_eq!(of("count(details) + 1"), Ok(Decimal::from(4)));
    assert_eq!(of("vars.n"), Ok(Decimal::from(3)));
    assert!(of("views").is_err());
    assert!(of("79228162514264337593543950335 + 1").is_err());
}

#[test]
fn templates() {
    let of = |text: &str| Template::parse(text, &names().with_password()).unwrap();
    let render = |text: &str| of(text).render(&scope());
    assert_eq!(render("日记 {{ day }}"), Ok("日记 2026-11-30".to_owned()));
    assert_eq!(render("{{ day | format(\"%m-%d\") }}/{{ vars.date | format('%Y年') }}"), Ok("11-30/2026年".to_owned()));
    assert_eq!(render("{{ days(day, 7) }}{{ count(details) }}"), Ok("2026-12-073".to_owned()));
    assert_eq!(render("{{ pick(details, title=\"签到\").amount }} }} {"), Ok("10 }} {".to_owned()));
    assert_eq!(render("{{ contains(user, \"}}\") }}"), Ok("false".to_owned()));
    assert_eq!(render("a{{account.password}}"), Ok("ageheim".to_owned()));
    assert!(of("{{ account.password }}").uses_password());
    assert!(!of("{{ day }}").uses_password());
    for unknown in ["{{ nobody }}", "{{ lost }}", "{{ vars.noise | format(\"%m\") }}"] {
        assert!(render(unknown).is_err(), "{unknown}");
    }
    assert_eq!(Template::literal("{{ x }}").render(&Scope::default()), Ok("{{ x }}".to_owned()));
}

#[test]
fn the_password_stands_nowhere_else() {
    let names = names().with_password();
    assert!(Condition::parse("account.password == \"x\"", &names).is_err());
    assert!(Template::parse("{{ contains(account.password, \"x\") }}", &names).is_err());
    assert!(Template::parse("{{ account.password | format(\"%m\") }}", &names).is_err());
}

#[test]
fn a_problem_stands_at_its_own_place() {
    let problem = Condition::parse("signed and count(details, titel=\"x\") == 1", &names()).unwrap_err();
    assert_eq!((problem.span, problem.cure.as_str()), (26..31, "did you mean `title`?"));
    let problem = Template::parse("日 {{ dya }}", &names()).unwrap_err();
    assert_eq!(problem.span, 7..10);
}

#[test]
fn conditions_joined_by_a_use() {
    let parse = |text| Condition::parse(text, &names()).unwrap();
    assert_eq!(parse("signed").and(parse("level > 5")).holds(&scope()), Ok(false));
    assert!(parse("not signed").and(parse("lost")).holds(&scope()).is_err());
}
