//! The page in a real Firefox: through the link, by keyboard.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value as Json, json};
use sunup::browser::{Action, Browser, Command, Context, Firefox, Response, StartOptions};
use sunup::files::model::Viewport;

use crate::lab::Lab;
use crate::support::{browser_turn, program};

struct Window {
    firefox: Firefox,
    _folder: tempfile::TempDir,
}

impl Window {
    async fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let firefox = match Firefox::start(options(folder.path())).await {
            Ok(firefox) => firefox,
            Err(failure) => panic!("this test needs a real Firefox: {}", failure.message),
        };
        Window { firefox, _folder: folder }
    }

    async fn tell(&mut self, action: Action) -> Response {
        let command = Command { context: Context::default(), action, limit: Duration::from_secs(20) };
        self.firefox.execute(command).await.unwrap_or_else(|failure| panic!("{}", failure.message))
    }

    async fn go(&mut self, address: &str) {
        assert_eq!(self.tell(Action::Navigate(address.to_owned())).await, Response::Done);
    }

    async fn press(&mut self, key: char) {
        assert_eq!(self.tell(Action::Press(vec![key])).await, Response::Done);
    }
}

fn options(folder: &Path) -> StartOptions {
    StartOptions {
        driver: program("geckodriver").display().to_string(),
        binary: None,
        headless: true,
        profile: folder.join("profile"),
        zone: chrono_tz::Asia::Shanghai,
        locale: "zh-CN".to_owned(),
        viewport: Viewport::Desktop,
        proxy: None,
        accept_insecure_certs: false,
        mark: "test-page".to_owned(),
        scratch: folder.to_owned(),
    }
}
