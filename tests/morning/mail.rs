//! The report on its way, from a real run: to a real server, to none, and to one that goes silent.
//!
//! A real run cannot reach the invented site, so these are mornings without a driver: nothing is tried, and the report
//! says why.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::json;
use sunup::clock::{Clock, SystemClock};
use sunup::ledger::Ledger;
use tokio::io::BufStream;
use tokio::net::{TcpListener, TcpSocket};

use crate::server::Server;
use crate::sink::{Answer, serve};
use crate::stage::{Morning, Stage};
use crate::support::{run, start};

/// The files of a real run without a driver, whose mails go to this port.
fn stage(port: u16) -> Stage {
    let stage = Stage::at_noon();
    stage.edit("sunup.yaml", "driver: geckodriver", "driver: /nowhere/geckodriver");
    stage.edit("sunup.yaml", "host: smtp.example.org", "host: 127.0.0.1");
    stage.edit("sunup.yaml", "port: 465", &format!("port: {port}"));
    stage.edit("sunup.yaml", "tls: implicit", "tls: none");
    stage.edit("sunup.yaml", "    username: sunup@example.org\n", "");
    stage.edit("sunup.yaml", "    password: { env: SUNUP_SMTP_PASSWORD }\n", "");
    stage
}

/// A port on which nobody listens, and nobody else will while this lives.
fn silent_port() -> (TcpSocket, u16) {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let port = socket.local_addr().expect("its address").port();
    (socket, port)
}

/// The mail in the outbox, byte for byte.
async fn kept_mail(stage: &Stage) -> String {
    run(stage.sunup(&["report", "--format", "eml"])).await.stdout
}

#[tokio::test]
async fn a_morning_in_which_nothing_runs_is_mailed() {
    let server = Server::start(&[]);
    let stage = stage(server.port);
    let morning = run(stage.real_run(&[])).await;
    assert_eq!(morning.code, 4, "tasks failed, and the report was delivered: {morning}");

    assert_eq!(server.count(), 1);
    let mail = server.mail(1);
    assert_eq!(mail["sender"], json!(["晨报", "sunup@example.org"]));
    assert_eq!(mail["to"], "reader@example.org");
    let subject = mail["subject"].as_str().expect("a subject");
    assert!(subject.starts_with("晨报 ") && subject.contains("3 项没成功"), "{subject}");
    let part = |kind: &str| mail["parts"][kind].as_str().expect("a part").replace("\r\n", "\n");
    assert_eq!(part("text/plain").trim_end(), morning.stdout.trim_end(), "what was printed is what was mailed");
    for part in [part("text/plain"), part("text/html")] {
        assert!(part.contains("每日签到") && part.contains("开发者社区"), "{part}");
        assert!(part.contains("/nowhere/geckodriver") && part.contains("cargo install --locked geckodriver"), "{part}");
        assert!(!part.contains('\u{fffd}'), "{part}");
    }
    assert_eq!(mail["defects"], json!([]));
    told_again_when_its_bytes_are_gone(&stage).await;
}

/// The mail of long ago is kept no more; its report is rendered from the keys as before.
async fn told_again_when_its_bytes_are_gone(stage: &Stage) {
    let report = async |format| run(stage.sunup(&["report", "--format", format])).await;
    let before = report("html").await;
    let in_a_season = SystemClock::new().now() + chrono::TimeDelta::days(100);
    Ledger::open(&stage.place.path("data")).and_then(|ledger| ledger.trim(in_a_season)).expect("a ledger");
    let after = report("html").await;
    assert_eq!((after.code, after.stdout), (0, before.stdout));
    let mail = report("eml").await;
    assert!(mail.code == 1 && mail.stdout.is_empty() && mail.stderr.contains("kept for 60 days"), "{mail}");
}

#[tokio::test]
async fn without_a_server_the_mail_waits_and_the_next_run_delivers_the_same() {
    let (_nobody, port) = silent_port();
    let stage = stage(port);
    let first = Morning::of(run(stage.real_run(&["--json"])).await);
    assert_eq!(first.outcome.code, 6, "{}", first.outcome);
    assert_eq!(first.json["undelivered"][0]["to"], "reader@example.org");

    let status = Morning::of(run(stage.sunup(&["status", "--json"])).await);
    assert_eq!(status.outcome.code, 6, "{}", status.outcome);
    let waiting = &status.json["undelivered"][0];
    assert_eq!((&waiting["state"], &waiting["tries"]), (&json!("queued"), &json!(1)), "{}", status.outcome);
    let error = waiting["error"].as_str().expect("an error");
    assert!(error.contains(&format!("127.0.0.1:{port}")), "{error}");
    let kept = kept_mail(&stage).await;

    let server = Server::start(&[]);
    stage.edit("sunup.yaml", &format!("port: {port}"), &format!("port: {}", server.port));
    let second = Morning::of(run(stage.real_run(&["--json"])).await);
    assert_eq!(second.outcome.code, 4, "{}", second.outcome);
    assert_eq!((second.json["undelivered"].clone(), server.count()), (json!([]), 1), "{}", second.outcome);
    // The end of a mail is told by a line of its own, before which one more line break is sent.
    assert_eq!(server.raw(1).strip_suffix(b"\r\n"), Some(kept.as_bytes()), "not the very bytes that were kept");

    run(stage.real_run(&[])).await;
    assert_eq!(server.count(), 1, "a third run has nothing to deliver");
}

