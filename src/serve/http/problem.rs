//! What is said where a request is not answered: problem details (RFC 9457) to programs, a page to people.

use axum::Json;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// One request that was not answered, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    pub status: StatusCode,
    /// A word for the page's texts, `door-<word>-title` and `door-<word>-text`; none where the status says it all.
    pub word: Option<&'static str>,
    pub detail: String,
    header: Option<(HeaderName, HeaderValue)>,
}

#[derive(Serialize)]
struct Details<'a> {
    r#type: &'a str,
    title: &'a str,
    status: u16,
    detail: &'a str,
}

impl Problem {
    pub fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Problem { status, word: None, detail: detail.into(), header: None }
    }

    /// With a page of its own for people.
    pub fn page(mut self, word: &'static str) -> Self {
        self.word = Some(word);
        self
    }

    /// With a header.
    pub fn with(mut self, name: HeaderName, value: &'static str) -> Self {
        self.header = Some((name, HeaderValue::from_static(value)));
        self
    }

    /// The ledger, or the daemon, cannot answer now.
    pub fn unavailable(detail: impl Into<String>) -> Self {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail).page("unavailable").with(header::RETRY_AFTER, "10")
    }

    pub fn not_found(detail: impl Into<String>) -> Self {
        Problem::new(StatusCode::NOT_FOUND, detail).page("nothing")
    }

    /// What a bare answer of the router or of an extractor means.
    pub fn of_answer(status: StatusCode, said: &str) -> Self {
        let detail = match status {
            StatusCode::NOT_FOUND => "there is nothing at this address; docs/openapi.yaml lists what there is",
            StatusCode::METHOD_NOT_ALLOWED => "this address is not asked that way; the header Allow says how",
            StatusCode::PAYLOAD_TOO_LARGE => "the body is longer than 16 KiB",
            StatusCode::UNSUPPORTED_MEDIA_TYPE => "the body must be JSON: say `Content-Type: application/json`",
            _ if said.is_empty() => "the request cannot be understood",
            _ => said,
        };
        let problem = Problem::new(status, detail);
        if status == StatusCode::NOT_FOUND { problem.page("nothing") } else { problem }
    }

    /// The same status and headers, with this as its body.
    pub fn dressed(&self, body: impl IntoResponse) -> Response {
        let mut response = (self.status, body).into_response();
        if let Some((name, value)) = &self.header {
            response.headers_mut().insert(name, value.clone());
        }
        response
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let title = self.status.canonical_reason().unwrap_or_default();
        let details = Details { r#type: "about:blank", title, status: self.status.as_u16(), detail: &self.detail };
        let mut response = self.dressed(Json(details));
        let kind = HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
        response.extensions_mut().insert(self);
        response
    }
}
