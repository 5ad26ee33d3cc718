//! Sections: what was read, and what it means.

use std::time::Duration;

use super::steps::{Walk, place_of};
use super::visit::{Answer, Halt, Note, Reading};
use crate::files::condition::{Condition, Unknown};
use crate::files::model::{Reasoned, Section, Step, Verb, Verdict, Want};
use crate::run::{Failure, FailureKind, SOMEBODY_ELSE};

/// How long a page that is not understood may stay as it is before it is read again.
const READ_AGAIN: Duration = Duration::from_millis(200);
/// How long a server whose answer is not understood is left alone before it is asked again.
const ASK_AGAIN: Duration = Duration::from_secs(3);

impl Walk<'_, '_> {
    /// All steps of a section, then its meaning. Where it states both `done` and `todo` and neither or both hold, the
    /// reads are repeated until the time of the last step is over: a page may take a moment until it is itself.
    pub(super) async fn section(mut self, section: &Section) -> Result<Reading, Halt> {
        self.steps(&section.steps, section.steps.len()).await?;
        let limit = section.steps.last().map_or(Duration::ZERO, |step| step.timeout);
        let end = self.visit.clock.uptime() + limit;
        loop {
            match self.judge(section)? {
                Judged::Clear(answer) => return Ok(self.reading(section, answer)),
                Judged::Unclear(why) if self.visit.clock.uptime() >= end => {
                    return Err(self.unclear(section, why).await);
                }
                Judged::Unclear(_) => self.read_again(&section.steps).await?,
            }
        }
    }

    /// The same of a section that says who is signed in. Another person is neither "signed in" nor "signed out": nothing is
    /// done in that session, and nothing is typed.
    pub(super) async fn identity(mut self, section: &Section) -> Result<Reading, Halt> {
        self.identifies = true;
        self.section(section).await
    }

    /// What has been read by now means, without another look; none where it is not clear.
    pub(super) fn identity_now(&self, section: &Section) -> Result<Option<Answer>, Failure> {
        match (self.somebody_else(section), self.judge(section)) {
            (Ok(Some((shown, own))), _) => Err(somebody_else(&shown, &own)),
            (_, Ok(Judged::Clear(answer))) => Ok(Some(answer)),
            _ => Ok(None),
        }
    }

    /// Somebody else than the account is signed in, by the section's own `done`. A `todo` that holds without asking for the
    /// account says that nobody is.
    fn somebody_else(&self, section: &Section) -> Result<Option<(String, String)>, Halt> {
        let Verdict::Stated { done, todo: Some(todo) } = &section.verdict else { return Ok(None) };
        let of_account = |condition: &Condition| condition.names().iter().any(|name| name.starts_with("account."));
        if self.holds(todo)? && !of_account(todo) {
            return Ok(None);
        }
        Ok(done.other_account(&self.scope))
    }

    fn judge(&self, section: &Section) -> Result<Judged, Halt> {
        if self.identifies && self.somebody_else(section)?.is_some() {
            return Ok(Judged::Unclear("somebody else is signed in"));
        }
        if let Some(reason) = self.first_that_holds(&section.skip)? {
            return Ok(Judged::Clear(Answer::Skip(reason)));
        }
        if let Some(reason) = self.first_that_holds(&section.later)? {
            return Ok(Judged::Clear(Answer::Later(reason)));
        }
        Ok(match &section.verdict {
            Verdict::Reads => Judged::Clear(Answer::Reads),
            Verdict::Goal { have, want } => Judged::Clear(self.goal(have, want)?),
            Verdict::Stated { done, todo: None } => {
                Judged::Clear(if self.holds(done)? { Answer::Done } else { Answer::NotYet })
            }
            Verdict::Stated { done, todo: Some(todo) } => match (self.holds(done)?, self.holds(todo)?) {
                (true, false) => Judged::Clear(Answer::Done),
                (false, true) => Judged::Clear(Answer::Todo),
                (true, true) => Judged::Unclear("both `done` and `todo` hold"),
                (false, false) => Judged::Unclear("neither `done` nor `todo` holds"),
            },
        })
    }

    fn goal(&self, have: &Condition, want: &Want) -> Result<Answer, Failure> {
        let number = |condition: &Condition| condition.number(&self.scope).map_err(|why| unknown(condition, &why));
        let have = number(have)?;
        let want = match want {
            Want::Total(condition) => Some(number(condition)?),
            Want::More(_) => None,
        };
        Ok(Answer::Goal { have, want })
    }

    fn holds(&self, condition: &Condition) -> Result<bool, Failure> {
        condition.holds(&self.scope).map_err(|why| unknown(condition, &why))
    }

