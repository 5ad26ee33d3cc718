//! Bodies of answers: where signs stand in them, and what one is that should have been JSON.

use serde_json::Value as Json;
use url::Url;

use crate::run::{Failure, FailureKind};

/// A page that is nothing but a check is short.
const LONGEST_SCRIPT_PAGE: usize = 64 * 1024;

/// A body that is searched for signs.
pub(super) struct Body<'a> {
    pub text: &'a str,
    pub json: Option<Json>,
    /// Those that stand for themselves in JSON, or that a page consisting of nothing but a script names.
    pub addresses: Vec<Url>,
}

impl<'a> Body<'a> {
    pub fn of(text: &'a str) -> Self {
        let text = text.trim_start_matches('\u{feff}').trim();
        let json: Option<Json> = text.starts_with(['{', '[']).then(|| serde_json::from_str(text).ok()).flatten();
        let mut addresses = Vec::new();
        match &json {
            Some(json) => addresses_in(json, &mut addresses),
            None if text.starts_with('<') && is_script_only(text) => {
                addresses.extend(text.split(['"', '\'', ' ']).filter_map(as_address));
            }
            None => {}
        }
        Body { text, json, addresses }
    }
}

fn addresses_in(json: &Json, found: &mut Vec<Url>) {
    match json {
        Json::String(text) => found.extend(as_address(text)),
        Json::Array(list) => list.iter().for_each(|each| addresses_in(each, found)),
        Json::Object(fields) => fields.values().for_each(|each| addresses_in(each, found)),
        _ => {}
    }
}

fn as_address(text: &str) -> Option<Url> {
    let text = text.trim();
    let absolute = if text.starts_with("//") { format!("https:{text}") } else { text.to_owned() };
    let base = Url::parse("https://here.invalid/").ok()?;
    let looks_so = absolute.starts_with("http://") || absolute.starts_with("https://") || absolute.starts_with('/');
    looks_so.then(|| base.join(&absolute).ok()).flatten()
}

/// A document without anything to see: scripts, and what belongs into its head.
fn is_script_only(html: &str) -> bool {
    if html.len() > LONGEST_SCRIPT_PAGE {
        return false;
    }
    let mut rest = html.to_lowercase();
    for hidden in ["script", "style", "title", "noscript"] {
        while let Some(start) = rest.find(&format!("<{hidden}")) {
            let end =
                rest[start..].find(&format!("</{hidden}>")).map_or(rest.len(), |end| start + end + hidden.len() + 3);
            rest.replace_range(start..end, " ");
        }
    }
    let mut had_script = html.to_lowercase().contains("<script");
    for piece in rest.split('<') {
        let (tag, text) = piece.split_once('>').unwrap_or(("", piece));
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        let frame =
            ["", "!doctype", "html", "head", "body", "meta", "link", "base"].contains(&name) || name.starts_with("!--");
        had_script &= frame && text.trim().is_empty();
    }
    had_script
}

/// What an answer says that should have been JSON and is none.
pub(in crate::browser) fn no_json(body: &str, why: String) -> Failure {
    let text = body.trim();
    let lower = text.to_lowercase();
    if text.is_empty() {
        return Failure::new(FailureKind::NotRendered, "The server's answer is empty, which says nothing.");
    }
    if text.starts_with('<')
        && ["type=\"password\"", "type='password'", "type=password"].iter().any(|field| lower.contains(field))
    {
        return Failure::new(FailureKind::SessionExpired, "The server answered with its sign-in page.");
    }
    if text.starts_with('<') && is_script_only(text) {
        let message = "The server answered with a page that holds nothing but a script: a check of the browser.";
        return Failure::new(FailureKind::Interstitial, message);
    }
    Failure::new(FailureKind::PageChanged, format!("{why}."))
}
