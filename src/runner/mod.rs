//! The morning: which keys are due, lane by lane, the loop of each key, and the report at the end.
//!
//! ```text
//! plan ─> decide ─> lane (lease, browser, sign-in) ─> next ─> perform ─> append ─> apply ─┐
//!   ^                                                  └──────────────────────────────────┘
//!   └ until every key is final, or waits beyond the report's time ─> points ─> report ─> mail
//! ```

mod alarms;
mod backlog;
mod before;
mod by_hand;
mod ask;
mod calendars;
mod clock_fault;
mod commands;
mod control;
mod credentials;
mod crew;
mod dead;
mod deliver;
mod doubt;
mod due;
mod explain;
mod heartbeat;
mod kept;
mod lane;
mod launch;
mod missed;
mod morning;
mod notices;
mod perform;
mod plan;
mod points;
mod progress;
mod redact;
mod report;
mod requirements;
mod round;
mod scope;
mod shared_key;
mod sign_in;
mod stop;
mod tickets;
mod told;
mod turn;

pub use alarms::alarms;
pub use by_hand::{ByHand, HandedOver, Person, sign_in_by_hand};
pub use calendars::calendar_troubles;
pub use commands::Commands;
pub use control::Control;
pub use credentials::{Credentials, CredentialsFrom};
pub use dead::{DeadLetter, dead_letters, order};
pub use deliver::{NewReport, Undelivered, deliver, keep_report};
pub use doubt::lost_lines;
pub use due::names_task;
pub use explain::{
    Attempt, CalendarNote, ClockNote, Explained, KeyNow, LogLine, NextSlot, Ready, Required, explain, next_slots,
};
pub use kept::session_line;
pub use launch::{Launcher, Proxy, end_browsers_of, end_orphans};
pub use morning::{Morning, Outcome, World};
pub use notices::next_reminder;
pub use plan::{Planned, first_slot, plan};
pub use progress::{Progress, Quiet, Watch};
pub use report::{assemble, next_runs, waits_for_person};
pub use requirements::Outside;
pub use round::{Done, Rehearsed, Round};
pub use told::{Standing, report_again, ticket_json};
pub use turn::Answered;
