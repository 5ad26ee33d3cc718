//! The same morning as a person would script it with fantoccini: the same pages, requests and waits, and nothing else. It
//! keeps no record, proves nothing and reports to nobody.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Map, Value as Json, json};
use sunup::browser::Brand;
use sunup::clock::{Clock, RehearsalClock, SystemClock};
use sunup::files::model::Project;
use sunup::fixture::{FRESH, Rehearsal, RehearsedSite, SiteCounts};
use sunup::runner::first_slot;

use crate::support;

/// The example's one site, and its origin.
const SITE: &str = "community";
const ORIGIN: &str = "https://community.example";

/// How often a wait looks; fantoccini's own pace would be a quarter of a second.
const LOOK: Duration = Duration::from_millis(10);

/// The texts of a table's or a list's cells.
const CELLS: &str = "return [...document.querySelectorAll(arguments[0])].map((cell) => cell.innerText)";

/// A request from the page, with its cookies.
const REQUEST: &str = "return fetch(arguments[0]).then(async (answer) => [answer.status, await answer.json()])";

struct Hand {
    browser: Client,
    clock: Arc<RehearsalClock>,
}

/// A morning by hand.
pub struct Morning {
    /// All of it, the browser's start and end included.
    pub took: Duration,
    /// The start of the browser and its driver.
    pub starting: Duration,
    /// Their end.
    pub ending: Duration,
    /// What the site counted.
    pub counts: SiteCounts,
}

/// A morning of the example's tasks.
pub async fn morning(project: &Project, folder: &Path) -> Morning {
    let watch = SystemClock::new();
    let slot = first_slot(project, SystemClock::new().now()).expect("a task is due on every day");
    let clock = Arc::new(RehearsalClock::starting_at(slot));
    let sites = project.sites.iter().map(|site| RehearsedSite {
        id: site.id.clone(),
        origins: site.origins.clone(),
        calendar: site.calendar,
    });
    let sites: Vec<RehearsedSite> = sites.collect();
    let state = folder.join("sites");
    let fixtures = support::project().join("fixtures");
    let started = Rehearsal::start(&fixtures, FRESH, &sites, clock.clone(), Some(&state)).await;
    let rehearsal = started.expect("the fixtures start");

    let before = watch.uptime();
    let (mut driver, port) = driver();
    let browser = ClientBuilder::new(HttpConnector::new())
        .capabilities(capabilities(&rehearsal, folder))
        .connect(&format!("http://127.0.0.1:{port}"))
        .await
        .expect("the browser starts");
    let starting = watch.uptime() - before;
    let hand = Hand { browser, clock };
    hand.sign_in().await;
    hand.check_in().await;
    let day = slot.with_timezone(&project.settings.timezone).date_naive();
    hand.publish(&format!("日记 {day}")).await;
    hand.read_five().await;
    hand.open("/points").await; // The day's rows, for the report.
    hand.cells("#details td").await;
    let before = watch.uptime();
    hand.browser.close().await.expect("the browser ends");
    driver.kill().expect("the driver runs");
    driver.wait().expect("the driver ends");
    let ending = watch.uptime() - before;

    let counts = rehearsal.counts().remove(SITE).expect("the example's site");
    rehearsal.shutdown().await;
    Morning { took: watch.uptime(), starting, ending, counts }
}

