//! The four answers of `/healthz`.

use chrono::TimeDelta;
use sunup::run::{Event, Failure, FailureKind, Status};

use crate::lab::{Lab, done, failing, now, sent};

impl Lab {
    async fn health(&self) -> (u16, String) {
        let reply = self.get("/healthz", &[]).await;
        (reply.status, reply.json()["answer"].as_str().unwrap().to_owned())
    }
}

fn is(status: u16, answer: &str) -> (u16, String) {
    (status, answer.to_owned())
}

#[tokio::test]
async fn fresh_until_something_was_proved_or_failed() {
    let lab = Lab::fresh().await;
    assert_eq!(lab.health().await, is(200, "fresh"));
    lab.play("community/read", "main", 0, &sent());
    let skipped = [Event::Closed { status: Status::Skipped, reason: "holiday".into() }];
    lab.play("community/checkin", "main", 0, &skipped);
    assert_eq!(lab.health().await, is(200, "fresh"), "neither is an outcome");
    lab.play("books/checkin", "main", 0, &done());
    assert_eq!(lab.health().await, is(200, "last_verified"));
    let reply = lab.get("/healthz", &[]).await.json();
    assert_eq!(reply["last_verified"], "2026-11-29T22:06:00Z");
    assert_eq!(reply["last_failed"], serde_json::Value::Null);
}

#[tokio::test]
async fn the_last_day_with_an_outcome_is_what_counts() {
    let lab = Lab::fresh().await;
    let failed = || failing(Failure::new(FailureKind::Network, "no network"));
    lab.play("community/checkin", "main", 2, &failed());
    assert_eq!(lab.health().await, is(503, "last_failed"));
    lab.play("community/checkin", "main", 1, &done());
    assert_eq!(lab.health().await, is(200, "last_verified"));
    lab.play("community/checkin", "main", 0, &sent());
    assert_eq!(lab.health().await, is(200, "last_verified"), "today is not decided yet");
    lab.play("books/checkin", "main", 0, &failed());
    lab.play("community/read", "main", 0, &done());
    assert_eq!(lab.health().await, is(503, "last_failed"), "one of a day is enough, whatever was proved after it");
}

#[tokio::test]
async fn a_daemon_that_does_not_look_at_the_clock_is_wedged() {
    let lab = Lab::fresh().await;
    lab.play("community/checkin", "main", 0, &done());
    lab.set_time(now() + TimeDelta::seconds(120));
    assert_eq!(lab.health().await, is(200, "last_verified"));
    lab.set_time(now() + TimeDelta::seconds(121));
    assert_eq!(lab.health().await, is(503, "wedged"));
    lab.change(|health| health.seen_at = now() + TimeDelta::seconds(121));
    assert_eq!(lab.health().await, is(200, "last_verified"));
}

#[tokio::test]
async fn a_round_that_does_not_end_is_wedged() {
    let lab = Lab::fresh().await;
    let began = now();
    lab.change(|health| (health.in_round, health.round_began) = (true, Some(began)));
    for (minutes, answer) in [(150, is(200, "fresh")), (151, is(503, "wedged"))] {
        let at = now() + TimeDelta::minutes(minutes);
        lab.set_time(at);
        lab.change(|health| health.seen_at = at);
        assert_eq!(lab.health().await, answer, "{minutes}");
    }
}

#[tokio::test]
async fn a_round_that_broke_off_is_no_good_end() {
    let lab = Lab::fresh().await;
    lab.play("community/checkin", "main", 0, &done());
    lab.change(|health| health.round_fault = Some("the disk is full".into()));
    assert_eq!(lab.health().await, is(503, "last_failed"));
    assert!(!lab.get("/healthz", &[]).await.body.contains("disk"), "anybody may ask it");
}
