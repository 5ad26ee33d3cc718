//! Locators and targets: how an element is found.

use super::fields::Fields;
use super::here::Here;
use super::model::{By, Locator, Target};
use super::nearest::nearest;
use super::yaml::{Node, NodeKind};

/// What a locator can go by.
const BY: [&str; 7] = ["role", "label", "text", "placeholder", "testid", "css", "xpath"];

/// Every key of a locator.
pub(super) const LOCATOR_KEYS: &[&str] =
    &["role", "label", "text", "placeholder", "testid", "css", "xpath", "name", "exact", "nth", "within", "frame"];

/// Words that belong to the step and were written inside the braces.
const STEP_WORDS: [&str; 8] = ["commit", "optional", "when", "timeout", "opens", "dialog", "with", "read"];

/// The roles of WAI-ARIA 1.2 that a page can show.
const ROLES: &[&str] = &[
    "alert",
    "alertdialog",
    "application",
    "article",
    "banner",
    "blockquote",
    "button",
    "caption",
    "cell",
    "checkbox",
    "code",
    "columnheader",
    "combobox",
    "complementary",
    "contentinfo",
    "definition",
    "deletion",
    "dialog",
    "directory",
    "document",
    "emphasis",
    "feed",
    "figure",
    "form",
    "generic",
    "grid",
    "gridcell",
    "group",
    "heading",
    "img",
    "insertion",
    "link",
    "list",
    "listbox",
    "listitem",
    "log",
    "main",
    "mark",
    "marquee",
    "math",
    "menu",
    "menubar",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "meter",
    "navigation",
    "none",
    "note",
    "option",
    "paragraph",
    "presentation",
    "progressbar",
    "radio",
    "radiogroup",
    "region",
    "row",
    "rowgroup",
    "rowheader",
    "scrollbar",
    "search",
    "searchbox",
    "separator",
    "slider",
    "spinbutton",
    "status",
    "strong",
    "subscript",
    "superscript",
    "suggestion",
    "switch",
    "tab",
    "table",
    "tablist",
    "tabpanel",
    "term",
    "textbox",
    "time",
    "timer",
    "toolbar",
    "tooltip",
    "tree",
    "treegrid",
    "treeitem",
];

