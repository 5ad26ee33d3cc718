//! Heartbeats: somebody else notices when no morning comes. Pings go out beside the work, in their order; one that does not
//! get through is a line in the log, and no more.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use secrecy::SecretString;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use url::Url;

use super::{Progress, Watch};
use crate::files::model::TextSource;
use crate::ledger::StatusLine;
use crate::run::Status;
use crate::secrets::{Redactor, Resolver};

/// One ping may take so long.
const PING_LIMIT: Duration = Duration::from_secs(5);
/// What is still on its way at the end of a run is waited for so long.
const END_LIMIT: Duration = Duration::from_secs(10);

/// Shorter parts of an address are words, such as `ping`.
const SECRET_PART: usize = 8;

/// What is told, by the convention of Healthchecks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beat {
    Start,
    Success,
    Fail,
}

#[derive(Debug)]
struct Ping {
    to: TextSource,
    beat: Beat,
    line: String,
}

/// Watches a run, and pings.
pub(super) struct Heartbeat<'a> {
    watch: &'a dyn Watch,
    of_run: Option<&'a TextSource>,
    pings: mpsc::UnboundedSender<Ping>,
    sender: JoinHandle<()>,
}

impl<'a> Heartbeat<'a> {
    /// `of_run` is pinged for the run as a whole, if it is given; each task that has a heartbeat for itself.
    pub fn beside(
        watch: &'a dyn Watch,
        of_run: Option<&'a TextSource>,
        resolver: &Resolver,
        redactor: &Redactor,
    ) -> Self {
        let (pings, queue) = mpsc::unbounded_channel();
        let sender = tokio::spawn(send_all(queue, resolver.clone(), redactor.clone()));
        Heartbeat { watch, of_run, pings, sender }
    }

    /// The run begins.
    pub fn run_begins(&self) {
        self.beat(self.of_run, Beat::Start, String::new());
    }

    /// The run has ended so.
    pub fn run_ends(&self, well: bool, line: String) {
        self.beat(self.of_run, if well { Beat::Success } else { Beat::Fail }, line);
    }

    /// Waits for what is still on its way, within bounds.
    pub async fn end(self) {
        drop(self.pings);
        let abort = self.sender.abort_handle();
        if tokio::time::timeout(END_LIMIT, self.sender).await.is_err() {
            abort.abort();
            tracing::warn!("heartbeats were still on their way when the run had ended, and were given up");
        }
    }

    fn beat(&self, to: Option<&TextSource>, beat: Beat, line: String) {
        if let Some(to) = to {
            // The other end is there until `end`.
            let _ = self.pings.send(Ping { to: to.clone(), beat, line });
        }
    }
}

impl Watch for Heartbeat<'_> {
    fn tell(&self, progress: Progress<'_>) {
        match &progress {
            Progress::Started { task, .. } => self.beat(task.heartbeat.as_ref(), Beat::Start, String::new()),
            Progress::Rests { task, key, status, failure, reason, .. } => {
                if let Some(beat) = beat_of(*status, *reason) {
                    let why = failure.map(|failure| failure.message.as_str()).or(*reason).filter(|_| !status.is_done());
                    let line = format!("{key}: {status}{}", why.map(|why| format!(": {why}")).unwrap_or_default());
                    self.beat(task.heartbeat.as_ref(), beat, line);
                }
            }
            Progress::Browser { .. } | Progress::Waiting(_) => {}
        }
        self.watch.tell(progress);
    }
}

/// What a status means to whoever watches from outside; nothing yet, for what is still under way.
fn beat_of(status: Status, reason: Option<&str>) -> Option<Beat> {
    match status {
        Status::Success | Status::AlreadyDone | Status::Compensated => Some(Beat::Success),
        Status::Skipped if matches!(reason, Some("missed" | "period_over")) => Some(Beat::Fail),
        Status::Skipped => Some(Beat::Success),
        Status::Failed | Status::Blocked | Status::Dead => Some(Beat::Fail),
        Status::Pending | Status::Running | Status::Unconfirmed => None,
    }
}

/// How a run of these keys ended, in one line, and whether that is well.
pub(super) fn verdict(keys: &[StatusLine]) -> (bool, String) {
    let is_bad = |key: &&StatusLine| beat_of(key.status, key.reason.as_deref()) == Some(Beat::Fail);
    let done = keys.iter().filter(|key| key.status.is_done()).count();
    let bad: Vec<String> = keys.iter().filter(is_bad).map(|key| format!("{}: {}", key.row.key, key.status)).collect();
    let line = format!("{done} of {} done{}{}", keys.len(), if bad.is_empty() { "" } else { "; " }, bad.join(", "));
    (bad.is_empty(), line)
}

async fn send_all(mut queue: mpsc::UnboundedReceiver<Ping>, resolver: Resolver, redactor: Redactor) {
    while let Some(ping) = queue.recv().await {
        let sent = tokio::time::timeout(PING_LIMIT, send(&ping, &resolver, &redactor)).await;
        match sent.context("no answer in time").and_then(|sent| sent) {
            Ok(()) => tracing::debug!(beat = ?ping.beat, "heartbeat"),
            Err(error) => tracing::warn!("the heartbeat was not heard: {}", redactor.redact(&format!("{error:#}"))),
        }
    }
}