    fn first_that_holds(&self, list: &[Reasoned]) -> Result<Option<String>, Failure> {
        for each in list {
            if self.holds(&each.when)? {
                return self.render(&each.reason).map(Some);
            }
        }
        Ok(None)
    }

    fn reading(mut self, section: &Section, answer: Answer) -> Reading {
        for notice in &section.notice {
            // A notice whose condition is unknown says nothing; the verdict does not hang on it.
            if self.holds(&notice.when) == Ok(true)
                && let Ok(reason) = self.render(&notice.reason)
            {
                self.note(Note::Notice(reason));
            }
        }
        Reading { answer, values: self.values, notes: self.notes }
    }

    /// The reads once more, without doing again what led to them. Only a `fetch` and a `file` are asked anew.
    async fn read_again(&mut self, steps: &[Step]) -> Result<(), Halt> {
        let from = steps.iter().rposition(|step| loads(&step.verb)).unwrap_or(0);
        let asks = steps[from..].iter().any(|step| matches!(step.verb, Verb::Fetch(_)));
        self.visit.clock.sleep_real(if asks { ASK_AGAIN } else { READ_AGAIN }).await;
        for step in &steps[from..] {
            if matches!(step.verb, Verb::Fetch(_) | Verb::File { .. }) {
                self.step(step, None).await?;
            } else {
                self.read_only(step).await?;
            }
        }
        Ok(())
    }

    async fn read_only(&mut self, step: &Step) -> Result<(), Halt> {
        let left_out = step.when.as_ref().is_some_and(|when| self.holds(when) == Ok(false));
        if left_out {
            return Ok(());
        }
        self.set_limit(step.timeout);
        match self.read_all(&step.reads).await {
            Ok(()) => Ok(()),
            Err(failure) => Err(Halt::Failed(self.explain(failure, step).await)),
        }
    }

    async fn unclear(&mut self, section: &Section, why: &str) -> Halt {
        if self.identifies
            && let Ok(Some((shown, own))) = self.somebody_else(section)
        {
            let failure = self.with_page(somebody_else(&shown, &own)).await;
            return Halt::Failed(failure.at_step(section.place.to_string()));
        }
        let Verdict::Stated { done, todo: Some(todo) } = &section.verdict else {
            return Halt::Failed(Failure::new(FailureKind::PageChanged, format!("The page is not understood: {why}.")));
        };
        let message = format!("The page is not understood: {why} (done: `{}`, todo: `{}`).", done.text(), todo.text());
        let failure = Failure::new(FailureKind::PageChanged, message);
        match section.steps.last() {
            Some(step) => Halt::Failed(self.explain(failure.at_step(place_of(step)), step).await),
            None => Halt::Failed(failure),
        }
    }
}

/// What a look at the reads gave.
enum Judged {
    Clear(Answer),
    Unclear(&'static str),
}

/// The failure of a session that is another person's. Names are shown in part: enough to tell whose they are.
fn somebody_else(shown: &str, own: &str) -> Failure {
    let message = format!(
        "the site says that {} is signed in, and this is the account of {}: nothing was done in that session, and nothing typed",
        in_part(shown),
        in_part(own)
    );
    Failure { rule: Some(SOMEBODY_ELSE.to_owned()), ..Failure::new(FailureKind::Login, message) }
}

/// The beginning and the end of a name; of a mail address, the whole domain.
fn in_part(name: &str) -> String {
    let (local, domain) = match name.split_once('@') {
        Some((local, domain)) => (local, format!("@{domain}")),
        None => (name, String::new()),
    };
    let signs: Vec<char> = local.chars().take(60).collect();
    let ends = if signs.len() > 5 { 2 } else { 1 };
    let start: String = signs.iter().take(ends).collect();
    let end: String = if signs.len() > 2 { signs[signs.len() - ends..].iter().collect() } else { String::new() };
    format!("“{start}…{end}{domain}”")
}

/// Steps that bring the page or the answer that later reads look at.
fn loads(verb: &Verb) -> bool {
    matches!(verb, Verb::Open { .. } | Verb::Fetch(_) | Verb::File { .. } | Verb::Click { .. } | Verb::Go(_))
}

fn unknown(condition: &Condition, why: &Unknown) -> Failure {
    Failure::new(FailureKind::PageChanged, format!("`{}` has no answer: {why}.", condition.text()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_shown_in_part() {
        let shown = ["linxiaoman", "lin@mail.example", "李", "王小明", "13800138000", "ab", "abcde"].map(in_part);
        assert_eq!(shown, ["“li…an”", "“l…n@mail.example”", "“李…”", "“王…明”", "“13…00”", "“a…”", "“a…e”"]);
    }
}
