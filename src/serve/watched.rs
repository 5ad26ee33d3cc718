//! The files of the user, looked at again: taken in as a whole, or not at all.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::files::model::Project;
use crate::files::{self, Faults};

/// By what a changed file is known, without reading it.
type Marks = BTreeMap<PathBuf, (u64, u64, Option<SystemTime>)>;

/// Files that were loaded, and how they looked then.
#[derive(Debug)]
pub struct Watched {
    settings: PathBuf,
    marks: Marks,
}

impl Watched {
    /// Loads them.
    pub fn load(settings: &Path) -> Result<(Project, Watched), Faults> {
        // Looked at first: what changes while they are read is seen the next time.
        let marks = marks(settings);
        let project = files::load(settings)?;
        Ok((project, Watched { settings: settings.to_owned(), marks }))
    }

    /// Loads them again when one of them has changed since the last look, or in any case when that is asked for. None when
    /// nothing is new.
    pub fn look(&mut self, in_any_case: bool) -> Option<Result<Project, Faults>> {
        let marks = marks(&self.settings);
        if marks == self.marks && !in_any_case {
            return None;
        }
        self.marks = marks;
        Some(files::load(&self.settings))
    }
}

/// `sunup.yaml`, what lies beside it (calendars), and everything below `tasks/`.
fn marks(settings: &Path) -> Marks {
    let root = match settings.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut marks = Marks::new();
    note(settings, &mut marks);
    entries(root).filter(|path| path.extension().is_some_and(|ending| ending == "ics")).for_each(|path| {
        note(&path, &mut marks);
    });
    let mut folders = vec![root.join("tasks")];
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            if path.is_dir() {
                folders.push(path);
            } else {
                note(&path, &mut marks);
            }
        }
    }
    marks
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

fn note(path: &Path, marks: &mut Marks) {
    if let Ok(file) = fs::metadata(path) {
        marks.insert(path.to_owned(), (file.ino(), file.len(), file.modified().ok()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(from: &Path, to: &Path) {
        fs::create_dir_all(to).unwrap();
        for path in entries(from) {
            let to = to.join(path.file_name().unwrap());
            if path.is_dir() { copy(&path, &to) } else { fs::copy(&path, &to).map(drop).unwrap() }
        }
    }

    #[test]
    fn what_has_changed_is_taken_in_as_a_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let example = Path::new(env!("CARGO_MANIFEST_DIR"));
        fs::copy(example.join("sunup.yaml"), folder.path().join("sunup.yaml")).unwrap();
        copy(&example.join("tasks"), &folder.path().join("tasks"));
        let settings = folder.path().join("sunup.yaml");
        let (project, mut watched) = Watched::load(&settings).unwrap();
        assert!(watched.look(false).is_none(), "nothing has changed");
        assert!(watched.look(true).unwrap().is_ok(), "asked for");

        let task = folder.path().join("tasks/community/checkin.yaml");
        let text = fs::read_to_string(&task).unwrap();
        fs::write(&task, text.replace("check:", "chek:")).unwrap();
        assert!(watched.look(false).unwrap().is_err(), "one file is faulty");
        assert!(watched.look(false).is_none(), "that is said once");
        fs::write(&task, text).unwrap();
        assert!(watched.look(false).unwrap().is_ok());

        fs::remove_file(folder.path().join("tasks/community/read.yaml")).unwrap();
        let later = watched.look(false).unwrap().unwrap();
        assert_eq!(
            later.sites[0].tasks.len(),
            project.sites[0].tasks.len() - 1,
            "a file that is gone is a change, too"
        );
    }
}
