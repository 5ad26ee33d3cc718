//! Where a site is, and when its day begins.

use std::ops::Range;

use chrono::NaiveTime;
use chrono_tz::Tz;

use super::fields::Fields;
use super::file::File;
use super::locator::or_default;
use super::yaml::{Node, NodeKind};
use crate::timing::Calendar;

impl File {
    /// `https://host[:port]`, without a path.
    pub fn origins(&self, node: &Node) -> Vec<(String, Range<usize>)> {
        let items = match node.kind {
            NodeKind::Scalar { .. } if !node.is_empty() => std::slice::from_ref(node),
            _ => self.list(node, "origins").unwrap_or_default(),
        };
        if matches!(&node.kind, NodeKind::List(items) if items.is_empty()) {
            self.wrong(
                node.span.clone(),
                "this site has no origin",
                "write `origins: [\"https://community.example\"]`",
            );
        }
        let mut origins: Vec<(String, Range<usize>)> = Vec::new();
        for item in items {
            let Some(origin) = self.origin(item) else { continue };
            if origins.iter().any(|(other, _)| *other == origin) {
                self.wrong(item.span.clone(), format!("`{origin}` stands here twice"), "keep one of them");
            } else {
                origins.push((origin, item.span.clone()));
            }
        }
        origins
    }

    fn origin(&self, node: &Node) -> Option<String> {
        let text = self.words(node)?;
        let example = "write scheme and host alone: \"https://community.example\", with a port where it has one";
        let Ok(url) = url::Url::parse(text) else {
            self.wrong(node.span.clone(), format!("`{text}` is not an origin"), example);
            return None;
        };
        let origin = url.origin().ascii_serialization();
        if !matches!(url.scheme(), "https" | "http") || url.host_str().is_none_or(str::is_empty) {
            self.wrong(node.span.clone(), format!("`{text}` is neither https nor http"), example);
            return None;
        }
        if text != origin {
            let cure = format!("write \"{origin}\"; paths stand in the steps");
            self.wrong(node.span.clone(), "an origin has no path, no login, no capitals, no default port", cure);
            return None;
        }
        Some(origin)
    }

    pub fn calendar(&self, node: Option<&Node>, runner: Option<Tz>) -> Option<Calendar> {
        let Some(node) = node else { return Some(Calendar { zone: runner?, starts_at: NaiveTime::MIN }) };
        let fields = Fields::of(self, node, "day", &[&["timezone", "starts_at"]])?;
        let zone = fields.get("timezone").map(|zone| self.zone(zone));
        let starts_at = fields.get("starts_at").map(|starts_at| self.clock(starts_at));
        let zone = match zone {
            Some(zone) => zone,
            None => runner,
        };
        Some(Calendar { zone: zone?, starts_at: or_default(starts_at, NaiveTime::MIN)? })
    }
}
