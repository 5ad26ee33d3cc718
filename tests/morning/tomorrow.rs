//! The same data folder on another day: only what the program believes to be the time is another.

use std::fs;

use tokio::process::Command;

/// Moves a program so many days ahead.
pub fn days_ahead(mut command: Command, days: u32) -> Command {
    let folders = fs::read_dir("/usr/lib").expect("/usr/lib").flatten().map(|entry| entry.path());
    let found = folders.map(|folder| folder.join("faketime/libfaketime.so.1")).find(|library| library.is_file());
    let library = found.expect("libfaketime is not there: `make test` installs what the tests need");
    command.env("LD_PRELOAD", library).env("FAKETIME", format!("+{days}d"));
    command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    command
}
