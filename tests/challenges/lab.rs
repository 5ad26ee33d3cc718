//! One browser behind the rehearsal's proxy, and what a task does at a page.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use chrono::NaiveTime;
use sunup::browser::visit::{Committed, Halt, Visit};
use sunup::browser::{Brand, Browser, RealBrowser, StartOptions};
use sunup::clock::{Clock, SystemClock};
use sunup::files::condition::{Names, Scope, Template};
use sunup::files::model::*;
use sunup::fixture::{Pages, Rehearsal};
use sunup::run::Failure;
use sunup::timing::{Calendar, PeriodKind};
use sunup::values::Value;
use tempfile::TempDir;

use crate::clock::QuickClock;
use crate::corpus::{Case, Does, hosts};

const ZONE: chrono_tz::Tz = chrono_tz::Asia::Shanghai;

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
            driver: brand.driver().to_owned(),
            binary: None,
            headless: true,
            profile: folder.path().join("profile"),
            zone: ZONE,
            locale: "zh-CN".to_owned(),
            viewport: Viewport::Desktop,
            proxy: Some(rehearsal.proxy_addr()),
            accept_insecure_certs: true,
            mark: "test-challenges".to_owned(),
            scratch: folder.path().to_owned(),
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
        let site = site(&case.origins);
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
    let fetch = Fetch {
        path: text(path),
        method: "GET".into(),
        query: Vec::new(),
        body: FetchBody::Empty,
        headers: Vec::new(),
        accept: Vec::new(),
    };
    let mut asks = step(Verb::Fetch(fetch));
    let signed = Source { from: From::Json(vec![JsonStep::Name("signed".into())]), matching: None };
    let kind = ReadKind::Scalar { kind: ScalarKind::Boolean, source: signed };
    asks.reads.push(("signed".into(), Read { kind, optional: false, place: Place::default() }));
    let section = section(vec![open("/"), asks]);
    visit.read_section(&section, scope()).await.err().map(failed)
}

fn failed(halt: Halt) -> Failure {
    match halt {
        Halt::Failed(failure) => failure,
        other => panic!("{other:?}"),
    }
}

fn press(within: Option<&str>, expect: Option<&str>) -> Vec<Step> {
    let button = Locator { frame: within.map(|frame| Box::new(css(frame))), ..css("#go") };
    let mut click = step(Verb::Click { target: one(button), opens_tab: false, dialog: None });
    click.commit = true;
    let wait =
        expect.map(|element| Step { timeout: EXPECTED_WITHIN, ..step(Verb::Wait { target: one(css(element)) }) });
    [open("/"), click].into_iter().chain(wait).collect()
}

fn sign_in(at: &str) -> Vec<Step> {
    let fill = |selector: &str, with: &str| {
        let with = Template::parse(with, &names()).expect("a template");
        step(Verb::Fill { target: one(css(selector)), with })
    };
    let button = Locator { text: Some(text("登录")), ..css("form button:not([type=button])") };
    let mut submit = step(Verb::Click { target: one(button), opens_tab: false, dialog: None });
    submit.commit = true;
    vec![open(at), fill("input[name=user]", "xiaoming"), fill("input[name=pass]", "{{ account.password }}"), submit]
}

fn names() -> Names {
    Names::default().with_password()
}

fn scope() -> Scope {
    let names = BTreeMap::from([("account.username".into(), Ok(Value::Text("xiaoming".into())))]);
    Scope { names, password: Some("correct-horse".to_owned().into()) }
}

fn site(origins: &[String]) -> Site {
    Site {
        id: "community".into(),
        owner: None,
        name: "社区".into(),
        origins: origins.to_vec(),
        calendar: Calendar { zone: ZONE, starts_at: NaiveTime::MIN },
        accounts: Vec::new(),
        sign_in: SignIn { check: section(Vec::new()), act: Act::Person, session: None },
        points: None,
        viewport: Viewport::Desktop,
        decimal_comma: false,
        locale: "zh-CN".into(),
        challenges: Vec::new(),
        tasks: Vec::new(),
        place: Place::default(),
    }
}

fn section(steps: Vec<Step>) -> Section {
    Section {
        steps,
        verdict: Verdict::Reads,
        skip: Vec::new(),
        later: Vec::new(),
        notice: Vec::new(),
        place: Place::default(),
    }
}

fn step(verb: Verb) -> Step {
    let place = Place { file: "tasks/community/checkin.yaml".into(), line: 7, column: 5 };
    Step { verb, reads: Vec::new(), when: None, timeout: SHOWN_WITHIN, optional: false, commit: false, place }
}

fn open(path: &str) -> Step {
    let mut open = step(Verb::Open { path: text(path), query: Vec::new() });
    open.timeout = Duration::from_secs(10);
    open
}

fn text(text: &str) -> Template {
    Template::literal(text)
}

fn one(locator: Locator) -> Target {
    Target::Alternatives(vec![locator])
}

fn css(selector: &str) -> Locator {
    Locator { by: By::Css(text(selector)), exact: true, text: None, nth: None, within: None, frame: None }
}
