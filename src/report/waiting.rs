//! What waits for a person, and sessions, whose ends will want one. Pure.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use super::words::Words;
use crate::run::FailureKind;

/// How old an account's session is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionAge {
    /// The site's name.
    pub site: String,
    /// The account's id.
    pub account: String,
    /// Since when it is known to be signed in.
    pub since: DateTime<Utc>,
    /// A person signed in; else the runner did.
    pub by_person: bool,
    /// It was signed in when the ledger first heard of it: nobody knows since when.
    #[serde(default)]
    pub found: bool,
    /// When it is expected to end, by the site's file or by its cookies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<DateTime<Utc>>,
    /// That is soon, and a person will be needed then.
    #[serde(default)]
    pub ends_soon: bool,
}

/// Something that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket {
    /// Its number.
    pub number: u32,
    /// The site's name.
    pub site: String,
    /// The account's id.
    pub account: String,
    /// What the site asks for; none when the task itself asks a person (`act: person`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<FailureKind>,
    /// What was seen, or what the task asks.
    pub reason: String,
    /// Host and path of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// What to do, where it is more than the kind's own advice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what_to_do: Option<String>,
    /// The page's title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The rule by which it was recognised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The command by which a person signs in, where that is what helps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign_in: Option<String>,
    /// The command that helps, or that goes on afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// How often it was closed, and the same block came again.
    #[serde(default, skip_serializing_if = "is_never")]
    pub reopened: u32,
    /// Since when it is open.
    pub since: DateTime<Utc>,
    /// A picture of the page: file name below the data folder's `pictures/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
}

fn is_never(times: &u32) -> bool {
    *times == 0
}

impl SessionAge {
    /// The line that says so, in `status`, on the page, and, when it ends soon, in the report.
    pub fn line(&self, words: &Words, zone: Tz) -> String {
        let shown = |at: DateTime<Utc>| at.with_timezone(&zone).format("%Y-%m-%d %H:%M").to_string();
        let since = words.with("session-since", &[("time", shown(self.since).into())]);
        let mut pieces = vec![format!("{} · {}{}{since}", self.site, self.account, words.get("colon"))];
        pieces.extend(self.until.map(|until| words.with("session-until", &[("time", shown(until).into())])));
        if self.ends_soon {
            pieces.push(words.get("session-ends-soon"));
        }
        pieces.join(&words.get("separator"))
    }
}

impl Ticket {
    /// Where it was seen: host and path, and the page's title.
    pub fn page_and_title(&self, words: &Words) -> Option<String> {
        let page = self.page.as_ref()?;
        Some(match &self.title {
            Some(title) => words.with("page-titled", &[("page", page.into()), ("title", title.into())]),
            None => page.clone(),
        })
    }
}
