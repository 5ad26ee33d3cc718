//! `fill` and `select`: fields, emptied, typed into, and read back. A secret goes only to the site's own origins.

use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value as Json, json};

use super::touch::Use;
use super::{Walk, refused};
use crate::browser::command::{Action, Element};
use crate::browser::look::Found;
use crate::browser::wire::{ELEMENT_KEY, element};
use crate::files::condition::Template;
use crate::run::{Failure, FailureKind};

/// A field before it is filled.
#[derive(Debug, serde::Deserialize)]
struct Field {
    /// `line`, `lines` or `editable`.
    kind: String,
    /// There is nothing in it to be cleared.
    empty: bool,
}

impl Walk<'_, '_> {
    pub(super) async fn fill(&mut self, found: &Found, with: &Template) -> Result<Use, Failure> {
        let secret = with.uses_password();
        if secret {
            self.refuse_foreign(&found.element).await?;
        }
        let text = SecretString::from(self.render(with)?);
        let field = self.field_now(found).await?;
        if field.kind == "line" && text.expose_secret().contains(['\n', '\r']) {
            let message = format!("{} is one line, and the text has several: Enter would send the form.", found.shown);
            return Err(Failure::new(FailureKind::PageChanged, message));
        }
        // A field may put its own text in just then; a second time it stays.
        for empty in [field.empty, false] {
            if let Use::Refused(refusal) = self.type_anew(found, &text, empty).await? {
                return Ok(Use::Refused(refusal));
            }
            if self.shows(found, &text, secret).await? {
                return Ok(Use::Done);
            }
        }
        let message = format!("{} shows another text than was typed.", found.shown);
        Err(Failure::new(FailureKind::PageChanged, message))
    }

    async fn type_anew(&mut self, found: &Found, text: &SecretString, empty: bool) -> Result<Use, Failure> {
        let reference = || found.element.reference.clone();
        let cleared = if empty { Use::Done } else { self.on(found, Action::Clear(reference())).await? };
        if matches!(cleared, Use::Refused(_)) || text.expose_secret().is_empty() {
            return Ok(cleared);
        }
        self.on(found, Action::Type(reference(), text.clone())).await
    }

    async fn shows(&mut self, found: &Found, text: &SecretString, secret: bool) -> Result<bool, Failure> {
        let field = element(&found.element.reference);
        let answer = if secret {
            let length = text.expose_secret().chars().count();
            self.page(&found.element.context, "holdsLength", vec![field, json!(length)]).await?
        } else {
            self.page(&found.element.context, "holds", vec![field, json!(text.expose_secret())]).await?
        };
        answer.map(|answer| answer == Json::Bool(true)).map_err(|refusal| refused(&refusal))
    }

    async fn field_now(&mut self, found: &Found) -> Result<Field, Failure> {
        let field = element(&found.element.reference);
        let answer = self.page_sure(&found.element.context, "field", vec![field]).await?;
        serde_json::from_value(answer).map_err(|error| {
            Failure::new(FailureKind::NotRendered, format!("The field cannot be understood: {error}."))
        })
    }

    /// A secret is typed only into a document of the site itself, in a page of the site itself.
    async fn refuse_foreign(&mut self, element: &Element) -> Result<(), Failure> {
        for context in [element.context.top(), element.context.clone()] {
            let place = self.place_in(&context).await?;
            if !self.is_own(&place.origin) {
                let message = format!("The password was not typed: {} is not one of the site's origins.", place.origin);
                return Err(Failure::new(FailureKind::SuspiciousPage, message));
            }
        }
        Ok(())
    }

    pub(super) async fn select(&mut self, found: &Found, option: &Template) -> Result<Use, Failure> {
        let wanted = self.render(option)?;
        let field = || element(&found.element.reference);
        let context = &found.element.context;
        let answer = self.page_sure(context, "option", vec![field(), json!(wanted)]).await?;
        let reference = answer.get("element").and_then(|found| found.get(ELEMENT_KEY)).and_then(Json::as_str);
        let Some(reference) = reference else {
            let options = answer.get("options").and_then(Json::as_array).into_iter().flatten();
            let candidates = options.filter_map(Json::as_str).map(str::to_owned).collect();
            let count = answer.get("count").and_then(Json::as_u64).unwrap_or_default();
            let message = format!("{} has {count} options “{wanted}”, not one.", found.shown);
            return Err(Failure { candidates, ..Failure::new(FailureKind::PageChanged, message) });
        };
        let chosen = self.on(found, Action::Click(reference.to_owned())).await?;
        if matches!(chosen, Use::Refused(_)) {
            return Ok(chosen);
        }
        let now = self.page_sure(context, "chosen", vec![field()]).await?;
        if now.as_str() != Some(&crate::values::parse::normal(&wanted)) {
            let message = format!("{} shows another option than “{wanted}”.", found.shown);
            return Err(Failure::new(FailureKind::PageChanged, message));
        }
        Ok(Use::Done)
    }
}
