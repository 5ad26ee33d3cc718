//! The seam between Sunup and a browser: commands and answers as data, each command naming its tab and frame.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use secrecy::SecretString;
use serde_json::Value as Json;

use super::cookies::Cookie;
use crate::run::Failure;

/// What a browser must do for us: one command, one answer. Everything above it works with a scripted one as well.
#[async_trait]
pub trait Browser: Send {
    /// Carries out one command. An `Err` says that the browser itself failed (it hung, it crashed, the network is down);
    /// what the driver refused for a reason of the page is a [`Response::Refused`].
    async fn execute(&mut self, command: Command) -> Result<Response, Failure>;

    /// True once the browser was given up: it must be started again before the next command.
    fn is_dead(&self) -> bool;
}

/// One tab of the browser.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Tab(pub String);

/// The document that a command is meant for: a tab, and the iframes that lead to it from its top document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Context {
    /// The tab; none for the one that the browser opened with.
    pub tab: Option<Tab>,
    /// References of the iframe elements, outermost first.
    pub frames: Vec<String>,
}

impl Context {
    /// The top document of the same tab.
    pub fn top(&self) -> Context {
        Context { tab: self.tab.clone(), frames: Vec::new() }
    }

    /// The document inside an iframe of this document.
    pub fn inside(&self, frame: &Element) -> Context {
        let mut context = self.clone();
        context.frames.push(frame.reference.clone());
        context
    }
}

/// An element, by its W3C reference, in its tab and frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    /// The document it is in.
    pub context: Context,
    /// The driver's reference to it; it dies with the document.
    pub reference: String,
}

/// One thing to do, in one document, within a time limit.
#[derive(Debug, Clone)]
pub struct Command {
    /// Where.
    pub context: Context,
    /// What.
    pub action: Action,
    /// The browser is given up when there is no answer for noticeably longer than this.
    pub limit: Duration,
}

/// What a command does.
#[derive(Debug, Clone)]
pub enum Action {
    /// Loads a page, waits until its document is parsed, and says where that is, as [`Action::Place`] does.
    Navigate(String),
    /// Goes one page back; the answer as for [`Action::Navigate`].
    Back,
    /// Loads the page again; the answer as for [`Action::Navigate`].
    Reload,
    /// Says where the document is, as JSON (`browser/page/place.js`).
    Place,
    /// Calls a function of the page scripts (`browser/page/`) with these arguments and waits for its answer.
    Page {
        /// Name of the function.
        function: &'static str,
        /// Its arguments.
        arguments: Vec<Json>,
    },
    /// A real click on the element of this reference, and the page that it leads to, if it leads to one at once.
    Click(String),
    /// Empties a field.
    Clear(String),
    /// Types into an element. The text may be a secret, and never shows in logs.
    Type(String, SecretString),
    /// Moves the pointer over an element.
    Hover(String),
    /// Presses keys together, in WebDriver's key values, and lets them go.
    Press(Vec<char>),
    /// The role that W3C's rules compute for an element.
    Role(String),
    /// The name that W3C's rules compute for an element.
    Label(String),
    /// All tabs, the one that the browser opened with first.
    Tabs,
    /// Closes the tab.
    CloseTab,
    /// The text of the native dialog that is open.
    DialogText,
    /// Accepts (`true`) or dismisses the native dialog that is open.
    AnswerDialog(bool),
    /// A picture of what the tab shows, as PNG.
    Picture,
    /// The cookies that the document gets.
    Cookies,
    /// A cookie for documents of this one's host.
    AddCookie(Cookie),
}

impl Action {
    /// Its name in the log: of a page function the function's.
    pub fn word(&self) -> &'static str {
        match self {
            Action::Navigate(_) => "navigate",
            Action::Back => "back",
            Action::Reload => "reload",
            Action::Place => "place",
            Action::Page { function, .. } => function,
            Action::Click(_) => "click",
            Action::Clear(_) => "clear",
            Action::Type(..) => "type",
            Action::Hover(_) => "hover",
            Action::Press(_) => "press",
            Action::Role(_) => "role",
            Action::Label(_) => "label",
            Action::Tabs => "tabs",
            Action::CloseTab => "close tab",
            Action::DialogText => "dialog text",
            Action::AnswerDialog(_) => "answer dialog",
            Action::Picture => "picture",
            Action::Cookies => "cookies",
            Action::AddCookie(_) => "add cookie",
        }
    }
}

/// The answer to a command.
#[derive(Clone, PartialEq)]
pub enum Response {
    /// Done; there is nothing to tell.
    Done,
    /// What a page script answered.
    Json(Json),
    /// A text.
    Text(String),
    /// The tabs.
    Tabs(Vec<Tab>),
    /// A picture as PNG.
    Picture(Vec<u8>),
    /// Cookies.
    Cookies(Vec<Cookie>),
    /// The driver refused, for a reason that lies in the page.
    Refused(Refusal),
}

/// Why the driver refused a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The element is no longer in the document.
    Stale,
    /// The tab or the frame is gone.
    Gone,
    /// The element cannot be clicked or typed into; nothing was dispatched.
    NotInteractable(String),
    /// Another element would get the click; nothing was dispatched.
    Intercepted(String),
    /// The page went away while a script ran, or the script failed.
    Script(String),
    /// The page did not finish loading in time.
    Slow,
    /// A native dialog with this text is open.
    DialogOpen(String),
    /// No native dialog is open.
    NoDialog,
}

impl Refusal {
    /// True when the answer proves that the page saw nothing of the command.
    pub fn proves_nothing_dispatched(&self) -> bool {
        matches!(self, Refusal::Stale | Refusal::Gone | Refusal::NotInteractable(_) | Refusal::Intercepted(_))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Stale => out.write_str("the element is no longer in the page"),
            Refusal::Gone => out.write_str("the tab or frame is gone"),
            Refusal::NotInteractable(why) => write!(out, "the element cannot be used: {why}"),
            Refusal::Intercepted(why) => write!(out, "something lies over the element: {why}"),
            Refusal::Script(why) => write!(out, "the page did not answer: {why}"),
            Refusal::Slow => out.write_str("the page did not finish loading in time"),
            Refusal::DialogOpen(text) => write!(out, "a dialog of the page is open: “{text}”"),
            Refusal::NoDialog => out.write_str("no dialog of the page is open"),
        }
    }
}

impl fmt::Debug for Response {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Response::Done => out.write_str("Done"),
            Response::Json(_) => out.write_str("Json(..)"),
            Response::Text(_) => out.write_str("Text(..)"),
            Response::Tabs(tabs) => out.debug_tuple("Tabs").field(tabs).finish(),
            Response::Picture(bytes) => write!(out, "Picture({} bytes)", bytes.len()),
            Response::Cookies(cookies) => out.debug_tuple("Cookies").field(cookies).finish(),
            Response::Refused(refusal) => out.debug_tuple("Refused").field(refusal).finish(),
        }
    }
}
