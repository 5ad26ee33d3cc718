//! The report as data: everything that the mail, the page and `--json` show. It is collected from the ledger; nothing in
//! it is in a language yet. Pure.

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::alarm::Alarm;
use super::waiting::{SessionAge, Ticket};
use super::words::Words;
use crate::ledger::LossKind;
use crate::run::{Failure, FailureKind, Status};
use crate::values::Number;

/// One morning's report, or a follow-up to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The date in the runner's zone; with `number` the report's key.
    pub date: NaiveDate,
    /// 1 for the morning's own report, 2 and more for follow-ups.
    pub number: u32,
    /// The runner's zone: every time in the report is shown in it.
    pub zone: Tz,
    /// When it was collected.
    pub generated_at: DateTime<Utc>,
    /// It covers the slots from here…
    pub from: DateTime<Utc>,
    /// …to here.
    pub to: DateTime<Utc>,
    /// Said on top when this was a rehearsal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rehearsal: Option<Rehearsal>,
    /// What is wrong with the machine rather than with a task: environment, clock, ledger, alarms.
    #[serde(default)]
    pub alerts: Vec<Alert>,
    /// Moments at which the ledger turned out to have lost lines, where keys of this report are concerned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<LostLines>,
    /// What is wrong with the calendars of holidays.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calendars: Vec<CalendarTrouble>,
    /// What is wrong for some time already.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alarms: Vec<Alarm>,
    /// The dead letters of earlier days, which `runs` does not tell of; none when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dead_letters: Option<DeadLetters>,
    /// What waits for a person.
    #[serde(default)]
    pub tickets: Vec<Ticket>,
    /// Since when accounts are signed in, and for how long.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<SessionAge>,
    /// Every key that the report covers, in any order; [`super::Section`] sorts them.
    #[serde(default)]
    pub runs: Vec<TaskRun>,
    /// The points that the servers show, by account.
    #[serde(default)]
    pub points: Vec<AccountPoints>,
    /// When something runs next.
    #[serde(default)]
    pub next_runs: Vec<NextRun>,
}

/// A report about a rehearsal: no real site was touched.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Rehearsal {
    /// The fixture scenario that was played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenario: Option<String>,
    /// Hosts that the browser asked for and did not get.
    #[serde(default)]
    pub refused_hosts: Vec<String>,
}

/// A line on top of the report about the machine, not about a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alert {
    /// The kind, where it is a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<FailureKind>,
    /// What is wrong.
    pub text: String,
    /// What mends it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cure: Option<String>,
}

/// A moment at which the ledger turned out to have lost lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostLines {
    /// How: its words are those of the ledger.
    pub kind: LossKind,
    /// When that was found.
    pub found_at: DateTime<Utc>,
    /// The last time on record in what was left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_to: Option<DateTime<Utc>>,
    /// The file in the data folder that was set aside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
}

/// Something wrong with a calendar of holidays, while it is gone on with what there is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalendarTrouble {
    /// Its name in `calendars:`.
    pub calendar: String,
    /// Its file, as it is written there.
    pub file: String,
    /// Why the file cannot be used, so that the last good copy of it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken: Option<String>,
    /// A year that it does not cover.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year: Option<i32>,
}

/// Dead letters that nobody has taken note of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadLetters {
    /// How many.
    pub waiting: usize,
    /// How many of them can be ordered to go on.
    pub can_go_on: usize,
}

impl DeadLetters {
    /// The line that says so, in the report, in `status` and on the page.
    pub fn line(self, words: &Words) -> String {
        let key = if self.can_go_on == 0 { "dead-letters" } else { "dead-letters-again" };
        words.with(key, &[("count", self.waiting.into()), ("again", self.can_go_on.into())])
    }
}

/// What became of one key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskRun {
    /// `<site>/<task>`.
    pub task: String,
    /// The task's name, for people.
    pub name: String,
    /// The site's name, for people.
    pub site: String,
    /// The account's id.
    pub account: String,
    /// The period in the key, such as `2026-11-30`.
    pub period: String,
    /// Its status.
    pub status: Status,
    /// What went wrong last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// Why it did not run, or was skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// How often it was tried.
    #[serde(default)]
    pub attempts: u32,
    /// When the commit step was crossed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acted_at: Option<DateTime<Utc>>,
    /// When the evidence was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified_at: Option<DateTime<Utc>>,
    /// When it is tried again, or read again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again_at: Option<DateTime<Utc>>,
    /// What the server showed, in a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// So many minutes after its slot (`compensated`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_minutes: Option<u32>,
    /// The ticket it waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ticket: Option<u32>,
    /// Notices of the task file that held.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// Locators that were found only by an alternative.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drift: Vec<String>,
    /// Its status is another than in the report before this one.
    #[serde(default)]
    pub changed: bool,
}

