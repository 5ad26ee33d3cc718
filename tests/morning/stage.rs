//! A place of one test's own in which mornings of the example are rehearsed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use chrono::Timelike;
use serde_json::Value as Json;
use sunup::clock::{Clock, SystemClock};
use sunup::run::{FailureKind, Status};
use tokio::process::Command;

use crate::support::{self, Outcome, Place, run};

/// The example's site.
pub const SITE: &str = "community";

/// A place with a data folder, and the files that are rehearsed there.
pub struct Stage {
    /// Where everything lies.
    pub place: Place,
    files: PathBuf,
}

/// A run that printed JSON.
pub struct Morning {
    /// What the program said.
    pub outcome: Outcome,
    /// Its standard output.
    pub json: Json,
}

impl Stage {
    /// Rehearses the files of the repository.
    pub fn new() -> Self {
        Stage { place: Place::new(), files: support::project().to_owned() }
    }

    /// Rehearses a copy of them, which the test may change.
    pub fn own() -> Self {
        let place = Place::new();
        let files = place.path("files");
        for part in ["sunup.yaml", "tasks", "fixtures"] {
            copy(&support::project().join(part), &files.join(part));
        }
        Stage { place, files }
    }

    /// The copy, in Chromium instead of Firefox.
    pub fn in_chromium(self) -> Self {
        self.edit("sunup.yaml", "driver: geckodriver", "driver: chromedriver");
        self
    }

    /// The same in a zone in which it is about noon now: the window is open, and the day does not end during the test.
    pub fn at_noon() -> Self {
        let stage = Stage::own();
        // The names of these zones count the other way round.
        let zone = format!("Etc/GMT{:+}", SystemClock::new().now().hour() as i32 - 12);
        for file in ["sunup.yaml", "tasks/community/site.yaml"] {
            stage.edit(file, "Asia/Shanghai", &zone);
        }
        stage
    }

    /// Changes each place of a file of the copy where `old` stands.
    pub fn edit(&self, file: &str, old: &str, new: &str) {
        let path = self.files.join(file);
        let text = fs::read_to_string(&path).expect("a file of the example");
        assert!(text.contains(old), "{file} does not say `{old}`");
        fs::write(path, text.replace(old, new)).expect("a file of the copy");
    }

    /// Copies a folder of the copy to another place in it.
    pub fn copy_folder(&self, from: &str, to: &str) {
        copy(&self.files.join(from), &self.files.join(to));
    }

    /// A file of those that are rehearsed.
    pub fn file(&self, name: &str) -> PathBuf {
        self.files.join(name)
    }

    /// Their settings file.
    pub fn config(&self) -> String {
        self.file("sunup.yaml").display().to_string()
    }

    /// The data folder.
    pub fn data(&self) -> PathBuf {
        self.place.path("data")
    }

    /// The program at these files and this data folder.
    pub fn sunup(&self, arguments: &[&str]) -> Command {
        let mut command = self.place.sunup(arguments);
        command.arg("--config").arg(self.config()).arg("--data").arg(self.data());
        command
    }

    /// A run that is no rehearsal, with the logins that the files ask for.
    pub fn real_run(&self, arguments: &[&str]) -> Command {
        let mut command = self.sunup(&["run"]);
        command.args(arguments).env("COMMUNITY_USER", "linxiaoman").env("COMMUNITY_PASSWORD", "nobody-asks-for-it");
        command
    }

    /// A morning of a scenario, still to be started.
    pub fn rehearsal(&self, scenario: &str) -> Command {
        self.sunup(&["run", "--dry-run", "--json", "--scenario", scenario])
    }

    /// A morning of a scenario, from its start to its end.
    pub async fn morning(&self, scenario: &str) -> Morning {
        Morning::of(run(self.rehearsal(scenario)).await)
    }

    /// What the example site has kept; nothing before its first change.
    pub fn state(&self) -> Json {
        self.state_of(SITE)
    }

    fn state_of(&self, site: &str) -> Json {
        let file = self.data().join("sites").join(site).with_extension("json");
        fs::read_to_string(&file).map_or(Json::Null, |text| serde_json::from_str(&text).expect("the site's state"))
    }

    /// How often the example site counted each act, acts of earlier mornings included; those that never happened are
    /// left out.
    pub fn counted(&self) -> BTreeMap<String, u64> {
        self.counted_by(SITE)
    }

    /// The same of another site.
    pub fn counted_by(&self, site: &str) -> BTreeMap<String, u64> {
        let state = self.state_of(site);
        let counters = state["counters"].as_object().into_iter().flatten();
        let counted = counters.map(|(name, count)| (name.clone(), count.as_u64().expect("a count")));
        counted.filter(|(_, count)| *count > 0).collect()
    }
}

fn copy(from: &Path, to: &Path) {
    if from.is_file() {
        fs::create_dir_all(to.parent().expect("a folder")).expect("a folder of the copy");
        fs::copy(from, to).expect("a file of the copy");
        return;
    }
    for entry in fs::read_dir(from).expect("a folder of the example") {
        let entry = entry.expect("an entry").file_name();
        copy(&from.join(&entry), &to.join(&entry));
    }
}

impl Morning {
    /// The run that ended so; one that printed no JSON fails the test.
    pub fn of(outcome: Outcome) -> Self {
        let json = serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("no JSON: {error}\n{outcome}"));
        Morning { outcome, json }
    }

    /// The entry of a task.
    pub fn task(&self, task: &str) -> &Json {
        let runs = self.json["runs"].as_array().expect("a list of task runs");
        runs.iter().find(|run| run["task"] == task).unwrap_or_else(|| panic!("no {task} in\n{}", self.outcome))
    }

    /// How a task stands.
    pub fn status(&self, task: &str) -> Status {
        serde_json::from_value(self.task(task)["status"].clone()).expect("a status")
    }

    /// What went wrong with it, if anything.
    pub fn kind(&self, task: &str) -> Option<FailureKind> {
        FailureKind::from_word(self.task(task)["failure"]["kind"].as_str()?)
    }
}
