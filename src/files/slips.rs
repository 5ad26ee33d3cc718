//! What YAML does to people: the usual slips, told from the raw text, with what to write instead.

use std::ops::Range;

use super::file::File;

/// Says what is wrong with a file that is not YAML.
pub(super) fn syntax(file: &File, at: usize, reason: &str) {
    let text = &file.text;
    let at = floor(text, at);
    let line = line_start(text, at);
    if let Some(span) = tab_indent(text, at) {
        file.wrong(span, "a tab stands where blanks must stand", "indent with blanks, two for each level");
    } else if let Some(span) = full_width_colon(text, at) {
        file.wrong(span, "`：` is a full-width colon, and YAML does not know it", "write `:` and a blank behind it");
    } else if let Some(open) = left_open(text, at) {
        let cure = "close it on the same line; a value that contains such a sign is quoted";
        file.wrong(open.clone(), format!("a `{}` that is opened here does not end", &text[open]), cure);
    } else if let Some(dash) = lonely_dash(text, at).filter(|_| reason.contains("expected key")) {
        let cure = "take `- ` out where keys stand beside each other, or indent the line like the other items";
        file.wrong(dash, "an item of a list stands where a key must stand", cure);
    } else if let Some(value) = suspicious_value(text, at) {
        let cure = quote_cure(file, value.start);
        file.wrong(value, format!("YAML cannot read this value: {reason}"), cure);
    } else {
        let span =
            if at >= text.len() { text.len()..text.len() } else { line + indent(&text[line..])..line_end(text, at) };
        let cure =
            "look at the indentation, at brackets and quotes that do not end, and at this line and the one before";
        file.wrong(span, format!("this is not YAML: {reason}"), cure);
    }
}

/// "Quote this value", with the value quoted.
pub(super) fn quote_cure(file: &File, at: usize) -> String {
    let value = file.text.get(at..line_end(&file.text, at)).unwrap_or("").trim();
    let value = without_comment(value);
    if value.is_empty() || value.chars().count() > 60 {
        return "quote this value".to_owned();
    }
    if let Some(quoted) = quoted_inside(value) {
        return format!("quote the value inside the braces: {quoted}");
    }
    if value.contains('\'') || value.contains('"') {
        return format!("quote this value: '{}'", value.replace('\'', "''"));
    }
    format!("quote this value: \"{}\"", value.replace('\\', "\\\\"))
}

/// `css: a #checkin` is cut to `a`, `css: #checkin` to nothing. A comment has a blank behind its `#`.
pub(super) fn cut_by_comment(file: &File, value: &str, span: &Range<usize>) -> bool {
    let Some(rest) = file.text.get(span.end..line_end(&file.text, span.end)) else { return false };
    let rest_trimmed = rest.trim_start_matches([' ', '\t']);
    let cut = rest_trimmed
        .strip_prefix('#')
        .is_some_and(|comment| comment.starts_with(|c: char| !c.is_whitespace() && c != '#'));
    if !cut || (!value.is_empty() && rest.len() == rest_trimmed.len()) {
        return false;
    }
    let start = if value.is_empty() { span.end + rest.len() - rest_trimmed.len() } else { span.start };
    let whole = start..span.end + rest.trim_end().len();
    let written = file.text.get(whole.clone()).unwrap_or("");
    let cure =
        format!("quote this value: \"{}\"; or put a blank behind the `#` of a comment", written.replace('"', "'"));
    file.wrong(whole, "everything from `#` on is a comment for YAML, and is lost", cure);
    true
}

/// The `&name` that stands before a node.
pub(super) fn anchor_before(file: &File, node: usize) -> Range<usize> {
    let before = &file.text[..floor(&file.text, node)];
    match before.rfind('&') {
        Some(start) => {
            let length = before[start..].find(char::is_whitespace).unwrap_or(before.len() - start);
            start..start + length
        }
        None => node..node,
    }
}

/// `done：signed`: a key with a full-width colon in this line or the one before.
pub(super) fn full_width_colon(text: &str, at: usize) -> Option<Range<usize>> {
    nearby_lines(text, at).find_map(|line| {
        let written = &text[line.clone()];
        let colon = written.find('：')?;
        let key = written[..colon].trim_start_matches([' ', '-', '{']);
        let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        is_key.then(|| line.start + colon..line.start + colon + '：'.len_utf8())
    })
}

