//! The words in a page's markup without which a rule cannot hold: a look at them spares the look at its elements.

use serde_json::{Map, Value as Json};

/// One word for each alternative of what a rule points at, in lower case. None where some alternative names none: then
/// the rule is asked of every page.
pub(super) fn keys_of(rule: &Map<String, Json>) -> Vec<String> {
    let mut keys = Vec::new();
    let css = rule.get("css").and_then(Json::as_str).unwrap_or_default();
    for selector in alternatives(css) {
        match longest_name(selector) {
            Some(name) => keys.push(name),
            None => return Vec::new(),
        }
    }
    for frame in rule.get("frames").and_then(Json::as_array).into_iter().flatten() {
        let hosts: Vec<String> = strings(frame.get("hosts")).map(str::to_lowercase).collect();
        if hosts.is_empty() {
            // A route alone: any frame may have it.
            keys.push("<iframe".to_owned());
        }
        keys.extend(hosts);
    }
    // What is said, or stands in the title, is looked for by itself.
    if rule.contains_key("title") || (rule.contains_key("says") && css.is_empty()) {
        return Vec::new();
    }
    keys.sort_unstable();
    keys.dedup();
    keys
}

fn strings(value: Option<&Json>) -> impl Iterator<Item = &str> {
    value.and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str)
}

/// The parts of a selector list. A comma in brackets belongs to its part.
fn alternatives(css: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_i32, 0);
    for (at, letter) in css.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(css[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(css[start..].trim());
    parts.into_iter().filter(|part| !part.is_empty()).collect()
}

/// The longest id, class or attribute value that a selector must find. What stands in `:not()` must not be there.
fn longest_name(selector: &str) -> Option<String> {
    let wanted = selector.split(":not(").next().unwrap_or_default();
    let mut names = Vec::new();
    let mut rest = wanted;
    while let Some(at) = rest.find(['#', '.', '=']) {
        let sign = rest.as_bytes()[at];
        let after = rest[at + 1..].trim_start_matches(['"', '\'']);
        let is_name =
            |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_') || (sign == b'=' && letter == '/');
        let end = after.find(|letter: char| !is_name(letter)).unwrap_or(after.len());
        names.push(after[..end].to_lowercase());
        rest = &after[end..];
    }
    names.into_iter().max_by_key(String::len).filter(|name| name.len() >= 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(rule: Json) -> Vec<String> {
        keys_of(rule.as_object().unwrap())
    }

    #[test]
    fn each_alternative_gives_its_longest_name() {
        let css = ".mask > .verifybox, [id^='tcaptcha_transform'], iframe#enforcementFrame, img[src*=KAPTCHA i]";
        assert_eq!(
            keys(serde_json::json!({ "css": css })),
            ["enforcementframe", "kaptcha", "tcaptcha_transform", "verifybox"]
        );
    }

    #[test]
    fn an_alternative_without_a_name_is_asked_of_every_page() {
        assert!(keys(serde_json::json!({ "css": ".geetest_panel, canvas" })).is_empty());
        assert!(keys(serde_json::json!({ "says": ["x"] })).is_empty());
    }

    #[test]
    fn what_must_not_be_there_is_no_key() {
        assert_eq!(keys(serde_json::json!({ "css": ".box:not(.much-longer-name)" })), ["box"]);
    }

    #[test]
    fn frames_are_known_by_their_hosts() {
        let frames = serde_json::json!({ "frames": [{ "hosts": ["www.google.com"], "path": "/x" }, { "path": "/y" }] });
        assert_eq!(keys(frames), ["<iframe", "www.google.com"]);
    }
}
