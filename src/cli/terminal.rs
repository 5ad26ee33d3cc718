//! Progress for a person at a terminal; elsewhere one plain line for each thing that rests.

use std::cell::RefCell;
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
    /// What is at work: one thing for each lane, by its key.
    at_work: RefCell<Vec<(String, String)>>,
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
        Terminal { bar, words, zone, shown, at_work: RefCell::default() }
    }

    /// Clears the line.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }

    /// Shows all that is at work in the one line there is.
    fn show_work(&self) {
        let names: Vec<String> = self.at_work.borrow().iter().map(|(_, name)| name.clone()).collect();
        self.bar.set_message(names.join(" · "));
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
            Progress::Started { key, name, .. } => {
                self.at_work.borrow_mut().push((key.as_str().to_owned(), name.to_owned()));
                self.show_work();
            }
            Progress::Rests { key, name, status, failure, .. } => {
                self.at_work.borrow_mut().retain(|(other, _)| other != key.as_str());
                let status_words = self.words.get(&format!("status-{}", status.word()));
                let why = failure.filter(|_| !status.is_done()).map(|failure| format!(": {}", failure.message));
                self.bar.println(format!("{name}: {status_words} ({status}){}", why.unwrap_or_default()));
                self.show_work();
            }
            Progress::Waiting(until) => {
                self.bar.set_message(self.words.with("cli-waiting", &[("time", self.local(until).into())]));
            }
        }
    }
}
