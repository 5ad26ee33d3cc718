//! Failures without a page in which a secret is close: each source of secrets, the mail server, the files, the daemon.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;

use crate::canary::{Canary, SHAPES, in_yaml};
use crate::stage::Stage;
use crate::support::{Outcome, ended, run, start, until};

/// The files of a real run without a driver: every task fails at once.
fn stage() -> Stage {
    let stage = Stage::at_noon();
    stage.edit("sunup.yaml", "driver: geckodriver", "driver: /nowhere/geckodriver");
    stage
}

fn loud(mut command: Command) -> Command {
    command.env("SUNUP_LOG", "trace");
    command
}

/// Runs it, and looks at what it said and left.
async fn nothing_is_told(stage: &Stage, canary: &Canary, command: Command) -> Outcome {
    let outcome = run(loud(command)).await;
    canary.is_not_in("what was said", outcome.to_string());
    canary.look_around(stage);
    outcome
}

/// The same for the commands that tell of it afterwards.
async fn nothing_is_told_later(stage: &Stage, canary: &Canary) {
    for words in [&["status"][..], &["report"], &["report", "--format", "eml"], &["explain", "checkin"], &["tickets"]] {
        for json in [&[][..], &["--json"]] {
            nothing_is_told(stage, canary, stage.sunup(&[words, json].concat())).await;
        }
    }
}

#[tokio::test]
async fn programs_that_print_a_secret_and_fail_tell_it_to_nobody() {
    for (secret, ending) in
        [(SHAPES[0], "exit 3"), (SHAPES[1], "printf '\\377'"), (SHAPES[5], "head -c 70000 /dev/zero; kill -9 $$")]
    {
        let stage = stage();
        let canary = Canary::new(secret);
        fs::write(stage.place.path("secret"), secret).expect("a file");
        let script = format!("#!/bin/sh\ncat '{0}' >&2\ncat '{0}'\n{ending}\n", stage.place.path("secret").display());
        let program = stage.place.path("bin/ask-for-it");
        fs::write(&program, script).expect("a program");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a program");
        let command = format!("{{ command: [{}] }}", program.display());
        for (file, name) in [("tasks/community/site.yaml", "COMMUNITY_PASSWORD"), ("sunup.yaml", "SUNUP_SMTP_PASSWORD")]
        {
            stage.edit(file, &format!("{{ env: {name} }}"), &command);
        }
        let outcome = nothing_is_told(&stage, &canary, stage.real_run(&[])).await;
        assert!(
            outcome.stderr.contains("ask-for-it") || outcome.stdout.contains("ask-for-it"),
            "it was run: {outcome}"
        );
        nothing_is_told_later(&stage, &canary).await;
    }
}

#[tokio::test]
async fn a_secret_that_was_written_into_the_files_is_refused_and_not_repeated() {
    for (secret, written) in [
        (SHAPES[0], in_yaml(SHAPES[0])),
        (SHAPES[2], SHAPES[2].to_owned()),
        (SHAPES[5], format!("{{ env: {} }}", in_yaml(SHAPES[5]))),
        (SHAPES[5], format!("{{ credential: {} }}", in_yaml(&format!("../{}", SHAPES[5])))),
        // No YAML at all.
        (SHAPES[2], format!("\"{0}\" {0}", SHAPES[2])),
    ] {
        for file in ["tasks/community/site.yaml", "sunup.yaml"] {
            let stage = stage();
            let name = if file == "sunup.yaml" { "SUNUP_SMTP_PASSWORD" } else { "COMMUNITY_PASSWORD" };
            stage.edit(file, &format!("{{ env: {name} }}"), &written);
            let canary = Canary::new(secret);
            for words in [&["validate"][..], &["validate", "--json"], &["run"], &["status"], &["serve"]] {
                let outcome = nothing_is_told(&stage, &canary, stage.sunup(words)).await;
                assert_eq!(outcome.code, 3, "{written}: {outcome}");
            }
        }
    }
}

