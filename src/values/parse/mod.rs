//! From text as people and servers print it to typed values. What cannot be read for certain is none, never a guess.
//! Pure: the time now and the zone come in as arguments.

mod boolean;
mod number;
mod time;

pub use boolean::boolean;
pub use number::{number, plain_number};
pub use time::{date, from_unix, time};

/// Text in plain form: full-width digits and signs as ASCII ones, all blanks as one space, none at the ends.
pub(crate) fn plain(text: &str) -> String {
    let narrow = text.chars().map(|c| match c {
        // The full-width forms stand in the same order as ASCII.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        '\u{2212}' | '\u{2013}' | '\u{2012}' | '\u{fe63}' => '-',
        '\u{200b}' | '\u{feff}' => ' ',
        c if c.is_whitespace() => ' ',
        c => c,
    });
    collapse(&narrow.collect::<String>())
}

/// Blanks collapsed to one space, none at the ends.
pub fn collapse(text: &str) -> String {
    text.split(|c: char| c.is_whitespace() || matches!(c, '\u{200b}' | '\u{feff}'))
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The form in which texts are compared: blanks collapsed, and none between Chinese characters.
pub fn normal(text: &str) -> String {
    let collapsed = collapse(text);
    let mut normal = String::with_capacity(collapsed.len());
    let mut rest = collapsed.chars().peekable();
    while let Some(c) = rest.next() {
        let between =
            c == ' ' && normal.chars().next_back().is_some_and(is_han) && rest.peek().copied().is_some_and(is_han);
        if !between {
            normal.push(c);
        }
    }
    normal
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{2fd5}' | '\u{3005}' | '\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3038}'..='\u{303b}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_between_chinese_characters_are_decoration() {
        assert_eq!(normal("  签\u{3000}到 "), "签到");
        assert_eq!(normal("登 录\n now 好 A"), "登录 now 好 A");
        assert_eq!(normal(""), "");
    }
}
