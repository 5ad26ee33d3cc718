//! What only shows when all files are looked at together.

use std::collections::{BTreeMap, BTreeSet};

use chrono_tz::Tz;

use super::identity;
use super::model::Schedule;
use super::nearest::nearest;
use super::schedule::{Reset, reset_inside};
use super::site::LoadedSite;
use crate::timing::Calendar;

/// Every check across files.
pub(super) fn check(sites: &[LoadedSite<'_>], runner: Option<Tz>) {
    origins(sites);
    let edges = requirements(sites);
    circles(sites, &edges);
    identity::former_paths(sites);
    identity::business_keys(sites);
    if let Some(runner) = runner {
        windows(sites, runner);
    }
}

/// One origin belongs to one site: its cookies are those of one account's profile.
fn origins(sites: &[LoadedSite<'_>]) {
    let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
    for site in sites {
        for (origin, span) in &site.origins {
            if let Some(other) = seen.insert(origin, &site.folder.id).filter(|other| *other != site.folder.id) {
                let message = format!("`{origin}` is an origin of the site `{other}` too");
                site.folder.file.wrong(span.clone(), message, "put the tasks of one site into one folder");
            }
        }
    }
}

/// A task by its site and its place among the site's tasks.
type TaskAt = (usize, usize);

/// Every task that another one waits for exists. Gives back who waits for whom.
fn requirements(sites: &[LoadedSite<'_>]) -> BTreeMap<TaskAt, Vec<TaskAt>> {
    let mut edges: BTreeMap<TaskAt, Vec<TaskAt>> = BTreeMap::new();
    for (site_at, site) in sites.iter().enumerate() {
        for (task_at, task) in site.tasks.iter().enumerate() {
            for (required_site, required, node) in &task.requires {
                let file = &site.folder.tasks[task_at].file;
                match find(sites, required_site.as_deref().unwrap_or(&site.folder.id), required) {
                    Ok(found) => edges.entry((site_at, task_at)).or_default().push(found),
                    Err((message, cure)) => file.wrong(node.span.clone(), message, cure),
                }
            }
        }
    }
    edges
}

fn find(sites: &[LoadedSite<'_>], site: &str, task: &str) -> Result<TaskAt, (String, String)> {
    let ids = sites.iter().map(|site| site.folder.id.as_str());
    let Some(site_at) = ids.clone().position(|id| id == site) else {
        return Err((format!("there is no site `{site}`"), did_you_mean(site, ids)));
    };
    let ids = sites[site_at].tasks.iter().map(|task| task.id.as_str());
    match ids.clone().position(|id| id == task) {
        Some(task_at) => Ok((site_at, task_at)),
        None => Err((format!("the site `{site}` has no task `{task}`"), did_you_mean(task, ids))),
    }
}

fn did_you_mean<'k>(word: &str, known: impl Iterator<Item = &'k str> + Clone) -> String {
    match nearest(word, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are: {}", known.collect::<Vec<_>>().join(", ")),
    }
}

/// Tasks that wait for each other wait for ever.
fn circles(sites: &[LoadedSite<'_>], edges: &BTreeMap<TaskAt, Vec<TaskAt>>) {
    for &start in edges.keys() {
        if !reaches(edges, start, start) {
            continue;
        }
        let (site, task) = start;
        let loaded = &sites[site].tasks[task];
        if let Some((_, required, node)) = loaded.requires.first() {
            let message = format!("`{}` waits for `{required}`, which waits for it in turn", loaded.id);
            sites[site].folder.tasks[task].file.wrong(node.span.clone(), message, "take one of these requirements out");
        }
    }
}

fn reaches(edges: &BTreeMap<TaskAt, Vec<TaskAt>>, from: TaskAt, to: TaskAt) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        for &next in edges.get(&at).into_iter().flatten() {
            if next == to {
                return true;
            }
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    false
}

/// A window that contains the site's reset belongs to two days.
fn windows(sites: &[LoadedSite<'_>], runner: Tz) {
    let mut judged: Vec<(Calendar, Schedule, Option<Reset>)> = Vec::new();
    for site in sites {
        let Some(calendar) = site.calendar else { continue };
        let mut judge = |task: Option<usize>, schedule: &Schedule| {
            // Nearly all tasks share one schedule, and a year of days is long.
            let same = |(other, asked, _): &&(Calendar, Schedule, _)| *other == calendar && asked == schedule;
            let before = judged.iter().find(same).map(|(.., found)| *found);
            let found = before.unwrap_or_else(|| reset_inside(schedule, runner, &calendar));
            if before.is_none() {
                judged.push((calendar, schedule.clone(), found));
            }
            if let Some(reset) = found {
                refuse_window(site, task, &reset);
            }
        };
        if site.tasks.is_empty() {
            judge(None, &site.schedule);
        }
        for (at, task) in site.tasks.iter().enumerate() {
            judge(Some(at), &task.schedule);
        }
    }
}

/// The fault stands where the window was written last: in the task, in the site, else at the beginning of the file.
fn refuse_window(site: &LoadedSite<'_>, task: Option<usize>, Reset { day, times }: &Reset) {
    let [at, until, reset] = times.map(|time| time.format("%H:%M"));
    let message = format!("the window {at} to {until} contains {reset}, when the site's day begins (on {day})");
    let cure = format!("begin the window at \"{reset}\" or later, and end it before the site's next day");
    let of_task = task.and_then(|at| site.tasks[at].schedule_node.map(|node| (&site.folder.tasks[at].file, node)));
    let of_site = |key| site.folder.node.as_ref().and_then(|node| node.find(key)).map(|node| (&site.folder.file, node));
    match of_task.or_else(|| of_site("schedule")).or_else(|| of_site("day")) {
        Some((file, node)) => file.wrong(node.span.clone(), message, cure),
        None => site.folder.file.wrong(0..0, message, cure),
    }
}
