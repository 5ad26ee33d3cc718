//! `sunup serve`: the daemon.

use std::sync::Arc;

use anyhow::{Context, Result};

use super::exit::Exit;
use super::{Common, folders, status};
use crate::clock::{Clock, SystemClock};
use crate::ledger::Ledger;
use crate::runner::{Quiet, end_orphans};
use crate::secrets::Redactor;
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
    let (desk, _front) = Desk::open(Health::at_start(project.clone(), clock.now()));
    let place = Place { data, clock: &clock, redactor, watch: &Quiet };
    let systemd = Systemd::named_by(|name| std::env::var(name).ok());
    Daemon::new(place, (project, watched), desk, calls, systemd).run().await?;
    Ok(Exit::Ok)
}
