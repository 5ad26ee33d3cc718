//! Clicking, filling, waiting, tabs and dialogs; the commit step.

use std::time::Duration;

use sunup::browser::visit::Committed;
use sunup::browser::{Action, Browser, Command, Context, Response};
use sunup::clock::Clock;
use sunup::files::model::*;
use sunup::run::FailureKind;
use sunup::values::Value;

use crate::lab::*;
use crate::server::html;

crate::cases![
    waits_until_it_can_be_used,
    answers_as_soon_as_the_page_changes,
    what_lies_over_a_button_is_named,
    an_image_that_never_ends_does_not_matter,
    optional_steps_are_left_out,
    fields_are_emptied_typed_and_read_back,
    a_field_that_shows_another_text_fails,
    boxes_and_lists_of_options,
    a_dialog_is_answered_or_named,
    a_dialog_left_open_is_dismissed,
    a_new_tab_is_followed_and_closed_again,
    a_list_that_is_drawn_again_and_again,
    keys_and_scrolling,
    a_commit_is_sent_once,
    a_commit_that_nobody_got_is_not_sent,
    pages_outside_the_site_are_refused,
    statuses_of_pages,
    a_page_that_does_not_come_is_bounded,
    a_click_that_closes_its_tab_was_made,
    a_picture_shows_nothing_that_was_typed,
];

async fn waits_until_it_can_be_used(lab: &mut Lab) {
    let body = "<button id=go disabled onclick=\"document.title='done'\">签到</button><script>
        setTimeout(() => { go.disabled = false; go.setAttribute('aria-disabled', 'true') }, 200);
        setTimeout(() => go.removeAttribute('aria-disabled'), 500)</script>";
    lab.server.serve("/", [html(body)]);
    lab.read(vec![open("/"), click(role("button", "签到"))]).await.unwrap();
    lab.server.serve("/", [html("<button aria-disabled=true>签到</button>")]);
    let failure = lab.read(vec![open("/"), click(role("button", "签到")).limit(1)]).await.unwrap_err();
    assert!(failure.message.contains("disabled"), "{}", failure.message);
}

async fn answers_as_soon_as_the_page_changes(lab: &mut Lab) {
    lab.server.serve("/", [html("<script>setTimeout(() => document.body.append('签到成功'), 700)</script>")]);
    let start = lab.clock.uptime();
    lab.read(vec![open("/"), step(Verb::Wait { target: one(by(By::Text(text("签到成功")))) })]).await.unwrap();
    let took = lab.clock.uptime() - start;
    assert!(took >= Duration::from_millis(600) && took < Duration::from_millis(2500), "{took:?}");
}

async fn what_lies_over_a_button_is_named(lab: &mut Lab) {
    let body = "<button>签到</button><div id=streak style='position:fixed;inset:0;background:#fff'>连续签到</div>";
    lab.server.serve("/", [html(body)]);
    let failure = lab.read(vec![open("/"), click(role("button", "签到")).limit(1)]).await.unwrap_err();
    assert!(failure.message.contains("#streak"), "{}", failure.message);
    let closes = body.replace("<div id=streak", "<div id=streak onclick=this.remove()");
    lab.server.serve("/", [html(&closes)]);
    lab.read(vec![open("/"), click(css("#streak")).optional(), click(role("button", "签到"))]).await.unwrap();
}

async fn an_image_that_never_ends_does_not_matter(lab: &mut Lab) {
    lab.server.serve("/", [html("<img src=/slow.png><button>签到</button>")]);
    lab.server.serve("/slow.png", [html("").after(Duration::from_secs(60))]);
    let start = lab.clock.uptime();
    lab.read(vec![open("/"), click(role("button", "签到"))]).await.unwrap();
    assert!(lab.clock.uptime() - start < Duration::from_secs(5));
}

async fn optional_steps_are_left_out(lab: &mut Lab) {
    lab.server.serve("/", [html("<button>签到</button>")]);
    let start = lab.clock.uptime();
    lab.read(vec![open("/"), click(css("#banner .close")).optional(), click(role("button", "签到"))]).await.unwrap();
    assert!(lab.clock.uptime() - start < Duration::from_secs(3));
}

