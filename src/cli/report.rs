//! `sunup report [DATE]`: a day's report again, from the ledger.

use anyhow::{Context, Result};
use chrono::NaiveDate;
use clap::{Args, ValueEnum};

use super::exit::Exit;
use super::{Common, folders, show, status};
use crate::clock::{Clock, SystemClock};
use crate::report::{self, Report, Words};
use crate::runner::assemble;

/// What `report` takes.
#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// The day, such as 2026-11-30 [default: the last one on record]
    date: Option<NaiveDate>,
    /// How it is shown
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Html,
    Json,
    Eml,
}

/// Renders a day's report as it stands now.
pub(super) fn report(common: &Common, args: &ReportArgs) -> Result<Exit> {
    let project = match folders::project(common) {
        Ok(project) => project,
        Err(exit) => return Ok(exit),
    };
    let words = Words::new(project.settings.language)?;
    let ledger = status::open(common)?;
    let date = match (&ledger, args.date) {
        (Some(ledger), None) => ledger.last_date()?,
        (_, date) => date,
    };
    let (Some(ledger), Some(date)) = (ledger, date) else {
        nothing(common, &words.get("cli-nothing-yet"));
        return Ok(Exit::Ok);
    };
    let stored = ledger.last_report(date)?;
    if args.format == Format::Eml {
        return eml(&ledger, date);
    }
    // Numbered as the one that was sent; rendered again from what the ledger knows today.
    let mut now = assemble(&project, &ledger, date, SystemClock::new().now(), None)?;
    if now.runs.is_empty() {
        let date = date.to_string();
        nothing(common, &words.with("cli-no-report", &[("date", date.into())]));
        return Ok(Exit::Ok);
    }
    if let Some(stored) = stored {
        let sent: Report = serde_json::from_str(&stored.json).context("the stored report cannot be read")?;
        now.number = stored.number;
        now.rehearsal = sent.rehearsal;
        now.generated_at = sent.generated_at;
        now.to = sent.to;
    }
    let format = if common.json { Format::Json } else { args.format };
    match format {
        Format::Json => show::json(&now),
        Format::Html => show::line(&report::render(&now, project.settings.language)?.html),
        _ => show::line(report::render(&now, project.settings.language)?.text.trim_end()),
    }
    Ok(Exit::Ok)
}

/// There is no report: said to a person, null to a program.
fn nothing(common: &Common, said: &str) {
    match common.json {
        true => show::json(&serde_json::Value::Null),
        false => show::line(said),
    }
}

/// The bytes that were, or are to be, sent.
fn eml(ledger: &crate::ledger::Ledger, date: NaiveDate) -> Result<Exit> {
    use std::io::Write;
    let Some(bytes) = ledger.last_mail(date)? else {
        eprintln!("sunup: no mail was made for {date}: `report.to` was empty, or the report is still to come");
        return Ok(Exit::Internal);
    };
    std::io::stdout().lock().write_all(&bytes).context("the mail cannot be printed")?;
    Ok(Exit::Ok)
}