#[tokio::test]
async fn a_server_that_goes_silent_gets_the_mail_twice_at_the_most() {
    let (port, mails) = forgetful().await;
    let stage = stage(port);
    let first = Morning::of(run(stage.real_run(&["--json"])).await);
    assert_eq!(first.outcome.code, 6, "{}", first.outcome);
    assert_eq!(first.json["undelivered"][0]["state"], "uncertain", "{}", first.outcome);
    assert_eq!(mails.load(Ordering::SeqCst), 2, "one resend: {}", first.outcome);

    let second = Morning::of(run(stage.real_run(&["--json"])).await);
    assert_eq!(second.outcome.code, 6, "{}", second.outcome);
    assert_eq!(mails.load(Ordering::SeqCst), 2, "no third: {}", second.outcome);
}

/// A server that takes each mail to its end, counts it, and hangs up without a word.
async fn forgetful() -> (u16, Arc<AtomicU32>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("its address").port();
    let mails = Arc::new(AtomicU32::new(0));
    let counted = mails.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let said = serve(BufStream::new(stream), &[(".", Answer::HangUp)]).await;
            counted.fetch_add(said.iter().filter(|line| *line == ".").count() as u32, Ordering::SeqCst);
        }
    });
    (port, mails)
}

/// The subjects of all mails that the server kept, in their order.
fn subjects(server: &Server) -> Vec<String> {
    let subject = |number| server.mail(number)["subject"].as_str().expect("a subject").to_owned();
    (1..=server.count()).map(subject).collect()
}

#[tokio::test]
async fn a_reminder_is_a_mail_of_its_own_that_comes_once_and_whole() {
    let (_nobody, port) = silent_port();
    let stage = stage(port);
    stage.edit("sunup.yaml", "until: \"23:30\"", "until: \"23:30\"\n  remind: \"06:10\"");
    let first = Morning::of(run(stage.real_run(&["--json"])).await);
    assert_eq!(first.json["undelivered"].as_array().map(Vec::len), Some(2), "report and reminder: {}", first.outcome);

    // Whoever stored it is gone; the next run sends what is stored, and makes no other.
    let server = Server::start(&[]);
    stage.edit("sunup.yaml", &format!("port: {port}"), &format!("port: {}", server.port));
    let second = run(stage.real_run(&[])).await;
    let subjects = subjects(&server);
    assert_eq!(subjects.len(), 2, "{second}");
    assert!(subjects[0].starts_with("晨报 "), "{subjects:?}");
    assert!(subjects[1].contains("还没完成：") && subjects[1].contains("每日签到"), "{subjects:?}");
    let reminder = server.mail(2);
    assert_eq!((&reminder["to"], &reminder["defects"]), (&json!("reader@example.org"), &json!([])));
    let text = reminder["parts"]["text/plain"].as_str().expect("a text");
    assert!(text.contains("/nowhere/geckodriver"), "it says why: {text}");
    let kept = kept_mail(&stage).await;
    assert_eq!(server.raw(1).strip_suffix(b"\r\n"), Some(kept.as_bytes()), "`report` shows the report's mail");

    run(stage.real_run(&[])).await;
    assert_eq!(server.count(), 2, "a third run has nothing to tell");
}

#[tokio::test]
async fn killed_between_storing_and_sending_a_run_leaves_one_reminder_to_the_next() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("its address").port();
    let stage = stage(port);
    stage.edit("sunup.yaml", "until: \"23:30\"", "until: \"23:30\"\n  remind: \"06:10\"");
    let mut first = start(stage.real_run(&[]));
    let _waits_for_a_greeting = listener.accept().await.expect("a connection");
    first.kill().await.expect("it is killed");

    let server = Server::start(&[]);
    stage.edit("sunup.yaml", &format!("port: {port}"), &format!("port: {}", server.port));
    for _ in 0..2 {
        let next = run(stage.real_run(&[])).await;
        let reminders = subjects(&server).into_iter().filter(|subject| subject.contains("还没完成"));
        assert_eq!(reminders.count(), 1, "{next}");
    }
}
