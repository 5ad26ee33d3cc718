//! `catch_up: each`: the periods of the past that are missing, a few of them in each run, in today's window.

use anyhow::Result;
use chrono::Days;

use super::due::names_task;
use super::morning::Morning;
use super::plan::{Planned, plan_slot};
use crate::clock::Instant;
use crate::files::model::{Project, Site, Strategy, Task};
use crate::ledger::Ledger;
use crate::run::{Lane, Rules, Status};

/// No run looks further back than this, whatever `since` says: ten years.
const DAYS: u64 = 3_660;

impl<'a> Morning<'a> {
    /// The keys that this run makes up; those of its first look stay its own, so that they are no more than `batch`.
    pub(super) fn backlog(&self, now: Instant) -> Result<&[Planned<'a>]> {
        if let Some(backlog) = self.backlog.get() {
            return Ok(backlog);
        }
        let (project, ledger) = (self.world.project, self.world.ledger);
        let mut backlog = Vec::new();
        for site in &project.sites {
            for task in site.tasks.iter().filter(|task| names_task(&self.only, &site.id, &task.id)) {
                for account in &task.accounts {
                    let lane = Lane { site: site.id.clone(), account: account.clone() };
                    backlog.extend(missing(project, ledger, site, task, &lane, now)?);
                }
            }
        }
        Ok(self.backlog.get_or_init(|| backlog))
    }
}

/// The oldest periods of a task, `batch` at the most, that nobody has begun, each with today's window.
fn missing<'a>(
    project: &Project,
    ledger: &Ledger,
    site: &'a Site,
    task: &'a Task,
    lane: &Lane,
    now: Instant,
) -> Result<Vec<Planned<'a>>> {
    let catch_up = task.schedule.catch_up;
    if catch_up.strategy != Strategy::Each {
        return Ok(Vec::new());
    }
    let slots = project.slots(site, task);
    let today = slots.at(now).filter(|slot| slot.runs() && now < slot.window.until);
    let (Some(since), Some(today)) = (catch_up.since, today) else {
        return Ok(Vec::new());
    };
    // What was done before a loss of the ledger may not be on record.
    let lost = ledger.losses()?.last().map(|loss| loss.found_at);
    let first = since.max(today.date - Days::new(DAYS));
    let mut missing: Vec<Planned<'a>> = Vec::new();
    for slot in first.iter_days().take_while(|date| *date <= today.date).flat_map(|date| slots.on(date)) {
        if missing.len() as u64 >= u64::from(catch_up.batch) {
            break;
        }
        let mut key = plan_slot(&slots, site, task, lane, &slot);
        let period = key.row.period;
        let is_past = period.to <= today.window.slot && lost.is_none_or(|lost| lost < period.from);
        let is_known = missing.iter().any(|other| other.row.key == key.row.key);
        if is_past && !is_known && period.start >= since && slot.runs() && !is_begun(ledger, &key)? {
            (key.row.window, key.row.report_date) = (today.window, today.date);
            key.rules = Rules::of(task, key.row.key.clone(), period, today.window, &slots);
            missing.push(key);
        }
    }
    Ok(missing)
}

