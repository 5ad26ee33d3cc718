//! The API and the status page, on loopback only.
//!
//! ```text
//! connection ─> guard (Host, Origin, token or cookie) ─> route ─> read connection of the ledger ─> JSON or a page
//!                                                           └───> an order at the daemon's front ─> its answers
//! ```
//!
//! The daemon works on one thread with a connection of its own; nothing here touches that. Each request that reads opens
//! the ledger for reading, on a thread that may block.

mod api;
mod board;
mod door;
mod guard;
mod health;
mod listen;
mod metrics;
mod pages;
mod problem;
mod render;
mod routes;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use tokio::net::TcpListener;

pub use door::{NoLink, make_link};
pub use routes::routes;

use self::door::Door;
use self::guard::Hosts;
use self::problem::Problem;
use super::Front;
use crate::clock::Clock;
use crate::files::model::Project;
use crate::ledger::Ledger;
use crate::secrets::Redactor;

/// What the API and the page are made of.
pub struct Server {
    front: Front,
    data: PathBuf,
    clock: Arc<dyn Clock>,
    redactor: Redactor,
    door: Door,
}

/// A server at its address.
struct Shared {
    server: Server,
    hosts: Hosts,
}

type App = Arc<Shared>;

impl Server {
    /// A server for this data folder. At the first start it makes the token that opens it; the redactor knows that from
    /// now on.
    pub fn new(front: Front, data: &Path, clock: Arc<dyn Clock>, redactor: &Redactor) -> Result<Self> {
        let door = Door::of(data, redactor)?;
        Ok(Server { front, data: data.to_path_buf(), clock, redactor: redactor.clone(), door })
    }

    /// Answers until this is dropped. `sunup open` finds the address in the data folder meanwhile.
    pub async fn serve(self, listener: TcpListener) -> Result<()> {
        let address = listener.local_addr().context("the status page has no address")?;
        anyhow::ensure!(address.ip().is_loopback(), "the status page listens on loopback only, not on {address}");
        let _told = self.door.tell_address(address)?;
        let shared = Arc::new(Shared { server: self, hosts: Hosts::of(address) });
        listen::listen(listener, routes::router(shared)).await
    }
}

impl Shared {
    /// The files that the daemon works by now.
    fn project(&self) -> Arc<Project> {
        self.server.front.health.borrow().project.clone()
    }

    fn now(&self) -> crate::clock::Instant {
        self.server.clock.now()
    }
}

/// Reads the ledger (none when nothing ever ran), off the threads that must not wait.
async fn read<T: Send + 'static>(
    app: &App,
    work: impl FnOnce(&Project, Option<&Ledger>) -> Result<T> + Send + 'static,
) -> Result<T, Problem> {
    let (project, data) = (app.project(), app.server.data.clone());
    let read = move || {
        let ledger = Ledger::open_to_read(&data)?;
        work(&project, ledger.as_ref())
    };
    in_background(app, read).await
}

/// Does what may wait for the disk, off the threads that must not.
async fn in_background<T: Send + 'static>(
    app: &App,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T, Problem> {
    let done = tokio::task::spawn_blocking(work).await.map_err(anyhow::Error::from).and_then(|done| done);
    done.map_err(|error| {
        let error = app.server.redactor.redact(&format!("{error:#}"));
        tracing::warn!("a request could not be answered: {error}");
        Problem::unavailable(error)
    })
}
