//! What a user writes: YAML, checked as a whole, all faults at once.
//!
//! [`load`] reads `sunup.yaml` and `tasks/`. A file becomes a tree in which every node keeps its place (`yaml`), the
//! tree becomes the [`model`] by one function for each part of the grammar, and whatever does not fit becomes a
//! [`Fault`] that says what to write instead. What runs later sees the model alone: every `use` is put in, every text is
//! parsed, every condition is typed.

pub mod condition;
pub mod model;

// From the bytes to trees, and their faults.
mod fault;
mod file;
mod folder;
mod load;
mod render;
mod slips;
mod yaml;

// Values, and texts where they stand.
mod fields;
mod heartbeat;
mod here;
mod identity;
mod json_path;
mod keys;
mod nearest;
mod scalars;
mod vars;
mod zone;

// The grammar, from the inside out.
mod account;
mod calendars;
mod catch_up;
mod each;
mod evidence;
mod fetch;
mod ics;
mod locator;
mod origin;
mod points;
mod read;
mod requires;
mod rows;
mod schedule;
mod section;
mod settings;
mod site;
mod site_facts;
mod stage;
mod steps;
mod task;
mod use_steps;
mod verb;

// All files together.
mod across;

pub use calendars::keep_calendars;
pub use fault::{Fault, FaultKind, Faults};
pub use load::{load, load_with};

#[cfg(test)]
mod tests;
