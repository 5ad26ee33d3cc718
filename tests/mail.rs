//! The report's mail against a real server, read by an independent parser, and against a server that misbehaves.

#[allow(dead_code)] // `tests/morning/` uses it, too.
#[path = "mail/server.rs"]
mod server;
#[path = "mail/sink.rs"]
mod sink;

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, NaiveDate, Utc};
use secrecy::SecretString;
use serde_json::json;
use server::Server;
use sink::{Answer, Script, Sink};
use sunup::files::model::{Language, SecretSource, Smtp, SmtpTls};
use sunup::report::{
    AccountPoints, Amount, Delivery, Mail, Mailer, PointRow, PointsRead, Report, SmtpServer, TaskRun, compose,
    message_id, render,
};
use sunup::run::Status;
use sunup::values::Number;

const USER: &str = "sunup@example.org";
const PASSWORD: &str = "canary-7hb2\"密";

fn report() -> Report {
    let at: DateTime<Utc> = "2026-11-29T22:03:00Z".parse().unwrap();
    let date = NaiveDate::from_ymd_opt(2026, 11, 30).unwrap();
    let run = TaskRun {
        task: "community/checkin".into(),
        name: "每日签到".into(),
        site: "社区".into(),
        account: "me".into(),
        period: date.to_string(),
        status: Status::Success,
        failure: None,
        reason: None,
        attempts: 1,
        acted_at: Some(at),
        verified_at: Some(at),
        again_at: None,
        evidence: Some("明细里有「每日签到」".into()),
        late_minutes: None,
        ticket: None,
        notices: vec!["很长的一句话。".repeat(80)],
        drift: vec![],
        changed: false,
    };
    let row = PointRow {
        time: Some(at),
        title: "每日签到".into(),
        amount: Amount::Number(Number { value: 10.into(), rounded: false }),
        new: true,
    };
    let points = AccountPoints {
        site: "社区".into(),
        account: "me".into(),
        day: date,
        read: PointsRead::Complete,
        rows: vec![row],
        balance: None,
        cross_check: None,
        expected: vec![],
    };
    Report {
        date,
        number: 1,
        zone: chrono_tz::Asia::Shanghai,
        generated_at: at,
        from: at,
        to: at,
        rehearsal: None,
        alerts: vec![],
        alarms: vec![],
        losses: vec![],
        calendars: vec![],
        dead_letters: None,
        tickets: vec![],
        sessions: vec![],
        runs: vec![run],
        points: vec![points],
        next_runs: vec![],
    }
}

fn mail() -> Mail {
    let report = report();
    let rendered = render(&report, Language::Chinese).unwrap();
    let (from, to) = ("晨报 <sunup@example.org>", "me@example.org");
    let id = message_id(report.date, report.number, from, to).unwrap();
    compose(&rendered, from, to, &id, report.generated_at, &[]).unwrap()
}

fn settings(host: &str, port: u16, tls: SmtpTls, login: bool) -> Smtp {
    let login = login.then(|| (USER.to_owned(), SecretSource::Env("SUNUP_SMTP_PASSWORD".into())));
    Smtp { host: host.into(), port, tls, login }
}

fn mailer(port: u16, tls: SmtpTls, password: Option<&str>) -> Mailer {
    let settings = settings("localhost", port, tls, password.is_some());
    Mailer::Smtp(SmtpServer::new(&settings, password.map(SecretString::from)))
}

/// Sends to a sink that follows the script; what became of it, and what the client said.
async fn send_to(script: Script, tls: SmtpTls, password: Option<&str>) -> (Delivery, Vec<String>) {
    let sink = Sink::start(script, None).await;
    let settings = settings("localhost", sink.port, tls, password.is_some());
    // A silent sink is waited for to the end, so the end comes soon; no other test depends on the limit.
    let silent = script.iter().any(|(_, answer)| matches!(answer, Answer::Silence));
    let limit = Duration::from_secs(if silent { 1 } else { 30 });
    let server = SmtpServer::new(&settings, password.map(SecretString::from)).with_limit(limit);
    let delivery = Mailer::Smtp(server).send(&mail()).await;
    (delivery, sink.transcript().await)
}

/// Refused for good or for now, and what is said about it.
fn refused(delivery: &Delivery) -> (bool, String) {
    match delivery {
        Delivery::Refused { permanent, reason, hint } => (*permanent, format!("{reason}; {hint:?}")),
        other => panic!("not refused: {other:?}"),
    }
}

fn unreachable(delivery: &Delivery) -> String {
    match delivery {
        Delivery::Unreachable { reason, hint } => format!("{reason}; {hint:?}"),
        other => panic!("not unreachable: {other:?}"),
    }
}

