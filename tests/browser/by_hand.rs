//! Who is signed in, and a browser in which a person is at work.

use std::time::Duration;

use sunup::browser::visit::{Answer, Halt};
use sunup::browser::{Action, Browser, Command, Context, Response};
use sunup::files::condition::{Condition, Names, Scope, Shape, Type};
use sunup::files::model::*;
use sunup::run::{Failure, FailureKind, SOMEBODY_ELSE};
use sunup::values::Value;

use crate::lab::*;
use crate::server::{html, json};

crate::cases![
    another_person_is_neither_signed_in_nor_out,
    a_look_leaves_the_person_alone,
    a_look_leaves_dialogs_and_other_sites_alone,
];

fn condition(text: &str) -> Condition {
    let mut names = Names::of_the_day();
    for name in ["user", "account.username"] {
        names.add(name, Shape::of(Type::Text));
    }
    names.add("guest", Shape::of(Type::Boolean));
    Condition::parse(text, &names).unwrap_or_else(|problem| panic!("{text}: {problem:?}"))
}

/// Who is signed in, by a request.
fn who(todo: &str) -> Section {
    let text = scalar(ScalarKind::Text, From::Json(json_path(&["user"])));
    let guest = scalar(ScalarKind::Boolean, From::Json(json_path(&["guest"])));
    let read = fetch("/api/me").limit(1).reads("user", text).reads("guest", guest);
    let verdict = Verdict::Stated { done: condition("user == account.username"), todo: Some(condition(todo)) };
    Section { verdict, ..section(vec![read]) }
}

fn lin() -> Scope {
    let mut scope = Scope::default();
    scope.names.insert("account.username".to_owned(), Ok(Value::Text("linxiaoman".to_owned())));
    scope
}

async fn identity(lab: &mut Lab, todo: &str, answer: &str) -> Result<Answer, Failure> {
    lab.server.serve("/api/me", [json(answer)]);
    match lab.visit().read_identity(&who(todo), lin()).await {
        Ok(reading) => Ok(reading.answer),
        Err(Halt::Failed(failure)) => Err(failure),
        Err(other) => panic!("{other:?}"),
    }
}

async fn another_person_is_neither_signed_in_nor_out(lab: &mut Lab) {
    let own = r#"{"user": "linxiaoman", "guest": false}"#;
    let other = r#"{"user": "chenmo", "guest": false}"#;
    // A site that shows something where the name stands, although nobody is signed in.
    let nobody = r#"{"user": "登录", "guest": true}"#;
    for todo in ["guest", "user != account.username"] {
        assert_eq!(identity(lab, todo, own).await, Ok(Answer::Done), "{todo}");
        let failure = identity(lab, todo, other).await.expect_err("another person");
        assert_eq!((failure.kind, failure.rule.as_deref()), (FailureKind::Login, Some(SOMEBODY_ELSE)), "{todo}");
        assert!(failure.message.contains("ch…mo") && failure.message.contains("li…an"), "{failure:?}");
    }
    assert_eq!(identity(lab, "guest", nobody).await, Ok(Answer::Todo), "it says that nobody is");
}

/// Sends a command as the driver gets it, dialogs and all.
async fn ask(lab: &mut Lab, action: Action) -> Response {
    let command = Command { context: Context::default(), action, limit: Duration::from_secs(5) };
    lab.browser.execute(command).await.expect("the browser is there")
}

async fn look(lab: &mut Lab) -> Option<Answer> {
    lab.visit().look_from_here(&who("guest"), lin()).await.expect("the browser is there")
}

const OWN: &str = r#"{"user": "linxiaoman", "guest": false}"#;

async fn a_look_leaves_the_person_alone(lab: &mut Lab) {
    lab.server.serve("/login", [html("<input id=code autofocus><a id=help href=/help target=_blank>help</a>")]);
    lab.server.serve("/help", [html("help")]);
    lab.prepare(&[open("/login"), fill(css("#code"), "1234"), click(css("#help"))]).await.unwrap();
    let Response::Tabs(tabs) = ask(lab, Action::Tabs).await else { panic!("tabs") };
    assert_eq!(tabs.len(), 2);
    lab.server.serve("/api/me", [json(OWN)]);
    assert_eq!(look(lab).await, Some(Answer::Done));
    let Response::Tabs(after) = ask(lab, Action::Tabs).await else { panic!("tabs") };
    assert_eq!(after, tabs, "a run would have closed the second one");
    let typed = lab.visit().prepare(&[], Scope::default()).await;
    assert!(typed.is_ok());
    lab.server.serve("/api/me", [json(r#"{"user": "chenmo", "guest": false}"#)]);
    let other = lab.visit().look_from_here(&who("guest"), lin()).await.expect_err("another person");
    assert_eq!(other.rule.as_deref(), Some(SOMEBODY_ELSE));
}

async fn a_look_leaves_dialogs_and_other_sites_alone(lab: &mut Lab) {
    lab.server.serve("/api/me", [json(OWN)]);
    lab.server.serve("/login", [html("<script>setTimeout(() => confirm('really?'))</script>")]);
    ask(lab, Action::Navigate(format!("{}/login", lab.server.origin()))).await;
    while !matches!(ask(lab, Action::DialogText).await, Response::Text(text) if text == "really?") {}
    assert_eq!(look(lab).await, None);
    assert!(matches!(ask(lab, Action::DialogText).await, Response::Text(_)), "it is the person's to answer");
    ask(lab, Action::AnswerDialog(true)).await;
    let elsewhere = "data:text/html,<title>elsewhere</title>";
    ask(lab, Action::Navigate(elsewhere.to_owned())).await;
    assert_eq!(look(lab).await, None);
    let Response::Json(place) = ask(lab, Action::Place).await else { panic!("a place") };
    assert_eq!(place["url"], elsewhere, "it goes nowhere");
}
