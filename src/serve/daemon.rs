//! The daemon's life: rounds and sleep, until it is told to stop.

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use anyhow::Result;
use tokio::sync::mpsc;

use super::due::LOOK_AGAIN;
use super::ordered::Ordered;
use super::sleep::Woke;
use super::{Call, Desk, Systemd, Watched};
use crate::clock::{Clock, Instant};
use crate::files::model::Project;
use crate::run::Source;
use crate::runner::{Watch, plan};
use crate::secrets::Redactor;

/// Where the daemon works.
pub struct Place<'a> {
    /// The data folder.
    pub data: PathBuf,
    /// The time.
    pub clock: &'a dyn Clock,
    /// Knows every secret.
    pub redactor: &'a Redactor,
    /// Who watches.
    pub watch: &'a dyn Watch,
}

/// The scheduler.
pub struct Daemon<'a> {
    pub(super) place: Rc<Place<'a>>,
    pub(super) project: Arc<Project>,
    watched: Watched,
    pub(super) desk: Desk,
    pub(super) calls: mpsc::Receiver<Call>,
    pub(super) systemd: Systemd,
    pub(super) ordered: Ordered,
    pub(super) stopped: bool,
    /// The next slot that no round has looked at from its beginning. One that comes in the middle of a round stays this: the
    /// round may be past its morning already.
    pub(super) slot: Option<Instant>,
}

impl<'a> Daemon<'a> {
    /// A daemon by these files, which takes orders at this desk.
    pub fn new(
        place: Place<'a>,
        (project, watched): (Arc<Project>, Watched),
        desk: Desk,
        calls: mpsc::Receiver<Call>,
        systemd: Systemd,
    ) -> Self {
        let ordered = Ordered::default();
        Daemon { place: Rc::new(place), project, watched, desk, calls, systemd, ordered, stopped: false, slot: None }
    }

    /// Serves until it is told to stop.
    pub async fn run(mut self) -> Result<()> {
        self.systemd.ready();
        let mut source = self.at_start();
        loop {
            let mut next_round = self.round(Vec::new(), source).await;
            loop {
                while !self.stopped && self.ordered.is_waiting() {
                    let tasks = self.ordered.take();
                    next_round = self.round(tasks, Source::Api).await;
                }
                if self.stopped {
                    self.systemd.stopping();
                    return Ok(());
                }
                self.rests_until(next_round);
                match self.sleep(next_round).await {
                    Woke::Due(by) => {
                        source = by;
                        break;
                    }
                    Woke::Ordered(order) => self.take_order(order).await,
                    Woke::Stopped => self.stopped = true,
                }
            }
        }
    }

    /// What the first round is: making up for a slot that was passed before, or nothing out of the ordinary.
    fn at_start(&self) -> Source {
        let now = self.seen();
        let passed = plan(&self.project, now).iter().any(|planned| planned.rules.late_after < now);
        if passed { Source::CatchUp } else { Source::Schedule }
    }

    /// Looks at the files; true when new ones were taken in. Faulty ones change nothing, and are told of once.
    pub(super) fn look_at_files(&mut self, in_any_case: bool) -> bool {
        let (fault, taken) = match self.watched.look(in_any_case) {
            None => return false,
            Some(Ok(project)) => {
                self.project = Arc::new(project);
                tracing::info!("the files have changed, and are taken in");
                (None, true)
            }
            Some(Err(faults)) => {
                let faults = faults.render(false);
                tracing::warn!("the files have changed and are faulty; those from before stay in use:\n{faults}");
                (Some(faults), false)
            }
        };
        let project = self.project.clone();
        self.desk.health.send_modify(|health| {
            health.files_fault = fault;
            health.project = project;
        });
        taken
    }

    /// Looks at the clock, and lets everybody know that it does not hang.
    pub(super) fn seen(&self) -> Instant {
        let now = self.place.clock.now();
        self.systemd.alive();
        self.desk.health.send_modify(|health| health.seen_at = now);
        now
    }

    fn rests_until(&self, next_round: Instant) {
        self.desk.health.send_modify(|health| health.next_round = Some(next_round));
        let local = next_round.with_timezone(&self.project.settings.timezone);
        let line = format!("next look at {}", local.format("%Y-%m-%d %H:%M:%S %Z"));
        self.systemd.status(&line);
        tracing::info!("{line}");
    }

    /// A round came to grief: the next one is the next look.
    pub(super) fn after_fault(&self) -> Instant {
        self.place.clock.now() + LOOK_AGAIN
    }
}
