//! Dead letters: what of each a person is told, and their order that one of them shall go on.

use anyhow::Result;
use chrono::Days;

use super::plan::{Planned, plan};
use super::report::task_run;
use super::round::run_id;
use crate::clock::Instant;
use crate::files::model::Project;
use crate::ledger::{BY_A_PERSON, Ledger, StatusLine};
use crate::report::{DeadLetters, TaskRun};
use crate::run::{self, Event, Key, Status};
use crate::timing::{Period, PeriodKind};

/// A dead letter that nobody has taken note of.
#[derive(Debug, Clone, PartialEq)]
pub struct DeadLetter {
    /// Its key.
    pub key: Key,
    /// Since when it is dead.
    pub died_at: Instant,
    /// What became of it.
    pub run: TaskRun,
    /// Why it cannot be ordered to go on; none when it can.
    pub over: Option<String>,
}

/// The dead letters that nobody has taken note of, oldest first.
pub fn dead_letters(project: &Project, ledger: &Ledger, now: Instant) -> Result<Vec<DeadLetter>> {
    let lines = ledger.dead_letters()?;
    let letter = |line: &StatusLine| {
        let run = task_run(project, ledger, line, None)?;
        let over = ordered(project, ledger, &line.row.key, now)?.err();
        Ok(DeadLetter { key: line.row.key.clone(), died_at: line.closed_at.unwrap_or(line.changed_at), run, over })
    };
    lines.iter().map(letter).collect()
}

/// The dead letters that nobody has taken note of, but for these, which are told of anyway; none when there is none.
pub(super) fn earlier(
    project: &Project,
    ledger: &Ledger,
    but_for: &[StatusLine],
    now: Instant,
) -> Result<Option<DeadLetters>> {
    let mut letters = ledger.dead_letters()?;
    letters.retain(|letter| but_for.iter().all(|line| line.row.key != letter.row.key));
    let mut can_go_on = 0;
    for letter in letters.iter().filter(|letter| may_last(&letter.row.period, now)) {
        can_go_on += usize::from(ordered(project, ledger, &letter.row.key, now)?.is_ok());
    }
    let waiting = letters.len();
    Ok((waiting > 0).then_some(DeadLetters { waiting, can_go_on }))
}

/// False for a period that is over whatever the zone: its keys need not be folded, however many there are.
fn may_last(period: &Period, now: Instant) -> bool {
    period.kind == PeriodKind::Once || period.end + Days::new(2) >= now.date_naive()
}

/// A person orders a dead key to go on: it acts again once `check` says "to do". The answer is why it cannot.
pub fn order(project: &Project, ledger: &Ledger, key: &Key, now: Instant) -> Result<Result<(), String>> {
    Ok(match ordered(project, ledger, key, now)? {
        Ok(after) => Ok(ledger.append(&run_id(), key, now, &by_a_person(), &after)?),
        Err(why) => Err(why),
    })
}

fn by_a_person() -> Event {
    Event::Ordered { by: BY_A_PERSON.to_owned() }
}

/// The state that the order leads to, or why it would lead nowhere.
fn ordered(project: &Project, ledger: &Ledger, key: &Key, now: Instant) -> Result<Result<run::TaskRun, String>> {
    let Some(line) = ledger.key(key)?.filter(|line| line.status == Status::Dead) else {
        return Ok(Err("it is not dead".to_owned()));
    };
    // A week's window is today's.
    let today = plan(project, now).into_iter().find(|planned| planned.row.key == *key);
    let Some(planned) = today.or_else(|| Planned::again(project, line.row)) else {
        return Ok(Err("its task file is gone".to_owned()));
    };
    let mut state = run::TaskRun::fold(&ledger.events(key)?, &planned.rules);
    state.apply(now, &by_a_person(), &planned.rules);
    Ok(match state.over(now, &planned.rules) {
        Some((_, reason)) => Err(format!("its time is over: {reason}")),
        None => Ok(state),
    })
}
