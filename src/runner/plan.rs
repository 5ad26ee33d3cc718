//! Which keys there are now: one for each task and account whose schedule has a window today.

use chrono::{DateTime, Utc};

use crate::files::model::{Project, Site, Task};
use crate::ledger::KeyRow;
use crate::run::{Key, Lane, Rules};
use crate::timing::window_at;

/// One key that the files ask for.
#[derive(Debug, Clone)]
pub struct Planned<'a> {
    /// The key, its period and window.
    pub row: KeyRow,
    /// Its site.
    pub site: &'a Site,
    /// Its task.
    pub task: &'a Task,
    /// What the state machine must know of it.
    pub rules: Rules,
}

impl<'a> Planned<'a> {
    /// A key that was opened before, with the period and the window that were fixed then; none when its files are gone.
    pub fn again(project: &'a Project, row: KeyRow) -> Option<Self> {
        let site = project.sites.iter().find(|site| site.id == row.lane.site)?;
        let task = site.tasks.iter().find(|task| task.id == row.task)?;
        site.accounts.iter().find(|account| account.id == row.lane.account)?;
        let rules = Rules::of(task, row.key.clone(), row.period, row.window, project.settings.timezone);
        Some(Planned { row, site, task, rules })
    }

    /// The task's name, with the account's where the site has several.
    pub(super) fn name(&self) -> String {
        match self.site.accounts.len() {
            0 | 1 => self.task.name.clone(),
            _ => format!("{} ({})", self.task.name, self.row.lane.account),
        }
    }
}

/// The keys of today's windows, lane by lane, each lane's tasks in the order of the files.
pub fn plan(project: &Project, now: DateTime<Utc>) -> Vec<Planned<'_>> {
    let mut planned = Vec::new();
    for site in &project.sites {
        for account in &site.accounts {
            let lane = Lane { site: site.id.clone(), account: account.id.clone() };
            let tasks = site.tasks.iter().filter(|task| task.accounts.contains(&account.id));
            planned.extend(tasks.filter_map(|task| plan_task(project, site, task, &lane, now)));
        }
    }
    planned
}

fn plan_task<'a>(
    project: &Project,
    site: &'a Site,
    task: &'a Task,
    lane: &Lane,
    now: DateTime<Utc>,
) -> Option<Planned<'a>> {
    let zone = project.settings.timezone;
    let schedule = &task.schedule;
    let window = window_at(zone, now, schedule.at, schedule.until, &schedule.days)?;
    // A window never contains the site's reset (refused at load), so that its slot and its end lie in one period.
    let period = site.calendar.period(task.period, window.slot);
    let key = Key::new(&period, lane, &task.id);
    let report_date = window.slot.with_timezone(&zone).date_naive();
    let rules = Rules::of(task, key.clone(), period, window, zone);
    let row = KeyRow { key, lane: lane.clone(), task: task.id.clone(), period, window, report_date };
    Some(Planned { row, site, task, rules })
}

/// The first slot of today: when a rehearsal's morning begins.
pub fn first_slot(project: &Project, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    plan(project, now).iter().map(|planned| planned.rules.window.slot).min()
}
