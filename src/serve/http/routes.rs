//! Every address of the server, in one list: `docs/openapi.yaml` is held against it.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::Method;
use axum::middleware::from_fn_with_state;
use axum::routing::{MethodRouter, get, post};

use super::{App, api, guard, health, metrics, pages};

/// The longest body.
const BODY: usize = 16 * 1024;

fn table() -> Vec<(Method, &'static str, MethodRouter<App>)> {
    vec![
        (Method::GET, "/", get(pages::page)),
        (Method::GET, "/board", get(pages::board)),
        (Method::GET, "/report", get(pages::last_report)),
        (Method::GET, "/report/{date}", get(pages::report)),
        (Method::GET, "/pictures/{name}", get(pages::picture)),
        (Method::GET, "/open/{nonce}", get(pages::open)),
        (Method::GET, "/page.css", get(pages::style)),
        (Method::GET, "/page.js", get(pages::script)),
        (Method::GET, "/icon.svg", get(pages::icon)),
        (Method::GET, "/healthz", get(health::healthz)),
        (Method::GET, "/metrics", get(metrics::metrics)),
        (Method::GET, "/api/status", get(api::status)),
        (Method::GET, "/api/tasks", get(api::tasks)),
        (Method::GET, "/api/decisions", get(api::decisions)),
        (Method::GET, "/api/tickets", get(api::tickets)),
        (Method::GET, "/api/report", get(api::last_report)),
        (Method::GET, "/api/report/{date}", get(api::report)),
        (Method::POST, "/api/run", post(api::run)),
        (Method::POST, "/api/tickets/{number}/close", post(api::close)),
    ]
}

/// Method and path of every route.
pub fn routes() -> Vec<(Method, &'static str)> {
    table().into_iter().map(|(method, path, _)| (method, path)).collect()
}

/// The routes behind the guard.
pub(super) fn router(app: App) -> Router {
    let routes = table().into_iter().fold(Router::new(), |router, (_, path, route)| router.route(path, route));
    routes
        .layer(DefaultBodyLimit::max(BODY))
        .fallback(pages::nothing)
        .layer(from_fn_with_state(app.clone(), guard::guard))
        .with_state(app)
}
