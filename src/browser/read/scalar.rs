//! One value: from an element, from the last answer, from the last file.

use std::time::Duration;

use serde_json::{Value as Json, json};

use super::cells::{Reader, follow, path_text, piece, whole};
use crate::browser::challenge::no_json;
use crate::browser::find::Need;
use crate::browser::look::Found;
use crate::browser::steps::{Answer, FileRead, Walk};
use crate::browser::wire::element;
use crate::files::model::{From, Locator, ScalarKind, Source, Target};
use crate::run::{Failure, FailureKind};
use crate::values::Value;

impl Walk<'_, '_> {
    pub(super) fn reader(&self) -> Reader {
        let site = self.visit.site;
        Reader { now: self.visit.clock.now(), zone: site.calendar.zone, decimal_comma: site.decimal_comma }
    }

    pub(super) async fn read_scalar(
        &mut self,
        kind: ScalarKind,
        source: &Source,
        optional: bool,
    ) -> Result<Value, Failure> {
        if let From::Element { locator: Some(locator), attribute } = &source.from {
            let matching = source.matching.as_deref();
            return self.read_element(kind, locator, attribute.as_deref(), matching, optional).await;
        }
        if matches!(source.from, From::Url) && self.answer.is_none() {
            let url = self.place().await?.url;
            return self.typed(&url, kind, source);
        }
        match self.given(kind, source)? {
            Some(value) => Ok(value),
            None if optional => Ok(Value::None),
            None => Err(Failure::new(FailureKind::PageChanged, format!("there is no {}.", said(&source.from)))),
        }
    }

    /// What the last answer or file gives; none where it is absent.
    fn given(&self, kind: ScalarKind, source: &Source) -> Result<Option<Value>, Failure> {
        let text = |text: &str| self.typed(text, kind, source).map(Some);
        match &source.from {
            From::Json(path) => {
                let json = self.last_json()?;
                match follow(&json, path) {
                    None | Some(Json::Null) => Ok(None),
                    Some(Json::String(piece)) if source.matching.is_some() => text(piece),
                    Some(found) => {
                        self.reader().json(found, kind).map(Some).ok_or_else(|| wrong_type(&found.to_string(), kind))
                    }
                }
            }
            From::Status if kind == ScalarKind::Number => Ok(Some(whole(self.last_answer()?.status.into()))),
            From::Status => text(&self.last_answer()?.status.to_string()),
            From::Url => text(&self.last_answer()?.url),
            From::Body => text(&self.last_answer()?.body),
            From::Header(name) => self.last_answer()?.headers.get(name).map_or(Ok(None), |value| text(value)),
            From::FileContent => {
                let content = self.last_file()?.content.as_ref();
                text(content.map_err(|why| Failure::new(FailureKind::PageChanged, format!("{why}.")))?)
            }
            From::FileExists => Ok(Some(Value::Boolean(self.last_file()?.size.is_some()))),
            From::FileSize => Ok(self.last_file()?.size.map(whole)),
            From::Element { .. } | From::Column { .. } => {
                Err(Failure::new(FailureKind::PageChanged, "this place exists only inside rows."))
            }
        }
    }

    fn typed(&self, text: &str, kind: ScalarKind, source: &Source) -> Result<Value, Failure> {
        let piece = piece(text, source.matching.as_deref());
        let value = piece.and_then(|piece| self.reader().text(&piece, kind));
        value.ok_or_else(|| wrong_type(text, kind))
    }

    /// Waits until the element is there and shows something of the type: a page may show `--` until it knows.
    async fn read_element(
        &mut self,
        kind: ScalarKind,
        locator: &Locator,
        attribute: Option<&str>,
        matching: Option<&str>,
        optional: bool,
    ) -> Result<Value, Failure> {
        let target = Target::Alternatives(vec![locator.clone()]);
        loop {
            if optional && self.locate_now(&target).await?.is_none() {
                return Ok(Value::None);
            }
            let found = self.locate(&target, Need::Displayed).await?;
            let text = self.element_text(&found, kind, attribute).await?;
            let value =
                text.as_ref().and_then(|text| piece(text, matching)).and_then(|text| self.reader().text(&text, kind));
            match (value, text) {
                (Some(value), _) => return Ok(value),
                (None, None) if optional => return Ok(Value::None),
                (None, text) if self.left().is_zero() => {
                    return Err(wrong_type(&text.unwrap_or_default(), kind));
                }
                _ => self.visit.clock.sleep_real(Duration::from_millis(50)).await,
            }
        }
    }

    async fn element_text(
        &mut self,
        found: &Found,
        kind: ScalarKind,
        attribute: Option<&str>,
    ) -> Result<Option<String>, Failure> {
        let field = element(&found.element.reference);
        let (function, arguments) = match kind {
            ScalarKind::Value => ("readValue", vec![field]),
            _ => ("textOf", vec![field, json!(attribute)]),
        };
        // An element that was drawn again just now is looked for again.
        let answer = self.page(&found.element.context, function, arguments).await?;
        Ok(answer.ok().and_then(|text| text.as_str().map(str::to_owned)))
    }

    pub(super) fn last_answer(&self) -> Result<&Answer, Failure> {
        self.answer.as_ref().ok_or_else(|| Failure::new(FailureKind::PageChanged, "there was no answer to look at."))
    }

    pub(super) fn last_json(&self) -> Result<Json, Failure> {
        let answer = self.last_answer()?;
        answer.json().map_err(|why| no_json(&answer.body, why))
    }

    pub(super) fn last_file(&self) -> Result<&FileRead, Failure> {
        self.file.as_ref().ok_or_else(|| Failure::new(FailureKind::PageChanged, "there was no file to look at."))
    }
}

fn wrong_type(text: &str, kind: ScalarKind) -> Failure {
    let wanted = match kind {
        ScalarKind::Text | ScalarKind::Value => "text",
        ScalarKind::Number => "a number",
        ScalarKind::Boolean => "true or false",
        ScalarKind::Time => "a time",
        ScalarKind::Date => "a date",
    };
    let shown: String = text.chars().take(60).collect();
    Failure::new(FailureKind::PageChanged, format!("“{shown}” is not {wanted}."))
}

fn said(from: &From) -> String {
    match from {
        From::Json(path) => format!("`{}` in the answer", path_text(path)),
        From::Header(name) => format!("header `{name}` in the answer"),
        From::FileSize => "such file".to_owned(),
        _ => "such value".to_owned(),
    }
}
