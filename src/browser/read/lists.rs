//! Lists of rows, read to their end: page by page, without doubles, checked against the list's own total.

use std::time::Duration;

use serde_json::{Value as Json, json};

use super::cells::Raw;
use crate::browser::command::Action;
use crate::browser::find::Need;
use crate::browser::steps::{Request, Use, Walk, refused};
use crate::browser::visit::Note;
use crate::browser::wire::element;
use crate::files::model::{Column, ColumnKind, From, Next, RowsFrom, RowsRead, ScalarKind, Target};
use crate::run::{Failure, FailureKind};
use crate::values::{Cell, Row, Rows, Value};

/// How long a page must be calm before its rows are taken.
const CALM: Duration = Duration::from_millis(40);
/// How long an empty table must be calm before it is taken for empty.
const CALM_EMPTY: Duration = Duration::from_millis(500);

/// One page of a list, cell by cell.
pub(super) type Page = Vec<Vec<Raw>>;

impl Walk<'_, '_> {
    pub(super) async fn read_rows(&mut self, name: &str, rows: &RowsRead) -> Result<Rows, Failure> {
        let read = self.all_pages(rows).await?;
        let all: Vec<Row> = read.pages.concat().iter().map(|cells| self.row(cells, &rows.columns)).collect();
        if let Some(total) = rows.total.as_ref().filter(|_| read.to_the_end) {
            self.check_total(total, all.len()).await?;
        }
        let count = all.len();
        let kept: Vec<Row> = all.into_iter().filter(|row| self.keeps(row, rows)).collect();
        if kept.len() != count {
            self.note(Note::Kept(format!("{name}: {} of {count} rows kept", kept.len())));
        }
        Ok(Rows { rows: kept, read: count })
    }

    async fn all_pages(&mut self, rows: &RowsRead) -> Result<Pages, Failure> {
        match &rows.from {
            RowsFrom::Table(_) | RowsFrom::Items(_) => self.shown_pages(rows).await,
            RowsFrom::Json(path) => self.json_pages(path, rows).await,
            RowsFrom::Csv => Ok(Pages::whole(vec![self.csv_rows(&rows.columns)?])),
        }
    }

    /// Pages that are shown one after another, by pressing `next` until it is gone or disabled.
    async fn shown_pages(&mut self, rows: &RowsRead) -> Result<Pages, Failure> {
        let mut pages = vec![self.shown_rows(rows, None).await?];
        let Some(Next::Click(next)) = &rows.next else { return Ok(Pages::whole(pages)) };
        let next = Target::Alternatives(vec![next.clone()]);
        let mut start = None;
        let to_the_end = loop {
            if self.reaches_older(&pages, rows) {
                break false;
            }
            self.renew_limit();
            let Some(found) = self.locate_now(&next).await? else { break true };
            if self.unusable(&found).await?.is_some_and(|why| why.contains("disabled")) {
                break true;
            }
            if pages.len() >= rows.max_pages as usize {
                return Err(too_long(rows));
            }
            if start.is_none() {
                start = Some(self.place().await?.url);
            }
            let found = self.locate(&next, Need::Usable).await?;
            if let Use::Refused(refusal) = self.on(&found, Action::Click(found.element.reference.clone())).await? {
                return Err(refused(&refusal));
            }
            let page = self.shown_rows(rows, pages.last()).await?;
            pages.push(page);
        };
        match start {
            Some(start) => self.without_doubles(pages, rows, &start, to_the_end).await,
            None => Ok(Pages { pages, to_the_end }),
        }
    }

    /// The rows that are shown now, once they are there, and other than those of the page `before`.
    async fn shown_rows(&mut self, rows: &RowsRead, before: Option<&Page>) -> Result<Page, Failure> {
        let mut quiet = CALM;
        loop {
            let trouble = match self.rows_now(rows, quiet).await? {
                Ok(Shown { page, .. }) if Some(&page) == before => "the next page did not come".to_owned(),
                Ok(Shown { page, .. }) if !page.is_empty() => return Ok(page),
                Ok(Shown { page, calm }) => match &rows.empty {
                    Some(empty) if !self.hits(empty).await?.is_empty() => return Ok(page),
                    Some(empty) => format!("there are no rows, and no {} that says so", self.describe(empty)?),
                    None if matches!(rows.from, RowsFrom::Table(_)) => {
                        if calm && quiet == CALM_EMPTY {
                            return Ok(page);
                        }
                        quiet = CALM_EMPTY;
                        "the table has no rows, and does not come to rest".to_owned()
                    }
                    None => "there are no rows, and nothing says that the list is empty".to_owned(),
                },
                Err(trouble) => trouble,
            };
            if self.left().is_zero() {
                return Err(Failure::new(FailureKind::PageChanged, format!("{trouble}.")));
            }
            self.visit.clock.sleep_real(Duration::from_millis(30)).await;
        }
    }

