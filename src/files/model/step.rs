//! Steps, and what each of them does.

use std::time::Duration;

use super::{Locator, Place, Read, Target};
use crate::files::condition::{Condition, Template};
use crate::timing::ClockTime;

/// One step.
#[derive(Debug, Clone)]
pub struct Step {
    /// What to do.
    pub verb: Verb,
    /// What to read after it, in the order written.
    pub reads: Vec<(String, Read)>,
    /// Left out when this does not hold.
    pub when: Option<Condition>,
    /// Its time limit. Default 15 s.
    pub timeout: Duration,
    /// Only if its target is there now.
    pub optional: bool,
    /// Beyond this step the server may have changed.
    pub commit: bool,
    /// Where it stands.
    pub place: Place,
}

/// What a step does. The words are those of `format.md`.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub enum Verb {
    Open { path: Template, query: Vec<(String, Template)> },
    Fetch(Fetch),
    File { path: Template, encoding: FileEncoding },
    Click { target: Target, opens_tab: bool, dialog: Option<Dialog> },
    Fill { target: Target, with: Template },
    Select { target: Target, option: Template },
    Tick { target: Target },
    Untick { target: Target },
    Hover { target: Target },
    Press { keys: String, on: Option<Locator> },
    Scroll(ScrollTo),
    Wait { target: Target },
    WaitGone { target: Target },
    Pause(Duration),
    PauseUntil(ClockTime),
    Expect { condition: Condition, otherwise: Otherwise, reason: Option<Template> },
    Go(Go),
}

/// `fetch:` and its modifiers.
#[derive(Debug, Clone)]
pub struct Fetch {
    /// Path, or URL on an origin of the site.
    pub path: Template,
    /// Method in capitals.
    pub method: String,
    /// Put behind the path, percent-encoded.
    pub query: Vec<(String, Template)>,
    /// What is sent.
    pub body: FetchBody,
    /// Further request headers.
    pub headers: Vec<(String, Template)>,
    /// Statuses that are an answer. Default 200–299.
    pub accept: Vec<u16>,
}

/// The body of a `fetch`.
#[derive(Debug, Clone)]
pub enum FetchBody {
    /// None.
    Empty,
    /// `application/x-www-form-urlencoded`.
    Form(Vec<(String, Template)>),
    /// JSON, its texts being templates.
    Json(JsonTemplate),
}

/// JSON whose texts are templates.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub enum JsonTemplate {
    Null,
    Boolean(bool),
    Number(rust_decimal::Decimal),
    Text(Template),
    List(Vec<JsonTemplate>),
    Map(Vec<(String, JsonTemplate)>),
}

/// `encoding:` of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub enum FileEncoding {
    #[default]
    Utf8,
    Gbk,
}

/// `dialog:`: what to do with a native dialog that a click opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Dialog {
    Accept,
    Dismiss,
}

/// `scroll:`.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub enum ScrollTo {
    Top,
    Bottom,
    Element(Locator),
}

/// `go:`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Go {
    Back,
    Reload,
    CloseTab,
}

/// `otherwise:` of an `expect`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub enum Otherwise {
    #[default]
    Fail,
    Later,
    Skip,
}
