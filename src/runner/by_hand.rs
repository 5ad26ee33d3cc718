//! A person signs in, in a window of the account's own browser; the session is kept for the mornings. The lane is leased
//! meanwhile, so that runs wait.

use std::fs;
use std::time::Duration;

use anyhow::Result;
use chrono::TimeDelta;
use tokio::sync::mpsc::Receiver;

use super::commands::ends_with_sign_in;
use super::kept::{Keeper, profile};
use super::morning::World;
use super::perform::failure_of;
use super::scope::scope;
use super::{Credentials, control};
use crate::browser::visit::Visit;
use crate::browser::{Action, Browser, Command, Context, RealBrowser, Response, looks_unnoticed};
use crate::clock::{Clock, SystemClock};
use crate::files::condition::Scope;
use crate::files::model::{Account, Site};
use crate::ledger::{Lease, LeaseAnswer, SessionOrigin};
use crate::run::{Answer, Failure, FailureKind, Lane, SOMEBODY_ELSE};
use crate::timing::{Period, PeriodKind};

/// How often it is looked whether the person is through.
const LOOK: Duration = Duration::from_secs(2);
/// A page that has just signed somebody in may still be on its way to the next one.
const SETTLE: Duration = Duration::from_millis(1500);
/// A browser that does not say for so long which tabs it has is gone.
const NO_ANSWER: Duration = Duration::from_secs(15);
/// The last look, which may open pages.
const VERIFY_LIMIT: Duration = Duration::from_secs(60);
/// The lease is kept for longer than what comes next may take.
const NEEDED: TimeDelta = TimeDelta::minutes(5);

/// Who closed the tickets of a sign-in.
const SIGNED_IN: &str = "signed in by a person";

/// What a person who signs in is told.
#[derive(Debug, Clone)]
pub enum ByHand {
    /// The window is open at this page.
    Opened(String),
    /// Whether somebody is signed in is looked at from time to time; else only when the person says so.
    Looks(bool),
    /// Nobody is signed in yet, or it cannot be told: why.
    NotYet(Option<String>),
    /// Somebody else is signed in: who, and whose account this is.
    SomebodyElse(String),
}

/// How it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HandedOver {
    /// The account is signed in, and its session kept.
    Kept {
        /// Tickets that this closed.
        closed: Vec<i64>,
    },
    /// Another run is at work in the lane.
    Locked(String),
    /// The browser did not start, or the page did not come.
    Failed(Failure),
    /// It took too long.
    OverTime,
    /// The window was closed.
    Closed,
    /// It was told to stop.
    Stopped,
}

/// The person's side.
pub struct Person<'p> {
    /// For how long it is waited.
    pub limit: Duration,
    /// Is told how it goes.
    pub tell: &'p dyn Fn(ByHand),
    /// The person says that all is done.
    pub done: Receiver<()>,
}

struct AtWork<'w> {
    world: &'w World<'w>,
    site: &'w Site,
    lane: Lane,
    scope: Scope,
    period: Period,
    lease: Lease,
    browser: Option<RealBrowser>,
    /// The session that the browser has is another person's.
    somebody_else: bool,
}

/// Opens a window for the person, and waits until the site says that the account is signed in.
pub async fn sign_in_by_hand(
    world: &World<'_>,
    site: &Site,
    account: &Account,
    person: &mut Person<'_>,
) -> Result<HandedOver> {
    let lane = Lane { site: site.id.clone(), account: account.id.clone() };
    let username = match world.credentials.username_of(site, account).await {
        Ok(username) => username,
        Err(failure) => return Ok(HandedOver::Failed(failure)),
    };
    let now = world.clock.now();
    let lease = match world.ledger.take_lease(&lane, &world.holder, now)? {
        LeaseAnswer::Taken(lease) => lease,
        LeaseAnswer::Held(holder) => return Ok(HandedOver::Locked(holder.to_string())),
    };
    let period = site.calendar.period(PeriodKind::Day, now);
    let scope = scope(&period, account, &Credentials { username, password: None }, None);
    let mut at_work = AtWork { world, site, lane, scope, period, lease, browser: None, somebody_else: false };
    let ended = at_work.work(person).await;
    at_work.end().await?;
    ended
}

