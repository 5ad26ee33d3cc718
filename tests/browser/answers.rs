//! What servers answer, by status, headers and bodies: to page loads, and to the task's own requests.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use sunup::browser::{Action, Brand, Browser, Command, RealBrowser, Response};
use sunup::clock::Clock;
use sunup::files::condition::{Names, Template};
use sunup::files::model::*;
use sunup::run::{Failure, FailureKind, SITE_CLOCK};

use crate::lab::*;
use crate::server::{Page, html, json};

crate::cases![
    a_vendors_header_goes_before_the_status_of_a_page,
    a_page_says_how_long_to_stay_away,
    a_visible_puzzle_goes_before_a_limit,
    what_a_click_leads_to_is_judged_as_well,
    a_check_that_gives_way_lets_the_page_through,
    statuses_that_only_a_header_explains,
    a_login_in_a_dialog_is_never_answered,
    a_page_that_leads_to_the_sign_in_is_no_page,
    an_empty_page_says_nothing,
    an_identity_server_that_says_no_is_understood,
    the_clock_of_a_page_is_looked_at,
    a_sign_in_that_is_answered_by_a_status_is_judged_by_its_page,
    before_a_password_is_sent_a_status_counts_unless_the_form_is_there,
    answers_to_requests_say_by_address_and_code_what_is_wanted,
    a_step_that_accepts_a_status_keeps_its_say_but_for_challenges,
    a_safe_request_is_asked_once_more_after_a_check,
    what_a_page_loads_besides_says_nothing,
    a_browser_that_does_not_tell_answers_is_gone_by_its_pages,
];

const BUTTON: &str = "<h1>社区</h1><button>签到</button>";

async fn opened(lab: &mut Lab, page: Page) -> Result<(), Failure> {
    lab.server.serve("/", [page]);
    lab.read(vec![open("/"), click(role("button", "签到"))]).await.map(drop)
}

/// What a page came to, and that nothing was clicked: its button sends a request.
async fn refused(lab: &mut Lab, page: Page) -> Failure {
    let what = format!("{} {:?}", page.status, page.headers);
    let failure = opened(lab, page).await.expect_err(&what);
    assert_eq!(lab.server.count("GET /clicked"), 0, "{what}");
    failure
}

fn with_button() -> Page {
    html("<h1>社区</h1><button onclick=\"fetch('/clicked')\">签到</button>")
}

fn wait_of(failure: &Failure, now: DateTime<Utc>) -> TimeDelta {
    failure.retry_at.unwrap_or_else(|| panic!("no time: {failure:?}")) - now
}

async fn a_vendors_header_goes_before_the_status_of_a_page(lab: &mut Lab) {
    use FailureKind::*;
    for (status, name, value, kind, rule) in [
        (405, "x-amzn-waf-action", "captcha", Captcha, "aws-waf-captcha"),
        (200, "hw-ajax-redirect", "https://auth.example/login?service=", SessionExpired, "huawei-ajax-redirect"),
        (200, "x-frame-maintenance", "true", Maintenance, "huawei-maintenance"),
        (403, "hw-iam-forbidden", "true", PageChanged, "huawei-forbidden"),
    ] {
        let failure = refused(lab, with_button().status(status).header(name, value)).await;
        assert_eq!((failure.kind, failure.rule.as_deref()), (kind, Some(rule)), "{status}: {}", failure.message);
    }
    // Nothing at all beside the header.
    let empty = Page { body: String::new(), ..html("") };
    let failure = refused(lab, empty.header("hw-ajax-redirect", "https://auth.example/login")).await;
    assert_eq!(failure.kind, SessionExpired, "{}", failure.message);
    // Such a check often ends by itself; it is given its time, and asked nothing meanwhile.
    let start = lab.clock.uptime();
    lab.server.forget();
    let limited = with_button().status(429).header("cf-mitigated", "challenge").header("retry-after", "60");
    let failure = refused(lab, limited).await;
    assert_eq!((failure.kind, failure.rule.as_deref()), (Interstitial, Some("cloudflare-mitigated")));
    assert!(lab.clock.uptime() - start > Duration::from_secs(12), "it was given no time");
    assert_eq!(lab.server.count("GET /"), 1, "it was loaded again");
}

