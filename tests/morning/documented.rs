//! What the commands print with `--json` is what `docs/json.md` says.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value as Json;

use crate::stage::{Morning, Stage};
use crate::support::{project, run};

/// The names in code letters: of each section by the names in its title, of the table before them by command.
type Page = BTreeMap<String, BTreeSet<String>>;

/// Looks at what each command says about this morning.
pub async fn all_fields(stage: &Stage, morning: &Morning) {
    let page = page();
    check(&page, "run", &morning.json);
    for command in ["status", "report", "validate", "tickets", "explain", "history"] {
        let more: &[&str] = if command == "explain" { &["read", "--next", "3"] } else { &[] };
        let printed = Morning::of(run(stage.sunup(&[&[command, "--json"], more].concat())).await);
        match command {
            "tickets" => check_below(&page, "tickets", &printed.json),
            _ => check(&page, command, &printed.json),
        }
    }
}

/// The top of a command's value, and everything below it.
fn check(page: &Page, command: &str, json: &Json) {
    let fields = json.as_object().unwrap_or_else(|| panic!("`{command}` printed no object: {json}"));
    let documented = &page[&format!("command {command}")];
    for (name, value) in fields {
        assert!(documented.contains(name), "docs/json.md does not say that `{command}` prints `{name}`");
        check_below(page, name, value);
    }
}

/// The fields of an object, or of each object of a list, are those of the section of its name.
fn check_below(page: &Page, name: &str, value: &Json) {
    match value {
        Json::Array(entries) => entries.iter().for_each(|entry| check_below(page, name, entry)),
        Json::Object(fields) => {
            let section = page.get(name).unwrap_or_else(|| panic!("docs/json.md has no section `{name}`: {value}"));
            for (field, below) in fields {
                assert!(section.contains(field), "docs/json.md does not say that `{name}` has `{field}`: {value}");
                check_below(page, field, below);
            }
        }
        _ => {}
    }
}

fn page() -> Page {
    let text = fs::read_to_string(project().join("docs/json.md")).expect("docs/json.md");
    let mut page = Page::new();
    let mut sections = Vec::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            sections = names(title).collect();
        }
        let [_, first, second, ..] = line.split('|').collect::<Vec<_>>()[..] else { continue };
        if sections.is_empty() {
            let command = names(first).map(|command| format!("command {command}"));
            page.extend(command.map(|command| (command, names(second).collect())));
        }
        for section in &sections {
            page.entry(section.clone()).or_default().extend(names(first));
        }
    }
    page
}

fn names(cell: &str) -> impl Iterator<Item = String> + '_ {
    cell.split('`').skip(1).step_by(2).map(str::to_owned)
}
