//! Requirements that others answer: a request, a program. Each gets a second.

use std::time::Duration;

use crate::program::Programs;
use crate::run::RequirementState;

/// The decision is quick: what has not answered by then is not ready.
const LIMIT: Duration = Duration::from_secs(1);

/// A program is ready when it ends with 0. Nothing that it prints is read.
pub(super) async fn command(programs: &Programs, words: &[String]) -> RequirementState {
    match programs.run(words, 0, LIMIT).await {
        Ok(ended) if ended.code == Some(0) => RequirementState::Met,
        Ok(ended) => RequirementState::NotReady(match ended.code {
            Some(code) => format!("it ended with {code}"),
            None => "a signal ended it".to_owned(),
        }),
        Err(trouble) => RequirementState::NotReady(trouble.to_string()),
    }
}

/// A request is ready when it is answered with 200 to 299. It carries no login and follows no redirect.
pub(super) async fn http(url: &str) -> RequirementState {
    match answer(url).await {
        Ok(status) if status.is_success() => RequirementState::Met,
        Ok(status) => RequirementState::NotReady(format!("it answered {}", status.as_u16())),
        Err(error) if error.is_timeout() => RequirementState::NotReady(format!("no answer within {LIMIT:?}")),
        Err(error) => RequirementState::NotReady(innermost(&error)),
    }
}

async fn answer(url: &str) -> reqwest::Result<reqwest::StatusCode> {
    let client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .timeout(LIMIT)
        .user_agent(concat!("sunup/", env!("CARGO_PKG_VERSION")))
        .build()?;
    Ok(client.get(url).send().await?.status())
}

/// The cause itself; what stands before it names the URL once more.
fn innermost(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::Path;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    fn why(state: RequirementState) -> String {
        match state {
            RequirementState::Met => "met".to_owned(),
            RequirementState::NotReady(why) => why,
            RequirementState::Ended(why) => panic!("nothing outside ends a requirement: {why}"),
        }
    }

    async fn ran(folder: &Path, words: &[&str]) -> String {
        let path = std::env::var_os("PATH").map(|path| (OsString::from("PATH"), path));
        let secret = (OsString::from("SUNUP_SECRET"), OsString::from("hunter22"));
        let programs = Programs::new(folder, &path.into_iter().chain([secret]).collect());
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        why(command(&programs, &words).await)
    }

    #[tokio::test]
    async fn a_program_says_by_its_exit_code_whether_it_is_ready() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("ready"), "").unwrap();
        assert_eq!(ran(folder.path(), &["test", "-e", "ready"]).await, "met");
        assert_eq!(ran(folder.path(), &["test", "-e", "missing"]).await, "it ended with 1");
        assert_eq!(ran(folder.path(), &["sh", "-c", "kill -TERM $$"]).await, "a signal ended it");
        assert!(ran(folder.path(), &["no-such-program"]).await.contains("cannot be started"));
        assert_eq!(ran(folder.path(), &["sh", "-c", "seq 100000; test -z \"$SUNUP_SECRET\""]).await, "met");
    }

    #[tokio::test]
    async fn a_program_that_does_not_end_is_ended_with_all_that_it_started() {
        let folder = tempfile::tempdir().unwrap();
        // Whoever still lives holds the pipe open, so that its end is the end of them all.
        let alive = folder.path().join("alive");
        nix::unistd::mkfifo(&alive, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let ended = tokio::task::spawn_blocking(|| std::fs::read(alive));
        let script = "exec 3>alive; sleep 300 & wait";
        assert_eq!(ran(folder.path(), &["sh", "-c", script]).await, "it did not end within 1s");
        tokio::time::timeout(Duration::from_secs(10), ended).await.expect("its child is still alive").unwrap().unwrap();
    }

    /// Answers one request with these bytes, or stays silent.
    async fn asked(answer: Option<&'static str>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/ready", listener.local_addr().unwrap());
        let server = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 2048];
            let _ = stream.read(&mut request).await;
            if let Some(answer) = answer {
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
            stream
        });
        let said = why(http(&url).await);
        drop(server.await);
        said
    }

    #[tokio::test]
    async fn a_request_says_by_its_status_whether_it_is_ready() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        assert_eq!(asked(Some("HTTP/1.1 204 No Content\r\n\r\n")).await, "met");
        assert_eq!(asked(Some("HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n")).await, "it answered 503");
        let elsewhere = "HTTP/1.1 302 Found\r\nlocation: /login\r\ncontent-length: 0\r\n\r\n";
        assert_eq!(asked(Some(elsewhere)).await, "it answered 302");
        assert_eq!(asked(None).await, "no answer within 1s");
        let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        assert!(why(http(&format!("http://{closed}/")).await).contains("refused"));
    }
}
