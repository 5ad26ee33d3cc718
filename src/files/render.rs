//! Faults as a compiler shows them: the lines of the file, the place underlined, the cure below.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Level, Origin, Renderer, Snippet};

use super::fault::{Fault, FaultKind};

/// A line is shown as far as this around its place, so that a file that is one long line stays readable.
const WIDEST: usize = 400;

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

/// Text of the file inside a message, without what would move the cursor.
fn visible(text: &str) -> String {
    text.chars().map(|found| if found.is_control() { '\u{fffd}' } else { found }).collect()
}
