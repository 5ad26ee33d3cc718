//! Conditions and templates where they stand: in a file, among the names that may be used there.

use super::condition::{Condition, Names, Problem, Template, forgotten_braces};
use super::file::File;
use super::model::Place;
use super::yaml::{Node, NodeKind};

/// A place in the files: whose faults they are, and which names there are.
#[derive(Clone, Copy)]
pub(super) struct Here<'a> {
    pub file: &'a File,
    pub names: &'a Names,
}

impl Here<'_> {
    /// The place of a node, for messages at run time.
    pub fn place(&self, node: &Node) -> Place {
        self.file.place(node.span.start)
    }

    /// A text that may hold `{{ name }}`.
    pub fn template(&self, node: &Node) -> Option<Template> {
        let text = self.file.words(node)?;
        self.parse_template(node, text, self.names)
    }

    /// `with` of a `fill`: the one text that may use the password, and that may be empty.
    pub fn fill_template(&self, node: &Node) -> Option<Template> {
        let text = self.file.text(node)?;
        self.parse_template(node, text, &self.names.with_password())
    }

    /// A text, number or boolean, kept as it is written.
    pub fn value_template(&self, node: &Node) -> Option<Template> {
        let text = self.file.scalar(node)?;
        self.parse_template(node, text, self.names)
    }

    fn parse_template(&self, node: &Node, text: &str, names: &Names) -> Option<Template> {
        if forgotten_braces(text) {
            let message = format!("these very words would be used, not the value of `{text}`");
            self.file.wrong(node.span.clone(), message, format!("write the name in braces: \"{{{{ {text} }}}}\""));
            return None;
        }
        self.checked(node, Template::parse(text, names))
    }

    /// A text that is true or false.
    pub fn condition(&self, node: &Node) -> Option<Condition> {
        let text = self.condition_text(node)?;
        self.checked(node, Condition::parse(text, self.names))
    }

    /// A text that is a number.
    pub fn number(&self, node: &Node) -> Option<Condition> {
        let text = self.condition_text(node)?;
        self.checked(node, Condition::parse_number(text, self.names))
    }

    /// A text that is a list of rows.
    pub fn rows(&self, node: &Node) -> Option<Condition> {
        let text = self.condition_text(node)?;
        self.checked(node, Condition::parse_rows(text, self.names))
    }

    fn condition_text<'n>(&self, node: &'n Node) -> Option<&'n str> {
        let in_braces = match &node.kind {
            NodeKind::Map(_) => self.file.text.get(node.span.start..).is_some_and(|text| text.starts_with("{{")),
            NodeKind::Scalar { text, .. } => text.trim_start().starts_with("{{"),
            _ => false,
        };
        if in_braces {
            let cure = "write it without braces, such as `signed`";
            self.file.wrong(node.span.clone(), "a condition has no braces: it is not a text with names in it", cure);
            return None;
        }
        self.file.scalar(node)
    }

    fn checked<T>(&self, node: &Node, parsed: Result<T, Problem>) -> Option<T> {
        parsed.map_err(|problem| self.file.problem(node, problem)).ok()
    }
}
