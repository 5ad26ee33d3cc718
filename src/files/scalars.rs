//! Typed values: texts, booleans, durations, times of day, numbers, ids.

use std::ops::Range;
use std::str::FromStr;
use std::time::Duration;

use super::file::File;
use super::nearest::nearest;
use super::slips;
use super::yaml::{Node, NodeKind};
use crate::timing::{ClockTime, parse_clock, parse_duration};

impl File {
    /// A scalar as written, whatever it looks like.
    pub fn scalar<'n>(&self, node: &'n Node) -> Option<&'n str> {
        match &node.kind {
            NodeKind::Scalar { .. } if node.is_empty() => {
                self.empty(node);
                None
            }
            NodeKind::Scalar { text, .. } => Some(text),
            NodeKind::Refused => None,
            NodeKind::List(_) | NodeKind::Map(_) => {
                let cure = match self.text.get(node.span.start..node.span.start + 1) {
                    Some("{" | "[") => slips::quote_cure(self, node.span.start),
                    _ => "write one value".to_owned(),
                };
                self.wrong(node.span.clone(), "a map or a list stands where a text must stand", cure);
                None
            }
        }
    }

    /// A text. What looks like a number or a boolean must be quoted: other tools would change it.
    pub fn text<'n>(&self, node: &'n Node) -> Option<&'n str> {
        let text = self.scalar(node)?;
        if node.plain_text().is_some_and(|plain| looks_like_number(plain) || matches!(plain, "true" | "false")) {
            self.wrong(
                node.span.clone(),
                format!("`{text}` is a number or a boolean for YAML, and a text must stand here"),
                format!("quote this value: \"{text}\""),
            );
            return None;
        }
        Some(text)
    }

    /// A text that is not empty.
    pub fn words<'n>(&self, node: &'n Node) -> Option<&'n str> {
        let text = self.text(node)?;
        if text.trim().is_empty() {
            self.wrong(node.span.clone(), "this text is empty", "write what it shall say");
            return None;
        }
        Some(text)
    }

    /// `true` or `false`, without quotes.
    pub fn boolean(&self, node: &Node) -> Option<bool> {
        let text = self.scalar(node)?;
        match node.plain_text() {
            Some("true") => return Some(true),
            Some("false") => return Some(false),
            _ => {}
        }
        let cure = match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "y" => "write `true`, without quotes",
            "false" | "no" | "off" | "n" => "write `false`, without quotes",
            _ => "write `true` or `false`, without quotes",
        };
        self.wrong(node.span.clone(), format!("`{text}` is not a boolean"), cure);
        None
    }

    /// A duration.
    pub fn duration(&self, node: &Node) -> Option<Duration> {
        let text = self.scalar(node)?;
        match parse_duration(text) {
            Ok(duration) if duration.is_zero() => {
                self.wrong(node.span.clone(), "this lasts no time at all", "write 1s at least, or leave the key out");
                None
            }
            Ok(duration) => Some(duration),
            Err(_) => {
                let cure = format!("write a whole number and a unit: 15s, 20m, 2h or 30d{}", half_width(text));
                self.wrong(node.span.clone(), format!("`{text}` is not a duration"), cure);
                None
            }
        }
    }

    /// A time of day.
    pub fn clock(&self, node: &Node) -> Option<ClockTime> {
        let text = self.scalar(node)?;
        let clock = parse_clock(text);
        if clock.is_err() {
            let cure = format!("write hours and minutes in quotes: \"06:00\"{}", half_width(text));
            self.wrong(node.span.clone(), format!("`{text}` is not a time of day"), cure);
        }
        clock.ok()
    }

    /// A whole number inside a range.
    pub fn whole<T>(&self, node: &Node, range: std::ops::RangeInclusive<T>) -> Option<T>
    where
        T: FromStr + PartialOrd + std::fmt::Display,
    {
        let text = self.scalar(node)?;
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let plain = node.plain_text().is_some();
        match text.parse::<T>() {
            Ok(value) if digits && plain && range.contains(&value) => Some(value),
            _ => {
                let cure = format!(
                    "write a number from {} to {}, without quotes{}",
                    range.start(),
                    range.end(),
                    half_width(text)
                );
                self.wrong(node.span.clone(), format!("`{text}` is not a number that fits here"), cure);
                None
            }
        }
    }

    /// One of a few words.
    pub fn one_of<T: Copy>(&self, node: &Node, words: &[(&str, T)]) -> Option<T> {
        let text = self.scalar(node)?;
        let found = words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
        if found.is_none() {
            let all = words.iter().map(|(word, _)| *word);
            let cure = match nearest(text, all.clone()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("write one of: {}", all.collect::<Vec<_>>().join(", ")),
            };
            self.wrong(node.span.clone(), format!("`{text}` means nothing here"), cure);
        }
        found
    }

    /// An id, such as the name of a read.
    pub fn id(&self, text: &str, span: &Range<usize>, what: &str) -> bool {
        let mut letters = text.bytes();
        let good = letters.next().is_some_and(|first| first.is_ascii_lowercase())
            && letters.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        if !good {
            let cure = "write a-z first, then a-z, 0-9 and _";
            self.wrong(span.clone(), format!("`{text}` cannot be the name of {what}"), cure);
        }
        good
    }
}

/// What YAML, or another tool that reads this file, takes for a number.
pub(super) fn looks_like_number(text: &str) -> bool {
    let digits = text.trim_start_matches(['+', '-']);
    !digits.is_empty()
        && digits.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && digits.contains(|found: char| found.is_ascii_digit())
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && digits.matches('.').count() < 2
}

fn half_width(text: &str) -> &'static str {
    let full_width = text.chars().any(|found| ('\u{ff01}'..='\u{ff5e}').contains(&found));
    if full_width { ", in plain (half-width) characters" } else { "" }
}
