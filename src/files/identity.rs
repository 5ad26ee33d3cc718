//! `was` and `business_key`: under which names the keys of a task are kept.

use std::collections::BTreeMap;

use super::condition::Template;
use super::fields::Fields;
use super::file::File;
use super::folder::is_id;
use super::here::Here;
use super::site::LoadedSite;
use super::yaml::Node;
use crate::timing::PeriodKind;

impl Here<'_> {
    /// `business_key:`.
    pub fn business_key(&self, fields: &Fields<'_>, vars: &[(String, Template)]) -> Option<Option<Template>> {
        let Some(node) = fields.get("business_key") else { return Some(None) };
        self.without_login(node, vars).map(Some)
    }
}

impl File {
    /// `was:`, a path such as `community/sign`.
    pub fn former_path(&self, fields: &Fields<'_>) -> Option<Option<String>> {
        let Some(node) = fields.get("was") else { return Some(None) };
        let path = self.words(node)?;
        if path.split('/').filter(|id| is_id(id)).count() != 2 || path.split('/').count() != 2 {
            let message = format!("`{path}` is not the path of a task");
            self.wrong(node.span.clone(), message, "write site and task, as the folders named them: `community/sign`");
            return None;
        }
        Some(Some(path.to_owned()))
    }
}

/// One task, one history: nobody takes the keys of a task that is still there, and no two those of one that is gone.
pub(super) fn former_paths(sites: &[LoadedSite<'_>]) {
    let path = |site: &LoadedSite<'_>, id: &str| format!("{}/{id}", site.folder.id);
    let there: Vec<String> =
        sites.iter().flat_map(|site| site.tasks.iter().map(move |task| path(site, &task.id))).collect();
    let mut heirs: BTreeMap<&str, String> = BTreeMap::new();
    for (file, own, was, node) in tasks_with(sites, "was") {
        if there.iter().any(|other| other == was) {
            let message = format!("`{was}` is still there, and has its keys");
            let cure = if own == was { "take `was` out" } else { "remove that task's file, or take `was` out" };
            file.wrong(node.span.clone(), message, cure);
        } else if let Some(other) = heirs.insert(was, own) {
            let message = format!("`{other}` says that it was `{was}`, too");
            file.wrong(node.span.clone(), message, "a task has one successor: take one of them out");
        }
    }
}

/// Tasks that share a business key but not the length of their periods would never meet in one key.
pub(super) fn business_keys(sites: &[LoadedSite<'_>]) {
    let period = |site: &LoadedSite<'_>, at: usize| site.tasks[at].task.as_ref().map(|task| task.period);
    let mut first: BTreeMap<String, (PeriodKind, String)> = BTreeMap::new();
    for site in sites {
        for (at, loaded) in site.tasks.iter().enumerate() {
            let (Some(period), file) = (period(site, at), &site.folder.tasks[at]) else { continue };
            let own = format!("{}/{}", site.folder.id, loaded.id);
            let node = file.node.as_ref().and_then(|node| node.find("business_key"));
            let key = node.and_then(|node| node.scalar_text()).unwrap_or(&own).to_owned();
            match first.get(&key) {
                None => {
                    first.insert(key, (period, own));
                }
                Some((other, path)) if *other != period => {
                    let span = node.or(file.node.as_ref()).map_or(0..0, |node| node.span.clone());
                    let message =
                        format!("`{path}` has the same business key, and another `period`: they would never meet");
                    file.file.wrong(span, message, "give both tasks one `period`, or each a key of its own");
                }
                Some(_) => {}
            }
        }
    }
}

/// Each task that has this key: its file, its path, what it says, and where.
fn tasks_with<'s>(
    sites: &'s [LoadedSite<'_>],
    key: &'static str,
) -> impl Iterator<Item = (&'s File, String, &'s str, &'s Node)> {
    let tasks = sites.iter().flat_map(|site| site.folder.tasks.iter().map(move |task| (site, task)));
    tasks.filter_map(move |(site, task)| {
        let node = task.node.as_ref()?.find(key)?;
        Some((&task.file, format!("{}/{}", site.folder.id, task.id), node.scalar_text()?, node))
    })
}
