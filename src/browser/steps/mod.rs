//! Steps, interpreted one after another over the seam: what a task file says, done in a browser.

mod fetch;
mod field;
mod open;
mod other;
mod press;
mod touch;

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value as Json;

use super::challenge::{Glance, Looked, http_login};
use super::command::{Action, Command, Context, Refusal, Response};
use super::picture::Picture;
use super::visit::{Halt, Note, Visit};
use crate::files::condition::{Condition, Scope, Template, Unknown};
use crate::files::model::{Step, Verb};
use crate::run::{Failure, FailureKind};
use crate::values::Value;

pub(super) use fetch::{Answer, Request, no_document};
pub(super) use open::Place;
pub(super) use other::FileRead;
pub(super) use touch::{Use, target_of};

/// The least time that a command gets, however little of its step's time is left.
const LEAST: Duration = Duration::from_millis(500);

/// One walk through the steps of a section or an act.
pub(super) struct Walk<'v, 'a> {
    pub(super) visit: &'v mut Visit<'a>,
    /// The top document of the tab that the steps are at.
    pub(super) context: Context,
    pub(super) scope: Scope,
    /// What the reads of these steps gave.
    pub(super) values: BTreeMap<String, Value>,
    pub(super) notes: Vec<Note>,
    /// What the last `fetch` answered, and what the last `file` held.
    pub(super) answer: Option<Answer>,
    pub(super) file: Option<FileRead>,
    /// The steps type a password: messages about it are meant for us.
    pub(super) signs_in: bool,
    /// The password was sent: what comes now may be the answer to it.
    pub(super) password_sent: bool,
    /// The section says who is signed in: a page that leads to the sign-in is an answer to that.
    pub(super) identifies: bool,
    /// A person is at work in this browser: nothing is changed there, not even a dialog.
    pub(super) hands_off: bool,
    /// Nothing was asked of the page yet: a dialog that is open was left by earlier steps.
    fresh: bool,
    /// What the look at the page and its frames that is under way has come to.
    pub(super) looked: Looked,
    /// What the last look of the step saw of the whole page.
    seen: Option<Box<Glance>>,
    /// When the time of the step is over, by the clock's uptime.
    deadline: Duration,
    /// How long the step may take.
    limit: Duration,
}

impl<'v, 'a> Walk<'v, 'a> {
    /// A walk that goes on in this tab.
    pub(super) fn going_on(visit: &'v mut Visit<'a>, context: Context, scope: Scope, signs_in: bool) -> Self {
        let deadline = visit.clock.uptime();
        let (values, notes) = (BTreeMap::new(), Vec::new());
        let (answer, file, fresh, seen) = (None, None, false, None);
        let (password_sent, identifies, hands_off, limit) = (false, false, false, LEAST);
        Walk {
            visit,
            context,
            scope,
            values,
            notes,
            answer,
            file,
            signs_in,
            password_sent,
            identifies,
            hands_off,
            fresh,
            looked: Looked::default(),
            seen,
            deadline,
            limit,
        }
    }

    /// A walk that starts in the first tab; tabs that earlier steps or advertisements opened are closed.
    pub(super) async fn starting(visit: &'v mut Visit<'a>, steps: &[Step], scope: Scope) -> Result<Self, Failure> {
        let mut walk = Walk::going_on(visit, Context::default(), scope, steps.iter().any(types_password));
        walk.set_limit(Duration::from_secs(15));
        walk.fresh = true;
        if let Response::Tabs(tabs) = walk.ask(&Context::default(), Action::Tabs).await? {
            for tab in tabs.iter().skip(1) {
                let context = Context { tab: Some(tab.clone()), frames: Vec::new() };
                walk.ask(&context, Action::CloseTab).await?;
            }
            walk.context.tab = tabs.first().cloned();
        }
        Ok(walk)
    }

    /// The first `count` steps, with their reads, one after another.
    pub(super) async fn steps(&mut self, steps: &[Step], count: usize) -> Result<(), Halt> {
        for (index, step) in steps.iter().enumerate().take(count) {
            self.step(step, steps.get(index + 1)).await?;
        }
        Ok(())
    }

    /// One step with its reads. `next` is the one that comes after it.
    pub(super) async fn step(&mut self, step: &Step, next: Option<&Step>) -> Result<(), Halt> {
        self.set_limit(step.timeout);
        if !self.wanted(step.when.as_ref()).map_err(|failure| failure.at_step(place_of(step)))? {
            self.leave_out(step);
            return Ok(());
        }
        let outcome = self.carry_out(step, next).await;
        match outcome {
            Ok(()) => Ok(()),
            Err(Halt::Failed(failure)) => Err(Halt::Failed(self.explain(failure, step).await)),
            Err(halt) => Err(halt),
        }
    }