async fn send(ping: &Ping, resolver: &Resolver, redactor: &Redactor) -> Result<()> {
    let text = resolver.text(&ping.to).await?;
    // Who knows the URL can say that all is well.
    redactor.add(&SecretString::from(text.clone()));
    let mut url = Url::parse(&text).context("the heartbeat's URL is not one")?;
    // In its parts too, as logs of connections have them; the host is no secret.
    for part in url.path().split('/').chain(url.query()).chain(url.password()).filter(|part| part.len() >= SECRET_PART)
    {
        redactor.add(&SecretString::from(part));
    }
    let word = match ping.beat {
        Beat::Start => Some("start"),
        Beat::Success => None,
        Beat::Fail => Some("fail"),
    };
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(word);
    }
    let client = reqwest::Client::builder().timeout(PING_LIMIT).connect_timeout(PING_LIMIT);
    let client = if is_loopback(&url) { client.no_proxy() } else { client };
    let request = client.build()?.post(url).body(ping.line.clone());
    let answer = request.send().await.map_err(reqwest::Error::without_url)?;
    ensure!(answer.status().is_success(), "its answer is {}", answer.status());
    Ok(())
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;
    use crate::runner::Quiet;

    /// Answers so many requests with this status, and gives their first line and body.
    async fn hears(listener: TcpListener, requests: usize, status: &str) -> Vec<String> {
        let mut heard = Vec::new();
        for _ in 0..requests {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut text = String::new();
            let mut buffer = [0; 1024];
            let whole = |text: &str| {
                let (head, body) = text.split_once("\r\n\r\n")?;
                let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
                (body.len() >= length.map_or(Ok(0), str::parse).ok()?).then_some(())
            };
            while whole(&text).is_none() {
                let length = stream.read(&mut buffer).await.unwrap();
                assert!(length > 0, "half a request: {text}");
                text.push_str(std::str::from_utf8(&buffer[..length]).unwrap());
            }
            let (head, body) = text.split_once("\r\n\r\n").unwrap();
            heard.push(format!("{} {body}", head.lines().next().unwrap_or_default()));
            let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
        heard
    }

    async fn listener() -> (TcpListener, TextSource) {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/ping/secret-uuid?rid=7", listener.local_addr().unwrap());
        (listener, TextSource::Plain(url))
    }

    #[tokio::test]
    async fn start_success_and_fail_arrive_in_their_order() {
        let (listener, url) = listener().await;
        let redactor = Redactor::new();
        let resolver = Resolver::new(".", [], redactor.clone());
        let hears = tokio::spawn(hears(listener, 3, "200 OK"));
        let heartbeat = Heartbeat::beside(&Quiet, Some(&url), &resolver, &redactor);
        heartbeat.run_begins();
        heartbeat.run_ends(true, "3 of 3 done".to_owned());
        heartbeat.run_ends(false, "2 of 3 done; one: dead".to_owned());
        heartbeat.end().await;
        assert_eq!(
            hears.await.unwrap(),
            [
                "POST /ping/secret-uuid/start?rid=7 HTTP/1.1 ",
                "POST /ping/secret-uuid?rid=7 HTTP/1.1 3 of 3 done",
                "POST /ping/secret-uuid/fail?rid=7 HTTP/1.1 2 of 3 done; one: dead",
            ]
        );
        let TextSource::Plain(url) = url else { unreachable!() };
        assert!(!redactor.redact(&url).contains("secret-uuid"), "whoever knows it can ping");
        assert_eq!(redactor.redact("POST /ping/secret-uuid/start"), "POST /ping/•••/start");
    }

    #[tokio::test]
    async fn a_server_that_is_not_there_or_says_no_disturbs_nothing() {
        let (refuses, url) = listener().await;
        let redactor = Redactor::new();
        let resolver = Resolver::new(".", [], redactor.clone());
        let ping = Ping { to: url.clone(), beat: Beat::Success, line: String::new() };
        let heard = tokio::spawn(hears(refuses, 1, "404 Not Found"));
        let told = send(&ping, &resolver, &redactor).await.unwrap_err();
        assert_eq!(told.to_string(), "its answer is 404 Not Found");
        heard.await.unwrap();
        let told = format!("{:#}", send(&ping, &resolver, &redactor).await.unwrap_err());
        assert!(!told.contains("secret-uuid"), "{told}");
        let heartbeat = Heartbeat::beside(&Quiet, Some(&url), &resolver, &redactor);
        heartbeat.run_begins();
        heartbeat.end().await;
    }

    #[test]
    fn what_is_under_way_is_neither_well_nor_ill() {
        assert_eq!(beat_of(Status::Unconfirmed, None), None);
        assert_eq!(beat_of(Status::Skipped, Some("missed")), Some(Beat::Fail));
        assert_eq!(beat_of(Status::Skipped, Some("skip: nothing to claim")), Some(Beat::Success));
        assert_eq!(beat_of(Status::Failed, None), Some(Beat::Fail));
        assert_eq!(beat_of(Status::Compensated, None), Some(Beat::Success));
    }
}