fn driver() -> (Child, String) {
    let mut driver = Command::new(support::program(crate::brand().driver()))
        .arg("--port=0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the driver starts");
    let mut lines = BufReader::new(driver.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
    let port = lines.find_map(|line| {
        let said = ["Listening on 127.0.0.1:", "started successfully on port "];
        let port = said.iter().find_map(|words| line.split_once(words))?.1;
        Some(port.trim().trim_end_matches('.').to_owned())
    });
    std::thread::spawn(move || lines.for_each(drop));
    (driver, port.expect("the driver says where it listens"))
}

fn capabilities(rehearsal: &Rehearsal, folder: &Path) -> Map<String, Json> {
    let proxy = rehearsal.proxy_addr().to_string();
    let profile = folder.join("profile");
    std::fs::create_dir_all(&profile).expect("a folder for the profile");
    let mut wanted = json!({
        "acceptInsecureCerts": true,
        "pageLoadStrategy": "eager",
        "proxy": { "proxyType": "manual", "httpProxy": proxy, "sslProxy": proxy },
    });
    match crate::brand() {
        Brand::Firefox => wanted["moz:firefoxOptions"] = json!({ "args": ["-headless", "-profile", profile] }),
        Brand::Chromium => {
            let profile = format!("--user-data-dir={}", profile.display());
            wanted["goog:chromeOptions"] = json!({ "args": ["--headless=new", "--no-sandbox", profile] });
        }
    }
    wanted.as_object().cloned().expect("a map")
}

impl Hand {
    async fn sign_in(&self) {
        self.open("/favicon.ico").await;
        self.request("/api/me").await;
        self.open("/login").await;
        self.fill("#username", "linxiaoman").await;
        self.fill("#password", "rehearsal-only-sunrise").await;
        self.click("form button").await;
        assert_eq!(self.request("/api/me").await["user"], "linxiaoman");
    }

    async fn check_in(&self) {
        assert_eq!(self.request("/api/me").await["signed"], false);
        self.open("/points").await;
        let before = self.cells("#details td").await;
        self.request("/api/me").await;
        self.open("/home").await;
        self.click("#checkin").await;
        self.element("#checkin:disabled").await;
        self.open("/points").await;
        assert_ne!(self.cells("#details td").await, before);
    }

    async fn read_five(&self) {
        for read in 0..5 {
            assert_eq!(self.request("/api/tasks/read").await["progress"], read);
            self.request("/api/me").await;
            self.open("/articles").await;
            self.click("article:not(.read) h2 a").await;
            self.clock.sleep_until(self.clock.now() + TimeDelta::seconds(15)).await;
            self.script("scrollTo(0, document.documentElement.scrollHeight)", Vec::new()).await;
            self.element("#counted:not([hidden])").await;
        }
        assert_eq!(self.request("/api/tasks/read").await["progress"], 5);
    }

    async fn publish(&self, title: &str) {
        self.open("/me/articles").await;
        assert!(!self.cells(".article-card h3").await.iter().any(|shown| shown == title));
        self.request("/api/me").await;
        self.open("/editor/new").await;
        self.fill("#title", title).await;
        self.fill("#body", "今天也写一篇。").await;
        self.click("#publish").await;
        self.click("[role=dialog] button[type=submit]").await;
        self.open("/me/articles").await;
        assert!(self.cells(".article-card h3").await.iter().any(|shown| shown == title));
    }

    async fn open(&self, path: &str) {
        self.browser.goto(&format!("{ORIGIN}{path}")).await.expect("a page");
    }

    async fn request(&self, path: &str) -> Json {
        self.script(REQUEST, vec![json!(path)]).await[1].clone()
    }

    async fn cells(&self, css: &str) -> Vec<String> {
        let cells = self.script(CELLS, vec![json!(css)]).await;
        cells.as_array().expect("a list").iter().map(|cell| cell.as_str().unwrap_or_default().to_owned()).collect()
    }

    async fn script(&self, script: &str, arguments: Vec<Json>) -> Json {
        self.browser.execute(script, arguments).await.expect("the script runs")
    }

    async fn element(&self, css: &str) -> fantoccini::elements::Element {
        self.browser.wait().every(LOOK).for_element(Locator::Css(css)).await.expect("an element")
    }

    async fn fill(&self, css: &str, text: &str) {
        self.element(css).await.send_keys(text).await.expect("a field");
    }

    async fn click(&self, css: &str) {
        self.element(css).await.click().await.expect("a click");
    }
}
