//! One real browser with a site on loopback.

use std::path::PathBuf;

use sunup::browser::visit::{Prepared, Reading, Visit};
use sunup::browser::{Brand, RealBrowser};
use sunup::clock::{Clock, SystemClock};
use sunup::files::condition::Scope;
use sunup::files::model::*;
use sunup::run::{Failure, FailureKind};
use sunup::timing::PeriodKind;
use sunup::values::{Cell, Value};
use tempfile::TempDir;

use crate::server::Server;
pub use crate::words::*;

/// Everything is tried in both.
pub const BRANDS: [Brand; 2] = [Brand::Firefox, Brand::Chromium];

pub struct Lab {
    pub brand: Brand,
    pub browser: RealBrowser,
    pub server: Server,
    pub site: Site,
    pub clock: SystemClock,
    pub folder: TempDir,
}

impl Lab {
    pub async fn open(brand: Brand) -> Self {
        let folder = TempDir::new().expect("a folder");
        let browser = match RealBrowser::start(options(brand, folder.path(), "test-lab")).await {
            Ok(browser) => browser,
            Err(failure) => panic!("these tests need a real {brand}: {}", failure.message),
        };
        let server = Server::start().await;
        let site = site(vec![server.origin()]);
        Lab { brand, browser, server, site, clock: SystemClock::new(), folder }
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

    /// For steps that type the password.
    pub async fn prepare_with_password(&mut self, steps: &[Step]) -> Result<Prepared, Failure> {
        let scope = Scope { password: Some("canary-password".into()), ..Scope::default() };
        self.visit().prepare(steps, scope).await.map_err(failed)
    }
}

pub fn kind(outcome: &Result<impl Sized, Failure>) -> Option<FailureKind> {
    outcome.as_ref().err().map(|failure| failure.kind)
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
