//! What a section means, and where a password may go: with real conditions and templates.

use std::time::Duration;

use sunup::browser::visit::{Answer, Halt, Note, Reading};
use sunup::clock::Clock;
use sunup::files::condition::{Condition, Names, Scope, Shape, Template, Type};
use sunup::files::model::*;
use sunup::run::FailureKind;

use crate::lab::*;
use crate::server::{html, json};

crate::cases![
    done_todo_and_neither,
    a_page_that_becomes_itself_later,
    skip_and_later_come_first,
    a_goal_counts,
    a_failed_read_is_no_answer,
    a_password_goes_to_the_sites_own_pages_only,
];

fn names() -> Names {
    let mut names = Names::of_the_day();
    for name in ["done", "todo", "open"] {
        names.add(name, Shape::of(Type::Boolean));
    }
    for name in ["have", "want"] {
        names.add(name, Shape::of(Type::Number));
    }
    names
}

fn condition(text: &str) -> Condition {
    Condition::parse(text, &names()).unwrap_or_else(|problem| panic!("{text}: {problem:?}"))
}

/// A section that reads two displayed marks.
fn marks() -> Section {
    let read = open("/")
        .limit(2)
        .reads("done", ReadKind::Visible(css("#done")))
        .reads("todo", ReadKind::Visible(css("#todo")));
    let verdict = Verdict::Stated { done: condition("done"), todo: Some(condition("todo")) };
    Section { verdict, ..section(vec![read]) }
}

async fn read(lab: &mut Lab, section: &Section) -> Result<Reading, Halt> {
    lab.visit().read_section(section, Scope::default()).await
}

async fn done_todo_and_neither(lab: &mut Lab) {
    for (body, answer) in [("<p id=done>已签到</p>", Answer::Done), ("<p id=todo>签到</p>", Answer::Todo)] {
        lab.server.serve("/", [html(body)]);
        assert_eq!(read(lab, &marks()).await.unwrap().answer, answer);
    }
    for body in ["<p>加载中</p>", "<p id=done>已签到</p><p id=todo>签到</p>"] {
        lab.server.serve("/", [html(body)]);
        let Err(Halt::Failed(failure)) = read(lab, &marks()).await else { panic!("{body} was understood") };
        assert_eq!(failure.kind, FailureKind::PageChanged);
        assert!(failure.message.contains("not understood"), "{}", failure.message);
        assert_eq!(failure.step.as_deref(), Some("tasks/community/checkin.yaml:7:5 open"));
    }
    let verify = Section { verdict: Verdict::Stated { done: condition("done"), todo: None }, ..marks() };
    lab.server.serve("/", [html("<p id=todo>签到</p>")]);
    assert_eq!(read(lab, &verify).await.unwrap().answer, Answer::NotYet);
}

async fn a_page_that_becomes_itself_later(lab: &mut Lab) {
    lab.server
        .serve("/", [html("<script>setTimeout(() => document.body.innerHTML = '<p id=todo>签到</p>', 800)</script>")]);
    assert_eq!(read(lab, &marks()).await.unwrap().answer, Answer::Todo);
    assert_eq!(lab.server.count("GET /"), 1, "the page was not loaded again");
}

async fn skip_and_later_come_first(lab: &mut Lab) {
    let reasoned = |when: &str, reason: &str| Reasoned { when: condition(when), reason: text(reason) };
    lab.server.serve("/", [html("<p id=done>x</p>")]);
    let mut section = marks();
    section.notice = vec![reasoned("done", "两个话题")];
    section.later = vec![reasoned("done", "还没开放")];
    assert_eq!(read(lab, &section).await.unwrap().answer, Answer::Later("还没开放".into()));
    section.skip = vec![reasoned("done", "今天没有")];
    let reading = read(lab, &section).await.unwrap();
    assert_eq!(reading.answer, Answer::Skip("今天没有".into()));
    assert_eq!(reading.notes, [Note::Notice("两个话题".into())]);
}

async fn a_goal_counts(lab: &mut Lab) {
    lab.server.serve("/api", [json(r#"{"have":2,"want":5}"#)]);
    let number = |name| scalar(ScalarKind::Number, From::Json(json_path(&[name])));
    let parse = |text| Condition::parse_number(text, &names()).unwrap();
    let verdict = Verdict::Goal { have: parse("have"), want: Want::Total(parse("want")) };
    let steps = vec![fetch("/api").reads("have", number("have")).reads("want", number("want"))];
    let reading = read(lab, &Section { verdict, ..section(steps) }).await.unwrap();
    assert_eq!(reading.answer, Answer::Goal { have: 2.into(), want: Some(5.into()) });
}

async fn a_failed_read_is_no_answer(lab: &mut Lab) {
    lab.server.serve("/api", [json(r#"{"signed":"false"}"#)]);
    let signed = scalar(ScalarKind::Boolean, From::Json(json_path(&["signed"])));
    let verdict = Verdict::Stated { done: condition("done"), todo: Some(condition("not done")) };
    let section = Section { verdict, ..section(vec![fetch("/api").reads("done", signed)]) };
    let outcome = read(lab, &section).await;
    assert!(
        matches!(&outcome, Err(Halt::Failed(failure)) if failure.message.contains("`done` was not read")),
        "{outcome:?}"
    );
}

async fn a_password_goes_to_the_sites_own_pages_only(lab: &mut Lab) {
    let password = Template::parse("{{ account.password }}", &names().with_password()).unwrap();
    let target = |locator| Verb::Fill { target: one(locator), with: password.clone() };
    let scope = Scope { password: Some("canary-password".to_owned().into()), ..Scope::default() };
    lab.server.serve("/login", [html("<form><input type=password></form>")]);
    let steps = [open("/login"), step(target(css("input")))];
    let typed = lab.visit().act_whole(&steps, scope.clone()).await;
    assert!(typed.is_ok(), "{typed:?}");

    // A frame of another origin, and a page of the site inside of it, get nothing.
    let elsewhere = lab.server.origin().replace("127.0.0.1", "localhost");
    lab.server.serve("/frame", [html(&format!("<iframe src='{elsewhere}/login'></iframe>"))]);
    let framed = Locator { frame: Some(Box::new(css("iframe"))), ..css("input") };
    let start = lab.clock.uptime();
    let refused = lab.visit().act_whole(&[open("/frame"), step(target(framed))], scope).await;
    assert!(
        matches!(&refused, Err(Halt::Failed(failure)) if failure.kind == FailureKind::SuspiciousPage),
        "{refused:?}"
    );
    assert!(!format!("{refused:?}").contains("canary"));
    assert!(lab.clock.uptime() - start < Duration::from_secs(5));
}
