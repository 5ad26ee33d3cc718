//! One effect, one event: what the state machine asked for is done by the browser, and said back as data.

use std::time::Duration;

use anyhow::Result;

use super::lane::{OpenLane, attempt_limit};
use super::plan::Planned;
use super::scope::with_checked;
use crate::browser::visit::{Committed, Halt, Prepared};
use crate::files::model::{Act, Effect, Section, Step, Verify};
use crate::ledger::{IntentAnswer, SiteWait};
use crate::run::{Event, Failure, FailureKind, Next, Reading, SOMEBODY_ELSE, SessionEvent, Which, too_late};

impl<'a> OpenLane<'a> {
    /// Does it.
    pub(super) async fn perform(&mut self, planned: &Planned<'a>, next: Next) -> Result<Event> {
        Ok(match next {
            Next::Read(which) => self.read(planned, which).await,
            Next::Prepare => self.prepare(planned).await,
            Next::Intend { generation, unit } => Event::Intended { generation, unit },
            Next::Commit => self.commit(planned).await?,
            Next::Ask
            | Next::AskInDoubt
            | Next::Close(..)
            | Next::Release(_)
            | Next::Later(_)
            | Next::Wait(_)
            | Next::Done => unreachable_effect(&next),
        })
    }

    async fn read(&mut self, planned: &Planned<'a>, which: Which) -> Event {
        let section = match (&planned.task.verify, which) {
            (Verify::Section(section), Which::Verify | Which::Baseline) => section,
            _ => &planned.task.check,
        };
        self.session.apply(&SessionEvent::Worked);
        match self.read_section(planned, section).await {
            Ok(reading) => {
                // With `verify: check` the verify of one unit is the check of the next.
                let is_check = which == Which::Check || matches!(planned.task.verify, Verify::Check);
                if is_check {
                    self.checked.clone_from(&reading.values);
                }
                Event::Read { which, reading }
            }
            Err(failure) => Event::ReadFailed { which, failure: self.explain(planned, failure).await },
        }
    }

    /// Reads a section within the attempt's limit.
    async fn read_section(&mut self, planned: &Planned<'a>, section: &Section) -> Result<Reading, Failure> {
        let scope = self.scope(planned);
        let limit = self.limit(attempt_limit(planned));
        let control = self.world.control;
        let mut visit = self.visit(planned.row.period).await?;
        let read = control.in_time(limit, visit.read_section(section, scope)).await;
        match read {
            Ok(Ok(reading)) => Ok(reading),
            Ok(Err(halt)) => Err(failure_of(halt)),
            Err(cut) => {
                self.end_browser().await;
                Err(cut.failure(limit))
            }
        }
    }

    async fn prepare(&mut self, planned: &Planned<'a>) -> Event {
        let steps = steps(planned);
        let scope = with_checked(self.scope(planned), &self.checked);
        let limit = self.limit(attempt_limit(planned));
        let control = self.world.control;
        let visit = self.visit(planned.row.period).await;
        let mut visit = match visit {
            Ok(visit) => visit,
            Err(failure) => return Event::PrepareFailed { failure },
        };
        match control.in_time(limit, visit.prepare(steps, scope)).await {
            Ok(Ok(prepared)) => {
                let notes = prepared.notes.clone();
                self.prepared = Some(prepared);
                Event::Prepared { notes }
            }
            Ok(Err(Halt::Later(reason))) => Event::Halted { later: true, reason },
            Ok(Err(Halt::Skip(reason))) => Event::Halted { later: false, reason },
            Ok(Err(Halt::Failed(failure))) => Event::PrepareFailed { failure: self.explain(planned, failure).await },
            Err(cut) => {
                self.end_browser().await;
                Event::PrepareFailed { failure: cut.failure(limit) }
            }
        }
    }

    /// The commit step (for a `repeatable` act: all of it), at most once for the intent that was just written.
    async fn commit(&mut self, planned: &Planned<'a>) -> Result<Event> {
        if let Some(failure) = self.too_late(planned)? {
            return Ok(Event::NotSent { failure });
        }
        self.session.apply(&SessionEvent::Worked);
        let limit = self.limit(attempt_limit(planned));
        let control = self.world.control;
        let work = async {
            match (planned.task.effect, self.prepared.take()) {
                (Effect::Repeatable, _) => self.act_whole(planned).await,
                (Effect::Once, Some(prepared)) => self.commit_step(planned, prepared).await,
                (Effect::Once, None) => Event::NotSent {
                    failure: Failure::new(
                        FailureKind::BrowserCrashed,
                        "the page that stood ready is gone; nothing was sent",
                    ),
                },
            }
        };
        match control.to_its_end(limit, work).await {
            Ok(event) => Ok(event),
            Err(cut) => {
                self.end_browser().await;
                Ok(Event::Committed { trouble: Some(cut.failure(limit)), refused: None })
            }
        }
    }