async fn fields_are_emptied_typed_and_read_back(lab: &mut Lab) {
    let body = "<label>标题<input id=title value=old></label><label>正文<textarea id=body>old</textarea></label>
        <div id=rich contenteditable><b>old</b></div>";
    lab.server.serve("/", [html(body)]);
    let value = |id: &str| element(ScalarKind::Value, css(id));
    let steps = vec![
        open("/"),
        fill(by(By::Label(text("标题"))), "日记 “一”"),
        fill(by(By::Label(text("正文"))), "第一行\n第二行"),
        fill(css("#rich"), "一\n二")
            .reads("title", value("#title"))
            .reads("body", value("#body"))
            .reads("rich", value("#rich")),
    ];
    let reading = lab.read(steps).await.unwrap();
    assert_eq!(as_text(&reading.values["title"]), "日记 “一”");
    assert_eq!(as_text(&reading.values["body"]), "第一行\n第二行");
    assert_eq!(as_text(&reading.values["rich"]), "一\n二");
}

async fn a_field_that_shows_another_text_fails(lab: &mut Lab) {
    lab.server.serve("/", [html("<input maxlength=3>")]);
    let failure = lab.read(vec![open("/"), fill(css("input"), "12345")]).await.unwrap_err();
    assert!(failure.message.contains("another text"), "{}", failure.message);
    assert!(!format!("{failure:?}").contains("12345"));
    lab.server.serve("/", [html("<form action=/sent><input></form>")]);
    let failure = lab.read(vec![open("/"), fill(css("input"), "a\nb")]).await.unwrap_err();
    assert!(failure.message.contains("one line"), "{}", failure.message);
    assert_eq!(lab.server.count("GET /sent"), 0);
}

async fn boxes_and_lists_of_options(lab: &mut Lab) {
    let body = "<label><input id=keep type=checkbox>记住我</label><label>分类<select><option>新闻<option>随 笔</select></label>";
    lab.server.serve("/", [html(body)]);
    let keep = || one(by(By::Label(text("记住我"))));
    let category = || by(By::Label(text("分类")));
    let steps = vec![
        open("/"),
        step(Verb::Tick { target: keep() }),
        step(Verb::Tick { target: keep() }).reads("ticked", ReadKind::Checked(css("#keep"))),
        step(Verb::Select { target: one(category()), option: text("随笔") })
            .reads("category", element(ScalarKind::Value, category())),
        step(Verb::Untick { target: keep() }).reads("unticked", ReadKind::Checked(css("#keep"))),
    ];
    let reading = lab.read(steps).await.unwrap();
    assert_eq!(reading.values["ticked"], Value::Boolean(true));
    assert_eq!(reading.values["unticked"], Value::Boolean(false));
    assert_eq!(as_text(&reading.values["category"]), "随 笔");
    let wrong = step(Verb::Select { target: one(category()), option: text("体育") });
    let failure = lab.read(vec![open("/"), wrong]).await.unwrap_err();
    assert_eq!(failure.candidates, ["新闻", "随 笔"]);
}

async fn a_dialog_is_answered_or_named(lab: &mut Lab) {
    let body = "<button onclick=\"document.title = confirm('确定？') ? 'yes' : 'no'; document.body.append(document.title)\">签到</button>";
    for (dialog, shown) in [(Dialog::Accept, "yes"), (Dialog::Dismiss, "no")] {
        lab.server.serve("/", [html(body)]);
        let target = one(role("button", "签到"));
        let answered = step(Verb::Click { target, opens_tab: false, dialog: Some(dialog) });
        let wait = step(Verb::Wait { target: one(Locator { exact: false, ..by(By::Text(text(shown))) }) });
        lab.read(vec![open("/"), answered, wait]).await.unwrap();
    }
    let failure = lab.read(vec![open("/"), click(role("button", "签到"))]).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::PageChanged);
    assert!(failure.message.contains("确定？"), "{}", failure.message);
    // It was dismissed: the browser goes on.
    lab.read(vec![open("/")]).await.unwrap();
}

async fn a_dialog_left_open_is_dismissed(lab: &mut Lab) {
    lab.server.serve("/", [html("<script>alert('周年庆')</script><p>x")]);
    let action = Action::Navigate(format!("{}/", lab.server.origin()));
    let command = Command { context: Context::default(), action, limit: Duration::from_secs(5) };
    assert_eq!(lab.browser.execute(command).await.unwrap(), Response::Done, "the dialog is open");
    lab.server.serve("/ok", [html("<p>x")]);
    lab.read(vec![open("/ok")]).await.unwrap();
}

