//! Documents that go away while something is asked of them. chromedriver asks again in the next document; geckodriver does not.

use std::time::Duration;

use sunup::browser::{Action, Brand, Browser, Command, Refusal, Response};
use sunup::clock::{Clock, SystemClock};
use sunup::files::model::*;
use sunup::run::FailureKind;
use sunup::values::Value;

use crate::lab::*;
use crate::server::{html, json};

crate::cases![
    a_request_whose_page_leaves_is_sent_once,
    a_frame_that_goes_is_not_mistaken_for_its_page,
    a_click_on_a_page_that_leaves_by_itself_is_made_on_the_next,
    an_answer_without_a_body_has_its_status,
];

async fn a_request_whose_page_leaves_is_sent_once(lab: &mut Lab) {
    let page = "<p>签到</p><script>setInterval(async () => { if ((await fetch('/leave')).ok) location.href = '/next' }, 30)</script>";
    lab.server.serve("/", [html(page)]);
    lab.server.serve("/next", [html("<p>elsewhere</p>")]);
    lab.server.serve("/checkin", [json("{}").after(Duration::from_secs(60))]);
    let Verb::Fetch(fetch) = fetch("/checkin").verb else { unreachable!() };
    let send = step(Verb::Fetch(Fetch { method: "POST".into(), ..fetch })).limit(4);
    // The page leaves as soon as the request has come.
    let (server, clock) = (lab.server.clone(), SystemClock::new());
    let leaving = tokio::spawn(async move {
        while server.count("POST /checkin") == 0 {
            clock.sleep_real(Duration::from_millis(5)).await;
        }
        server.serve("/leave", [html("")]);
    });
    let failure = lab.read(vec![open("/"), send]).await.unwrap_err();
    assert_eq!(lab.server.count("POST /checkin"), 1, "{failure:?}");
    leaving.await.unwrap();
    assert!(lab.server.count("GET /next") > 0, "the page stayed");
    assert_eq!(lab.server.count("POST /checkin"), 1);
}

async fn a_frame_that_goes_is_not_mistaken_for_its_page(lab: &mut Lab) {
    let page = "<iframe src=/inner></iframe><p>签到成功</p><script>setInterval(async () => {
        if ((await fetch('/leave')).ok) document.querySelector('iframe')?.remove() }, 30)</script>";
    lab.server.serve("/", [html(page)]);
    lab.server.serve("/inner", [html("<p>请稍候</p>")]);
    let frame = lab.prepare(&[open("/"), click(css("iframe")).commits()]).await.unwrap().element.expect("the frame");
    let inside =
        || Command { context: frame.context.inside(&frame), action: Action::Place, limit: Duration::from_secs(5) };
    let is_there = |response: &Response| matches!(response, Response::Json(place) if place["path"] == "/inner");
    let mut answer = lab.browser.execute(inside()).await.unwrap();
    assert!(is_there(&answer), "{answer:?}");
    lab.server.serve("/leave", [html("")]);
    while is_there(&answer) {
        answer = lab.browser.execute(inside()).await.unwrap();
    }
    // geckodriver may have no answer just then.
    let is_none = matches!(&answer, Response::Json(place) if place.is_null());
    assert!(is_none || answer == Response::Refused(Refusal::Gone), "what stands beside the frame was taken for it");
    // The tab is still of use.
    let shown = lab.read_page("/inner", ReadKind::Visible(by(By::Text(text("请稍候"))))).await.unwrap();
    assert_eq!(shown, Value::Boolean(true));
}

/// geckodriver's word for such a click is the same as for one that led to another page: there it counts as made.
async fn a_click_on_a_page_that_leaves_by_itself_is_made_on_the_next(lab: &mut Lab) {
    if lab.brand == Brand::Firefox {
        return;
    }
    let button = "<button onclick=\"fetch('/clicked', { method: 'POST', keepalive: true })\">领取</button>";
    lab.server.serve("/next", [html(button)]);
    lab.server.serve("/clicked", [json("{}")]);
    for wait in [40, 70, 100, 130, 160, 190] {
        let leaves = format!("{button}<script>setTimeout(() => {{ location.href = '/next' }}, {wait})</script>");
        lab.server.serve("/", [html(&leaves)]);
        let before = lab.server.count("POST /clicked");
        lab.read(vec![open("/"), click(role("button", "领取"))]).await.unwrap();
        let end = lab.clock.uptime() + Duration::from_secs(5);
        while lab.server.count("POST /clicked") == before {
            assert!(lab.clock.uptime() < end, "the click that was told to be made never was, after {wait} ms");
            lab.clock.sleep_real(Duration::from_millis(5)).await;
        }
    }
}

/// Chromium shows a page of its own for it.
async fn an_answer_without_a_body_has_its_status(lab: &mut Lab) {
    for (status, wanted) in
        [(401, FailureKind::SessionExpired), (404, FailureKind::PageChanged), (500, FailureKind::ServerError)]
    {
        let mut empty = html("").status(status);
        empty.body.clear();
        lab.server.serve("/", [empty]);
        let failure = lab.read(vec![open("/")]).await.unwrap_err();
        assert_eq!(failure.kind, wanted, "{status}: {}", failure.message);
    }
}