impl AtWork<'_> {
    async fn work(&mut self, person: &mut Person<'_>) -> Result<HandedOver> {
        match self.open(person).await {
            Ok(()) => {}
            Err(_) if self.world.control.is_stopped() => return Ok(HandedOver::Stopped),
            Err(failure) => return Ok(HandedOver::Failed(failure)),
        }
        let unnoticed = looks_unnoticed(&self.site.sign_in.check);
        (person.tell)(ByHand::Looks(unnoticed));
        let (clock, mut may_ask) = (SystemClock::new(), true);
        while clock.uptime() < person.limit {
            let said_so = tokio::select! {
                biased;
                () = self.world.control.stopped() => return Ok(HandedOver::Stopped),
                said = person.done.recv(), if may_ask => {
                    may_ask = said.is_some();
                    may_ask
                }
                () = self.world.clock.sleep_real(LOOK) => false,
            };
            if !self.world.ledger.keep_lease(&mut self.lease, self.world.clock.now(), NEEDED)? {
                return Ok(HandedOver::Locked("another run, which took the lane over".to_owned()));
            }
            let through = said_so || (unnoticed && self.looks_through(person).await?);
            if !unnoticed {
                self.put_away_if_closed().await;
            }
            if self.browser.is_none() {
                return Ok(HandedOver::Closed);
            }
            if through && self.verified(person, said_so).await {
                return self.keep().await;
            }
        }
        Ok(HandedOver::OverTime)
    }

    async fn open(&mut self, person: &mut Person<'_>) -> Result<(), Failure> {
        let (world, no_limit) = (self.world, Duration::MAX);
        let start = world.control.in_time(no_limit, world.launcher.start(self.site, &self.lane)).await;
        self.browser = Some(start.map_err(|cut| cut.failure(no_limit))??);
        let (site, scope, lane) = (self.site, self.scope.clone(), self.lane.clone());
        let mut visit = self.visit().ok_or_else(control::stopped)?;
        let open = async {
            if let Err(failure) = Keeper::of(world, &lane).give_back(&mut visit).await {
                tracing::warn!("the kept session was not put back: {}", failure.message);
            }
            visit.open_for_person(&site.sign_in, scope).await
        };
        let opened = world.control.in_time(no_limit, open).await.map_err(|cut| cut.failure(no_limit))??;
        (person.tell)(ByHand::Opened(opened));
        Ok(())
    }

    fn visit(&mut self) -> Option<Visit<'_>> {
        let (world, site, period) = (self.world, self.site, self.period);
        Some(Visit {
            browser: self.browser.as_mut()?,
            clock: world.clock,
            site,
            root: &world.project.root,
            period,
            zone: world.project.settings.timezone,
            pictures: None,
        })
    }

    /// A window that the person has closed is the end of it. Asking which tabs there are touches none of them.
    async fn put_away_if_closed(&mut self) {
        let Some(browser) = self.browser.as_mut() else { return };
        let tabs = Command { context: Context::default(), action: Action::Tabs, limit: NO_ANSWER };
        let gone = match browser.execute(tabs).await {
            Ok(Response::Tabs(tabs)) => tabs.is_empty(),
            Ok(_) => false,
            Err(_) => true,
        };
        if gone && let Some(browser) = self.browser.take() {
            browser.close().await;
        }
    }

    /// A look that the person does not notice. A browser that is gone is put away.
    async fn looks_through(&mut self, person: &mut Person<'_>) -> Result<bool> {
        let (section, scope) = (&self.site.sign_in.check, self.scope.clone());
        let Some(mut visit) = self.visit() else { return Ok(false) };
        match visit.look_from_here(section, scope).await {
            Ok(answer) => Ok(answer == Some(Answer::Done)),
            Err(failure) if failure.rule.as_deref() == Some(SOMEBODY_ELSE) => {
                self.tell_somebody_else(person, failure);
                Ok(false)
            }
            Err(failure) if matches!(failure.kind, FailureKind::BrowserCrashed | FailureKind::Timeout) => {
                if let Some(browser) = self.browser.take() {
                    browser.close().await;
                }
                Ok(false)
            }
            Err(_) => Ok(false),
        }
    }

    /// The whole check, as a run reads it: the person is through by now.
    async fn verified(&mut self, person: &mut Person<'_>, said_so: bool) -> bool {
        if !said_so {
            self.world.clock.sleep_real(SETTLE).await;
        }
        let (control, section, scope) = (self.world.control, &self.site.sign_in.check, self.scope.clone());
        let Some(mut visit) = self.visit() else { return false };
        let failure = match control.in_time(VERIFY_LIMIT, visit.read_identity(section, scope)).await {
            Ok(Ok(reading)) if reading.answer == Answer::Done => {
                self.somebody_else = false;
                return true;
            }
            Ok(Ok(_)) => {
                (person.tell)(ByHand::NotYet(None));
                return false;
            }
            Ok(Err(halt)) => failure_of(halt),
            Err(cut) => cut.failure(VERIFY_LIMIT),
        };
        if failure.rule.as_deref() == Some(SOMEBODY_ELSE) {
            self.tell_somebody_else(person, failure);
        } else if !control.is_stopped() {
            (person.tell)(ByHand::NotYet(Some(failure.message)));
        }
        false
    }

    /// Said once, until somebody else still signs in.
    fn tell_somebody_else(&mut self, person: &mut Person<'_>, failure: Failure) {
        if !std::mem::replace(&mut self.somebody_else, true) {
            (person.tell)(ByHand::SomebodyElse(failure.message));
        }
    }

    /// The session is kept, and what stood in its way is over.
    async fn keep(&mut self) -> Result<HandedOver> {
        let (world, lane) = (self.world, self.lane.clone());
        let now = world.clock.now();
        world.ledger.signed_in(&lane, SessionOrigin::Person, now)?;
        if let Some(mut visit) = self.visit() {
            match Keeper::of(world, &lane).keep(&mut visit).await {
                Ok(lasts) => world.ledger.session_lasts(&lane, lasts)?,
                Err(why) => tracing::warn!("cookies that die with the browser were not kept: {why}"),
            }
        }
        let mut closed = Vec::new();
        for ticket in world.ledger.open_tickets()? {
            let own = ticket.site == lane.site && ticket.account.as_ref() == Some(&lane.account);
            let kind = FailureKind::from_word(&ticket.kind);
            if own && kind.is_some_and(ends_with_sign_in) && world.ledger.close_ticket(ticket.number, SIGNED_IN, now)? {
                closed.push(ticket.number);
            }
        }
        Ok(HandedOver::Kept { closed })
    }

    /// The lane's lease, once more.
    fn still_ours(&mut self) -> Result<bool> {
        Ok(self.world.ledger.keep_lease(&mut self.lease, self.world.clock.now(), NEEDED)?)
    }

    /// The window is closed, and the lane given back. Another person's session is not kept: the profile goes with it.
    async fn end(mut self) -> Result<()> {
        if let Some(browser) = self.browser.take() {
            browser.close().await;
        }
        // A lane that was lost meanwhile is another's, and so is what lies in its profile.
        if self.somebody_else && self.still_ours()? {
            Keeper::of(self.world, &self.lane).forget();
            let profile = profile(&self.world.launcher.data, &self.lane);
            if let Err(error) = fs::remove_dir_all(&profile) {
                tracing::warn!("another person's session is still in {}: {error}", profile.display());
            }
            self.world.ledger.signed_out(&self.lane)?;
        }
        Ok(self.world.ledger.release_lease(&self.lease, self.world.clock.now())?)
    }
}