/// Why something did not run: the word of the decision, and what it saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// The machine word, such as `missed`, `not_ready` or `skip` (the task's own).
    pub word: String,
    /// What was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl LostLines {
    /// The line that says so, in the report, in `status` and at the start of a run.
    pub fn line(&self, words: &Words, zone: Tz) -> String {
        let shown = |at: DateTime<Utc>| at.with_timezone(&zone).format("%Y-%m-%d %H:%M").to_string();
        let nothing = || words.get("loss-nothing");
        let what = words.with(
            &format!("loss-{}", self.kind.word()),
            &[
                ("time", shown(self.found_at).into()),
                ("known", self.known_to.map_or_else(nothing, shown).into()),
                ("kept", self.kept.clone().unwrap_or_default().into()),
            ],
        );
        words.with("loss-and-so", &[("what", what.into())])
    }
}

impl CalendarTrouble {
    /// The line that says so, in the report, in `status`, in `validate` and at the start of a run.
    pub fn line(&self, words: &Words) -> String {
        let key = if self.broken.is_some() { "calendar-broken" } else { "calendar-uncovered" };
        words.with(
            key,
            &[
                ("calendar", self.calendar.clone().into()),
                ("file", self.file.clone().into()),
                ("why", self.broken.clone().unwrap_or_default().into()),
                ("year", self.year.unwrap_or_default().to_string().into()),
            ],
        )
    }
}

impl Reason {
    /// A reason on record: `word`, or `word: detail`.
    pub fn of(text: &str) -> Self {
        match text.split_once(": ") {
            Some((word, detail)) => Reason { word: word.to_owned(), detail: Some(detail.to_owned()) },
            None => Reason { word: text.to_owned(), detail: None },
        }
    }

    /// True when nothing was left undone that should have been done: the task's own `skip`, or a day off.
    pub fn is_intended(&self) -> bool {
        matches!(self.word.as_str(), "skip" | "holiday" | "not_workday")
    }
}

/// The points of one account, as the server lists them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AccountPoints {
    /// The site's name.
    pub site: String,
    /// The account's id.
    pub account: String,
    /// The site's day of the rows.
    pub day: NaiveDate,
    /// How far the list was read.
    pub read: PointsRead,
    /// The day's rows, in the order of the server.
    #[serde(default)]
    pub rows: Vec<PointRow>,
    /// The balance that the site shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balance: Option<Number>,
    /// The balance against the rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cross_check: Option<CrossCheck>,
    /// What the tasks that are done should have brought.
    #[serde(default)]
    pub expected: Vec<Expected>,
}

/// How far a list of points was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PointsRead {
    /// To its end.
    Complete,
    /// Not to its end, and why: there may be more rows than these.
    Incomplete(String),
    /// Not at all, and why: nothing is known.
    Unknown(String),
}

/// One row of points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PointRow {
    /// When, as the server says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<DateTime<Utc>>,
    /// What for.
    pub title: String,
    /// How many.
    pub amount: Amount,
    /// Not in a report before this one.
    #[serde(default)]
    pub new: bool,
}

/// The amount of a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Amount {
    /// A number, perhaps rounded by the site.
    Number(Number),
    /// What stood there instead of a number. Never counted as 0.
    Unreadable(String),
}

/// The balance before and now, against the rows in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrossCheck {
    /// The balance that was read before.
    pub before: Number,
    /// The balance now.
    pub now: Number,
    /// The sum of the rows that came in between.
    pub rows: Decimal,
}

/// What a task that is done should have brought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expected {
    /// The task's name.
    pub task: String,
    /// The title of the row.
    pub title: String,
    /// How many points.
    pub points: Decimal,
}

/// When a task runs next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NextRun {
    /// `<site>/<task>`.
    #[serde(default)]
    pub task: String,
    /// The task's name.
    pub name: String,
    /// The site's name.
    pub site: String,
    /// The account's id.
    pub account: String,
    /// When.
    pub at: DateTime<Utc>,
}