    /// A step, a look at what the page says to it, and the reads. The look is left to the next step where that one looks
    /// before it changes anything, and nothing is read before.
    async fn carry_out(&mut self, step: &Step, next: Option<&Step>) -> Result<(), Halt> {
        self.seen = None;
        self.verb(step).await?;
        let left_to_next = step.reads.is_empty() && next.is_some_and(looks_first);
        if on_page(&step.verb) && !left_to_next {
            let seen = self.seen.take();
            self.watch_left(seen).await?;
        }
        self.read_all(&step.reads).await.map_err(Halt::Failed)
    }

    async fn verb(&mut self, step: &Step) -> Result<(), Halt> {
        match &step.verb {
            Verb::Open { path, query } => self.open(path, query).await?,
            Verb::Fetch(fetch) => self.fetch(fetch).await?,
            Verb::File { path, encoding } => self.read_file(path, *encoding)?,
            Verb::Scroll(to) => self.scroll(to).await?,
            Verb::Press { keys, on } => self.press(keys, on.as_ref()).await?,
            Verb::Wait { target } => self.wait_for(target, step.optional).await?,
            Verb::WaitGone { target } => self.wait_gone(target).await?,
            Verb::Pause(span) => self.pause(*span).await,
            Verb::PauseUntil(time) => self.pause_until(*time).await,
            Verb::Expect { condition, otherwise, reason } => self.expect(condition, *otherwise, reason.as_ref())?,
            Verb::Go(go) => self.go(*go).await?,
            Verb::Click { .. }
            | Verb::Fill { .. }
            | Verb::Select { .. }
            | Verb::Tick { .. }
            | Verb::Untick { .. }
            | Verb::Hover { .. } => self.touch(step).await?,
        }
        Ok(())
    }

    fn wanted(&self, when: Option<&Condition>) -> Result<bool, Failure> {
        let Some(condition) = when else { return Ok(true) };
        condition.holds(&self.scope).map_err(|unknown| cannot_tell("`when`", condition.text(), &unknown))
    }

    /// What a step that is left out would have read is unknown from now on.
    fn leave_out(&mut self, step: &Step) {
        for (name, _) in &step.reads {
            let why = Unknown(format!("`{name}` was not read: its step was left out"));
            self.scope.names.insert(name.clone(), Err(why));
        }
    }

    /// The time of the step that is about to begin.
    pub(super) fn set_limit(&mut self, limit: Duration) {
        self.limit = limit;
        self.renew_limit();
    }

    /// The step's time once more: for the next page of a list.
    pub(super) fn renew_limit(&mut self) {
        self.deadline = self.visit.clock.uptime() + self.limit;
    }

    /// Time that must not count against the step.
    pub(super) fn extend_limit(&mut self, by: Duration) {
        self.deadline += by;
    }

    /// What is left of the step's time.
    pub(super) fn left(&self) -> Duration {
        self.deadline.saturating_sub(self.visit.clock.uptime())
    }

    /// One command. An unexpected dialog of the page is dismissed, and is a failure that names its text; one that was left
    /// open by earlier steps is dismissed, and that is all.
    pub(super) async fn ask(&mut self, context: &Context, action: Action) -> Result<Response, Failure> {
        let limit = self.left().max(LEAST);
        let command = Command { context: context.clone(), action, limit };
        // The list of tabs is given whatever is open.
        let fresh = self.fresh;
        self.fresh &= matches!(command.action, Action::Tabs);
        let response = self.visit.browser.execute(command.clone()).await?;
        let text = match response {
            Response::Refused(Refusal::DialogOpen(_) | Refusal::AsksForLogin) if self.hands_off => {
                return Err(Failure::new(FailureKind::PageChanged, "A dialog of the page is open."));
            }
            Response::Refused(Refusal::DialogOpen(text)) => Some(text),
            Response::Refused(Refusal::AsksForLogin) => None,
            response => return Ok(response),
        };
        let dismiss = Command { context: context.clone(), action: Action::AnswerDialog(false), limit };
        self.visit.browser.execute(dismiss).await?;
        if fresh {
            return self.visit.browser.execute(command).await;
        }
        let Some(text) = text else { return Err(http_login()) };
        let message = format!("The page opened a dialog that no step expects, “{text}”; it was dismissed.");
        Err(Failure::new(FailureKind::PageChanged, message))
    }

    /// Calls a page function in a document.
    pub(super) async fn page(
        &mut self,
        context: &Context,
        function: &'static str,
        arguments: Vec<Json>,
    ) -> Result<Result<Json, Refusal>, Failure> {
        match self.ask(context, Action::Page { function, arguments }).await? {
            Response::Json(answer) => Ok(Ok(answer)),
            Response::Refused(refusal) => Ok(Err(refusal)),
            other => Ok(Err(Refusal::Script(format!("unexpected answer {other:?}")))),
        }
    }

