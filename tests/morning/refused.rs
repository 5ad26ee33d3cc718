//! The site says no after the click: alone it is a reason, with what the site shows later it frees the task to try again.

use sunup::ledger::Ledger;
use sunup::run::{Event, Status};

use crate::stage::{SITE, Stage};
use crate::support::browser_turn;

/// The first check-in is answered with these words; the second one counts.
const SCENARIOS: &str = "scenarios:
  refused_once:
    about: The first check-in of the day is refused, and counts for nothing.
    set: { refused: false }
    routes:
      - request: POST /api/checkin
        when: user and not state.refused
        do:
          - set: { refused: true }
            count: refused
        reply: { json: { ok: false, message: 名额已满 } }
  refused_and_done:
    about: The check-in counts, shows a minute later, and the site says that it was refused.
    set: { credit_after: 60 }
    routes:
      - request: POST /api/checkin
        when: user
        do:
          - set: { \"signed/{user}/{day}\": =now }
            push:
              rows/{user}: { time: =now, shown: =now + 60, title: 每日签到, amount: =state.reward }
            count: checkin
        reply: { json: { ok: false, message: 名额已满 } }
      - request: GET /api/me
        when: user
        reply: { json: { user: =user, signed: false } }
";

fn stage() -> Stage {
    let stage = Stage::own().in_chromium();
    stage.edit("fixtures/community/site.yaml", "scenarios:\n", SCENARIOS);
    stage.edit("fixtures/community/site.yaml", "counters: [sign_in,", "counters: [refused, sign_in,");
    let refused = "refused:\n  - text: 名额已满\n    reason: 名额已满\nsettle: 2m";
    stage.edit("tasks/community/checkin.yaml", "settle: 20m", refused);
    stage
}

async fn check_in(stage: &Stage, scenario: &str) -> (crate::stage::Morning, Vec<&'static str>) {
    let mut command = stage.rehearsal(scenario);
    command.arg("community/checkin");
    let morning = crate::stage::Morning::of(crate::support::run(command).await);
    let ledger = Ledger::open(&stage.data()).expect("the ledger");
    let date = ledger.last_date().expect("an answer").expect("a date");
    let keys = ledger.keys_of(date).expect("the keys");
    let key = keys.iter().find(|line| line.row.lane.site == SITE && line.row.task == "checkin").expect("the key");
    let events = ledger.events(&key.row.key).expect("its events");
    let told = |event: &Event| match event {
        Event::Committed { refused: Some(_), .. } => Some("refused"),
        Event::Intended { .. } | Event::Released { .. } => Some(event.word()),
        _ => None,
    };
    (morning, events.iter().filter_map(|(_, event)| told(event)).collect())
}

#[tokio::test]
async fn a_refusal_that_the_site_stands_by_frees_the_task_to_try_again() {
    let _turn = browser_turn();
    let stage = stage();
    let (morning, events) = check_in(&stage, "refused_once").await;
    let outcome = &morning.outcome;
    assert!(morning.status("community/checkin").is_done(), "{outcome}");
    assert_eq!(events, ["intended", "refused", "released", "intended"], "{outcome}");
    let counted = stage.counted();
    assert_eq!((counted.get("refused"), counted.get("checkin")), (Some(&1), Some(&1)), "{outcome}");
}

#[tokio::test]
async fn a_refusal_of_what_was_done_is_not_believed() {
    let _turn = browser_turn();
    let stage = stage();
    let (morning, events) = check_in(&stage, "refused_and_done").await;
    assert_eq!(morning.status("community/checkin"), Status::Success, "{}", morning.outcome);
    assert_eq!(events, ["intended", "refused"], "{}", morning.outcome);
    assert_eq!(stage.counted().get("checkin"), Some(&1), "{}", morning.outcome);
}
