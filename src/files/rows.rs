//! Reads of rows: tables, repeated elements, lists in JSON, CSV files.

use std::collections::BTreeMap;

use super::condition::{Shape, Type};
use super::fields::Fields;
use super::here::Here;
use super::json_path;
use super::locator::{or_default, transpose};
use super::model::{Column, ColumnKind, From, Next, ReadKind, RowsFrom, RowsRead, ScalarKind, Source};
use super::read::{TYPES, scalar_kind, scalar_type};
use super::yaml::{Node, NodeKind};

/// The types that read rows.
pub(super) const ROWS_TYPES: &[&str] = &["table", "items", "rows"];

/// What may stand beside them.
pub(super) const ROWS_KEYS: &[&str] =
    &["columns", "first", "next", "pages", "scroll", "id", "empty", "total", "max_pages", "keep"];

/// Pages that are read when nothing is said.
const DEFAULT_PAGES: u32 = 20;

impl Here<'_> {
    /// A read of rows, of this type.
    pub fn rows_read(&self, fields: &Fields<'_>, kind: &str, node: &Node) -> Option<RowsRead> {
        fields.not_supported(&["first", "pages", "scroll", "id"]);
        let value = fields.get(kind)?;
        let from = match kind {
            "table" => self.locator(value).map(RowsFrom::Table),
            "items" => self.locator(value).map(RowsFrom::Items),
            _ => self.rows_from(value),
        };
        let columns = self.columns(fields, from.as_ref());
        let next = fields.get("next").map(|node| self.next(node, fields, from.as_ref()));
        let empty = fields.get("empty").map(|node| self.locator(node));
        let total = fields.get("total").map(|node| self.total(node));
        let max_pages = fields.get("max_pages").map(|node| self.file.whole(node, 1..=1_000));
        let words = [("period", true), ("all", false)];
        let keep = fields.get("keep").map(|node| self.file.one_of(node, &words));
        if fields.get("empty").is_some() && matches!(from, Some(RowsFrom::Json(_) | RowsFrom::Csv)) {
            let cure = "leave it out: an answer or a file says itself that it has no rows";
            self.file.wrong(fields.key_span("empty"), "`empty` is something on a page", cure);
        }
        if let Some(match_key) = fields.present(&["match"]).first() {
            self.file.wrong(fields.key_span(match_key), "`match` takes a piece of one value", "write it at the column");
        }
        let columns = columns?;
        let keep_period = self.keep_period(fields, &columns, transpose(keep)?, node)?;
        Some(RowsRead {
            from: from?,
            columns,
            next: transpose(next)?,
            empty: transpose(empty)?,
            total: transpose(total)?,
            max_pages: or_default(max_pages, DEFAULT_PAGES)?,
            keep_period,
        })
    }

    fn rows_from(&self, node: &Node) -> Option<RowsFrom> {
        if matches!(node.kind, NodeKind::Map(_)) {
            let cure = "for elements of a page write `table: { css: … }` or `items: { css: … }`";
            self.file.wrong(node.span.clone(), "`rows` are read from an answer or a file", cure);
            return None;
        }
        let text = self.file.words(node)?;
        if text == "csv" {
            return Some(RowsFrom::Csv);
        }
        let path = json_path::parse(text);
        if path.is_none() {
            let cure = format!("write `json.{text}`, `json`, or `csv`");
            self.file.wrong(node.span.clone(), format!("`{text}` is not a list of rows"), cure);
        }
        path.map(RowsFrom::Json)
    }

    /// Rows of this period only: by the one column that is a time, or the one of them that is named `time`.
    fn keep_period(&self, fields: &Fields<'_>, columns: &[Column], keep: Option<bool>, node: &Node) -> Option<bool> {
        let times: Vec<_> =
            columns.iter().filter(|column| column.kind == ColumnKind::Scalar(ScalarKind::Time)).collect();
        let clear = times.len() == 1 || times.iter().any(|column| column.name == "time");
        let wanted = keep.unwrap_or(!times.is_empty());
        if wanted && times.is_empty() {
            let cure = "add a column such as `time: { time: 时间 }`, or write `keep: all`";
            self.file.wrong(
                fields.key_span("keep"),
                "only a column that is a time says of which period a row is",
                cure,
            );
            return None;
        }
        if wanted && !clear {
            let cure = "name it `time`, or write `keep: all`";
            self.file.wrong(
                node.span.clone(),
                "more than one column is a time: which one says when the row was made?",
                cure,
            );
            return None;
        }
        Some(wanted)
    }

    fn next(&self, node: &Node, fields: &Fields<'_>, from: Option<&RowsFrom>) -> Option<Next> {
        match (from, &node.kind) {
            (Some(RowsFrom::Csv), _) => {
                self.file.wrong(fields.key_span("next"), "a file has no next page", "leave `next` out");
                None
            }
            (Some(RowsFrom::Json(_)), NodeKind::Map(_)) => {
                let cure = "write the path of the cursor or URL in the answer: `next: json.next`";
                self.file.wrong(node.span.clone(), "an answer has nothing to press", cure);
                None
            }
            (Some(RowsFrom::Json(_)), _) => {
                let text = self.file.words(node)?;
                let path = json_path::parse(text).filter(|path| !path.is_empty());
                if path.is_none() {
                    let cure = "write the path of the cursor or URL in the answer: `next: json.next`";
                    self.file.wrong(node.span.clone(), format!("`{text}` is not a path into the answer"), cure);
                }
                path.map(Next::Json)
            }
            _ => self.locator(node).map(Next::Click),
        }
    }

    fn total(&self, node: &Node) -> Option<super::model::Read> {
        let read = self.read(node)?;
        if matches!(read.kind, ReadKind::Scalar { kind: ScalarKind::Number, .. } | ReadKind::Count(_)) {
            return Some(read);
        }
        let cure = "write `total: { number: … }`";
        self.file.wrong(node.span.clone(), "`total` is the number of rows that the site says there are", cure);
        None
    }

    fn columns(&self, fields: &Fields<'_>, from: Option<&RowsFrom>) -> Option<Vec<Column>> {
        let node = fields.need("columns", "columns: { title: { text: 事项 } }")?;
        let entries = self.file.map(node, "map of columns")?;
        if entries.is_empty() {
            self.file.wrong(
                node.span.clone(),
                "there is no column here",
                "write one at least: `title: { text: 事项 }`",
            );
            return None;
        }
        let mut columns = Vec::new();
        let mut sound = true;
        for entry in entries {
            sound &= self.file.id(&entry.key, &entry.key_span, "a column");
            match from.and_then(|from| self.column(&entry.key, &entry.value, from)) {
                Some(column) => columns.push(column),
                None => sound = false,
            }
        }
        sound.then_some(columns)
    }

    fn column(&self, name: &str, node: &Node, from: &RowsFrom) -> Option<Column> {
        let fields = Fields::of(self.file, node, "column", &[TYPES, &["optional", "match"]])?;
        let types = fields.present(TYPES);
        let [kind] = types.as_slice() else {
            let cure = "write one type and where in the row: `{ text: 事项 }`";
            self.file.wrong(node.span.clone(), "a column has exactly one type", cure);
            return None;
        };
        let optional = or_default(fields.get("optional").map(|node| self.file.boolean(node)), false);
        let value = fields.get(kind)?;
        let outer_match = fields.get("match");
        let name = name.to_owned();
        if *kind == "visible" {
            let locator = self.locator(value)?;
            let from = From::Element { locator: Some(locator), attribute: None };
            let source = Source { from, matching: None };
            return Some(Column { name, kind: ColumnKind::Visible, source, optional: optional? });
        }
        let Some(scalar) = scalar_kind(kind) else {
            if matches!(*kind, "checked" | "count") {
                self.file.not_supported(fields.key_span(kind), &format!("{kind} in a column"));
            } else {
                self.file.wrong(fields.key_span(kind), "a row has no rows in it", "read the inner list on its own");
            }
            return None;
        };
        let source = match from {
            RowsFrom::Table(_) => self.table_cell(value, outer_match),
            RowsFrom::Items(_) => self.item_part(value, scalar, outer_match),
            RowsFrom::Json(_) | RowsFrom::Csv => self.field(value, outer_match),
        };
        Some(Column { name, kind: ColumnKind::Scalar(scalar), source: source?, optional: optional? })
    }

    /// A cell by the text of its header, or a part of that cell.
    fn table_cell(&self, node: &Node, outer_match: Option<&Node>) -> Option<Source> {
        if !matches!(node.kind, NodeKind::Map(_)) {
            return self.field(node, outer_match);
        }
        let matching = node.find("match").or(outer_match).map(|node| self.matching(node));
        let Some(header) = node.find("header") else {
            let cure = "write the text above the column: `{ text: 事项 }`, or `{ text: { header: 事项, css: a } }`";
            self.file.wrong(node.span.clone(), "a column of a table goes by its header", cure);
            return None;
        };
        if let Some(attribute) = node.find("attribute") {
            self.file.not_supported(attribute.span.clone(), "attribute in a table cell");
        }
        let header = self.file.words(header)?.to_owned();
        let part = super::read::is_locator(node).then(|| self.locator_with(node, &["header", "match", "attribute"]));
        let from = From::Column { header, part: transpose(part)? };
        Some(Source { from, matching: transpose(matching)? })
    }

    fn item_part(&self, node: &Node, kind: ScalarKind, outer_match: Option<&Node>) -> Option<Source> {
        if matches!(node.kind, NodeKind::Scalar { .. }) {
            let cure = "write a locator inside the item: `{ css: h3 }`, or `{ attribute: data-id }` of the item itself";
            self.file.wrong(node.span.clone(), "a column of `items` goes by a locator", cure);
            return None;
        }
        self.source(node, kind, outer_match)
    }

    /// A field of an answer or a file, or a header.
    fn field(&self, node: &Node, outer_match: Option<&Node>) -> Option<Source> {
        let matching = outer_match.map(|node| self.matching(node));
        let header = self.file.words(node)?.to_owned();
        Some(Source { from: From::Column { header, part: None }, matching: transpose(matching)? })
    }
}

/// The columns as conditions see them.
pub(super) fn shapes(rows: &RowsRead) -> BTreeMap<String, Shape> {
    let shape = |column: &Column| {
        let kind = match column.kind {
            ColumnKind::Scalar(kind) => scalar_type(kind),
            ColumnKind::Visible => Type::Boolean,
        };
        Shape { kind, optional: column.optional }
    };
    rows.columns.iter().map(|column| (column.name.clone(), shape(column))).collect()
}
