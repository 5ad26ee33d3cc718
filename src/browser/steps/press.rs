//! `press` and `scroll`: keys, and moving the page.

use serde_json::{Value as Json, json};

use super::{Walk, refused};
use crate::browser::command::{Action, Context, Element, Response};
use crate::browser::find::Need;
use crate::browser::wire::element;
use crate::files::model::{Locator, ScrollTo, Target};
use crate::run::{Failure, FailureKind};

impl Walk<'_, '_> {
    pub(in crate::browser) async fn press(&mut self, keys: &str, on: Option<&Locator>) -> Result<(), Failure> {
        let Some(locator) = on else {
            self.watch_out().await?;
            let context = self.context.clone();
            return self.press_in(keys, &context).await;
        };
        let found = self.locate(&Target::Alternatives(vec![locator.clone()]), Need::Usable).await?;
        self.watch_before(&found).await?;
        self.press_on(keys, &found.element).await
    }

    /// Keys to one element.
    pub(in crate::browser) async fn press_on(&mut self, keys: &str, on: &Element) -> Result<(), Failure> {
        self.page_sure(&on.context, "focus", vec![element(&on.reference)]).await?;
        self.press_in(keys, &on.context).await
    }

    async fn press_in(&mut self, keys: &str, context: &Context) -> Result<(), Failure> {
        let pressed = keys_of(keys).ok_or_else(|| {
            let message = format!("`{keys}` names no keys: write such as Enter, Ctrl+A or ArrowDown.");
            Failure::new(FailureKind::PageChanged, message)
        })?;
        match self.ask(context, Action::Press(pressed)).await? {
            Response::Refused(refusal) => Err(refused(&refusal)),
            _ => Ok(()),
        }
    }

    pub(super) async fn scroll(&mut self, to: &ScrollTo) -> Result<(), Failure> {
        let (context, arguments) = match to {
            ScrollTo::Top => (self.context.clone(), vec![json!("top"), Json::Null]),
            ScrollTo::Bottom => (self.context.clone(), vec![json!("bottom"), Json::Null]),
            ScrollTo::Element(locator) => {
                let found = self.locate(&Target::Alternatives(vec![locator.clone()]), Need::Displayed).await?;
                (found.element.context, vec![Json::Null, element(&found.element.reference)])
            }
        };
        self.page_sure(&context, "scroll", arguments).await?;
        Ok(())
    }
}

/// `Ctrl+A` as WebDriver's key values, in the order in which they go down.
fn keys_of(text: &str) -> Option<Vec<char>> {
    // `+` itself may be the last key: `Ctrl++`.
    let (modifiers, last) = match text.strip_suffix('+') {
        Some("") => ("", "+"),
        Some(rest) => (rest.strip_suffix('+')?, "+"),
        None => text.rsplit_once('+').unwrap_or(("", text)),
    };
    let modifiers = modifiers.split('+').filter(|name| !name.is_empty()).map(modifier);
    let held: Option<Vec<char>> = modifiers.collect();
    let mut keys = held?;
    // With a modifier, the letter's own key is meant, not the capital that Shift makes.
    let last = key(last)?;
    keys.push(if keys.is_empty() { last } else { last.to_ascii_lowercase() });
    Some(keys)
}

fn modifier(name: &str) -> Option<char> {
    match name.trim().to_lowercase().as_str() {
        "shift" => Some('\u{e008}'),
        "ctrl" | "control" => Some('\u{e009}'),
        "alt" => Some('\u{e00a}'),
        "meta" | "cmd" => Some('\u{e03d}'),
        _ => None,
    }
}

fn key(name: &str) -> Option<char> {
    let mut characters = name.chars();
    if let (Some(only), None) = (characters.next(), characters.next()) {
        return Some(only);
    }
    let value = match name.to_lowercase().as_str() {
        "enter" | "return" => '\u{e007}',
        "tab" => '\u{e004}',
        "escape" | "esc" => '\u{e00c}',
        "space" => ' ',
        "backspace" => '\u{e003}',
        "delete" => '\u{e017}',
        "insert" => '\u{e016}',
        "home" => '\u{e011}',
        "end" => '\u{e010}',
        "pageup" => '\u{e00e}',
        "pagedown" => '\u{e00f}',
        "arrowleft" | "left" => '\u{e012}',
        "arrowup" | "up" => '\u{e013}',
        "arrowright" | "right" => '\u{e014}',
        "arrowdown" | "down" => '\u{e015}',
        other => {
            let number: u32 = other.strip_prefix('f')?.parse().ok().filter(|number| (1..=12).contains(number))?;
            return char::from_u32(0xe030 + number);
        }
    };
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_by_name() {
        assert_eq!(keys_of("Enter"), Some(vec!['\u{e007}']));
        assert_eq!(keys_of("Ctrl+A"), Some(vec!['\u{e009}', 'a']));
        assert_eq!(keys_of("Ctrl+Shift+ArrowDown"), Some(vec!['\u{e009}', '\u{e008}', '\u{e015}']));
        assert_eq!(keys_of("A"), Some(vec!['A']));
        assert_eq!(keys_of("F12"), Some(vec!['\u{e03c}']));
        assert_eq!(keys_of("+"), Some(vec!['+']));
        assert_eq!(keys_of("Ctrl++"), Some(vec!['\u{e009}', '+']));
        for wrong in ["", "Entr", "Hyper+A", "F13", "Ctrl+", "签到"] {
            assert_eq!(keys_of(wrong), None, "{wrong}");
        }
    }
}
