//! What keeps an account signed in over the end of its browser: the profile does most of it; cookies that die with the browser
//! are sealed when a lane closes and after a sign-in, and put back when the next one starts.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use chrono::{DateTime, TimeDelta, Utc};
use secrecy::SecretString;

use super::lane::OpenLane;
use super::morning::World;
use crate::browser::visit::Visit;
use crate::browser::{Browser, Cookie, Cookies};
use crate::clock::Instant;
use crate::files::model::{Account, Act, Project, Site};
use crate::ledger::{Ledger, SessionOrigin};
use crate::report::{SessionAge, Words};
use crate::run::{Answer, Failure, Lane};
use crate::secrets::{NotOpened, Redactor, Sealer};

/// How long keeping a session may take: it must not hold up the end of a browser.
const LIMIT: std::time::Duration = std::time::Duration::from_secs(15);
/// The values of shorter cookies are words of the site's, such as a language, and no secrets.
const TELLING: usize = 16;

/// Keeps the session of one account.
pub(super) struct Keeper<'k> {
    pub data: &'k Path,
    pub lane: &'k Lane,
    pub sealer: Sealer,
    pub redactor: &'k Redactor,
    pub now: Instant,
}

/// The folder of a lane's browser profile.
pub(super) fn profile(data: &Path, lane: &Lane) -> PathBuf {
    data.join("profiles").join(&lane.site).join(&lane.account)
}

impl<'k> Keeper<'k> {
    /// Of an account of a run.
    pub fn of(world: &'k World<'_>, lane: &'k Lane) -> Self {
        let (data, redactor, now) = (&*world.launcher.data, world.redactor, world.clock.now());
        Keeper { data, lane, sealer: Sealer::of(data, &world.credentials.resolver), redactor, now }
    }

    fn file(&self) -> PathBuf {
        self.data.join("sessions").join(&self.lane.site).join(format!("{}.sealed", self.lane.account))
    }

    /// What the file is about: it opens for nothing else.
    fn about(&self) -> String {
        format!("{}\n{}\nprofiles/{}/{}", self.lane.site, self.lane.account, self.lane.site, self.lane.account)
    }

    /// The cookies that were kept. A file that does not open is no reason to stop: the account is signed out then, which is
    /// told, and a file that is not what was sealed is set aside.
    pub fn kept(&self) -> Cookies {
        let cookies = match self.sealer.open(&self.file(), &self.about()) {
            Ok(None) => Cookies::new(),
            Ok(Some(content)) => serde_json::from_slice(&content).unwrap_or_default(),
            Err(NotOpened::Refused(why)) => {
                tracing::warn!("the kept session of {} is not used: {why}", self.lane);
                Cookies::new()
            }
            Err(NotOpened::Foreign(why)) => {
                let aside = self.file().with_extension(format!("damaged-{}", self.now.format("%Y%m%dT%H%M%SZ")));
                let moved = fs::rename(self.file(), &aside);
                let kept =
                    if moved.is_ok() { format!("; it was set aside as {}", aside.display()) } else { String::new() };
                tracing::warn!(
                    "the kept session of {} cannot be used, so that it is signed out: {why}{kept}",
                    self.lane
                );
                Cookies::new()
            }
        };
        self.hide("kept", &cookies);
        cookies
    }

    /// Puts the cookies that were kept into a browser that has just started.
    pub async fn give_back(&self, visit: &mut Visit<'_>) -> Result<(), Failure> {
        let cookies = self.kept();
        if cookies.is_empty() { Ok(()) } else { visit.give_cookies(cookies).await }
    }

    /// Seals what would die with this browser. When the session ends, as far as its other cookies say.
    pub async fn keep(&self, visit: &mut Visit<'_>) -> Result<Option<DateTime<Utc>>, String> {
        let found = tokio::time::timeout(LIMIT, visit.cookies()).await;
        let found = found.map_err(|_| "the browser does not answer".to_owned())?.map_err(|failure| failure.message)?;
        self.hide("found", &found);
        let lasts = lasts_until(found.values().flatten());
        // An origin that could not be reached keeps what it had.
        let mut dying: Cookies = self.kept().into_iter().filter(|(origin, _)| !found.contains_key(origin)).collect();
        dying.extend(found.into_iter().map(|(origin, cookies)| {
            let dying = cookies.into_iter().filter(|cookie| cookie.expiry.is_none());
            (origin, dying.collect())
        }));
        dying.retain(|_, cookies: &mut Vec<Cookie>| !cookies.is_empty());
        if dying.is_empty() {
            self.forget();
            return Ok(lasts);
        }
        let content = serde_json::to_vec(&dying).map_err(|error| error.to_string())?;
        self.sealer.seal(&self.file(), &self.about(), &content).map_err(|error| error.to_string())?;
        Ok(lasts)
    }

    /// Nobody is signed in there any more, or somebody else: there is nothing to put back.
    pub fn forget(&self) {
        let _ = fs::remove_file(self.file());
    }

    /// Those that a session may hang on are as good as passwords, while they last.
    fn hide(&self, where_from: &str, cookies: &Cookies) {
        let telling = |cookie: &&Cookie| cookie.value.len() >= TELLING && (cookie.http_only || cookie.expiry.is_none());
        let values = cookies.values().flatten().filter(telling).map(|cookie| SecretString::from(cookie.value.clone()));
        self.redactor.set(&format!("{where_from} {}", self.lane), values);
    }
}

