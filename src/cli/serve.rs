//! `sunup serve`: the daemon.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context, Result};
use tokio::net::TcpListener;

use super::exit::Exit;
use super::{Common, folders, status};
use crate::clock::{Clock, SystemClock};
use crate::ledger::Ledger;
use crate::runner::{Quiet, end_orphans};
use crate::secrets::Redactor;
use crate::serve::http::Server;
use crate::serve::{Daemon, Desk, Health, Lock, LockAnswer, Place, Systemd, Watched, listen};

/// What is logged when `SUNUP_LOG` says nothing: when it looks next, and what was reported.
pub(super) const LOGGED: &str = "warn,sunup::serve=info";

/// Serves until a signal stops it.
pub(super) async fn serve(common: &Common, redactor: &Redactor) -> Result<Exit> {
    let settings = match folders::config(common) {
        Ok(settings) => settings,
        Err(why) => {
            eprintln!("sunup: {why}");
            return Ok(Exit::Config);
        }
    };
    let (project, watched) = match Watched::load(&settings) {
        Ok(loaded) => loaded,
        Err(faults) => {
            folders::tell(&faults, common.json);
            return Ok(Exit::Config);
        }
    };
    let data = folders::data(common).map_err(anyhow::Error::msg)?;
    let clock = SystemClock::new();
    // It makes the folder, and refuses what cannot be worked with, before anything waits for it.
    status::tell_losses(&Ledger::open(&data)?, &project)?;
    let _alone = match Lock::take(&data, clock.now()).with_context(|| format!("{}/serve.lock", data.display()))? {
        LockAnswer::Taken(lock) => lock,
        LockAnswer::Held(holder) => {
            eprintln!("sunup: another daemon serves {} already: {holder}. End that one first.", data.display());
            return Ok(Exit::Usage);
        }
    };
    let calls = listen().context("signals cannot be received")?;
    end_orphans();
    let project = Arc::new(project);
    let (desk, front) = Desk::open(Health::at_start(project.clone(), clock.now()));
    let page = Server::new(front, &data, Arc::new(SystemClock::new()), redactor)?;
    let page = tokio::spawn(show(page, project.settings.serve.listen));
    let place = Place { data, clock: &clock, redactor, watch: &Quiet };
    let systemd = Systemd::named_by(|name| std::env::var(name).ok());
    let served = Daemon::new(place, (project, watched), desk, calls, systemd).run().await;
    page.abort();
    // It takes its address out of the data folder.
    let _ = page.await;
    served.map(|()| Exit::Ok)
}

/// Answers the API and the status page. Where they cannot be served, the mornings come all the same.
async fn show(page: Server, address: SocketAddr) {
    let shown = async { page.serve(TcpListener::bind(address).await?).await };
    if let Err(error) = shown.await {
        tracing::error!(
            "the status page is not shown at {address}: {error:#}; choose another address with `serve: {{ listen }}` in sunup.yaml"
        );
    }
}
