//! Typed reads: from answers, from pages, from files; lists read to their end.

use std::time::Duration;

use sunup::browser::visit::{Answer, Note};
use sunup::clock::Clock;
use sunup::files::model::*;
use sunup::run::FailureKind;
use sunup::values::Value;

use crate::lab::*;
use crate::server::{html, json};

crate::cases![
    json_is_typed,
    answers_that_are_none,
    a_request_has_the_cookies_of_the_session,
    a_redirect_is_302,
    an_answer_is_bounded,
    a_table_by_its_headers,
    a_table_whose_columns_changed_is_unknown,
    items_by_locators,
    rows_that_come_one_by_one_are_all_read,
    pages_of_a_list_to_its_end,
    a_row_that_arrives_meanwhile_is_no_double,
    rows_that_look_alike_are_all_kept,
    no_rows_need_to_be_said,
    a_total_is_checked,
    a_list_without_end_is_unknown,
    only_rows_of_the_period,
    json_pages_by_cursor,
    files_as_text_and_csv,
    a_value_that_comes_late,
    a_missing_value_is_never_zero,
];

async fn json_is_typed(lab: &mut Lab) {
    lab.server.serve(
        "/api/me",
        [json(r#"{"user":"小明","signed":false,"points":1298.5,"list":[{"at":1796003999}],"none":null}"#)],
    );
    let at = |names: &[&str]| From::Json(json_path(names));
    let time = From::Json(vec![JsonStep::Name("list".into()), JsonStep::Index(0), JsonStep::Name("at".into())]);
    let step = fetch("/api/me")
        .reads("user", scalar(ScalarKind::Text, at(&["user"])))
        .reads("signed", scalar(ScalarKind::Boolean, at(&["signed"])))
        .reads("points", scalar(ScalarKind::Number, at(&["points"])))
        .reads("at", scalar(ScalarKind::Time, time))
        .reads("status", scalar(ScalarKind::Number, From::Status));
    let reading = lab.read(vec![step]).await.unwrap();
    assert_eq!(reading.answer, Answer::Reads);
    assert_eq!(as_text(&reading.values["user"]), "小明");
    assert_eq!(reading.values["signed"], Value::Boolean(false));
    assert!(matches!(&reading.values["points"], Value::Number(number) if number.value.to_string() == "1298.5"));
    assert!(matches!(&reading.values["status"], Value::Number(number) if number.value == 200.into()));
    for (names, kind) in [
        (&["user"][..], ScalarKind::Boolean),
        (&["user"], ScalarKind::Number),
        (&["points"], ScalarKind::Text),
        (&["none"], ScalarKind::Text),
        (&["missing"], ScalarKind::Text),
    ] {
        let read = lab.read(vec![fetch("/api/me").reads("x", scalar(kind, at(names)))]).await;
        assert!(read.is_err(), "{names:?} as {kind:?}");
    }
}

async fn answers_that_are_none(lab: &mut Lab) {
    for (status, wanted) in
        [(401, FailureKind::SessionExpired), (500, FailureKind::ServerError), (404, FailureKind::PageChanged)]
    {
        lab.server.serve("/api", [json("{}").status(status)]);
        assert_eq!(kind(&lab.read(vec![fetch("/api")]).await), Some(wanted), "{status}");
    }
    lab.server.serve("/api", [json("{}").status(429).header("retry-after", "120")]);
    let failure = lab.read(vec![fetch("/api")]).await.unwrap_err();
    let wait = failure.retry_at.unwrap() - lab.clock.now();
    assert_eq!(failure.kind, FailureKind::RateLimited);
    assert!((100..=120).contains(&wait.num_seconds()), "{wait}");
    lab.server.serve("/api", [json("{}").status(503).header("retry-after", "60")]);
    assert_eq!(kind(&lab.read(vec![fetch("/api")]).await), Some(FailureKind::Maintenance));
    lab.server.serve("/api", [json("{}").status(429).header("cf-mitigated", "challenge")]);
    assert_eq!(kind(&lab.read(vec![fetch("/api")]).await), Some(FailureKind::Interstitial));
    lab.server.serve("/api", [json("").header("hw-ajax-redirect", "https://auth.example/login")]);
    assert_eq!(kind(&lab.read(vec![fetch("/api")]).await), Some(FailureKind::SessionExpired));
    lab.server.serve("/api", [html("<p>login</p>")]);
    let json = scalar(ScalarKind::Text, From::Json(json_path(&["a"])));
    assert_eq!(kind(&lab.read(vec![fetch("/api").reads("a", json)]).await), Some(FailureKind::PageChanged));
}

async fn a_request_has_the_cookies_of_the_session(lab: &mut Lab) {
    lab.server.serve("/login", [html("in").header("set-cookie", "session=1; Path=/")]);
    lab.server.serve("/api", [json("{}")]);
    let mut post = fetch("/api");
    if let Verb::Fetch(fetch) = &mut post.verb {
        fetch.method = "POST".into();
        fetch.query = vec![("day".into(), text("一&二"))];
        fetch.body = FetchBody::Form(vec![("mood".into(), text("开心"))]);
    }
    lab.server.serve("/api?day=%E4%B8%80%26%E4%BA%8C", [json("{}")]);
    lab.read(vec![open("/login"), post]).await.unwrap();
    let got = lab.server.got();
    let request = got.iter().find(|got| got.line.starts_with("POST /api")).unwrap();
    assert_eq!(request.body, "mood=%E5%BC%80%E5%BF%83");
    assert_eq!(request.cookie, "session=1");
}

async fn a_redirect_is_302(lab: &mut Lab) {
    lab.server.serve("/api", [json("{}").status(307).header("location", "/login")]);
    let mut step = fetch("/api").reads("status", scalar(ScalarKind::Number, From::Status));
    assert_eq!(kind(&lab.read(vec![step.clone()]).await), Some(FailureKind::SessionExpired));
    if let Verb::Fetch(fetch) = &mut step.verb {
        fetch.accept = vec![200, 302];
    }
    let reading = lab.read(vec![step]).await.unwrap();
    assert!(matches!(&reading.values["status"], Value::Number(number) if number.value == 302.into()));
    assert_eq!(lab.server.count("GET /login"), 0);
}

async fn an_answer_is_bounded(lab: &mut Lab) {
    lab.server.serve("/api", [json(&"9".repeat(9 * 1024 * 1024))]);
    let failure = lab.read(vec![fetch("/api")]).await.unwrap_err();
    assert!(failure.message.contains("longer than 8 MiB"), "{}", failure.message);
    lab.server.serve("/api", [json("{}").after(Duration::from_secs(60))]);
    let failure = lab.read(vec![fetch("/api").limit(1)]).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Timeout);
    lab.read(vec![open("/favicon.ico")]).await.unwrap_err();
}

const TABLE: &str = "<table id=details><thead><tr><th>时间<th>事项<th>积 分<th>说明</tr></thead><tbody>
    <tr><td>2026-11-30 06:00<td>每日签到<td>+10<td><a>详情</a> x</tr>
    <tr><td>待入账<td>兑换<td>−20 积分<td></tr></tbody></table>";

fn details() -> Vec<Column> {
    vec![
        headed("time", ScalarKind::Time, "时间"),
        headed("title", ScalarKind::Text, "事项"),
        headed("amount", ScalarKind::Number, "积分"),
    ]
}

fn table() -> RowsRead {
    rows(RowsFrom::Table(css("#details")), details())
}

fn as_rows(rows: RowsRead) -> ReadKind {
    ReadKind::Rows(Box::new(rows))
}

async fn a_table_by_its_headers(lab: &mut Lab) {
    lab.server.serve("/", [html(TABLE)]);
    let read = lab.read_page("/", as_rows(table())).await.unwrap();
    assert_eq!(count(&read), 2);
    assert_eq!(
        [cell(&read, 0, "time"), cell(&read, 0, "title"), cell(&read, 0, "amount")],
        ["11-30 06:00", "每日签到", "10"]
    );
    assert_eq!([cell(&read, 1, "time"), cell(&read, 1, "amount")], ["unreadable 待入账", "-20"]);
    // The same columns in another order.
    let swapped = TABLE
        .replace("<th>时间<th>事项", "<th>事项<th>时间")
        .replace("<td>2026-11-30 06:00<td>每日签到", "<td>每日签到<td>2026-11-30 06:00");
    lab.server.serve("/", [html(&swapped)]);
    let read = lab.read_page("/", as_rows(table())).await.unwrap();
    assert_eq!([cell(&read, 0, "time"), cell(&read, 0, "title")], ["11-30 06:00", "每日签到"]);
    let part = From::Column { header: "说明".into(), part: Some(css("a")) };
    let mut columns = vec![column("link", ScalarKind::Text, part)];
    columns[0].optional = true;
    lab.server.serve("/", [html(TABLE)]);
    let read = lab.read_page("/", as_rows(rows(RowsFrom::Table(css("#details")), columns))).await.unwrap();
    assert_eq!([cell(&read, 0, "link"), cell(&read, 1, "link")], ["详情", "None"]);
}

async fn a_table_whose_columns_changed_is_unknown(lab: &mut Lab) {
    lab.server.serve("/", [html(&TABLE.replace("积 分", "积分余额"))]);
    let failure = lab.read_page("/", as_rows(table())).await.unwrap_err();
    assert!(failure.message.contains("“积分”") && failure.message.contains("“积分余额”"), "{}", failure.message);
    lab.server.serve("/", [html(&TABLE.replace("<th>说明", "<th>积分"))]);
    let failure = lab.read_page("/", as_rows(table())).await.unwrap_err();
    assert!(failure.message.contains("more than one column"), "{}", failure.message);
}

async fn items_by_locators(lab: &mut Lab) {
    let body =
        "<div class=card><h3>日 记</h3><time datetime='2026-11-30T06:00:00+08:00'>刚刚</time><b class=new>新</b></div>
        <div class=card><h3>旧文</h3><time datetime='2026-11-29T06:00:00+08:00'>昨天</time></div>";
    lab.server.serve("/", [html(body)]);
    let time = From::Element { locator: Some(css("time")), attribute: Some("datetime".into()) };
    let mut new = column("new", ScalarKind::Boolean, From::Element { locator: Some(css(".new")), attribute: None });
    new.kind = ColumnKind::Visible;
    let title = From::Element { locator: Some(role("heading", "")), attribute: None };
    let title =
        Column { source: Source { from: title, matching: None }, ..column("title", ScalarKind::Text, From::Status) };
    let mut columns = vec![title, column("time", ScalarKind::Time, time), new];
    columns[0].source.from = From::Element { locator: Some(css("h3")), attribute: None };
    let read = lab.read_page("/", as_rows(rows(RowsFrom::Items(css(".card")), columns))).await.unwrap();
    assert_eq!(
        [cell(&read, 0, "title"), cell(&read, 0, "time"), cell(&read, 0, "new")],
        ["日 记", "11-30 06:00", "Boolean(true)"]
    );
    assert_eq!([cell(&read, 1, "title"), cell(&read, 1, "new")], ["旧文", "Boolean(false)"]);
}

/// A page of points with its rows, and a link to the next page.
fn points(rows: &[&str], next: Option<&str>) -> crate::server::Page {
    let rows: String = rows.iter().map(|row| format!("<tr><td>{}</tr>", row.replace('|', "<td>"))).collect();
    let next = next.map(|path| format!("<a rel=next href='{path}'>下一页</a>")).unwrap_or_default();
    html(&format!("<table id=details><tr><th>时间<th>事项<th>积分</tr>{rows}</table>{next}<p id=total>3</p>"))
}

fn paged() -> RowsRead {
    RowsRead { next: Some(Next::Click(css("a[rel=next]"))), ..table() }
}

const A: &str = "2026-11-30 09:00|阅读|+1";
const B: &str = "2026-11-30 08:00|签到|+10";
const C: &str = "2026-11-29 08:00|签到|+10";

async fn pages_of_a_list_to_its_end(lab: &mut Lab) {
    lab.server.serve("/points", [points(&[A, B], Some("/points?page=2"))]);
    lab.server.serve("/points?page=2", [points(&[C], None)]);
    let read = lab.read_page("/points", as_rows(paged())).await.unwrap();
    assert_eq!(count(&read), 3);
    assert_eq!(cell(&read, 2, "time"), "11-29 08:00");
    // A button that is disabled at the end, over a list that the page itself redraws.
    let body = "<table id=details></table><button id=next>下一页</button><script>
        const pages = [['r1', 'r2'], ['r3', 'r4'], ['r5']]; let at = 0;
        const draw = () => { details.innerHTML = '<tr><th>事项</th></tr>' + pages[at].map(r => `<tr><td>${r}</td></tr>`).join('');
          next.disabled = at == pages.length - 1 };
        next.onclick = () => { at += 1; setTimeout(draw, 300) }; draw()</script>";
    lab.server.serve("/list", [html(body)]);
    let columns = vec![headed("title", ScalarKind::Text, "事项")];
    let list = RowsRead { next: Some(Next::Click(css("#next"))), ..rows(RowsFrom::Table(css("#details")), columns) };
    assert_eq!(count(&lab.read_page("/list", as_rows(list)).await.unwrap()), 5);
}

async fn rows_that_come_one_by_one_are_all_read(lab: &mut Lab) {
    // Each row's timer is due before the page counts as calm, so that the order does not depend on how fast they are.
    let shown = |first: &str| {
        format!(
            "<table id=details><tr><th>事项</th></tr></table><script>let left = 60;
            const add = () => {{ details.insertAdjacentHTML('beforeend', '<tr><td>' + left + '</td></tr>');
              if (--left) setTimeout(add, 10) }};
            {first}</script>"
        )
    };
    let columns = || vec![headed("title", ScalarKind::Text, "事项")];
    for first in ["add()", "setTimeout(add, 300)"] {
        lab.server.serve("/list", [html(&shown(first))]);
        let list = rows(RowsFrom::Table(css("#details")), columns());
        assert_eq!(count(&lab.read_page("/list", as_rows(list)).await.unwrap()), 60, "{first}");
    }
}

async fn a_row_that_arrives_meanwhile_is_no_double(lab: &mut Lab) {
    const NEW: &str = "2026-11-30 09:30|评论|+2";
    lab.server.serve("/points", [points(&[A, B], Some("/points?page=2")), points(&[NEW, A], Some("/points?page=2"))]);
    lab.server.serve("/points?page=2", [points(&[B, C], None)]);
    let read = lab.read_page("/points", as_rows(paged())).await.unwrap();
    assert_eq!(count(&read), 3, "the row that slid to the next page was counted twice");
}

async fn rows_that_look_alike_are_all_kept(lab: &mut Lab) {
    lab.server.serve("/points", [points(&[A, A], Some("/points?page=2"))]);
    lab.server.serve("/points?page=2", [points(&[A, C], None)]);
    let read = lab.read_page("/points", as_rows(paged())).await.unwrap();
    assert_eq!(count(&read), 4, "rows that only look alike were dropped");
}

async fn no_rows_need_to_be_said(lab: &mut Lab) {
    let list = || RowsRead {
        empty: Some(by(By::Text(text("还没有文章")))),
        ..rows(RowsFrom::Items(css(".card")), Vec::new())
    };
    lab.server.serve("/", [html("<div id=list>加载中</div>")]);
    assert_eq!(kind(&lab.read_page("/", as_rows(list())).await), Some(FailureKind::PageChanged));
    lab.server.serve("/", [html("<div id=list>还没有文章</div>")]);
    assert_eq!(count(&lab.read_page("/", as_rows(list())).await.unwrap()), 0);
    let late =
        "<div id=list>加载中</div><script>setTimeout(() => list.innerHTML = '<div class=card>一</div>', 600)</script>";
    lab.server.serve("/", [html(late)]);
    assert_eq!(count(&lab.read_page("/", as_rows(list())).await.unwrap()), 1);
}

async fn a_total_is_checked(lab: &mut Lab) {
    let total = Read { kind: element(ScalarKind::Number, css("#total")), optional: false, place: Place::default() };
    let list = || RowsRead { total: Some(total.clone()), ..paged() };
    lab.server.serve("/points", [points(&[A, B, C], None)]);
    assert_eq!(count(&lab.read_page("/points", as_rows(list())).await.unwrap()), 3);
    lab.server.serve("/points", [points(&[A, B], None)]);
    let failure = lab.read_page("/points", as_rows(list())).await.unwrap_err();
    assert!(failure.message.contains("3 rows, and 2 were read"), "{}", failure.message);
}

async fn a_list_without_end_is_unknown(lab: &mut Lab) {
    for page in 1..6 {
        let (row, next) = (format!("2026-11-30 09:0{page}|阅读|+1"), format!("/p{}", page + 1));
        lab.server.serve(&format!("/p{page}"), [points(&[&row], Some(&next))]);
    }
    let list = RowsRead { max_pages: 3, ..paged() };
    let failure = lab.read_page("/p1", as_rows(list)).await.unwrap_err();
    assert!(failure.message.contains("after 3 pages"), "{}", failure.message);
    // A next page that never comes is no end either.
    lab.server.serve("/stuck", [html(&format!("{TABLE}<a rel=next href='#'>下一页</a>"))]);
    assert_eq!(kind(&lab.read_page("/stuck", as_rows(paged())).await), Some(FailureKind::PageChanged));
}

async fn only_rows_of_the_period(lab: &mut Lab) {
    let today = lab.clock.now().with_timezone(&ZONE).date_naive();
    let row = |back: u64, title: &str| format!("{} 00:10|{title}|+1", today - chrono::Days::new(back));
    let first = [row(0, "签到"), row(1, "签到")];
    let first: Vec<&str> = first.iter().map(String::as_str).collect();
    lab.server.serve("/points", [points(&first, Some("/points?page=2"))]);
    let list = RowsRead { keep_period: true, ..paged() };
    let reading = lab.read(vec![open("/points").reads("details", as_rows(list))]).await.unwrap();
    assert_eq!(count(&reading.values["details"]), 1);
    assert_eq!(lab.server.count("GET /points?page=2"), 0, "older pages need not be read");
    assert_eq!(reading.notes, [Note::Kept("details: 1 of 2 rows kept".into())]);
}

async fn json_pages_by_cursor(lab: &mut Lab) {
    lab.server.serve("/api", [json(r#"{"list":[{"n":1,"t":{"raw":"一"}},{"n":2}],"cursor":"x1"}"#)]);
    lab.server.serve("/api?cursor=x1", [json(r#"{"list":[{"n":"3"}],"cursor":null}"#)]);
    let columns =
        vec![headed("n", ScalarKind::Number, "n"), Column { optional: true, ..headed("t", ScalarKind::Text, "t.raw") }];
    let list = RowsRead {
        next: Some(Next::Json(json_path(&["cursor"]))),
        ..rows(RowsFrom::Json(json_path(&["list"])), columns)
    };
    let reading = lab.read(vec![fetch("/api").reads("list", as_rows(list))]).await.unwrap();
    let list = &reading.values["list"];
    assert_eq!(count(list), 3);
    assert_eq!(
        [cell(list, 0, "n"), cell(list, 0, "t"), cell(list, 1, "t"), cell(list, 2, "n")],
        ["1", "一", "None", "unreadable 3"]
    );
}

async fn files_as_text_and_csv(lab: &mut Lab) {
    std::fs::write(lab.folder.path().join("a.csv"), "日期,金额\n2026-11-30,\"1,298\"\n").unwrap();
    let (gbk, ..) = encoding_rs::GBK.encode("标题\n正文");
    std::fs::write(lab.folder.path().join("gbk.md"), gbk).unwrap();
    let file = |path: &str, encoding| step(Verb::File { path: text(path), encoding });
    let columns = vec![headed("date", ScalarKind::Date, "日期"), headed("amount", ScalarKind::Number, "金额")];
    let csv = || as_rows(rows(RowsFrom::Csv, columns.clone()));
    let content = scalar(ScalarKind::Text, From::FileContent);
    let steps = vec![
        file("a.csv", FileEncoding::Utf8).reads("lines", csv()),
        file("none.csv", FileEncoding::Utf8)
            .reads("nothing", csv())
            .reads("exists", scalar(ScalarKind::Boolean, From::FileExists)),
        file("gbk.md", FileEncoding::Gbk).reads("body", content.clone()),
    ];
    let reading = lab.read(steps).await.unwrap();
    assert_eq!(cell(&reading.values["lines"], 0, "amount"), "1298");
    assert_eq!(count(&reading.values["nothing"]), 0);
    assert_eq!(reading.values["exists"], Value::Boolean(false));
    assert_eq!(as_text(&reading.values["body"]), "标题\n正文");
    let wrong = lab.read(vec![file("gbk.md", FileEncoding::Utf8).reads("body", content)]).await;
    assert_eq!(kind(&wrong), Some(FailureKind::PageChanged));
}

async fn a_value_that_comes_late(lab: &mut Lab) {
    lab.server.serve("/", [html("<b id=n>--</b><script>setTimeout(() => n.textContent = '1.2万', 500)</script>")]);
    let read = lab.read_page("/", element(ScalarKind::Number, css("#n"))).await.unwrap();
    assert!(matches!(read, Value::Number(number) if number.rounded && number.value == 12_000.into()));
}

async fn a_missing_value_is_never_zero(lab: &mut Lab) {
    lab.server.serve("/", [html("<b id=other>5</b>")]);
    let failure = lab.read_page("/", element(ScalarKind::Number, css("#balance"))).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::PageChanged);
    assert!(failure.message.contains("`it` was not read"), "{}", failure.message);
    lab.server.serve("/", [html("<b id=balance>--</b>")]);
    assert_eq!(
        kind(&lab.read_page("/", element(ScalarKind::Number, css("#balance"))).await),
        Some(FailureKind::PageChanged)
    );
    let mut optional = open("/").limit(1);
    optional.reads.push((
        "it".into(),
        Read { kind: element(ScalarKind::Text, css("#none")), optional: true, place: Place::default() },
    ));
    let reading = lab.read(vec![optional]).await.unwrap();
    assert_eq!(reading.values["it"], Value::None);
}
