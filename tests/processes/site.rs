//! A site on loopback that counts its acts, and can keep a page back. Its clock is nobody's: it sends no `Date`.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, LOCATION};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::Notify;

/// The site, while it runs.
#[derive(Clone)]
pub struct Site {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    acts: Mutex<u64>,
    beats: Mutex<Vec<String>>,
    hold: Mutex<Hold>,
    released: Notify,
}

/// What becomes of the home page.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Hold {
    #[default]
    Free,
    /// The next one is kept back.
    Next,
    /// One is kept back now.
    Held,
}

impl Site {
    /// Starts it on a port of its own.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("its address");
        let site = Site { address, shared: Arc::default() };
        let serving = site.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let site = serving.clone();
                let service = service_fn(move |request| answer(site.clone(), request));
                let mut server = hyper::server::conn::http1::Builder::new();
                let connection = server.auto_date_header(false).serve_connection(TokioIo::new(stream), service);
                tokio::spawn(async move { connection.await.ok() });
            }
        });
        site
    }

    /// Its origin.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// How often it got the act.
    pub fn acts(&self) -> u64 {
        *self.shared.acts.lock().unwrap()
    }

    /// The heartbeats that it got, by their paths.
    pub fn beats(&self) -> Vec<String> {
        self.shared.beats.lock().unwrap().clone()
    }

    /// As if nothing had been done yet: another day.
    pub fn forget(&self) {
        *self.shared.acts.lock().unwrap() = 0;
    }

    /// Keeps the next home page back.
    pub fn hold_next(&self) {
        *self.shared.hold.lock().unwrap() = Hold::Next;
    }

    /// True while a home page is kept back.
    pub fn holds(&self) -> bool {
        *self.shared.hold.lock().unwrap() == Hold::Held
    }

    /// Sends what was kept back.
    pub fn release(&self) {
        *self.shared.hold.lock().unwrap() = Hold::Free;
        self.shared.released.notify_waiters();
    }
}

async fn answer(site: Site, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, hyper::Error> {
    let line = format!("{} {}", request.method(), request.uri().path());
    if let Some(beat) = line.strip_prefix("POST /beat/") {
        site.shared.beats.lock().unwrap().push(beat.to_owned());
        return Ok(Response::new(Full::default()));
    }
    let (kind, body) = match line.as_str() {
        "GET /api/me" => ("application/json", format!(r#"{{"user": "lin", "acts": {}}}"#, site.acts())),
        "GET /home" => {
            kept_back(&site.shared).await;
            let form = "<form method=post action=/checkin><button>check in</button></form>";
            ("text/html", format!("<!doctype html><title>home</title>{form}"))
        }
        "POST /checkin" => {
            *site.shared.acts.lock().unwrap() += 1;
            let to_home = Response::builder().status(303).header(LOCATION, "/done");
            return Ok(to_home.body(Full::default()).expect("a response"));
        }
        "GET /done" => ("text/html", "<!doctype html><title>done</title><p>done</p>".to_owned()),
        "GET /favicon.ico" => ("image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'/>".to_owned()),
        _ => return Ok(Response::builder().status(404).body(Full::default()).expect("a response")),
    };
    Ok(Response::builder().header(CONTENT_TYPE, kind).body(Full::new(body.into())).expect("a response"))
}

async fn kept_back(shared: &Shared) {
    let released = shared.released.notified();
    let is_next = {
        let mut hold = shared.hold.lock().unwrap();
        let is_next = *hold == Hold::Next;
        if is_next {
            *hold = Hold::Held;
        }
        is_next
    };
    if is_next {
        released.await;
    }
}
