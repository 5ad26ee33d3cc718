//! A simulated world around a real ledger: sites whose pages lag, fail and lie, a clock that jumps, and several runners that
//! are stopped between any two lines of their loop, and end there, or go on hours later.
//!
//! The runner's loop stands here once more (`morning`, `lane`, `post`), so that it can be stopped where a process dies: before
//! an effect, after it and before its record, and after the record. `judge` has the laws that hold all the same.
//! `crashes` tries every single and double crash of each task shape; `month` draws thirty days from a seed; `planted` puts
//! faults into the loop, and sees that a law finds each.

mod bugs;
mod chance;
mod crashes;
mod judge;
mod lane;
mod lost;
mod month;
mod morning;
mod planted;
mod post;
mod seeds;
mod site;
mod stage;
mod task;
mod world;
