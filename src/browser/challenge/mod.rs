//! Pages that ask for a person: recognised by rules, never answered.

mod rules;
mod watch;

pub use rules::{HeaderRule, Rule, Tier, for_pages, precedence, rule, rules};