#[tokio::test]
async fn a_real_server_gets_it_and_another_parser_reads_it() {
    let server = Server::start(&[]);
    assert_eq!(mailer(server.port, SmtpTls::None, None).send(&mail()).await, Delivery::Sent);
    let read = server.mail(1);
    let rendered = render(&report(), Language::Chinese).unwrap();
    assert_eq!(read["subject"], "晨报 11-30：1 项完成，+10 积分");
    assert_eq!(read["sender"], json!(["晨报", "sunup@example.org"]));
    assert_eq!(read["to"], "me@example.org");
    assert_eq!(read["message_id"], mail().message_id);
    assert_eq!(read["date"], "2026-11-29T22:03:00+00:00");
    assert_eq!(read["auto_submitted"], "auto-generated");
    assert_eq!(read["type"], "multipart/alternative");
    let part = |kind: &str| read["parts"][kind].as_str().unwrap().replace("\r\n", "\n");
    assert_eq!(part("text/plain").trim_end(), rendered.text.trim_end());
    assert_eq!(part("text/html").trim_end(), rendered.html.trim_end());
    assert_eq!(read["defects"], json!([]));
    assert!(read["longest_line"].as_u64().unwrap() <= 78);
}

#[tokio::test]
async fn a_real_server_takes_the_right_login_and_refuses_the_wrong_one() {
    let server = Server::start(&[USER, PASSWORD]);
    let (permanent, said) = refused(&mailer(server.port, SmtpTls::None, Some("wrong")).send(&mail()).await);
    assert!(permanent && said.contains("535") && said.contains("app password"), "{said}");
    let (permanent, said) = refused(&mailer(server.port, SmtpTls::None, None).send(&mail()).await);
    assert!(permanent && said.contains("530") && said.contains("wants a login"), "{said}");
    assert_eq!(server.count(), 0);
    assert_eq!(mailer(server.port, SmtpTls::None, Some(PASSWORD)).send(&mail()).await, Delivery::Sent);
    assert_eq!(server.count(), 1);
}

#[tokio::test]
async fn no_answer_to_the_mail_is_uncertain() {
    for script in [&[(".", Answer::Silence)] as Script, &[(".", Answer::HangUp)], &[(".", Answer::Say("what?"))]] {
        let (delivery, transcript) = send_to(script, SmtpTls::None, None).await;
        assert!(matches!(&delivery, Delivery::Uncertain { reason } if reason.contains("has the mail")), "{delivery:?}");
        assert!(transcript.contains(&".".to_owned()), "{script:?}");
    }
}

#[tokio::test]
async fn what_breaks_before_the_mail_was_certainly_not_sent() {
    for command in ["", "EHLO", "AUTH", "MAIL", "RCPT", "DATA"] {
        for answer in [Answer::HangUp, Answer::Silence] {
            let script: Script = Box::leak(Box::new([(command, answer)]));
            let (delivery, transcript) = send_to(script, SmtpTls::None, Some(PASSWORD)).await;
            unreachable(&delivery);
            assert!(!transcript.contains(&".".to_owned()), "{command}: {transcript:?}");
        }
    }
}

#[tokio::test]
async fn once_taken_it_is_sent_whatever_becomes_of_the_farewell() {
    for script in [&[("QUIT", Answer::HangUp)] as Script, &[("QUIT", Answer::Silence)], &[("QUIT", Answer::Say("500"))]]
    {
        assert_eq!(send_to(script, SmtpTls::None, None).await.0, Delivery::Sent, "{script:?}");
    }
}

#[tokio::test]
async fn refusals_say_whether_to_try_again_and_what_to_do() {
    use Answer::Say;
    let cases: [(Script, bool, &str); 8] = [
        (&[("RCPT", Say("451 4.7.1 greylisted"))], false, "come back in some minutes"),
        (&[("", Say("421 too busy"))], false, "come back in some minutes"),
        (&[("RCPT", Say("550 5.1.1 no such user"))], true, "report.to"),
        (&[("AUTH", Say("535 5.7.8 bad credentials"))], true, "app password"),
        (&[("AUTH", Say("535 5.7.139 basic authentication is disabled"))], true, "switched off"),
        (&[("MAIL", Say("501 sender must be the login"))], true, "report.from"),
        (&[(".", Say("552 5.3.4 message too big"))], true, "too big"),
        (&[(".", Say("451 4.3.0 disk full"))], false, "451"),
    ];
    for (script, permanent, hint) in cases {
        let (delivery, _) = send_to(script, SmtpTls::None, Some(PASSWORD)).await;
        let (found, said) = refused(&delivery);
        assert!(found == permanent && said.contains(hint), "{script:?}: {said}");
    }
}

#[tokio::test]
async fn one_attempt_is_one_login() {
    let (_, transcript) = send_to(&[("AUTH", Answer::Say("535 no"))], SmtpTls::None, Some(PASSWORD)).await;
    assert_eq!(transcript.iter().filter(|line| line.starts_with("AUTH")).count(), 1, "{transcript:?}");
}

