//! The verbs of steps, each with its own modifiers.

use super::condition::Template;
use super::fields::Fields;
use super::locator::{or_default, transpose};
use super::model::{Dialog, FileEncoding, Go, Otherwise, ScrollTo, Verb};
use super::stage::Stage;
use super::steps::Walk;
use super::yaml::{Entry, Node};

/// Every verb, those that cannot run yet included.
pub(super) const VERBS: &[&str] = &[
    "open",
    "fetch",
    "file",
    "use",
    "click",
    "fill",
    "select",
    "upload",
    "tick",
    "untick",
    "hover",
    "press",
    "scroll",
    "download",
    "wait",
    "wait_gone",
    "pause",
    "pause_until",
    "expect",
    "for_each",
    "go",
    "screenshot",
    "script",
];

/// The modifiers that belong to one verb or two.
pub(super) const MODIFIERS: &[(&str, &[&str])] = &[
    ("open", &["query"]),
    ("fetch", &["method", "query", "form", "json", "headers", "accept", "safe"]),
    ("file", &["encoding"]),
    ("click", &["opens", "dialog"]),
    ("fill", &["with"]),
    ("select", &["option"]),
    ("upload", &["path"]),
    ("press", &["in"]),
    ("download", &["to", "replace"]),
    ("expect", &["otherwise", "reason"]),
    ("for_each", &["steps"]),
];

/// Verbs that work on an element, which may be there or not.
pub(super) const WITH_TARGET: &[&str] = &[
    "click",
    "fill",
    "select",
    "upload",
    "tick",
    "untick",
    "hover",
    "press",
    "scroll",
    "download",
    "wait",
    "wait_gone",
];

/// Verbs that may change something: none of them in a section that only reads.
const ACTING: &[&str] = &["fill", "tick", "untick", "press", "upload", "download", "script"];

impl<'a> Walk<'a> {
    /// What a step does, with its own modifiers.
    pub(super) fn verb(&mut self, fields: &Fields<'a>, verb: &'a Entry, commit: bool) -> Option<Verb> {
        if self.stage.only_reads() && ACTING.contains(&verb.key.as_str()) {
            let message = format!("`{}` only reads: no `{}` in it", self.stage.word(), verb.key);
            self.file.wrong(verb.key_span.clone(), message, "move the step to `act`");
        }
        let node = &verb.value;
        match verb.key.as_str() {
            "open" => self.open(fields, node),
            "fetch" => self.fetch(fields, node, commit).map(Verb::Fetch),
            "file" => self.file_step(fields, node),
            "click" => self.click(fields, node),
            "fill" => self.fill(fields, node),
            "select" => self.select(fields, node),
            "tick" => Some(Verb::Tick { target: self.here().target(node)? }),
            "untick" => Some(Verb::Untick { target: self.here().target(node)? }),
            "hover" => Some(Verb::Hover { target: self.here().target(node)? }),
            "press" => self.press(fields, node),
            "scroll" => self.scroll(node),
            "wait" => Some(Verb::Wait { target: self.here().target(node)? }),
            "wait_gone" => Some(Verb::WaitGone { target: self.here().target(node)? }),
            "pause" => self.file.duration(node).map(Verb::Pause),
            "pause_until" => self.file.clock(node).map(Verb::PauseUntil),
            "expect" => self.expect(fields, verb),
            "go" => {
                let words = [("back", Go::Back), ("reload", Go::Reload), ("close_tab", Go::CloseTab)];
                self.file.one_of(node, &words).map(Verb::Go)
            }
            _ => self.not_yet(fields, verb),
        }
    }

    fn open(&mut self, fields: &Fields<'a>, node: &'a Node) -> Option<Verb> {
        let path = self.path(node);
        let query = or_default(fields.get("query").map(|query| self.pairs(query, "query")), Vec::new());
        Some(Verb::Open { path: path?, query: query? })
    }

    fn file_step(&mut self, fields: &Fields<'a>, node: &'a Node) -> Option<Verb> {
        let words = [("utf-8", FileEncoding::Utf8), ("gbk", FileEncoding::Gbk)];
        let encoding = fields.get("encoding").map(|encoding| self.file.one_of(encoding, &words));
        let path = self.here().template(node);
        Some(Verb::File { path: path?, encoding: or_default(encoding, FileEncoding::Utf8)? })
    }

    fn click(&mut self, fields: &Fields<'a>, node: &'a Node) -> Option<Verb> {
        let target = self.here().target(node);
        let opens_tab = fields.get("opens").map(|opens| self.file.one_of(opens, &[("tab", true)]));
        let words = [("accept", Dialog::Accept), ("dismiss", Dialog::Dismiss)];
        let dialog = fields.get("dialog").map(|dialog| self.file.one_of(dialog, &words));
        Some(Verb::Click { target: target?, opens_tab: or_default(opens_tab, false)?, dialog: transpose(dialog)? })
    }

    fn fill(&mut self, fields: &Fields<'a>, node: &'a Node) -> Option<Verb> {
        let target = self.here().target(node);
        let with = fields.need("with", "with: \"{{ vars.title }}\"").and_then(|with| self.here().fill_template(with));
        Some(Verb::Fill { target: target?, with: with? })
    }

