//! What a driver's answer to the commit step proves, with a scripted browser in place of Firefox.

use async_trait::async_trait;
use serde_json::{Value as Json, json};
use sunup::browser::visit::{Committed, Prepared, Visit};
use sunup::browser::{Action, Browser, Command, Context, Element, Refusal, Response};
use sunup::files::condition::Scope;
use sunup::run::{Failure, FailureKind};
use sunup::timing::PeriodKind;

use crate::lab::*;

crate::cases![
    what_proves_that_nothing_was_sent,
    what_may_have_been_sent,
    an_element_that_cannot_be_used_is_not_clicked
];

/// A browser that says whether the element can be used, and how the click went.
struct Scripted {
    unusable: Json,
    clicked: Result<Response, Failure>,
    clicks: usize,
}

#[async_trait]
impl Browser for Scripted {
    async fn execute(&mut self, command: Command) -> Result<Response, Failure> {
        match command.action {
            Action::Click(_) => {
                self.clicks += 1;
                self.clicked.clone()
            }
            Action::Page { function: "unusable", .. } => Ok(Response::Json(self.unusable.clone())),
            _ => Ok(Response::Done),
        }
    }

    fn is_dead(&self) -> bool {
        false
    }
}

/// The commit step on this browser, and how often it was clicked.
async fn commit(lab: &Lab, unusable: Json, clicked: Result<Response, Failure>) -> (Committed, usize) {
    let mut browser = Scripted { unusable, clicked, clicks: 0 };
    let steps = [click(css("#checkin")).commits()];
    let element = Element { context: Context::default(), reference: "e1".into() };
    let prepared = Prepared {
        commit: 0,
        scope: Scope::default(),
        element: Some(element),
        context: Context::default(),
        signs_in: false,
        notes: Vec::new(),
    };
    let period = lab.site.calendar.period(PeriodKind::Day, "2026-11-30T00:00:00Z".parse().unwrap());
    let mut visit = Visit {
        browser: &mut browser,
        clock: &lab.clock,
        site: &lab.site,
        zone: ZONE,
        root: lab.folder.path(),
        period,
        pictures: None,
    };
    let committed = visit.commit(&steps, &prepared).await;
    (committed, browser.clicks)
}

async fn what_proves_that_nothing_was_sent(lab: &mut Lab) {
    for refusal in [
        Refusal::Stale,
        Refusal::Gone,
        Refusal::NotInteractable("it has no size".into()),
        Refusal::Intercepted("a banner".into()),
    ] {
        let (committed, clicks) = commit(lab, Json::Null, Ok(Response::Refused(refusal.clone()))).await;
        assert!(matches!(committed, Committed::NotSent(_)), "{refusal:?}: {committed:?}");
        assert_eq!(clicks, 1, "{refusal:?}: it was tried again");
    }
}

async fn what_may_have_been_sent(lab: &mut Lab) {
    assert_eq!(commit(lab, Json::Null, Ok(Response::Done)).await.0, Committed::Sent { trouble: None });
    for kind in [FailureKind::Timeout, FailureKind::BrowserCrashed] {
        let (committed, clicks) = commit(lab, Json::Null, Err(Failure::new(kind, "no answer"))).await;
        assert!(
            matches!(&committed, Committed::Sent { trouble: Some(failure) } if failure.kind == kind),
            "{committed:?}"
        );
        assert_eq!(clicks, 1);
    }
    for refusal in [Refusal::Slow, Refusal::Script("gone".into())] {
        let (committed, _) = commit(lab, Json::Null, Ok(Response::Refused(refusal.clone()))).await;
        assert!(matches!(committed, Committed::Sent { trouble: Some(_) }), "{refusal:?}: {committed:?}");
    }
}

async fn an_element_that_cannot_be_used_is_not_clicked(lab: &mut Lab) {
    let (committed, clicks) = commit(lab, json!("it is disabled"), Ok(Response::Done)).await;
    assert!(matches!(committed, Committed::NotSent(_)), "{committed:?}");
    assert_eq!(clicks, 0);
}
