//! Exit codes.

use std::process::ExitCode;

/// How the program ends. The largest of 4 to 6 wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// All is well.
    Ok = 0,
    /// A fault of the program or the machine.
    Internal = 1,
    /// The command line is wrong.
    Usage = 2,
    /// The files are wrong.
    Config = 3,
    /// A task failed.
    TaskFailed = 4,
    /// A person is needed.
    PersonNeeded = 5,
    /// The report was not delivered.
    NotDelivered = 6,
    /// A run was stopped by SIGINT, as shells say it.
    Interrupted = 130,
    /// A run was stopped by SIGTERM.
    Terminated = 143,
}

/// What `--help` says of them.
pub const HELP: &str = "Exit codes: 0 ok, 1 internal, 2 usage, 3 config, 4 a task failed, 5 a person is needed, \
                        6 report not delivered; the largest of 4 to 6 wins. \
                        130 and 143: `run` was stopped by a signal.";

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}
