//! Steps: what is done, in order, and what each step reads.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use super::condition::{Condition, Names, Shape, Type};
use super::fields::Fields;
use super::file::File;
use super::here::Here;
use super::locator::or_default;
use super::model::{Read, Step};
use super::nearest::nearest;
use super::read;
use super::site_facts::SiteFacts;
use super::stage::Stage;
use super::verb::{MODIFIERS, VERBS, WITH_TARGET};
use super::yaml::{Entry, Node};

/// Limit of a step that says none.
const STEP_TIMEOUT: Duration = Duration::from_secs(15);

/// Keys that every step may have.
const COMMON: &[&str] = &["read", "when", "timeout", "optional", "commit"];

/// Names that a read may not take: they would hide what they mean everywhere else.
const RESERVED: [&str; 13] =
    ["day", "period", "account", "vars", "checked", "item", "and", "or", "not", "in", "is", "none", "true"];

/// A walk over the steps of one section.
pub(super) struct Walk<'a> {
    pub(super) site: &'a SiteFacts<'a>,
    /// The file of the steps at hand: inside a `use` it is site.yaml.
    pub(super) file: &'a File,
    /// The names so far: each read adds its own.
    pub(super) names: Names,
    pub(super) stage: Stage,
    /// What this section read, by name.
    pub(super) reads: BTreeMap<String, Read>,
    pub(super) sources: Sources,
    /// A commit step was seen.
    pub(super) committed: bool,
    /// `when` of the `use` around the steps at hand.
    pub(super) condition: Option<Condition>,
    /// The `use` around the steps at hand, outermost first.
    pub(super) using: Vec<String>,
}

/// What a section has loaded so far.
#[derive(Debug, Default)]
pub(super) struct Sources {
    pub page: bool,
    pub answer: bool,
    pub file: bool,
}

impl<'a> Walk<'a> {
    /// A walk that begins with these names.
    pub fn new(site: &'a SiteFacts<'a>, file: &'a File, names: &Names, stage: Stage) -> Self {
        Walk {
            site,
            file,
            names: names.clone(),
            stage,
            reads: BTreeMap::new(),
            sources: Sources::default(),
            committed: false,
            condition: None,
            using: Vec::new(),
        }
    }

