//! What servers answered to page loads: status and headers, which WebDriver itself does not show.
//!
//! The browser tells them by itself over a second connection (WebDriver BiDi), so that a load costs no further question.
//! Where that connection cannot be had, or breaks off, pages are recognised by what they show and by their status.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use url::Url;

use crate::browser::command::Tab;

/// How long the connection may take until it is given up.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);
/// How long after a document has come its answer may still be on its way.
const BEHIND: Duration = Duration::from_millis(250);
/// Answers that are kept.
const KEPT: usize = 32;

/// The answer to the load of a main document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct PageAnswer {
    /// Where the document came from, redirects followed.
    pub url: String,
    /// The addresses that redirected to it, in their order.
    pub through: Vec<String>,
    pub status: u16,
    /// By name in lower case.
    pub headers: BTreeMap<String, String>,
    /// It lay in the browser's cache.
    pub cached: bool,
    #[serde(skip)]
    tab: Tab,
    #[serde(skip)]
    navigation: String,
}

/// Listens for what servers answer, for as long as the browser lives.
#[derive(Debug)]
pub(super) struct Network {
    shared: Arc<Shared>,
    listening: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    heard: Mutex<Heard>,
    news: Notify,
}

#[derive(Debug, Default)]
struct Heard {
    answers: VecDeque<PageAnswer>,
    /// Nothing more will come.
    deaf: bool,
}

impl Network {
    /// Listens at the address that the driver names; without one, nothing is heard. Returns at once.
    pub fn of(client: &fantoccini::Client) -> Self {
        let address = client.capabilities().and_then(|all| all.get("webSocketUrl")?.as_str());
        Network::listen(address.map(str::to_owned))
    }

    fn listen(address: Option<String>) -> Self {
        let shared = Arc::new(Shared::default());
        let ears = shared.clone();
        let listening = tokio::spawn(async move {
            let why = match address {
                Some(address) => hear(&address, &ears).await,
                None => "the driver offers no connection for that".to_owned(),
            };
            tracing::info!("what servers answer to page loads is not seen ({why}); pages tell by what they show");
            ears.lock().deaf = true;
            ears.news.notify_waiters();
        });
        Network { shared, listening: Some(listening) }
    }

    /// Waits a moment for the answer that brought the document at this address, if it is still on its way.
    pub async fn catch_up(&self, tab: &Tab, address: &str) {
        // Chromium may show a page of its own for an answer; of nothing else without an address is an answer on its way.
        let wanted = document_at(address);
        if wanted.is_none() && !address.starts_with("chrome-error:") {
            return;
        }
        let waiting = async {
            loop {
                let news = self.shared.news.notified();
                let mut news = std::pin::pin!(news);
                // From here on no news is missed.
                news.as_mut().enable();
                if self.shared.lock().has(tab, wanted.as_ref()) {
                    return;
                }
                news.await;
            }
        };
        timeout(BEHIND, waiting).await.ok();
    }

