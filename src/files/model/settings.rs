//! `sunup.yaml`, and the secrets that it and the sites name.

use core::net::SocketAddr;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use chrono_tz::Tz;

use crate::timing::{ClockTime, Holidays};

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
    /// `alarms.to`: who gets alarms by a mail of their own; none when nobody does.
    pub alarms_to: Option<Vec<String>>,
    /// `heartbeat.url`: pinged for each run.
    pub heartbeat: Option<TextSource>,
    /// `serve:`.
    pub serve: ServeSettings,
    /// `limits.run`: the longest a run may last.
    pub run_limit: Duration,
    /// `calendars:`.
    pub calendars: Vec<CalendarFile>,
}

/// One of `calendars:`, as it was read.
#[derive(Clone)]
pub struct CalendarFile {
    /// As it is written: relative to the folder of sunup.yaml.
    pub path: PathBuf,
    /// What it says, under its name.
    pub holidays: Arc<Holidays>,
    /// Why the file could not be taken, so that the last good copy of it was.
    pub broken: Option<String>,
    /// The file, or its copy, to be kept.
    pub bytes: Arc<[u8]>,
}

impl fmt::Debug for CalendarFile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "CalendarFile({} from {}, {:?})", self.holidays.name, self.path.display(), self.broken)
    }
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
    /// The driver program: a name on PATH or a path. Default `geckodriver`; `chromedriver` drives Chromium or Chrome.
    pub driver: String,
    /// The browser program; found by the driver itself when none.
    pub binary: Option<PathBuf>,
    /// Without a window. Default true.
    pub headless: bool,
    /// How many lanes may be in work at once. Default 1.
    pub parallel: usize,
}

/// `serve:` of `sunup.yaml`: the API and the status page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServeSettings {
    /// A loopback address; port 0 takes a free one. Default 127.0.0.1:7380.
    pub listen: SocketAddr,
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
