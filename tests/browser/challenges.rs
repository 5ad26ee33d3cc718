//! Pages that ask for a person, and pages that only look like it.

use std::time::Duration;

use sunup::browser::visit::Committed;
use sunup::clock::Clock;
use sunup::files::condition::{Condition, Names, Scope};
use sunup::files::model::*;
use sunup::run::FailureKind;

use crate::lab::*;
use crate::server::{Page, html};

crate::cases![
    harmless_pages_go_on,
    pages_that_ask_stop_at_once,
    a_widget_stops_only_what_it_stands_before,
    a_popup_that_fades_by_is_no_challenge,
    what_a_page_asks_is_seen_before_the_next_step_wipes_it,
    rules_of_the_site_come_first,
    credentials_come_before_the_captcha,
    a_wrong_password_is_read_before_anything_wipes_it,
    a_password_is_not_typed_beside_a_check,
    a_sign_in_form_means_signed_out,
    a_challenge_goes_before_the_status,
    the_sites_refusal_is_read,
    what_a_wait_saw_is_not_lost_for_the_click,
    half_a_character_breaks_no_look,
    many_frames_hide_no_challenge,
    a_page_that_breaks_the_look_is_not_worked_on,
];

fn frame(address: &str, style: &str) -> String {
    format!("<div style='{style}'><iframe src='{address}' style='width:100%;height:100%'></iframe></div>")
}

const BFRAME: &str = "https://www.google.com/recaptcha/api2/bframe?k=x";

async fn harmless_pages_go_on(lab: &mut Lab) {
    let parked = "visibility:hidden;opacity:0;position:absolute;top:-10000px;width:400px;height:580px";
    for body in [
        frame(BFRAME, parked),
        frame("https://www.google.com/recaptcha/api2/anchor?size=invisible", "width:256px;height:60px"),
        frame("https://newassets.hcaptcha.com/captcha/v1/x/static/hcaptcha.html#frame=challenge", parked),
        frame("https://blog.example/?ref=www.google.com/recaptcha/api2/bframe", "width:400px;height:580px"),
        "<div id=tcaptcha_transform_dy style='opacity:0;position:absolute;top:-1000000px;width:300px;height:300px'>安全验证</div>".into(),
        "<div class='yidun_popup'><div class=yidun_modal style='position:absolute;left:-99999px;top:-99999px;width:300px;height:300px'></div></div>".into(),
        "<div id=px-captcha-wrapper><div id=px-captcha></div></div>".into(),
        "<div class='geetest_captcha'><div class=geetest_box_wrap style=display:none><div class=geetest_box>关闭验证</div></div></div>".into(),
        "<article>本文比较了三种滑块验证码的优缺点，拖动滑块的体验最差</article>".into(),
        "<ul><li>完成实名认证得50分 <a href=#>去完成</a></ul>".into(),
        "<p>We use cookies. <button>Accept all</button></p>".into(),
        "<aside><img alt=下载 width=150 height=150>扫码下载客户端</aside>".into(),
        "<p>This form is protected by reCAPTCHA; privacy and terms apply</p>".into(),
        "<input placeholder='promo code' name=code>".into(),
        "<div class=notice>周日凌晨2点系统维护</div><p>内容</p>".into(),
        "<div style='position:absolute;left:-9999px'><input autocomplete=one-time-code></div>".into(),
    ] {
        lab.server.serve("/", [html(&format!("{body}<button>签到</button>"))]);
        lab.read(vec![open("/"), click(role("button", "签到"))]).await.unwrap_or_else(|failure| panic!("{body}: {failure:?}"));
    }
}

