//! Lists that are given as a whole or in pages by a server's answers, and those in CSV files.

use serde_json::Value as Json;

use super::cells::{Raw, follow, path_text};
use super::lists::{Page, Pages, too_long};
use crate::browser::steps::{Request, Walk};
use crate::files::model::{Column, From, JsonStep, Next, RowsRead};
use crate::run::{Failure, FailureKind};
use crate::values::parse::normal;

impl Walk<'_, '_> {
    /// Pages of an answer, by the cursor or address that each names for the next. Other reads look at the first.
    pub(super) async fn json_pages(&mut self, path: &[JsonStep], rows: &RowsRead) -> Result<Pages, Failure> {
        let first = self.last_answer()?.clone();
        let (mut pages, mut seen, mut to_the_end) = (Vec::new(), Vec::new(), true);
        loop {
            pages.push(self.json_rows(path, rows)?);
            if self.reaches_older(&pages, rows) {
                to_the_end = false;
                break;
            }
            let Some(next) = self.next_request(rows)? else { break };
            if seen.contains(&next.url) || pages.len() >= rows.max_pages as usize {
                return Err(too_long(rows));
            }
            seen.push(next.url.clone());
            self.renew_limit();
            self.send(next, &[]).await?;
        }
        let read = self.without_doubles(pages, rows, &first.url, to_the_end).await;
        self.answer = Some(first);
        read
    }

    pub(super) fn json_rows(&self, path: &[JsonStep], rows: &RowsRead) -> Result<Page, Failure> {
        let answer = self.last_json()?;
        let Some(list) = follow(&answer, path).and_then(Json::as_array) else {
            let message = format!("`{}` is no list in the answer.", path_text(path));
            return Err(Failure::new(FailureKind::PageChanged, message));
        };
        Ok(list.iter().map(|item| json_cells(item, &rows.columns)).collect())
    }

    /// The request for the next page: an address as it is, a cursor as a parameter of the name that it has in the answer.
    fn next_request(&self, rows: &RowsRead) -> Result<Option<Request>, Failure> {
        let Some(Next::Json(path)) = &rows.next else { return Ok(None) };
        let answer = self.last_json()?;
        let cursor = match follow(&answer, path) {
            None | Some(Json::Null | Json::Bool(false)) => return Ok(None),
            Some(Json::String(text)) if text.is_empty() => return Ok(None),
            Some(Json::String(text)) => text.clone(),
            Some(Json::Number(number)) => number.to_string(),
            Some(_) => {
                let message = format!("`{}` is neither a cursor nor an address.", path_text(path));
                return Err(Failure::new(FailureKind::PageChanged, message));
            }
        };
        if cursor.starts_with('/') || cursor.starts_with("http") {
            return self.resolve(&cursor).map(|url| Some(Request::get(url)));
        }
        let mut url = self.resolve(&self.last_answer()?.url)?;
        let name = match path.last() {
            Some(JsonStep::Name(name)) => name.clone(),
            _ => "cursor".to_owned(),
        };
        let others: Vec<(String, String)> =
            url.query_pairs().filter(|(key, _)| *key != name).map(|(key, value)| (key.into(), value.into())).collect();
        url.query_pairs_mut().clear().extend_pairs(others).append_pair(&name, &cursor);
        Ok(Some(Request::get(url)))
    }

    /// A missing file has no rows.
    pub(super) fn csv_rows(&self, columns: &[Column]) -> Result<Page, Failure> {
        let file = self.last_file()?;
        if file.size.is_none() {
            return Ok(Vec::new());
        }
        let broken = |why: String| Failure::new(FailureKind::PageChanged, format!("{}: {why}.", file.path));
        let content = file.content.as_ref().map_err(|why| broken(why.clone()))?;
        let mut reader = csv::Reader::from_reader(content.as_bytes());
        let headers = reader.headers().map_err(|error| broken(error.to_string()))?.clone();
        let mut places = Vec::new();
        for column in columns {
            let wanted = header_of(column);
            let place = headers.iter().position(|header| normal(header) == normal(wanted));
            places.push(place.ok_or_else(|| broken(format!("there is no column “{wanted}”")))?);
        }
        let cells = |record: csv::StringRecord| {
            places
                .iter()
                .map(|at| record.get(*at).map_or(Raw::Absent, |text| Raw::Text(text.trim().to_owned())))
                .collect()
        };
        reader.records().map(|record| record.map(cells).map_err(|error| broken(error.to_string()))).collect()
    }
}

fn json_cells(item: &Json, columns: &[Column]) -> Vec<Raw> {
    let cell = |column: &Column| {
        let field = header_of(column);
        let found = item.get(field).or_else(|| field.split('.').try_fold(item, |at, name| at.get(name)));
        found.map_or(Raw::Absent, |found| Raw::Json(found.clone()))
    };
    columns.iter().map(cell).collect()
}

fn header_of(column: &Column) -> &str {
    match &column.source.from {
        From::Column { header, .. } => header,
        _ => &column.name,
    }
}