#[tokio::test]
async fn a_rehearsals_own_secrets_are_not_quoted_either() {
    for written in [format!("[{}", SHAPES[2]), format!("{0} {0}: x", SHAPES[2]), format!("{{ x: {} }}", SHAPES[2])] {
        let stage = Stage::own();
        stage.edit("fixtures/community/secrets.yaml", "rehearsal-only-sunrise", &written);
        let canary = Canary::new(SHAPES[2]);
        let outcome = nothing_is_told(&stage, &canary, stage.rehearsal("fresh")).await;
        assert!(outcome.to_string().contains("secrets.yaml"), "{outcome}");
    }
}

/// A mail server that repeats what it is told, in every answer, and says no at this command.
async fn repeating(refuses: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("its address").port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            repeat(stream, refuses).await.ok();
        }
    });
    port
}

async fn repeat(mut stream: TcpStream, refuses: &str) -> std::io::Result<()> {
    let (read, mut write) = stream.split();
    let mut lines = BufReader::new(read).lines();
    let mut heard = String::new();
    write.write_all(b"220 parrot.example\r\n").await?;
    while let Some(line) = lines.next_line().await? {
        let word = line.split(' ').next().unwrap_or_default();
        let told = STANDARD.decode(line.rsplit(' ').next().unwrap_or_default()).unwrap_or_default();
        if word == "AUTH" {
            heard = format!("{line} = {}", String::from_utf8_lossy(&told).replace('\0', " "));
        }
        let answer = match word {
            "EHLO" => "250-parrot.example\r\n250 AUTH PLAIN LOGIN".to_owned(),
            "QUIT" => "221 bye".to_owned(),
            word if word == refuses => format!("550-no, {heard}\r\n550 {}", heard.escape_default()),
            "AUTH" => format!("235 {heard}"),
            _ => format!("250 ok, {heard}"),
        };
        write.write_all(format!("{answer}\r\n").as_bytes()).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_mail_server_that_repeats_the_login_is_not_quoted() {
    for (refuses, secret) in [("AUTH", SHAPES[0]), ("RCPT", SHAPES[1]), ("MAIL", SHAPES[3])] {
        let stage = stage();
        let port = repeating(refuses).await;
        stage.edit("sunup.yaml", "host: smtp.example.org", "host: 127.0.0.1");
        stage.edit("sunup.yaml", "port: 465", &format!("port: {port}"));
        stage.edit("sunup.yaml", "tls: implicit", "tls: none");
        let canary = Canary::new(secret);
        let mut command = stage.real_run(&["--json"]);
        command.env("SUNUP_SMTP_PASSWORD", secret);
        let outcome = nothing_is_told(&stage, &canary, command).await;
        assert_eq!(outcome.code, 6, "{refuses}: {outcome}");
        assert!(outcome.stdout.contains("•••"), "it was quoted, without the secret: {outcome}");
        nothing_is_told_later(&stage, &canary).await;
    }
}

/// One request, and the whole answer.
async fn ask(address: &str, head: &str) -> String {
    let mut stream = TcpStream::connect(address).await.expect("the daemon listens");
    let request = format!("{head}\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("an answer");
    answer
}

#[tokio::test]
async fn token_link_cookie_and_heartbeat_of_a_daemon_are_told_to_nobody() {
    let stage = stage();
    stage.edit(
        "sunup.yaml",
        "schedule:\n",
        "serve: { listen: \"127.0.0.1:0\" }\nheartbeat: { url: { env: BEAT } }\nschedule:\n",
    );
    let beat = "6f1c0c2e-canary-5b7d";
    let mut daemon = stage.sunup(&["serve"]);
    daemon
        .env("COMMUNITY_USER", "linxiaoman")
        .env("COMMUNITY_PASSWORD", SHAPES[0])
        .env("SUNUP_SMTP_PASSWORD", SHAPES[1]);
    daemon.env("BEAT", format!("http://127.0.0.1:9/ping/{beat}"));
    let daemon = start(loud(daemon));
    let told = stage.data().join("serve/address");
    until("the daemon listens", || told.exists()).await;
    let address = fs::read_to_string(&told).expect("an address").lines().next().expect("a line").to_owned();
    let link = run(stage.sunup(&["open"])).await.stdout.trim().to_owned();
    let path = link.strip_prefix(&format!("http://{address}")).expect("a link to it");
    let entered = ask(&address, &format!("GET {path} HTTP/1.1")).await;
    let cookie = entered.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
    let cookie = cookie.split(';').next().expect("a value").to_owned();
    let token = fs::read_to_string(stage.data().join("serve/token")).expect("a token");

    let (_, seal) = cookie.rsplit_once('.').expect("a sealed cookie");
    let nonce = path.rsplit('/').next().expect("a nonce");
    let secrets = [seal, token.trim(), nonce, beat, SHAPES[0], SHAPES[1]].map(Canary::new);
    for head in [
        format!("GET {path} HTTP/1.1"),
        format!("GET /nowhere/{nonce} HTTP/1.1\r\nauthorization: Bearer {}x", token.trim()),
        format!(
            "POST /api/tasks/community/none/run HTTP/1.1\r\nauthorization: Bearer {}\r\ncontent-length: 0",
            token.trim()
        ),
        format!("GET /api/report/2000-01-01 HTTP/1.1\r\ncookie: {cookie}"),
        format!("GET / HTTP/1.1\r\ncookie: {cookie}"),
        format!("GET /api/status HTTP/1.1\r\ncookie: {cookie}x"),
        format!("GET /api/decisions?task={} HTTP/1.1\r\ncookie: {cookie}", "%ZZ"),
        format!("GET /metrics HTTP/1.1\r\ncookie: {cookie}"),
    ] {
        let answer = ask(&address, &head).await;
        secrets.iter().for_each(|secret| secret.is_not_in("an answer", &answer));
    }
    nix::sys::signal::kill(
        nix::unistd::Pid::from_raw(daemon.id().expect("it runs") as i32),
        nix::sys::signal::Signal::SIGTERM,
    )
    .expect("a daemon");
    let outcome = ended(daemon).await;
    assert!(outcome.stderr.contains("TRACE"), "{outcome}");
    fs::remove_file(stage.data().join("serve/token")).expect("where the token may be");
    for secret in &secrets {
        secret.is_not_in("the daemon's log", outcome.to_string());
        secret.look_around(&stage);
    }
}

#[tokio::test]
async fn the_driver_gets_no_secret_by_its_environment_or_arguments() {
    let stage = stage();
    let (spy, seen) = (stage.place.path("bin/spy"), stage.place.path("tmp/seen"));
    let script = format!("#!/bin/sh\n{{ env; echo \"arguments $*\"; }} > '{}'\nexit 1\n", seen.display());
    fs::write(&spy, script).expect("a program");
    fs::set_permissions(&spy, fs::Permissions::from_mode(0o755)).expect("a program");
    stage.edit("sunup.yaml", "driver: /nowhere/geckodriver", &format!("driver: {}", spy.display()));
    let canary = Canary::new(SHAPES[0]);
    let mut command = stage.real_run(&[]);
    command.env("COMMUNITY_PASSWORD", SHAPES[0]).env("SUNUP_SMTP_PASSWORD", SHAPES[0]).env("MOZ_LOG", "all:5");
    nothing_is_told(&stage, &canary, command).await;
    let seen = fs::read_to_string(seen).expect("the driver was started");
    assert!(seen.contains("arguments --host") && !seen.contains("MOZ_LOG"), "{seen}");
}

#[tokio::test]
async fn a_secret_that_is_too_short_to_be_hidden_is_warned_of() {
    let stage = stage();
    for (password, warned) in [("abc", true), ("密码是它", false)] {
        let mut command = stage.real_run(&["community/checkin"]);
        command.env("COMMUNITY_PASSWORD", password).env("SUNUP_SMTP_PASSWORD", "long-enough");
        let outcome = run(command).await;
        assert_eq!(outcome.stderr.contains("fewer than 4 characters"), warned, "{outcome}");
    }
}