    /// The latest answer in this tab, once.
    pub fn take(&self, tab: &Tab) -> Option<PageAnswer> {
        let mut heard = self.shared.lock();
        let latest = heard.answers.iter().rposition(|answer| answer.tab == *tab && is_last(answer))?;
        let mut answer = heard.answers.remove(latest)?;
        // Chromium gives each part of a way a number of its own.
        let passed = heard.answers.iter().filter(|other| other.tab == *tab && !is_last(other));
        let passed: Vec<String> = passed.map(|other| other.url.clone()).collect();
        answer.through.splice(0..0, passed);
        heard.answers.retain(|answer| answer.tab != *tab);
        Some(answer)
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        if let Some(listening) = self.listening.take() {
            listening.abort();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A redirect is no answer yet: the one that it leads to is on its way, and tells what was passed.
fn is_last(answer: &PageAnswer) -> bool {
    !matches!(answer.status, 301 | 302 | 303 | 307 | 308)
}

impl Heard {
    /// The answer that brought the document at this address; any when none is known.
    fn has(&self, tab: &Tab, wanted: Option<&Url>) -> bool {
        let brought = |answer: &PageAnswer| wanted.is_none_or(|url| document_at(&answer.url).as_ref() == Some(url));
        self.deaf || self.answers.iter().any(|answer| answer.tab == *tab && is_last(answer) && brought(answer))
    }

    fn take_in(&mut self, event: Event) {
        let Params { context, navigation, request, response, .. } = event.params;
        let (Some(tab), Some(navigation)) = (context.map(Tab), navigation) else { return };
        if request.destination.is_some_and(|destination| destination.contains("frame")) {
            return;
        }
        let before = self.answers.iter().position(|answer| answer.navigation == navigation && answer.tab == tab);
        let through = before.and_then(|index| self.answers.remove(index)).map(|before| {
            let PageAnswer { mut through, url, .. } = before;
            through.push(url);
            through
        });
        let mut headers = BTreeMap::<String, String>::new();
        for header in response.headers {
            let all = headers.entry(header.name.to_lowercase()).or_default();
            // Several of one name are one list (RFC 9110, 5.2).
            let apart = if all.is_empty() { "" } else { ", " };
            *all = format!("{all}{apart}{}", header.value.text());
        }
        self.answers.push_back(PageAnswer {
            url: response.url,
            through: through.unwrap_or_default(),
            status: response.status,
            headers,
            cached: response.from_cache,
            tab,
            navigation,
        });
        if self.answers.len() > KEPT {
            self.answers.pop_front();
        }
    }
}

/// Listens until that ends, and says why it did.
async fn hear(address: &str, shared: &Shared) -> String {
    let connecting = async {
        let url = Url::parse(address).map_err(|error| error.to_string())?;
        let host = url.socket_addrs(|| None).map_err(|error| error.to_string())?;
        let stream = TcpStream::connect(&host[..]).await.map_err(|error| error.to_string())?;
        let (mut socket, _) =
            tokio_tungstenite::client_async(address, stream).await.map_err(|error| error.to_string())?;
        let subscribe = json!({
            "id": 1, "method": "session.subscribe", "params": { "events": ["network.responseStarted"] },
        });
        socket.send(Message::text(subscribe.to_string())).await.map_err(|error| error.to_string())?;
        Ok::<_, String>(socket)
    };
    let mut socket = match timeout(CONNECT_LIMIT, connecting).await {
        Ok(Ok(socket)) => socket,
        Ok(Err(why)) => return why,
        Err(_) => return "no answer".to_owned(),
    };
    loop {
        match socket.next().await {
            Some(Ok(Message::Text(text))) => {
                if let Some(refused) = refusal(&text) {
                    return refused;
                }
                if let Some(event) = of_navigation(&text) {
                    shared.lock().take_in(event);
                    shared.news.notify_waiters();
                }
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => return error.to_string(),
            None => return "the connection ended".to_owned(),
        }
    }
}

/// The event of an answer to a navigation. What a page loads besides is told by a look at the bytes.
fn of_navigation(text: &str) -> Option<Event> {
    if text.contains(r#""navigation":null"#) {
        return None;
    }
    serde_json::from_str(text).ok()
}

fn refusal(text: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Answer {
        error: String,
    }
    let error = text.contains(r#""type":"error""#).then(|| serde_json::from_str::<Answer>(text).ok())??;
    Some(error.error)
}

/// The address of the document, without the place in it; none where no server is asked.
fn document_at(address: &str) -> Option<Url> {
    let mut url = Url::parse(address).ok()?;
    url.set_fragment(None);
    matches!(url.scheme(), "http" | "https").then_some(url)
}

#[derive(Debug, Deserialize)]
struct Event {
    params: Params,
}

#[derive(Debug, Deserialize)]
struct Params {
    context: Option<String>,
    navigation: Option<String>,
    request: Request,
    response: Response,
}

#[derive(Debug, Deserialize)]
struct Request {
    #[serde(default)]
    destination: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    url: String,
    status: u16,
    #[serde(default)]
    from_cache: bool,
    headers: Vec<Header>,
}

#[derive(Debug, Deserialize)]
struct Header {
    name: String,
    value: Written,
}

#[derive(Debug, Deserialize)]
struct Written {
    #[serde(default)]
    value: String,
}

impl Written {
    fn text(self) -> String {
        self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(navigation: &str, url: &str, status: u16, destination: &str) -> String {
        json!({ "type": "event", "method": "network.responseStarted", "params": {
            "context": "tab", "navigation": navigation, "redirectCount": 0, "timestamp": 1,
            "request": { "url": url, "destination": destination },
            "response": { "url": url, "status": status, "fromCache": false,
                "headers": [{ "name": "Retry-After", "value": { "type": "string", "value": "120" } }] },
        } })
        .to_string()
    }

    fn heard(texts: &[String]) -> Network {
        let shared = Arc::new(Shared::default());
        texts.iter().filter_map(|text| of_navigation(text)).for_each(|event| shared.lock().take_in(event));
        Network { shared, listening: None }
    }

    #[test]
    fn the_latest_answer_of_a_tab_is_told_once_with_what_led_to_it() {
        let network = heard(&[
            event("a", "https://community.example/old", 200, "document"),
            event("b", "https://community.example/from", 302, "document"),
            event("b", "https://community.example/to", 429, "document"),
            event("c", "https://ads.example/", 403, "iframe"),
        ]);
        let tab = Tab("tab".to_owned());
        let answer = network.take(&tab).unwrap();
        assert_eq!((answer.status, answer.url.as_str()), (429, "https://community.example/to"));
        assert_eq!(answer.through, ["https://community.example/from"]);
        assert_eq!(answer.headers["retry-after"], "120");
        assert_eq!(network.take(&tab), None);
        assert_eq!(network.take(&Tab("other".to_owned())), None);
    }

    #[test]
    fn what_a_page_loads_besides_is_not_read() {
        let picture = event("x", "https://community.example/a.png", 200, "image").replace("\"x\"", "null");
        assert!(of_navigation(&picture).is_none());
        assert!(of_navigation("{").is_none());
        assert!(refusal(r#"{"type":"error","id":1,"error":"unknown command","message":""}"#).is_some());
    }
}
