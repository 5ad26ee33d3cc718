//! Another runner takes the lane over while this one waits for a page: this one stops before its next step.

use sunup::clock::{Clock, SystemClock};
use sunup::ledger::{Holder, LeaseAnswer, Ledger};
use sunup::run::Lane;

use crate::stage::{Morning, SITE, Stage};
use crate::support::{browser_turn, ended, start, until};

const HELD: &str = "scenarios:
  held_home:
    about: The home page does not come.
    set: { held: false }
    routes:
      - request: GET /home
        when: user
        do:
          - set: { held: true }
        reply: { page: home.html, delay: 3600 }
";

#[tokio::test]
async fn a_lost_lease_stops_the_lane_and_leaves_the_report_to_the_other() {
    let _turn = browser_turn();
    let stage = Stage::own();
    stage.edit("fixtures/community/site.yaml", "scenarios:\n", HELD);
    let runner = start(stage.rehearsal("held_home"));
    until("the runner waits for the page", || stage.state()["state"]["held"] == true).await;
    take_over(&stage);
    let told = Morning::of(ended(runner).await);
    assert!(told.json["report"].is_null(), "the other runner reports: {}", told.outcome);
    let acts = stage.counted();
    assert!(["checkin", "publish", "read"].iter().all(|act| !acts.contains_key(*act)), "{acts:?}");
    assert_eq!(stage.place.processes(), Vec::<String>::new());
}

/// Somebody on another host, by whose clock the lease of this one is long over.
fn take_over(stage: &Stage) {
    let ledger = Ledger::open(&stage.data()).expect("the ledger");
    let lane = Lane { site: SITE.into(), account: "main".into() };
    let other = Holder { host: "elsewhere".into(), ..Holder::this() };
    let later = SystemClock::new().now() + chrono::TimeDelta::days(2);
    let answer = ledger.take_lease(&lane, &other, later).expect("an answer");
    assert!(matches!(answer, LeaseAnswer::Taken(_)), "{answer:?}");
}
