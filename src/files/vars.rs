//! `vars` of a site and of a task.

use super::condition::{Names, Shape, Template, Type};
use super::file::File;
use super::here::Here;
use super::scalars::looks_like_number;
use super::yaml::{Entry, Node};

/// One var, where it is written.
#[derive(Clone, Copy)]
struct Written<'a> {
    file: &'a File,
    entry: &'a Entry,
}

/// The vars of a site with those of a task over them, and the names with each of them added. A task's var stands where
/// the site's stood, so that the site's own later vars see it.
pub(super) fn vars<'a>(
    site: (&'a File, Option<&'a Node>),
    task: Option<(&'a File, Option<&'a Node>)>,
    names: &mut Names,
) -> Option<Vec<(String, Template)>> {
    let mut written: Vec<Written<'a>> = Vec::new();
    for (file, node) in std::iter::once(site).chain(task) {
        let Some(entries) = node.map(|node| file.map(node, "map of vars")) else { continue };
        for entry in entries.unwrap_or_default() {
            match written.iter_mut().find(|other| other.entry.key == entry.key) {
                Some(other) => *other = Written { file, entry },
                None => written.push(Written { file, entry }),
            }
        }
    }
    let keys: Vec<&str> = written.iter().map(|var| var.entry.key.as_str()).collect();
    let vars: Vec<_> = written.iter().enumerate().map(|(at, var)| one(var, &keys[at..], names)).collect();
    vars.into_iter().collect()
}

fn one(var: &Written<'_>, from_here: &[&str], names: &mut Names) -> Option<(String, Template)> {
    let Written { file, entry } = *var;
    let template = file
        .id(&entry.key, &entry.key_span, "a var")
        .then(|| {
            defined_below(file, &entry.value, from_here)?;
            Here { file, names }.value_template(&entry.value)
        })
        .flatten();
    let kind = match entry.value.plain_text() {
        Some("true" | "false") => Type::BooleanVar,
        Some(number) if looks_like_number(number) => Type::NumberVar,
        _ => Type::Text,
    };
    let kind = if template.is_some() { kind } else { Type::Any };
    names.add(format!("vars.{}", entry.key), Shape::of(kind));
    template.map(|template| (entry.key.clone(), template))
}

/// A var that is used above its line, or in its own.
fn defined_below(file: &File, node: &Node, from_here: &[&str]) -> Option<()> {
    let mut names = Names::of_the_day();
    names.add_unknown("account.");
    names.add_unknown("vars.");
    let Some(text) = node.scalar_text() else { return Some(()) };
    let Ok(template) = Template::parse(text, &names) else { return Some(()) };
    let used = template.names();
    let below = from_here.iter().find(|key| used.contains(format!("vars.{key}").as_str()));
    if let Some(key) = below {
        let message = format!("`vars.{key}` is not known yet in this line: a var uses only those above it");
        file.wrong(node.span.clone(), message, format!("move `{key}` above this line"));
        return None;
    }
    Some(())
}