#[tokio::test]
async fn without_tls_no_password_leaves_this_machine() {
    let (delivery, transcript) = send_to(&[], SmtpTls::StartTls, Some(PASSWORD)).await;
    let (permanent, said) = refused(&delivery);
    assert!(permanent && said.contains("does not offer STARTTLS"), "{said}");
    assert!(!transcript.iter().any(|line| line.starts_with("AUTH") || line.starts_with("MAIL")), "{transcript:?}");

    let settings = settings("mail.example.org", 25, SmtpTls::None, true);
    let server = SmtpServer::new(&settings, Some(SecretString::from(PASSWORD)));
    let (permanent, said) = refused(&Mailer::Smtp(server).send(&mail()).await);
    assert!(permanent && said.contains("clear text") && said.contains("tls: implicit"), "{said}");
}

#[tokio::test]
async fn the_wrong_tls_mode_is_named() {
    let said = unreachable(&send_to(&[], SmtpTls::Implicit, None).await.0);
    assert!(said.contains("tls: starttls"), "{said}");
    let said = unreachable(&send_to(&[("", Answer::Silence)], SmtpTls::StartTls, None).await.0);
    assert!(said.contains("tls: implicit"), "{said}");
}

#[tokio::test]
async fn no_server_is_unreachable() {
    // Bound, so that nobody else gets the port, but not listening.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let port = socket.local_addr().unwrap().port();
    let said = unreachable(&mailer(port, SmtpTls::None, None).send(&mail()).await);
    assert!(said.contains(&format!("localhost:{port}")) && said.contains("check host and port"), "{said}");
}

#[tokio::test]
async fn an_address_beyond_ascii_needs_a_server_that_carries_it() {
    let sink = Sink::start(&[], None).await;
    let mail = Mail { recipient: "我@example.org".into(), ..mail() };
    let (permanent, said) = refused(&mailer(sink.port, SmtpTls::None, None).send(&mail).await);
    assert!(permanent && said.contains("SMTPUTF8"), "{said}");
}

/// Certificate and key for `localhost`, as PEM.
fn certificate() -> (String, String) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    (made.cert.pem(), made.signing_key.serialize_pem())
}

fn tls_config(certificate: &str, key: &str) -> Arc<rustls::ServerConfig> {
    use rustls::pki_types::pem::PemObject;
    let certificate = rustls::pki_types::CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap();
    let key = rustls::pki_types::PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    Arc::new(builder.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap())
}

#[tokio::test]
async fn a_certificate_that_nobody_vouches_for_gets_no_password() {
    let (certificate, key) = certificate();
    let sink = Sink::start(&[], Some(tls_config(&certificate, &key))).await;
    let said = unreachable(&mailer(sink.port, SmtpTls::Implicit, Some(PASSWORD)).send(&mail()).await);
    assert!(said.contains("not trusted") && said.contains("SSL_CERT_FILE"), "{said}");
    assert!(sink.transcript().await.iter().all(|line| line.starts_with("TLS failed")));
}

/// The authority is named by SSL_CERT_FILE, which the process must have from its start: so this runs the test below in a
/// process of its own.
#[test]
fn a_private_authority_is_trusted_where_it_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = certificate();
    std::fs::write(folder.path().join("cert.pem"), certificate).unwrap();
    std::fs::write(folder.path().join("key.pem"), key).unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "with_a_private_authority", "--ignored", "--nocapture"])
        .env("SSL_CERT_FILE", folder.path().join("cert.pem"))
        .env("SUNUP_TEST_KEY", folder.path().join("key.pem"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
}

#[tokio::test]
#[ignore = "run by a_private_authority_is_trusted_where_it_is_named, with SSL_CERT_FILE"]
async fn with_a_private_authority() {
    let certificate = std::env::var("SSL_CERT_FILE").expect("SSL_CERT_FILE names the certificate");
    let key = std::env::var("SUNUP_TEST_KEY").expect("SUNUP_TEST_KEY names its key");
    let config = tls_config(&std::fs::read_to_string(&certificate).unwrap(), &std::fs::read_to_string(&key).unwrap());
    let sink = Sink::start(&[], Some(config)).await;
    assert_eq!(mailer(sink.port, SmtpTls::Implicit, Some(PASSWORD)).send(&mail()).await, Delivery::Sent);
    assert!(sink.transcript().await.iter().any(|line| line.starts_with("AUTH PLAIN")));

    let server = Server::start(&[USER, PASSWORD, &certificate, &key]);
    assert_eq!(mailer(server.port, SmtpTls::StartTls, Some(PASSWORD)).send(&mail()).await, Delivery::Sent);
    assert_eq!(server.mail(1)["sender"], json!(["晨报", "sunup@example.org"]));
}
