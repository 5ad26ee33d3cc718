//! A browser in which a person is at work: Sunup opens one page, and from then on only looks, from the document that is there.
//! It types nothing, clicks nothing, goes nowhere, and does not even touch a dialog.

use std::time::Duration;

use super::command::{Action, Context};
use super::steps::Walk;
use super::visit::{Answer, Halt, Visit};
use crate::files::condition::{Scope, Template};
use crate::files::model::{Act, Section, SignIn, Verb};
use crate::run::{Failure, FailureKind};

/// How long the first page may take.
const OPEN_LIMIT: Duration = Duration::from_secs(60);

impl Visit<'_> {
    /// Opens the page where a person signs in, whatever it says: perhaps just that is what the person has to see. Where it is.
    pub async fn open_for_person(&mut self, sign_in: &SignIn, scope: Scope) -> Result<String, Failure> {
        let first = self.site.origins.first().cloned().unwrap_or_default();
        let mut walk = Walk::going_on(self, Context::default(), scope, false);
        walk.set_limit(OPEN_LIMIT);
        let url = match sign_in_page(sign_in) {
            Some((path, query)) => walk.address(path, query)?.to_string(),
            None => first,
        };
        let place = walk.load(Action::Navigate(url)).await?;
        Ok(format!("{}{}", place.origin, place.path))
    }

    /// Who is signed in, asked from the document that the person is at. None where that cannot be told from there now.
    pub async fn look_from_here(&mut self, section: &Section, scope: Scope) -> Result<Option<Answer>, Failure> {
        let mut walk = Walk::going_on(self, Context::default(), scope, false);
        (walk.hands_off, walk.identifies) = (true, true);
        walk.set_limit(Duration::from_secs(10));
        let looked = walk.steps(&section.steps, section.steps.len()).await;
        match looked {
            Ok(()) => walk.identity_now(section),
            Err(Halt::Failed(failure)) if failure.kind == FailureKind::BrowserCrashed => Err(failure),
            Err(_) => {
                // The tab may be closed; then the next look is from another one.
                walk.ask(&Context::default(), Action::Tabs).await?;
                Ok(None)
            }
        }
    }
}

/// True where a look sends requests and nothing else: a person in the same document does not notice it.
pub fn looks_unnoticed(section: &Section) -> bool {
    section.steps.iter().all(|step| matches!(step.verb, Verb::Fetch(_)))
}

/// The first page that the sign-in opens; else the first that the check does.
fn sign_in_page(sign_in: &SignIn) -> Option<(&Template, &[(String, Template)])> {
    let act = match &sign_in.act {
        Act::Steps(steps) => steps.as_slice(),
        Act::Person => &[],
    };
    act.iter().chain(&sign_in.check.steps).find_map(|step| match &step.verb {
        Verb::Open { path, query } => Some((path, query.as_slice())),
        _ => None,
    })
}
