//! The points read-back: the server's own rows for the report, after the work of a lane.

use anyhow::Result;
use rust_decimal::Decimal;

use super::lane::OpenLane;
use super::perform::failure_of;
use super::scope::scope;
use crate::files::model::Section;
use crate::ledger::PointsRead;
use crate::run::{Failure, FailureKind, Policy, Reading};
use crate::secrets::Redact;
use crate::timing::Period;
use crate::values::Value;

/// The feed's name in the ledger.
pub(super) const FEED: &str = "points";

impl OpenLane<'_> {
    /// Reads the site's points for this period and keeps the rows. What could not be read is kept as incomplete, never
    /// as 0. A suspended account, or one that is not signed in, is left alone.
    pub(super) async fn read_points(&mut self, period: Period) -> Result<()> {
        let Some(section) = &self.site.points else { return Ok(()) };
        let world = self.world;
        let suspended = world.ledger.suspended_by(&self.lane)?;
        let cooling = world.ledger.site_wait(&self.lane.site, world.clock.now())?;
        let read = match (suspended, cooling) {
            (Some(ticket), _) => Err(Failure::new(FailureKind::Login, format!("not read: ticket #{ticket} is open"))),
            (None, Some(wait)) => {
                Err(Failure::new(FailureKind::RateLimited, format!("not read: the site says {}", wait.kind)))
            }
            (None, None) if !self.session.is_signed_in() => {
                Err(Failure::new(FailureKind::SessionExpired, "not read: nobody is signed in"))
            }
            (None, None) => self.read_here(section, period).await?,
        };
        let at = world.clock.now();
        let (balance, incomplete) = match read {
            Ok(reading) => {
                world.ledger.block_passed(&self.lane, None, at)?;
                if let Some(Value::Rows(rows)) = reading.values.get("details") {
                    let rows = rows.rows.clone().redacted(world.redactor);
                    world.ledger.keep_rows(&self.lane, FEED, period.day, &rows, at)?;
                }
                (balance(&reading), None)
            }
            Err(failure) => (None, Some(format!("{}: {}", failure.kind, failure.message))),
        };
        world.ledger.keep_points_read(&self.lane, period.day, &PointsRead { at, balance, incomplete })?;
        Ok(())
    }

    /// The read itself. A page that asks for a person, or to be left alone, says so to the whole lane.
    async fn read_here(&mut self, section: &Section, period: Period) -> Result<Result<Reading, Failure>> {
        let world = self.world;
        let read = self.read_rows(section, period).await.map_err(|failure| failure.redacted(world.redactor));
        if let Err(failure) = &read
            && (failure.kind.needs_person() || failure.kind.policy() == Policy::SiteWaits)
        {
            self.take_in(None, failure, world.clock.now())?;
        }
        Ok(read)
    }

    async fn read_rows(&mut self, section: &Section, period: Period) -> Result<Reading, Failure> {
        let scope = scope(&period, self.account, &self.credentials, None);
        let limit = self.limit(std::time::Duration::from_secs(180));
        let control = self.world.control;
        let mut visit = self.visit(period).await?;
        match control.in_time(limit, visit.read_section(section, scope)).await {
            Ok(read) => read.map_err(failure_of),
            Err(cut) => {
                self.end_browser().await;
                Err(cut.failure(limit))
            }
        }
    }
}

/// The balance that the site shows, if it was read. A rounded one is not a number to reckon with.
fn balance(reading: &Reading) -> Option<Decimal> {
    match reading.values.get("balance") {
        Some(Value::Number(number)) if !number.rounded => Some(number.value),
        _ => None,
    }
}
