//! Who is let through, and what every answer says to a browser.
//!
//! Whatever a browser on this machine shows can send requests to loopback, the one that Sunup drives included. So a request
//! must name this very server (a name that was bound anew to 127.0.0.1 does not), bring the token or the cookie, and, where
//! it changes something, come from the page itself.

use std::net::SocketAddr;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::problem::Problem;
use super::{App, pages};

/// An answer takes no longer.
const ANSWER: Duration = Duration::from_secs(30);

/// What anybody may ask: the monitor's question, the link, and what the page of refusals is drawn with.
const OPEN: [&str; 4] = ["/healthz", "/page.css", "/page.js", "/icon.svg"];
const LINK: &str = "/open/";

/// What the pages may load and do: their own style sheet and script, and questions to this server.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The names of this server.
#[derive(Debug)]
pub(super) struct Hosts {
    names: Vec<String>,
    /// Its cookie's name. Browsers give cookies to every port of a host: another daemon's must have another name.
    pub cookie: String,
}

impl Hosts {
    /// Those of a listener: its address, and `localhost`, which no name server has a say in.
    pub fn of(address: SocketAddr) -> Self {
        let mut names = vec![address.to_string(), format!("localhost:{}", address.port())];
        if address.port() == 80 {
            let without: Vec<String> =
                names.iter().filter_map(|name| name.strip_suffix(":80").map(str::to_owned)).collect();
            names.extend(without);
        }
        Hosts { names, cookie: format!("sunup-{}", address.port()) }
    }

    /// The host that a request names, if it is this one.
    fn named<'r>(&self, request: &'r Request) -> Option<&'r str> {
        let mut hosts = request.headers().get_all(header::HOST).iter();
        let host = hosts.next()?.to_str().ok()?;
        // A request line with a host of its own must agree.
        let agrees = request.uri().authority().is_none_or(|authority| authority.as_str() == host);
        (hosts.next().is_none() && agrees && self.names.iter().any(|name| name == host)).then_some(host)
    }
}

/// Lets a request through to its route, or says why not.
pub(super) async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    let reads_html = reads_html(&request);
    let path = request.uri().path().to_owned();
    let answer = match look(&app, &request) {
        Err(problem) => problem.into_response(),
        Ok(()) => match tokio::time::timeout(ANSWER, next.run(request)).await {
            Ok(answer) => answer,
            Err(_) => Problem::unavailable("no answer within 30 seconds").into_response(),
        },
    };
    let mut answer = told(&app, answer, reads_html && !path.starts_with("/api")).await;
    protect(answer.headers_mut());
    answer
}

/// True where a person waits for the answer, rather than a program.
fn reads_html(request: &Request) -> bool {
    let accept = request.headers().get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    accept.is_some_and(|accept| accept.contains("text/html"))
}

fn look(app: &App, request: &Request) -> Result<(), Problem> {
    let Some(host) = app.hosts.named(request) else {
        let detail = "this is not the name of the server that answers: call it by its address and port, or localhost";
        return Err(Problem::new(StatusCode::MISDIRECTED_REQUEST, detail).page("host"));
    };
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    if !reads {
        comes_from_here(request.headers(), host)?;
    }
    let path = request.uri().path();
    let open = reads && (OPEN.contains(&path) || path.starts_with(LINK));
    if open || is_known(app, request.headers()) {
        return Ok(());
    }
    let detail = "bring the token of the data folder (`Authorization: Bearer …`, in serve/token), or open the page by the \
                  link that `sunup open` prints";
    Err(Problem::new(StatusCode::UNAUTHORIZED, detail).page("locked").with(header::WWW_AUTHENTICATE, "Bearer"))
}

/// Refuses what another page made a browser send. A program sends neither of the two headers.
fn comes_from_here(headers: &HeaderMap, host: &str) -> Result<(), Problem> {
    let own = format!("http://{host}");
    let origin = headers.get(header::ORIGIN).is_none_or(|origin| origin.as_bytes() == own.as_bytes());
    let site = headers.get("sec-fetch-site").is_none_or(|site| site == "same-origin");
    if origin && site {
        return Ok(());
    }
    let detail = "only the page itself, or a program with the token, may ask for this: another page sent it";
    Err(Problem::new(StatusCode::FORBIDDEN, detail).page("foreign"))
}

fn is_known(app: &App, headers: &HeaderMap) -> bool {
    let door = &app.server.door;
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    if let Some(token) = bearer {
        return door.is_token(token);
    }
    let now = app.now();
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut cookies = cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    cookies.any(|(name, value)| name == app.hosts.cookie && door.is_cookie(value, now))
}

/// Puts what was refused, also by the router itself, into the form that its reader takes.
async fn told(app: &App, answer: Response, as_page: bool) -> Response {
    let status = answer.status();
    if !status.is_client_error() && !status.is_server_error() {
        return answer;
    }
    let known = answer.extensions().get::<Problem>().cloned();
    let has_its_form = match &known {
        Some(_) => !as_page,
        // `/healthz` says no in its own words; the router's are bare texts.
        None => answer.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json"),
    };
    if has_its_form {
        return answer;
    }
    let (head, body) = answer.into_parts();
    let problem = match known {
        Some(problem) => problem,
        None => {
            let said = axum::body::to_bytes(body, 4096).await.unwrap_or_default();
            Problem::of_answer(status, &String::from_utf8_lossy(&said))
        }
    };
    let mut answer = if as_page { pages::refused(app, &problem) } else { problem.into_response() };
    if let Some(allow) = head.headers.get(header::ALLOW) {
        answer.headers_mut().insert(header::ALLOW, allow.clone());
    }
    answer
}

/// The headers of every answer. A page that needs other rules brings them.
fn protect(headers: &mut HeaderMap) {
    let rules = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in rules {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
}
