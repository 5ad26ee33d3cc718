//! `sunup report [DATE]`: a day's report again, from the ledger.

use anyhow::{Context, Result};
use chrono::NaiveDate;
use clap::{Args, ValueEnum};

use super::exit::Exit;
use super::{Common, folders, show, status};
use crate::clock::{Clock, SystemClock};
use crate::ledger::MAILS_KEPT_DAYS;
use crate::report::{self, Words};
use crate::runner::report_again;

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
    if args.format == Format::Eml {
        return eml(&ledger, date);
    }
    let Some(now) = report_again(&project, &ledger, Some(date), SystemClock::new().now())? else {
        let date = date.to_string();
        nothing(common, &words.with("cli-no-report", &[("date", date.into())]));
        return Ok(Exit::Ok);
    };
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
    if bytes.is_empty() {
        eprintln!(
            "sunup: the mail of {date} arrived; its bytes are kept for {MAILS_KEPT_DAYS} days. \
             `sunup report {date} --format html` renders the report again"
        );
        return Ok(Exit::Internal);
    }
    std::io::stdout().lock().write_all(&bytes).context("the mail cannot be printed")?;
    Ok(Exit::Ok)
}
