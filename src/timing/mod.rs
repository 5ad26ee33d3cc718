//! Days, weeks and windows in a site's own calendar. Pure.

mod period;
mod units;
mod window;

pub use period::{Calendar, Period, PeriodKind, instant};
pub use units::{ClockTime, parse_clock, parse_duration};
pub use window::{Window, last_window, window_at};
