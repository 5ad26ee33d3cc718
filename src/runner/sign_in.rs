//! Sign-in: who is signed in, and, when nobody is, the site's form, submitted at most twice a day.

use anyhow::Result;

use super::lane::{OpenLane, attempt_limit};
use super::perform::failure_of;
use super::plan::Planned;
use crate::browser::visit::Committed;
use crate::files::model::{Act, Step};
use crate::ledger::IntentAnswer;
use crate::run::{
    Event, Failure, FailureKind, Reading, SOMEBODY_ELSE, SUBMISSIONS_A_DAY, SessionEvent, SessionNext, Which,
};

impl<'a> OpenLane<'a> {
    /// Sees to it that the account is signed in. None when it is; else what this means for the key at work.
    pub(super) async fn signed_in(&mut self, planned: &Planned<'a>, before_act: bool) -> Result<Option<Event>> {
        // A dead browser took its session with it; this starts the next one.
        if let Err(failure) = self.browser().await {
            return Ok(Some(Event::NotTried { failure }));
        }
        let period = planned.row.period;
        if let Err(failure) = self.give_back_session(period).await {
            return Ok(Some(Event::ReadFailed { which: Which::SignIn, failure }));
        }
        loop {
            let standing = self.standing()?;
            let by_person = matches!(self.site.sign_in.act, Act::Person);
            let done = match self.session.next(&standing, by_person, before_act) {
                SessionNext::SignedIn => return Ok(None),
                SessionNext::Blocked(failure) => Err(failure),
                SessionNext::Identify => self.identify_in_time(planned).await,
                SessionNext::Prepare => match self.rejected_before()? {
                    Some(failure) => Err(failure),
                    None => self.prepare_sign_in(planned).await,
                },
                SessionNext::Intend => self.intend_sign_in()?,
                SessionNext::Commit => self.commit_sign_in(planned).await?,
            };
            match done {
                Ok(event) => {
                    let submitted = self.session.pause_before_read().is_some();
                    self.session.apply(&event);
                    if let SessionEvent::Identified(answer) = &event {
                        self.note_session(answer, submitted, period).await?;
                    }
                }
                Err(failure) => {
                    if failure.rule.as_deref() == Some(SOMEBODY_ELSE) {
                        self.session_is_over()?;
                    }
                    return Ok(Some(Event::ReadFailed { which: Which::SignIn, failure }));
                }
            }
            if let Some(stop) = self.stops_sign_in(planned)? {
                return Ok(Some(stop));
            }
        }
    }

    /// Reads who is signed in. After a submission the page that it led to is looked at first, because it may have come only
    /// now, and the site is given time.
    async fn identify_in_time(&mut self, planned: &Planned<'a>) -> Result<SessionEvent, Failure> {
        if let Some(pause) = self.session.pause_before_read() {
            self.page_asks_nothing(planned).await?;
            if !pause.is_zero() {
                self.world.clock.sleep_real(pause).await;
                self.page_asks_nothing(planned).await?;
            }
        }
        self.identify(planned).await.map(|reading| SessionEvent::Identified(reading.answer))
    }

    /// A page that asks for a person after a submission: wrong password, captcha, code.
    async fn page_asks_nothing(&mut self, planned: &Planned<'a>) -> Result<(), Failure> {
        let scope = self.scope(planned);
        match self.visit(planned.row.period).await?.asks_for_person(scope).await {
            Some(failure) => Err(failure),
            None => Ok(()),
        }
    }

    /// Reads who is signed in.
    pub(super) async fn identify(&mut self, planned: &Planned<'a>) -> Result<Reading, Failure> {
        let scope = self.scope(planned);
        let section = &self.site.sign_in.check;
        let limit = self.limit(attempt_limit(planned));
        let control = self.world.control;
        let mut visit = self.visit(planned.row.period).await?;
        match control.in_time(limit, visit.read_identity(section, scope)).await {
            Ok(read) => read.map_err(failure_of),
            Err(cut) => {
                self.end_browser().await;
                Err(cut.failure(limit))
            }
        }
    }

