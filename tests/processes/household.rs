//! One task on a [`Site`], and runs of the real program for it that are no rehearsals.

use std::fs;
use std::path::PathBuf;

use chrono::{DateTime, TimeDelta, TimeZone, Timelike, Utc};
use serde_json::Value as Json;
use sunup::clock::{Clock, SystemClock};
use tokio::process::Command;

use crate::site::Site;
use crate::stage::Morning;
use crate::support::{Place, run};

/// Files, data folder and site of one task.
pub struct Household {
    /// Where everything lies.
    pub place: Place,
    /// The site.
    pub site: Site,
}

impl Household {
    /// A new one, whose site has seen nothing.
    pub async fn new() -> Self {
        let household = Household { place: Place::new(), site: Site::start().await };
        household.write("sunup.yaml", SETTINGS);
        household.write("tasks/club/site.yaml", &SITE.replace("ORIGIN", &household.site.origin()));
        household.write("tasks/club/checkin.yaml", CHECKIN);
        household
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.place.path("files").join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// Changes what a file says.
    pub fn edit(&self, file: &str, old: &str, new: &str) {
        let text = fs::read_to_string(self.place.path("files").join(file)).expect("a file");
        assert!(text.contains(old), "{file} does not say `{old}`");
        self.write(file, &text.replace(old, new));
    }

    /// Moves it all into a zone in which it is about noon now, by the real clock.
    pub fn at_noon(&self) {
        // The names of these zones count the other way round.
        let zone = format!("Etc/GMT{:+}", SystemClock::new().now().hour() as i32 - 12);
        for file in ["sunup.yaml", "tasks/club/site.yaml"] {
            self.edit(file, "Asia/Shanghai", &zone);
        }
    }

    /// A run with a data folder, by a clock that is set by [`Household::set_clock`].
    pub fn morning(&self, data: &str) -> Command {
        self.by_its_clock(&["run", "--json", "--config", "files/sunup.yaml", "--data", data])
    }

    /// The program, by a clock that is set by [`Household::set_clock`].
    pub fn by_its_clock(&self, arguments: &[&str]) -> Command {
        let mut command = self.place.sunup(arguments);
        command.env("LD_PRELOAD", faketime()).env("FAKETIME_TIMESTAMP_FILE", self.clock_file());
        // Timers go on as they are: only what the machine believes to be the time is another.
        command.env("FAKETIME_NO_CACHE", "1").env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        command.env("CLUB_USER", "lin").env("CLUB_PASSWORD", "nobody-asks-for-it");
        command
    }

    /// The same from its start to its end.
    pub async fn whole_morning(&self, data: &str) -> Morning {
        Morning::of(run(self.morning(data)).await)
    }

    /// What the clock of all runs shows from now on, as hour and minute of a day in the site's zone.
    pub fn set_clock(&self, days_ahead: i64, hour: u32, minute: u32) {
        let now = SystemClock::new().now();
        let zone = chrono_tz::Asia::Shanghai;
        let day = now.with_timezone(&zone).date_naive() + TimeDelta::days(days_ahead);
        let wanted = zone.from_local_datetime(&day.and_hms_opt(hour, minute, 0).expect("a time")).single();
        let wanted: DateTime<Utc> = wanted.expect("there is no summer time there").to_utc();
        let ahead = (wanted - now).num_seconds();
        // Written beside and put in place, so that nobody reads half of it.
        let beside = self.place.path("clock.new");
        fs::write(&beside, format!("{ahead:+}")).expect("a file");
        fs::rename(beside, self.clock_file()).expect("a file");
    }

    fn clock_file(&self) -> PathBuf {
        self.place.path("clock")
    }
}

/// The status of the task's key in the latest period, and why it did not run.
pub fn status(morning: &Morning) -> (String, String) {
    statuses(morning).pop().unwrap_or_default()
}

/// The same of all keys of the task that the run told of, by period.
pub fn statuses(morning: &Morning) -> Vec<(String, String)> {
    let mut runs: Vec<&Json> = morning.json["runs"].as_array().into_iter().flatten().collect();
    runs.sort_by_key(|run| run["period"].as_str());
    let word = |json: &Json| json.as_str().unwrap_or_default().to_owned();
    runs.into_iter().map(|run| (word(&run["status"]), word(&run["reason"]["word"]))).collect()
}

/// Whether the run left the lane to another process, and names that.
pub fn names_another(morning: &Morning) -> bool {
    let others = morning.json["others_at_work"].as_array().into_iter().flatten();
    let named = |other: &Json| other["holder"].as_str().is_some_and(|holder| holder.starts_with("process "));
    others.filter(|other| other["lane"] == "club@main").any(named)
}

/// The library that gives a process a clock of its own: the Debian package `libfaketime`.
fn faketime() -> PathBuf {
    let folders = fs::read_dir("/usr/lib").expect("/usr/lib").flatten().map(|entry| entry.path());
    let found = folders.map(|folder| folder.join("faketime/libfaketime.so.1")).find(|library| library.is_file());
    found.expect("libfaketime is not there: `make test` installs what the tests need")
}

const SETTINGS: &str = r#"format: 1
timezone: Asia/Shanghai
language: en
schedule: { at: "06:00", until: "23:59" }
browser: { driver: geckodriver, headless: true }
"#;

const SITE: &str = r#"name: Club
origins: ["ORIGIN"]
day: { timezone: Asia/Shanghai, starts_at: "00:00" }
accounts:
  main:
    username: { env: CLUB_USER }
    password: { env: CLUB_PASSWORD }
sign_in:
  check:
    steps:
      - fetch: /api/me
        read:
          user: { text: json.user }
    done: user == account.username
    todo: user != account.username
  act: person
  verify: check
"#;

const CHECKIN: &str = r#"name: Check in
check:
  steps:
    - fetch: /api/me
      read: { acts: { number: json.acts } }
  done: acts >= 1
  todo: acts == 0
act:
  - open: /home
  - click: { role: button, name: check in }
    commit: true
verify:
  steps:
    - fetch: /api/me
      read: { acts: { number: json.acts } }
  done: acts >= 1
"#;
