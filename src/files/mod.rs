//! What a user writes: YAML, checked as a whole, all faults at once.

pub mod condition;
pub mod model;