async fn pages_that_ask_stop_at_once(lab: &mut Lab) {
    let shown = "position:fixed;top:50px;left:50px;width:400px;height:580px";
    for (body, wanted, rule) in [
        (frame(BFRAME, shown), FailureKind::Captcha, "recaptcha-popup"),
        (frame("https://newassets.hcaptcha.com/captcha/v1/x/static/hcaptcha.html#frame=challenge", shown), FailureKind::Captcha, "hcaptcha-popup"),
        ("<div id=tcaptcha_transform_dy style='position:absolute;top:9px;width:300px;height:300px'>安全验证</div>".into(), FailureKind::Captcha, "tencent-captcha"),
        ("<div class='yidun_popup'><div class=yidun_modal style='width:300px;height:300px'></div></div>".into(), FailureKind::Captcha, "yidun-popup"),
        ("<div class=geetest_panel_box style='width:300px;height:300px'></div>".into(), FailureKind::Captcha, "geetest-puzzle"),
        ("<div role=dialog>操作过于频繁，请拖动滑块完成拼图<div class=slider style='width:200px;height:40px'></div></div>".into(), FailureKind::Captcha, "slider-dialog"),
        ("<h1>登录验证</h1><input autocomplete=one-time-code placeholder=验证码>".into(), FailureKind::OneTimeCode, "one-time-code"),
        ("<div class=qr-login><p>打开 APP扫一扫</p><canvas width=160 height=160></canvas></div>".into(), FailureKind::QrLogin, "own-qr"),
        ("<div role=alert>账号已被冻结，请联系客服</div>".into(), FailureKind::AccountRestricted, "account-locked"),
        ("<div role=dialog><p>用户协议已更新，同意后才能继续使用</p><button>同意</button></div>".into(), FailureKind::Terms, "terms-gate"),
        ("<div role=dialog>请正对屏幕并眨眼<video width=200 height=200></video></div>".into(), FailureKind::Identity, "face"),
        ("<div role=alert>登录状态已失效，请重新登录</div>".into(), FailureKind::SessionExpired, "signed-out"),
        ("<div class=toast role=alert>操作过于频繁</div>".into(), FailureKind::RateLimited, "too-often"),
        ("<h1>系统维护中</h1>".into(), FailureKind::Maintenance, "maintenance-page"),
        ("<h1>Verify you are human</h1><p>Press Win+R and paste to prove it</p>".into(), FailureKind::SuspiciousPage, "fake-check"),
    ] {
        lab.server.serve("/", [html(&format!("{body}<button>签到</button>"))]);
        let failure = lab.read(vec![open("/"), click(role("button", "签到"))]).await.expect_err(&body);
        assert_eq!((failure.kind, failure.rule.as_deref()), (wanted, Some(rule)), "{body}: {}", failure.message);
    }
}

async fn a_widget_stops_only_what_it_stands_before(lab: &mut Lab) {
    let widget = "<div class=geetest_holder style='width:300px;height:44px'>点击按钮开始验证</div>";
    let beside =
        format!("<form><input name=comment>{widget}</form><form onsubmit='return false'><button>签到</button></form>");
    lab.server.serve("/", [html(&beside)]);
    lab.read(vec![open("/"), click(role("button", "签到"))]).await.unwrap();
    let before = format!("<form onsubmit='return false'>{widget}<button>签到</button></form>");
    lab.server.serve("/", [html(&before)]);
    let failure = lab.read(vec![open("/"), click(role("button", "签到"))]).await.unwrap_err();
    assert_eq!((failure.kind, failure.rule.as_deref()), (FailureKind::Captcha, Some("geetest-button")));
    // What is expected does not come: then the widget is the reason.
    lab.server.serve("/", [html(&beside)]);
    let failure =
        lab.read(vec![open("/"), step(Verb::Wait { target: one(css("#never")) }).limit(3)]).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Captcha);
}

async fn a_popup_that_fades_by_is_no_challenge(lab: &mut Lab) {
    // It comes with the click and is there for the first look after it, and gone for the second.
    let body = "<button>签到</button><script>document.querySelector('button').onclick = () => {
        document.body.insertAdjacentHTML('beforeend', '<div class=geetest_panel_box id=g style=\"width:300px;height:300px\"></div>');
        setTimeout(() => g.remove(), 250) }</script>";
    lab.server.serve("/", [html(body)]);
    lab.read(vec![open("/"), click(role("button", "签到"))]).await.unwrap();
}

async fn what_a_page_asks_is_seen_before_the_next_step_wipes_it(lab: &mut Lab) {
    let asks = "<div role=dialog>用户协议已更新，同意后才能继续使用</div>";
    let shows = format!("<button onclick=\"document.body.insertAdjacentHTML('beforeend', '{asks}')\">签到</button>");
    let button = || click(role("button", "签到"));
    let scroll = || step(Verb::Scroll(ScrollTo::Bottom));
    let wait = |target| step(Verb::Wait { target: one(css(target)) });
    let never = Condition::parse("1 == 2", &Names::default()).expect("a condition");
    let not_now = Step { when: Some(never), ..click(css("a")) };
    for then in [
        vec![open("/away")],
        vec![click(css("a"))],
        vec![click(css("#missing")).optional()],
        vec![not_now],
        vec![scroll(), wait("a")],
        vec![wait("#missing")],
        vec![step(Verb::Press { keys: "Enter".into(), on: None })],
        vec![step(Verb::Go(Go::Reload))],
    ] {
        lab.server.forget();
        lab.server.serve("/", [html(&format!("{shows}<a href=/away>文章</a>"))]);
        let failure = lab.read([vec![open("/"), button()], then.clone()].concat()).await.expect_err("it asks");
        assert_eq!(failure.kind, FailureKind::Terms, "{then:?}: {failure:?}");
        assert_eq!((lab.server.count("GET /"), lab.server.count("GET /away")), (1, 0), "{then:?}");
    }
}

