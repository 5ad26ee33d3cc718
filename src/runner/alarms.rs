//! The alarms of now: the past of each task and account, as the ledger has it, judged by the files.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use chrono::{DateTime, Days, TimeDelta, Utc};

use crate::files::model::{Project, Site, Task};
use crate::ledger::Ledger;
use crate::report::{Alarm, AlarmKind, Past, READS_WITHOUT_ROWS, ReadBack, without_rows};
use crate::run::Lane;
use crate::timing::{PeriodKind, Slot};

type Slots = BTreeMap<String, BTreeSet<DateTime<Utc>>>;

/// Slots repeat within so many days.
const DAYS: u64 = 8;

/// What is wrong for some time already.
pub fn alarms(project: &Project, ledger: &Ledger, now: DateTime<Utc>) -> Result<Vec<Alarm>> {
    let slots = slots(project, now);
    let mut alarms = Vec::new();
    for site in &project.sites {
        for account in &site.accounts {
            let lane = Lane { site: site.id.clone(), account: account.id.clone() };
            for task in site.tasks.iter().filter(|task| task.accounts.contains(&account.id)) {
                alarms.extend(of_task(ledger, &lane, site, task, &slots, now)?);
            }
            alarms.extend(of_points(ledger, &lane, site)?);
        }
    }
    Ok(alarms)
}

/// The slots of each task, by its path.
fn slots(project: &Project, now: DateTime<Utc>) -> Slots {
    let today = now.with_timezone(&project.settings.timezone).date_naive();
    let mut slots = Slots::new();
    for (site, task) in project.sites.iter().flat_map(|site| site.tasks.iter().map(move |task| (site, task))) {
        let days = (0..DAYS).flat_map(|days| project.slots(site, task).on(today + Days::new(days)));
        slots.insert(site.task_path(task), days.filter(Slot::runs).map(|slot| slot.window.slot).collect());
    }
    slots
}

/// The longest time between two slots of this task; none for a task that is done once for ever, or never.
fn interval(task: &Task, path: &str, slots: &Slots) -> Option<TimeDelta> {
    let own = slots.get(path)?;
    let gaps = own.iter().zip(own.iter().skip(1)).map(|(one, next)| *next - *one).max();
    let apart = gaps.unwrap_or(TimeDelta::days(7));
    match task.period {
        PeriodKind::Day | PeriodKind::Occurrence => Some(apart),
        PeriodKind::Week => Some(apart.max(TimeDelta::days(7))),
        PeriodKind::Month => Some(apart.max(TimeDelta::days(31))),
        PeriodKind::Once => None,
    }
}

fn of_task(
    ledger: &Ledger,
    lane: &Lane,
    site: &Site,
    task: &Task,
    slots: &Slots,
    now: DateTime<Utc>,
) -> Result<Option<Alarm>> {
    let path = site.task_path(task);
    let Some(interval) = interval(task, &path, slots) else { return Ok(None) };
    let former = task.was.as_ref().and_then(|was| was.strip_prefix(&format!("{}/", site.id)));
    let [known_since, well_at, missed_at] = ledger.times_of(lane, &task.id, former)?;
    let alarm = Past { known_since, well_at, missed_at }.alarm(interval, now);
    let name = format!("{} {}", site.name, task.name);
    Ok(alarm.map(|(kind, since)| Alarm { kind, task: path, name, account: lane.account.clone(), since }))
}

fn of_points(ledger: &Ledger, lane: &Lane, site: &Site) -> Result<Option<Alarm>> {
    if site.points.is_none() {
        return Ok(None);
    }
    let reads = ledger.last_read_backs(lane, READS_WITHOUT_ROWS)?.into_iter();
    let reads: Vec<_> = reads.map(|(at, complete, new_rows)| ReadBack { at, complete, new_rows }).collect();
    let (task, name) = (site.id.clone(), site.name.clone());
    let account = lane.account.clone();
    Ok(without_rows(&reads).map(|since| Alarm { kind: AlarmKind::NoRows, task, name, account, since }))
}