    fn select(&mut self, fields: &Fields<'a>, node: &'a Node) -> Option<Verb> {
        let target = self.here().target(node);
        let option = fields.need("option", "option: 随笔").and_then(|option| self.here().template(option));
        Some(Verb::Select { target: target?, option: option? })
    }

    fn press(&mut self, fields: &Fields<'a>, node: &'a Node) -> Option<Verb> {
        let on = fields.get("in").map(|locator| self.here().locator(locator));
        let keys = self.file.scalar(node)?;
        if let Err(cure) = super::keys::check(keys) {
            self.file.wrong(node.span.clone(), format!("`{keys}` is not a key"), cure);
            return None;
        }
        Some(Verb::Press { keys: keys.to_owned(), on: transpose(on)? })
    }

    fn scroll(&mut self, node: &'a Node) -> Option<Verb> {
        let to = match node.scalar_text() {
            Some("top") => ScrollTo::Top,
            Some("bottom") => ScrollTo::Bottom,
            Some(_) if !node.is_empty() => {
                self.file.one_of(node, &[("top", ()), ("bottom", ())]);
                return None;
            }
            _ => ScrollTo::Element(self.here().locator(node)?),
        };
        Some(Verb::Scroll(to))
    }

    fn expect(&mut self, fields: &Fields<'a>, verb: &'a Entry) -> Option<Verb> {
        if self.committed {
            let cure = "move it before the commit step; what comes after is judged by `verify`";
            self.file.wrong(verb.key_span.clone(), "`expect` after the commit step has nothing left to stop", cure);
        }
        let condition = self.here().condition(&verb.value);
        let words = [("fail", Otherwise::Fail), ("later", Otherwise::Later), ("skip", Otherwise::Skip)];
        let otherwise = fields.get("otherwise").map(|otherwise| self.file.one_of(otherwise, &words));
        let reason = fields.get("reason").map(|reason| self.here().template(reason));
        let otherwise = or_default(otherwise, Otherwise::Fail)?;
        if otherwise != Otherwise::Fail {
            self.leaves_open(fields);
        }
        Some(Verb::Expect { condition: condition?, otherwise, reason: transpose(reason)? })
    }

    /// `otherwise: later` and `skip` need a reason, and something that can still be put off.
    fn leaves_open(&self, fields: &Fields<'_>) {
        if matches!(self.stage, Stage::Verify | Stage::Points | Stage::SignInCheck | Stage::SignInAct) {
            let message = format!("`{}` can neither be skipped nor put off", self.stage.word());
            self.file.wrong(fields.key_span("otherwise"), message, "write `otherwise: fail`, or leave it out");
        }
        fields.need("reason", "reason: 没有空场");
    }

    /// Steps that are good grammar and cannot run yet: checked like the others, then named.
    fn not_yet(&mut self, fields: &Fields<'a>, verb: &'a Entry) -> Option<Verb> {
        match verb.key.as_str() {
            "upload" => {
                self.here().target(&verb.value);
                fields.need("path", "path: photos/today.jpg").and_then(|path| self.here().template(path));
            }
            "download" => {
                self.here().target(&verb.value);
                fields.need("to", "to: statements/today.csv").and_then(|to| self.here().template(to));
                fields.get("replace").and_then(|replace| self.file.boolean(replace));
            }
            "for_each" => self.for_each(fields, &verb.value),
            _ => {
                self.file.words(&verb.value);
            }
        }
        self.file.not_supported(verb.key_span.clone(), &verb.key);
        None
    }

    fn for_each(&mut self, fields: &Fields<'a>, rows: &'a Node) {
        self.here().rows(rows);
        let Some(steps) = fields.need("steps", "steps: …") else { return };
        for step in self.file.list(steps, "a list of steps").unwrap_or_default() {
            for entry in step.entries().unwrap_or_default() {
                if entry.key == "commit" {
                    let cure = "one item is one task; counting is `goal`, with one unit in `act`";
                    self.file.wrong(entry.key_span.clone(), "no commit step inside `for_each`", cure);
                }
            }
        }
    }

    /// A path of the site, or a URL on one of its origins.
    pub(super) fn path(&self, node: &Node) -> Option<Template> {
        let path = self.here().template(node)?;
        let beginning = path.beginning();
        let on_origin = self.site.origins.iter().any(|origin| {
            beginning
                .strip_prefix(origin.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']))
        });
        let own_path = beginning.starts_with('/') && !beginning[1..].starts_with(['/', '\\']);
        if own_path || on_origin || (beginning.is_empty() && !path.is_literal()) || !self.site.sound {
            return Some(path);
        }
        let cure = if beginning.contains("://") || beginning.starts_with("//") {
            "a page of another origin is opened only when site.yaml names it in `origins`"
        } else {
            "a path begins with `/`: `/home`"
        };
        self.file.wrong(node.span.clone(), format!("`{}` is no page of this site", path.text()), cure);
        None
    }

    /// Names and texts: a query, a form, headers.
    pub(super) fn pairs(&self, node: &Node, what: &str) -> Option<Vec<(String, Template)>> {
        let entries = self.file.map(node, what)?;
        let pairs: Vec<_> = entries
            .iter()
            .map(|entry| self.here().value_template(&entry.value).map(|value| (entry.key.clone(), value)))
            .collect();
        pairs.into_iter().collect()
    }
}
