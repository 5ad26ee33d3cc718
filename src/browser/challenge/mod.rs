//! Pages that ask for a person: recognised by rules, never answered.

mod keys;
mod rules;
mod scan;
mod watch;

pub(in crate::browser) use scan::Scanned;

pub use rules::{HeaderRule, Rule, Tier, for_pages, precedence, rule, rules};
