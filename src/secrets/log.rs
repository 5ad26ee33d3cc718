//! The log: one line per event on stderr or in a file, without secrets at every level.
//!
//! What is redacted is the line as it is formatted, so that a secret inside an error chain, a URL or another crate's
//! trace (the login of the mail protocol, the commands to the browser) is found too. The level is that of `SUNUP_LOG`
//! alone; no other variable adds anything.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

use super::Redactor;

/// What is logged when `SUNUP_LOG` says nothing.
const DEFAULT_FILTER: &str = "warn";

/// Where log lines go.
#[derive(Debug, Clone)]
pub enum LogWriter {
    /// To stderr.
    Stderr,
    /// Into a file.
    File(Arc<File>),
}

/// Gives each event a buffer that is redacted as a whole before it is written.
#[derive(Debug, Clone)]
pub struct RedactedLog {
    writer: LogWriter,
    redactor: Redactor,
}

impl RedactedLog {
    /// Writes to `writer` what `redactor` leaves.
    pub fn new(writer: LogWriter, redactor: Redactor) -> Self {
        RedactedLog { writer, redactor }
    }
}

/// Starts the log of this process. `filter` is the value of `SUNUP_LOG`, such as `debug` or `sunup=trace,warn`; one
/// that cannot be read is reported and the default is used. A second start changes nothing.
pub fn start_log(log: RedactedLog, filter: Option<&str>) {
    let wanted = filter.filter(|text| !text.trim().is_empty());
    let parsed = wanted.map(|text| EnvFilter::builder().parse(text));
    let fault = parsed.as_ref().and_then(|result| result.as_ref().err().map(ToString::to_string));
    let filter = parsed.and_then(Result::ok).unwrap_or_else(|| EnvFilter::new(DEFAULT_FILTER));
    let colours = matches!(log.writer, LogWriter::Stderr) && io::stderr().is_terminal();
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(colours).with_writer(log).finish();
    if tracing::subscriber::set_global_default(subscriber).is_ok()
        && let Some(fault) = fault
    {
        tracing::warn!("SUNUP_LOG cannot be read, `{DEFAULT_FILTER}` is used: {fault}");
    }
}

/// From now on a panic is told as everything else is: without secrets. They may stand in whatever was unexpected.
pub fn redact_panics(log: RedactedLog) {
    std::panic::set_hook(Box::new(move |panic| {
        let trace = std::backtrace::Backtrace::capture();
        let asked_for = trace.status() == std::backtrace::BacktraceStatus::Captured;
        let trace = if asked_for { format!("{trace}\n") } else { String::new() };
        let text = format!("sunup: {panic}\n{trace}");
        log.writer.write(log.redactor.redact_at_once(&text).as_bytes());
    }));
}

impl LogWriter {
    fn write(&self, bytes: &[u8]) {
        // There is nowhere left to report a log that cannot be written.
        let _ = match self {
            LogWriter::Stderr => io::stderr().lock().write_all(bytes),
            LogWriter::File(file) => (&**file).write_all(bytes),
        };
    }
}

impl<'a> MakeWriter<'a> for RedactedLog {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line { log: self, buffer: Vec::new() }
    }
}

/// One event on its way out. A secret may come in pieces, one write after the other, so nothing leaves before the end.
#[derive(Debug)]
pub struct Line<'a> {
    log: &'a RedactedLog,
    buffer: Vec<u8>,
}

impl Write for Line<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line<'_> {
    fn drop(&mut self) {
        let bytes = self.log.redactor.redact_bytes(&self.buffer);
        self.log.writer.write(&bytes);
    }
}

#[cfg(test)]
mod tests {
    use secrecy::SecretString;

    use super::*;

    /// What a log with this secret holds after `write`.
    fn logged(secret: &str, write: impl FnOnce(RedactedLog)) -> String {
        let redactor = Redactor::new();
        redactor.add(&SecretString::from(secret));
        let file = tempfile::NamedTempFile::new().unwrap();
        write(RedactedLog::new(LogWriter::File(Arc::new(file.reopen().unwrap())), redactor));
        std::fs::read_to_string(file.path()).unwrap()
    }

    #[test]
    fn messages_fields_and_error_chains_lose_their_secrets() {
        let text = logged("hunter\"22", |log| {
            let subscriber = tracing_subscriber::fmt()
                .with_max_level(tracing::Level::TRACE)
                .with_ansi(false)
                .with_writer(log)
                .finish();
            tracing::subscriber::with_default(subscriber, || {
                let error = anyhow::anyhow!("cannot open https://example.org/?p=hunter%2222").context("step 3");
                tracing::trace!(typed = "hunter\"22", "sent {}", r#"{"text":"hunter\"22"}"#);
                tracing::error!("{error:#}");
                tracing::info_span!("fill", value = "hunter\"22").in_scope(|| tracing::debug!("filled"));
            });
        });
        assert!(!text.contains("hunter"), "{text}");
        assert_eq!((text.matches(super::super::MASK).count(), text.lines().count()), (4, 3), "{text}");
    }

    #[test]
    fn a_panic_loses_its_secrets() {
        let text = logged("hunter22", |log| {
            let before = std::panic::take_hook();
            redact_panics(log);
            let caught = std::panic::catch_unwind(|| panic!("unexpected: {:?}", Some("hunter22")));
            std::panic::set_hook(before);
            assert!(caught.is_err());
        });
        assert!(text.contains("unexpected: Some(\"•••\")") && text.contains("log.rs:"), "{text}");
    }

    #[test]
    fn a_secret_in_pieces_is_found() {
        let text = logged("hunter22", |log| {
            let mut line = log.make_writer();
            line.write_all(b"hunt").unwrap();
            line.flush().unwrap();
            line.write_all(b"er22\n").unwrap();
        });
        assert_eq!(text, "•••\n");
    }
}