impl Here<'_> {
    /// One locator, a list of alternatives, or `first_of`.
    pub fn target(&self, node: &Node) -> Option<Target> {
        if let NodeKind::List(items) = &node.kind {
            return self.locators(node, items).map(Target::Alternatives);
        }
        match node.find("first_of") {
            Some(wishes) => {
                Fields::of(self.file, node, "target", &[&["first_of"]])?;
                let items = self.file.list(wishes, "first_of")?;
                self.locators(wishes, items).map(Target::FirstOf)
            }
            None => self.locator(node).map(|locator| Target::Alternatives(vec![locator])),
        }
    }

    fn locators(&self, node: &Node, items: &[Node]) -> Option<Vec<Locator>> {
        if items.is_empty() {
            self.file.wrong(
                node.span.clone(),
                "this list is empty",
                "write one locator at least: `{ css: \"#checkin\" }`",
            );
            return None;
        }
        items.iter().map(|item| self.locator(item)).collect::<Vec<_>>().into_iter().collect()
    }

    /// One locator.
    pub fn locator(&self, node: &Node) -> Option<Locator> {
        self.locator_with(node, &[])
    }

    /// One locator among whose keys stand further ones, such as `attribute` of a read.
    pub fn locator_with(&self, node: &Node, further: &[&str]) -> Option<Locator> {
        if node.entries().is_some() {
            self.refuse_step_words(node)?;
        }
        let fields = Fields::of(self.file, node, "locator", &[LOCATOR_KEYS, further])?;
        let by = self.by(&fields, node);
        let text = match by.as_ref() {
            Some(By::Css(_)) => fields.get("text").map(|text| self.template(text)),
            _ => None,
        };
        let exact = fields.get("exact").map(|exact| self.file.boolean(exact));
        let nth = fields.get("nth").map(|nth| self.file.whole(nth, 1..=10_000));
        let within = fields.get("within").map(|within| self.locator(within).map(Box::new));
        let frame = fields.get("frame").map(|frame| self.locator(frame).map(Box::new));
        if fields.get("exact").is_some() && matches!(&by, Some(By::Css(_) | By::Xpath(_))) && text.is_none() {
            let cure = "leave it out, or go by `text`, `role` and `name`, `label`";
            self.file.wrong(
                fields.key_span("exact"),
                "`exact` says how a text is compared, and there is none here",
                cure,
            );
        }
        Some(Locator {
            by: by?,
            exact: or_default(exact, true)?,
            text: transpose(text)?,
            nth: transpose(nth)?,
            within: transpose(within)?,
            frame: transpose(frame)?,
        })
    }

    fn by(&self, fields: &Fields<'_>, node: &Node) -> Option<By> {
        let present = fields.present(&BY);
        let key = match present.as_slice() {
            [one] => *one,
            // `css` with `text`: the element that has both.
            ["text", "css"] => "css",
            [] if fields.has_unknown() => return None,
            [] => {
                let cure =
                    "write one of role, label, text, placeholder, testid, css, xpath: `{ role: button, name: 签到 }`";
                self.file.wrong(node.span.clone(), "this locator does not say by what the element is found", cure);
                return None;
            }
            [_, second, ..] => {
                let cure = "keep one; only `css` and `text` go together";
                self.file.wrong(fields.key_span(second), "an element is found by one thing", cure);
                return None;
            }
        };
        if key != "role" && fields.get("name").is_some() {
            self.file.wrong(
                fields.key_span("name"),
                "`name` goes with `role` only",
                "write `{ role: button, name: 签到 }`, or `text`",
            );
        }
        let value = fields.get(key)?;
        if key == "role" {
            let name = fields.get("name").map(|name| self.template(name));
            let role = self.role(value)?;
            return Some(By::Role { role, name: transpose(name)? });
        }
        let text = self.template(value)?;
        if matches!(key, "css" | "xpath") {
            self.balanced(value, text.text())?;
        }
        Some(match key {
            "label" => By::Label(text),
            "text" => By::Text(text),
            "placeholder" => By::Placeholder(text),
            "testid" => By::TestId(text),
            "css" => By::Css(text),
            _ => By::Xpath(text),
        })
    }

    fn role(&self, node: &Node) -> Option<String> {
        let role = self.file.words(node)?;
        if ROLES.contains(&role) {
            return Some(role.to_owned());
        }
        let cure = match nearest(role, ROLES.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "write an ARIA role, such as button, link, tab, textbox, checkbox, dialog".to_owned(),
        };
        self.file.wrong(node.span.clone(), format!("there is no role `{role}`"), cure);
        None
    }

    /// Brackets and quotes of a selector close; the rest is the browser's to judge.
    fn balanced(&self, node: &Node, selector: &str) -> Option<()> {
        let mut open = Vec::new();
        let mut quote = None;
        let mut letters = selector.chars();
        while let Some(letter) = letters.next() {
            match (quote, letter) {
                (_, '\\') => drop(letters.next()),
                (Some(end), _) if letter == end => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'') => quote = Some(letter),
                (None, '(') => open.push(')'),
                (None, '[') => open.push(']'),
                (None, ')' | ']') if open.pop() != Some(letter) => {
                    self.file.wrong(
                        node.span.clone(),
                        format!("a `{letter}` too many in this selector"),
                        "take it out, or open it",
                    );
                    return None;
                }
                (None, _) => {}
            }
        }
        if let Some(missing) = quote.or(open.pop()) {
            self.file.wrong(
                node.span.clone(),
                format!("a `{missing}` is missing in this selector"),
                "close what is open",
            );
            return None;
        }
        Some(())
    }

    /// `{ role: button, commit: true }`: the word is one step too deep.
    fn refuse_step_words(&self, node: &Node) -> Option<()> {
        let misplaced = node.entries()?.iter().find(|entry| STEP_WORDS.contains(&entry.key.as_str()));
        let Some(entry) = misplaced else { return Some(()) };
        let message = format!("`{}` is about the step, not about the element", entry.key);
        let cure = format!("write `{}:` below the step, at the level of its verb", entry.key);
        self.file.wrong(entry.key_span.clone(), message, cure);
        None
    }
}

/// A key that may be left out, and was right where it was written.
pub(super) fn transpose<T>(value: Option<Option<T>>) -> Option<Option<T>> {
    match value {
        Some(None) => None,
        Some(Some(value)) => Some(Some(value)),
        None => Some(None),
    }
}

/// The same, with what it is when left out.
pub(super) fn or_default<T>(value: Option<Option<T>>, default: T) -> Option<T> {
    value.unwrap_or(Some(default))
}