/// `{ css: a[href] }` with its value in quotes.
fn quoted_inside(value: &str) -> Option<String> {
    let inner = value.strip_prefix('{')?.strip_suffix('}')?;
    let (key, inner) = inner.split_once(": ")?;
    let inner = inner.trim();
    (!value.starts_with("{{") && !inner.contains(['"', ','])).then(|| format!("{{ {}: \"{inner}\" }}", key.trim()))
}

/// The last quote or bracket above this place that a value begins with and that does not end on its line.
fn left_open(text: &str, at: usize) -> Option<Range<usize>> {
    let mut found = None;
    let mut start = 0;
    for line in text[..line_end(text, at)].split_inclusive('\n') {
        let value_at = value_start(line.trim_end()).unwrap_or(line.len());
        let value = without_comment(line[value_at..].trim_end());
        let is_open = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => value.matches(quote).count() == 1,
            Some('{') => value.matches('{').count() > value.matches('}').count(),
            Some('[') => value.matches('[').count() > value.matches(']').count(),
            _ => false,
        };
        if is_open {
            found = Some(start + value_at..start + value_at + 1);
        }
        start += line.len();
    }
    found
}

/// `- done: …` on the line of the error.
fn lonely_dash(text: &str, at: usize) -> Option<Range<usize>> {
    let start = line_start(text, at);
    let dash = start + indent(&text[start..]);
    text[dash..].starts_with("- ").then(|| dash..dash + 1)
}

fn tab_indent(text: &str, at: usize) -> Option<Range<usize>> {
    nearby_lines(text, at).find_map(|line| {
        let written = &text[line.clone()];
        let indent = written.len() - written.trim_start_matches([' ', '\t', '-']).len();
        let tab = written[..indent].find('\t')?;
        Some(line.start + tab..line.start + tab + 1)
    })
}

/// The value in this line or the one before that YAML takes for something else.
fn suspicious_value(text: &str, at: usize) -> Option<Range<usize>> {
    nearby_lines(text, at).find_map(|line| {
        let written = &text[line.clone()];
        let start = value_start(written)?;
        let value = without_comment(written[start..].trim_end());
        let special = value.starts_with(['@', '%', '`', '*', '&', '!', '|', '>', '{', '[', '"', '\'', ',', ']', '}']);
        let inner_colon = value.contains(": ") || value.ends_with(':');
        let well_formed_flow = (value.starts_with('{') && value.ends_with('}') && !value.starts_with("{{"))
            || (value.starts_with('[') && value.ends_with(']') && !value[1..].contains('['));
        let well_quoted = value.len() > 1
            && ['"', '\'']
                .into_iter()
                .any(|quote| value.starts_with(quote) && value.ends_with(quote) && value.matches(quote).count() == 2);
        let suspicious =
            (special && !well_quoted && (!well_formed_flow || value.contains("{{") || value.contains('[')))
                || (inner_colon && !special);
        (suspicious && !value.is_empty()).then(|| line.start + start..line.start + start + value.len())
    })
}

/// Where the value of `key: value` or `- value` begins.
fn value_start(line: &str) -> Option<usize> {
    let indent = line.len() - line.trim_start_matches([' ', '-']).len();
    let rest = &line[indent..];
    let key = rest.find(": ").filter(|colon| {
        let key = &rest[..*colon];
        !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    });
    match key {
        Some(colon) => {
            let value = rest[colon + 1..].trim_start();
            Some(line.len() - value.len())
        }
        None if line[..indent].contains('-') => Some(indent),
        None => None,
    }
}

fn without_comment(value: &str) -> &str {
    match value.find(" # ") {
        Some(comment) => value[..comment].trim_end(),
        None => value,
    }
}

/// The line of this byte, then the one before it.
fn nearby_lines(text: &str, at: usize) -> impl Iterator<Item = Range<usize>> {
    let at = floor(text, at);
    let here = line_start(text, at)..line_end(text, at);
    let before = here.start.checked_sub(1).map(|end| line_start(text, end)..end);
    std::iter::once(here).chain(before)
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |found| found + 1)
}

fn line_end(text: &str, at: usize) -> usize {
    let at = floor(text, at);
    text[at..].find('\n').map_or(text.len(), |found| at + found)
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The nearest beginning of a character at or before this byte.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