/// When a session ends at the latest, by the cookies that scripts do not see: sessions are among those. None where one of them
/// names no end.
fn lasts_until<'c>(cookies: impl Iterator<Item = &'c Cookie>) -> Option<DateTime<Utc>> {
    let ends: Vec<Option<i64>> = cookies.filter(|cookie| cookie.http_only).map(|cookie| cookie.expiry).collect();
    let ends: Option<Vec<i64>> = ends.into_iter().collect();
    DateTime::from_timestamp(ends?.into_iter().max()?, 0)
}

/// When a session is expected to end: as the site's file says, else as its cookies do.
pub(super) fn expected_end(
    site: &Site,
    since: DateTime<Utc>,
    lasts_until: Option<DateTime<Utc>>,
) -> Option<DateTime<Utc>> {
    let stated = site.sign_in.session.and_then(|lasts| TimeDelta::from_std(lasts).ok()).map(|lasts| since + lasts);
    stated.or(lasts_until)
}

/// So long before its end a session is worth a hint; of a short one, for its last quarter.
const HINT: TimeDelta = TimeDelta::days(3);

/// The sessions that are known, as people are told of them.
pub(super) fn sessions(project: &Project, ledger: &Ledger, now: Instant) -> Result<Vec<SessionAge>> {
    let mut all = Vec::new();
    for site in &project.sites {
        for account in &site.accounts {
            all.extend(session(ledger, site, account, now)?);
        }
    }
    Ok(all)
}

fn session(ledger: &Ledger, site: &Site, account: &Account, now: Instant) -> Result<Option<SessionAge>> {
    let lane = Lane { site: site.id.clone(), account: account.id.clone() };
    let Some(kept) = ledger.session(&lane)? else { return Ok(None) };
    let until = expected_end(site, kept.since, kept.lasts_until);
    // Where the runner signs in by itself, the end of a session is nobody's business unless the file says so.
    let matters = site.sign_in.session.is_some() || matches!(site.sign_in.act, Act::Person);
    let ends_soon = until.is_some_and(|until| matters && until - now <= HINT.min((until - kept.since) / 4));
    let (by_person, found) = (kept.origin == SessionOrigin::Person, kept.origin == SessionOrigin::Found);
    let (site, account) = (site.name.clone(), account.id.clone());
    Ok(Some(SessionAge { site, account, since: kept.since, by_person, found, until, ends_soon }))
}

/// How old this account's session is, and when it is expected to end; none where it has none.
pub fn session_line(
    project: &Project,
    ledger: &Ledger,
    site: &Site,
    account: &Account,
    words: &Words,
) -> Result<Option<String>> {
    let age = session(ledger, site, account, ledger.high_water()?.unwrap_or_default())?;
    Ok(age.map(|age| age.line(words, project.settings.timezone)))
}

impl OpenLane<'_> {
    /// The first thing that a new browser gets is what died with the last one.
    pub(super) async fn give_back_session(&mut self, period: crate::timing::Period) -> Result<(), Failure> {
        if self.given_back {
            return Ok(());
        }
        let (world, lane) = (self.world, self.lane.clone());
        Keeper::of(world, &lane).give_back(&mut self.visit(period).await?).await?;
        self.given_back = true;
        Ok(())
    }

    /// Seals what would die with the browser. What goes wrong with that costs a sign-in, and nothing else.
    pub(super) async fn keep_session(&mut self, period: crate::timing::Period) -> Result<()> {
        // A browser that is gone tells nothing: what was sealed before it went is the newest there is.
        if self.browser.as_ref().is_none_or(|browser| browser.is_dead()) {
            return Ok(());
        }
        let (world, lane) = (self.world, self.lane.clone());
        let kept = match self.visit(period).await {
            Ok(mut visit) => Keeper::of(world, &lane).keep(&mut visit).await,
            Err(failure) => Err(failure.message),
        };
        match kept {
            Ok(lasts) => world.ledger.session_lasts(&lane, lasts)?,
            Err(why) => tracing::warn!("the session of {lane} was not kept: {}", world.redactor.redact(&why)),
        }
        Ok(())
    }

    /// What the site says of who is signed in, for the days to come.
    pub(super) async fn note_session(
        &mut self,
        answer: &Answer,
        submitted: bool,
        period: crate::timing::Period,
    ) -> Result<()> {
        let now = self.world.clock.now();
        match answer {
            Answer::Done if submitted => {
                self.world.ledger.signed_in(&self.lane, SessionOrigin::Runner, now)?;
                self.keep_session(period).await
            }
            Answer::Done => Ok(self.world.ledger.signed_in(&self.lane, SessionOrigin::Found, now)?),
            _ if submitted => Ok(()),
            _ => self.session_is_over(),
        }
    }

    /// Nobody is signed in, or somebody else.
    pub(super) fn session_is_over(&self) -> Result<()> {
        Keeper::of(self.world, &self.lane).forget();
        Ok(self.world.ledger.signed_out(&self.lane)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cookie(http_only: bool, expiry: Option<i64>) -> Cookie {
        let text = serde_json::json!({ "name": "a", "value": "b", "httpOnly": http_only, "expiry": expiry });
        serde_json::from_value(text).unwrap()
    }

    #[test]
    fn a_session_lasts_no_longer_than_the_last_of_its_cookies() {
        let until = |cookies: &[Cookie]| lasts_until(cookies.iter()).map(|at| at.timestamp());
        assert_eq!(until(&[]), None);
        assert_eq!(until(&[cookie(false, Some(900)), cookie(true, Some(100)), cookie(true, Some(50))]), Some(100));
        assert_eq!(until(&[cookie(true, Some(100)), cookie(true, None)]), None, "one dies with the browser, or never");
    }
}
