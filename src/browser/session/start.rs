//! From a driver that listens to a browser that is ready, and why it may not get there.

use fantoccini::error::{CmdError, NewSessionError};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Map, Value as Json};

use super::{START_LIMIT, StartOptions};
use crate::browser::Brand;
use crate::run::{Failure, FailureKind};

/// The driver is on loopback and never behind a proxy, so a plain connector is all that is needed.
pub(super) async fn connect(brand: Brand, port: u16, wanted: Map<String, Json>) -> Result<fantoccini::Client, Failure> {
    let mut builder = fantoccini::ClientBuilder::new(HttpConnector::new());
    builder.capabilities(wanted);
    let client = builder.connect(&format!("http://127.0.0.1:{port}/")).await;
    let client = client.map_err(|error| not_started(brand, error))?;
    if brand == Brand::Chromium
        && let Some((driver, browser)) = client.capabilities().and_then(versions)
        && major(&driver) != major(&browser)
    {
        let mend = brand.update_cure();
        return Err(environment(format!(
            "Browser and driver do not fit together: chromedriver {driver}, Chromium {browser}. {}.",
            capitalized(mend)
        )));
    }
    Ok(client)
}

/// The versions of driver and browser, as a chromedriver names them. It starts a newer browser than its own as well, and
/// what then fails fails later.
fn versions(capabilities: &Map<String, Json>) -> Option<(String, String)> {
    let driver = capabilities.get("chrome")?.get("chromedriverVersion")?.as_str()?;
    let browser = capabilities.get("browserVersion")?.as_str()?;
    Some((driver.split(' ').next().unwrap_or_default().to_owned(), browser.to_owned()))
}

fn major(version: &str) -> &str {
    version.split('.').next().unwrap_or_default()
}

fn not_started(brand: Brand, error: NewSessionError) -> Failure {
    let told = match &error {
        NewSessionError::SessionNotCreated(answer) => answer.message.to_string(),
        NewSessionError::UnexpectedError(CmdError::Standard(answer)) => answer.message.to_string(),
        other => other.to_string(),
    };
    let lower = told.to_lowercase();
    let mend = if lower.contains("version") || lower.contains("unable to find a matching set of capabilities") {
        format!("Browser and driver do not fit together: {}", brand.update_cure())
    } else if ["profile", "already running", "already in use", "status 0"].iter().any(|sign| lower.contains(sign)) {
        format!("The browser profile seems to be in use: close the {brand} that uses it, then run again")
    } else {
        let (try_it, cure) = (by_hand(brand), brand.browser_cure());
        format!("Try `{try_it}` to see what it says; {cure} installs it")
    };
    environment(format!("The browser did not start: {}. {mend}.", in_one_line(&told)))
}

/// chromedriver tells the two versions that do not fit in two lines; below that stand numbers for its own makers.
fn in_one_line(told: &str) -> String {
    let mut lines = told.lines().map(|line| line.trim().trim_end_matches('.')).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default().to_owned();
    match lines.find(|line| line.starts_with("Current browser version")) {
        Some(second) => format!("{first}; {second}"),
        None => first,
    }
}

fn by_hand(brand: Brand) -> &'static str {
    match brand {
        Brand::Firefox => "firefox --headless --screenshot /tmp/try.png about:blank",
        Brand::Chromium => "chromium --headless=new --screenshot=/tmp/try.png about:blank",
    }
}

pub(super) fn never_ready(options: &StartOptions) -> Failure {
    let (profile, brand) = (options.profile.display(), options.brand());
    environment(format!(
        "The browser did not start within {} s: another {brand} may hold the profile {profile}, or the disk is full.",
        START_LIMIT.as_secs()
    ))
}

fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}

fn environment(message: String) -> Failure {
    Failure::new(FailureKind::Environment, message)
}
