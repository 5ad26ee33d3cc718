//! Sample reports for the tests. Run `SUNUP_SAMPLES=<folder> cargo test --lib report::samples -- --ignored` to write
//! them as pages to look at.

use chrono::{DateTime, NaiveDate, Utc};
use rust_decimal::Decimal;

use super::model::*;
use super::waiting::Ticket;
use crate::files::model::Language;
use crate::run::{Failure, FailureKind, Status};
use crate::values::Number;

/// A time of the sample morning, as `06:03` in Shanghai.
fn at(clock: &str) -> DateTime<Utc> {
    format!("2026-11-30T{clock}:00+08:00").parse().unwrap()
}

/// A report about nothing.
pub(super) fn empty() -> Report {
    Report {
        date: NaiveDate::from_ymd_opt(2026, 11, 30).unwrap(),
        number: 1,
        zone: chrono_tz::Asia::Shanghai,
        generated_at: at("06:21"),
        from: at("00:00"),
        to: at("06:21"),
        rehearsal: None,
        alerts: vec![],
        losses: vec![],
        calendars: vec![],
        alarms: vec![],
        dead_letters: None,
        tickets: vec![],
        sessions: vec![],
        runs: vec![],
        points: vec![],
        next_runs: vec![],
    }
}

/// A task run of this status.
pub(super) fn run(name: &str, status: Status) -> TaskRun {
    TaskRun {
        task: "community/checkin".into(),
        name: name.into(),
        site: "社区".into(),
        account: "me".into(),
        period: "2026-11-30".into(),
        status,
        failure: None,
        reason: None,
        attempts: 1,
        acted_at: None,
        verified_at: None,
        again_at: None,
        evidence: None,
        late_minutes: None,
        ticket: None,
        notices: vec![],
        drift: vec![],
        changed: false,
    }
}

fn done(name: &str, clock: &str, evidence: &str) -> TaskRun {
    let times = (Some(at(clock)), Some(at(clock)));
    TaskRun { acted_at: times.0, verified_at: times.1, evidence: Some(evidence.into()), ..run(name, Status::Success) }
}

/// Points of one account, read to their end.
pub(super) fn points(rows: Vec<PointRow>) -> AccountPoints {
    AccountPoints {
        site: "社区".into(),
        account: "me".into(),
        day: empty().date,
        read: PointsRead::Complete,
        rows,
        balance: None,
        cross_check: None,
        expected: vec![],
    }
}

/// A row of points.
pub(super) fn row(title: &str, amount: i64) -> PointRow {
    let amount = Amount::Number(Number { value: Decimal::from(amount), rounded: false });
    PointRow { time: Some(at("06:03")), title: title.into(), amount, new: true }
}

/// A row whose amount is no number.
pub(super) fn unreadable_row(title: &str, raw: &str) -> PointRow {
    PointRow { amount: Amount::Unreadable(raw.into()), ..row(title, 0) }
}

/// A ticket for a captcha.
pub(super) fn ticket(number: u32) -> Ticket {
    Ticket {
        number,
        site: "书店".into(),
        account: "me".into(),
        kind: Some(FailureKind::Captcha),
        reason: "登录页要求拖动滑块。".into(),
        page: Some("books.example/login".into()),
        what_to_do: None,
        title: Some("登录 - 书店".into()),
        rule: Some("slider-dialog".into()),
        sign_in: Some("sunup sign-in books me".into()),
        command: Some(format!("sunup tickets close {number}")),
        reopened: 0,
        since: at("06:04"),
        picture: Some("2026-11-30-books-me-captcha.png".into()),
    }
}

fn expected(task: &str, title: &str, amount: i64) -> Expected {
    Expected { task: task.into(), title: title.into(), points: Decimal::from(amount) }
}

/// Everything done.
pub(super) fn all_good() -> Report {
    let mut report = empty();
    report.runs = vec![
        done("每日签到", "06:02", "积分明细里有「每日签到」1 行"),
        done("读五篇文章", "06:03", "今日已读 5 / 5"),
        done("发一篇文章", "06:04", "文章列表里有「2026-11-30 日记」"),
        TaskRun { acted_at: None, ..done("浏览活动页", "06:01", "活动页显示「已完成」") },
    ];
    report.runs[3].status = Status::AlreadyDone;
    let mut community = points(vec![row("每日签到", 10), row("阅读任务", 20), row("发布文章", 30)]);
    community.balance = Some(Number { value: Decimal::from(1280), rounded: false });
    community.expected = vec![
        expected("每日签到", "每日签到", 10),
        expected("读五篇文章", "阅读任务", 20),
        expected("发一篇文章", "发布文章", 30),
    ];
    report.points = vec![community];
    report.next_runs = vec![NextRun {
        task: "community/checkin".into(),
        name: "每日签到".into(),
        site: "社区".into(),
        account: "me".into(),
        at: "2026-12-01T06:00:00+08:00".parse().unwrap(),
    }];
    report
}

