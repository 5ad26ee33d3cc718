//! Cookies of the site's own origins: taken before a browser ends, and given to the next one.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use url::Url;

use super::command::{Action, Context, Response};
use super::steps::Walk;
use super::visit::Visit;
use crate::run::Failure;

/// How long one origin may take.
const LIMIT: Duration = Duration::from_secs(10);

/// A cookie, in WebDriver's words. It is as good as a password.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cookie {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Documents below this path get it.
    #[serde(default = "whole_origin")]
    pub path: String,
    /// With a dot in front where hosts below it get it, too; without one, its host alone does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// Only by TLS.
    #[serde(default)]
    pub secure: bool,
    /// Hidden from scripts.
    #[serde(default)]
    pub http_only: bool,
    /// `Lax`, `Strict` or `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_site: Option<String>,
    /// When it ends, in seconds of Unix time; none for one that dies with its browser.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expiry: Option<i64>,
}

/// Cookies by the origin whose documents get them.
pub type Cookies = BTreeMap<String, Vec<Cookie>>;

fn whole_origin() -> String {
    "/".to_owned()
}

impl Cookie {
    /// As a driver takes it back: one of a single host names none, and what was not said is not said.
    fn given_back(mut self) -> Self {
        self.domain = self.domain.filter(|domain| domain.starts_with('.'));
        self.same_site = self.same_site.filter(|word| self.secure || word != "None");
        self
    }
}

/// Without the value.
impl fmt::Debug for Cookie {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Cookie").field("name", &self.name).field("expiry", &self.expiry).finish_non_exhaustive()
    }
}

impl Visit<'_> {
    /// The cookies of those origins of the site that can be reached. What is limited to a path is seen only where the browser
    /// is there already: the driver tells only what its document gets.
    pub async fn cookies(&mut self) -> Result<Cookies, Failure> {
        let origins = self.site.origins.clone();
        let mut walk = Walk::going_on(self, Context::default(), Default::default(), false);
        walk.set_limit(LIMIT);
        let mut found = Cookies::new();
        if let Ok(place) = walk.place().await
            && walk.is_own(&place.origin)
        {
            found.insert(place.origin, walk.cookies_here().await?);
        }
        for origin in origins {
            let Ok(url) = Url::parse(&origin) else { continue };
            let origin = url.origin().ascii_serialization();
            walk.set_limit(LIMIT);
            if !found.contains_key(&origin) && walk.enter_origin(&url).await.is_ok() {
                found.insert(origin, walk.cookies_here().await?);
            }
        }
        Ok(found)
    }

    /// Puts cookies into the browser, each into a document of its origin; those of other origins than the site's are left out.
    pub async fn give_cookies(&mut self, cookies: Cookies) -> Result<(), Failure> {
        let mut walk = Walk::going_on(self, Context::default(), Default::default(), false);
        for (origin, cookies) in cookies {
            let Ok(url) = Url::parse(&origin) else { continue };
            if cookies.is_empty() || !walk.is_own(&origin) {
                continue;
            }
            walk.set_limit(LIMIT);
            // An origin that cannot be reached now gets nothing: the others are worth having, and a sign-in mends the rest.
            if let Err(failure) = walk.enter_origin(&url).await {
                if walk.visit.browser.is_dead() {
                    return Err(failure);
                }
                tracing::warn!(origin, "what was kept of a session is not given back: {}", failure.message);
                continue;
            }
            for cookie in cookies {
                walk.give_cookie(cookie).await?;
            }
        }
        Ok(())
    }
}

impl Walk<'_, '_> {
    async fn cookies_here(&mut self) -> Result<Vec<Cookie>, Failure> {
        let context = self.context.clone();
        match self.ask(&context, Action::Cookies).await? {
            Response::Cookies(cookies) => Ok(cookies),
            Response::Refused(refusal) => Err(super::steps::refused(&refusal)),
            _ => Ok(Vec::new()),
        }
    }

    async fn give_cookie(&mut self, cookie: Cookie) -> Result<(), Failure> {
        let context = self.context.clone();
        let name = cookie.name.clone();
        if let Response::Refused(refusal) = self.ask(&context, Action::AddCookie(cookie.given_back())).await? {
            tracing::warn!(name, "a cookie that was kept is not taken back by the browser: {refusal}");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_given_back_as_it_came_and_shows_no_value() {
        let told = r#"{"name":"sid","value":"s3cret-value","path":"/","domain":"community.example","secure":false,
                       "httpOnly":true,"sameSite":"None"}"#;
        let cookie: Cookie = serde_json::from_str(told).unwrap();
        assert!(!format!("{cookie:?}").contains("s3cret"));
        let back = serde_json::to_value(cookie.given_back()).unwrap();
        assert_eq!(
            back,
            serde_json::json!({ "name": "sid", "value": "s3cret-value", "path": "/", "secure": false, "httpOnly": true })
        );
        let wide =
            r#"{"name":"a","value":"b","domain":".community.example","secure":true,"sameSite":"None","expiry":5}"#;
        let back = serde_json::from_str::<Cookie>(wide).unwrap().given_back();
        assert_eq!((back.domain.as_deref(), back.same_site.as_deref()), (Some(".community.example"), Some("None")));
    }
}
