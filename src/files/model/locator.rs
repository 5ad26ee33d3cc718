//! How an element is found.

use crate::files::condition::Template;

/// What a step works on.
#[derive(Debug, Clone)]
pub enum Target {
    /// The same thing, found otherwise; best first. A later hit is drift.
    Alternatives(Vec<Locator>),
    /// Different things, in order of preference.
    FirstOf(Vec<Locator>),
}

/// How an element is found. Complete in itself.
#[derive(Debug, Clone)]
pub struct Locator {
    /// By what.
    pub by: By,
    /// The whole text, not a part of it.
    pub exact: bool,
    /// `css` with `text`: the element that has both.
    pub text: Option<Template>,
    /// The how-manieth of several, from 1.
    pub nth: Option<u32>,
    /// Inside this element.
    pub within: Option<Box<Locator>>,
    /// Inside the document of this iframe.
    pub frame: Option<Box<Locator>>,
}

/// What a locator goes by.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub enum By {
    Role { role: String, name: Option<Template> },
    Label(Template),
    Text(Template),
    Placeholder(Template),
    TestId(Template),
    Css(Template),
    Xpath(Template),
}
