//! Reads: a type, and where.

use super::{Locator, Place};

/// One read: a type, and where.
#[derive(Debug, Clone)]
pub struct Read {
    /// What is read.
    pub kind: ReadKind,
    /// Absent gives none.
    pub optional: bool,
    /// Where it stands.
    pub place: Place,
}

/// What a read reads.
#[derive(Debug, Clone)]
pub enum ReadKind {
    /// One typed value.
    Scalar {
        /// Its type.
        kind: ScalarKind,
        /// Where it is.
        source: Source,
    },
    /// Is it displayed?
    Visible(Locator),
    /// Is it ticked?
    Checked(Locator),
    /// How many are displayed?
    Count(Locator),
    /// Rows.
    Rows(Box<RowsRead>),
}

/// The type of a scalar read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ScalarKind {
    Text,
    Number,
    Boolean,
    Time,
    Date,
    /// The content of a form field, as text.
    Value,
}

/// Where a scalar is.
#[derive(Debug, Clone)]
pub struct Source {
    /// Page, answer or file.
    pub from: From,
    /// The piece that the group takes.
    pub matching: Option<String>,
}

/// Where a read looks.
#[derive(Debug, Clone)]
pub enum From {
    /// An element's displayed text, or an attribute of it.
    Element {
        /// Which; none inside `columns` for the item itself.
        locator: Option<Locator>,
        /// This attribute instead of the text.
        attribute: Option<String>,
    },
    /// `json.a.b[0]` of the last fetch: a path of names and indexes.
    Json(Vec<JsonStep>),
    /// HTTP status of the last fetch.
    Status,
    /// Its final URL, or the page's.
    Url,
    /// Its body as text.
    Body,
    /// One of its headers, in lower case.
    Header(String),
    /// Content of the file.
    FileContent,
    /// Is the file there?
    FileExists,
    /// Its size in bytes.
    FileSize,
    /// A column by its header or field name (`title.raw` too), for rows.
    Column {
        /// The header's text or the field's path.
        header: String,
        /// A part of the cell.
        part: Option<Locator>,
    },
}

/// One step of a path into JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum JsonStep {
    Name(String),
    Index(usize),
}

/// A read of rows.
#[derive(Debug, Clone)]
pub struct RowsRead {
    /// Where the rows are.
    pub from: RowsFrom,
    /// Column name, its type, where in the row; `optional` cells may be absent.
    pub columns: Vec<Column>,
    /// Where the next page is.
    pub next: Option<Next>,
    /// Must be displayed for zero rows to be an answer.
    pub empty: Option<Locator>,
    /// Must equal the number of rows before `keep`.
    pub total: Option<Read>,
    /// More pages than this are "not read to the end".
    pub max_pages: u32,
    /// This period's rows only.
    pub keep_period: bool,
}

/// One column of a read of rows.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its name in conditions.
    pub name: String,
    /// Its type.
    pub kind: ColumnKind,
    /// Where in the row.
    pub source: Source,
    /// Absent gives none.
    pub optional: bool,
}

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ColumnKind {
    Scalar(ScalarKind),
    Visible,
}

/// Where rows are.
#[derive(Debug, Clone)]
pub enum RowsFrom {
    /// A table; columns by header text.
    Table(Locator),
    /// Repeated elements; columns by locator inside each.
    Items(Locator),
    /// A list in the last fetch's JSON.
    Json(Vec<JsonStep>),
    /// The last file, as CSV with a header line.
    Csv,
}

/// How to get to the next page.
#[derive(Debug, Clone)]
pub enum Next {
    /// Pressed while it is there and usable.
    Click(Locator),
    /// A cursor or URL in the answer.
    Json(Vec<JsonStep>),
}