    /// Clock, window and period once more, between the intent and the commit step.
    pub(super) fn too_late(&self, planned: &Planned<'a>) -> Result<Option<Failure>> {
        let world = self.world;
        let now = world.clock.now();
        let intended_at = world.ledger.last_event_at(&planned.row.key)?.unwrap_or(now);
        Ok(too_late(now, intended_at, &planned.rules))
    }

    async fn commit_step(&mut self, planned: &Planned<'a>, prepared: Prepared) -> Event {
        let steps = steps(planned);
        let mut visit = match self.visit(planned.row.period).await {
            Ok(visit) => visit,
            Err(failure) => return Event::NotSent { failure },
        };
        let scope = prepared.scope.clone();
        match visit.commit(steps, &prepared).await {
            Committed::NotSent(failure) => Event::NotSent { failure },
            Committed::Sent { trouble: Some(trouble) } => Event::Committed { trouble: Some(trouble), refused: None },
            Committed::Sent { trouble: None } => {
                let trouble = visit.finish(steps, prepared).await;
                let refused = visit.shown_refusal(&planned.task.refused, scope).await;
                Event::Committed { trouble, refused }
            }
        }
    }

    async fn act_whole(&mut self, planned: &Planned<'a>) -> Event {
        let scope = with_checked(self.scope(planned), &self.checked);
        let steps = steps(planned);
        let mut visit = match self.visit(planned.row.period).await {
            Ok(visit) => visit,
            Err(failure) => return Event::NotSent { failure },
        };
        let trouble = visit.act_whole(steps, scope.clone()).await.err().map(failure_of);
        // Such an act may be done again anyway: what the site said is only told.
        let refused = visit.shown_refusal(&planned.task.refused, scope).await;
        let refused = refused.map(|reason| Failure::new(FailureKind::NoEffect, format!("the site refused: {reason}")));
        Event::Committed { trouble: refused.or(trouble), refused: None }
    }

    /// A page that was not understood may be a sign-in page: who is signed in is read before the page is blamed.
    async fn explain(&mut self, planned: &Planned<'a>, failure: Failure) -> Failure {
        if failure.kind != FailureKind::PageChanged || !self.session.is_signed_in() {
            return failure;
        }
        match self.identify(planned).await {
            Ok(reading) if reading.answer == crate::run::Answer::Todo => {
                let message = format!("the session expired; before that was known: {}", failure.message);
                Failure { kind: FailureKind::SessionExpired, message, ..failure }
            }
            Err(other) if other.rule.as_deref() == Some(SOMEBODY_ELSE) => other,
            _ => failure,
        }
    }
}

/// The steps of the act; none for a person's.
fn steps<'p>(planned: &'p Planned<'_>) -> &'p [Step] {
    match &planned.task.act {
        Act::Steps(steps) => steps,
        Act::Person => &[],
    }
}

pub(super) fn failure_of(halt: Halt) -> Failure {
    match halt {
        Halt::Failed(failure) => failure,
        Halt::Later(reason) | Halt::Skip(reason) => Failure::new(FailureKind::PageChanged, reason),
    }
}

/// The site told another lane to stay away.
pub(super) fn stays_away(wait: &SiteWait) -> Failure {
    let kind = FailureKind::from_word(&wait.kind).unwrap_or(FailureKind::RateLimited);
    let until = wait.until.format("%Y-%m-%dT%H:%M:%SZ");
    let message = format!("the site asked to be left alone until {until}; nothing was sent");
    Failure { retry_at: Some(wait.until), ..Failure::new(kind, message) }
}

/// Why an intent was not written.
pub(super) fn refused_intent(answer: &IntentAnswer) -> Failure {
    let message = match answer {
        IntentAnswer::Waits(wait) => return stays_away(wait),
        IntentAnswer::LeaseLost => {
            "another runner took the lane over just before the commit step; nothing was sent".to_owned()
        }
        IntentAnswer::Suspended(ticket) => {
            format!("ticket #{ticket} was opened just before the commit step; nothing was sent")
        }
        _ => "this act was written down before; it is not done again".to_owned(),
    };
    Failure::new(FailureKind::Timeout, message)
}

pub(super) fn over_time(limit: Duration) -> Failure {
    Failure::new(FailureKind::Timeout, format!("not finished within the attempt's {} s", limit.as_secs()))
}

/// The lane's loop handles these itself.
fn unreachable_effect(next: &Next) -> Event {
    Event::PrepareFailed { failure: Failure::new(FailureKind::Environment, format!("{next:?} is not for the browser")) }
}
