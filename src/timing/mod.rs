//! Days, weeks, slots and windows: the site's own calendar, and the runner's schedule. Pure.

mod catch_up;
mod cron;
mod holidays;
mod period;
mod schedule;
mod slots;
mod times;
mod units;
mod window;

pub use catch_up::{CatchUp, Overlap, SkipAfter, Strategy};
pub use cron::{CronFault, parse_cron};
pub use holidays::{Holidays, OnHoliday, Skip};
pub use period::{Calendar, Period, PeriodKind, Shown, instant, shown};
pub use schedule::Schedule;
pub use slots::{Comes, Slot, Slots};
pub use times::{Dates, Times};
pub use units::{ClockTime, parse_clock, parse_duration};
pub use window::Window;

#[cfg(test)]
mod tests;
