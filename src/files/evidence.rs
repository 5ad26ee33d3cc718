//! What makes a section evidence: it reads afresh, its verdict rests on what it read, and a blank page says nothing.

use std::collections::BTreeMap;
use std::ops::Range;

use chrono::{Days, NaiveDate, NaiveTime};
use rust_decimal::Decimal;

use super::condition::{Condition, Scope, Type, Unknown};
use super::model::{From, Read, ReadKind, RowsFrom};
use super::steps::Walk;
use super::yaml::Node;
use crate::values::{Number, Rows, Value};

/// Where a read looks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Page,
    Answer,
    File,
    /// Status and URL belong to the page and to the answer.
    PageOrAnswer,
}

impl Walk<'_> {
    /// A read needs something that this section loaded itself: what stood on the page before proves nothing.
    pub(super) fn check_source(&self, read: &Read, span: &Range<usize>) {
        let loaded = &self.sources;
        let (missing, what, step) = match origin(read) {
            Origin::Page => (self.stage.only_reads() && !loaded.page, "a page", "open"),
            Origin::Answer => (!loaded.answer, "an answer", "fetch"),
            Origin::File => (!loaded.file, "a file", "file"),
            Origin::PageOrAnswer => (self.stage.only_reads() && !loaded.page && !loaded.answer, "a page", "open"),
        };
        // Steps that a section shares may follow on its own `open`.
        if missing && self.stage != super::stage::Stage::Shared {
            let message = format!("this reads {what} that `{}` did not load itself", self.stage.word());
            self.file.wrong(span.clone(), message, format!("put `- {step}: …` before it, or read it at that step"));
        }
    }

    /// A section that only reads begins with a fresh load of its own.
    pub(super) fn check_fresh(&self, steps: &Node) {
        if !self.sources.page && !self.sources.answer && !self.sources.file {
            let message =
                format!("`{}` reads nothing afresh: what the page shows by itself proves nothing", self.stage.word());
            self.file.wrong(steps.span.clone(), message, "begin with `open`, `fetch` or `file`");
        }
    }

    /// The verdict uses something that was read in this section.
    pub(super) fn check_uses_read(&self, node: &Node, condition: &Condition, key: &str) -> bool {
        if condition.names().iter().any(|name| self.reads.contains_key(*name)) || self.has_broken_read(condition) {
            return true;
        }
        let cure = "use something that this section reads, such as `done: signed`";
        self.file.wrong(node.span.clone(), format!("`{key}` does not look at anything that was read here"), cure);
        false
    }

    fn has_broken_read(&self, condition: &Condition) -> bool {
        let any = |name: &&str| self.names.get(name).is_some_and(|shape| shape.kind == Type::Any);
        condition.names().iter().any(any)
    }

    /// Nothing is concluded from a page that shows nothing: absence alone is no state.
    pub(super) fn check_not_blank(&self, node: &Node, condition: &Condition, key: &str) {
        // What depends on the weekday is asked for each.
        let holds = (0..7).any(|day| condition.holds(&self.blank(day)) == Ok(true));
        if holds {
            let cure = "state it by something that is shown: a button, a text, `empty:` of a list";
            self.file.wrong(node.span.clone(), format!("`{key}` would hold on a blank page too"), cure);
        }
    }

    /// The same for the count of a goal: a page that shows nothing has none, and would be acted on.
    pub(super) fn check_count_not_blank(&self, node: &Node, have: &Condition) {
        if self.check_uses_read(node, have, "have") && have.number(&self.blank(0)).is_ok() {
            let cure = "read a number that is shown, or count the rows of a list that has `empty:`";
            self.file.wrong(node.span.clone(), "`have` would be counted on a blank page too", cure);
        }
    }

    /// What every name says on a page that shows nothing.
    fn blank(&self, day: u64) -> Scope {
        let mut names = BTreeMap::new();
        for (name, shape) in self.names.iter() {
            let value = match self.reads.get(name) {
                Some(read) => on_blank_page(read),
                None => sample(&shape.kind, day),
            };
            names.insert(name.to_owned(), value.ok_or_else(|| Unknown("not there".to_owned())));
        }
        Scope { names, password: None }
    }
}

fn origin(read: &Read) -> Origin {
    let from = match &read.kind {
        ReadKind::Visible(_) | ReadKind::Checked(_) | ReadKind::Count(_) => return Origin::Page,
        ReadKind::Rows(rows) => match rows.from {
            RowsFrom::Table(_) | RowsFrom::Items(_) => return Origin::Page,
            RowsFrom::Json(_) => return Origin::Answer,
            RowsFrom::Csv => return Origin::File,
        },
        ReadKind::Scalar { source, .. } => &source.from,
    };
    match from {
        From::Element { .. } | From::Column { .. } => Origin::Page,
        From::Json(_) | From::Body | From::Header(_) => Origin::Answer,
        From::Status | From::Url => Origin::PageOrAnswer,
        From::FileContent | From::FileExists | From::FileSize => Origin::File,
    }
}

/// What a read gives there; none when it fails, which makes the whole section unknown.
fn on_blank_page(read: &Read) -> Option<Value> {
    match &read.kind {
        ReadKind::Visible(_) => Some(Value::Boolean(false)),
        ReadKind::Count(_) => Some(number(0)),
        // A table that is not there is a failed read; items that are not there are zero items, unless `empty` must show.
        ReadKind::Rows(rows) => match rows.from {
            RowsFrom::Items(_) if rows.empty.is_none() => Some(Value::Rows(Rows::default())),
            _ => None,
        },
        ReadKind::Checked(_) => read.optional.then_some(Value::None),
        ReadKind::Scalar { source, .. } => {
            let may_be_absent = matches!(source.from, From::Element { .. } | From::Json(_) | From::Header(_));
            (read.optional && may_be_absent).then_some(Value::None)
        }
    }
}

fn number(value: i64) -> Value {
    Value::Number(Number { value: Decimal::from(value), rounded: false })
}

fn sample(kind: &Type, day: u64) -> Option<Value> {
    let date = NaiveDate::default() + Days::new(day);
    match kind {
        Type::Text => Some(Value::Text("x".to_owned())),
        Type::Number | Type::NumberVar => Some(number(1)),
        Type::Boolean | Type::BooleanVar => Some(Value::Boolean(true)),
        Type::Date => Some(Value::Date(date)),
        Type::Time => Some(Value::Time(date.and_time(NaiveTime::MIN).and_utc())),
        Type::Rows(_) | Type::Any => None,
    }
}