async fn rules_of_the_site_come_first(lab: &mut Lab) {
    lab.site.challenges = vec![OwnChallenge { kind: "terms".into(), when: one(css("#gate")) }];
    lab.server.serve("/", [html("<div id=gate>新规则</div><button>签到</button>")]);
    let failure = lab.read(vec![open("/")]).await.unwrap_err();
    assert_eq!((failure.kind, failure.rule.as_deref()), (FailureKind::Terms, Some("community:terms")));
    lab.site.challenges.clear();
}

const FORM: &str = "<form method=post action=/login><label>用户名<input name=user></label><label>密码<input type=password name=pass></label>";

/// The steps of a sign-in. Templates with names in them belong to another module: the words are typed as they are.
fn sign_in() -> Vec<Step> {
    vec![
        open("/login"),
        fill(by(By::Label(text("用户名"))), "xiaoming"),
        fill(by(By::Label(text("密码"))), "canary-password"),
        click(role("button", "登录")).commits(),
    ]
}

/// Signs in and gives what the page said.
async fn signing_in(lab: &mut Lab, answer: Page) -> Option<sunup::run::Failure> {
    lab.server.serve("/login", [html(&format!("{FORM}<button>登录</button></form>")), answer]);
    let steps = sign_in();
    let mut prepared = lab.prepare(&steps).await.unwrap();
    prepared.signs_in = true;
    let committed = lab.visit().commit(&steps, &prepared).await;
    assert_eq!(committed, Committed::Sent { trouble: None });
    let said = lab.visit().finish(&steps, prepared).await;
    assert_eq!(lab.server.count("POST /login"), 1);
    said
}

async fn a_wrong_password_is_read_before_anything_wipes_it(lab: &mut Lab) {
    for message in [
        "<p class=error>用户名或密码不正确</p>",
        "<div role=alert>Incorrect password. Remaining attempts: 4</div>",
        "<form><span>密码错误，还可以尝试 3 次</span><input type=password></form>",
        "<p id=late class=error></p><script>setTimeout(() => late.textContent = '密码错误', 800)</script>",
    ] {
        let said = signing_in(lab, html(&format!("{message}{FORM}<button>登录</button></form>"))).await;
        let kind = said.as_ref().map(|failure| failure.kind);
        assert_eq!(kind, Some(FailureKind::CredentialsRejected), "{message}: {said:?}");
        assert!(!format!("{said:?}").contains("canary"));
        lab.server.forget();
    }
    let start = lab.clock.uptime();
    assert_eq!(signing_in(lab, html("<h1>欢迎</h1>")).await, None);
    assert!(lab.clock.uptime() - start < Duration::from_secs(3), "a page that took the password is not waited for");
}

async fn credentials_come_before_the_captcha(lab: &mut Lab) {
    let both = "<p class=error>密码错误</p><div class=geetest_panel_box style='width:300px;height:300px'></div>";
    let said = signing_in(lab, html(&format!("{both}{FORM}<button>登录</button></form>"))).await.unwrap();
    assert_eq!(said.kind, FailureKind::CredentialsRejected);
    assert!(said.message.contains("geetest-puzzle"), "{}", said.message);
}

async fn a_password_is_not_typed_beside_a_check(lab: &mut Lab) {
    let widget = "<div class=g-recaptcha>".to_owned()
        + &frame("https://www.google.com/recaptcha/api2/anchor?k=x", "width:304px;height:78px")
        + "<textarea name=g-recaptcha-response style=display:none></textarea></div>";
    lab.server.serve("/login", [html(&format!("{FORM}{widget}<button>登录</button></form>"))]);
    let failure = lab.prepare(&sign_in()).await.unwrap_err();
    assert_eq!((failure.kind, failure.rule.as_deref()), (FailureKind::Captcha, Some("recaptcha-checkbox")));
    let passed = widget.replace("display:none></textarea>", "display:none>token</textarea>");
    lab.server.serve("/login", [html(&format!("{FORM}{passed}<button>登录</button></form>"))]);
    lab.prepare(&sign_in()).await.unwrap();
}

async fn a_sign_in_form_means_signed_out(lab: &mut Lab) {
    lab.server.serve("/home", [html(&format!("{FORM}<button>登录</button></form>"))]);
    let failure = lab.read(vec![open("/home"), click(role("button", "签到")).limit(1)]).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::SessionExpired);
}

