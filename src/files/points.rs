//! `points:` of a site.

use super::condition::{Names, Shape, Type};
use super::file::File;
use super::model::Section;
use super::section::section;
use super::site_facts::SiteFacts;
use super::stage::Stage;
use super::yaml::Node;

/// `points:` of a site: steps that read `details`, and perhaps `balance`.
pub(super) fn points<'a>(site: &'a SiteFacts<'a>, file: &'a File, node: &'a Node, names: &Names) -> Option<Section> {
    let read = section(site, file, node, names, Stage::Points);
    let section = read.section?;
    let shape = |name: &str| read.reads.iter().find(|(read, _)| read == name).map(|(_, shape)| shape);
    match shape("details").map(|shape| &shape.kind) {
        Some(Type::Rows(columns)) => {
            for (name, kind) in [("time", Type::Time), ("title", Type::Text), ("amount", Type::Number)] {
                check_column(file, node, name, &kind, columns.get(name));
            }
        }
        Some(_) => {
            file.wrong(node.span.clone(), "`details` is a list of rows", "read it as `table`, `items` or `rows`")
        }
        None if file.is_sound() => {
            let cure = "name the list `details`, with the columns time, title and amount";
            file.wrong(node.span.clone(), "`points` does not read the rows of points", cure);
        }
        None => {}
    }
    if shape("balance").is_some_and(|shape| shape.kind != Type::Number) {
        file.wrong(node.span.clone(), "`balance` is a number", "read it as `number`");
    }
    Some(section)
}

fn check_column(file: &File, node: &Node, name: &str, kind: &Type, found: Option<&Shape>) {
    if found.is_none_or(|shape| shape.kind != *kind) {
        let cure = format!(
            "add it as {kind}: `columns: {{ time: {{ time: … }}, title: {{ text: … }}, amount: {{ number: … }} }}`"
        );
        file.wrong(node.span.clone(), format!("the rows of `details` have no column `{name}` that is {kind}"), cure);
    }
}