    /// The place at hand.
    pub fn here(&self) -> Here<'_> {
        Here { file: self.file, names: &self.names }
    }

    /// Every step of a list, those of each `use` put in.
    pub fn steps(&mut self, node: &'a Node) -> Vec<Step> {
        let Some(items) = self.file.list(node, "a list of steps") else {
            self.expect_any_name();
            return Vec::new();
        };
        if items.is_empty() {
            self.file.wrong(node.span.clone(), "there is no step here", "write one at least: `- open: /home`");
        }
        let mut steps = Vec::new();
        for item in items {
            self.item(item, &mut steps);
        }
        steps
    }

    /// Something that would have read was refused: names that it may have read are not judged any more.
    pub(super) fn expect_any_name(&mut self) {
        self.names.add_unknown("");
    }

    fn item(&mut self, node: &'a Node, steps: &mut Vec<Step>) {
        let entries = self.file.map(node, "step");
        let Some((entries, verb)) = entries.and_then(|entries| Some((entries, self.verb_of(entries, node)?))) else {
            return self.expect_any_name();
        };
        let misplaced = self.misplaced_keys(entries, verb);
        let keys: &[&[&str]] = &[&[verb.key.as_str()], COMMON, modifiers(&verb.key), &misplaced];
        let Some(fields) = Fields::of(self.file, node, "step", keys) else { return };
        if verb.key == "use" {
            self.use_steps(&fields, &verb.value, steps);
        } else if let Some(step) = self.step(&fields, verb, node) {
            steps.push(step);
        }
    }

    fn verb_of(&self, entries: &'a [Entry], node: &Node) -> Option<&'a Entry> {
        let mut verbs = entries.iter().filter(|entry| VERBS.contains(&entry.key.as_str()));
        match (verbs.next(), verbs.next()) {
            (Some(first), None) => Some(first),
            (Some(first), Some(second)) => {
                let message = format!("a step does one thing, this one does two: `{}` and `{}`", first.key, second.key);
                self.file.wrong(second.key_span.clone(), message, "begin a step of its own with `- `");
                None
            }
            (None, _) => {
                let candidates = entries
                    .iter()
                    .find_map(|entry| nearest(&entry.key, VERBS.iter().copied()).map(|near| (entry, near)));
                match (candidates, entries.first()) {
                    (Some((entry, near)), _) => {
                        let message = format!("there is no step `{}`", entry.key);
                        self.file.wrong(entry.key_span.clone(), message, format!("did you mean `{near}`?"));
                    }
                    (None, first) => {
                        let span = first.map_or(node.span.clone(), |entry| entry.key_span.clone());
                        let cure = format!("begin with one of: {}", VERBS.join(", "));
                        self.file.wrong(span, "this step does not say what to do", cure);
                    }
                }
                None
            }
        }
    }

    /// A modifier of another verb is told apart from a slip.
    fn misplaced_keys(&self, entries: &'a [Entry], verb: &Entry) -> Vec<&'a str> {
        let mut misplaced = Vec::new();
        for entry in entries {
            let key = entry.key.as_str();
            let owners = MODIFIERS.iter().filter(|(_, modifiers)| modifiers.contains(&key));
            let owners: Vec<_> = owners.map(|(owner, _)| format!("`{owner}`")).collect();
            if !owners.is_empty() && !modifiers(&verb.key).contains(&key) {
                let message = format!("`{key}` does not go with `{}`", verb.key);
                self.file.wrong(entry.key_span.clone(), message, format!("it goes with {}", owners.join(", ")));
                misplaced.push(key);
            }
        }
        misplaced
    }

    fn step(&mut self, fields: &Fields<'a>, verb: &'a Entry, node: &'a Node) -> Option<Step> {
        let when = fields.get("when").map(|when| self.here().condition(when));
        let timeout = fields.get("timeout").map(|timeout| self.file.duration(timeout));
        let optional = or_default(fields.get("optional").map(|node| self.file.boolean(node)), false);
        let commit = or_default(fields.get("commit").map(|node| self.file.boolean(node)), false);
        // A `commit` that was refused is one that was meant.
        let is_commit = commit != Some(false);
        self.check_modifiers(fields, verb, optional == Some(true), is_commit);
        let done = self.verb(fields, verb, is_commit);
        if is_commit {
            self.committed = true;
        }
        self.note_source(&verb.key);
        let reads = self.read_all(fields);
        let when = match (self.condition.clone(), when) {
            (Some(outer), Some(Some(inner))) => Some(outer.and(inner)),
            (Some(outer), None) => Some(outer),
            (_, inner) => inner.flatten(),
        };
        Some(Step {
            verb: done?,
            reads,
            when,
            timeout: or_default(timeout, STEP_TIMEOUT)?,
            optional: optional?,
            commit: commit?,
            place: self.file.place(node.span.start),
        })
    }

    fn check_modifiers(&self, fields: &Fields<'_>, verb: &Entry, optional: bool, commit: bool) {
        if optional && !WITH_TARGET.contains(&verb.key.as_str()) {
            let cure = "leave it out; `when` makes a step depend on what was read";
            let message = format!("`{}` has no element that may be there or not", verb.key);
            self.file.wrong(fields.key_span("optional"), message, cure);
        }
        if commit {
            self.check_commit(fields, verb, optional);
        }
    }

    fn check_commit(&self, fields: &Fields<'_>, verb: &Entry, optional: bool) {
        let span = fields.key_span("commit");
        let conditional = fields.get("when").is_some() || self.condition.is_some();
        if self.stage.only_reads() {
            let message = format!("`{}` only reads: nothing is committed in it", self.stage.word());
            self.file.wrong(span, message, "move the step to `act`, or take `commit` out");
        } else if self.stage == Stage::ActRepeatable {
            let cure = "take `commit` out, or `effect: repeatable`";
            self.file.wrong(span, "a repeatable task has no commit step", cure);
        } else if conditional || optional {
            let word = if conditional { "when" } else { "optional" };
            let message = format!("a commit step is unconditional: `{word}` does not go with it");
            let cure = format!("take `{word}` out; two ways to act are two tasks, joined by `requires`");
            self.file.wrong(span, message, cure);
        } else if !COMMITTING.contains(&verb.key.as_str()) {
            let message = format!("`{}` changes nothing on the server", verb.key);
            self.file.wrong(span, message, "put `commit: true` at the step that does");
        } else if self.committed && self.stage.has_one_commit() {
            let cure = "keep one; two things to do are two tasks, joined by `requires`, and counting is `goal`";
            self.file.wrong(span, "a second commit step: after a crash nobody could tell which was sent", cure);
        }
    }

    fn note_source(&mut self, verb: &str) {
        match verb {
            "open" => self.sources.page = true,
            "fetch" => self.sources.answer = true,
            "file" => self.sources.file = true,
            _ => {}
        }
    }

    pub(super) fn read_all(&mut self, fields: &Fields<'a>) -> Vec<(String, Read)> {
        let Some(node) = fields.get("read") else { return Vec::new() };
        let Some(entries) = self.file.map(node, "map of reads") else {
            self.expect_any_name();
            return Vec::new();
        };
        let mut reads = Vec::new();
        for entry in entries {
            if !self.may_name(&entry.key, &entry.key_span) {
                continue;
            }
            match self.here().read(&entry.value) {
                Some(read) => {
                    self.check_source(&read, &entry.key_span);
                    self.names.add(&entry.key, read::shape(&read));
                    self.reads.insert(entry.key.clone(), read.clone());
                    reads.push((entry.key.clone(), read));
                }
                // One mistake is reported once: conditions on this name are not judged.
                None => self.names.add(&entry.key, Shape::of(Type::Any)),
            }
        }
        reads
    }

    fn may_name(&self, name: &str, span: &Range<usize>) -> bool {
        if !self.file.id(name, span, "a read") {
            return false;
        }
        if RESERVED.contains(&name) || name == "false" {
            self.file.wrong(
                span.clone(),
                format!("`{name}` means something else in conditions"),
                "give the read another name",
            );
            return false;
        }
        if self.reads.contains_key(name) {
            let cure = "give each read a name of its own";
            self.file.wrong(span.clone(), format!("`{name}` was read before in this section"), cure);
            return false;
        }
        true
    }
}

/// Steps after which the server may have changed.
const COMMITTING: &[&str] = &["open", "fetch", "click", "fill", "press", "select", "tick", "untick"];

/// The modifiers of a verb.
pub(super) fn modifiers(verb: &str) -> &'static [&'static str] {
    MODIFIERS.iter().find(|(owner, _)| *owner == verb).map_or(&[], |(_, modifiers)| modifiers)
}
