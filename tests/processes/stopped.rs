//! A runner that is stopped like a laptop that is closed, and wakes when another time has come.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::process::Child;

use crate::daemon::{HELD, ask};
use crate::household::{Household, statuses};
use crate::stage::Morning;
use crate::support::{browser_turn, ended, start, until};

fn signal(runner: &Child, signal: Signal) {
    let id = runner.id().expect("it runs");
    kill(Pid::from_raw(id as i32), signal).expect("a signal");
}

/// A runner that is stopped while it waits for the page with the button.
async fn stopped_before_the_button(household: &Household) -> Child {
    household.site.hold_next();
    let runner = start(household.morning("data"));
    until("the page is asked for", || household.site.holds()).await;
    signal(&runner, Signal::SIGSTOP);
    runner
}

#[tokio::test]
async fn asleep_across_midnight_it_does_not_act_for_yesterday() {
    let _turn = browser_turn();
    let household = Household::new().await;
    household.set_clock(0, 23, 30);
    let runner = stopped_before_the_button(&household).await;
    household.set_clock(1, 7, 0);
    household.site.release();
    signal(&runner, Signal::SIGCONT);
    let told = Morning::of(ended(runner).await);
    assert_eq!(household.site.acts(), 0, "nothing for yesterday: {}", told.outcome);
    assert_eq!(statuses(&told)[0].0, "skipped", "{}", told.outcome);
    assert_eq!(household.place.processes(), Vec::<String>::new());
    let next = household.whole_morning("data").await;
    assert_eq!(household.site.acts(), 1, "{}", next.outcome);
}

#[tokio::test]
async fn asleep_beyond_its_lease_it_finds_the_work_done() {
    let _turn = browser_turn();
    let household = Household::new().await;
    household.set_clock(0, 9, 0);
    let runner = stopped_before_the_button(&household).await;
    household.set_clock(0, 14, 0);
    let other = household.whole_morning("data").await;
    assert_eq!(household.site.acts(), 1, "the other run takes the lane over: {}", other.outcome);
    household.site.release();
    signal(&runner, Signal::SIGCONT);
    let told = Morning::of(ended(runner).await);
    assert_eq!(household.site.acts(), 1, "{}", told.outcome);
    assert_eq!(household.place.processes(), Vec::<String>::new());
}

#[tokio::test]
async fn told_to_stop_in_the_middle_of_a_page_it_sends_nothing_and_the_next_goes_on() {
    let _turn = browser_turn();
    let household = Household::new().await;
    household.set_clock(0, 9, 0);
    for (told, code) in [(Signal::SIGTERM, 143), (Signal::SIGINT, 130)] {
        household.site.hold_next();
        let runner = start(household.morning("data"));
        until("the page is asked for", || household.site.holds()).await;
        signal(&runner, told);
        let outcome = ended(runner).await;
        assert_eq!((outcome.code, household.site.acts()), (code, 0), "{outcome}");
        assert_eq!(household.place.processes(), Vec::<String>::new(), "{outcome}");
        assert_eq!(ask(&household.place.path("data"), HELD), ["0"], "its lease is given back: {outcome}");
        household.site.release();
    }
    // It needs the lane and the attempts that the others gave back.
    let next = household.whole_morning("data").await;
    assert_eq!(household.site.acts(), 1, "{}", next.outcome);
    assert_eq!(next.json["runs"][0]["status"], "compensated", "{}", next.outcome);
    assert_eq!(next.json["others_at_work"], serde_json::json!([]), "{}", next.outcome);
}
