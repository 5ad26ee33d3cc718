//! The stage of a rehearsal: fixture sites behind the proxy, and a clock that starts at today's first slot.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};

use super::exit::Exit;
use crate::clock::{Clock, Instant, RehearsalClock, SystemClock};
use crate::files::model::Project;
use crate::fixture::{self, FRESH, RehearsedSite};
use crate::report::Rehearsal;
use crate::runner::first_slot;

/// Looks, before anything is made, whether the scenario can be rehearsed: else says why not, and what to do.
pub(super) fn check(project: &Project, scenario: Option<&str>) -> Result<(), Exit> {
    let known = fixture::scenarios(&fixtures(project), &sites(project)).map_err(|error| {
        eprintln!("sunup: {error:#}");
        Exit::Config
    })?;
    let Some(unknown) = scenario.filter(|name| !known.contains_key(*name)) else { return Ok(()) };
    eprintln!("sunup: {}", fixture::unknown_scenario(unknown, &known));
    Err(Exit::Usage)
}

fn fixtures(project: &Project) -> PathBuf {
    project.root.join("fixtures")
}

fn sites(project: &Project) -> Vec<RehearsedSite> {
    let sites = project.sites.iter();
    let rehearsed =
        sites.map(|site| RehearsedSite { id: site.id.clone(), origins: site.origins.clone(), calendar: site.calendar });
    rehearsed.collect()
}

/// A rehearsal that is under way.
pub(super) struct Stage {
    rehearsal: fixture::Rehearsal,
    scenario: String,
    fixtures: PathBuf,
    clock: Arc<RehearsalClock>,
}

impl Stage {
    /// Starts the fixture sites of this project. The clock starts at today's first slot, or where the ledger of an earlier
    /// rehearsal in the same data folder ended.
    pub async fn set(project: &Project, scenario: Option<&str>, data: &Path, last: Option<Instant>) -> Result<Self> {
        let today = SystemClock::new().now();
        let slot = first_slot(project, today).context("no task has a slot today: there is nothing to rehearse")?;
        let clock = Arc::new(RehearsalClock::starting_at(last.map_or(slot, |last| last.max(slot))));
        let fixtures = fixtures(project);
        let scenario = scenario.unwrap_or(FRESH).to_owned();
        let state = data.join("sites");
        let rehearsal =
            fixture::Rehearsal::start(&fixtures, &scenario, &sites(project), clock.clone(), Some(&state)).await?;
        Ok(Stage { rehearsal, scenario, fixtures, clock })
    }

    /// The proxy that the browser goes through.
    pub fn proxy(&self) -> SocketAddr {
        self.rehearsal.proxy_addr()
    }

    /// The folder of the fixtures.
    pub fn fixtures(&self) -> &Path {
        &self.fixtures
    }

    /// The rehearsal's own clock.
    pub fn clock(&self) -> Arc<dyn Clock> {
        self.clock.clone()
    }

    /// What the report says of it.
    pub fn told(&self) -> Rehearsal {
        Rehearsal { scenario: Some(self.scenario.clone()), refused_hosts: self.rehearsal.refused() }
    }

    /// Ends it. A rehearsal whose fixtures were at fault proves nothing, and says so.
    pub async fn end(self) -> Result<()> {
        let faults = self.rehearsal.faults();
        self.rehearsal.shutdown().await;
        ensure!(
            faults.is_empty(),
            "the fixtures are at fault, so this rehearsal proves nothing:\n{}",
            faults.join("\n")
        );
        Ok(())
    }
}
