//! `fill` and `select`: fields, emptied, typed into, and read back. A secret goes only to the site's own origins.

use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value as Json, json};

use super::touch::Use;
use super::{Walk, refused};
use crate::browser::command::{Action, Context, Element};
use crate::browser::look::Found;
use crate::browser::wire::{ELEMENT_KEY, element};
use crate::files::condition::Template;
use crate::run::{Failure, FailureKind};

const NOT_TYPED: &str = "The password is not typed";

/// A field before it is filled.
#[derive(Debug, serde::Deserialize)]
struct Field {
    /// `line`, `lines` or `editable`.
    kind: String,
    /// There is nothing in it to be cleared.
    empty: bool,
}

/// Where a secret would go.
#[derive(Debug, serde::Deserialize)]
struct Typing {
    /// The origin of the field's document.
    origin: String,
    /// Those that its form may be sent to.
    sent: Vec<String>,
}

impl Walk<'_, '_> {
    pub(super) async fn fill(&mut self, found: &Found, with: &Template) -> Result<Use, Failure> {
        let secret = with.uses_password();
        if secret {
            self.may_type(&found.element, NOT_TYPED).await?;
        }
        let text = SecretString::from(self.render(with)?);
        let field = self.field_now(found).await?;
        if field.kind == "line" && text.expose_secret().contains(['\n', '\r']) {
            let message = format!("{} is one line, and the text has several: Enter would send the form.", found.shown);
            return Err(Failure::new(FailureKind::PageChanged, message));
        }
        // A field may put its own text in just then; a second time it stays.
        for empty in [field.empty, false] {
            if let Use::Refused(refusal) = self.type_anew(found, &text, secret, empty).await? {
                return Ok(Use::Refused(refusal));
            }
            if self.shows(found, &text, secret).await? {
                if secret {
                    // The page heard the typing, and may have turned the form elsewhere.
                    self.may_type(&found.element, "The password was typed, and goes no further").await?;
                }
                return Ok(Use::Done);
            }
        }
        let message = format!("{} shows another text than was typed.", found.shown);
        Err(Failure::new(FailureKind::PageChanged, message))
    }

    async fn type_anew(
        &mut self,
        found: &Found,
        text: &SecretString,
        secret: bool,
        empty: bool,
    ) -> Result<Use, Failure> {
        let reference = || found.element.reference.clone();
        let cleared = if empty { Use::Done } else { self.on(found, Action::Clear(reference())).await? };
        if matches!(cleared, Use::Refused(_)) || text.expose_secret().is_empty() {
            return Ok(cleared);
        }
        if secret {
            // Clearing a field is heard by the page, which may do anything then.
            self.may_type(&found.element, NOT_TYPED).await?;
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

    /// A secret is typed only into a document of the site itself, in frames and a page of the site itself, and into no form
    /// that is sent elsewhere. A document never changes its origin, and the driver's reference to the field dies with the
    /// document: what was true here is true when the driver types.
    async fn may_type(&mut self, field: &Element, told: &str) -> Result<(), Failure> {
        for depth in 0..field.context.frames.len() {
            let around = Context { tab: field.context.tab.clone(), frames: field.context.frames[..depth].to_vec() };
            let place = self.place_in(&around).await?;
            self.is_own_or_refused(told, &place.origin, "is not one of the site's origins")?;
        }
        let answer = self.page_sure(&field.context, "typing", vec![element(&field.reference)]).await?;
        let typing: Typing = serde_json::from_value(answer).map_err(|error| {
            Failure::new(FailureKind::NotRendered, format!("The field cannot be understood: {error}."))
        })?;
        self.is_own_or_refused(told, &typing.origin, "is not one of the site's origins")?;
        for origin in &typing.sent {
            self.is_own_or_refused(told, origin, "is where its form is sent, and not one of the site's origins")?;
        }
        Ok(())
    }

    fn is_own_or_refused(&self, told: &str, origin: &str, what: &str) -> Result<(), Failure> {
        if self.is_own(origin) {
            return Ok(());
        }
        Err(Failure::new(FailureKind::SuspiciousPage, format!("{told}: {origin} {what}.")))
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
