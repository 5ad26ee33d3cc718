//! Which keys there are now: one for each task and account whose schedule has a window today.

use std::ops::Range;
use std::rc::Rc;

use chrono::{DateTime, Days, NaiveTime, Utc};

use super::Credentials;
use super::scope::scope;
use crate::files::model::{Project, Site, Task};
use crate::ledger::KeyRow;
use crate::run::{Key, Lane, Rules};
use crate::timing::{Period, Skip, Slot, Slots, instant};

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
    /// The calendar leaves its only slot out, and why.
    pub skip: Option<Skip>,
}

impl<'a> Planned<'a> {
    /// A key that was opened before, with the period and the window that were fixed then; none when its files are gone.
    /// A task that was renamed since then has its new name.
    pub fn again(project: &'a Project, mut row: KeyRow) -> Option<Self> {
        let is_its = |site: &Site, task: &Task| is_task_of(site, task, &row);
        let mut tasks = project.sites.iter().flat_map(|site| site.tasks.iter().map(move |task| (site, task)));
        let (site, task) = tasks.find(|(site, task)| is_its(site, task))?;
        site.accounts.iter().find(|account| account.id == row.lane.account)?;
        (row.lane.site, row.task) = (site.id.clone(), task.id.clone());
        let rules = Rules::of(task, row.key.clone(), row.period, row.window, &project.slots(site, task));
        Some(Planned { row, site, task, rules, skip: None })
    }

    /// True when this key of the ledger is one of its task and account, be it under the task's former name.
    pub(super) fn has_task_of(&self, row: &KeyRow) -> bool {
        row.lane.account == self.row.lane.account && is_task_of(self.site, self.task, row)
    }

    /// The key that its task had in this period under its former name.
    pub(super) fn former_key(&self) -> Option<Key> {
        self.task.was.as_ref().map(|was| Key::of(&self.row.period, was, &self.row.lane.account))
    }

    /// The id that its task had at this site.
    pub(super) fn former_task(&self) -> Option<&str> {
        self.task.was.as_ref()?.strip_prefix(&self.site.id)?.strip_prefix('/')
    }

    /// The key by the task's path, which its refusals are recorded under while another task has its business key.
    pub(super) fn path_key(&self) -> Key {
        Key::new(&self.row.period, &self.row.lane, &self.task.id)
    }

    /// Goes on with a key that is there, and with its period.
    pub(super) fn take(&mut self, row: &KeyRow) {
        (self.row.key, self.row.period) = (row.key.clone(), row.period);
        (self.rules.key, self.rules.period) = (row.key.clone(), row.period);
    }

    /// The task's name, with the account's where the site has several.
    pub(super) fn name(&self) -> String {
        match self.site.accounts.len() {
            0 | 1 => self.task.name.clone(),
            _ => format!("{} ({})", self.task.name, self.row.lane.account),
        }
    }
}

fn is_task_of(site: &Site, task: &Task, row: &KeyRow) -> bool {
    let own = site.id == row.lane.site && task.id == row.task;
    own || task.was.as_ref().is_some_and(|was| *was == format!("{}/{}", row.lane.site, row.task))
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

/// The plan of a run. It is made anew only when the time has come at which it may be another: making it is much of what a
/// round costs in which nothing is to be done.
#[derive(Debug, Default)]
pub(super) struct Plan<'a> {
    keys: Rc<Vec<Planned<'a>>>,
    /// For these times it holds.
    holds: Option<Range<DateTime<Utc>>>,
}

impl<'a> Plan<'a> {
    /// The keys of now.
    pub fn at(&mut self, project: &'a Project, now: DateTime<Utc>) -> Rc<Vec<Planned<'a>>> {
        if !self.holds.as_ref().is_some_and(|times| times.contains(&now)) {
            let keys = plan(project, now);
            self.holds = Some(now..changes(project, &keys, now));
            self.keys = Rc::new(keys);
        }
        self.keys.clone()
    }
}

/// When the plan of now may be another: a window begins or ends, or the next date does.
fn changes(project: &Project, keys: &[Planned<'_>], now: DateTime<Utc>) -> DateTime<Utc> {
    let zone = project.settings.timezone;
    let tomorrow = instant(zone, now.with_timezone(&zone).date_naive() + Days::new(1), NaiveTime::MIN);
    let bounds = keys.iter().flat_map(|key| [key.row.window.slot, key.row.window.until]);
    bounds.filter(|at| *at > now).chain([tomorrow]).min().unwrap_or(now)
}

/// The key of the slot that `now` belongs to.
pub(super) fn plan_task<'a>(
    project: &Project,
    site: &'a Site,
    task: &'a Task,
    lane: &Lane,
    now: DateTime<Utc>,
) -> Option<Planned<'a>> {
    let slots = project.slots(site, task);
    Some(plan_slot(&slots, site, task, lane, &slots.at(now)?))
}