    /// One look at the rows, once the page has been calm for so long or does not come to rest; the inner error says why
    /// there is no list to look at.
    async fn rows_now(&mut self, rows: &RowsRead, quiet: Duration) -> Result<Result<Shown, String>, Failure> {
        let (context, function, mut arguments) = match &rows.from {
            RowsFrom::Table(locator) => {
                let target = Target::Alternatives(vec![locator.clone()]);
                let Some(found) = self.locate_now(&target).await? else {
                    return Ok(Err(format!("{} is not in the page", self.describe(locator)?)));
                };
                let table = element(&found.element.reference);
                (found.element.context, "table", vec![table, self.parts(&rows.columns)?])
            }
            RowsFrom::Items(locator) => {
                let Some((context, root)) = self.root_of(locator).await? else { return Ok(Ok(Shown::default())) };
                let root = root.map_or(Json::Null, |root| element(&root.reference));
                (context, "items", vec![self.nested_query(locator, false)?, root, self.parts(&rows.columns)?])
            }
            RowsFrom::Json(_) | RowsFrom::Csv => return Ok(Ok(Shown::default())),
        };
        let limit = self.left().min(quiet * 20);
        arguments.extend([quiet, limit].map(|span| json!(span.as_millis() as u64)));
        let answer = match self.page(&context, function, arguments).await? {
            Ok(answer) => answer,
            Err(refusal) => return Ok(Err(refusal.to_string())),
        };
        if let Some(why) = answer.get("error").and_then(Json::as_str) {
            return Ok(Err(why.to_owned()));
        }
        let found = answer.get("rows").and_then(Json::as_array).into_iter().flatten();
        let page = found.map(|row| row.as_array().into_iter().flatten().map(raw).collect()).collect();
        Ok(Ok(Shown { page, calm: answer.get("calm") == Some(&Json::Bool(true)) }))
    }

    /// What the page script needs to know of the columns.
    fn parts(&self, columns: &[Column]) -> Result<Json, Failure> {
        let parts: Result<Vec<Json>, Failure> = columns
            .iter()
            .map(|column| {
                let (header, locator, attribute) = match &column.source.from {
                    From::Column { header, part } => (Some(header), part.as_ref(), None),
                    From::Element { locator, attribute } => (None, locator.as_ref(), attribute.as_ref()),
                    _ => (None, None, None),
                };
                let query = locator.map(|locator| self.nested_query(locator, true)).transpose()?;
                let visible = column.kind == ColumnKind::Visible;
                Ok(json!({ "header": header, "query": query, "attribute": attribute, "visible": visible }))
            })
            .collect();
        Ok(Json::Array(parts?))
    }

    /// Drops rows that two pages share because a row arrived while the list was read. Rows that only look alike stay:
    /// the first page tells, for it has changed when a row arrived.
    pub(super) async fn without_doubles(
        &mut self,
        mut pages: Vec<Page>,
        rows: &RowsRead,
        start: &str,
        to_the_end: bool,
    ) -> Result<Pages, Failure> {
        let shared: Vec<usize> = pages.windows(2).map(|pair| overlap(&pair[0], &pair[1])).collect();
        if shared.iter().all(|count| *count == 0) {
            return Ok(Pages { pages, to_the_end });
        }
        self.renew_limit();
        let first = match &rows.from {
            RowsFrom::Json(path) => {
                self.send(Request::get(self.resolve(start)?), &[]).await?;
                self.json_rows(path, rows)?
            }
            _ => {
                self.load(Action::Navigate(start.to_owned())).await?;
                self.shown_rows(rows, None).await?
            }
        };
        if pages.first() != Some(&first) {
            for (page, count) in pages.iter_mut().skip(1).zip(shared) {
                page.drain(..count);
            }
        }
        Ok(Pages { pages, to_the_end })
    }

