//! Progress for a person at a terminal; elsewhere one plain line for each thing that rests.

use std::io::IsTerminal;
use std::time::Duration;

use chrono_tz::Tz;
use indicatif::{ProgressBar, ProgressStyle};

use crate::clock::Instant;
use crate::report::Words;
use crate::runner::{Progress, Watch};

/// Watches a run from a terminal.
pub struct Terminal {
    bar: ProgressBar,
    words: Words,
    zone: Tz,
    shown: bool,
}

impl Terminal {
    /// A spinner on a terminal; nothing where stderr goes elsewhere or JSON is asked for.
    pub fn new(words: Words, zone: Tz, json: bool) -> Self {
        let shown = std::io::stderr().is_terminal() && !json;
        let bar = if shown { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(style);
        }
        if shown {
            bar.enable_steady_tick(Duration::from_millis(120));
        }
        Terminal { bar, words, zone, shown }
    }

    /// Clears the line.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }

    fn local(&self, at: Instant) -> String {
        at.with_timezone(&self.zone).format("%H:%M:%S").to_string()
    }
}

impl Watch for Terminal {
    fn tell(&self, progress: Progress<'_>) {
        if !self.shown {
            return;
        }
        match progress {
            Progress::Browser { lane } => {
                self.bar.set_message(self.words.with("cli-browser-starts", &[("lane", lane.to_owned().into())]));
            }
            Progress::Started { name, .. } => self.bar.set_message(name.to_owned()),
            Progress::Rests { name, status, failure, .. } => {
                let status_words = self.words.get(&format!("status-{}", status.word()));
                let why = failure.filter(|_| !status.is_done()).map(|failure| format!(": {}", failure.message));
                self.bar.println(format!("{name}: {status_words} ({status}){}", why.unwrap_or_default()));
            }
            Progress::Waiting(until) => {
                self.bar.set_message(self.words.with("cli-waiting", &[("time", self.local(until).into())]));
            }
        }
    }
}
