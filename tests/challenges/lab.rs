//! One browser behind the rehearsal's proxy, and what a task does at a page.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sunup::browser::visit::{Committed, Visit};
use sunup::browser::{Brand, Browser, RealBrowser, StartOptions};
use sunup::clock::{Clock, SystemClock};
use sunup::files::condition::{Names, Scope, Template};
use sunup::files::model::*;
use sunup::fixture::{Pages, Rehearsal};
use sunup::run::Failure;
use sunup::timing::PeriodKind;
use sunup::values::Value;
use tempfile::TempDir;

use crate::clock::QuickClock;
use crate::corpus::{Case, Does, hosts};
use crate::words::*;

/// How long a page may take to show what a step wants. The page's own timers run at the corpus' pace, this does not.
const SHOWN_WITHIN: Duration = Duration::from_secs(2);
/// The same for what is to come after the button was pressed.
const EXPECTED_WITHIN: Duration = Duration::from_secs(1);

pub struct Lab {
    browser: RealBrowser,
    pages: Arc<Pages>,
    clock: QuickClock,
    folder: TempDir,
    _rehearsal: Rehearsal,
}

/// What became of a task.
pub struct Outcome {
    /// A failure kind's word, or `ok`.
    pub kind: String,
    pub told: String,
    /// What the server got and should not have got, or the other way round.
    pub wrong_counts: Vec<String>,
}

impl Lab {
    pub async fn open(brand: Brand, cases: &[Case]) -> Self {
        let folder = TempDir::new().expect("a folder");
        let pages = Arc::new(Pages::default());
        let clock = Arc::new(SystemClock::new());
        let rehearsal = Rehearsal::of_pages(pages.clone(), &hosts(cases), clock).await.expect("a proxy");
        let options = StartOptions {
            proxy: Some(rehearsal.proxy_addr()),
            accept_insecure_certs: true,
            ..options(brand, folder.path(), "test-challenges")
        };
        let browser = match RealBrowser::start(options).await {
            Ok(browser) => browser,
            Err(failure) => panic!("these tests need a real {brand}: {}", failure.message),
        };
        Lab { browser, pages, clock: QuickClock::default(), folder, _rehearsal: rehearsal }
    }

    /// The browser had to be ended.
    pub fn is_dead(&self) -> bool {
        self.browser.is_dead()
    }

    pub async fn close(self) {
        self.browser.close().await;
    }

    /// Runs the case's task at the case's page.
    pub async fn run(&mut self, case: &Case) -> Outcome {
        self.pages.lay_out(case.pages.clone());
        let site = site(case.origins.clone());
        let period = site.calendar.period(PeriodKind::Day, self.clock.now());
        let root: &Path = self.folder.path();
        let mut visit = Visit {
            browser: &mut self.browser,
            clock: &self.clock,
            site: &site,
            zone: ZONE,
            root,
            period,
            pictures: None,
        };
        let failure = match &case.does {
            Does::Press { within, expect } => act(&mut visit, &press(within.as_deref(), expect.as_deref())).await,
            Does::SignIn { open } => act(&mut visit, &sign_in(open)).await,
            Does::Fetch { path } => read(&mut visit, path).await,
        };
        let got = self.pages.got();
        let count = |path: &str| {
            got.iter()
                .filter(|(request, _)| request.starts_with("POST ") && request.ends_with(path))
                .map(|(_, n)| n)
                .sum()
        };
        let wrong_counts = case
            .counted
            .iter()
            .filter_map(|(path, wanted)| {
                let got: u64 = count(path);
                (got != *wanted).then(|| format!("POST {path}: {got}, not {wanted}"))
            })
            .collect();
        let (kind, told) = match failure {
            None => ("ok".to_owned(), String::new()),
            Some(failure) => (failure.kind.to_string(), told(&failure)),
        };
        Outcome { kind, told, wrong_counts }
    }
}

fn told(failure: &Failure) -> String {
    let rule = failure.rule.as_deref().unwrap_or("no rule");
    format!("{} [{rule}]", failure.message)
}

/// What the runner does with an act: the steps before the commit, the commit step, the steps after it.
async fn act(visit: &mut Visit<'_>, steps: &[Step]) -> Option<Failure> {
    let prepared = match visit.prepare(steps, scope()).await {
        Ok(prepared) => prepared,
        Err(halt) => return Some(failed(halt)),
    };
    match visit.commit(steps, &prepared).await {
        Committed::NotSent(failure) | Committed::Sent { trouble: Some(failure) } => Some(failure),
        Committed::Sent { trouble: None } => visit.finish(steps, prepared).await,
    }
}

async fn read(visit: &mut Visit<'_>, path: &str) -> Option<Failure> {
    let asks = fetch(path).reads("signed", scalar(ScalarKind::Boolean, From::Json(json_path(&["signed"]))));
    let asks = Step { timeout: SHOWN_WITHIN, ..asks };
    let section = section(vec![opened("/"), asks]);
    visit.read_section(&section, scope()).await.err().map(failed)
}

fn press(within: Option<&str>, expect: Option<&str>) -> Vec<Step> {
    let button = Locator { frame: within.map(|frame| Box::new(css(frame))), ..css("#go") };
    let press = Step { timeout: SHOWN_WITHIN, ..click(button).commits() };
    let wait =
        expect.map(|element| Step { timeout: EXPECTED_WITHIN, ..step(Verb::Wait { target: one(css(element)) }) });
    [opened("/"), press].into_iter().chain(wait).collect()
}

fn sign_in(at: &str) -> Vec<Step> {
    let fill = |selector: &str, with: &str| {
        let with = Template::parse(with, &names()).expect("a template");
        step(Verb::Fill { target: one(css(selector)), with })
    };
    let button = Locator { text: Some(text("登录")), ..css("form button:not([type=button])") };
    let (name, password) = (fill("input[name=user]", "xiaoming"), fill("input[name=pass]", "{{ account.password }}"));
    let on_page = [name, password, click(button).commits()].map(|step| Step { timeout: SHOWN_WITHIN, ..step });
    [opened(at)].into_iter().chain(on_page).collect()
}

fn names() -> Names {
    Names::default().with_password()
}

fn scope() -> Scope {
    let names = BTreeMap::from([("account.username".into(), Ok(Value::Text("xiaoming".into())))]);
    Scope { names, password: Some("correct-horse".to_owned().into()) }
}

fn opened(path: &str) -> Step {
    open(path).limit(10)
}
