//! What each address answers.

use serde_json::json;

use crate::lab::{Lab, now};

#[tokio::test]
async fn nothing_is_on_record_at_first() {
    let lab = Lab::fresh().await;
    assert_eq!(
        lab.ask("/api/status").await.json(),
        json!({ "date": null, "runs": [], "tickets": [], "undelivered": [] })
    );
    assert_eq!(lab.ask("/api/tickets").await.json(), json!([]));
    assert_eq!(lab.ask("/api/decisions").await.json(), json!([]));
    assert_eq!(lab.ask("/api/report").await.status, 404);
    assert_eq!(lab.ask("/report").await.status, 404);
    let page = lab.ask("/").await;
    assert_eq!(page.status, 200);
    assert!(page.body.contains("今天还有 6 项") && page.body.contains("还没有发出过晨报"), "{}", page.body);
    let tasks = lab.ask("/api/tasks").await.json();
    assert_eq!(tasks[0]["task"], "books/checkin");
    assert_eq!(tasks[1]["next_at"], "2026-11-30T12:30:00Z");
    assert_eq!(tasks[4]["accounts"], json!(["main", "mum"]));
}

#[tokio::test]
async fn status_tickets_and_report_are_those_of_the_command_line() {
    let lab = Lab::filled().await;
    let status = lab.ask("/api/status").await.json();
    let standing = sunup::runner::Standing::of(&lab.project, Some(&lab.ledger), now()).unwrap();
    assert_eq!(status, sunup::runner::Standing::json(standing.as_ref()));
    assert_eq!(status["runs"].as_array().unwrap().len(), 5);
    let tickets = lab.ask("/api/tickets").await.json();
    assert_eq!((&tickets[0]["number"], &tickets[0]["kind"]), (&json!(1), &json!("captcha")));
    let report = lab.ask("/api/report").await.json();
    assert_eq!(report["date"], "2026-11-30");
    assert_eq!(lab.ask("/api/report/2026-11-30").await.json(), report);
    let date = "2026-11-24".parse().ok();
    let earlier = sunup::runner::report_again(&lab.project, &lab.ledger, date, now()).unwrap();
    assert_eq!(lab.ask("/api/report/2026-11-24").await.json(), json!(earlier));
    assert_eq!(lab.ask("/api/report/2020-01-01").await.status, 404);
    assert_eq!(lab.ask("/api/report/tomorrow").await.status, 400);
}

#[tokio::test]
async fn decisions_are_those_of_the_task_newest_first() {
    let lab = Lab::filled().await;
    let all = lab.ask("/api/decisions").await.json();
    assert!(all.as_array().unwrap().len() > 100);
    let books = lab.ask("/api/decisions?task=books/checkin").await.json();
    assert_eq!(books[0]["answer"], "ticket: #1");
    assert_eq!(books[1]["answer"], "run");
    assert!(books.as_array().unwrap().iter().all(|one| one["key"].as_str().unwrap().ends_with(":books/checkin@main")));
    let none = lab.ask("/api/decisions?task=books/nothing").await;
    assert_eq!((none.status, none.header("content-type")), (404, Some("application/problem+json")));
}

#[tokio::test]
async fn an_order_runs_once_however_often_it_is_given_at_once() {
    let lab = Lab::filled().await;
    let order = r#"{"tasks":["community/read"]}"#;
    let (one, other) = tokio::join!(lab.post("/api/run", order), lab.post("/api/run", order));
    assert_eq!((one.status, other.status), (202, 202));
    let mut answers = [one.json()["answers"][0].clone(), other.json()["answers"][0].clone()];
    answers.sort_by_key(|answer| !answer["runs"].as_bool().unwrap());
    assert_eq!(answers[0]["decision"], "run");
    assert_eq!(answers[0]["said"], "开始执行");
    assert_eq!((&answers[1]["decision"], &answers[1]["runs"]), (&json!("in_flight"), &json!(false)));
    assert_eq!(answers[1]["said"], "没有执行，正在进行");
    assert_eq!(*lab.begun.lock().unwrap(), ["2026-11-30:community/read@main"]);
}