async fn a_page_says_how_long_to_stay_away(lab: &mut Lab) {
    let now = lab.clock.now();
    for (status, value, kind, least, most) in [
        (429, Some("120".to_owned()), FailureKind::RateLimited, 120, 140),
        (429, None, FailureKind::RateLimited, 900, 920),
        (429, Some("86400000".to_owned()), FailureKind::RateLimited, 86_400, 86_420),
        (503, Some("300".to_owned()), FailureKind::Maintenance, 300, 320),
        (503, Some(http_date(now + TimeDelta::minutes(30))), FailureKind::Maintenance, 1_700, 1_801),
    ] {
        let page = with_button().status(status);
        let page = value.iter().fold(page, |page, value| page.header("retry-after", value));
        let failure = refused(lab, page).await;
        let wait = wait_of(&failure, now).num_seconds();
        assert_eq!(failure.kind, kind, "{status} {value:?}: {}", failure.message);
        assert!((least..=most).contains(&wait), "{status} {value:?}: {wait} s");
    }
    assert!(lab.server.got().iter().all(|got| !got.line.starts_with("HEAD")), "it was asked once more");
}

fn http_date(at: DateTime<Utc>) -> String {
    at.format("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

async fn a_visible_puzzle_goes_before_a_limit(lab: &mut Lab) {
    let puzzle = html("<div class=geetest_panel_box style='width:300px;height:300px'></div><button>签到</button>");
    let failure = refused(lab, puzzle.status(429).header("retry-after", "60")).await;
    assert_eq!((failure.kind, failure.rule.as_deref()), (FailureKind::Captcha, Some("geetest-puzzle")));
    let closed = html("<h1>系统维护中</h1>").status(503).header("retry-after", "600");
    let failure = refused(lab, closed).await;
    assert_eq!((failure.kind, failure.rule.as_deref()), (FailureKind::Maintenance, Some("maintenance-page")));
    assert!(wait_of(&failure, lab.clock.now()).num_seconds() > 500, "what the page says and what the header says");
}

async fn what_a_click_leads_to_is_judged_as_well(lab: &mut Lab) {
    lab.server.serve("/", [html("<a href=/next>去</a>")]);
    for (page, kind) in [
        (html("<p>slow down</p>").status(429).header("retry-after", "240"), FailureKind::RateLimited),
        (html("<p>no</p>").status(403), FailureKind::AccessDenied),
        (html("<p>no</p>").status(404), FailureKind::PageChanged),
        (html("<p>welcome</p>").header("x-frame-maintenance", "1"), FailureKind::Maintenance),
    ] {
        lab.server.serve("/next", [page.clone()]);
        let failure = lab.read(vec![open("/"), click(role("link", "去"))]).await.expect_err("an answer");
        assert_eq!(failure.kind, kind, "{}: {}", page.status, failure.message);
    }
}

async fn a_check_that_gives_way_lets_the_page_through(lab: &mut Lab) {
    let check = html("<p>checking</p><script>setTimeout(() => location.reload(), 1500)</script>");
    for check in [check.clone().status(202).header("x-amzn-waf-action", "challenge"), check.status(412)] {
        lab.server.serve("/", [check, html(BUTTON)]);
        lab.read(vec![open("/"), click(role("button", "签到"))]).await.expect("the page came");
    }
}

async fn statuses_that_only_a_header_explains(lab: &mut Lab) {
    use FailureKind::*;
    for (status, kind) in [
        (405, PageChanged),
        (407, Environment),
        (410, PageChanged),
        (418, AccessDenied),
        (419, SessionExpired),
        (423, PageChanged),
        (428, Interstitial),
        (440, SessionExpired),
        (451, AccessDenied),
        (502, ServerError),
        (511, Environment),
        (520, ServerError),
    ] {
        // A browser may keep some of them for the next load.
        let failure = refused(lab, with_button().status(status).header("cache-control", "no-store")).await;
        assert_eq!(failure.kind, kind, "{status}: {}", failure.message);
    }
}

async fn a_login_in_a_dialog_is_never_answered(lab: &mut Lab) {
    for asked in ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"1\"", "Bearer"] {
        let bearer = asked == "Bearer";
        let wanted = if bearer { FailureKind::SessionExpired } else { FailureKind::Environment };
        let page = html("<p>no</p>").status(401).header("www-authenticate", asked);
        let failure = refused(lab, page.clone()).await;
        assert_eq!(failure.kind, wanted, "{asked}: {}", failure.message);
        assert_eq!(failure.message.contains("HTTP authentication"), !bearer, "{}", failure.message);
        // Whatever stood open is gone: the next page comes.
        opened(lab, html(BUTTON)).await.expect("the next page");
        lab.server.serve("/api", [page]);
        let failure = lab.read(vec![fetch("/api").limit(3)]).await.expect_err(asked);
        // Chromium waits for somebody to answer, without showing that it asks.
        let hidden = lab.brand == Brand::Chromium && !bearer;
        let wanted = if hidden { FailureKind::Timeout } else { wanted };
        assert_eq!(failure.kind, wanted, "fetch {asked}: {}", failure.message);
        opened(lab, html(BUTTON)).await.expect("the next page");
    }
    assert!(lab.server.got().iter().all(|got| !got.line.contains("clicked")));
}

async fn a_page_that_leads_to_the_sign_in_is_no_page(lab: &mut Lab) {
    let form = "<h1>欢迎</h1><form method=post><input name=user><input type=password name=pass></form>";
    lab.server.serve("/login?returnUrl=/home", [html(form)]);
    lab.server.serve("/home", [html("").status(302).header("location", "/login?returnUrl=/home")]);
    let failure = lab.read(vec![open("/home")]).await.expect_err("it led to the sign-in");
    assert_eq!(failure.kind, FailureKind::SessionExpired, "{}", failure.message);
    // Who opens it by its name gets it, and so does who asks whether anybody is signed in.
    lab.read(vec![open("/login?returnUrl=/home")]).await.expect("the sign-in page itself");
    let form = form.replace("<h1>欢迎</h1>", "<h1>登录</h1>");
    lab.server.serve("/who", [html(&form).status(401)]);
    let failure = lab.read(vec![open("/who")]).await.expect_err("nobody is signed in");
    assert_eq!(failure.kind, FailureKind::SessionExpired, "{}", failure.message);
    let site = lab.site.clone();
    for page in ["/home", "/login?returnUrl=/home", "/who"] {
        let mut visit = lab.visit();
        visit.site = &site;
        visit.read_identity(&section(vec![open(page)]), Default::default()).await.expect(page);
    }
}

async fn an_empty_page_says_nothing(lab: &mut Lab) {
    for body in ["", "<!doctype html><title>x</title><body><script>0</script><noscript>x</noscript></body>"] {
        lab.server.serve("/", [Page { body: body.to_owned(), ..html("") }]);
        let failure = lab.read(vec![open("/").limit(1)]).await.expect_err("it is empty");
        assert_eq!(failure.kind, FailureKind::NotRendered, "{body}: {}", failure.message);
    }
    let late = "<script>setTimeout(() => document.body.append('here'), 400)</script>";
    lab.server.serve("/", [html(late)]);
    lab.read(vec![open("/")]).await.expect("it was filled");
    let elsewhere = "<script>setTimeout(() => location.replace('/late'), 400)</script>";
    lab.server.serve("/", [html(elsewhere)]);
    lab.server.serve("/late", [html(BUTTON)]);
    lab.read(vec![open("/"), click(role("button", "签到"))]).await.expect("it was replaced");
}

/// Chromium does not always tell in time which addresses were passed.
async fn an_identity_server_that_says_no_is_understood(lab: &mut Lab) {
    if lab.brand == Brand::Chromium {
        return;
    }
    use FailureKind::*;
    for (error, kind) in
        [("login_required", SessionExpired), ("consent_required", Consent), ("nothing_wrong", PageChanged)]
    {
        let back = format!("/callback?error={error}&state=1");
        lab.server.serve("/", [html("").status(302).header("location", &back)]);
        lab.server.serve(&back, [html("").status(302).header("location", "/home")]);
        lab.server.serve("/home", [html("<p>welcome</p>")]);
        let found = lab.read(vec![open("/"), click(css("#missing")).limit(1)]).await.expect_err(error);
        assert_eq!(found.kind, kind, "{error}: {}", found.message);
    }
}

async fn the_clock_of_a_page_is_looked_at(lab: &mut Lab) {
    let date = |minutes| http_date(lab.clock.now() - TimeDelta::minutes(minutes));
    let (near, far) = (date(2), date(20));
    opened(lab, html(BUTTON).header("date", &near)).await.expect("two minutes are nothing");
    let failure = refused(lab, with_button().header("date", &far)).await;
    assert_eq!((failure.kind, failure.rule.as_deref()), (FailureKind::Environment, Some(SITE_CLOCK)));
    opened(lab, html(BUTTON).header("date", &far).header("age", "1200")).await.expect("it lay in a cache");
}

const FORM: &str = "<form method=post action=/login><label>用户名<input name=user></label><label>密码<input type=password name=pass></label><button>登录</button></form>";

/// Some servers send the sign-in form with a status that says no.
async fn before_a_password_is_sent_a_status_counts_unless_the_form_is_there(lab: &mut Lab) {
    let with = Template::parse("{{ account.password }}", &Names::default().with_password()).expect("a template");
    let password = Verb::Fill { target: one(by(By::Label(text("密码")))), with };
    let steps = vec![open("/login"), step(password).limit(3), click(role("button", "登录")).commits()];
    for (page, kind) in [
        (html(FORM).status(401), None),
        (html(FORM).status(403), None),
        (html("<h1>出错了</h1>").status(403), Some(FailureKind::AccessDenied)),
        (html("<h1>出错了</h1>").status(401), Some(FailureKind::SessionExpired)),
        (html(FORM).status(429), Some(FailureKind::RateLimited)),
    ] {
        let what = format!("{} {}", page.status, page.body);
        lab.server.serve("/login", [page]);
        let prepared = lab.prepare_with_password(&steps).await;
        assert_eq!(prepared.as_ref().err().map(|failure| failure.kind), kind, "{what}: {prepared:?}");
    }
}

async fn a_sign_in_that_is_answered_by_a_status_is_judged_by_its_page(lab: &mut Lab) {
    for (answer, kind) in [
        (html(&format!("<p class=error>密码错误</p>{FORM}")).status(401), Some(FailureKind::CredentialsRejected)),
        (
            html(&format!("<p class=error>用户名或密码不正确</p>{FORM}")).status(403),
            Some(FailureKind::CredentialsRejected),
        ),
        (html("<p>locked</p>").status(423), Some(FailureKind::AccountRestricted)),
        (html("<p>later</p>").status(429), Some(FailureKind::RateLimited)),
        (html("<h1>欢迎</h1>"), None),
    ] {
        let what = format!("{} {}", answer.status, answer.body);
        lab.server.serve("/login", [html(FORM), answer]);
        let steps = vec![
            open("/login"),
            fill(by(By::Label(text("密码"))), "canary-password"),
            click(role("button", "登录")).commits(),
        ];
        let mut prepared = lab.prepare(&steps).await.expect("the form");
        prepared.signs_in = true;
        lab.visit().commit(&steps, &prepared).await;
        let trouble = lab.visit().finish(&steps, prepared).await;
        assert_eq!(trouble.as_ref().map(|failure| failure.kind), kind, "{what}: {trouble:?}");
    }
}

async fn answers_to_requests_say_by_address_and_code_what_is_wanted(lab: &mut Lab) {
    use FailureKind::*;
    for (page, kind) in [
        (json(r#"{"url":"https://geo.captcha-delivery.com/captcha/?cid=1"}"#).status(403), Captcha),
        (json(r#"{"msg":"人太多啦，请重试","url":"https://x.example/_____tmd_____/punish?x5step=1"}"#), Captcha),
        (json(r#"{"action":"captcha"}"#), Captcha),
        (json("").header("hw-ajax-redirect", "https://auth.example/login"), SessionExpired),
        (json("").status(302).header("location", "/login"), SessionExpired),
        (json("").status(429).header("retry-after", "60"), RateLimited),
        (json("").status(503).header("retry-after", "60"), Maintenance),
        (json("").status(405).header("x-amzn-waf-action", "captcha"), Captcha),
        (json("").status(418), AccessDenied),
        (json("").status(428), Interstitial),
        (html("<form><input type=\"password\"></form>"), SessionExpired),
        (json(""), NotRendered),
    ] {
        lab.server.serve("/api", [page.clone()]);
        let step = fetch("/api").reads("it", scalar(ScalarKind::Number, From::Json(json_path(&["a"]))));
        let failure = lab.read(vec![step]).await.expect_err(&page.body);
        assert_eq!(failure.kind, kind, "{} {}: {}", page.status, page.body, failure.message);
    }
}

async fn a_step_that_accepts_a_status_keeps_its_say_but_for_challenges(lab: &mut Lab) {
    let accepting = || {
        let mut step = fetch("/api");
        let Verb::Fetch(request) = &mut step.verb else { unreachable!() };
        request.accept = vec![200, 403, 404, 429];
        step
    };
    for status in [403, 404, 429] {
        lab.server.serve("/api", [json("{}").status(status).header("retry-after", "60")]);
        lab.read(vec![accepting()]).await.unwrap_or_else(|failure| panic!("{status}: {failure:?}"));
    }
    lab.server.serve("/api", [json(r#"{"url":"https://geo.captcha-delivery.com/captcha/?cid=1"}"#).status(403)]);
    let failure = lab.read(vec![accepting()]).await.expect_err("a challenge");
    assert_eq!((failure.kind, failure.rule.as_deref()), (FailureKind::Captcha, Some("datadome-captcha")));
}

async fn a_safe_request_is_asked_once_more_after_a_check(lab: &mut Lab) {
    let check = || json("").status(202).header("x-amzn-waf-action", "challenge");
    lab.server.serve("/api", [check(), json("{}")]);
    lab.read(vec![fetch("/api")]).await.expect("the check gave way");
    assert_eq!(lab.server.count("GET /api"), 2);
}

async fn what_a_page_loads_besides_says_nothing(lab: &mut Lab) {
    lab.server.serve("/frame", [html("<p>no</p>").status(403).header("cf-mitigated", "challenge")]);
    lab.server.serve("/data", [json("{}").status(429).header("cf-mitigated", "challenge")]);
    let page = "<iframe src=/frame></iframe><img src=/data><script>fetch('/data')</script>";
    opened(lab, html(&format!("{page}{BUTTON}"))).await.expect("the page itself is fine");
}

/// A browser whose driver has no connection for what servers answer.
struct Silent<'a>(&'a mut RealBrowser);

#[async_trait::async_trait]
impl Browser for Silent<'_> {
    async fn execute(&mut self, command: Command) -> Result<Response, Failure> {
        match command.action {
            Action::Answered => Ok(Response::Json(serde_json::Value::Null)),
            _ => self.0.execute(command).await,
        }
    }

    fn is_dead(&self) -> bool {
        self.0.is_dead()
    }
}

async fn a_browser_that_does_not_tell_answers_is_gone_by_its_pages(lab: &mut Lab) {
    use FailureKind::*;
    let now = lab.clock.now();
    let puzzle = html("<div class=geetest_panel_box style='width:300px;height:300px'></div>");
    for (page, kind, wait) in [
        (html("<p>no</p>").status(403), AccessDenied, None),
        (html("<p>no</p>").status(404), PageChanged, None),
        (html("<p>no</p>").status(429).header("retry-after", "120"), RateLimited, Some(120)),
        (html("<p>no</p>").status(429), RateLimited, Some(900)),
        (html("<p>no</p>").status(503).header("retry-after", "300"), Maintenance, Some(300)),
        (html("<p>no</p>").status(503), ServerError, None),
        (puzzle.status(429).header("retry-after", "120"), Captcha, None),
    ] {
        let what = format!("{} {:?}", page.status, page.headers);
        lab.server.serve("/", [page]);
        let period = lab.site.calendar.period(sunup::timing::PeriodKind::Day, now);
        let (clock, site, root) = (&lab.clock, &lab.site, lab.folder.path());
        let mut browser = Silent(&mut lab.browser);
        let mut visit = sunup::browser::visit::Visit {
            browser: &mut browser,
            clock,
            site,
            zone: ZONE,
            root,
            period,
            pictures: None,
        };
        let halt = visit.read_section(&section(vec![open("/")]), Default::default()).await.expect_err(&what);
        let sunup::browser::visit::Halt::Failed(failure) = halt else { panic!("{what}: {halt:?}") };
        assert_eq!(failure.kind, kind, "{what}: {}", failure.message);
        let waits = failure.retry_at.map(|at| (at - now).num_seconds());
        assert!(waits.is_some() == wait.is_some(), "{what}: {waits:?}");
        assert!(wait.is_none_or(|wait| (wait..wait + 60).contains(&waits.unwrap_or_default())), "{what}: {waits:?}");
    }
}
