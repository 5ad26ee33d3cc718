//! Eight runs started at the same moment on one ledger.

use crate::household::{Household, names_another, status};
use crate::stage::Morning;
use crate::support::{browser_turn, ended, start};

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
        let lines: Vec<_> = told.iter().map(status).collect();
        assert_eq!(household.site.acts(), 1, "time {time}: {lines:?}");
        // Whoever found another at work names that; whoever came later saw it done.
        for told in &told {
            let says_why = names_another(told) || status(told).0 == "compensated";
            assert!(says_why, "time {time}: {lines:?}\n{}", told.outcome);
        }
        assert!(lines.iter().any(|(status, _)| status == "compensated"), "time {time}: {lines:?}");
        assert_eq!(told.iter().filter(|told| !told.json["report"].is_null()).count(), 1, "time {time}: {lines:?}");
    }
}

async fn all_at_once(household: &Household) -> Vec<Morning> {
    let running: Vec<_> = (0..AT_ONCE).map(|_| start(household.morning("data"))).collect();
    let mut told = Vec::new();
    for run in running {
        told.push(Morning::of(ended(run).await));
    }
    told
}