    fn row(&self, cells: &[Raw], columns: &[Column]) -> Row {
        let reader = self.reader();
        let named = columns.iter().zip(cells).map(|(column, raw)| (column.name.clone(), reader.cell(raw, column)));
        Row { cells: named.collect() }
    }

    /// Rows of this period, and those whose time cannot be read: they are shown as such.
    fn keeps(&self, row: &Row, rows: &RowsRead) -> bool {
        let Some(column) = time_column(rows).filter(|_| rows.keep_period) else { return true };
        match row.cells.get(&column.name) {
            Some(Cell::Value(Value::Time(time))) => self.visit.period.contains(*time),
            _ => true,
        }
    }

    /// True when a list that goes back in time has come to rows older than the period.
    pub(super) fn reaches_older(&self, pages: &[Page], rows: &RowsRead) -> bool {
        let Some(column) = time_column(rows).filter(|_| rows.keep_period) else { return false };
        let Some(at) = rows.columns.iter().position(|each| each.name == column.name) else { return false };
        let reader = self.reader();
        let times: Vec<_> = pages
            .iter()
            .flatten()
            .filter_map(|cells| match reader.cell(cells.get(at)?, column) {
                Cell::Value(Value::Time(time)) => Some(time),
                _ => None,
            })
            .collect();
        let goes_back = times.windows(2).all(|pair| pair[0] >= pair[1]);
        goes_back && times.last().is_some_and(|time| *time < self.visit.period.from)
    }

    async fn check_total(&mut self, total: &crate::files::model::Read, count: usize) -> Result<(), Failure> {
        let said = Box::pin(self.read("total", total)).await?;
        let Value::Number(said) = said else {
            return Err(Failure::new(FailureKind::PageChanged, "the list's total is no number."));
        };
        if said.value == count.into() {
            return Ok(());
        }
        let message = format!("the list says that it has {} rows, and {count} were read.", said.value);
        Err(Failure::new(FailureKind::PageChanged, message))
    }
}

/// One look at a page of a list.
#[derive(Default)]
struct Shown {
    page: Page,
    /// The page was at rest.
    calm: bool,
}

/// A list as it was read.
pub(super) struct Pages {
    pub pages: Vec<Page>,
    /// False when reading stopped at rows that are older than the period.
    pub to_the_end: bool,
}

impl Pages {
    pub fn whole(pages: Vec<Page>) -> Self {
        Pages { pages, to_the_end: true }
    }
}

/// How many rows at the end of a page are those at the start of the next.
fn overlap(before: &Page, after: &Page) -> usize {
    let most = before.len().min(after.len());
    (1..=most).rev().find(|count| before[before.len() - count..] == after[..*count]).unwrap_or(0)
}

fn raw(cell: &Json) -> Raw {
    match cell {
        Json::Null => Raw::Absent,
        Json::String(text) => Raw::Text(text.clone()),
        Json::Object(fields) => Raw::Many(fields.get("many").and_then(Json::as_u64).unwrap_or_default()),
        other => Raw::Json(other.clone()),
    }
}

fn time_column(rows: &RowsRead) -> Option<&Column> {
    rows.columns.iter().find(|column| column.kind == ColumnKind::Scalar(ScalarKind::Time))
}

pub(super) fn too_long(rows: &RowsRead) -> Failure {
    let message = format!("the list goes on after {} pages, and was not read to its end.", rows.max_pages);
    Failure::new(FailureKind::PageChanged, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(rows: &[&str]) -> Page {
        rows.iter().map(|row| vec![Raw::Text((*row).to_owned())]).collect()
    }

    #[test]
    fn rows_shared_by_two_pages() {
        assert_eq!(overlap(&page(&["c", "b"]), &page(&["b", "a"])), 1);
        assert_eq!(overlap(&page(&["c", "b"]), &page(&["c", "b"])), 2);
        assert_eq!(overlap(&page(&["c", "b"]), &page(&["a"])), 0);
        assert_eq!(overlap(&page(&[]), &page(&["a"])), 0);
    }
}
