//! True and false as people print them.

use super::plain;

/// Reads 是, yes or true, and their opposites.
pub fn boolean(text: &str) -> Option<bool> {
    match plain(text).to_lowercase().as_str() {
        "true" | "yes" | "是" | "✓" | "✔" => Some(true),
        "false" | "no" | "否" | "✗" | "✘" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_words_are_answers() {
        assert_eq!(boolean(" 是 "), Some(true));
        assert_eq!(boolean("No"), Some(false));
        for unclear in ["", "1", "0", "已签到", "true false", "null"] {
            assert_eq!(boolean(unclear), None, "{unclear}");
        }
    }
}