/// A bit of everything.
pub(super) fn mixed() -> Report {
    let mut report = all_good();
    report.number = 2;
    report.alerts = vec![Alert {
        kind: Some(FailureKind::Environment),
        text: "本机时钟比站点快 6 分钟，社区的任务没有提交。".into(),
        cure: Some("timedatectl set-ntp true".into()),
    }];
    report.tickets = vec![ticket(3)];
    report.runs.truncate(1);
    report.runs[0].status = Status::Compensated;
    report.runs[0].late_minutes = Some(95);
    report.runs[0].drift = vec!["tasks/community/checkin.yaml:12:5 用了第 2 种找法".into()];
    report.runs[0].notices = vec!["今天的双倍积分活动明天结束".into()];
    let mut unproved = run("读五篇文章", Status::Unconfirmed);
    (unproved.acted_at, unproved.again_at, unproved.changed) = (Some(at("06:03")), Some(at("06:30")), true);
    unproved.evidence = Some("今日已读 4 / 5".into());
    let mut dead = run("发一篇文章", Status::Dead);
    dead.attempts = 3;
    dead.failure = Some(Failure {
        page: Some("community.example/write".into()),
        candidates: vec!["button 「发布文章」".into(), "button 「存草稿」".into()],
        picture: Some("2026-11-30-publish.png".into()),
        ..Failure::new(FailureKind::PageChanged, "No element with role button and name 发布 is displayed.")
            .at_step("tasks/community/publish.yaml:21:5 click")
    });
    let mut failed = run("浏览活动页", Status::Failed);
    (failed.attempts, failed.again_at) = (2, Some(at("07:30")));
    failed.failure = Some(Failure::new(FailureKind::ServerError, "The site answered 503 to GET /activity."));
    let mut missed = run("每周抽奖", Status::Skipped);
    (missed.attempts, missed.period) = (0, "2026-W49".into());
    missed.reason = Some(Reason { word: "missed".into(), detail: Some("机器在 06:00–09:00 没有开机".into()) });
    let mut off = run("领取节日礼包", Status::Skipped);
    (off.attempts, off.reason) = (0, Some(Reason { word: "skip".into(), detail: Some("今天没有活动".into()) }));
    let mut blocked = run("书店签到", Status::Blocked);
    (blocked.site, blocked.ticket) = ("书店".into(), Some(3));
    report.runs.extend([unproved, dead, failed, missed, off, blocked]);
    report.points = mixed_points();
    report
}

fn mixed_points() -> Vec<AccountPoints> {
    let number = |value: i64, rounded| Number { value: Decimal::from(value), rounded };
    let mut community = points(vec![row("每日签到", 10), unreadable_row("阅读任务", "+1O"), row("补签卡", -20)]);
    community.read = PointsRead::Incomplete("第 2 页没有打开".into());
    community.balance = Some(number(1255, false));
    community.cross_check =
        Some(CrossCheck { before: number(1260, false), now: number(1255, false), rows: Decimal::from(-10) });
    community.expected = vec![expected("每日签到", "每日签到", 10), expected("读五篇文章", "阅读任务", 20)];
    community.rows[0].new = false;
    let mut books = points(vec![]);
    (books.site, books.read) = ("书店".into(), PointsRead::Unknown("没有登录".into()));
    let mut airline = points(vec![row("飞行里程", 12000)]);
    airline.site = "航旅".into();
    airline.rows[0].amount = Amount::Number(number(12000, true));
    airline.balance = Some(number(35000, true));
    airline.expected = vec![expected("航旅签到", "签到", 5)];
    vec![community, books, airline]
}

/// Nothing ran.
pub(super) fn nothing_ran() -> Report {
    let mut report = empty();
    report.alerts = vec![Alert {
        kind: Some(FailureKind::Environment),
        text: "没有找到浏览器 firefox。".into(),
        cure: Some("apt install firefox-esr".into()),
    }];
    report
}

/// Every task failed, in a rehearsal.
pub(super) fn all_failed() -> Report {
    let mut report = all_good();
    report.rehearsal = Some(Rehearsal {
        scenario: Some("5xx always".into()),
        refused_hosts: vec!["cdn.example".into(), "ads.example".into()],
    });
    for run in &mut report.runs {
        (run.acted_at, run.verified_at, run.evidence) = (None, None, None);
        (run.status, run.attempts, run.again_at) = (Status::Failed, 2, Some(at("07:02")));
        run.failure = Some(
            Failure::new(FailureKind::ServerError, "The site answered 500 to GET /home.")
                .at_step("tasks/community/checkin.yaml:18:5 open"),
        );
    }
    report.points = vec![AccountPoints { read: PointsRead::Unknown("站点回答 500".into()), ..points(vec![]) }];
    report
}

/// Site text that attacks the report.
pub(super) fn hostile() -> Report {
    let attack = "</td><script>alert(1)</script>\r\nBcc: spy@example.org\n== 完成 ==\u{202E}{{ 77*77 }}";
    let mut report = mixed();
    report.points[0].rows[0].title = attack.into();
    report.points[0].rows[1].amount = Amount::Unreadable(attack.into());
    report.tickets[0].reason = attack.into();
    report.tickets[0].site = attack.into();
    report.runs[0].evidence = Some(attack.into());
    report.runs[0].name = attack.into();
    report.runs[2].failure.as_mut().unwrap().message = attack.repeat(100);
    report
}

#[test]
#[ignore = "writes sample reports to look at"]
fn write_samples() {
    let folder = std::path::PathBuf::from(std::env::var_os("SUNUP_SAMPLES").expect("SUNUP_SAMPLES names a folder"));
    let samples = [
        ("all-good", all_good()),
        ("mixed", mixed()),
        ("nothing-ran", nothing_ran()),
        ("all-failed", all_failed()),
        ("hostile", hostile()),
    ];
    for (name, report) in samples {
        for (tag, language) in [("zh", Language::Chinese), ("en", Language::English)] {
            let rendered = super::render(&report, language).unwrap();
            std::fs::write(folder.join(format!("{name}.{tag}.html")), &rendered.html).unwrap();
            std::fs::write(
                folder.join(format!("{name}.{tag}.txt")),
                format!("{}\n\n{}", rendered.subject, rendered.text),
            )
            .unwrap();
        }
    }
}
