//! What the files say, once they are checked: every text is parsed, every `use` is put in, every default is filled.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use chrono::NaiveDate;
use chrono_tz::Tz;

use super::condition::{Condition, Template};
use crate::timing::{Calendar, ClockTime, PeriodKind};

/// Everything that one folder of files says.
#[derive(Debug, Clone)]
pub struct Project {
    /// The folder of `sunup.yaml`; relative file paths in tasks start here.
    pub root: PathBuf,
    /// `sunup.yaml`.
    pub settings: Settings,
    /// The sites, in the order of their ids.
    pub sites: Vec<Site>,
}

/// Where something stands in a file; lines and columns start at 1.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The file, relative to the project's root.
    pub file: PathBuf,
    /// The line.
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
}

impl fmt::Display for Place {
    /// `tasks/community/checkin.yaml:14:5`
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}:{}", self.file.display(), self.line, self.column)
    }
}

/// `sunup.yaml`.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The runner's zone: of `at`, `until`, and of the report's date.
    pub timezone: Tz,
    /// The language of report, command line and browser.
    pub language: Language,
    /// `browser:`.
    pub browser: BrowserSettings,
    /// `report:`; none when no report is mailed.
    pub report: Option<ReportSettings>,
    /// `limits.run`: the longest a run may last.
    pub run_limit: Duration,
}

/// A language of the product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// Simplified Chinese, `zh-CN`.
    #[default]
    Chinese,
    /// English, `en`.
    English,
}

/// `browser:` of `sunup.yaml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrowserSettings {
    /// The driver program: a name on PATH or a path. Default `geckodriver`.
    pub driver: String,
    /// The browser program; found by the driver itself when none.
    pub binary: Option<PathBuf>,
    /// Without a window. Default true.
    pub headless: bool,
    /// How many lanes may be in work at once. Default 1.
    pub parallel: usize,
}

/// `report:` of `sunup.yaml`.
#[derive(Debug, Clone)]
pub struct ReportSettings {
    /// The recipients: each gets a mail of its own.
    pub to: Vec<String>,
    /// The sender, such as `"晨报 <sunup@example.org>"`.
    pub from: String,
    /// The report goes out this long after the start of the morning at the latest, or at this time of day.
    pub by: ReportBy,
    /// The mail server; none when the report is only rendered.
    pub smtp: Option<Smtp>,
}

/// `report.by`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportBy {
    /// So long after the start of the morning.
    After(Duration),
    /// At a time of day in the runner's zone.
    At(ClockTime),
}

/// `report.smtp:`.
#[derive(Debug, Clone)]
pub struct Smtp {
    /// Host name of the server.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// How the connection is made private.
    pub tls: SmtpTls,
    /// Login, with its secret; none for a server that asks for none.
    pub login: Option<(String, SecretSource)>,
}

/// `tls:` of a mail server. There is no "if the server offers it": that falls to clear text silently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmtpTls {
    /// TLS from the first byte (port 465).
    Implicit,
    /// STARTTLS, required (port 587).
    StartTls,
    /// None.
    None,
}

/// Where a secret comes from: `{ env }`, `{ file }`, `{ command }`, `{ credential }`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretSource {
    /// An environment variable.
    Env(String),
    /// A file that only its owner can read.
    File(PathBuf),
    /// The first line that a program prints; run without a shell.
    Command(Vec<String>),
    /// A systemd credential.
    Credential(String),
}

/// A text that may be written down or come from a secret source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextSource {
    /// Written in the file.
    Plain(String),
    /// From elsewhere.
    Secret(SecretSource),
}

/// `tasks/<site>/site.yaml` and the tasks beside it.
#[derive(Debug, Clone)]
pub struct Site {
    /// The folder's name.
    pub id: String,
    /// For people.
    pub name: String,
    /// `https://host[:port]`, without a path; paths are relative to the first.
    pub origins: Vec<String>,
    /// When the site's day begins.
    pub calendar: Calendar,
    /// In the order written.
    pub accounts: Vec<Account>,
    /// How to sign in.
    pub sign_in: SignIn,
    /// The points read-back: reads `details` and perhaps `balance`.
    pub points: Option<Section>,
    /// The screen that the browser has.
    pub viewport: Viewport,
    /// Decimal comma: `1.234,5`.
    pub decimal_comma: bool,
    /// Language tag of the browser, such as `zh-CN`.
    pub locale: String,
    /// Own rules for pages that ask for a person, looked at before the built-in ones.
    pub challenges: Vec<OwnChallenge>,
    /// The user's word that this site may be automated with these accounts, and who answers for it.
    pub owner: Option<String>,
    /// The tasks, in the order of their ids.
    pub tasks: Vec<Task>,
    /// `site.yaml`, for messages.
    pub place: Place,
}

