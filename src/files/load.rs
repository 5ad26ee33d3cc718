//! From a folder to a project, or to all of its faults.

use std::collections::BTreeMap;
use std::path::Path;

use super::across;
use super::calendars::CalendarFolders;
use super::fault::{Fault, Faults};
use super::file::File;
use super::folder::{Folder, root_of};
use super::model::{Project, Site};
use super::settings::settings;
use super::site::site;

/// Loads everything that a user writes. `path` is the folder of sunup.yaml, or sunup.yaml itself.
pub fn load(path: &Path) -> Result<Project, Faults> {
    load_with(path, None)
}

/// The same; a calendar file that is broken is replaced by its copy in the folder `copies`, where there is one.
pub fn load_with(path: &Path, copies: Option<&Path>) -> Result<Project, Faults> {
    let (root, name) = root_of(path);
    let folder = Folder::read(&root, &name);
    let top = settings(&folder.file, folder.node.as_ref(), CalendarFolders { root: &root, copies });
    let runner = top.settings.as_ref().map(|settings| settings.timezone);
    let loaded: Vec<_> = folder.sites.iter().map(|folder| site(folder, &top, runner)).collect();
    across::check(&loaded, runner);
    let sites: Option<Vec<Site>> = loaded.into_iter().map(|loaded| loaded.site).collect();
    let faults = faults_of(folder);
    match (top.settings, sites) {
        (Some(settings), Some(sites)) if faults.is_empty() => {
            let file = root.join(&name);
            Ok(Project { root, file, settings, sites })
        }
        _ => Err(faults),
    }
}

fn faults_of(folder: Folder) -> Faults {
    let of_sites = folder
        .sites
        .into_iter()
        .flat_map(|site| std::iter::once(site.file).chain(site.tasks.into_iter().map(|task| task.file)));
    let files = std::iter::once(folder.file).chain(folder.strays).chain(of_sites);
    let mut faults: Vec<Fault> = Vec::new();
    let mut texts = BTreeMap::new();
    for (path, text, found) in files.map(File::into_faults) {
        faults.extend(found);
        texts.insert(path, text);
    }
    Faults::new(faults, texts)
}
