//! The command line: one file a command. Results on stdout, logs and progress on stderr.

mod exit;
mod folders;
mod open;
mod rehearsal;
mod report;
mod run;
mod show;
mod status;
mod terminal;
mod tickets;
mod validate;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, Parser, Subcommand};

use crate::secrets::{LogWriter, RedactedLog, Redactor, start_log};
use exit::Exit;

/// Runs the small things you do in a browser every morning, once, and proves each from the server's own records.
#[derive(Debug, Parser)]
#[command(name = "sunup", version, about, after_help = exit::HELP)]
struct CommandLine {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

/// What every command takes.
#[derive(Debug, Clone, Args)]
struct Common {
    /// The settings file [default: ./sunup.yaml, else $XDG_CONFIG_HOME/sunup/sunup.yaml]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The data folder [default: $STATE_DIRECTORY, else $XDG_STATE_HOME/sunup]
    #[arg(long, global = true, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Do what is due now, prove it, and mail the report
    Run(run::RunArgs),
    /// Check the files: every fault at once, with its place and its cure
    Validate,
    /// Show what is done, what waits, and what runs next
    Status,
    /// Show a day's report again
    Report(report::ReportArgs),
    /// Show what waits for a person, or close it
    Tickets(tickets::TicketsArgs),
    /// Print a link, of one use, to the status page of the daemon that runs
    Open,
}

/// Reads the command line, does it, and gives the program's exit code.
pub fn main() -> ExitCode {
    let line = match CommandLine::try_parse() {
        Ok(line) => line,
        Err(error) => {
            // `--help` and `--version` are errors to clap, but not to a person.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage.into() } else { Exit::Ok.into() };
        }
    };
    let redactor = Redactor::new();
    // Other variables, `DEBUG` and `RUST_LOG` among them, have no say.
    let filter = std::env::var("SUNUP_LOG").ok();
    start_log(RedactedLog::new(LogWriter::Stderr, redactor.clone()), filter.as_deref());
    match carry_out(line, &redactor) {
        Ok(exit) => exit.into(),
        Err(error) => {
            // Ours, or the machine's: logged once, here.
            eprintln!("sunup: {}", redactor.redact(&format!("{error:#}")));
            Exit::Internal.into()
        }
    }
}

fn carry_out(line: CommandLine, redactor: &Redactor) -> Result<Exit> {
    // Both TLS providers would do; rustls wants to be told which one before it is used.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let common = &line.common;
    match line.command {
        Command::Validate => validate::validate(common),
        Command::Status => status::status(common),
        Command::Report(args) => report::report(common, &args),
        Command::Tickets(args) => tickets::tickets(common, &args),
        Command::Open => open::open(common),
        Command::Run(args) => {
            // One thread works the lanes; what else happens (driver, proxy, mail) are tasks beside it.
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()
                .context("the runtime does not start")?;
            runtime.block_on(run::run(common, &args, redactor))
        }
    }
}
