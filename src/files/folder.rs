//! The folders a user writes: which files there are, read as they stand.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::file::File;
use super::yaml::{self, Node};

/// Everything in the folder of sunup.yaml, read and not yet understood.
pub(super) struct Folder {
    pub file: File,
    pub node: Option<Node>,
    pub sites: Vec<SiteFolder>,
    /// Faults of what should be a file or a folder and is not.
    pub strays: Vec<File>,
}

/// `tasks/<site>/`.
pub(super) struct SiteFolder {
    pub id: String,
    /// `site.yaml`.
    pub file: File,
    pub node: Option<Node>,
    pub tasks: Vec<TaskFile>,
}

/// `tasks/<site>/<task>.yaml`.
pub(super) struct TaskFile {
    pub id: String,
    pub file: File,
    pub node: Option<Node>,
}

impl Folder {
    /// Reads every file below `root`; `settings` is the name of sunup.yaml there.
    pub fn read(root: &Path, settings: &Path) -> Folder {
        let (file, node) = read(root, settings);
        let mut folder = Folder { file, node, sites: Vec::new(), strays: Vec::new() };
        let tasks = Path::new("tasks");
        match names(&root.join(tasks)) {
            Ok(names) => names.iter().for_each(|name| folder.add_site(root, &tasks.join(name), name)),
            Err(error) => {
                let cure = "make a folder `tasks` beside sunup.yaml, and in it one for each site, with site.yaml";
                folder.stray(tasks, format!("there is no folder of sites: {error}"), cure);
            }
        }
        folder
    }

    fn stray(&mut self, path: &Path, message: impl Into<String>, cure: impl Into<String>) {
        let file = File::of(path, "");
        file.wrong(0..0, message, cure);
        self.strays.push(file);
    }

    fn add_site(&mut self, root: &Path, path: &Path, name: &str) {
        if !root.join(path).is_dir() {
            if is_yaml(name) {
                self.stray(path, "a task file lies in the folder of a site", "move it to `tasks/<site>/`");
            }
            return;
        }
        if !is_id(name) {
            let cure = "rename it: a-z first, then a-z, 0-9 and _";
            self.stray(path, format!("`{name}` cannot be the id of a site"), cure);
            return;
        }
        let names = match names(&root.join(path)) {
            Ok(names) => names,
            Err(error) => {
                return self.stray(path, format!("this folder cannot be read: {error}"), "check who may read it");
            }
        };
        let (file, node) = match names.iter().any(|name| name == "site.yaml") {
            true => read(root, &path.join("site.yaml")),
            false => {
                let file = File::of(&path.join("site.yaml"), "");
                file.wrong(
                    0..0,
                    "this site has no site.yaml",
                    "write one beside its tasks: name, origins, accounts, sign_in",
                );
                (file, None)
            }
        };
        let tasks = names.iter().filter_map(|file| self.task(root, path, file)).collect();
        self.sites.push(SiteFolder { id: name.to_owned(), file, node, tasks });
    }

    fn task(&mut self, root: &Path, site: &Path, name: &str) -> Option<TaskFile> {
        let path = site.join(name);
        if !is_yaml(name) {
            if root.join(&path).is_dir()
                && names(&root.join(&path)).is_ok_and(|names| names.iter().any(|name| is_yaml(name)))
            {
                self.stray(
                    &path,
                    "tasks in a folder of their own are not looked at",
                    "move them up to the site's folder",
                );
            }
            return None;
        }
        let id = name.strip_suffix(".yaml").unwrap_or("");
        if name == "site.yaml" {
            return None;
        }
        if id.is_empty() {
            self.stray(&path, "this file would not be looked at", "name it `<task>.yaml`");
            return None;
        }
        if !is_id(id) {
            let cure = "rename it: a-z first, then a-z, 0-9 and _, and `.yaml` behind";
            self.stray(&path, format!("`{id}` cannot be the id of a task"), cure);
            return None;
        }
        let (file, node) = read(root, &path);
        Some(TaskFile { id: id.to_owned(), file, node })
    }
}

fn read(root: &Path, path: &Path) -> (File, Option<Node>) {
    let file = File::read(root, path);
    let node = yaml::parse(&file);
    (file, node)
}

/// What lies in a folder, in order; hidden files and what editors leave behind aside.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') && !name.ends_with('~') {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

fn is_yaml(name: &str) -> bool {
    name.ends_with(".yaml") || name.ends_with(".yml")
}

/// `[a-z][a-z0-9_]*`
pub(super) fn is_id(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// The folder of sunup.yaml, and the file's name in it; `path` may be either.
pub(super) fn root_of(path: &Path) -> (PathBuf, PathBuf) {
    if path.is_dir() {
        return (path.to_owned(), PathBuf::from("sunup.yaml"));
    }
    let name = path.file_name().map_or_else(|| PathBuf::from("sunup.yaml"), PathBuf::from);
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    (parent.unwrap_or(Path::new(".")).to_owned(), name)
}
