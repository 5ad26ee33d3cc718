//! What is asked of a Firefox when it starts: its profile, and that it keeps quiet.

use std::path::Path;

use serde_json::{Map, Value as Json, json};

use super::StartOptions;
use super::capabilities::{languages, page_size};

/// The height of the browser's own bars. Where it is another, the window is made to fit afterwards, which takes longer.
const BARS: u64 = 86;

/// `moz:firefoxOptions`.
pub(super) fn options(options: &StartOptions, binary: &Path, folder: &Path) -> Json {
    let (width, height) = page_size(options.viewport);
    let mut arguments = vec!["-profile".to_owned(), options.profile.display().to_string()];
    arguments.extend(["-width".to_owned(), width.to_string(), "-height".to_owned(), (height + BARS).to_string()]);
    if options.headless {
        arguments.push("-headless".to_owned());
    }
    let preferences = preferences(options, folder);
    json!({ "args": arguments, "binary": binary, "prefs": preferences, "log": { "level": "error" } })
}

/// Settings for pages (language, downloads, dialogs) and those that keep the browser from calling home.
fn preferences(options: &StartOptions, folder: &Path) -> Json {
    let mut preferences = quiet();
    let own = json!({
        "intl.accept_languages": languages(&options.locale).join(", "),
        "browser.download.folderList": 2,
        "browser.download.dir": folder,
        "browser.download.useDownloadDir": true,
        "browser.download.always_ask_before_handling_new_types": false,
        "dom.disable_beforeunload": true,
        // A page that is kept for "back" freezes the script that waits in it: its answer would never come.
        "browser.sessionhistory.max_total_viewers": 0,
        "fission.bfcacheInParent": false,
        // In a rehearsal even loopback goes through the proxy: nothing else is within reach.
        "network.proxy.allow_hijacking_localhost": options.proxy.is_some(),
        // A rehearsal's `https` is the proxy's own; asking for it where `http` was written would leave the fixtures.
        "dom.security.https_first": false,
    });
    preferences.extend(own.as_object().cloned().unwrap_or_default());
    Json::Object(preferences)
}

/// What calls home, or gets in the way, and is switched off.
const OFF: &[&str] = &[
    "app.normandy.enabled",
    "app.shield.optoutstudies.enabled",
    "app.update.auto",
    "app.update.enabled",
    "browser.aboutwelcome.enabled",
    "browser.contentblocking.report.lockwise.enabled",
    "browser.discovery.enabled",
    "browser.newtabpage.enabled",
    "browser.ping-centre.telemetry",
    "browser.region.update.enabled",
    "browser.safebrowsing.blockedURIs.enabled",
    "browser.safebrowsing.downloads.enabled",
    "browser.safebrowsing.malware.enabled",
    "browser.safebrowsing.phishing.enabled",
    "browser.safebrowsing.update.enabled",
    "browser.search.geoSpecificDefaults",
    "browser.search.update",
    "browser.sessionstore.resume_from_crash",
    "browser.shell.checkDefaultBrowser",
    "browser.topsites.contile.enabled",
    "browser.translations.enable",
    "browser.urlbar.quicksuggest.enabled",
    "datareporting.healthreport.uploadEnabled",
    "datareporting.policy.dataSubmissionEnabled",
    "dom.push.connection.enabled",
    "extensions.blocklist.enabled",
    "extensions.getAddons.cache.enabled",
    "extensions.systemAddon.update.enabled",
    "extensions.update.enabled",
    "geo.enabled",
    "media.gmp-manager.updateEnabled",
    "network.captive-portal-service.enabled",
    "network.connectivity-service.enabled",
    "network.prefetch-next",
    "privacy.globalprivacycontrol.enabled",
    "signon.autofillForms",
    "signon.rememberSignons",
    "toolkit.telemetry.enabled",
    "toolkit.telemetry.unified",
];

/// Addresses that are taken away.
const NOWHERE: &[&str] = &[
    "browser.region.network.url",
    "browser.safebrowsing.provider.mozilla.updateURL",
    "captivedetect.canonicalURL",
    "extensions.systemAddon.update.url",
    "media.gmp-manager.url",
    "toolkit.telemetry.server",
];

fn quiet() -> Map<String, Json> {
    let off = OFF.iter().map(|name| ((*name).to_owned(), json!(false)));
    let nowhere = NOWHERE.iter().map(|name| ((*name).to_owned(), json!("")));
    let others = [
        ("browser.startup.homepage_override.mstone", json!("ignore")),
        ("browser.startup.page", json!(0)),
        // Only add-ons of the profile: those that come with the browser (new tab page, form autofill, picture in picture,
        // workarounds for single sites) take a fifth of a start, and a site is to be met as it is.
        ("extensions.enabledScopes", json!(1)),
        ("layout.spellcheckDefault", json!(0)),
        ("network.dns.disablePrefetch", json!(true)),
        ("network.http.speculative-parallel-limit", json!(0)),
        ("network.trr.mode", json!(5)),
        ("services.settings.server", json!("data:,#nothing/v1")),
        ("startup.homepage_welcome_url", json!("about:blank")),
    ];
    off.chain(nowhere).chain(others.map(|(name, value)| (name.to_owned(), value))).collect()
}