async fn a_new_tab_is_followed_and_closed_again(lab: &mut Lab) {
    let body = "<button onclick=\"setTimeout(() => window.open('/article'), 400)\">阅读</button>";
    lab.server.serve("/", [html(body)]);
    lab.server.serve("/article", [html("<h1>文章</h1>")]);
    let target = one(role("button", "阅读"));
    let follow = step(Verb::Click { target, opens_tab: true, dialog: None });
    let reading = lab.read(vec![open("/"), follow.reads("title", element(ScalarKind::Text, css("h1")))]).await.unwrap();
    assert_eq!(as_text(&reading.values["title"]), "文章");
    // The next section is in the first tab again, and the other is closed.
    let shown = lab.read_page("/", ReadKind::Visible(role("button", "阅读"))).await.unwrap();
    assert_eq!(shown, Value::Boolean(true));
    let failure = lab.read(vec![open("/"), step(Verb::Go(Go::CloseTab)), open("/article")]).await.err();
    assert_eq!(failure, None, "the last tab was closed");
}

async fn a_list_that_is_drawn_again_and_again(lab: &mut Lab) {
    let body = "<div id=list></div><script>
        let clicks = 0;
        const draw = () => list.innerHTML = `<button onclick=\"clicks += 1; list.dataset.clicks = clicks\">领取</button>`;
        draw(); setInterval(draw, 150)</script>";
    lab.server.serve("/", [html(body)]);
    for _ in 0..5 {
        let clicks = scalar(
            ScalarKind::Number,
            From::Element { locator: Some(css("#list")), attribute: Some("data-clicks".into()) },
        );
        let reading = lab.read(vec![open("/"), click(role("button", "领取")).reads("clicks", clicks)]).await.unwrap();
        assert!(matches!(&reading.values["clicks"], Value::Number(number) if number.value == 1.into()), "{reading:?}");
    }
}

async fn keys_and_scrolling(lab: &mut Lab) {
    let body = "<input onkeydown=\"if (event.key == 'Enter') document.body.append('搜索了')\"><p style='margin-top:3000px' id=end></p><script>
        addEventListener('scroll', () => end.textContent = scrollY > 500 ? '到底了' : '')</script>";
    lab.server.serve("/", [html(body)]);
    let see = |shown: &str| step(Verb::Wait { target: one(Locator { exact: false, ..by(By::Text(text(shown))) }) });
    let press = step(Verb::Press { keys: "Enter".into(), on: Some(css("input")) });
    lab.read(vec![open("/"), press, see("搜索了"), step(Verb::Scroll(ScrollTo::Bottom)), see("到底了")]).await.unwrap();
}

async fn a_commit_is_sent_once(lab: &mut Lab) {
    lab.server.serve("/home", [html("<form method=post action=/checkin><button>签到</button></form>")]);
    lab.server.serve("/checkin", [html("<p>签到成功</p>")]);
    let steps = [
        open("/home"),
        click(role("button", "签到")).commits(),
        step(Verb::Wait { target: one(by(By::Text(text("签到成功")))) }),
    ];
    let prepared = lab.prepare(&steps).await.unwrap();
    assert_eq!((prepared.commit, lab.server.count("POST /checkin")), (1, 0));
    assert_eq!(lab.visit().commit(&steps, &prepared).await, Committed::Sent { trouble: None });
    assert_eq!(lab.visit().finish(&steps, prepared).await, None);
    assert_eq!(lab.server.count("POST /checkin"), 1);
}

async fn a_commit_that_nobody_got_is_not_sent(lab: &mut Lab) {
    let body = "<div id=all><button>签到</button></div><script>
        addEventListener('message', () => all.innerHTML = all.innerHTML);
        setTimeout(() => postMessage(1), 1500)</script>";
    let covered = "<button>签到</button><script>setTimeout(() => {
        document.body.insertAdjacentHTML('beforeend', '<div style=\"position:fixed;inset:0;background:#fff\">层</div>') }, 1500)</script>";
    for page in [body, covered] {
        lab.server.serve("/home", [html(page)]);
        let steps = [open("/home"), click(role("button", "签到")).commits().limit(4)];
        let prepared = lab.prepare(&steps).await.unwrap();
        lab.clock.sleep_real(Duration::from_millis(2000)).await;
        let committed = lab.visit().commit(&steps, &prepared).await;
        assert!(
            matches!(&committed, Committed::NotSent(failure) if failure.kind == FailureKind::PageChanged),
            "{committed:?}"
        );
    }
}

