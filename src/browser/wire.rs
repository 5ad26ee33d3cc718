//! Commands as WebDriver writes them, and the driver's errors as what they mean for us.

use fantoccini::error::CmdError;
use fantoccini::wd::WebDriverCompatibleCommand;
use hyper::Method;
use serde_json::{Value as Json, json};
use url::{ParseError, Url};

use super::command::{Refusal, Response, Tab};
use crate::run::{Failure, FailureKind};

/// The key under which the W3C puts an element's reference.
pub(crate) const ELEMENT_KEY: &str = "element-6066-11e4-a52e-4f735466cecf";

/// One request to the driver, below the session's URL.
#[derive(Clone)]
pub(super) struct Wire {
    method: Method,
    path: String,
    body: Option<Json>,
}

impl Wire {
    pub(super) fn get(path: impl Into<String>) -> Self {
        Wire { method: Method::GET, path: path.into(), body: None }
    }

    pub(super) fn delete(path: impl Into<String>) -> Self {
        Wire { method: Method::DELETE, path: path.into(), body: None }
    }

    pub(super) fn post(path: impl Into<String>, body: Json) -> Self {
        Wire { method: Method::POST, path: path.into(), body: Some(body) }
    }

    /// A script that may answer with a promise.
    pub(super) fn script(script: &str, arguments: &[Json]) -> Self {
        Wire::post("execute/sync", json!({ "script": script, "args": arguments }))
    }

    /// Keys pressed one after another and let go in the opposite order.
    pub(super) fn keys(keys: &[char]) -> Self {
        let down = keys.iter().map(|key| json!({ "type": "keyDown", "value": key }));
        let up = keys.iter().rev().map(|key| json!({ "type": "keyUp", "value": key }));
        let actions: Vec<Json> = down.chain(up).collect();
        Wire::post("actions", json!({ "actions": [{ "type": "key", "id": "keys", "actions": actions }] }))
    }

    /// The pointer over the middle of an element.
    pub(super) fn hover(reference: &str) -> Self {
        let origin = element(reference);
        let moves = json!([{ "type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": origin }]);
        Wire::post("actions", json!({ "actions": [{ "type": "pointer", "id": "mouse", "actions": moves }] }))
    }
}

/// An element as an argument of a command.
pub(crate) fn element(reference: &str) -> Json {
    json!({ ELEMENT_KEY: reference })
}

// The body may hold a password, so it is never shown.
impl std::fmt::Debug for Wire {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} {}", self.method, self.path)
    }
}

impl WebDriverCompatibleCommand for Wire {
    fn endpoint(&self, base_url: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        let session = session.unwrap_or_default();
        // For the session itself nothing stands behind it: chromedriver knows no command that ends with a slash.
        let slash = if self.path.is_empty() { "" } else { "/" };
        base_url.join(&format!("session/{session}{slash}{}", self.path))
    }

    fn method_and_body(&self, _url: &Url) -> (Method, Option<String>) {
        (self.method.clone(), self.body.as_ref().map(Json::to_string))
    }
}

/// What a driver's answer is as a response.
pub(super) fn text(answer: Json) -> Response {
    match answer {
        Json::String(text) => Response::Text(text),
        _ => Response::Text(String::new()),
    }
}

/// The tabs in a driver's answer.
pub(super) fn tabs(answer: &Json) -> Vec<Tab> {
    let handles = answer.as_array().map(Vec::as_slice).unwrap_or_default();
    handles.iter().filter_map(Json::as_str).map(|handle| Tab(handle.to_owned())).collect()
}

/// The cookies in a driver's answer.
pub(super) fn cookies(answer: Json) -> Response {
    let told = answer.as_array().map(Vec::as_slice).unwrap_or_default();
    Response::Cookies(told.iter().filter_map(|cookie| serde_json::from_value(cookie.clone()).ok()).collect())
}

/// A driver's error: mostly a refusal, otherwise a failure of the browser or of the network.
pub(super) fn understand(error: CmdError) -> Result<Refusal, Failure> {
    let CmdError::Standard(ref answer) = error else {
        return Err(Failure::new(FailureKind::BrowserCrashed, format!("The browser is gone: {error}.")));
    };
    let message = first_line(&answer.message);
    let refusal = match answer.error.description() {
        "stale element reference" | "no such element" | "detached shadow root" => Refusal::Stale,
        "no such window" | "no such frame" => Refusal::Gone,
        "element not interactable" | "invalid element state" | "move target out of bounds" => {
            Refusal::NotInteractable(message)
        }
        "element click intercepted" => Refusal::Intercepted(message),
        "javascript error" | "script timeout" | "unable to set cookie" | "invalid cookie domain" => {
            Refusal::Script(message)
        }
        "timeout" => Refusal::Slow,
        "unexpected alert open" => Refusal::DialogOpen(dialog_text(answer)),
        "no such alert" => Refusal::NoDialog,
        // All kinds of trouble with the page: it went away while it was asked, a frame of it could not be loaded.
        "unknown error" if !lost_browser(&message) => Refusal::Script(message),
        "insecure certificate" => {
            let message = "The site's certificate is not valid for this machine (wrong date, or a TLS proxy between).";
            return Err(Failure::new(FailureKind::Environment, message));
        }
        _ => return Err(Failure::new(FailureKind::BrowserCrashed, format!("The browser failed: {message}."))),
    };
    Ok(refusal)
}

