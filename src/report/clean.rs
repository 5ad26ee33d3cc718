//! Text that a site wrote, made fit for one line of a report: it cannot forge a line, a header, or a direction. Pure.

/// No text of a site needs more in a report.
pub(super) const LONGEST: usize = 600;

/// The text on one line: control characters, line breaks and runs of blanks become one blank, marks that turn the
/// direction of writing are dropped, and what is longer than `longest` characters is cut with `…`.
pub(super) fn clean(text: &str, longest: usize) -> String {
    let mut line = String::with_capacity(text.len().min(longest));
    let mut length = 0;
    let mut blank = false;
    for character in text.chars().filter(|character| !is_direction_mark(*character)) {
        if character.is_whitespace() || character.is_control() {
            blank = length > 0;
            continue;
        }
        if length + usize::from(blank) >= longest {
            line.push('…');
            return line;
        }
        if std::mem::take(&mut blank) {
            line.push(' ');
            length += 1;
        }
        line.push(character);
        length += 1;
    }
    line
}

/// Embeddings, overrides, isolates and their ends, and the invisible marks beside them.
fn is_direction_mark(character: char) -> bool {
    matches!(character, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}' | '\u{061C}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests {
    use super::clean;
    use proptest::prelude::*;

    #[test]
    fn lines_and_headers_cannot_be_forged() {
        assert_eq!(clean("a\r\nBcc: x@example.org\u{2028}b\0c", 99), "a Bcc: x@example.org b c");
        assert_eq!(clean("  签到 \t 成功  ", 99), "签到 成功");
        assert_eq!(clean("abc\u{202E}fdp.exe", 99), "abcfdp.exe");
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(clean("一二三四五", 3), "一二三…");
        assert_eq!(clean("一二三", 3), "一二三");
        assert_eq!(clean("ab cd", 3), "ab…");
    }

    proptest! {
        #[test]
        fn any_text_becomes_one_short_line(text in any::<String>(), longest in 1usize..80) {
            let line = clean(&text, longest);
            prop_assert!(line.chars().count() <= longest + 1);
            prop_assert!(!line.chars().any(char::is_control));
            prop_assert_eq!(clean(&line, longest + 1), line);
        }
    }
}