#[tokio::test]
async fn an_order_names_tasks_that_there_are() {
    let lab = Lab::fresh().await;
    for (body, status) in [
        (r#"{"tasks":[]}"#, 422),
        (r#"{"tasks":["community/chekin"]}"#, 404),
        (r#"{"tasks":"community/checkin"}"#, 422),
        (r#"{"tasks":["community/checkin"],"force":true}"#, 422),
        (r#"{"tasks":["#, 400),
    ] {
        let reply = lab.post("/api/run", body).await;
        assert_eq!((reply.status, reply.json()["status"].as_u64()), (status, Some(status.into())), "{body}");
        assert!(reply.json()["detail"].as_str().unwrap().len() > 10, "{reply:?}");
    }
    assert!(lab.begun.lock().unwrap().is_empty());
    // A site's name stands for its tasks, as on the command line.
    assert_eq!(lab.post("/api/run", r#"{"tasks":["forum"]}"#).await.status, 202);
}

#[tokio::test]
async fn a_ticket_is_closed_once() {
    let lab = Lab::filled().await;
    assert_eq!(lab.post("/api/tickets/7/close", "").await.status, 404);
    assert_eq!(lab.post("/api/tickets/1/close", "").await.json(), json!({ "closed": 1 }));
    assert_eq!(lab.ledger.open_tickets().unwrap(), []);
    assert_eq!(lab.ledger.closed_by(1).unwrap().as_deref(), Some(sunup::ledger::BY_A_PERSON));
    assert_eq!(lab.post("/api/tickets/1/close", "").await.status, 404);
}

#[tokio::test]
async fn closing_makes_no_ledger_where_there_is_none() {
    let lab = Lab::fresh().await;
    std::fs::remove_file(lab.data.join("ledger.db")).unwrap();
    assert_eq!(lab.post("/api/tickets/1/close", "").await.status, 404);
    assert!(!lab.data.join("ledger.db").exists());
}

#[tokio::test]
async fn the_page_says_what_is_and_why_not() {
    let lab = Lab::filled().await;
    let page = lab.ask("/").await.body;
    for said in [
        "1 件事需要你",
        "请你自己打开这个站点，完成人机验证。",
        "sunup tickets close 1",
        "页面变了：页面上没有“发布”按钮",
        "tasks/forum/post.yaml:14:5 click",
        "最近 30 天：26 天完成，1 天未证实、等你或错过，1 天没做成，2 天不用做",
        "下次 明天 06:00",
        "账号 mum",
        "今天 20:30".trim_start_matches("今天 "),
        "发给 reader@example.org 的邮件没有送达",
        "/report/2026-11-30",
    ] {
        assert!(page.contains(said) || page.contains(&said.replace('/', "&#x2f;")), "{said} is not in {page}");
    }
    let fragment = lab.ask("/board").await.body;
    assert!(page.contains(fragment.trim()), "the part that is fetched again is the page's own");
}

#[tokio::test]
async fn what_is_wrong_with_daemon_and_files_stands_on_top() {
    let lab = Lab::fresh().await;
    lab.change(|health| {
        health.files_fault = Some("sunup.yaml:2:1 <b>no zone</b>".into());
        health.round_fault = Some("the disk is full".into());
    });
    let page = lab.ask("/").await.body;
    assert!(page.contains("文件有错，仍按改动之前的执行：sunup.yaml:2:1 &lt;b&gt;no zone"), "{page}");
    assert!(page.contains("上一轮中断了：the disk is full"));
}

#[tokio::test]
async fn the_report_is_a_page_without_scripts() {
    let lab = Lab::filled().await;
    let report = lab.ask("/report/2026-11-30").await;
    assert_eq!(report.status, 200);
    assert!(report.body.contains("1 件事需要你"));
    let policy = report.header("content-security-policy").unwrap();
    assert!(policy.contains("sandbox") && !policy.contains("script"), "{policy}");
}

#[tokio::test]
async fn pictures_are_those_of_the_folder_and_nothing_else() {
    let lab = Lab::filled().await;
    let picture = lab.ask("/pictures/20261129T220300000Z-captcha.png").await;
    assert_eq!((picture.status, picture.header("content-type")), (200, Some("image/png")));
    std::fs::write(lab.data.join("secret.png"), "x").unwrap();
    for path in [
        "/pictures/../secret.png",
        "/pictures/..%2fsecret.png",
        "/pictures/%2e%2e%2fsecret.png",
        "/pictures/..%5csecret.png",
        "/pictures/.png",
        "/pictures/none.png",
        "/pictures//etc/passwd",
        "/page.css/../../ledger.db",
        "/..%2f..%2fetc/passwd",
    ] {
        assert_eq!(lab.ask(path).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn metrics_are_open_metrics_with_the_tasks_of_the_files_as_labels() {
    let lab = Lab::filled().await;
    let reply = lab.ask("/metrics").await;
    assert_eq!(reply.header("content-type"), Some("application/openmetrics-text; version=1.0.0; charset=utf-8"));
    for line in [
        r#"sunup_keys{status="success"} 2.0"#,
        r#"sunup_keys{status="unconfirmed"} 1.0"#,
        r#"sunup_attempts_total{task="community/checkin",status="success"} 26"#,
        r#"sunup_last_verified_timestamp_seconds{task="community/checkin"} 1795989960"#,
        "sunup_open_tickets 1.0",
        r#"sunup_health{answer="last_failed"} 1.0"#,
        r#"sunup_health{answer="fresh"} 0.0"#,
        "# EOF",
    ] {
        assert!(reply.body.contains(line), "{line} is not in\n{}", reply.body);
    }
    // A task that was taken out of the files is one label with all others that were.
    lab.change(|health| {
        let mut project = (*health.project).clone();
        project.sites.retain(|site| site.id != "books" && site.id != "forum");
        health.project = project.into();
    });
    let body = lab.ask("/metrics").await.body;
    assert!(!body.contains("forum/post") && body.contains(r#"task="(gone)",status="dead""#), "{body}");
}
