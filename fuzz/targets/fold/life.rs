//! The lines of a ledger, any lines in any order: folding them is what living through them was, and the loop goes on from
//! there to an end, in so many steps, without sending anything twice.

mod draw;

use std::collections::BTreeSet;

use arbitrary::{Result, Unstructured};
use chrono::{DateTime, TimeDelta, Utc};
use sunup::files::model::Effect;
use sunup::run::{Event, Next, Phase, Rules, TaskRun};

use draw::Draw;

/// Lines that are drawn before the loop takes over, at the most.
const LINES: usize = 48;
/// Steps of the loop, after all that was drawn is used up. The most are reads of evidence that never comes: every two
/// minutes of a day's settle time, and then for three days.
const STEPS: u32 = 2_500;

/// One key, lived through and written down.
struct Life {
    rules: Rules,
    now: DateTime<Utc>,
    live: TaskRun,
    /// As the ledger keeps them.
    lines: Vec<(DateTime<Utc>, String)>,
    /// Units that were sent by the loop, and not freed.
    sent: BTreeSet<Option<String>>,
    /// The generation that the loop intended last.
    generation: Option<u32>,
}

/// A life out of these bytes; it ends where they run out.
pub fn judge(data: &[u8]) {
    let _ = play(&mut Draw(Unstructured::new(data)));
}

fn play(draw: &mut Draw<'_>) -> Result<()> {
    let extreme = draw.flag()?;
    let rules = draw.rules(extreme)?;
    let now = rules.window.slot;
    let mut life =
        Life { rules, now, live: TaskRun::default(), lines: Vec::new(), sent: BTreeSet::new(), generation: None };
    for _ in 0..draw.below(LINES)? {
        life.now = draw.later(life.now)?;
        let Ok(event) = draw.event() else { break };
        life.tell(&event);
    }
    if !extreme {
        life.go_on(draw);
    }
    life.judge_fold();
    Ok(())
}

impl Life {
    fn tell(&mut self, event: &Event) {
        self.live.apply(self.now, event, &self.rules);
        self.lines.push((self.now, serde_json::to_string(event).expect("an event has a JSON")));
        self.judge();
    }

    /// What is true of every state.
    fn judge(&self) {
        let Life { live, rules, now, .. } = self;
        let next = live.next(*now, rules);
        assert_eq!(next == Next::Done, live.phase == Phase::Closed, "{live:?}");
        assert_eq!(live.status.is_final(), live.phase == Phase::Closed, "{live:?}");
        if let Next::Wait(until) = next {
            assert!(until > *now, "it waits for what is past: {live:?}");
        }
        for other in [rules.window.slot - TimeDelta::days(1), rules.window.until, rules.period.to] {
            live.next(other, rules);
            live.may_begin(other);
        }
    }

    /// The runner's loop: it asks what is next, does it, and what comes of it is drawn; when nothing is left to draw, every
    /// read fails.
    fn go_on(&mut self, draw: &mut Draw<'_>) {
        let mut steps = 0;
        while steps < STEPS {
            steps += u32::from(draw.is_empty());
            let event = match self.live.next(self.now, &self.rules) {
                Next::Done => return,
                Next::Wait(until) => {
                    self.now = until;
                    continue;
                }
                Next::Later(_) if self.now < self.rules.window.slot => {
                    self.now = self.rules.window.slot;
                    continue;
                }
                // Another run's, in the next window.
                Next::Later(_) => return,
                Next::Intend { generation, unit } => self.intend(generation, unit),
                Next::Release(reason) => {
                    self.sent.pop_last();
                    Event::Released { reason }
                }
                next => draw.answer(&next),
            };
            if matches!(event, Event::NotSent { .. }) {
                self.sent.clear();
            }
            self.tell(&event);
        }
        panic!("{STEPS} steps, and no end: {:?}", self.live);
    }

    /// At most one act for each unit that nothing freed, under a generation of its own.
    fn intend(&mut self, generation: u32, unit: Option<String>) -> Event {
        assert!(self.generation.is_none_or(|last| last < generation), "{generation} again: {:?}", self.live);
        self.generation = Some(generation);
        let first = self.sent.insert(unit.clone());
        assert!(first || self.rules.effect == Effect::Repeatable, "{unit:?} is sent twice: {:?}", self.live);
        Event::Intended { generation, unit }
    }

    /// The lines, read back, fold to the state that was lived.
    fn judge_fold(&self) {
        let read =
            |(at, text): &(DateTime<Utc>, String)| (*at, serde_json::from_str(text).expect("a line is read back"));
        let lines: Vec<(DateTime<Utc>, Event)> = self.lines.iter().map(read).collect();
        assert_eq!(TaskRun::fold(&lines, &self.rules), self.live);
    }
}
