//! What the files say, once they are checked: every text is parsed, every `use` is put in, every default is filled.

mod locator;
mod read;
mod section;
mod settings;
mod site;
mod step;
mod task;
mod uses;

use std::fmt;
use std::path::PathBuf;

use chrono::NaiveDate;

pub use locator::{By, Locator, Target};
pub use read::{Column, ColumnKind, From, JsonStep, Next, Read, ReadKind, RowsFrom, RowsRead, ScalarKind, Source};
pub use section::{Reasoned, Section, Verdict, Want};
pub use settings::{
    BrowserSettings, CalendarFile, Language, ReportBy, ReportSettings, SecretSource, ServeSettings, Settings, Smtp,
    SmtpTls, TextSource,
};
pub use site::{Account, OwnChallenge, SignIn, Site, Viewport};
pub use step::{Dialog, Fetch, FetchBody, FileEncoding, Go, JsonTemplate, Otherwise, ScrollTo, Step, Verb};
pub use task::{Act, Effect, Notify, Refused, Requirement, Retry, Reward, Task, Verify};
pub use uses::names_of;

use crate::timing::Slots;
pub use crate::timing::{CatchUp, Schedule, Strategy};

/// Everything that one folder of files says.
#[derive(Debug, Clone)]
pub struct Project {
    /// The folder of `sunup.yaml`; relative file paths in tasks start here.
    pub root: PathBuf,
    /// The settings file itself.
    pub file: PathBuf,
    /// `sunup.yaml`.
    pub settings: Settings,
    /// The sites, in the order of their ids.
    pub sites: Vec<Site>,
}

impl Project {
    /// The slots of a task of this site.
    pub fn slots<'t>(&self, site: &Site, task: &'t Task) -> Slots<'t> {
        Slots { schedule: &task.schedule, zone: self.settings.timezone, site: site.calendar, kind: task.period }
    }

    /// True when this names something that can be run: `site/task`, `task` or `site`.
    pub fn has(&self, name: &str) -> bool {
        self.sites.iter().any(|site| {
            site.id == name || site.tasks.iter().any(|task| task.id == name || site.task_path(task) == name)
        })
    }
}

/// Where something stands in a file; lines and columns start at 1.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The file, relative to the project's root.
    pub file: PathBuf,
    /// The line.
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
}

impl fmt::Display for Place {
    /// `tasks/community/checkin.yaml:14:5`
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}:{}", self.file.display(), self.line, self.column)
    }
}

/// The date type in conditions, re-exported for readers of this module.
pub type Day = NaiveDate;