impl Site {
    /// The identity of one of its tasks: `community/checkin`.
    pub fn task_path(&self, task: &Task) -> String {
        format!("{}/{}", self.id, task.id)
    }

    /// The account of this id.
    pub fn account(&self, id: &str) -> Option<&Account> {
        self.accounts.iter().find(|account| account.id == id)
    }
}

/// `viewport:` of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Viewport {
    /// 1280 × 900.
    #[default]
    Desktop,
    /// 412 × 915.
    Mobile,
}

/// One of `challenges:` in `site.yaml`.
#[derive(Debug, Clone)]
pub struct OwnChallenge {
    /// A failure kind's word, such as `captcha`.
    pub kind: String,
    /// Displayed when the page asks.
    pub when: Target,
}

/// One person's login on a site.
#[derive(Debug, Clone)]
pub struct Account {
    /// The key in `accounts:`.
    pub id: String,
    /// The user name.
    pub username: TextSource,
    /// The password; none where a person signs in.
    pub password: Option<SecretSource>,
    /// `account.vars.x`.
    pub vars: BTreeMap<String, String>,
}

/// `sign_in:`. Its `verify` is always `check`.
#[derive(Debug, Clone)]
pub struct SignIn {
    /// Reads who is signed in.
    pub check: Section,
    /// Signs in.
    pub act: Act,
}

/// One task file.
#[derive(Debug, Clone)]
pub struct Task {
    /// The file's name without its ending; with the site's id in front it is the task's identity.
    pub id: String,
    /// For people.
    pub name: String,
    /// How long a key lasts.
    pub period: PeriodKind,
    /// May the act be repeated?
    pub effect: Effect,
    /// Ids of the accounts it is done for.
    pub accounts: Vec<String>,
    /// `vars.x`, those of the site first; each may use those before it.
    pub vars: Vec<(String, Template)>,
    /// What must hold first.
    pub requires: Vec<Requirement>,
    /// Reads whether it is done.
    pub check: Section,
    /// Does it.
    pub act: Act,
    /// What the site shows after the commit when it said no.
    pub refused: Vec<Refused>,
    /// What the person shall do (`act: person`).
    pub ask: Option<Template>,
    /// Reads the evidence.
    pub verify: Verify,
    /// How long the evidence may take to appear.
    pub settle: Duration,
    /// What the site is expected to credit; only to reconcile.
    pub reward: Option<Reward>,
    /// Attempts, and the wait between them.
    pub retry: Retry,
    /// Limit of one attempt; with `goal`, of one unit.
    pub timeout: Duration,
    /// When it may run.
    pub schedule: Schedule,
    /// The task file, for messages.
    pub place: Place,
}

/// May an act be repeated within its period?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Never: exactly one commit step.
    Once,
    /// Yes, after a look: the server itself counts it once.
    Repeatable,
}

/// `act:`.
#[derive(Debug, Clone)]
pub enum Act {
    /// Steps in the browser.
    Steps(Vec<Step>),
    /// A person does it.
    Person,
}

/// `verify:`.
#[derive(Debug, Clone)]
pub enum Verify {
    /// The same reads as `check`, again, freshly.
    Check,
    /// Reads of its own.
    Section(Section),
}

/// Expected row in the site's points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reward {
    /// How many points.
    pub points: rust_decimal::Decimal,
    /// The row's title.
    pub title: String,
}

/// `retry:`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// Tries in a series: the total, at least 1.
    pub attempts: u32,
    /// First wait; doubles, with jitter.
    pub initial: Duration,
    /// A series that ended comes again after this.
    pub again: Duration,
    /// So many series inside the window.
    pub series: u32,
}

/// One of `requires:`.
#[derive(Debug, Clone)]
pub enum Requirement {
    /// A task of the same site and account (`site` none), or a site's task for all its accounts.
    Task {
        /// The other site.
        site: Option<String>,
        /// The task's id.
        task: String,
    },
    /// A file that is there, and changed in this period where `changed_in_period`.
    File {
        /// Relative to the project's root.
        path: Template,
        /// A file of another day does not count.
        changed_in_period: bool,
    },
}

/// One of `refused:`.
#[derive(Debug, Clone)]
pub struct Refused {
    /// Displayed when the site said no.
    pub target: Target,
    /// What it means.
    pub reason: String,
}

/// When a task may run, in the runner's zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// First start.
    pub at: ClockTime,
    /// No act after it; earlier than `at` means the next day.
    pub until: ClockTime,
    /// Later than this after `at`, a success is `compensated`.
    pub grace: Duration,
    /// Weekdays on which it runs, Monday first.
    pub days: [bool; 7],
}

