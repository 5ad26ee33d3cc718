//! Starting the browser of a lane, and ending those that a killed run left.

use std::net::SocketAddr;
use std::path::PathBuf;

use super::kept::profile;
use crate::browser::{RealBrowser, SCRATCH, StartOptions, scratch, sweep};
use crate::files::model::{BrowserSettings, Site};
use crate::ledger::Holder;
use crate::run::{Failure, Lane};

/// The proxy that a rehearsal puts before the browser.
#[derive(Debug, Clone, Copy)]
pub struct Proxy(pub SocketAddr);

/// How this run starts browsers.
#[derive(Debug, Clone)]
pub struct Launcher {
    /// `browser:` of the settings.
    pub settings: BrowserSettings,
    /// The data folder: a profile for each lane stands below it, and what browsers need for a while.
    pub data: PathBuf,
    /// A rehearsal's proxy.
    pub proxy: Option<Proxy>,
    /// This process.
    pub holder: Holder,
}

impl Launcher {
    /// Starts the browser of this lane.
    pub async fn start(&self, site: &Site, lane: &Lane) -> Result<RealBrowser, Failure> {
        RealBrowser::start(StartOptions {
            driver: self.settings.driver.clone(),
            binary: self.settings.binary.clone(),
            headless: self.settings.headless,
            profile: profile(&self.data, lane),
            zone: site.calendar.zone,
            locale: site.locale.clone(),
            viewport: site.viewport,
            proxy: self.proxy.map(|proxy| proxy.0),
            accept_insecure_certs: self.proxy.is_some(),
            scratch: self.scratch(),
            mark: self.holder.mark(),
        })
        .await
    }

    /// Removes the folders into which browsers of killed runs wrote.
    pub fn sweep(&self) {
        scratch::sweep(&self.scratch(), SCRATCH);
    }

    fn scratch(&self) -> PathBuf {
        self.data.join("browsers")
    }
}

/// Ends the drivers and browsers that this process started, at once: it is about to end itself.
pub fn end_browsers_of(holder: &Holder) {
    let own = holder.mark();
    sweep::sweep(|mark| mark == own);
}

/// Ends the drivers and browsers that killed runs of this machine left behind.
pub fn end_orphans() {
    let groups = sweep::sweep(|mark| Holder::of_mark(mark).is_some_and(|holder| holder.is_dead()));
    if groups > 0 {
        tracing::warn!(groups, "ended the browsers of a killed run");
    }
}
