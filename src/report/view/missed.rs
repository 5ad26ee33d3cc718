//! Days on which a task was not run for one and the same reason, together in one entry.

use chrono::{Datelike, NaiveDate};

use super::entries::Entry;
use super::phrases::Phrases;
use crate::report::model::TaskRun;
use crate::run::Status;

/// The entries of task runs: those that were left out in a row for one reason are one.
pub(super) fn together(runs: Vec<&TaskRun>, phrases: &Phrases<'_>) -> Vec<Entry> {
    let mut rows: Vec<Vec<&TaskRun>> = Vec::new();
    for run in runs {
        match rows.iter_mut().find(|row| row.first().is_some_and(|first| is_one_row(first, run))) {
            Some(row) => row.push(run),
            None => rows.push(vec![run]),
        }
    }
    rows.into_iter().map(|row| entry(row, phrases)).collect()
}

/// Nothing was tried, and nothing is to be said of one but not of the other.
fn is_one_row(one: &TaskRun, other: &TaskRun) -> bool {
    let untried = |run: &TaskRun| run.status == Status::Skipped && run.attempts == 0 && run.failure.is_none();
    let silent = |run: &TaskRun| run.notices.is_empty() && run.drift.is_empty();
    let same = (&one.task, &one.account, &one.reason) == (&other.task, &other.account, &other.reason);
    same && [one, other].into_iter().all(|run| untried(run) && silent(run))
}

fn entry(mut row: Vec<&TaskRun>, phrases: &Phrases<'_>) -> Entry {
    row.sort_by(|one, other| one.period.cmp(&other.period));
    let (first, last) = (row[0], row[row.len() - 1]);
    let entry = Entry::of_run(first, phrases);
    if row.len() == 1 {
        return entry;
    }
    let days = row.iter().all(|run| run.period.parse::<NaiveDate>().is_ok());
    let arguments = [
        ("first", short(&first.period, phrases).into()),
        ("last", short(&last.period, phrases).into()),
        ("count", row.len().into()),
    ];
    let periods = phrases.words.with(if days { "days-in-a-row" } else { "periods-in-a-row" }, &arguments);
    entry.at(format!("{} · {} · {periods}", first.site, first.account))
}

/// A day of the report's year without the year.
fn short(period: &str, phrases: &Phrases<'_>) -> String {
    match period.parse::<NaiveDate>() {
        Ok(day) if day.year() == phrases.date.year() => day.format("%m-%d").to_string(),
        _ => period.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::model::Language;
    use crate::report::model::Reason;
    use crate::report::render::render;
    use crate::report::samples::{empty, run};

    fn left_out(period: &str, reason: &str) -> TaskRun {
        let mut run = run("每日签到", Status::Skipped);
        (run.period, run.reason, run.attempts) = (period.to_owned(), Some(Reason::of(reason)), 0);
        (run.acted_at, run.verified_at, run.evidence) = (None, None, None);
        run
    }

    #[test]
    fn days_in_a_row_are_one_line_and_another_reason_is_another() {
        let mut report = empty();
        let missed = (20..=29).map(|day| left_out(&format!("2026-11-{day}"), "missed"));
        report.runs = missed.chain([left_out("2026-11-19", "holiday: 假期")]).collect();
        for (language, wanted) in
            [(Language::Chinese, "11-20 … 11-29，共 10 天"), (Language::English, "11-20 … 11-29, 10 days")]
        {
            let text = render(&report, language).unwrap().text;
            assert!(text.contains(wanted), "{text}");
            assert_eq!(text.matches("每日签到").count(), 2, "{text}");
        }
    }

    #[test]
    fn weeks_are_no_days() {
        let mut report = empty();
        report.runs = ["2026-W46", "2026-W47"].map(|week| left_out(week, "missed")).into();
        let text = render(&report, Language::English).unwrap().text;
        assert!(text.contains("2026-W46 … 2026-W47, 2 periods"), "{text}");
    }
}
