//! `requires:` of a task.

use super::condition::Template;
use super::fields::Fields;
use super::file::File;
use super::here::Here;
use super::locator::or_default;
use super::model::Requirement;
use super::yaml::{Node, NodeKind};

impl Here<'_> {
    /// What must hold before a task.
    pub fn requirements(&self, fields: &Fields<'_>, vars: &[(String, Template)]) -> Option<Vec<Requirement>> {
        let Some(node) = fields.get("requires") else { return Some(Vec::new()) };
        let items = self.file.list(node, "requires")?;
        let requirements: Vec<_> = items.iter().map(|item| self.requirement(item, vars)).collect();
        requirements.into_iter().collect()
    }

    fn requirement(&self, node: &Node, vars: &[(String, Template)]) -> Option<Requirement> {
        let kinds = ["task", "file", "http", "command"];
        let fields = Fields::of(self.file, node, "requirement", &[&kinds, &["changed"]])?;
        let present = fields.present(&kinds);
        let [kind] = present.as_slice() else {
            let cure = "write one of `task: sign`, `file: path`, `http: url`, `command: [..]` behind each `- `";
            self.file.wrong(node.span.clone(), "a requirement is exactly one thing", cure);
            return None;
        };
        if *kind != "file" && fields.get("changed").is_some() {
            self.file.wrong(fields.key_span("changed"), "`changed` goes with `file`", "take it out");
        }
        match *kind {
            "task" => {
                required_task(self.file, fields.get("task")?).map(|(site, task)| Requirement::Task { site, task })
            }
            "file" => self.required_file(&fields, vars),
            "http" => self.required_answer(fields.get("http")?, vars),
            _ => self.required_command(fields.get("command")?, vars),
        }
    }

    /// A text that is worked out before any secret is asked for.
    pub(super) fn without_login(&self, node: &Node, vars: &[(String, Template)]) -> Option<Template> {
        let template = self.template(node)?;
        if mentions(&template, vars, &|name| name == "account.username") {
            let message = "this is worked out before any secret is asked for, and the user name may be one";
            self.file.wrong(node.span.clone(), message, "use `account.id`, or an `account.vars.…`");
            return None;
        }
        Some(template)
    }

    fn required_answer(&self, node: &Node, vars: &[(String, Template)]) -> Option<Requirement> {
        let url = self.without_login(node, vars)?;
        // Names may stand in it; what is before the first of them must be a whole origin.
        let before = url.text().split("{{").next().unwrap_or_default();
        let parsed = url::Url::parse(before).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let whole = before.len() == url.text().len() || before.matches('/').count() > 2;
        let example = "write it whole: `http: \"https://status.example.org/ready\"`";
        match parsed.filter(|_| whole) {
            None => self.file.wrong(node.span.clone(), format!("`{}` is no http or https URL", url.text()), example),
            Some(parsed) if !parsed.username().is_empty() || parsed.password().is_some() => {
                let message = "a login in a URL ends up in logs";
                self.file.wrong(node.span.clone(), message, "ask an address that needs none, or use `command`");
            }
            Some(_) => return Some(Requirement::Http { url }),
        }
        None
    }

    fn required_command(&self, node: &Node, vars: &[(String, Template)]) -> Option<Requirement> {
        let items = self.file.list(node, "a command")?;
        if items.is_empty() {
            let cure = "write the program and its arguments: [test, -e, ready]";
            self.file.wrong(node.span.clone(), "this command has no program", cure);
            return None;
        }
        let words: Option<Vec<_>> = items.iter().map(|item| self.without_login(item, vars)).collect();
        words.map(|words| Requirement::Command { words })
    }

    /// Yesterday's file does not count, unless its path names the day.
    fn required_file(&self, fields: &Fields<'_>, vars: &[(String, Template)]) -> Option<Requirement> {
        let path = fields.get("file").and_then(|node| self.without_login(node, vars));
        let words = [("period", true), ("any", false)];
        let changed = fields.get("changed").map(|node| self.file.one_of(node, &words));
        let path = path?;
        let names_day = mentions(&path, vars, &|name| name == "day" || name.starts_with("period."));
        Some(Requirement::File { changed_in_period: or_default(changed, true)? && !names_day, path })
    }
}

/// `requires: task:` of a task, with the nodes that say so.
pub(super) fn required_tasks<'a>(fields: &Fields<'a>) -> Vec<(Option<String>, String, &'a Node)> {
    let items = match fields.get("requires").map(|node| &node.kind) {
        Some(NodeKind::List(items)) => items.as_slice(),
        _ => &[],
    };
    let tasks = items.iter().filter_map(|item| item.find("task"));
    tasks
        .filter_map(|node| {
            let (site, task) = split_task(node.scalar_text()?);
            Some((site, task, node))
        })
        .collect()
}

fn required_task(file: &File, node: &Node) -> Option<(Option<String>, String)> {
    file.words(node).map(split_task)
}

/// `sign`, or `site/sign`.
fn split_task(text: &str) -> (Option<String>, String) {
    match text.split_once('/') {
        Some((site, task)) => (Some(site.to_owned()), task.to_owned()),
        None => (None, text.to_owned()),
    }
}

/// True when a text uses such a name, be it by way of a var.
pub(super) fn mentions(template: &Template, vars: &[(String, Template)], wanted: &dyn Fn(&str) -> bool) -> bool {
    template.names().iter().any(|name| {
        wanted(name)
            || name.strip_prefix("vars.").is_some_and(|var| {
                // A var uses only those above it, so this ends.
                let at = vars.iter().position(|(name, _)| name == var);
                at.is_some_and(|at| mentions(&vars[at].1, &vars[..at], wanted))
            })
    })
}
