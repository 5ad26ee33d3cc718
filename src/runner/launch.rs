//! Starting the browser of a lane.

use std::net::SocketAddr;
use std::path::PathBuf;

use crate::browser::{Firefox, StartOptions};
use crate::files::model::{BrowserSettings, Site};
use crate::run::{Failure, Lane};

/// The proxy that a rehearsal puts before the browser.
#[derive(Debug, Clone, Copy)]
pub struct Proxy(pub SocketAddr);

/// How this run starts browsers. Profiles stand below the data folder, one for each lane.
#[derive(Debug, Clone)]
pub struct Launcher {
    /// `browser:` of the settings.
    pub settings: BrowserSettings,
    /// The folder of the profiles.
    pub profiles: PathBuf,
    /// A rehearsal's proxy.
    pub proxy: Option<Proxy>,
    /// The id of the run, by which orphans are recognised.
    pub mark: String,
}

impl Launcher {
    /// Starts the browser of this lane.
    pub async fn start(&self, site: &Site, lane: &Lane) -> Result<Firefox, Failure> {
        Firefox::start(StartOptions {
            driver: self.settings.driver.clone(),
            binary: self.settings.binary.clone(),
            headless: self.settings.headless,
            profile: self.profiles.join(&lane.site).join(&lane.account),
            zone: site.calendar.zone,
            locale: site.locale.clone(),
            viewport: site.viewport,
            proxy: self.proxy.map(|proxy| proxy.0),
            accept_insecure_certs: self.proxy.is_some(),
            mark: self.mark.clone(),
        })
        .await
    }
}
