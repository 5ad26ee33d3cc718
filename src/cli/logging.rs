//! Logs: to stderr, by `SUNUP_LOG` (default `warn`), every line redacted on its way.

use tracing_subscriber::EnvFilter;

use crate::secrets::{Redactor, RedactedStderr};

/// Starts the log. Other variables, `DEBUG` and `RUST_LOG` among them, have no say.
pub fn start(redactor: &Redactor) {
    let filter = std::env::var("SUNUP_LOG")
        .ok()
        .and_then(|text| EnvFilter::try_new(text).ok())
        .unwrap_or_else(|| EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(RedactedStderr::new(redactor.clone()))
        .with_ansi(false)
        .init();
}
