//! One real browser with a site on loopback, and short words to write task steps in Rust.

use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::NaiveTime;
use sunup::browser::visit::{Halt, Prepared, Reading, Visit};
use sunup::browser::{Brand, RealBrowser, StartOptions};
use sunup::clock::{Clock, SystemClock};
use sunup::files::condition::{Scope, Template};
use sunup::files::model::*;
use sunup::run::{Failure, FailureKind};
use sunup::timing::{Calendar, PeriodKind};
use sunup::values::{Cell, Value};
use tempfile::TempDir;

use crate::server::Server;

pub const ZONE: chrono_tz::Tz = chrono_tz::Asia::Shanghai;

/// Everything is tried in both.
pub const BRANDS: [Brand; 2] = [Brand::Firefox, Brand::Chromium];

pub struct Lab {
    pub browser: RealBrowser,
    pub server: Server,
    pub site: Site,
    pub clock: SystemClock,
    pub folder: TempDir,
}

/// Options for a browser with its profile below this folder.
pub fn options(brand: Brand, folder: &Path, mark: &str) -> StartOptions {
    StartOptions {
        driver: brand.driver().to_owned(),
        binary: None,
        headless: true,
        profile: folder.join("profile"),
        zone: ZONE,
        locale: "zh-CN".to_owned(),
        viewport: Viewport::Desktop,
        proxy: None,
        accept_insecure_certs: false,
        mark: mark.to_owned(),
        scratch: folder.to_owned(),
    }
}

impl Lab {
    pub async fn open(brand: Brand) -> Self {
        let folder = TempDir::new().expect("a folder");
        let browser = match RealBrowser::start(options(brand, folder.path(), "test-lab")).await {
            Ok(browser) => browser,
            Err(failure) => panic!("these tests need a real {brand}: {}", failure.message),
        };
        let server = Server::start().await;
        let site = site(&server);
        Lab { browser, server, site, clock: SystemClock::new(), folder }
    }

    pub fn visit(&mut self) -> Visit<'_> {
        let period = self.site.calendar.period(PeriodKind::Day, self.clock.now());
        Visit {
            browser: &mut self.browser,
            clock: &self.clock,
            site: &self.site,
            zone: ZONE,
            root: self.folder.path(),
            period,
            pictures: None,
        }
    }

    pub fn pictures(&self) -> PathBuf {
        self.folder.path().join("pictures")
    }

    /// Carries out steps and gives what they read.
    pub async fn read(&mut self, steps: Vec<Step>) -> Result<Reading, Failure> {
        let section = section(steps);
        self.visit().read_section(&section, Scope::default()).await.map_err(failed)
    }

    /// What one read of a page gives.
    pub async fn read_page(&mut self, path: &str, kind: ReadKind) -> Result<Value, Failure> {
        let step = open(path).reads("it", kind).limit(2);
        let mut reading = self.read(vec![step]).await?;
        Ok(reading.values.remove("it").expect("it was read"))
    }

    pub async fn prepare(&mut self, steps: &[Step]) -> Result<Prepared, Failure> {
        self.visit().prepare(steps, Scope::default()).await.map_err(failed)
    }
}

fn failed(halt: Halt) -> Failure {
    match halt {
        Halt::Failed(failure) => failure,
        other => panic!("{other:?}"),
    }
}

pub fn kind(outcome: &Result<impl Sized, Failure>) -> Option<FailureKind> {
    outcome.as_ref().err().map(|failure| failure.kind)
}

fn site(server: &Server) -> Site {
    let check = section(Vec::new());
    Site {
        id: "community".into(),
        owner: None,
        name: "社区".into(),
        origins: vec![server.origin()],
        calendar: Calendar { zone: ZONE, starts_at: NaiveTime::MIN },
        accounts: Vec::new(),
        sign_in: SignIn { check, act: Act::Person, session: None },
        points: None,
        viewport: Viewport::Desktop,
        decimal_comma: false,
        locale: "zh-CN".into(),
        challenges: Vec::new(),
        tasks: Vec::new(),
        place: Place::default(),
    }
}

