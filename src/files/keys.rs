//! Keys of the keyboard, as `press` writes them: `Enter`, `Ctrl+A`.

use super::nearest::nearest;

const MODIFIERS: [&str; 4] = ["Ctrl", "Shift", "Alt", "Meta"];

const NAMED: [&str; 27] = [
    "Enter",
    "Tab",
    "Escape",
    "Backspace",
    "Delete",
    "Insert",
    "Space",
    "Home",
    "End",
    "PageUp",
    "PageDown",
    "ArrowUp",
    "ArrowDown",
    "ArrowLeft",
    "ArrowRight",
    "F1",
    "F2",
    "F3",
    "F4",
    "F5",
    "F6",
    "F7",
    "F8",
    "F9",
    "F10",
    "F11",
    "F12",
];

/// Says what to write instead when this is no key.
pub(super) fn check(written: &str) -> Result<(), String> {
    let mut parts: Vec<&str> = written.split('+').collect();
    let key = parts.pop().unwrap_or_default();
    for modifier in parts {
        if !MODIFIERS.contains(&modifier) {
            return Err(cure(modifier, &MODIFIERS));
        }
    }
    let one_letter = key.chars().count() == 1 && !key.chars().any(char::is_whitespace);
    if one_letter || NAMED.contains(&key) { Ok(()) } else { Err(cure(key, &NAMED)) }
}

fn cure(word: &str, known: &[&'static str]) -> String {
    match nearest(word, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            format!("write one letter, or one of {}; before it Ctrl+, Shift+, Alt+ or Meta+", NAMED[..11].join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_what_is_none() {
        for good in ["Enter", "Ctrl+A", "Ctrl+Shift+ArrowUp", "a", "F5", "签"] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for wrong in ["", "Enterr", "Ctl+A", "Ctrl+", "Ctrl+Ab", "hello", " "] {
            assert!(check(wrong).is_err(), "{wrong}");
        }
    }
}