/// True for what the driver says when it no longer reaches the browser.
fn lost_browser(message: &str) -> bool {
    const SIGNS: &[&str] = &[
        "marionette",
        "connection",
        "Process unexpectedly closed",
        "disconnected",
        "not connected to DevTools",
        "not reachable",
        "crashed",
    ];
    SIGNS.iter().any(|sign| message.contains(sign))
}

/// True for an address of one of the browser's own error pages, and not of the site's.
pub(super) fn is_error_page(address: &str) -> bool {
    ["about:neterror", "about:certerror", CHROMIUM_ERROR].iter().any(|page| address.starts_with(page))
}

/// How `place.js` begins the address of Chromium's error pages.
const CHROMIUM_ERROR: &str = "chrome-error:";

/// One of the browser's own error pages, by its address: Firefox's `about:neterror?e=dnsNotFound&u=…`, or what `place.js`
/// makes of Chromium's, `chrome-error:?e=ERR_NAME_NOT_RESOLVED&u=…`.
pub(super) fn error_page(address: &str) -> Failure {
    let parameter = |name: &str| {
        let url = Url::parse(address).ok()?;
        url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
    };
    let code = parameter("e").unwrap_or_default();
    let host = parameter("u").and_then(|text| Url::parse(&text).ok()?.host_str().map(str::to_owned));
    let host = host.unwrap_or_else(|| "the site".to_owned());
    let trouble = if address.starts_with(CHROMIUM_ERROR) {
        chromium_trouble(&code)
    } else {
        firefox_trouble(&code, &parameter("d").unwrap_or_default())
    };
    let (kind, message) = match trouble {
        Trouble::Name => (FailureKind::Network, format!("The name {host} was not found: no network, or a wrong host.")),
        Trouble::Refused => (FailureKind::Network, format!("{host} refused the connection.")),
        Trouble::Late => (FailureKind::Network, format!("{host} did not answer in time.")),
        Trouble::BrokeOff => (FailureKind::Network, format!("The connection to {host} broke off.")),
        Trouble::Offline => (FailureKind::Network, "This machine is offline.".to_owned()),
        Trouble::Proxy => (FailureKind::Environment, format!("The proxy before {host} cannot be reached.")),
        Trouble::Tls => {
            (FailureKind::Environment, format!("No secure connection to {host} came about (certificate or TLS)."))
        }
        Trouble::Other => (FailureKind::Network, format!("{host} could not be opened ({code}).")),
    };
    Failure::new(kind, message)
}

/// Why a page could not be loaded.
enum Trouble {
    Name,
    Refused,
    Late,
    BrokeOff,
    Offline,
    Proxy,
    Tls,
    Other,
}

fn firefox_trouble(code: &str, described: &str) -> Trouble {
    match code {
        "dnsNotFound" => Trouble::Name,
        "connectionFailure" => Trouble::Refused,
        "netTimeout" => Trouble::Late,
        "netReset" | "netInterrupt" => Trouble::BrokeOff,
        "netOffline" => Trouble::Offline,
        "proxyConnectFailure" | "proxyResolveFailure" => Trouble::Proxy,
        // Firefox has one code for a TLS fault and for a connection that broke off in mid-TLS; only the latter is described
        // without the name of an error.
        "nssFailure2" if !is_tls_fault(described) => Trouble::BrokeOff,
        "nssFailure2" | "nssBadCert" => Trouble::Tls,
        _ => Trouble::Other,
    }
}

fn chromium_trouble(code: &str) -> Trouble {
    let code = code.trim_start_matches("net::");
    match code.trim_start_matches("ERR_") {
        "NAME_NOT_RESOLVED" | "NAME_RESOLUTION_FAILED" => Trouble::Name,
        "CONNECTION_REFUSED" | "ADDRESS_UNREACHABLE" => Trouble::Refused,
        "TIMED_OUT" | "CONNECTION_TIMED_OUT" => Trouble::Late,
        "CONNECTION_RESET" | "CONNECTION_CLOSED" | "CONNECTION_ABORTED" | "EMPTY_RESPONSE" | "NETWORK_CHANGED" => {
            Trouble::BrokeOff
        }
        "INTERNET_DISCONNECTED" => Trouble::Offline,
        "TUNNEL_CONNECTION_FAILED" => Trouble::Proxy,
        rest if rest.starts_with("PROXY_") => Trouble::Proxy,
        rest if ["CERT_", "SSL_", "BAD_SSL_"].iter().any(|tls| rest.starts_with(tls)) => Trouble::Tls,
        rest if rest.starts_with("DNS_") => Trouble::Name,
        _ => Trouble::Other,
    }
}

fn is_tls_fault(described: &str) -> bool {
    described.trim().is_empty() || described.contains("_ERROR_")
}

fn dialog_text(answer: &fantoccini::error::WebDriver) -> String {
    let text = answer.data.as_ref().and_then(|data| data.get("text")).and_then(Json::as_str);
    text.unwrap_or_default().to_owned()
}

fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or_default().trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_that_broke_off_is_no_tls_fault() {
        let kind = |described: &str| {
            error_page(&format!("about:neterror?e=nssFailure2&u=https%3A//community.example/&c=UTF-8&d={described}&a="))
                .kind
        };
        assert_eq!(kind("The%20connection%20to%20the%20server%20was%20reset."), FailureKind::Network);
        assert_eq!(kind("%E8%BF%9E%E6%8E%A5%E8%A2%AB%E9%87%8D%E7%BD%AE"), FailureKind::Network);
        assert_eq!(kind("%20"), FailureKind::Environment);
        assert_eq!(kind("Error%20code:%20SSL_ERROR_RX_RECORD_TOO_LONG"), FailureKind::Environment);
    }
}
