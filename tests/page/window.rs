//! A Firefox of a test's own, asked by scripts and keys.

use std::time::Duration;

use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value as Json, json};
use sunup::browser::driver::{Driver, Surroundings};
use sunup::clock::{Clock, SystemClock};

use crate::support::{browser_turn, program};

/// Nothing on the page takes longer, unless it never comes.
const LIMIT: Duration = Duration::from_secs(30);

pub const TAB: char = '\u{E004}';
pub const ENTER: char = '\u{E007}';
pub const SPACE: char = ' ';

pub struct Window {
    pub client: Client,
    driver: Driver,
    _folder: tempfile::TempDir,
    _turn: std::fs::File,
}

impl Window {
    /// A window of this size; `dark` is what the person's system prefers.
    pub async fn open(width: u32, height: u32, dark: bool) -> Self {
        let turn = browser_turn();
        let folder = tempfile::tempdir().unwrap();
        let (home, profile) = (folder.path().join("home"), folder.path().join("profile"));
        for folder in [&home, &profile] {
            std::fs::create_dir(folder).unwrap();
        }
        let around = Surroundings {
            zone: "Asia/Shanghai",
            home: &home,
            mark: "test-page",
            profile: &profile,
            headless: true,
            locale: "zh-CN",
        };
        let driver = Driver::start(&program("geckodriver"), &around).await;
        let driver = driver.unwrap_or_else(|failure| panic!("these tests need geckodriver: {}", failure.message));
        let wanted = json!({ "moz:firefoxOptions": {
            "args": ["-headless", "-profile", profile, "-width", width.to_string(), "-height", (height + 86).to_string()],
            "prefs": {
                "layout.css.prefers-color-scheme.content-override": i32::from(!dark),
                "browser.shell.checkDefaultBrowser": false,
                "datareporting.policy.dataSubmissionEnabled": false,
                "app.normandy.enabled": false,
                "network.captive-portal-service.enabled": false,
                "network.connectivity-service.enabled": false,
            },
        }});
        let mut builder = ClientBuilder::new(HttpConnector::new());
        builder.capabilities(wanted.as_object().unwrap().clone());
        let client = builder.connect(&format!("http://127.0.0.1:{}/", driver.port())).await.expect("a Firefox");
        let window = Window { client, driver, _folder: folder, _turn: turn };
        window.fit(width, height).await;
        window
    }

    /// Gives the page this size.
    pub async fn fit(&self, width: u32, height: u32) {
        let bars = self.ask("return [outerWidth - innerWidth, outerHeight - innerHeight]").await;
        let bar = |index: usize| bars[index].as_u64().unwrap() as u32;
        self.client.set_window_size(width + bar(0), height + bar(1)).await.unwrap();
    }

    pub async fn ask(&self, script: &str) -> Json {
        self.client.execute(script, Vec::new()).await.unwrap_or_else(|error| panic!("{script}: {error}"))
    }

    /// Waits until the script says true.
    pub async fn until(&self, script: &str) {
        let clock = SystemClock::new();
        while self.ask(script).await != true {
            if clock.uptime() > LIMIT {
                panic!(
                    "in vain: {script}\n{}",
                    self.ask("return [document.activeElement.id, document.activeElement.outerHTML, document.getElementById('answer')?.textContent, document.body.innerText]").await
                );
            }
            clock.sleep_real(Duration::from_millis(20)).await;
        }
    }

    pub async fn press(&self, key: char) {
        let keys = KeyActions::new("keys".into());
        let keys = keys.then(KeyAction::Down { value: key }).then(KeyAction::Up { value: key });
        self.client.perform_actions(keys).await.unwrap();
    }

    /// Goes from field to field until the one with this id has the focus.
    pub async fn tab_to(&self, id: &str) {
        for _ in 0..40 {
            self.press(TAB).await;
            if self.focused().await == id {
                return;
            }
        }
        panic!("the keyboard does not come to {id}");
    }

    pub async fn focused(&self) -> String {
        self.ask("return document.activeElement.id").await.as_str().unwrap().to_owned()
    }

    pub async fn close(self) {
        let _ = self.client.close().await;
        self.driver.end().await;
    }
}
