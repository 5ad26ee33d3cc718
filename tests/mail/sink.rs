//! A mail server that misbehaves as it is told: one connection, every command of the client on record.

use std::sync::Arc;

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufStream};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

/// What the sink does at one point.
#[derive(Debug, Clone, Copy)]
pub enum Answer {
    /// Says this.
    Say(&'static str),
    /// Says nothing, and waits until the client goes.
    Silence,
    /// Closes the connection.
    HangUp,
}

/// How the sink behaves: the first entry whose command the client's line starts with. `""` is the greeting, `"."` the end
/// of the mail.
pub type Script = &'static [(&'static str, Answer)];

/// A well-behaved server.
const DEFAULT: Script = &[
    ("EHLO", Answer::Say("250-sink.example\r\n250 AUTH PLAIN LOGIN")),
    ("AUTH", Answer::Say("235 welcome")),
    ("MAIL", Answer::Say("250 ok")),
    ("RCPT", Answer::Say("250 ok")),
    ("DATA", Answer::Say("354 go on")),
    (".", Answer::Say("250 taken")),
    ("QUIT", Answer::Say("221 bye")),
    ("", Answer::Say("220 sink.example")),
];

/// A running sink.
pub struct Sink {
    pub port: u16,
    session: JoinHandle<Vec<String>>,
}

impl Sink {
    /// Starts one that follows the script, and is well-behaved otherwise; with TLS from the first byte if there is an
    /// acceptor.
    pub async fn start(script: Script, tls: Option<Arc<rustls::ServerConfig>>) -> Sink {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let session = tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            match tls {
                None => serve(BufStream::new(stream), script).await,
                Some(config) => match TlsAcceptor::from(config).accept(stream).await {
                    Ok(stream) => serve(BufStream::new(stream), script).await,
                    Err(error) => vec![format!("TLS failed: {error}")],
                },
            }
        });
        Sink { port, session }
    }

    /// What the client said, once it has gone.
    pub async fn transcript(self) -> Vec<String> {
        self.session.await.unwrap()
    }
}

fn answer(script: Script, command: &str) -> Answer {
    let found = script.iter().chain(DEFAULT).find(|(start, _)| match *start {
        "" | "." => command == *start,
        start => command.starts_with(start),
    });
    found.map_or(Answer::Say("502 unknown command"), |(_, answer)| *answer)
}

/// One connection from its greeting to its end: what the client said.
pub async fn serve<S: AsyncRead + AsyncWrite + Unpin>(mut stream: BufStream<S>, script: Script) -> Vec<String> {
    let mut transcript = Vec::new();
    let mut in_mail = false;
    let mut command = String::new();
    loop {
        if !in_mail || command == "." {
            in_mail = command.starts_with("DATA");
            match answer(script, &command) {
                Answer::Say(text) => {
                    let sent = stream.write_all(format!("{text}\r\n").as_bytes()).await;
                    if sent.is_err() || stream.flush().await.is_err() {
                        return transcript;
                    }
                }
                Answer::Silence => {}
                Answer::HangUp => return transcript,
            }
        }
        let mut line = String::new();
        if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
            return transcript;
        }
        command = line.trim_end().to_owned();
        transcript.push(command.clone());
    }
}
