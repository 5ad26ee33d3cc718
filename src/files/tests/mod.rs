//! The sample files load, edits of them are refused, and nothing that is written makes the loader panic.

mod across;
mod calendars;
mod hostile;
mod samples;
mod wrong;

use std::fs;
use std::path::{Path, PathBuf};

use super::{Fault, Faults, load};

/// The sample files.
fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/format")
}

/// A folder with sunup.yaml and the site `community`, to be edited.
struct Scratch {
    root: tempfile::TempDir,
}

impl Scratch {
    fn new() -> Self {
        let scratch = Scratch { root: tempfile::tempdir().unwrap() };
        scratch.write("sunup.yaml", "format: 1\ntimezone: Asia/Shanghai\n");
        for file in ["tasks/community/site.yaml", "tasks/community/checkin.yaml", "calendars/cn.ics"] {
            scratch.write(file, fs::read_to_string(samples().join(file)).unwrap());
        }
        scratch
    }

    fn write(&self, file: &str, text: impl AsRef<[u8]>) {
        let path = self.root.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.root.path().join(file)).unwrap()
    }

    fn load(&self) -> Result<super::model::Project, Faults> {
        load(self.root.path())
    }

    /// The faults, each in one line; none when it loads.
    fn faults(&self) -> Vec<String> {
        match self.load() {
            Ok(_) => Vec::new(),
            Err(faults) => faults.iter().map(line).collect(),
        }
    }
}

/// `file:line:column message → cure`
fn line(fault: &Fault) -> String {
    assert!(!fault.cure.is_empty(), "{fault:?}");
    assert!(fault.place.line > 0 && fault.place.column > 0, "{fault:?}");
    format!("{} {} → {}", fault.place, fault.message, fault.cure)
}
