//! Pages that ask for a person: recognised by rules, never answered.

mod rules;
mod watch;

pub(in crate::browser) use watch::Hit;

pub use rules::{HeaderRule, Rule, Tier, for_pages, precedence, rule, rules};
