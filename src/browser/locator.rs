//! Locators: as the page scripts take them, and in words for a person.

use serde_json::{Value as Json, json};

use super::steps::Walk;
use crate::files::model::{By, Locator, Target};
use crate::run::Failure;

impl Walk<'_, '_> {
    /// A locator as the page script takes it.
    pub(super) fn query(&self, locator: &Locator) -> Result<Json, Failure> {
        let (by, value) = match &locator.by {
            By::Role { role, name } => {
                let name = name.as_ref().map(|name| self.render(name)).transpose()?;
                let text = locator.text.as_ref().map(|text| self.render(text)).transpose()?;
                return Ok(json!({ "by": "role", "role": role, "name": name, "exact": locator.exact, "text": text }));
            }
            By::Label(value) => ("label", value),
            By::Text(value) => ("text", value),
            By::Placeholder(value) => ("placeholder", value),
            By::TestId(value) => ("testid", value),
            By::Css(value) => ("css", value),
            By::Xpath(value) => ("xpath", value),
        };
        let text = locator.text.as_ref().map(|text| self.render(text)).transpose()?;
        Ok(json!({ "by": by, "value": self.render(value)?, "exact": locator.exact, "text": text }))
    }

    /// A locator with what it is within, for places where the driver is not asked about roles.
    pub(super) fn nested_query(&self, locator: &Locator, with_within: bool) -> Result<Json, Failure> {
        let mut query = self.query(locator)?;
        query["nth"] = json!(locator.nth);
        if let Some(within) = locator.within.as_ref().filter(|_| with_within) {
            query["within"] = self.nested_query(within, true)?;
        }
        Ok(query)
    }

    /// A locator in words.
    pub(super) fn describe(&self, locator: &Locator) -> Result<String, Failure> {
        let mut words = match &locator.by {
            By::Role { role, name: None } => role.clone(),
            By::Role { role, name: Some(name) } => format!("{role} “{}”", self.render(name)?),
            By::Label(value) => format!("label “{}”", self.render(value)?),
            By::Text(value) => format!("text “{}”", self.render(value)?),
            By::Placeholder(value) => format!("placeholder “{}”", self.render(value)?),
            By::TestId(value) => format!("testid `{}`", self.render(value)?),
            By::Css(value) => format!("css `{}`", self.render(value)?),
            By::Xpath(value) => format!("xpath `{}`", self.render(value)?),
        };
        if let Some(text) = &locator.text {
            words.push_str(&format!(" with text “{}”", self.render(text)?));
        }
        if let Some(nth) = locator.nth {
            words.push_str(&format!(", number {nth}"));
        }
        if let Some(within) = &locator.within {
            words.push_str(&format!(" within {}", self.describe(within)?));
        }
        if let Some(frame) = &locator.frame {
            words.push_str(&format!(" in the frame {}", self.describe(frame)?));
        }
        Ok(words)
    }

    pub(super) fn describe_all(&self, target: &Target) -> Result<String, Failure> {
        let words: Result<Vec<String>, Failure> = locators(target).iter().map(|each| self.describe(each)).collect();
        Ok(words?.join(", or "))
    }
}

/// The locators of a target, in their order.
pub(super) fn locators(target: &Target) -> &[Locator] {
    match target {
        Target::Alternatives(locators) | Target::FirstOf(locators) => locators,
    }
}
