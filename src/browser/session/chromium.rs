//! What is asked of a Chromium when it starts: its profile, its page, and that it keeps quiet.

use std::path::Path;

use serde_json::{Map, Value as Json, json};

use super::StartOptions;
use super::capabilities::{languages, page_size};

/// Below this, Chromium's shared memory does not fit into /dev/shm, and its pages crash: containers have 64 MiB there.
const SHARED_MEMORY: u64 = 1 << 30;

/// `goog:chromeOptions`.
pub(super) fn options(options: &StartOptions, binary: &Path, folder: &Path) -> Json {
    let (width, height) = page_size(options.viewport);
    json!({
        "args": arguments(options, width, height),
        "binary": binary,
        "prefs": preferences(options, folder),
        "localState": { "dns_over_https.mode": "off" },
        // What pages print would be written into the profile, and it never gets shorter.
        "excludeSwitches": ["enable-logging"],
        // No window is narrower than 500 points, and what its bars take differs: the page alone gets a size, in each tab.
        "mobileEmulation": { "deviceMetrics": {
            "width": width, "height": height, "pixelRatio": 1.0, "touch": false, "mobile": false,
        } },
    })
}

fn arguments(options: &StartOptions, width: u64, height: u64) -> Vec<String> {
    let mut arguments = vec![
        format!("--user-data-dir={}", options.profile.display()),
        format!("--window-size={width},{height}"),
        format!("--lang={}", options.locale),
        format!("--accept-lang={}", languages(&options.locale).join(",")),
        format!("--disable-features={}", OFF_FEATURES.join(",")),
    ];
    arguments.extend(ALWAYS.iter().map(|argument| (*argument).to_owned()));
    if options.headless {
        arguments.extend(["--headless=new".to_owned(), format!("--screen-info={{{width}x{height}}}")]);
    }
    // In a rehearsal even loopback goes through the proxy: nothing else is within reach.
    if options.proxy.is_some() {
        arguments.push("--proxy-bypass-list=<-loopback>".to_owned());
    }
    // Chromium's sandbox refuses to work for root, which containers often are. For everybody else it stays.
    if nix::unistd::geteuid().is_root() {
        arguments.push("--no-sandbox".to_owned());
    }
    if shared_memory().is_some_and(|size| size < SHARED_MEMORY) {
        arguments.push("--disable-dev-shm-usage".to_owned());
    }
    arguments
}

/// Takes the mark of another machine off a profile: a container that is gone leaves one, and Chromium would refuse to start.
/// Whoever starts it has the lane, and so nobody else may use it. A mark of this machine it judges itself.
pub(super) fn forget_other_machine(profile: &Path) {
    let Ok(holder) = std::fs::read_link(profile.join("SingletonLock")) else { return };
    let here = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let holder = holder.to_string_lossy();
    if holder.rsplit_once('-').is_some_and(|(machine, _process)| machine == here.trim()) {
        return;
    }
    tracing::warn!(%holder, profile = %profile.display(), "took over the browser profile of another machine");
    for mark in ["SingletonLock", "SingletonSocket", "SingletonCookie"] {
        let _ = std::fs::remove_file(profile.join(mark));
    }
}

/// The size of /dev/shm.
fn shared_memory() -> Option<u64> {
    let found = nix::sys::statvfs::statvfs("/dev/shm").ok()?;
    Some(found.blocks() * found.fragment_size())
}

/// Addresses to which nothing is ever sent: port 9 is one of those that Chromium itself refuses.
const ALWAYS: &[&str] = &[
    // Cookies are to be read again by the next start, from a timer as well as by hand: no key store of the desktop's.
    "--password-store=basic",
    // A page that is kept for "back" freezes the script that waits in it: its answer would never come.
    "--disable-back-forward-cache",
    "--component-updater=url-source=http://127.0.0.1:9/",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-crash-reporter",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-field-trial-config",
    "--disable-search-engine-choice-screen",
    "--disable-sync",
    "--gaia-url=http://127.0.0.1:9/",
    "--hide-crash-restore-bubble",
    "--metrics-recording-only",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
];

/// What calls home, gets in the way, or changes addresses: a rehearsal's `https` is the proxy's own, and asking for it
/// where `http` was written would leave the fixtures.
const OFF_FEATURES: &[&str] = &[
    "AutofillServerCommunication",
    "CertificateTransparencyComponentUpdater",
    "DialMediaRouteProvider",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationGuideModelDownloading",
    "OptimizationHints",
    "OptimizationHintsFetching",
    "OptimizationTargetPrediction",
    "Translate",
];

fn preferences(options: &StartOptions, folder: &Path) -> Json {
    let off = OFF.iter().map(|name| ((*name).to_owned(), json!(false)));
    let own = [
        ("intl.accept_languages", json!(languages(&options.locale).join(","))),
        ("download.default_directory", json!(folder)),
        ("download.prompt_for_download", json!(false)),
        // The new tab page belongs to a search engine: it starts with an empty one instead.
        ("session.restore_on_startup", json!(4)),
        ("session.startup_urls", json!(["about:blank"])),
        // 2: never; for addresses that a page might be going to, and for places and notices that it asks for.
        ("net.network_prediction_options", json!(2)),
        ("profile.default_content_setting_values.geolocation", json!(2)),
        ("profile.default_content_setting_values.notifications", json!(2)),
    ];
    let all: Map<String, Json> = off.chain(own.map(|(name, value)| (name.to_owned(), value))).collect();
    Json::Object(all)
}

/// What calls home, or gets in the way, and is switched off.
const OFF: &[&str] = &[
    "alternate_error_pages.enabled",
    "autofill.credit_card_enabled",
    "autofill.profile_enabled",
    "browser.enable_spellchecking",
    "credentials_enable_service",
    "profile.password_manager_enabled",
    "profile.password_manager_leak_detection",
    "safebrowsing.enabled",
    "search.suggest_enabled",
    "signin.allowed",
    "signin.allowed_on_next_startup",
    "translate.enabled",
];
