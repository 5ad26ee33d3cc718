//! Sections: steps and a verdict.

use super::condition::{Names, Shape};
use super::fields::Fields;
use super::file::File;
use super::locator::transpose;
use super::model::{Act, Reasoned, Section, Verdict, Want};
use super::read;
use super::site_facts::SiteFacts;
use super::stage::Stage;
use super::steps::Walk;
use super::yaml::{Node, NodeKind};

const SECTION_KEYS: &[&str] = &["steps", "done", "todo", "goal", "skip", "later", "notice"];

/// A section, and what it read, for `checked.x`.
pub(super) struct Sectioned {
    pub section: Option<Section>,
    pub reads: Vec<(String, Shape)>,
    /// The section has a `goal`.
    pub goal: bool,
}

/// Reads a section; `points` has no verdict.
pub(super) fn section<'a>(
    site: &'a SiteFacts<'a>,
    file: &'a File,
    node: &'a Node,
    names: &Names,
    stage: Stage,
) -> Sectioned {
    let mut walk = Walk::new(site, file, names, stage);
    let section = walk.section(node);
    let reads = walk.reads.iter().map(|(name, read)| (name.clone(), read::shape(read))).collect();
    let goal = node.find("goal").is_some();
    Sectioned { section, reads, goal }
}

/// Reads the steps of an `act`, or `person`.
pub(super) fn act<'a>(
    site: &'a SiteFacts<'a>,
    file: &'a File,
    node: &'a Node,
    names: &Names,
    stage: Stage,
) -> Option<Act> {
    if let NodeKind::Scalar { .. } = node.kind {
        return file.one_of(node, &[("person", ())]).map(|()| Act::Person);
    }
    let mut walk = Walk::new(site, file, names, stage);
    let steps = walk.steps(node);
    if stage.has_one_commit() && !walk.committed && file.list(node, "act").is_some() {
        let cure = match stage {
            Stage::ActOnce => {
                "put `commit: true` at the step after which the server may have changed, or write `effect: repeatable`"
            }
            _ => "put `commit: true` at the step that sends the login",
        };
        file.wrong(node.span.clone(), format!("`{}` has no commit step", stage.word()), cure);
    }
    Some(Act::Steps(steps))
}

impl<'a> Walk<'a> {
    fn section(&mut self, node: &'a Node) -> Option<Section> {
        if let NodeKind::List(_) = node.kind {
            let cure = "write the keys without `-`: `steps:`, `done:` and `todo:` stand beside each other";
            self.file.wrong(node.span.clone(), format!("`{}` is one section, not a list", self.stage.word()), cure);
            return None;
        }
        let keys = if self.stage == Stage::Points { &["steps"] } else { SECTION_KEYS };
        let fields = Fields::of(self.file, node, "section", &[keys])?;
        let steps_node = fields.need("steps", "steps: …");
        let steps = match steps_node {
            Some(node) => self.steps(node),
            None => {
                self.expect_any_name();
                Vec::new()
            }
        };
        if let Some(node) = steps_node.filter(|_| !steps.is_empty()) {
            self.check_fresh(node);
        }
        let verdict = match self.stage {
            Stage::Points => Some(Verdict::Reads),
            _ => self.verdict(&fields),
        };
        let skip = self.reasoned(&fields, "skip");
        let later = self.reasoned(&fields, "later");
        let notice = self.reasoned(&fields, "notice");
        let place = self.file.place(node.span.start);
        Some(Section { steps, verdict: verdict?, skip: skip?, later: later?, notice: notice?, place })
    }

    fn verdict(&mut self, fields: &Fields<'a>) -> Option<Verdict> {
        if let Some(goal) = fields.get("goal") {
            for key in fields.present(&["done", "todo"]) {
                let cure = "keep one of the two: a goal says itself when it is done";
                self.file.wrong(fields.key_span(key), format!("`{key}` does not go with `goal`"), cure);
            }
            if self.stage != Stage::Check {
                let cure = "put it into `check`, and write `verify: check`";
                self.file.wrong(fields.key_span("goal"), format!("`{}` has no goal", self.stage.word()), cure);
            }
            return self.goal(goal);
        }
        let done_node = fields.need("done", "done: signed");
        let done = done_node.map(|node| self.stated(node, "done"));
        let todo_node = match self.stage {
            Stage::Verify => fields.get("todo"),
            _ => fields.need("todo", "todo: not signed"),
        };
        let todo = todo_node.map(|node| self.stated(node, "todo"));
        if let (Stage::SignInCheck, Some(node), Some(Some(done))) = (self.stage, done_node, &done) {
            self.check_names_account(node, done);
        }
        Some(Verdict::Stated { done: done.flatten()?, todo: transpose(todo)? })
    }

    fn stated(&self, node: &Node, key: &str) -> Option<super::condition::Condition> {
        let condition = self.here().condition(node)?;
        if self.check_uses_read(node, &condition, key) {
            self.check_not_blank(node, &condition, key);
        }
        Some(condition)
    }

    /// Signed in as another person is not signed in.
    fn check_names_account(&self, node: &Node, done: &super::condition::Condition) {
        if !done.names().iter().any(|name| name.starts_with("account.")) {
            let cure = "compare what the site says with the account: `done: user == account.username`";
            self.file.wrong(node.span.clone(), "this does not say who is signed in", cure);
        }
    }

    fn goal(&mut self, node: &'a Node) -> Option<Verdict> {
        let fields = Fields::of(self.file, node, "goal", &[&["have", "want", "more"]])?;
        let have_node = fields.need("have", "have: progress");
        let have = have_node.and_then(|node| self.here().number(node));
        if let (Some(node), Some(have)) = (have_node, &have) {
            self.check_count_not_blank(node, have);
        }
        if let Some(more) = fields.get("more") {
            self.file.whole::<u32>(more, 1..=1_000);
            self.file.not_supported(fields.key_span("more"), "goal: more");
            return None;
        }
        let want = fields.need("want", "want: 3").and_then(|node| self.here().number(node));
        Some(Verdict::Goal { have: have?, want: Want::Total(want?) })
    }

    /// `skip`, `later` or `notice`.
    fn reasoned(&self, fields: &Fields<'a>, key: &str) -> Option<Vec<Reasoned>> {
        let Some(node) = fields.get(key) else { return Some(Vec::new()) };
        if key != "notice" && self.stage != Stage::Check {
            let message = format!("`{key}` is looked at before anything is done, not in `{}`", self.stage.word());
            self.file.wrong(fields.key_span(key), message, "put it into the `check` of a task");
        }
        let items = self.file.list(node, key)?;
        let reasoned: Vec<_> = items.iter().map(|item| self.one_reason(item, key)).collect();
        reasoned.into_iter().collect()
    }

    fn one_reason(&self, node: &'a Node, key: &str) -> Option<Reasoned> {
        let fields = Fields::of(self.file, node, "reason", &[&["when", "reason"]])?;
        let when_node = fields.need("when", "when: not open");
        let when = when_node.and_then(|node| self.here().condition(node));
        let reason = fields.need("reason", "reason: 今天没有").and_then(|node| self.here().template(node));
        if let (Some(node), Some(when)) = (when_node, &when)
            && self.check_uses_read(node, when, "when")
            && key == "skip"
        {
            self.check_not_blank(node, when, "skip");
        }
        Some(Reasoned { when: when?, reason: reason? })
    }
}
