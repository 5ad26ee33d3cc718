//! The core: statuses, failure kinds and their policy, events, the state machine, the decision. Pure: time, answers and
//! stored events come in as arguments, effects go out as data.

mod backoff;
mod decide;
mod event;
mod failure;
mod in_time;
mod key;
mod passed;
mod reading;
mod rules;
mod session;
mod status;
mod task_run;
#[cfg(test)]
mod tests;

pub use decide::{Decision, Facts, Refusal, RequirementState, asks_requirements, decide, decide_alone};
pub use event::{Event, Source, Which};
pub use failure::{Failure, FailureKind, Policy, SITE_CLOCK, SOMEBODY_ELSE};
pub use in_time::{is_behind, too_late};
pub use key::{Key, Lane};
pub use passed::{Before, Passed};
pub use reading::{Answer, Note, Reading};
pub use rules::Rules;
pub use session::{SUBMISSIONS_A_DAY, Session, SessionEvent, SessionNext, Standing};
pub use status::Status;
pub use task_run::{Next, Phase, TaskRun};