    /// A login that the site ever rejected is not typed again, whoever closed its ticket: each try counts towards a lock.
    fn rejected_before(&self) -> Result<Option<Failure>> {
        let Some(fingerprint) = self.world.credentials.fingerprint(&self.credentials)? else { return Ok(None) };
        let rejected = self.world.ledger.rejected_fingerprints(&self.lane)?.contains(&fingerprint);
        let message = "the site rejected this user name and password before, and they have not changed since; \
                       not submitted again";
        Ok(rejected.then(|| Failure::new(FailureKind::CredentialsRejected, message)))
    }

    async fn prepare_sign_in(&mut self, planned: &Planned<'a>) -> Result<SessionEvent, Failure> {
        let scope = self.scope(planned);
        let steps = sign_in_steps(&self.site.sign_in.act);
        let limit = self.limit(attempt_limit(planned));
        let control = self.world.control;
        let mut visit = self.visit(planned.row.period).await?;
        match control.in_time(limit, visit.prepare(steps, scope)).await {
            Ok(prepared) => {
                self.prepared = Some(prepared.map_err(failure_of)?);
                Ok(SessionEvent::Prepared)
            }
            Err(cut) => {
                self.end_browser().await;
                Err(cut.failure(limit))
            }
        }
    }

    fn intend_sign_in(&mut self) -> Result<Result<SessionEvent, Failure>> {
        let world = self.world;
        let day = self.site_day();
        let limit = SUBMISSIONS_A_DAY.saturating_sub(self.lost_submissions()?);
        let answer = world.ledger.intend_sign_in(&world.run, &self.lease, day, limit, world.clock.now())?;
        Ok(match answer {
            IntentAnswer::Written => Ok(SessionEvent::Intended),
            _ => Err(Failure::new(
                FailureKind::Timeout,
                "the sign-in was not submitted: the lane was taken over or suspended",
            )),
        })
    }

    /// Submits the form. What the site says then is read by the next look at who is signed in.
    async fn commit_sign_in(&mut self, planned: &Planned<'a>) -> Result<Result<SessionEvent, Failure>> {
        let Some(prepared) = self.prepared.take() else {
            self.world.ledger.settle_sign_in(&self.lease, false)?;
            return Ok(Err(Failure::new(
                FailureKind::BrowserCrashed,
                "the sign-in form is gone; nothing was submitted",
            )));
        };
        let steps = sign_in_steps(&self.site.sign_in.act);
        let limit = self.limit(attempt_limit(planned));
        let control = self.world.control;
        let work = async {
            let mut visit = match self.visit(planned.row.period).await {
                Ok(visit) => visit,
                Err(failure) => return Committed::NotSent(failure),
            };
            match visit.commit(steps, &prepared).await {
                Committed::Sent { trouble: None } => Committed::Sent { trouble: visit.finish(steps, prepared).await },
                other => other,
            }
        };
        let committed = match control.to_its_end(limit, work).await {
            Ok(committed) => committed,
            Err(cut) => {
                self.end_browser().await;
                Committed::Sent { trouble: Some(cut.failure(limit)) }
            }
        };
        self.world.ledger.settle_sign_in(&self.lease, matches!(committed, Committed::Sent { .. }))?;
        Ok(match committed {
            Committed::NotSent(failure) => Err(failure),
            // Wrong password, captcha, code: the page that answers says so, and it is final.
            Committed::Sent { trouble: Some(trouble) } if trouble.kind.needs_person() => Err(trouble),
            Committed::Sent { .. } => Ok(SessionEvent::Committed),
        })
    }
}

fn sign_in_steps(act: &Act) -> &[Step] {
    match act {
        Act::Steps(steps) => steps,
        Act::Person => &[],
    }
}