/// `check`, `verify`, `sign_in.check`, `points`.
#[derive(Debug, Clone)]
pub struct Section {
    /// Reads, and what leads to them.
    pub steps: Vec<Step>,
    /// What it means.
    pub verdict: Verdict,
    /// Nothing to do in this period; looked at first.
    pub skip: Vec<Reasoned>,
    /// Not open yet; looked at second.
    pub later: Vec<Reasoned>,
    /// Lines for the report, whatever the verdict.
    pub notice: Vec<Reasoned>,
    /// Where it stands.
    pub place: Place,
}

/// How a section's reads are judged.
#[derive(Debug, Clone)]
pub enum Verdict {
    /// `done` and, except in some `verify`s, `todo`.
    Stated {
        /// True when it is done.
        done: Condition,
        /// True when it is to do.
        todo: Option<Condition>,
    },
    /// `goal:`.
    Goal {
        /// How many there are.
        have: Condition,
        /// How many there shall be.
        want: Want,
    },
    /// Only reads (`points`).
    Reads,
}

/// `want` or `more` of a goal.
#[derive(Debug, Clone)]
pub enum Want {
    /// So many.
    Total(Condition),
    /// So many more than at the period's first read.
    More(u32),
}

/// A condition with the reason to give when it holds.
#[derive(Debug, Clone)]
pub struct Reasoned {
    /// The condition.
    pub when: Condition,
    /// What to say.
    pub reason: Template,
}

/// One step.
#[derive(Debug, Clone)]
pub struct Step {
    /// What to do.
    pub verb: Verb,
    /// What to read after it, in the order written.
    pub reads: Vec<(String, Read)>,
    /// Left out when this does not hold.
    pub when: Option<Condition>,
    /// Its time limit. Default 15 s.
    pub timeout: Duration,
    /// Only if its target is there now.
    pub optional: bool,
    /// Beyond this step the server may have changed.
    pub commit: bool,
    /// Where it stands.
    pub place: Place,
}

/// What a step does. The words are those of `format.md`.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub enum Verb {
    Open { path: Template, query: Vec<(String, Template)> },
    Fetch(Fetch),
    File { path: Template, encoding: FileEncoding },
    Click { target: Target, opens_tab: bool, dialog: Option<Dialog> },
    Fill { target: Target, with: Template },
    Select { target: Target, option: Template },
    Tick { target: Target },
    Untick { target: Target },
    Hover { target: Target },
    Press { keys: String, on: Option<Locator> },
    Scroll(ScrollTo),
    Wait { target: Target },
    WaitGone { target: Target },
    Pause(Duration),
    PauseUntil(ClockTime),
    Expect { condition: Condition, otherwise: Otherwise, reason: Option<Template> },
    Go(Go),
}

/// `fetch:` and its modifiers.
#[derive(Debug, Clone)]
pub struct Fetch {
    /// Path, or URL on an origin of the site.
    pub path: Template,
    /// Method in capitals.
    pub method: String,
    /// Put behind the path, percent-encoded.
    pub query: Vec<(String, Template)>,
    /// What is sent.
    pub body: FetchBody,
    /// Further request headers.
    pub headers: Vec<(String, Template)>,
    /// Statuses that are an answer. Default 200–299.
    pub accept: Vec<u16>,
}

/// The body of a `fetch`.
#[derive(Debug, Clone)]
pub enum FetchBody {
    /// None.
    Empty,
    /// `application/x-www-form-urlencoded`.
    Form(Vec<(String, Template)>),
    /// JSON, its texts being templates.
    Json(JsonTemplate),
}

/// JSON whose texts are templates.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub enum JsonTemplate {
    Null,
    Boolean(bool),
    Number(rust_decimal::Decimal),
    Text(Template),
    List(Vec<JsonTemplate>),
    Map(Vec<(String, JsonTemplate)>),
}

/// `encoding:` of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub enum FileEncoding {
    #[default]
    Utf8,
    Gbk,
}

/// `dialog:`: what to do with a native dialog that a click opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Dialog {
    Accept,
    Dismiss,
}

/// `scroll:`.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub enum ScrollTo {
    Top,
    Bottom,
    Element(Locator),
}

/// `go:`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Go {
    Back,
    Reload,
    CloseTab,
}

/// `otherwise:` of an `expect`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub enum Otherwise {
    #[default]
    Fail,
    Later,
    Skip,
}

