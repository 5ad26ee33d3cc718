//! Which names the texts and conditions of steps use.

use std::collections::BTreeSet;

use super::{
    By, Fetch, FetchBody, From, JsonTemplate, Locator, ReadKind, RowsFrom, ScrollTo, Section, Step, Target, Verb,
    Verdict, Want,
};
use crate::files::condition::Template;

/// Names as they are written: `day`, `vars.title`, `period.start`.
pub type Used<'a> = BTreeSet<&'a str>;

impl Section {
    /// The names that this section's steps and conditions use.
    pub fn names(&self) -> Used<'_> {
        let mut used = names_of(&self.steps);
        match &self.verdict {
            Verdict::Stated { done, todo } => {
                used.extend(done.names());
                used.extend(todo.iter().flat_map(|todo| todo.names()));
            }
            Verdict::Goal { have, want } => {
                used.extend(have.names());
                if let Want::Total(want) = want {
                    used.extend(want.names());
                }
            }
            Verdict::Reads => {}
        }
        used
    }

    /// True when it reads rows of its period alone.
    pub fn keeps_period(&self) -> bool {
        let mut reads = self.steps.iter().flat_map(|step| &step.reads);
        reads.any(|(_, read)| {
            let ReadKind::Rows(rows) = &read.kind else { return false };
            rows.keep_period && rows.columns.iter().any(|column| column.name == "time")
        })
    }
}

/// The names that these steps use.
pub fn names_of(steps: &[Step]) -> Used<'_> {
    let mut used = Used::new();
    for step in steps {
        used.extend(step.when.iter().flat_map(|when| when.names()));
        step.verb.names(&mut used);
        step.reads.iter().for_each(|(_, read)| read.kind.names(&mut used));
    }
    used
}

impl Verb {
    fn names<'a>(&'a self, used: &mut Used<'a>) {
        match self {
            Verb::Open { path, query } => {
                used.extend(path.names());
                pairs(query, used);
            }
            Verb::Fetch(fetch) => fetch.names(used),
            Verb::File { path, .. } => used.extend(path.names()),
            Verb::Fill { target, with } => {
                target.names(used);
                used.extend(with.names());
            }
            Verb::Select { target, option } => {
                target.names(used);
                used.extend(option.names());
            }
            Verb::Expect { condition, .. } => used.extend(condition.names()),
            Verb::Click { target, .. }
            | Verb::Tick { target }
            | Verb::Untick { target }
            | Verb::Hover { target }
            | Verb::Wait { target }
            | Verb::WaitGone { target } => target.names(used),
            Verb::Press { on: Some(locator), .. } | Verb::Scroll(ScrollTo::Element(locator)) => locator.names(used),
            Verb::Press { on: None, .. } | Verb::Scroll(_) | Verb::Pause(_) | Verb::PauseUntil(_) | Verb::Go(_) => {}
        }
    }
}

impl Fetch {
    fn names<'a>(&'a self, used: &mut Used<'a>) {
        used.extend(self.path.names());
        pairs(&self.query, used);
        pairs(&self.headers, used);
        match &self.body {
            FetchBody::Empty => {}
            FetchBody::Form(fields) => pairs(fields, used),
            FetchBody::Json(json) => json.names(used),
        }
    }
}

impl JsonTemplate {
    fn names<'a>(&'a self, used: &mut Used<'a>) {
        match self {
            JsonTemplate::Null | JsonTemplate::Boolean(_) | JsonTemplate::Number(_) => {}
            JsonTemplate::Text(text) => used.extend(text.names()),
            JsonTemplate::List(items) => items.iter().for_each(|item| item.names(used)),
            JsonTemplate::Map(entries) => entries.iter().for_each(|(_, value)| value.names(used)),
        }
    }
}

impl Target {
    fn names<'a>(&'a self, used: &mut Used<'a>) {
        let (Target::Alternatives(locators) | Target::FirstOf(locators)) = self;
        locators.iter().for_each(|locator| locator.names(used));
    }
}

impl Locator {
    fn names<'a>(&'a self, used: &mut Used<'a>) {
        match &self.by {
            By::Role { name, .. } => used.extend(name.iter().flat_map(|name| name.names())),
            By::Label(text)
            | By::Text(text)
            | By::Placeholder(text)
            | By::TestId(text)
            | By::Css(text)
            | By::Xpath(text) => used.extend(text.names()),
        }
        used.extend(self.text.iter().flat_map(|text| text.names()));
        self.within.iter().chain(&self.frame).for_each(|around| around.names(used));
    }
}

impl ReadKind {
    fn names<'a>(&'a self, used: &mut Used<'a>) {
        match self {
            ReadKind::Visible(locator) | ReadKind::Checked(locator) | ReadKind::Count(locator) => locator.names(used),
            ReadKind::Scalar { source, .. } => {
                if let From::Element { locator: Some(locator), .. } = &source.from {
                    locator.names(used);
                }
            }
            ReadKind::Rows(rows) => {
                if let RowsFrom::Table(locator) | RowsFrom::Items(locator) = &rows.from {
                    locator.names(used);
                }
            }
        }
    }
}

fn pairs<'a>(pairs: &'a [(String, Template)], used: &mut Used<'a>) {
    used.extend(pairs.iter().flat_map(|(_, value)| value.names()));
}
