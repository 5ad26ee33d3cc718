//! Measured figures beside their targets.

use std::process::ExitCode;
use std::time::Duration;

/// One measured figure beside its target.
#[derive(Clone)]
pub struct Figure {
    pub name: &'static str,
    pub measured: String,
    /// The share of the target that it takes: more than 1 is too much. None where there is no target.
    pub share: Option<f64>,
}

/// Prints them; a target that is missed makes the program end with 1.
pub fn told(figures: &[Figure]) -> ExitCode {
    println!();
    for figure in figures {
        let share = figure.share.map_or("no target".to_owned(), |share| {
            format!("{:.2} of the target{}", share, if share > 1.0 { ": MISSED" } else { "" })
        });
        println!("{:34} {:44} {share}", figure.name, figure.measured);
    }
    let missed = figures.iter().any(|figure| figure.share.is_some_and(|share| share > 1.0));
    ExitCode::from(u8::from(missed))
}

pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

pub fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

pub fn millis(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}
