//! Orders: asked by the same decision as everything else, on record, answered; and what follows from them.

use anyhow::Result;

use super::{Answer, RunNow};
use crate::run::{Key, Source, Status};
use crate::runner::{Answered, Morning, Round, names_task};

/// What was ordered and is not done yet.
#[derive(Debug, Default)]
pub(super) struct Ordered {
    /// In the round under way.
    now: Vec<Key>,
    /// In the next one, which follows at once: the round under way is not about these.
    next: Vec<(Key, String)>,
}

impl Ordered {
    /// True when a round must follow at once.
    pub fn is_waiting(&self) -> bool {
        !self.next.is_empty()
    }

    /// The tasks of the round that follows.
    pub fn take(&mut self) -> Vec<String> {
        let (keys, tasks) = std::mem::take(&mut self.next).into_iter().unzip();
        self.now = keys;
        tasks
    }

    /// Whatever it was told to do is done, or will be told of by the ledger.
    pub fn round_is_over(&mut self) {
        self.now.clear();
    }

    /// Asks, puts on record, and answers. `under_way` are the names that the round under way is about, if there is one.
    pub async fn answer(&mut self, round: &Round<'_>, under_way: Option<&[String]>, order: RunNow) {
        let answers = match self.ask(round, under_way, order.tasks).await {
            Ok(answers) => answers,
            // Without an answer the other side knows that something is wrong; what, stands in the log.
            Err(error) => return tracing::error!("an order was not taken: {error:#}"),
        };
        // Whoever asked may have gone.
        let _ = order.answer.send(answers);
    }

    async fn ask(
        &mut self,
        round: &Round<'_>,
        under_way: Option<&[String]>,
        tasks: Vec<String>,
    ) -> Result<Vec<Answer>> {
        // No name at all would mean everything.
        if tasks.is_empty() {
            return Ok(Vec::new());
        }
        let is_about = |site: &str, task: &str| under_way.is_some_and(|only| names_task(only, site, task));
        let runs = |key: &Key| matches!(round.ledger.key(key), Ok(Some(line)) if line.status == Status::Running);
        let world = round.world(round.watch);
        let morning = Morning::new(&world, tasks).by(Source::Api);
        let asked = morning.answers(|row| {
            let is_ordered = self.now.contains(&row.key) || self.next.iter().any(|(key, _)| *key == row.key);
            is_ordered || (is_about(&row.lane.site, &row.task) && runs(&row.key))
        });
        let asked = asked.await?;
        for Answered { key, task, .. } in asked.iter().filter(|answered| answered.runs) {
            if task.split_once('/').is_some_and(|(site, task)| is_about(site, task)) {
                self.now.push(key.clone());
                round.control.look_again();
            } else {
                self.next.push((key.clone(), task.clone()));
            }
        }
        let answer = |asked: Answered| Answer { key: asked.key, decision: asked.decision, runs: asked.runs };
        Ok(asked.into_iter().map(answer).collect())
    }
}
