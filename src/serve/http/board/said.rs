//! Times and reasons in words.

use chrono::{DateTime, Datelike, NaiveDate};
use chrono_tz::Tz;

use crate::clock::Instant;
use crate::report::Words;

/// How the page speaks.
pub(in super::super) struct Said<'a> {
    pub words: &'a Words,
    pub zone: Tz,
    pub now: Instant,
}

/// Words for an answer to "run now?".
pub(in super::super) fn answer(words: &Words, zone: Tz, now: Instant, decision: &str, runs: bool) -> String {
    if runs {
        return words.get("page-runs-now");
    }
    let reason = Said { words, zone, now }.reason(decision);
    format!("{}{}{reason}", words.get("page-not-run"), words.get("separator"))
}

impl Said<'_> {
    /// The runner's date.
    pub fn today(&self) -> NaiveDate {
        self.now.with_timezone(&self.zone).date_naive()
    }

    /// Today with its weekday.
    pub fn long_date(&self) -> String {
        let today = self.today();
        let month = self.words.get(&format!("month-{}", today.month()));
        let weekday = self.words.get(&format!("weekday-{}", today.weekday().number_from_monday()));
        let args = [("month", month.into()), ("day", today.day().into()), ("weekday", weekday.into())];
        self.words.with("long-date", &args)
    }

    /// A time in the runner's zone, with its day where that is not today.
    pub fn time(&self, at: Instant) -> String {
        let local = at.with_timezone(&self.zone);
        let key = match (local.date_naive() - self.today()).num_days() {
            0 => "page-time-today",
            1 => "page-time-tomorrow",
            -1 => "page-time-yesterday",
            _ if local.year() == self.today().year() => return local.format("%m-%d %H:%M").to_string(),
            _ => return local.format("%Y-%m-%d %H:%M").to_string(),
        };
        self.words.with(key, &[("time", local.format("%H:%M").to_string().into())])
    }

    /// `word: what was seen` of the ledger; a word without words of its own stands as it is.
    pub fn reason(&self, text: &str) -> String {
        let (word, detail) = match text.split_once(": ") {
            Some((word, detail)) => (word, Some(detail)),
            None => (text, None),
        };
        self.reason_of(word, detail)
    }

    /// The same, taken apart.
    pub fn reason_of(&self, word: &str, detail: Option<&str>) -> String {
        let head = self.words.find(&format!("reason-{word}"), &[]).unwrap_or_else(|| word.to_owned());
        match detail {
            Some(detail) => format!("{head}{}{}", self.words.get("colon"), self.detail(detail)),
            None => head,
        }
    }

    /// `until 2026-11-30T06:00:00Z` as people read it; all else as it is.
    fn detail(&self, detail: &str) -> String {
        let until = detail.strip_prefix("until ").and_then(|at| DateTime::parse_from_rfc3339(at).ok());
        match until {
            Some(at) => self.words.with("page-until", &[("time", self.time(at.to_utc()).into())]),
            None => detail.to_owned(),
        }
    }
}
