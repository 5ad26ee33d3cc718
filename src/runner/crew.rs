//! Several lanes at work at one time, on one thread. One that panics takes no other with it.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use anyhow::{Result, anyhow};

use crate::run::Lane;

type Work<'m, T> = Pin<Box<dyn Future<Output = Result<T>> + 'm>>;

/// The lanes that are at work.
pub(super) struct Crew<'m, T> {
    at_work: Vec<(Lane, Work<'m, T>)>,
}

impl<'m, T> Crew<'m, T> {
    /// Nobody.
    pub fn new() -> Self {
        Crew { at_work: Vec::new() }
    }

    /// This lane begins.
    pub fn start(&mut self, lane: Lane, work: impl Future<Output = Result<T>> + 'm) {
        self.at_work.push((lane, Box::pin(work)));
    }

    /// True when no lane is at work.
    pub fn is_empty(&self) -> bool {
        self.at_work.is_empty()
    }

    /// True while this lane is at work.
    pub fn has(&self, lane: &Lane) -> bool {
        self.at_work.iter().any(|(other, _)| other == lane)
    }

    /// Lets each lane go on as far as it can. Those that are done leave, each with what came of it; a panic of ours is a
    /// fault of that lane alone.
    pub fn poll(&mut self, context: &mut Context<'_>) -> Vec<(Lane, Result<T>)> {
        let mut done = Vec::new();
        let mut at = 0;
        while let Some((_, work)) = self.at_work.get_mut(at) {
            match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
                Ok(Poll::Pending) => at += 1,
                Ok(Poll::Ready(came)) => done.push((self.at_work.remove(at).0, came)),
                Err(panic) => done.push((self.at_work.remove(at).0, Err(anyhow!("it panicked: {}", text_of(&*panic))))),
            }
        }
        done
    }
}

fn text_of(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no word was said")
}

#[cfg(test)]
mod tests {
    use std::future::{pending, poll_fn, ready};

    use super::*;

    fn lane(account: &str) -> Lane {
        Lane { site: "community".into(), account: account.into() }
    }

    async fn next<T>(crew: &mut Crew<'_, T>) -> Vec<(Lane, Result<T>)> {
        poll_fn(|context| match crew.poll(context) {
            done if done.is_empty() => Poll::Pending,
            done => Poll::Ready(done),
        })
        .await
    }

    #[tokio::test]
    async fn a_lane_that_panics_or_fails_takes_no_other_with_it() {
        let mut crew = Crew::new();
        crew.start(lane("panics"), async { panic!("out of {}", "order") });
        crew.start(lane("fails"), ready(Err(anyhow!("the disk is full"))));
        crew.start(lane("works"), async {
            tokio::task::yield_now().await;
            Ok(7)
        });
        crew.start(lane("waits"), pending());
        let told: Vec<String> =
            next(&mut crew).await.into_iter().map(|(lane, came)| format!("{}: {came:?}", lane.account)).collect();
        assert!(told[0].starts_with("panics: Err(it panicked: out of order"), "{told:?}");
        assert!(told[1].starts_with("fails: Err(the disk is full"), "{told:?}");
        let done = next(&mut crew).await;
        assert_eq!((done.len(), done[0].1.as_ref().ok()), (1, Some(&7)));
        assert!(crew.has(&lane("waits")) && !crew.has(&lane("works")) && !crew.is_empty());
    }
}
