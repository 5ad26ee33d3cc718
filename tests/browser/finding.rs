//! Locators, and what is displayed.

use sunup::browser::visit::Note;
use sunup::files::model::*;
use sunup::run::FailureKind;
use sunup::values::Value;

use crate::lab::*;
use crate::server::html;

crate::cases![
    every_kind_of_locator,
    a_name_is_the_whole_name,
    two_hits_are_an_error_that_lists_them,
    within_and_nth_choose,
    a_later_alternative_is_drift,
    nothing_found_names_what_is_near,
    only_what_is_displayed_counts,
    inside_open_shadow_roots_and_frames,
];

async fn every_kind_of_locator(lab: &mut Lab) {
    let body = r#"<button id=a>签 到</button><label for=b>用户名</label><input id=b value=b>
        <input id=c placeholder="请输入标题" value=c><p id=d data-testid=balance>12</p><h2 id=e>Points  of
        today</h2><span class=x>其他</span><span class=x>积分</span>"#;
    lab.server.serve("/", [html(body)]);
    for (locator, id) in [
        (role("button", "签到"), "a"),
        (by(By::Label(text("用户名"))), "b"),
        (by(By::Placeholder(text("请输入标题"))), "c"),
        (by(By::TestId(text("balance"))), "d"),
        (by(By::Text(text("Points of today"))), "e"),
        (role("heading", "Points of today"), "e"),
        (by(By::Xpath(text("//p[@data-testid]"))), "d"),
        (Locator { text: Some(text("积分")), ..css("span.x") }, ""),
        (Locator { exact: false, ..by(By::Text(text("of today"))) }, "e"),
    ] {
        let described = format!("{locator:?}");
        let from = From::Element { locator: Some(locator), attribute: Some("id".into()) };
        let read = match id {
            "" => {
                lab.read_page(
                    "/",
                    scalar(
                        ScalarKind::Text,
                        From::Element { locator: Some(css("span.x:last-of-type")), attribute: None },
                    ),
                )
                .await
            }
            _ => lab.read_page("/", scalar(ScalarKind::Text, from)).await,
        };
        let wanted = if id.is_empty() { "积分" } else { id };
        assert_eq!(as_text(&read.unwrap()), wanted, "{described}");
    }
}

async fn a_name_is_the_whole_name(lab: &mut Lab) {
    let body = "<button>已签到</button><label>补签到卡<input placeholder=请签到></label>";
    lab.server.serve("/", [html(body)]);
    for locator in [
        role("button", "签到"),
        by(By::Text(text("签到"))),
        by(By::Label(text("签到"))),
        by(By::Placeholder(text("签到"))),
    ] {
        let described = format!("{locator:?}");
        let part = Locator { exact: false, ..locator.clone() };
        let shown = lab.read_page("/", ReadKind::Visible(locator)).await.unwrap();
        assert_eq!(shown, Value::Boolean(false), "{described}");
        let shown = lab.read_page("/", ReadKind::Visible(part)).await.unwrap();
        assert_eq!(shown, Value::Boolean(true), "{described}");
    }
}

async fn two_hits_are_an_error_that_lists_them(lab: &mut Lab) {
    lab.server.serve("/", [html("<button id=one>签到</button><button id=two>签到</button>")]);
    let failure = lab.read(vec![open("/"), click(role("button", "签到"))]).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::PageChanged);
    assert!(failure.message.contains("2 elements"), "{}", failure.message);
    assert_eq!(failure.candidates, ["<button#one> “签到”", "<button#two> “签到”"]);
    assert_eq!(failure.step.as_deref(), Some("tasks/community/checkin.yaml:7:5 click"));
    assert_eq!(failure.page.as_deref(), Some(&*format!("{}/", lab.server.address)));
}

async fn within_and_nth_choose(lab: &mut Lab) {
    let body = "<div class=bar><button value=bar>发布</button></div><dialog open aria-label=确定><button value=dialog>发布</button></dialog>";
    lab.server.serve("/", [html(body)]);
    let attribute =
        |locator| scalar(ScalarKind::Text, From::Element { locator: Some(locator), attribute: Some("value".into()) });
    let within = Locator { within: Some(Box::new(role("dialog", "确定"))), ..role("button", "发布") };
    assert_eq!(as_text(&lab.read_page("/", attribute(within)).await.unwrap()), "dialog");
    let first = Locator { nth: Some(1), ..role("button", "发布") };
    assert_eq!(as_text(&lab.read_page("/", attribute(first)).await.unwrap()), "bar");
    let third = Locator { nth: Some(3), ..role("button", "发布") };
    assert_eq!(kind(&lab.read_page("/", attribute(third)).await), Some(FailureKind::PageChanged));
}

