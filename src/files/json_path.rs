//! `json.a.b[0]`: a path into an answer.

use super::model::JsonStep;

/// Deeper than any answer that a person reads from.
const LONGEST: usize = 32;

/// Reads `json`, `json.a.b[0]`, `json[0].x`.
pub(super) fn parse(text: &str) -> Option<Vec<JsonStep>> {
    steps(text.strip_prefix("json")?)
}

/// Reads what stands behind `json`: `.a.b[0]`.
fn steps(text: &str) -> Option<Vec<JsonStep>> {
    let mut steps = Vec::new();
    let mut rest = text;
    while !rest.is_empty() && steps.len() < LONGEST {
        if let Some(behind) = rest.strip_prefix('.') {
            let length = behind.find(['.', '[', ']']).unwrap_or(behind.len());
            let name = &behind[..length];
            if name.is_empty() || name.trim() != name {
                return None;
            }
            steps.push(JsonStep::Name(name.to_owned()));
            rest = &behind[length..];
        } else {
            let (index, behind) = rest.strip_prefix('[')?.split_once(']')?;
            if !index.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            steps.push(JsonStep::Index(index.parse().ok()?));
            rest = behind;
        }
    }
    rest.is_empty().then_some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        let name = |text: &str| JsonStep::Name(text.to_owned());
        assert_eq!(parse("json"), Some(vec![]));
        assert_eq!(
            parse("json.data.list[2].名"),
            Some(vec![name("data"), name("list"), JsonStep::Index(2), name("名")])
        );
        assert_eq!(parse("json[0]"), Some(vec![JsonStep::Index(0)]));
        for wrong in ["", "signed", "json.", "json..a", "json[", "json[x]", "json[]", "json[1]x", "jsonx", "json. a"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
