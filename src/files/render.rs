//! Faults as a compiler shows them: the lines of the file, the place underlined, the cure below.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use annotate_snippets::{AnnotationKind, Level, Origin, Renderer, Snippet};
use regex::Regex;

use super::fault::{Fault, FaultKind};

/// A line is shown as far as this around its place, so that a file that is one long line stays readable.
const WIDEST: usize = 400;

/// Shorter ones in small letters may be ordinary words.
const SHORTEST_NO_WORD: usize = 10;
/// Shorter words of a value that is not shown may be words of ours.
const SHORTEST_WORD: usize = 4;

/// All faults as one text.
pub(super) fn render(faults: &[Fault], texts: &BTreeMap<PathBuf, Arc<str>>, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut out = String::new();
    for fault in faults {
        out.push_str(&one(fault, texts.get(&fault.place.file).map(AsRef::as_ref), &renderer));
        out.push_str("\n\n");
    }
    out
}

fn one(fault: &Fault, text: Option<&str>, renderer: &Renderer) -> String {
    let level = match fault.kind {
        FaultKind::Wrong => Level::ERROR,
        FaultKind::NotSupportedYet => Level::ERROR.with_name("not supported yet"),
    };
    let title =
        level.primary_title(visible(fault.message.strip_prefix("not supported yet: ").unwrap_or(&fault.message)));
    let path = fault.place.file.to_string_lossy();
    let cure = Level::HELP.message(visible(&fault.cure));
    let group = match text.and_then(|text| line_of(text, &fault.span)) {
        Some((line, span)) => {
            let (line, span) = without_secret(line, span);
            let snippet = Snippet::source(line)
                .path(path)
                .line_start(fault.place.line as usize)
                .annotation(AnnotationKind::Primary.span(span));
            title.element(snippet).element(cure)
        }
        None => title.element(Origin::path(path)).element(cure),
    };
    renderer.render(&[group])
}

/// The line of a place, and the place in it; none where there is no text, or its line is too long to show.
fn line_of<'t>(text: &'t str, span: &Range<usize>) -> Option<(&'t str, Range<usize>)> {
    if text.is_empty() {
        return None;
    }
    let before = text.get(..span.start)?;
    let start = before.rfind('\n').map_or(0, |found| found + 1);
    let length = text[start..].find('\n').unwrap_or(text.len() - start);
    let line = text[start..start + length].trim_end_matches('\r');
    let end = span.end.clamp(span.start, start + line.len().max(span.start - start));
    (line.len() <= WIDEST && text.get(span.start..end).is_some())
        .then(|| (line, (span.start - start).min(line.len())..(end - start).min(line.len())))
}

/// The value of a password that somebody wrote into the file is not shown: what is told here ends in logs. Where it comes
/// from (`{ env: NAME }`) is.
static PASSWORD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let source = r"\{\s*(?:env|file|credential)\s*:\s*[\w./~@-]+\s*\}|\{\s*command\s*:";
    let word = "password|passwd|secret|token";
    let written = format!(r#"(?:{word})["']?\s*:\s*(?:(?:{source})|(?<value>[^\s#].*))"#);
    Regex::new(&format!(r"(?i){written}|^\s*(?:{word})\s+(?<colonless>[^\s:].*)")).ok()
});

/// Where such a value stands in a line, to its end.
fn secret_in(line: &str) -> Option<usize> {
    let found = PASSWORD.as_ref()?.captures(line)?;
    Some(found.name("value").or(found.name("colonless"))?.start())
}

/// The line without such a value, and the span in it.
fn without_secret(line: &str, span: Range<usize>) -> (Cow<'_, str>, Range<usize>) {
    let Some(hidden) = secret_in(line) else { return (line.into(), span) };
    let shown = format!("{}•••", &line[..hidden]);
    let end = shown.len();
    let span = span.start.min(hidden)..if span.end > hidden { end } else { span.end };
    (shown.into(), span)
}

/// Words of such a value in what is said about it.
pub(super) fn hide_secret(fault: &mut Fault, text: &str) {
    let Some((line, _)) = line_of(text, &fault.span) else { return };
    let Some(hidden) = secret_in(line) else { return };
    // The longest first: one may be a part of another.
    let mut words: Vec<&str> = line[hidden..].split([' ', '\'', '"', ',', '{', '}']).chain([&line[hidden..]]).collect();
    words.retain(|word| word.chars().count() >= SHORTEST_WORD && !["env:", "file:", "credential:"].contains(word));
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    for word in words {
        for said in [&mut fault.message, &mut fault.cure] {
            if word.len() < SHORTEST_NO_WORD && word.bytes().all(|byte| byte.is_ascii_lowercase()) {
                // It may be a word of ours as well; what is quoted is the file's.
                for quote in ['"', '\'', '`'] {
                    *said = said.replace(&format!("{quote}{word}"), &format!("{quote}•••"));
                }
            } else {
                *said = said.replace(word, "•••");
            }
        }
    }
}

/// Text of the file inside a message, without what would move the cursor.
fn visible(text: &str) -> String {
    text.chars().map(|found| if found.is_control() { '\u{fffd}' } else { found }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_about_a_password_does_not_repeat_it() {
        let text = "a: 1\npassword: \"hunter22\" and more\n";
        let mut fault = Fault {
            kind: FaultKind::Wrong,
            place: crate::files::model::Place::default(),
            message: "cannot read hunter22".to_owned(),
            cure: "quote this: '\"hunter22\" and more'".to_owned(),
            span: 15..20,
        };
        hide_secret(&mut fault, text);
        assert_eq!((fault.message.as_str(), fault.cure.as_str()), ("cannot read •••", "quote this: '•••'"));
        let mut ours = Fault { message: "a secret, `secret`".to_owned(), span: 10..16, ..fault };
        hide_secret(&mut ours, "password: secret\n");
        assert_eq!(ours.message, "a secret, `•••`");
    }

    #[test]
    fn a_password_in_a_line_is_not_shown() {
        for (line, shown) in [
            ("    password: hunter22", "    password: •••"),
            ("main: { username: lin, password: \"hunter}22\" }", "main: { username: lin, password: •••"),
            ("password: { env: \"hunter 22\" }", "password: •••"),
            ("  \"Password\" : 'hunter''22'", "  \"Password\" : •••"),
            ("password: |", "password: •••"),
            ("  password hunter22", "  password •••"),
            ("with: \"{{ account.password }}\"", "with: \"{{ account.password }}\""),
            ("password: { env: SITE_PASSWORD }", "password: { env: SITE_PASSWORD }"),
            ("password: { command: [pass, show] }", "password: { command: [pass, show] }"),
            ("    password:", "    password:"),
            ("title: hunter22", "title: hunter22"),
        ] {
            for start in 0..line.len() {
                let (seen, span) = without_secret(line, start..line.len());
                assert_eq!(seen, shown);
                assert!(seen.get(span).is_some(), "{line} {start}");
            }
        }
    }
}
