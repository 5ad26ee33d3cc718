//! The `sunup` program: see `sunup --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    sunup::cli::main()
}