/// What a step works on.
#[derive(Debug, Clone)]
pub enum Target {
    /// The same thing, found otherwise; best first. A later hit is drift.
    Alternatives(Vec<Locator>),
    /// Different things, in order of preference.
    FirstOf(Vec<Locator>),
}

/// How an element is found. Complete in itself.
#[derive(Debug, Clone)]
pub struct Locator {
    /// By what.
    pub by: By,
    /// The whole text, not a part of it.
    pub exact: bool,
    /// `css` with `text`: the element that has both.
    pub text: Option<Template>,
    /// The how-manieth of several, from 1.
    pub nth: Option<u32>,
    /// Inside this element.
    pub within: Option<Box<Locator>>,
    /// Inside the document of this iframe.
    pub frame: Option<Box<Locator>>,
}

/// What a locator goes by.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub enum By {
    Role { role: String, name: Option<Template> },
    Label(Template),
    Text(Template),
    Placeholder(Template),
    TestId(Template),
    Css(Template),
    Xpath(Template),
}

/// One read: a type, and where.
#[derive(Debug, Clone)]
pub struct Read {
    /// What is read.
    pub kind: ReadKind,
    /// Absent gives none.
    pub optional: bool,
    /// Where it stands.
    pub place: Place,
}

/// What a read reads.
#[derive(Debug, Clone)]
pub enum ReadKind {
    /// One typed value.
    Scalar {
        /// Its type.
        kind: ScalarKind,
        /// Where it is.
        source: Source,
    },
    /// Is it displayed?
    Visible(Locator),
    /// Is it ticked?
    Checked(Locator),
    /// How many are displayed?
    Count(Locator),
    /// Rows.
    Rows(Box<RowsRead>),
}

/// The type of a scalar read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ScalarKind {
    Text,
    Number,
    Boolean,
    Time,
    Date,
    /// The content of a form field, as text.
    Value,
}

/// Where a scalar is.
#[derive(Debug, Clone)]
pub struct Source {
    /// Page, answer or file.
    pub from: From,
    /// The piece that the group takes.
    pub matching: Option<String>,
}

/// Where a read looks.
#[derive(Debug, Clone)]
pub enum From {
    /// An element's displayed text, or an attribute of it.
    Element {
        /// Which; none inside `columns` for the item itself.
        locator: Option<Locator>,
        /// This attribute instead of the text.
        attribute: Option<String>,
    },
    /// `json.a.b[0]` of the last fetch: a path of names and indexes.
    Json(Vec<JsonStep>),
    /// HTTP status of the last fetch.
    Status,
    /// Its final URL, or the page's.
    Url,
    /// Its body as text.
    Body,
    /// One of its headers, in lower case.
    Header(String),
    /// Content of the file.
    FileContent,
    /// Is the file there?
    FileExists,
    /// Its size in bytes.
    FileSize,
    /// A column by its header or field name (`title.raw` too), for rows.
    Column {
        /// The header's text or the field's path.
        header: String,
        /// A part of the cell.
        part: Option<Locator>,
    },
}

/// One step of a path into JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum JsonStep {
    Name(String),
    Index(usize),
}

/// A read of rows.
#[derive(Debug, Clone)]
pub struct RowsRead {
    /// Where the rows are.
    pub from: RowsFrom,
    /// Column name, its type, where in the row; `optional` cells may be absent.
    pub columns: Vec<Column>,
    /// Where the next page is.
    pub next: Option<Next>,
    /// Must be displayed for zero rows to be an answer.
    pub empty: Option<Locator>,
    /// Must equal the number of rows before `keep`.
    pub total: Option<Read>,
    /// More pages than this are "not read to the end".
    pub max_pages: u32,
    /// This period's rows only.
    pub keep_period: bool,
}

/// One column of a read of rows.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its name in conditions.
    pub name: String,
    /// Its type.
    pub kind: ColumnKind,
    /// Where in the row.
    pub source: Source,
    /// Absent gives none.
    pub optional: bool,
}

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ColumnKind {
    Scalar(ScalarKind),
    Visible,
}

/// Where rows are.
#[derive(Debug, Clone)]
pub enum RowsFrom {
    /// A table; columns by header text.
    Table(Locator),
    /// Repeated elements; columns by locator inside each.
    Items(Locator),
    /// A list in the last fetch's JSON.
    Json(Vec<JsonStep>),
    /// The last file, as CSV with a header line.
    Csv,
}

/// How to get to the next page.
#[derive(Debug, Clone)]
pub enum Next {
    /// Pressed while it is there and usable.
    Click(Locator),
    /// A cursor or URL in the answer.
    Json(Vec<JsonStep>),
}

/// The date type in conditions, re-exported for readers of this module.
pub type Day = NaiveDate;
