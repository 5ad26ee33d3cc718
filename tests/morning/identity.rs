//! Who is signed in is read before every act: in another person's session nothing is done, and nothing is typed.

use sunup::run::{FailureKind, Status};

use crate::stage::{Morning, Stage};
use crate::support::{browser_turn, run};

/// In the same browser somebody else signs in, after the check of the first task, or after its act.
const SCENARIOS: &str = "scenarios:
  switched_before_the_act:
    about: After the first check somebody else is signed in.
    set: { asked: 0 }
    routes:
      - request: GET /api/me
        when: user and state.asked >= 2
        reply: { json: { user: chenmo, signed: false } }
      - request: GET /api/me
        when: user
        do:
          - set: { asked: =state.asked + 1 }
        reply: { json: { user: =user, signed: false } }
  switched_between_tasks:
    about: After the check-in somebody else is signed in.
    routes:
      - request: GET /api/me
        when: user and state.signed[user][day] is defined
        reply: { json: { user: chenmo, signed: true } }
";

fn stage() -> Stage {
    let stage = Stage::own();
    stage.edit("fixtures/community/site.yaml", "scenarios:\n", SCENARIOS);
    stage
}

fn assert_refused(morning: &Morning, task: &str) {
    let got = (morning.status(task), morning.kind(task));
    assert_eq!(got, (Status::Blocked, Some(FailureKind::Login)), "{}", morning.outcome);
    let ticket = &morning.json["tickets"][0];
    assert_eq!((ticket["number"].as_u64(), ticket["rule"].as_str()), (Some(1), Some("somebody-else")), "{ticket}");
    let reason = ticket["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("ch…mo") && reason.contains("li…an"), "{reason}");
}

#[tokio::test]
async fn a_session_that_became_another_persons_between_check_and_act_is_not_used() {
    let _turn = browser_turn();
    let stage = stage();
    let first = stage.morning("switched_before_the_act").await;
    assert_refused(&first, "community/checkin");
    assert_eq!(stage.counted(), [("sign_in".to_owned(), 1)].into(), "{}", first.outcome);
    assert_eq!(run(stage.sunup(&["tickets", "close", "1"])).await.code, 0);
    let again = stage.morning("switched_before_the_act").await;
    assert_refused(&again, "community/checkin");
    assert_eq!(stage.counted(), [("sign_in".to_owned(), 1)].into(), "nothing is typed over it: {}", again.outcome);
}

#[tokio::test]
async fn a_session_that_became_another_persons_between_two_tasks_is_not_used() {
    let _turn = browser_turn();
    let stage = stage();
    let morning = stage.morning("switched_between_tasks").await;
    assert_eq!(morning.status("community/checkin"), Status::Success, "{}", morning.outcome);
    assert_refused(&morning, "community/publish");
    let counted = [("checkin".to_owned(), 1), ("sign_in".to_owned(), 1)];
    assert_eq!(stage.counted(), counted.into(), "{}", morning.outcome);
}
