//! The pages from their templates, which are compiled in.

use std::sync::Arc;

use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Serialize;

use super::board::Board;
use super::problem::Problem;
use crate::report::{RenderError, Words, environment};

pub(super) const STYLE: &str = include_str!("templates/page.css");
pub(super) const SCRIPT: &str = include_str!("templates/page.js");
pub(super) const ICON: &str = include_str!("templates/icon.svg");

const TEMPLATES: [(&str, &str); 3] = [
    ("page.html", include_str!("templates/page.html")),
    ("board.html", include_str!("templates/board.html")),
    ("door.html", include_str!("templates/door.html")),
];

/// The whole page.
pub(super) fn page(board: &Board, words: &Arc<Words>) -> Result<String, RenderError> {
    render("page.html", Value::from(Serde(board)), words)
}

/// Its part that is fetched again.
pub(super) fn board(board: &Board, words: &Arc<Words>) -> Result<String, RenderError> {
    render("board.html", Value::from(Serde(board)), words)
}

/// What a person reads instead of a page.
pub(super) fn refused(problem: &Problem, words: &Arc<Words>) -> Result<String, RenderError> {
    let word = problem.word.unwrap_or("other");
    #[derive(Serialize)]
    struct Door<'a> {
        title: String,
        text: String,
        detail: Option<&'a str>,
        command: Option<&'static str>,
    }
    let door = Door {
        title: words.get(&format!("door-{word}-title")),
        text: words.get(&format!("door-{word}-text")),
        detail: matches!(word, "unavailable" | "other").then_some(problem.detail.as_str()),
        command: matches!(word, "locked" | "link").then_some("sunup open"),
    };
    render("door.html", context! { tag => words.tag(), door => Value::from(Serde(&door)) }, words)
}

fn render(name: &str, context: Value, words: &Arc<Words>) -> Result<String, RenderError> {
    let mut environment = environment()?;
    for (name, source) in TEMPLATES {
        environment.add_template(name, source)?;
    }
    let labels = words.clone();
    environment.add_function("word", move |key: String| labels.get(&key));
    Ok(environment.get_template(name)?.render(context)?)
}
