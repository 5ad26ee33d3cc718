//! Days that are missing are made up in the browser, oldest first, each under its own key, before today's.

use std::fs;

use chrono::{Days, NaiveDate};
use sunup::clock::{Clock, SystemClock};

use crate::stage::Stage;
use crate::support::browser_turn;

/// Today, by the example's clock.
fn today() -> NaiveDate {
    SystemClock::new().now().with_timezone(&chrono_tz::Asia::Shanghai).date_naive()
}

#[tokio::test]
async fn a_batch_of_missing_days_is_made_up_oldest_first_and_the_next_run_goes_on() {
    let _turn = browser_turn();
    let stage = Stage::own().in_chromium();
    // The invented site counts for today whatever day is asked for: it shows in which order the keys came.
    let task = format!(
        r##"name: 每日签到
backfill: true
check:
  steps:
    - fetch: /api/me
      query: {{ day: "{{{{ day }}}}" }}
      read:
        signed: {{ boolean: json.signed }}
  done: signed
  todo: not signed
act:
  - open: /home
    query: {{ day: "{{{{ day }}}}" }}
  - click: {{ css: "#banner .close" }}
    optional: true
  - click: {{ css: "#checkin" }}
    commit: true
verify: check
schedule: {{ catch_up: {{ strategy: each, since: {}, batch: 2 }} }}
"##,
        today() - Days::new(3)
    );
    fs::write(stage.file("tasks/community/checkin.yaml"), task).expect("a task of the copy");
    let morning = stage.morning("fresh").await;
    let told = |runs: &serde_json::Value| -> Vec<(String, String)> {
        let runs =
            runs.as_array().expect("a list of task runs").iter().filter(|run| run["task"] == "community/checkin");
        let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
        let mut told: Vec<_> = runs.map(|run| (text(&run["period"]), text(&run["status"]))).collect();
        told.sort();
        told
    };
    let day = |back: u64, status: &str| ((today() - Days::new(back)).to_string(), status.to_owned());
    assert_eq!(
        told(&morning.json["runs"]),
        [day(3, "compensated"), day(2, "already_done"), day(0, "already_done")],
        "{}",
        morning.outcome
    );
    assert_eq!(stage.counted().get("checkin"), Some(&1), "one act: {:?}", stage.counted());
    let next = stage.morning("fresh").await;
    assert!(told(&next.json["runs"]).contains(&day(1, "already_done")), "{}", next.outcome);
}