/// True when this key is another task's, or anything was done for it, be it under its task's former name.
fn is_begun(ledger: &Ledger, key: &Planned<'_>) -> Result<bool> {
    if key.former_key().map(|former| ledger.key(&former)).transpose()?.flatten().is_some() {
        return Ok(true);
    }
    let line = ledger.key(&key.row.key)?;
    Ok(line.is_some_and(|line| line.status != Status::Pending || line.due.is_some() || !key.has_task_of(&line.row)))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use rusqlite::Connection;

    use super::*;
    use crate::files::load;
    use crate::run::{Event, TaskRun};
    use crate::timing::PeriodKind;

    struct Stage {
        folder: tempfile::TempDir,
        ledger: Ledger,
        project: Project,
    }

    impl Stage {
        /// The example's check-in, each day since this one.
        fn since(since: &str) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let ledger = Ledger::open_at(folder.path(), at("2026-11-01T00:00:00Z")).unwrap();
            let mut project = load(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
            let catch_up = &mut project.sites[0].tasks[0].schedule.catch_up;
            (catch_up.strategy, catch_up.since) = (Strategy::Each, Some(since.parse().unwrap()));
            Stage { folder, ledger, project }
        }

        fn missing(&self, now: &str) -> Vec<Planned<'_>> {
            let site = &self.project.sites[0];
            let lane = Lane { site: site.id.clone(), account: site.accounts[0].id.clone() };
            missing(&self.project, &self.ledger, site, &site.tasks[0], &lane, at(now)).unwrap()
        }

        fn periods(&self, now: &str) -> Vec<String> {
            self.missing(now).iter().map(|key| key.row.period.name()).collect()
        }

        fn closes(&self, key: &Planned<'_>, status: Status) {
            self.ledger.open_key(&key.row, key.row.window.slot).unwrap();
            let event = Event::Closed { status, reason: "so".into() };
            let state = TaskRun::over_as(status, Some("so".into()));
            self.ledger.append("run", &key.row.key, key.row.window.slot, &event, &state).unwrap();
        }
    }

    fn at(text: &str) -> Instant {
        text.parse().unwrap()
    }

    /// Six and a bit in Shanghai, on 30 November.
    const MORNING: &str = "2026-11-29T22:05:00Z";

    #[test]
    fn the_oldest_missing_days_come_first_and_no_more_of_them_than_a_batch() {
        let stage = Stage::since("2026-11-20");
        assert_eq!(stage.periods(MORNING), ["2026-11-20", "2026-11-21", "2026-11-22"]);
        stage.closes(&stage.missing(MORNING)[1], Status::Dead);
        stage.closes(&stage.missing(MORNING)[0], Status::Success);
        assert_eq!(stage.periods(MORNING), ["2026-11-22", "2026-11-23", "2026-11-24"]);
        // Open, and never tried: it is still missing.
        let key = stage.missing(MORNING).remove(0);
        stage.ledger.open_key(&key.row, at(MORNING)).unwrap();
        assert_eq!(stage.periods(MORNING)[0], "2026-11-22");
    }

    #[test]
    fn today_is_not_missing_and_nothing_is_made_up_outside_of_the_window() {
        let stage = Stage::since("2026-11-29");
        assert_eq!(stage.periods(MORNING), ["2026-11-29"]);
        assert!(stage.periods("2026-11-30T15:30:00Z").is_empty(), "after `until`");
        assert!(Stage::since("2026-11-30").periods(MORNING).is_empty());
        let mut latest = Stage::since("2026-11-20");
        latest.project.sites[0].tasks[0].schedule.catch_up.strategy = Strategy::Latest;
        assert!(latest.periods(MORNING).is_empty());
    }

    #[test]
    fn a_week_is_made_up_once() {
        let mut stage = Stage::since("2026-11-16");
        stage.project.sites[0].tasks[0].period = PeriodKind::Week;
        assert_eq!(stage.periods(MORNING), ["2026-W47", "2026-W48"]);
    }

    #[test]
    fn none_of_the_time_before_the_ledger_was_lost_is_made_up() {
        let stage = Stage::since("2026-11-20");
        let connection = Connection::open(stage.folder.path().join("ledger.db")).unwrap();
        let sql = "INSERT INTO losses (found_at, kind, reason) VALUES ('2026-11-26T12:00:00.000Z', 'gone', 'it was')";
        connection.execute(sql, []).unwrap();
        assert_eq!(stage.periods(MORNING), ["2026-11-27", "2026-11-28", "2026-11-29"]);
    }

    #[test]
    fn a_made_up_key_has_its_own_period_and_today_s_window() {
        let stage = Stage::since("2026-11-20");
        let key = stage.missing(MORNING).remove(0);
        assert_eq!(key.row.key.as_str(), "2026-11-20:community/checkin@main");
        assert_eq!(key.row.period.day.to_string(), "2026-11-20");
        assert_eq!(
            (key.row.window.slot, key.row.report_date.to_string()),
            (at("2026-11-29T22:00:00Z"), "2026-11-30".into())
        );
        assert!(key.rules.is_past() && key.rules.closes_at == Some(key.row.window.until));
        assert_eq!(key.rules.late_after, key.row.period.to, "it is late");
        // The next day it is folded by its row, until it is planned again.
        let again = Planned::again(&stage.project, key.row.clone()).unwrap();
        assert_eq!((again.rules.is_past(), again.rules.closes_at), (true, key.rules.closes_at));
    }
}
