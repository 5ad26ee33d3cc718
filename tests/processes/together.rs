//! Eight runs started at the same moment on one ledger.

use std::process::Stdio;

use crate::household::{Household, Told};
use crate::support::{Outcome, browser_turn};

/// How many start together.
const AT_ONCE: usize = 8;
#[tokio::test]
async fn eight_runs_at_once_act_once_and_seven_say_why_not() {
    at_once(5).await;
}

#[tokio::test]
#[ignore = "minutes long: part of `make soak`"]
async fn twenty_times() {
    at_once(20).await;
}

/// So many times, on as many days of one ledger.
async fn at_once(times: usize) {
    let _turn = browser_turn();
    let household = Household::new().await;
    for time in 1..=times {
        // A day later each time: the same ledger, and a key of its own.
        household.set_clock(time as i64, 9, 0);
        household.site.forget();
        let told = all_at_once(&household).await;
        let lines: Vec<_> = told.iter().map(Told::status).collect();
        assert_eq!(household.site.acts(), 1, "time {time}: {lines:?}");
        // Whoever found another at work names that; whoever came later saw it done.
        for told in &told {
            let says_why = told.names_another() || told.status().0 == "compensated";
            assert!(says_why, "time {time}: {lines:?}\n{}", told.outcome);
        }
        assert!(lines.iter().any(|(status, _)| status == "compensated"), "time {time}: {lines:?}");
        assert_eq!(told.iter().filter(|told| told.reported()).count(), 1, "time {time}: {lines:?}");
    }
}

async fn all_at_once(household: &Household) -> Vec<Told> {
    let start = |_| {
        let mut run = household.morning("data");
        run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
    };
    let running: Vec<_> = (0..AT_ONCE).map(start).collect();
    let mut told = Vec::new();
    for run in running {
        let ended = run.wait_with_output().await.expect("it ends");
        told.push(Told::of(Outcome {
            code: ended.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&ended.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&ended.stderr).into_owned(),
        }));
    }
    told
}
