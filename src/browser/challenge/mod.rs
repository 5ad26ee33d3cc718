//! Pages that ask for a person: recognised by rules, never answered.

mod answer;
mod answered;
mod gate;
mod keys;
mod rules;
mod scan;
mod stems;
mod watch;

pub(in crate::browser) use answer::{Answered, Said, http_login, made_at, no_json, wait_until};
pub(in crate::browser) use gate::{Glance, marks};
pub(in crate::browser) use rules::frame_hosts;
pub(in crate::browser) use scan::Looked;
pub(in crate::browser) use watch::PASSIVE_WAIT;

pub use rules::{Rule, Tier, precedence, rule, rules};
