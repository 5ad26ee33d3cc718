//! Short words to write a site, its sections and its steps in Rust.

#![allow(dead_code)] // Each test takes what it needs of it.

use std::path::Path;
use std::time::Duration;

use chrono::NaiveTime;
use sunup::browser::visit::Halt;
use sunup::browser::{Brand, StartOptions};
use sunup::files::condition::Template;
use sunup::files::model::*;
use sunup::run::Failure;
use sunup::timing::Calendar;

pub const ZONE: chrono_tz::Tz = chrono_tz::Asia::Shanghai;

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

pub fn failed(halt: Halt) -> Failure {
    match halt {
        Halt::Failed(failure) => failure,
        other => panic!("{other:?}"),
    }
}

/// A site of these origins without tasks, in which nobody signs in.
pub fn site(origins: Vec<String>) -> Site {
    let check = section(Vec::new());
    Site {
        id: "community".into(),
        owner: None,
        name: "社区".into(),
        origins,
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
