//! One task, a simulated site, a virtual clock, a real ledger: the runner's loop, stopped between any two of its lines.
//!
//! The loop stands here once more, so that it can be stopped where a process dies: before the effect, after the effect and
//! before its record, and after the record. Every single and every double crash of each task shape is tried, with sites
//! that answer at once, late, stale or never. What the site counted is the judge.

mod crashes;
mod lost;
mod rules;
mod site;
mod world;
