//! Days on which nobody was there: each slot that was passed as a whole leaves a line, and the report says so.

use anyhow::Result;
use chrono::{Days, NaiveDate, TimeDelta};

use super::due::names_task;
use super::morning::Morning;
use super::plan::{Planned, plan_slot};
use crate::clock::Instant;
use crate::files::model::{Site, Strategy, Task};
use crate::run::{Key, Lane, Status};

/// Slots before this are not told of one by one.
const DAYS: u64 = 31;
/// And never more of them for one task and account: one that polls has hundreds a day.
const KEYS: usize = 31;
/// What is missed between two runs that are no further apart is found by a later one.
const LOOK_AGAIN: TimeDelta = TimeDelta::hours(1);

impl<'a> Morning<'a> {
    /// Closes, as missed, the keys that would have been opened while nobody was there. A task that has no key on record was
    /// not there itself; what is older than the last loss of the ledger may have been on record.
    pub(super) fn record_missed(&self, now: Instant) -> Result<()> {
        let ledger = self.world.ledger;
        let all = self.only.is_empty();
        let looked = ledger.looked_for_passed()?.filter(|_| all);
        let just_looked = looked.is_some_and(|at| (at..at + LOOK_AGAIN).contains(&now));
        if just_looked || self.world.clock_fault()?.is_some() {
            return Ok(());
        }
        let planned = self.planned(None, now)?;
        let lost = ledger.losses()?.last().map(|loss| loss.found_at);
        let today = |key: &Key| planned.iter().any(|planned| planned.row.key == *key);
        for site in &self.world.project.sites {
            let tasks = site.tasks.iter().filter(|task| names_task(&self.only, &site.id, &task.id));
            // Of these each period is made up.
            for task in tasks.filter(|task| task.schedule.catch_up.strategy != Strategy::Each) {
                for account in &task.accounts {
                    let lane = Lane { site: site.id.clone(), account: account.clone() };
                    let mut missed = self.missed(site, task, &lane, now)?;
                    missed.retain(|key| !today(&key.row.key) && lost.is_none_or(|lost| key.row.window.slot > lost));
                    self.close_missed(missed, now)?;
                }
            }
        }
        if all { Ok(ledger.note_look_for_passed(now)?) } else { Ok(()) }
    }

    /// The keys of a task since its last one on record, oldest first, whose windows are all over.
    fn missed(&self, site: &'a Site, task: &'a Task, lane: &Lane, now: Instant) -> Result<Vec<Planned<'a>>> {
        let project = self.world.project;
        let slots = project.slots(site, task);
        let today = now.with_timezone(&project.settings.timezone).date_naive();
        let mut missed: Vec<Planned<'a>> = Vec::new();
        for date in (0..=DAYS).filter_map(|days| today.checked_sub_days(Days::new(days))) {
            for slot in slots.with_keys(date).iter().rev() {
                let key = plan_slot(&slots, site, task, lane, slot);
                let known = missed.last().is_some_and(|later| later.row.key == key.row.key);
                if known || key.rules.closes_at.is_none_or(|end| now < end) {
                    continue;
                }
                if self.is_on_record(&key)? {
                    missed.reverse();
                    return Ok(missed);
                }
                if missed.len() == KEYS {
                    return self.only_the_last(missed, date);
                }
                missed.push(key);
            }
        }
        self.only_the_last(missed, today - Days::new(DAYS))
    }

    /// There are more than are told of one by one, or the task had no key before.
    fn only_the_last(&self, mut missed: Vec<Planned<'a>>, since: NaiveDate) -> Result<Vec<Planned<'a>>> {
        let Some(last) = missed.first() else { return Ok(missed) };
        if !self.world.ledger.has_key_before(&last.row.lane, &last.task.id, last.former_task(), since)? {
            return Ok(Vec::new());
        }
        tracing::warn!("{}: nobody was there on days before {since} either", last.site.task_path(last.task));
        missed.reverse();
        Ok(missed)
    }

    fn is_on_record(&self, key: &Planned<'a>) -> Result<bool> {
        let ledger = self.world.ledger;
        let former = key.former_key().map(|former| ledger.key(&former)).transpose()?.flatten();
        Ok(former.is_some() || ledger.key(&key.row.key)?.is_some())
    }

    fn close_missed(&self, missed: Vec<Planned<'a>>, now: Instant) -> Result<()> {
        let closed = missed.into_iter().map(|key| {
            let reason = key.skip.map_or_else(|| "missed".to_owned(), |skip| skip.to_string());
            (key.row, reason)
        });
        let closed: Vec<_> = closed.collect();
        Ok(self.world.ledger.close_passed(&self.world.run, &closed, Status::Skipped, now)?)
    }
}