async fn a_challenge_goes_before_the_status(lab: &mut Lab) {
    let page = "<h1>community.example</h1><script src='/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=1'></script>";
    lab.server.serve("/", [html(page).status(403)]);
    let start = lab.clock.uptime();
    let failure = lab.read(vec![open("/")]).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Interstitial);
    assert!(lab.clock.uptime() - start > Duration::from_secs(12), "such checks often pass by themselves");
}

async fn the_sites_refusal_is_read(lab: &mut Lab) {
    lab.server.serve("/", [html("<p class=msg>今日名额已满</p>")]);
    lab.read(vec![open("/")]).await.unwrap();
    let refused = vec![
        Refused { target: one(css("#other")), reason: "other".into() },
        Refused { target: one(by(By::Text(text("今日名额已满")))), reason: "名额已满".into() },
    ];
    assert_eq!(lab.visit().shown_refusal(&refused, Scope::default()).await.as_deref(), Some("名额已满"));
}

/// The look of the wait is dropped, because the click looks for itself; and the root is asked for all the same.
async fn what_a_wait_saw_is_not_lost_for_the_click(lab: &mut Lab) {
    let puzzle = "<div class=geetest_panel_box style=\"width:300px;height:300px\">拖动滑块完成拼图</div>";
    let page = format!(
        "<h1>社区</h1><button id=go>签到</button><div id=host></div><script>
         host.attachShadow({{ mode: 'closed' }}).innerHTML = '{puzzle}'</script>"
    );
    lab.server.serve("/", [html(&page)]);
    let steps = vec![open("/"), step(Verb::Wait { target: one(css("#go")) }), click(css("#go"))];
    let failure = lab.read(steps).await.expect_err("the root was not opened");
    assert_eq!(failure.kind, FailureKind::Captcha, "{failure:?}");
}

/// Scripts cut texts in the middle of a character; JSON has no word for the half of one.
async fn half_a_character_breaks_no_look(lab: &mut Lab) {
    let page = "<h1 id=name></h1><button>签到</button><script>
        document.title = 'x\\ud83d'; document.getElementById('name').textContent = '晨\\ud83d';
        document.querySelector('button').title = '\\udc00';</script>";
    lab.server.serve("/", [html(page)]);
    let wait = step(Verb::Wait { target: one(css("#name")) });
    let name = element(ScalarKind::Text, css("#name"));
    let read = lab.read(vec![open("/"), wait.reads("name", name), click(role("button", "签到"))]).await;
    assert_eq!(as_text(&read.expect("a page like any other").values["name"]), "晨\u{fffd}");
    let long = format!("<button>签到{}</button>", "🌅".repeat(60));
    lab.server.serve("/", [html(&long)]);
    lab.read(vec![open("/"), click(css("button"))]).await.expect("what is shown of it is cut between characters");
}

/// Frames that can hold nothing are not entered.
async fn many_frames_hide_no_challenge(lab: &mut Lab) {
    let harmless = "<iframe srcdoc='<p>天气：晴</p>' width=200 height=60></iframe>".repeat(9);
    let blank = "<iframe width=200 height=60></iframe>".repeat(3);
    let asks = "<iframe srcdoc=\"<div class=geetest_panel_box style='width:300px;height:300px'>拖动滑块</div>\" \
                style='position:fixed;top:0;left:0;width:500px;height:500px;z-index:99'></iframe>";
    lab.server.serve("/", [html(&format!("<button>签到</button>{harmless}{blank}"))]);
    lab.read(vec![open("/"), click(role("button", "签到"))]).await.expect("nothing is asked");
    lab.server.serve("/", [html(&format!("<button>签到</button>{harmless}{blank}{asks}"))]);
    let failure = lab.read(vec![open("/"), click(role("button", "签到"))]).await.expect_err("the tenth frame asks");
    assert_eq!(failure.kind, FailureKind::Captcha, "{failure:?}");
}

/// A page's own scripts may stand in the way of ours, in both browsers. What cannot be looked at may ask for anything.
async fn a_page_that_breaks_the_look_is_not_worked_on(lab: &mut Lab) {
    let page = "<h1>社区</h1><button>签到</button><script>
        const all = Document.prototype.querySelectorAll;
        Document.prototype.querySelectorAll = function (what) {
          if (what === '*') throw new Error('broken by the page');
          return all.call(this, what);
        };</script>";
    lab.server.serve("/", [html(page)]);
    let shown = element(ScalarKind::Text, css("h1"));
    let failure = lab.read(vec![open("/").reads("name", shown)]).await.expect_err("nobody knows what it shows");
    assert_eq!(failure.kind, FailureKind::PageChanged, "{failure:?}");
    assert!(failure.message.contains("broken by the page"), "{failure:?}");
}