    /// The same where a refusal is a failure: the document is there, or the page is not what it was.
    pub(super) async fn page_sure(
        &mut self,
        context: &Context,
        function: &'static str,
        arguments: Vec<Json>,
    ) -> Result<Json, Failure> {
        self.page(context, function, arguments).await?.map_err(|refusal| refused(&refusal))
    }

    /// A template with its names put in.
    pub(super) fn render(&self, template: &Template) -> Result<String, Failure> {
        template.render(&self.scope).map_err(|unknown| cannot_tell("the text", template.text(), &unknown))
    }

    /// A note of the same words is made once.
    pub(super) fn note(&mut self, note: Note) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// A failure with everything that helps a person: the step, the page, a picture. A challenge that the page shows
    /// goes before what it led to.
    pub(super) async fn explain(&mut self, failure: Failure, step: &Step) -> Failure {
        let mut failure = failure.at_step(place_of(step));
        if self.hands_off || self.visit.browser.is_dead() || failure.kind == FailureKind::Environment {
            return failure;
        }
        self.set_limit(Duration::from_secs(10));
        if failure.rule.is_none() && matches!(failure.kind, FailureKind::PageChanged | FailureKind::Timeout) {
            failure = self.challenge_behind(failure).await.at_step(place_of(step));
        }
        self.with_page(failure).await
    }

    /// A failure with where the page is, its title, and a picture of it.
    pub(in crate::browser) async fn with_page(&mut self, mut failure: Failure) -> Failure {
        if let Ok(place) = self.place().await {
            failure.page.get_or_insert(format!("{}{}", place.host, place.path));
            failure.title = failure.title.or_else(|| short_title(&place.title));
        }
        if failure.picture.is_none() {
            match self.picture(failure.kind).await {
                Picture::Kept(name) => failure.picture = Some(name),
                Picture::Withheld => failure.message.push_str(" No picture was kept: it could show a secret."),
                Picture::Absent => {}
            }
        }
        failure
    }
}

/// A page's title, as far as it fits a line; none where it has none.
fn short_title(title: &str) -> Option<String> {
    let title = crate::values::parse::collapse(title);
    (!title.is_empty()).then(|| title.chars().take(120).collect())
}

/// What a refusal means where no step has a better word for it.
pub(super) fn refused(refusal: &Refusal) -> Failure {
    let kind = match refusal {
        Refusal::Slow => FailureKind::Timeout,
        Refusal::Script(_) => FailureKind::NotRendered,
        _ => FailureKind::PageChanged,
    };
    Failure::new(kind, format!("It cannot be done: {refusal}."))
}

fn cannot_tell(what: &str, text: &str, unknown: &Unknown) -> Failure {
    Failure::new(FailureKind::PageChanged, format!("{what} `{text}` has no answer: {unknown}."))
}

/// The step as `file:line:column verb`.
pub(super) fn place_of(step: &Step) -> String {
    let place = &step.place;
    format!("{}:{}:{} {}", place.file.display(), place.line, place.column, word(&step.verb))
}

fn word(verb: &Verb) -> &'static str {
    match verb {
        Verb::Open { .. } => "open",
        Verb::Fetch(_) => "fetch",
        Verb::File { .. } => "file",
        Verb::Click { .. } => "click",
        Verb::Fill { .. } => "fill",
        Verb::Select { .. } => "select",
        Verb::Tick { .. } => "tick",
        Verb::Untick { .. } => "untick",
        Verb::Hover { .. } => "hover",
        Verb::Press { .. } => "press",
        Verb::Scroll(_) => "scroll",
        Verb::Wait { .. } => "wait",
        Verb::WaitGone { .. } => "wait_gone",
        Verb::Pause(_) => "pause",
        Verb::PauseUntil(_) => "pause_until",
        Verb::Expect { .. } => "expect",
        Verb::Go(_) => "go",
    }
}

/// Steps after which the page may have something to say.
fn on_page(verb: &Verb) -> bool {
    !matches!(verb, Verb::Fetch(_) | Verb::File { .. } | Verb::Expect { .. } | Verb::Pause(_) | Verb::PauseUntil(_))
}

/// Steps that look for what asks for a person before they do anything, or that do nothing to the page and look after it.
fn looks_first(step: &Step) -> bool {
    let always = step.when.is_none() && !step.optional;
    match &step.verb {
        Verb::Wait { .. } | Verb::WaitGone { .. } | Verb::Scroll(_) => step.when.is_none(),
        Verb::Press { .. } => always,
        verb => always && target_of(verb).is_some(),
    }
}

fn types_password(step: &Step) -> bool {
    matches!(&step.verb, Verb::Fill { with, .. } if with.uses_password())
}