async fn a_later_alternative_is_drift(lab: &mut Lab) {
    lab.server.serve("/", [html("<button id=checkin>打卡</button>")]);
    let target = Target::Alternatives(vec![role("button", "签到"), css("#checkin")]);
    let reading = lab.read(vec![open("/"), step(Verb::Wait { target: target.clone() })]).await.unwrap();
    assert!(matches!(&reading.notes[..], [Note::Drift(text)] if text.contains("#checkin")), "{:?}", reading.notes);
    // The best one may come a little later: then there is no drift.
    let late = "<button id=checkin></button><script>setTimeout(() => checkin.textContent = '签到', 300)</script>";
    lab.server.serve("/", [html(late)]);
    let reading = lab.read(vec![open("/"), step(Verb::Wait { target })]).await.unwrap();
    assert_eq!(reading.notes, []);
}

async fn nothing_found_names_what_is_near(lab: &mut Lab) {
    lab.server.serve("/", [html("<button>立即签到</button><button>退出登录</button>")]);
    let failure = lab.read(vec![open("/"), click(role("button", "签到")).limit(1)]).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::PageChanged);
    assert_eq!(failure.candidates.first().map(String::as_str), Some("<button> “立即签到”"));
}

async fn only_what_is_displayed_counts(lab: &mut Lab) {
    let hidden = [
        "display:none",
        "visibility:hidden",
        "opacity:0",
        "opacity:.05",
        "position:absolute;top:-10000px",
        "position:absolute;left:-9999px",
        "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);font-size:0",
    ];
    for style in hidden {
        lab.server.serve("/", [html(&format!("<p>on the page</p><div style='{style}'><p id=it>积分</p></div>"))]);
        let shown = lab.read_page("/", ReadKind::Visible(css("#it"))).await.unwrap();
        assert_eq!(shown, Value::Boolean(false), "{style}");
    }
    let displayed = [
        "margin-top:5000px",
        "position:fixed;top:10px",
        "height:0;overflow:visible",
        "height:50px;overflow:auto;padding-top:300px;box-sizing:border-box",
    ];
    for style in displayed {
        lab.server.serve("/", [html(&format!("<p>on the page</p><div style='{style}'><p id=it>积分</p></div>"))]);
        let shown = lab.read_page("/", ReadKind::Visible(css("#it"))).await.unwrap();
        assert_eq!(shown, Value::Boolean(true), "{style}");
    }
    let fixed = "<div style='height:0;overflow:hidden'><div id=it style='position:fixed;top:0;width:90px;height:90px'>层</div></div>";
    lab.server.serve("/", [html(fixed)]);
    assert_eq!(lab.read_page("/", ReadKind::Visible(css("#it"))).await.unwrap(), Value::Boolean(true));
    let clipped = fixed.replace("overflow:hidden", "overflow:hidden;transform:translateX(0)");
    lab.server.serve("/", [html(&clipped)]);
    assert_eq!(lab.read_page("/", ReadKind::Visible(css("#it"))).await.unwrap(), Value::Boolean(false));
}

async fn inside_open_shadow_roots_and_frames(lab: &mut Lab) {
    let body = "<user-card></user-card><iframe id=f srcdoc='<button>内层</button><p id=x>7</p>'></iframe><script>
        document.querySelector('user-card').attachShadow({ mode: 'open' }).innerHTML = '<b id=points>1,298</b><button>领取</button>'
        </script>";
    lab.server.serve("/", [html(body)]);
    let points = lab.read_page("/", element(ScalarKind::Number, css("#points"))).await.unwrap();
    assert!(matches!(points, Value::Number(number) if number.value.to_string() == "1298"));
    let claim = lab.read_page("/", ReadKind::Visible(role("button", "领取"))).await.unwrap();
    assert_eq!(claim, Value::Boolean(true));
    let framed = Locator { frame: Some(Box::new(css("#f"))), ..css("#x") };
    let inner = lab.read_page("/", element(ScalarKind::Number, framed)).await.unwrap();
    assert!(matches!(inner, Value::Number(number) if number.value.to_string() == "7"));
    let button = Locator { frame: Some(Box::new(css("#f"))), ..role("button", "内层") };
    lab.read(vec![open("/"), click(button), click(role("button", "领取"))]).await.unwrap();
}
