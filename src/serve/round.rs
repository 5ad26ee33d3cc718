//! One round of the daemon, with what happens meanwhile: orders, signals, slots that come.

use std::pin::pin;
use std::time::Duration;

use anyhow::Result;
use chrono::TimeDelta;

use super::daemon::{Daemon, Place};
use super::due::{next_round, next_slot};
use super::{Call, RunNow};
use crate::clock::Instant;
use crate::files::model::Project;
use crate::ledger::Ledger;
use crate::run::Source;
use crate::runner::{Control, Done, Round};
use crate::secrets::Resolver;

/// How often the daemon says that it lives while a round is under way.
const TICK: TimeDelta = TimeDelta::seconds(30);

/// A round that was told to stop, and has not ended after this, is left: its browsers are killed with it, its leases end with
/// this process.
const STOP_LIMIT: Duration = Duration::from_secs(25);

impl Daemon<'_> {
    /// Makes one round. When the next one begins.
    pub(super) async fn round(&mut self, only: Vec<String>, source: Source) -> Instant {
        self.look_at_files(false);
        let began = self.seen();
        if only.is_empty() {
            self.slot = next_slot(&self.project, began);
        }
        self.desk.health.send_modify(|health| {
            (health.in_round, health.round_began, health.next_round) = (true, Some(began), None);
        });
        let ended = self.work(only, source).await;
        let now = self.seen();
        let (next, fault) = match ended {
            Ok(next) => (next, None),
            Err(error) => {
                let fault = self.place.redactor.redact(&format!("{error:#}"));
                tracing::error!("{fault}");
                (self.after_fault(), Some(fault))
            }
        };
        self.desk.health.send_modify(|health| {
            (health.in_round, health.round_ended, health.round_fault) = (false, Some(now), fault);
        });
        next
    }

    async fn work(&mut self, only: Vec<String>, source: Source) -> Result<Instant> {
        let project = self.project.clone();
        // Opened for each round: between two of them others may examine it, and what became of it is seen.
        let ledger = Ledger::open_at(&self.place.data, self.place.clock.now())?;
        let resolver = Resolver::new(&project.root, std::env::vars_os(), self.place.redactor.clone());
        let control = Control::default();
        let place = self.place.clone();
        let faulty_files = self.desk.health.borrow().files_fault.clone();
        let round = Round { faulty_files, ..of(&place, &project, &ledger, &resolver, &control) };
        let done = self.meanwhile(&round, &only, source).await;
        self.ordered.round_is_over();
        if let Some(done) = done {
            self.tell(&done?);
        }
        next_round(&project, &ledger, self.place.clock.now())
    }

    /// Lets the round go on, and sees to what comes meanwhile. None when it had to be left.
    async fn meanwhile(&mut self, round: &Round<'_>, only: &[String], source: Source) -> Option<Result<Done>> {
        let clock = self.place.clock;
        let mut slot = next_slot(round.project, clock.now());
        let mut work = pin!(round.run(only.to_vec(), source));
        let mut overdue = pin!(async {
            round.control.stopped().await;
            clock.sleep_real(STOP_LIMIT).await;
        });
        loop {
            let tick = clock.now() + TICK;
            let tick = slot.map_or(tick, |slot| slot.min(tick));
            tokio::select! {
                biased;
                done = &mut work => return Some(done),
                () = &mut overdue => {
                    tracing::warn!("the round did not end in time, and is left");
                    return None;
                }
                Some(call) = self.calls.recv() => if call == Call::Stop {
                    self.stopped = true;
                    self.systemd.stopping();
                    round.control.stop();
                },
                Some(order) = self.desk.orders.recv(), if !self.stopped => {
                    self.ordered.answer(round, Some(only), order).await;
                }
                () = clock.sleep_until(tick) => {
                    let now = self.seen();
                    if slot.is_some_and(|slot| slot <= now) {
                        // The keys of a slot that comes now belong to this very round.
                        round.control.look_again();
                        slot = next_slot(round.project, now);
                    }
                }
            }
        }
    }

    /// Answers an order that came while nothing was under way; what it starts stands in `ordered` then.
    pub(super) async fn take_order(&mut self, order: RunNow) {
        self.look_at_files(false);
        let project = self.project.clone();
        let ledger = match Ledger::open_at(&self.place.data, self.place.clock.now()) {
            Ok(ledger) => ledger,
            Err(error) => return tracing::error!("an order was not taken: {error}"),
        };
        let resolver = Resolver::new(&project.root, std::env::vars_os(), self.place.redactor.clone());
        let control = Control::default();
        let place = self.place.clone();
        let round = of(&place, &project, &ledger, &resolver, &control);
        self.ordered.answer(&round, None, order).await;
    }

    fn tell(&self, done: &Done) {
        for (lane, holder) in &done.outcome.others_at_work {
            tracing::info!("{lane} was left to {holder}");
        }
        if let Some(report) = &done.kept {
            tracing::info!(date = %report.date, number = report.number, "report: {}", report.subject);
        }
        for mail in &done.undelivered {
            tracing::warn!("the mail to {} is {}: {}", mail.recipient, mail.state.word(), mail.reason);
        }
    }
}

fn of<'a>(
    place: &'a Place<'_>,
    project: &'a Project,
    ledger: &'a Ledger,
    resolver: &'a Resolver,
    control: &'a Control,
) -> Round<'a> {
    Round {
        project,
        ledger,
        clock: place.clock,
        data: &place.data,
        resolver,
        redactor: place.redactor,
        watch: place.watch,
        control,
        faulty_files: None,
        rehearsed: None,
    }
}