pub fn section(steps: Vec<Step>) -> Section {
    Section {
        steps,
        verdict: Verdict::Reads,
        skip: Vec::new(),
        later: Vec::new(),
        notice: Vec::new(),
        place: Place::default(),
    }
}

pub fn step(verb: Verb) -> Step {
    let place = Place { file: "tasks/community/checkin.yaml".into(), line: 7, column: 5 };
    Step { verb, reads: Vec::new(), when: None, timeout: Duration::from_secs(5), optional: false, commit: false, place }
}

pub trait Words: Sized {
    fn limit(self, seconds: u64) -> Self;
    fn reads(self, name: &str, kind: ReadKind) -> Self;
    fn optional(self) -> Self;
    fn commits(self) -> Self;
}

impl Words for Step {
    fn limit(mut self, seconds: u64) -> Self {
        self.timeout = Duration::from_secs(seconds);
        self
    }

    fn reads(mut self, name: &str, kind: ReadKind) -> Self {
        self.reads.push((name.into(), Read { kind, optional: false, place: Place::default() }));
        self
    }

    fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    fn commits(mut self) -> Self {
        self.commit = true;
        self
    }
}

pub fn text(text: &str) -> Template {
    Template::literal(text)
}

pub fn open(path: &str) -> Step {
    step(Verb::Open { path: text(path), query: Vec::new() })
}

pub fn fetch(path: &str) -> Step {
    let fetch = Fetch {
        path: text(path),
        method: "GET".into(),
        query: Vec::new(),
        body: FetchBody::Empty,
        headers: Vec::new(),
        accept: Vec::new(),
    };
    step(Verb::Fetch(fetch))
}

pub fn click(target: Locator) -> Step {
    step(Verb::Click { target: one(target), opens_tab: false, dialog: None })
}

pub fn fill(target: Locator, with: &str) -> Step {
    step(Verb::Fill { target: one(target), with: text(with) })
}

pub fn one(locator: Locator) -> Target {
    Target::Alternatives(vec![locator])
}

pub fn by(by: By) -> Locator {
    Locator { by, exact: true, text: None, nth: None, within: None, frame: None }
}

pub fn css(selector: &str) -> Locator {
    by(By::Css(text(selector)))
}

pub fn role(role: &str, name: &str) -> Locator {
    by(By::Role { role: role.into(), name: Some(text(name)) })
}

pub fn scalar(kind: ScalarKind, from: From) -> ReadKind {
    ReadKind::Scalar { kind, source: Source { from, matching: None } }
}

pub fn element(kind: ScalarKind, locator: Locator) -> ReadKind {
    scalar(kind, From::Element { locator: Some(locator), attribute: None })
}

pub fn json_path(names: &[&str]) -> Vec<JsonStep> {
    names.iter().map(|name| JsonStep::Name((*name).into())).collect()
}

pub fn column(name: &str, kind: ScalarKind, from: From) -> Column {
    let source = Source { from, matching: None };
    Column { name: name.into(), kind: ColumnKind::Scalar(kind), source, optional: false }
}

pub fn headed(name: &str, kind: ScalarKind, header: &str) -> Column {
    column(name, kind, From::Column { header: header.into(), part: None })
}

pub fn rows(from: RowsFrom, columns: Vec<Column>) -> RowsRead {
    RowsRead { from, columns, next: None, empty: None, total: None, max_pages: 20, keep_period: false }
}

/// A cell of a list in words.
pub fn cell(value: &Value, row: usize, column: &str) -> String {
    let Value::Rows(rows) = value else { panic!("{value:?} is no list") };
    match &rows.rows[row].cells[column] {
        Cell::Value(Value::Text(text)) => text.clone(),
        Cell::Value(Value::Number(number)) => number.value.to_string(),
        Cell::Value(Value::Time(time)) => time.with_timezone(&ZONE).format("%m-%d %H:%M").to_string(),
        Cell::Value(other) => format!("{other:?}"),
        Cell::Unreadable(text) => format!("unreadable {text}"),
    }
}

pub fn count(value: &Value) -> usize {
    let Value::Rows(rows) = value else { panic!("{value:?} is no list") };
    rows.rows.len()
}

pub fn as_text(value: &Value) -> &str {
    let Value::Text(text) = value else { panic!("{value:?} is no text") };
    text
}
