//! A server on a free port over a ledger that was filled by its own functions, and a client that sends what it is told.

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Days, TimeDelta, Utc};
use serde_json::Value as Json;
use sunup::clock::{Clock, Instant};
use sunup::files::load;
use sunup::files::model::Project;
use sunup::ledger::{Ledger, MailState, NewMail, StoredReport, Ticket};
use sunup::run::{self, Answer as Meant, Event, Failure, FailureKind, Key, Reading, Source, Status, Which};
use sunup::runner::{Planned, plan};
use sunup::secrets::Redactor;
use sunup::serve::http::{Server, make_link};
use sunup::serve::{Answer, Front, Health, RunNow};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};

/// A clock that shows what it was set to.
pub struct SetClock(Mutex<Instant>);

#[async_trait]
impl Clock for SetClock {
    fn now(&self) -> Instant {
        *self.0.lock().unwrap()
    }

    fn uptime(&self) -> Duration {
        Duration::ZERO
    }

    async fn sleep_until(&self, _: Instant) {}

    async fn sleep_real(&self, _: Duration) {}
}

/// Half past six in Shanghai.
pub fn now() -> Instant {
    "2026-11-30T06:30:00+08:00".parse::<DateTime<Utc>>().unwrap()
}

pub struct Lab {
    pub address: SocketAddr,
    pub data: PathBuf,
    pub ledger: Ledger,
    pub project: Arc<Project>,
    pub health: watch::Sender<Health>,
    pub redactor: Redactor,
    /// Keys that the daemon's stand-in began.
    pub begun: Arc<Mutex<Vec<String>>>,
    clock: Arc<SetClock>,
    serving: tokio::task::JoinHandle<anyhow::Result<()>>,
    _folder: TempDir,
}

