//! Which keys a run looks at: today's, and what is still open of earlier days.

use std::rc::Rc;

use anyhow::Result;

use super::before::waits_for_first_start;
use super::morning::Morning;
use super::plan::Planned;
use crate::clock::Instant;
use crate::ledger::{KeyRow, StatusLine};
use crate::run::{Event, Lane, Status, TaskRun};

impl<'a> Morning<'a> {
    /// Today's keys, as the files ask for them.
    pub(super) fn plan(&self, now: Instant) -> Rc<Vec<Planned<'a>>> {
        self.plan.borrow_mut().at(self.world.project, now)
    }

    /// The same after those of the past that are made up, of one lane or of all. A task that has another name than before
    /// goes on with the key that it has had in this period.
    pub(super) fn planned(&self, lane: Option<&Lane>, now: Instant) -> Result<Vec<Planned<'a>>> {
        let (backlog, plan) = (self.backlog(now)?, self.plan(now));
        let wanted = |key: &&Planned<'a>| lane.is_none_or(|lane| *lane == key.row.lane);
        let mut planned: Vec<Planned<'a>> = backlog.iter().chain(plan.iter()).filter(wanted).cloned().collect();
        for key in &mut planned {
            self.keep_former_key(key, now)?;
        }
        Ok(planned)
    }

    fn keep_former_key(&self, planned: &mut Planned<'a>, now: Instant) -> Result<()> {
        let ledger = self.world.ledger;
        let Some(former) = planned.former_key() else { return Ok(()) };
        let Some(former) = ledger.key(&former)? else { return Ok(()) };
        let Some(own) = ledger.key(&planned.row.key)? else {
            planned.take(&former.row);
            return Ok(());
        };
        // It ran under both names: what was sent under one of them goes on, and nothing is begun under the other.
        let keeps_own = self.was_sent(&own)? && !self.was_sent(&former)?;
        let other = if keeps_own {
            former
        } else {
            planned.take(&former.row);
            own
        };
        if !other.status.is_final() && !self.was_sent(&other)? {
            self.close_key(&other.row, Status::Skipped, "renamed: it goes on under its other name", now)?;
        }
        Ok(())
    }

    fn was_sent(&self, line: &StatusLine) -> Result<bool> {
        Ok(line.status.is_done() || self.world.ledger.sent_intents(&line.row.key)? > 0)
    }

    /// Today's keys, and those of earlier days that are still open; of one lane, or of all.
    pub(super) fn due(&self, lane: Option<&Lane>, now: Instant) -> Result<Vec<Planned<'a>>> {
        let ledger = self.world.ledger;
        let mut keys: Vec<Planned<'a>> = Vec::new();
        let mut planned = self.planned(lane, now)?;
        for line in lane.map_or_else(|| ledger.open_keys(), |lane| ledger.open_keys_of(lane))? {
            let same = |today: &&mut Planned<'a>| today.row.key == line.row.key && today.has_task_of(&line.row);
            if let Some(today) = planned.iter_mut().find(same) {
                // `day` and the period are those of the first time; a week's window is today's.
                today.row.period = line.row.period;
                continue;
            }
            match Planned::again(self.world.project, line.row.clone()) {
                Some(again) => keys.push(again),
                None => self.give_up(&line.row)?,
            }
        }
        keys.extend(planned);
        keys.retain(|key| self.is_asked_for(key));
        // Lane by lane, so that a browser is started once: the order of the files, earlier days first.
        keys.sort_by_key(|key| {
            let site = self.world.project.sites.iter().position(|site| site.id == key.row.lane.site);
            let account = key.site.accounts.iter().position(|account| account.id == key.row.lane.account);
            (site, account)
        });
        Ok(keys)
    }

    /// What the run's time did not suffice for is on record, too, and in the report.
    pub(super) fn record_left_over(&self, now: Instant) -> Result<()> {
        let ledger = self.world.ledger;
        for key in self.due(None, now)? {
            let is_new = key.row.window.slot <= now && ledger.key(&key.row.key)?.is_none();
            if is_new && !waits_for_first_start(ledger, &key, now)? {
                ledger.open_key(&key.row, now)?;
                ledger.record_decision(&key.row.key, self.source, "run_over", now)?;
            }
        }
        Ok(())
    }

    fn is_asked_for(&self, key: &Planned<'_>) -> bool {
        names_task(&self.only, &key.row.lane.site, &key.row.task)
    }

    /// A key whose task file is gone: nothing can be read for it any more.
    fn give_up(&self, row: &KeyRow) -> Result<()> {
        self.close_key(row, Status::Dead, "its task file is gone", self.world.clock.now())
    }

    /// Closes a key that nobody works on any more.
    fn close_key(&self, row: &KeyRow, status: Status, reason: &str, now: Instant) -> Result<()> {
        let mut state = TaskRun::default();
        (state.status, state.reason) = (status, Some(reason.to_owned()));
        let event = Event::Closed { status, reason: reason.to_owned() };
        Ok(self.world.ledger.append(&self.world.run, &row.key, now, &event, &state)?)
    }
}

/// True when these names (`site/task`, `task` or `site`) name this task. No name at all means every task.
pub fn names_task(names: &[String], site: &str, task: &str) -> bool {
    let path = format!("{site}/{task}");
    names.is_empty() || names.iter().any(|name| *name == path || name == task || name == site)
}
