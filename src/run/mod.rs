//! The core: statuses, failure kinds and their policy, events, the state machine, the decision. Pure: time, answers and
//! stored events come in as arguments, effects go out as data.

mod failure;
mod status;

pub use failure::{Failure, FailureKind, Policy};
pub use status::Status;