/// An answer of the server.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub fn json(&self) -> Json {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Lab {
    /// Nothing ever ran.
    pub async fn fresh() -> Self {
        Self::open("zh-CN").await
    }

    /// Thirty days, with all that can happen to a task.
    pub async fn filled() -> Self {
        let lab = Self::open("zh-CN").await;
        lab.fill();
        lab
    }

    pub async fn open(language: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let files = folder.path().join("files");
        write_files(&files, language);
        let project = Arc::new(load(&files).unwrap_or_else(|faults| panic!("{}", faults.render(false))));
        let data = folder.path().join("data");
        let ledger = Ledger::open_at(&data, now()).unwrap();
        let mut health = Health::at_start(project.clone(), now() - TimeDelta::days(3));
        health.seen_at = now();
        health.round_began = Some(now() - TimeDelta::minutes(29));
        health.round_ended = Some(now() - TimeDelta::minutes(8));
        health.next_round = Some(now() + TimeDelta::minutes(12));
        let (health, told) = watch::channel(health);
        let (orders, desk) = mpsc::channel(8);
        let begun = Arc::default();
        tokio::spawn(keep_desk(desk, project.clone(), Arc::clone(&begun)));
        let clock = Arc::new(SetClock(Mutex::new(now())));
        let redactor = Redactor::new();
        let front = Front { orders, health: told };
        let server = Server::new(front, &data, clock.clone(), &redactor).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(server.serve(listener));
        let lab = Lab { address, data, ledger, project, health, redactor, begun, clock, serving, _folder: folder };
        // The first answer comes when the address stands in the data folder.
        assert_eq!(lab.get("/healthz", &[]).await.status, 200);
        lab
    }

    pub fn set_time(&self, now: Instant) {
        *self.clock.0.lock().unwrap() = now;
    }

    pub fn token(&self) -> String {
        fs::read_to_string(self.data.join("serve/token")).unwrap()
    }

    pub fn link(&self) -> String {
        make_link(&self.data, self.clock.now()).unwrap()
    }

    pub fn own(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Sends a request as it stands here, with a `Host` unless there is one.
    pub async fn send(&self, line: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut text = format!("{line} HTTP/1.1\r\nconnection: close\r\n");
        let has_host = headers.iter().any(|(name, _)| *name == "host");
        if !has_host {
            text.push_str(&format!("host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() {
            text.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        self.raw(&format!("{text}\r\n{body}")).await
    }

    pub async fn raw(&self, text: &str) -> Reply {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes).await;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
        Reply { status, head: head.to_owned(), body: body.to_owned() }
    }

    pub async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Reply {
        self.send(&format!("GET {path}"), headers, "").await
    }

    /// With the token.
    pub async fn ask(&self, path: &str) -> Reply {
        self.get(path, &[("authorization", &format!("Bearer {}", self.token()))]).await
    }

    /// With the token, in JSON.
    pub async fn post(&self, path: &str, body: &str) -> Reply {
        let bearer = format!("Bearer {}", self.token());
        let headers = [("authorization", bearer.as_str()), ("content-type", "application/json")];
        self.send(&format!("POST {path}"), &headers, body).await
    }

    pub fn change(&self, change: impl FnOnce(&mut Health)) {
        self.health.send_modify(change);
    }

    pub async fn stop(mut self) {
        self.serving.abort();
        let _ = (&mut self.serving).await;
    }

    fn key_of(&self, path: &str, account: &str, days_ago: u64) -> Planned<'_> {
        let keys = plan(&self.project, now() - Days::new(days_ago));
        let is_it = |key: &Planned<'_>| {
            format!("{}/{}", key.row.lane.site, key.row.task) == path && key.row.lane.account == account
        };
        keys.into_iter().find(is_it).unwrap_or_else(|| panic!("no key of {path}@{account}"))
    }

    /// Lets these things happen to a key, a minute apart.
    pub fn play(&self, path: &str, account: &str, days_ago: u64, story: &[Event]) -> Key {
        let planned = self.key_of(path, account, days_ago);
        let key = planned.row.key.clone();
        let mut at = planned.row.window.slot;
        self.ledger.open_key(&planned.row, at).unwrap();
        self.ledger.record_decision(&key, Source::Schedule, "run", at).unwrap();
        let attempt = self.ledger.attempt_started(&key, "run", Source::Schedule, at).unwrap();
        let mut state = run::TaskRun::default();
        for event in story {
            at += TimeDelta::minutes(1);
            state.apply(at, event, &planned.rules);
            self.ledger.append("run", &key, at, event, &state).unwrap();
        }
        self.ledger.attempt_finished(attempt, &state, Duration::from_secs(60), at).unwrap();
        key
    }

    /// Thirty days: today the check-in is done, the reading waits for its evidence, the book shop asks a person, the forum
    /// fails at a step, and one account of two is done.
    pub fn fill(&self) {
        for days_ago in 1..30 {
            for path in ["community/checkin", "books/checkin"] {
                self.play(path, "main", days_ago, &history(days_ago));
            }
            let seldom =
                if days_ago % 9 == 4 { closed(Status::Dead, "no_effect") } else { closed(Status::Skipped, "skip") };
            self.play("forum/post", "main", days_ago, &seldom);
            self.play("forum/post", "mum", days_ago, &done());
        }
        self.keep_report(1);
        self.play("community/checkin", "main", 0, &done());
        self.play("community/read", "main", 0, &sent());
        let mut captcha = Failure::new(FailureKind::Captcha, "登录页要求拖动滑块完成拼图");
        captcha.page = Some("books.example/login".into());
        captcha.picture = Some("20261129T220300000Z-captcha.png".into());
        fs::create_dir_all(self.data.join("pictures")).unwrap();
        fs::write(self.data.join("pictures/20261129T220300000Z-captcha.png"), b"\x89PNG\r\n\x1a\n").unwrap();
        let key = self.play("books/checkin", "main", 0, &failing(captcha.clone()));
        let lane = self.key_of("books/checkin", "main", 0).row.lane;
        let text = captcha.message.clone();
        let arose = Some("checkin".to_owned());
        let ticket = Ticket { lane, failure: Some(captcha), task: None, arose, text, fingerprint: None };
        self.ledger.open_ticket(&ticket, now() - TimeDelta::minutes(27)).unwrap();
        self.ledger.record_decision(&key, Source::Retry, "ticket: #1", now()).unwrap();
        let changed = Failure::new(FailureKind::PageChanged, "页面上没有“发布”按钮，两种找法都没有找到")
            .at_step("tasks/forum/post.yaml:14:5 click");
        self.play("forum/post", "main", 0, &failing(changed));
        self.play("forum/post", "mum", 0, &done());
        self.keep_report(0);
    }

    /// Keeps the report of a day as it stands now, as if it had been made that morning.
    fn keep_report(&self, days_ago: u64) {
        let at = now() - Days::new(days_ago);
        let date = at.with_timezone(&self.project.settings.timezone).date_naive();
        let report = sunup::runner::assemble(&self.project, &self.ledger, date, at, None).unwrap();
        let rendered = sunup::report::render(&report, self.project.settings.language).unwrap();
        let stored = StoredReport {
            date: report.date,
            number: 1,
            rendered_at: at - TimeDelta::minutes(8),
            subject: rendered.subject,
            text: rendered.text,
            html: rendered.html,
            json: serde_json::to_string(&report).unwrap(),
        };
        let mail = NewMail {
            sender: "sunup@example.org".into(),
            recipient: "reader@example.org".into(),
            message_id: format!("<{days_ago}@example.org>"),
            bytes: b"mail".to_vec(),
        };
        self.ledger.keep_report(&stored, &[mail]).unwrap();
        for mail in self.ledger.undelivered_mails().unwrap() {
            assert!(self.ledger.mail_sending(mail.id, 0, false, at).unwrap());
            let (state, error) = match days_ago {
                0 => (MailState::Queued, Some("451 4.7.1 try again later")),
                _ => (MailState::Sent, None),
            };
            self.ledger.mail_answered(mail.id, state, Some(at + TimeDelta::minutes(20)), error, at).unwrap();
        }
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

fn closed(status: Status, reason: &str) -> Vec<Event> {
    vec![Event::Closed { status, reason: reason.to_owned() }]
}

/// What became of a day long ago.
fn history(days_ago: u64) -> Vec<Event> {
    match days_ago {
        6 => closed(Status::Dead, "no_effect"),
        13 => closed(Status::Skipped, "missed"),
        20 | 21 => closed(Status::Skipped, "holiday"),
        _ => done(),
    }
}

fn read(which: Which, answer: Meant) -> Event {
    Event::Read { which, reading: Reading { answer, values: Default::default(), notes: Vec::new() } }
}

/// Up to the commit step.
pub fn sent() -> Vec<Event> {
    vec![
        Event::Started { source: Source::Schedule },
        read(Which::Check, Meant::Todo),
        Event::Prepared { notes: Vec::new() },
        Event::Intended { generation: 0, unit: None },
        Event::Committed { trouble: None, refused: None },
        read(Which::Verify, Meant::NotYet),
    ]
}

/// The whole of it.
pub fn done() -> Vec<Event> {
    let mut story = sent();
    story.pop();
    story.push(read(Which::Verify, Meant::Done));
    story
}

/// It fails at the first read.
pub fn failing(failure: Failure) -> Vec<Event> {
    vec![Event::Started { source: Source::Schedule }, Event::ReadFailed { which: Which::Check, failure }]
}

/// Stands in for the daemon: what it began is in flight for ever.
async fn keep_desk(mut desk: mpsc::Receiver<RunNow>, project: Arc<Project>, begun: Arc<Mutex<Vec<String>>>) {
    while let Some(RunNow { tasks, answer }) = desk.recv().await {
        let keys = plan(&project, now());
        let asked = keys.iter().filter(|key| tasks.contains(&format!("{}/{}", key.row.lane.site, key.row.task)));
        let mut answers = Vec::new();
        for key in asked.map(|key| key.row.key.clone()) {
            let mut begun = begun.lock().unwrap();
            let runs = !begun.contains(&key.as_str().to_owned());
            if runs {
                begun.push(key.as_str().to_owned());
            }
            let decision = if runs { "run" } else { "in_flight" };
            answers.push(Answer { key, decision: decision.to_owned(), runs });
        }
        let _ = answer.send(answers);
    }
}

fn write_files(folder: &std::path::Path, language: &str) {
    let write = |path: &str, text: String| {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(
        "sunup.yaml",
        format!("format: 1\ntimezone: Asia/Shanghai\nlanguage: {language}\nserve: {{ listen: \"127.0.0.1:0\" }}\n"),
    );
    let one = "  main: { username: { env: A }, password: { env: B } }\n";
    let two = format!("{one}  mum: {{ username: {{ env: C }}, password: {{ env: D }} }}\n");
    let names = match language {
        "en" => [
            "Developer community",
            "Second-hand book shop",
            "Gardening forum",
            "Daily check-in",
            "Read five articles",
            "Check in and water the tree",
            "Write an entry into “What grew today”, and answer one question of a beginner",
        ],
        _ => [
            "开发者社区",
            "旧书店",
            "园艺论坛",
            "每日签到",
            "阅读五篇文章",
            "签到并浇树",
            "在“今天长出了什么”版块里写一条记录，并回答一个新手的问题",
        ],
    };
    for (id, name, accounts) in [("community", names[0], one), ("books", names[1], one), ("forum", names[2], &two)] {
        let site = format!(
            "name: {name}\norigins: [\"https://{id}.example\"]\nday: {{ timezone: Asia/Shanghai, starts_at: \"00:00\" }}\n\
             accounts:\n{accounts}sign_in:\n  check:\n    steps:\n      - fetch: /me\n        accept: [200, 401]\n        read:\n\
             \x20         status: {{ number: status }}\n          user: {{ text: json.user, optional: true }}\n\
             \x20   done: user == account.username\n    todo: status == 401\n  act: person\n  verify: check\n"
        );
        write(&format!("tasks/{id}/site.yaml"), site);
    }
    let task = |name: &str, at: &str| {
        format!(
            "name: {name}\nschedule: {{ at: \"{at}\", until: \"23:30\" }}\ncheck:\n  steps:\n    - fetch: /api/me\n      read:\n\
             \x20       signed: {{ boolean: json.signed }}\n  done: signed\n  todo: not signed\nact:\n  - open: /home\n\
             \x20 - click: {{ css: \"#checkin\" }}\n    commit: true\nverify: check\n"
        )
    };
    write("tasks/community/checkin.yaml", task(names[3], "06:00"));
    write("tasks/community/read.yaml", task(names[4], "06:00"));
    write("tasks/books/checkin.yaml", task(names[5], "06:00"));
    write("tasks/books/evening.yaml", task(names[3], "20:30"));
    write("tasks/forum/post.yaml", task(names[6], "06:15"));
}
