//! The scripts that run in pages: finding, what is displayed, waiting, reading. They are put into a document once, and those of
//! the second look when it is needed.

use std::sync::LazyLock;

use serde_json::{Value as Json, json};

/// What a page function answers when the scripts are not in its document yet.
const NOT_THERE: &str = "sunup: not there";

/// What every document is asked.
const PARTS: [&str; 10] = [
    include_str!("displayed.js"),
    include_str!("text.js"),
    include_str!("find.js"),
    include_str!("wait.js"),
    include_str!("use.js"),
    include_str!("mask.js"),
    include_str!("rows.js"),
    include_str!("survey.js"),
    include_str!("hosts.js"),
    include_str!("glance.js"),
];

/// What only a document is asked that could ask for a person.
const SECOND_LOOK: [&str; 4] =
    [include_str!("setting.js"), include_str!("signals.js"), include_str!("frames.js"), include_str!("challenge.js")];

/// The functions that [`super::Action::Page`] may name.
const FUNCTIONS: &str = "look, nearest, settle, calm, unusable, ready, holds, holdsLength, field, typing, focus, ticked, \
                         option, chosen, scroll, asksForPassword, request, mask, hide, items, table, glance, asked, textOf, readValue";

/// Those of the second look.
const SECOND_FUNCTIONS: [&str; 2] = ["scan", "openRoot"];

/// What a script answers that was meant for a frame and ran in the top document.
const ELSEWHERE: &str = "sunup: elsewhere";

/// Functions that may change something, and so may not run twice. The others may: chromedriver runs a script again when its
/// document went away in the middle, in the next one.
const ONCE: [&str; 1] = ["request"];

/// True for a function that must not be called together with the installation: in the next document it would run again.
pub(super) fn runs_once(function: &str) -> bool {
    ONCE.contains(&function)
}

/// Puts the scripts into a document, and nothing else.
pub(super) fn install() -> String {
    format!("{}return true;", *INSTALL)
}

/// A script for a frame's document alone: where the frame is gone, chromedriver runs it in the top document.
pub(super) fn in_frame(script: &str) -> String {
    format!("if (window === window.top) return '{ELSEWHERE}';\n{script}")
}

/// True when a script for a frame found itself in the top document.
pub(super) fn is_elsewhere(answer: &Json) -> bool {
    answer.as_str() == Some(ELSEWHERE)
}

/// Asks a document where it is, which needs none of the other scripts.
pub(super) const PLACE: &str = concat!(include_str!("place.js"), "\nreturn place();");

static INSTALL: LazyLock<String> = LazyLock::new(|| {
    let marks = json!(super::challenge::marks());
    format!("window.sunup ??= (() => {{\nconst MARKS = {marks};\n{}return {{ {FUNCTIONS} }};\n}})();\n", small(&PARTS))
});

/// The same with the second look. Where the first scripts are there, these take their place.
static INSTALL_ALL: LazyLock<String> = LazyLock::new(|| {
    let (marks, hosts) = (json!(super::challenge::marks()), json!(super::challenge::frame_hosts()));
    let second = SECOND_FUNCTIONS.join(", ");
    format!(
        "if (!window.sunup?.scan) window.sunup = (() => {{\nconst MARKS = {marks};\nconst FRAME_HOSTS = {hosts};\n{}{}\
         return {{ {FUNCTIONS}, {second} }};\n}})();\n",
        small(&PARTS),
        small(&SECOND_LOOK)
    )
});

/// Without comments and indentation: each document is sent them anew.
fn small(parts: &[&str]) -> String {
    let lines = parts.iter().flat_map(|part| part.lines()).map(str::trim_start);
    lines.filter(|line| !line.is_empty() && !line.starts_with("//")).flat_map(|line| [line, "\n"]).collect()
}

fn install_for(function: &str) -> &'static str {
    if SECOND_FUNCTIONS.contains(&function) { &INSTALL_ALL } else { &INSTALL }
}

/// A script that calls a function, if the scripts are there. In Firefox, WebDriver's scripts see the page through a
/// membrane: what they put on `window` stays hidden from the page's own scripts. In Chromium they run beside those.
pub(super) fn call(function: &str) -> String {
    format!("if (!window.sunup?.{function}) return '{NOT_THERE}';\n{}", answer_of(function))
}

/// A script that brings the scripts along, unless they are there already, and calls a function.
pub(super) fn install_and_call(function: &str) -> String {
    format!("{}{}", install_for(function), answer_of(function))
}

/// The answer is wrapped: where a document goes away in the middle of a call, the driver answers with null.
fn answer_of(function: &str) -> String {
    format!("return Promise.resolve(window.sunup.{function}(...arguments)).then((answer) => ({{ answer }}));")
}

/// What a function answered; none when its document went away.
pub(super) fn answer(wrapped: Json) -> Option<Json> {
    match wrapped {
        Json::Object(mut fields) => Some(fields.remove("answer").unwrap_or_default()),
        _ => None,
    }
}

/// True when a function's answer says that the scripts are not in its document yet.
pub(super) fn asks_for_installation(answer: &Json) -> bool {
    answer.as_str() == Some(NOT_THERE)
}
