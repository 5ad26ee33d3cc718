//! A place of one test's own in which mornings of the example are rehearsed.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::Value as Json;
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

    /// The data folder.
    pub fn data(&self) -> PathBuf {
        self.place.path("data")
    }

    /// The program at these files and this data folder.
    pub fn sunup(&self, arguments: &[&str]) -> Command {
        let mut command = self.place.sunup(arguments);
        command.arg("--config").arg(self.files.join("sunup.yaml")).arg("--data").arg(self.data());
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

    /// How often the example site counted each act, acts of earlier mornings included; those that never happened are
    /// left out.
    pub fn counted(&self) -> BTreeMap<String, u64> {
        let file = self.data().join("sites").join(SITE).with_extension("json");
        let Ok(text) = fs::read_to_string(&file) else { return BTreeMap::new() };
        let state: Json = serde_json::from_str(&text).expect("the site's state");
        let counters = state["counters"].as_object().expect("the site's counters");
        let counted = counters.iter().map(|(name, count)| (name.clone(), count.as_u64().expect("a count")));
        counted.filter(|(_, count)| *count > 0).collect()
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
