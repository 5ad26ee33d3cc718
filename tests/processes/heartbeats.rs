//! Who watches from outside hears of each run in which something is due, and of a task that has a heartbeat of its own.

use crate::household::Household;
use crate::support::browser_turn;

async fn household() -> Household {
    let household = Household::new().await;
    let url = |name: &str| format!("heartbeat: {{ url: \"{}/beat/{name}\" }}", household.site.origin());
    household.edit("sunup.yaml", "language: en", &format!("language: en\n{}", url("run")));
    household.edit("tasks/club/checkin.yaml", "name: Check in", &format!("name: Check in\n{}", url("task")));
    household
}

#[tokio::test]
async fn a_morning_is_told_from_its_start_to_its_success() {
    let _turn = browser_turn();
    let household = household().await;
    household.set_clock(0, 9, 0);
    let morning = household.whole_morning("data").await;
    assert_eq!(household.site.beats(), ["run/start", "task/start", "task", "run"], "{}", morning.outcome);
}

#[tokio::test]
async fn a_missed_window_is_told_as_a_failure() {
    let household = household().await;
    household.edit("sunup.yaml", "until: \"23:59\"", "until: \"08:00\"");
    household.set_clock(0, 9, 0);
    let morning = household.whole_morning("data").await;
    assert_eq!(household.site.beats(), ["task/fail", "run/fail"], "{}", morning.outcome);
}

#[tokio::test]
async fn before_the_slot_there_is_nothing_to_tell() {
    let household = household().await;
    household.set_clock(0, 5, 0);
    let morning = household.whole_morning("data").await;
    assert_eq!(household.site.beats(), Vec::<String>::new(), "{}", morning.outcome);
}