/// The key of a task's slot.
pub(super) fn plan_slot<'a>(
    slots: &Slots<'a>,
    site: &'a Site,
    task: &'a Task,
    lane: &Lane,
    slot: &Slot,
) -> Planned<'a> {
    let (window, skip) = (slot.window, slot.skip().cloned());
    // A window never contains the site's reset (refused at load), so that its slot and its end lie in one period.
    let period = site.calendar.period(task.period, window.slot);
    let key = key(site, task, lane, &period);
    let report_date = slot.date;
    let rules = Rules::of(task, key.clone(), period, window, slots);
    let row = KeyRow { key, lane: lane.clone(), task: task.id.clone(), period, window, report_date };
    Planned { row, site, task, rules, skip }
}

/// The key of a task in a period: by its path, or by its `business_key`.
fn key(site: &Site, task: &Task, lane: &Lane, period: &Period) -> Key {
    let (Some(what), Some(account)) = (&task.business_key, site.account(&lane.account)) else {
        return Key::new(period, lane, &task.id);
    };
    // It uses no user name, as was seen to at load.
    let names = scope(period, account, &Credentials::nobody(), Some(task));
    Key::of(period, &what.render(&names).unwrap_or_else(|_| what.text().to_owned()), &lane.account)
}

/// When a rehearsal's morning begins: at the first slot of today, or at the next one where today has none.
pub fn first_slot(project: &Project, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let todays = plan(project, now).iter().map(|planned| planned.rules.window.slot).min();
    todays.or_else(|| {
        let tasks = project.sites.iter().flat_map(|site| site.tasks.iter().map(move |task| (site, task)));
        tasks
            .filter_map(|(site, task)| project.slots(site, task).after(now).find(Slot::runs))
            .map(|slot| slot.window.slot)
            .min()
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::files::condition::{Names, Template};
    use crate::files::load;
    use crate::timing::{Holidays, OnHoliday, PeriodKind, parse_cron};

    /// The keys of the example's first task, changed so, at two times of one morning and on the next.
    fn keys(change: impl Fn(&mut Task)) -> Vec<String> {
        let mut project = load(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        project.sites[0].tasks.truncate(1);
        change(&mut project.sites[0].tasks[0]);
        let times = ["2026-11-29T22:00:00Z", "2026-11-30T02:17:00Z", "2026-11-30T22:05:00Z"];
        let planned = times.map(|at| plan(&project, at.parse().unwrap()).remove(0).row.key);
        planned.iter().map(|key| key.as_str().to_owned()).collect()
    }

    #[test]
    fn an_occurrence_has_the_key_of_its_slot_whenever_it_is_looked_at() {
        assert_eq!(
            keys(|task| task.period = PeriodKind::Occurrence),
            [
                "2026-11-29T22:00Z:community/checkin@main",
                "2026-11-29T22:00Z:community/checkin@main",
                "2026-11-30T22:00Z:community/checkin@main",
            ]
        );
    }

    #[test]
    fn several_slots_are_a_key_each_for_an_occurrence_and_further_chances_for_a_day() {
        let twice = |task: &mut Task, period| {
            task.schedule.times = parse_cron("0 6,10 * * *").unwrap();
            task.period = period;
        };
        let keys = |period| keys(|task| twice(task, period));
        assert_eq!(
            keys(PeriodKind::Occurrence),
            [
                "2026-11-29T22:00Z:community/checkin@main",
                "2026-11-30T02:00Z:community/checkin@main",
                "2026-11-30T22:00Z:community/checkin@main",
            ]
        );
        let day = keys(PeriodKind::Day);
        assert_eq!((&day[0], day[0].as_str()), (&day[1], "2026-11-30:community/checkin@main"));
        let mut project = load(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        let rules = |project: &Project| plan(project, "2026-11-29T22:00:00Z".parse().unwrap()).remove(0).rules;
        twice(&mut project.sites[0].tasks[0], PeriodKind::Day);
        let daily = rules(&project);
        let clock = |at: Option<DateTime<Utc>>| at.map(|at| at.format("%H:%M").to_string());
        assert_eq!(
            (clock(Some(daily.window.until)), clock(daily.closes_at)),
            (Some("02:00".into()), Some("15:30".into()))
        );
        twice(&mut project.sites[0].tasks[0], PeriodKind::Occurrence);
        assert_eq!(clock(rules(&project).closes_at), Some("02:00".into()), "its own window is the only one");
    }

    #[test]
    fn on_a_holiday_a_key_is_planned_to_be_skipped() {
        let mut project = load(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        let mut holidays = Holidays::named("cn");
        holidays.add_holiday("2026-11-30".parse().unwrap(), "假期");
        let schedule = &mut project.sites[0].tasks[0].schedule;
        (schedule.calendar, schedule.holidays) = (Some(Arc::new(holidays)), OnHoliday::Skip);
        let skip = |at: &str| plan(&project, at.parse().unwrap()).remove(0).skip;
        assert_eq!(skip("2026-11-29T22:00:00Z"), Some(Skip::Holiday("假期".into())));
        assert_eq!(skip("2026-11-30T22:00:00Z"), None);
    }

    #[test]
    fn a_business_key_stands_in_place_of_the_path() {
        let names = Names::of_the_day();
        let keys = keys(|task| task.business_key = Some(Template::parse("sign {{ day }}", &names).unwrap()));
        assert_eq!(keys[0], "2026-11-30:sign 2026-11-30@main");
        assert_eq!((&keys[1], keys[2].as_str()), (&keys[0], "2026-12-01:sign 2026-12-01@main"));
    }
}
