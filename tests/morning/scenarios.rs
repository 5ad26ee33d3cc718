//! One morning of each scenario, compared with `fixtures/expected.yaml`: how each task ended, and what the site counted.
//! The log is at its loudest meanwhile, and the password is nowhere.

use std::collections::BTreeMap;

use sunup::fixture::{ExpectedMorning, ExpectedTask, expected};
use sunup::run::Status;

use crate::canary::{Canary, SHAPES};
use crate::stage::{Morning, SITE};
use crate::support::{browser_turn, project, run};
use crate::{canary, documented};

/// A test of its own for each scenario, and the list of them.
macro_rules! mornings {
    ($($test:ident: $scenario:literal in $browser:ident)*) => {
        const TESTED: &[&str] = &[$($scenario),*];
        $(
            #[tokio::test]
            async fn $test() {
                ends_as_expected($scenario, Browser::$browser).await;
            }
        )*
    };
}

/// Where a scenario is played. Most are played where a browser starts in half a second.
enum Browser {
    Firefox,
    Chromium,
}

mornings! {
    fresh: "fresh" in Firefox
    fresh_in_chromium: "fresh" in Chromium
    all_done: "all_done" in Chromium
    signed_out: "signed_out" in Chromium
    wrong_password: "wrong_password" in Firefox
    slider: "slider" in Firefox
    slider_in_chromium: "slider" in Chromium
    one_time_code: "one_time_code" in Chromium
    slow_sign_in: "slow_sign_in" in Firefox
    slow_code: "slow_code" in Chromium
    session_expiry: "session_expiry" in Chromium
    no_effect: "no_effect" in Chromium
    lying_toast: "lying_toast" in Chromium
    stale_button: "stale_button" in Firefox
    unanswered_in_chromium: "unanswered" in Chromium
    late_credit: "late_credit" in Chromium
    streak_bonus: "streak_bonus" in Chromium
    odd_rows: "odd_rows" in Chromium
    server_error_once: "5xx_once" in Chromium
    server_error_always: "5xx_always" in Chromium
    maintenance: "maintenance" in Chromium
    rate_limited: "rate_limited" in Chromium
    redesign: "redesign" in Firefox
    banner: "banner" in Chromium
    endless_page_in_chromium: "endless_page" in Chromium
    site_down: "site_down" in Chromium
}

fn mornings() -> BTreeMap<String, ExpectedMorning> {
    expected(&project().join("fixtures")).expect("fixtures/expected.yaml")
}

#[test]
fn every_scenario_has_its_morning() {
    let mut tested: Vec<&str> = TESTED.to_vec();
    tested.sort_unstable();
    tested.dedup();
    let mornings = mornings();
    assert_eq!(tested, mornings.keys().map(String::as_str).collect::<Vec<_>>());
}

async fn ends_as_expected(scenario: &str, browser: Browser) {
    let expected = mornings().remove(scenario).expect("the scenario is in fixtures/expected.yaml");
    let _turn = browser_turn();
    // Each scenario with another kind of password.
    let place = TESTED.iter().position(|tested| *tested == scenario).expect("it is one of them");
    let password = SHAPES[place % SHAPES.len()];
    let stage = match browser {
        Browser::Firefox => canary::stage(password),
        Browser::Chromium => canary::stage(password).in_chromium(),
    };
    let mut rehearsal = stage.rehearsal(scenario);
    rehearsal.env("SUNUP_LOG", "trace");
    let morning = Morning::of(run(rehearsal).await);

    for (task, wanted) in &expected.tasks {
        let got = ExpectedTask { status: morning.status(task), kind: wanted.kind.and(morning.kind(task)) };
        assert_eq!(got, *wanted, "{scenario}: {task}\n{}", morning.outcome);
    }
    assert_eq!(stage.counted(), expected.counts[SITE], "{scenario}: what the site counted\n{}", morning.outcome);
    assert_eq!(morning.outcome.code, exit_code(&expected), "{scenario}\n{}", morning.outcome);
    Canary::new(password).hunt(&stage, &morning);
    documented::all_fields(&stage, &morning).await;
}

/// What a program that calls this one learns: the largest of 4 (a task failed) and 5 (a person is needed).
fn exit_code(expected: &ExpectedMorning) -> i32 {
    let any = |wanted: &[Status]| expected.tasks.values().any(|task| wanted.contains(&task.status));
    match (any(&[Status::Blocked]), any(&[Status::Failed, Status::Dead])) {
        (true, _) => 5,
        (false, true) => 4,
        (false, false) => 0,
    }
}