async fn pages_outside_the_site_are_refused(lab: &mut Lab) {
    let other = lab.server.origin().replace("127.0.0.1", "localhost");
    let failure = lab.read(vec![open(&format!("{other}/"))]).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::PageChanged);
    lab.server.serve("/out", [html("").status(302).header("location", &format!("{other}/in"))]);
    lab.server.serve("/in", [html("<p>elsewhere</p>")]);
    let failure = lab.read(vec![open("/out")]).await.unwrap_err();
    assert!(failure.message.contains("localhost"), "{}", failure.message);
}

async fn statuses_of_pages(lab: &mut Lab) {
    for (status, wanted) in [
        (401, FailureKind::SessionExpired),
        (403, FailureKind::AccessDenied),
        (404, FailureKind::PageChanged),
        (429, FailureKind::RateLimited),
        (500, FailureKind::ServerError),
        (503, FailureKind::ServerError),
    ] {
        lab.server.serve("/", [html("<p>a page with a password field: <input type=password></p>").status(status)]);
        assert_eq!(kind(&lab.read(vec![open("/")]).await), Some(wanted), "{status}");
    }
    let closed = std::net::TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).unwrap();
    lab.site.origins = vec![format!("http://{closed}"), lab.server.origin()];
    let failure = lab.read(vec![open("/")]).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Network, "{}", failure.message);
    lab.site.origins = vec![lab.server.origin()];
}

async fn a_page_that_does_not_come_is_bounded(lab: &mut Lab) {
    lab.server.serve("/", [html("<a href=/slow>去</a>")]);
    lab.server.serve("/slow", [html("").after(Duration::from_secs(60))]);
    let start = lab.clock.uptime();
    let failure = lab.read(vec![open("/slow").limit(1)]).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Timeout, "{}", failure.message);
    let failure = lab.read(vec![open("/"), click(role("link", "去")).limit(1)]).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Timeout, "{}", failure.message);
    assert!(lab.clock.uptime() - start < Duration::from_secs(8));
    // The browser lives on.
    lab.read(vec![open("/")]).await.unwrap();
}

async fn a_click_that_closes_its_tab_was_made(lab: &mut Lab) {
    lab.server.serve("/", [html("<button onclick=\"window.open('/sign')\">去签到</button>")]);
    lab.server.serve(
        "/sign",
        [html(
            "<button onclick=\"fetch('/checkin', { method: 'POST', keepalive: true }); window.close()\">签到</button>",
        )],
    );
    lab.server.serve("/checkin", [html("")]);
    let target = one(role("button", "去签到"));
    let steps = [
        open("/"),
        step(Verb::Click { target, opens_tab: true, dialog: None }),
        click(role("button", "签到")).commits(),
    ];
    let prepared = lab.prepare(&steps).await.unwrap();
    let committed = lab.visit().commit(&steps, &prepared).await;
    assert!(matches!(committed, Committed::Sent { .. }), "{committed:?}");
    // The next section is at home again.
    let shown = lab.read_page("/", ReadKind::Visible(role("button", "去签到"))).await.unwrap();
    assert_eq!(shown, Value::Boolean(true));
    assert_eq!(lab.server.count("POST /checkin"), 1);
}

async fn a_picture_shows_nothing_that_was_typed(lab: &mut Lab) {
    lab.server.serve("/", [html("<input id=name style='width:600px;height:200px;font-size:150px'><p>x</p>")]);
    let folder = lab.pictures();
    let mut pictures = Vec::new();
    for typed in ["canary-A", "WWWWWW"] {
        let steps = section(vec![open("/"), fill(css("#name"), typed), click(css("#none")).limit(1)]);
        let mut visit = lab.visit();
        visit.pictures = Some(&folder);
        let outcome = visit.read_section(&steps, Default::default()).await;
        let Err(sunup::browser::visit::Halt::Failed(failure)) = outcome else { panic!("{outcome:?}") };
        let name = failure.picture.expect("a picture");
        assert!(name.ends_with("-page_changed.png") && !name.contains("canary"), "{name}");
        pictures.push(std::fs::read(folder.join(name)).unwrap());
    }
    assert!(pictures[0].starts_with(b"\x89PNG"));
    assert!(pictures[0] == pictures[1], "what was typed can be told from the picture");
}
