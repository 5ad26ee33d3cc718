//! The command line: one file a command. Results on stdout, logs and progress on stderr.

mod dead;
mod exit;
mod explain;
mod folders;
mod history;
mod open;
mod rehearsal;
mod report;
mod run;
mod serve;
mod service;
mod show;
mod sign_in;
mod status;
mod stop;
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
    /// Do what is due whenever it is due, until a signal ends it
    Serve,
    /// Print what systemd or cron needs to start it by itself
    Service(service::ServiceArgs),
    /// Check the files: every fault at once, with its place and its cure
    Validate,
    /// Show what is done, what waits, and what runs next
    Status,
    /// Show why a task did or did not run, and when it comes next
    Explain(explain::ExplainArgs),
    /// Show the past days, a line for each day and task
    History(history::HistoryArgs),
    /// Show a day's report again
    Report(report::ReportArgs),
    /// Show the tasks that ended as dead, take note of them, or order one to go on
    Dead(dead::DeadArgs),
    /// Show what waits for a person, or close it
    Tickets(tickets::TicketsArgs),
    /// Sign in yourself, in a window; the session is kept for the mornings
    SignIn(sign_in::SignInArgs),
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
    let filter = filter.or_else(|| matches!(line.command, Command::Serve).then(|| serve::LOGGED.to_owned()));
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
        Command::Explain(args) => runtime()?.block_on(explain::explain(common, &args)),
        Command::History(args) => history::history(common, &args),
        Command::Report(args) => report::report(common, &args),
        Command::Dead(args) => dead::dead(common, &args),
        Command::Tickets(args) => tickets::tickets(common, &args),
        Command::Open => open::open(common),
        Command::SignIn(args) => runtime()?.block_on(sign_in::sign_in(common, &args, redactor)),
        Command::Run(args) => runtime()?.block_on(run::run(common, &args, redactor)),
        Command::Service(args) => service::service(common, &args),
        Command::Serve => runtime()?.block_on(serve::serve(common, redactor)),
    }
}

/// One thread works the lanes; what else happens (driver, proxy, mail) are tasks beside it.
fn runtime() -> Result<tokio::runtime::Runtime> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(2).enable_all().build().context("the runtime does not start")
}
