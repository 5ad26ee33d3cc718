//! What is asked of a browser when it starts: what both have in common. What is each one's own stands beside this.

use std::path::Path;

use serde_json::{Map, Value as Json, json};

use super::{StartOptions, chromium, firefox};
use crate::browser::Brand;
use crate::files::model::Viewport;

/// Width and height of the page.
pub(super) fn page_size(viewport: Viewport) -> (u64, u64) {
    match viewport {
        Viewport::Desktop => (1280, 900),
        Viewport::Mobile => (412, 915),
    }
}

/// The capabilities of a session, as WebDriver's `alwaysMatch`.
pub(super) fn wanted(options: &StartOptions, binary: &Path, folder: &Path) -> Map<String, Json> {
    let mut wanted = json!({
        // We wait for documents ourselves (`session/loading.rs`).
        "pageLoadStrategy": "none",
        // A dialog stays open until we have read its text.
        "unhandledPromptBehavior": "ignore",
        "acceptInsecureCerts": options.accept_insecure_certs,
        "timeouts": { "implicit": 0, "pageLoad": 15_000, "script": 3_600_000 },
        "proxy": proxy(options),
    });
    match options.brand() {
        Brand::Firefox => {
            wanted["browserName"] = json!("firefox");
            wanted["moz:firefoxOptions"] = firefox::options(options, binary, folder);
        }
        Brand::Chromium => {
            wanted["browserName"] = json!("chrome");
            wanted["goog:chromeOptions"] = chromium::options(options, binary, folder);
        }
    }
    wanted.as_object().cloned().unwrap_or_default()
}

fn proxy(options: &StartOptions) -> Json {
    match options.proxy {
        None => json!({ "proxyType": "direct" }),
        Some(address) => {
            let address = address.to_string();
            json!({ "proxyType": "manual", "httpProxy": address, "sslProxy": address, "noProxy": [] })
        }
    }
}

/// The languages that pages see, best first: `zh-CN` and `zh`.
pub(super) fn languages(locale: &str) -> Vec<&str> {
    let language = locale.split('-').next().unwrap_or_default();
    if language == locale { vec![locale] } else { vec![locale, language] }
}
