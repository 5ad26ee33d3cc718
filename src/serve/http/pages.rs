//! The pages for people.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use chrono::NaiveDate;

use super::api::typed;
use super::board::{Board, Seen};
use super::door::STAYS;
use super::problem::Problem;
use super::{App, in_background, read, render};
use crate::report::{self, RenderError, Words};
use crate::runner::{next_runs, report_again};

/// The report brings its styles in its elements, as mails must, and no script: other rules than the page's.
const REPORT_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; \
                             frame-ancestors 'none'; sandbox";

type Page = Result<Response, Problem>;

/// The whole page.
pub(super) async fn page(State(app): State<App>) -> Page {
    let (board, words) = seen(&app).await?;
    html(render::page(&board, &words))
}

/// The part of it that changes.
pub(super) async fn board(State(app): State<App>) -> Page {
    let (board, words) = seen(&app).await?;
    html(render::board(&board, &words))
}

async fn seen(app: &App) -> Result<(Board, Arc<Words>), Problem> {
    let now = app.now();
    let seen = read(app, move |project, ledger| Ok((Seen::of(project, ledger, now)?, next_runs(project, now))));
    let (seen, next) = seen.await?;
    let health = app.server.front.health.borrow().clone();
    let words = words(app)?;
    let board = Board::of(&health.project, seen.as_ref(), &next, &health, &words, now);
    Ok((board, words))
}

fn words(app: &App) -> Result<Arc<Words>, Problem> {
    Words::new(app.project().settings.language).map(Arc::new).map_err(ours)
}

fn html(page: Result<String, RenderError>) -> Page {
    page.map(|page| Html(page).into_response()).map_err(ours)
}

/// A fault of ours.
fn ours(error: RenderError) -> Problem {
    tracing::error!("a page could not be made: {error}");
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
}

/// The report of the last day on record, as it would be told now.
pub(super) async fn last_report(State(app): State<App>) -> Page {
    report_page(&app, None).await
}

/// The report of a day.
pub(super) async fn report(State(app): State<App>, Path(date): Path<NaiveDate>) -> Page {
    report_page(&app, Some(date)).await
}

async fn report_page(app: &App, date: Option<NaiveDate>) -> Page {
    let now = app.now();
    let page = read(app, move |project, ledger| {
        let Some(ledger) = ledger else { return Ok(None) };
        let Some(report) = report_again(project, ledger, date, now)? else { return Ok(None) };
        Ok(Some(report::render(&report, project.settings.language)?.html))
    });
    let page = page.await?.ok_or_else(|| Problem::not_found("nothing is on record for this day"))?;
    let mut answer = Html(page).into_response();
    answer.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(REPORT_POLICY));
    Ok(answer)
}

/// A picture that a ticket names.
pub(super) async fn picture(State(app): State<App>, Path(name): Path<String>) -> Page {
    if !is_picture(&name) {
        return Err(Problem::not_found("there is no such picture"));
    }
    let path = app.server.data.join("pictures").join(name);
    let picture = in_background(&app, move || Ok(std::fs::read(path).ok())).await?;
    picture.map(|bytes| typed("image/png", bytes)).ok_or_else(|| Problem::not_found("there is no such picture"))
}

/// True for the names that pictures are given: nothing that leads elsewhere.
fn is_picture(name: &str) -> bool {
    let letters = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    letters && !name.starts_with('.') && name.ends_with(".png")
}

/// Lets a browser in by a link, once.
pub(super) async fn open(
    State(app): State<App>,
    method: Method,
    headers: HeaderMap,
    Path(nonce): Path<String>,
) -> Page {
    // A look ahead, by a browser or by a program that shows links, is not the person.
    if method == Method::HEAD || headers.contains_key("sec-purpose") {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let now = app.now();
    let here = app.clone();
    let good = in_background(&app, move || Ok(here.server.door.use_up(&nonce, now))).await?;
    if !good {
        let detail = "this link was used, or is older than ten minutes: `sunup open` prints another";
        return Err(Problem::new(StatusCode::GONE, detail).page("link"));
    }
    let cookie = format!(
        "{}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}",
        app.hosts.cookie,
        app.server.door.cookie(now),
        STAYS.num_seconds()
    );
    Ok((StatusCode::SEE_OTHER, [(header::SET_COOKIE, cookie), (header::LOCATION, "/".to_owned())]).into_response())
}

pub(super) async fn style() -> Response {
    typed("text/css; charset=utf-8", render::STYLE)
}

pub(super) async fn script() -> Response {
    typed("text/javascript; charset=utf-8", render::SCRIPT)
}

pub(super) async fn icon() -> Response {
    typed("image/svg+xml", render::ICON)
}

/// Nothing at this address.
pub(super) async fn nothing() -> Problem {
    Problem::of_answer(StatusCode::NOT_FOUND, "")
}

/// A refusal, for a person.
pub(super) fn refused(app: &App, problem: &Problem) -> Response {
    match words(app).and_then(|words| render::refused(problem, &words).map_err(ours)) {
        Ok(page) => problem.dressed(Html(page)),
        Err(fault) => fault.into_response(),
    }
}
