//! A small web server on loopback whose pages are set by each case, and which counts what it got.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

/// One answer.
#[derive(Clone)]
pub struct Page {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
    /// It is sent only after this.
    pub after: Duration,
}

/// A page of HTML.
pub fn html(body: &str) -> Page {
    let body = format!("<!doctype html><meta charset=utf-8><title>页</title><body>{body}</body>");
    Page { status: 200, headers: vec![("content-type", "text/html".into())], body, after: Duration::ZERO }
}

/// An answer in JSON.
pub fn json(body: &str) -> Page {
    let headers = vec![("content-type", "application/json".into())];
    Page { status: 200, headers, body: body.to_owned(), after: Duration::ZERO }
}

impl Page {
    pub fn status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    pub fn after(mut self, span: Duration) -> Self {
        self.after = span;
        self
    }
}

/// What was asked of the server: method and path with query, and the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Got {
    pub line: String,
    pub body: String,
    pub cookie: String,
}

type Answers = BTreeMap<String, Vec<Page>>;

#[derive(Clone)]
pub struct Server {
    pub address: SocketAddr,
    answers: Arc<Mutex<Answers>>,
    got: Arc<Mutex<Vec<Got>>>,
}

impl Server {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("its address");
        let server = Server { address, answers: Arc::default(), got: Arc::default() };
        let accepting = server.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let serving = accepting.clone();
                let service = service_fn(move |request| answer(serving.clone(), request));
                let connection =
                    hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service);
                tokio::spawn(async move { connection.await.ok() });
            }
        });
        server
    }

    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What a path answers from now on; the last page stays.
    pub fn serve(&self, path: &str, pages: impl IntoIterator<Item = Page>) {
        self.answers.lock().unwrap().insert(path.to_owned(), pages.into_iter().collect());
    }

    /// How often a request line, such as `POST /checkin`, came.
    pub fn count(&self, line: &str) -> usize {
        self.got.lock().unwrap().iter().filter(|got| got.line == line).count()
    }

    pub fn got(&self) -> Vec<Got> {
        self.got.lock().unwrap().clone()
    }

    pub fn forget(&self) {
        self.answers.lock().unwrap().clear();
        self.got.lock().unwrap().clear();
    }
}

async fn answer(server: Server, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, hyper::Error> {
    let path = request.uri().path_and_query().map(|all| all.as_str().to_owned()).unwrap_or_default();
    let line = format!("{} {path}", request.method());
    let cookie = request.headers().get("cookie").and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    let body = request.into_body().collect().await?.to_bytes();
    server.got.lock().unwrap().push(Got { line, body: String::from_utf8_lossy(&body).into_owned(), cookie });
    let page = next(&server, &path);
    tokio::time::timeout(page.after, std::future::pending::<()>()).await.ok();
    let mut response = Response::builder().status(page.status);
    for (name, value) in page.headers {
        response = response.header(name, value);
    }
    Ok(response.body(Full::new(page.body.into())).expect("a response"))
}

fn next(server: &Server, path: &str) -> Page {
    let mut answers = server.answers.lock().unwrap();
    let pages = answers.get_mut(path);
    match pages {
        Some(pages) if pages.len() > 1 => pages.remove(0),
        Some(pages) if pages.len() == 1 => pages[0].clone(),
        _ => html("nothing here").status(404),
    }
}
