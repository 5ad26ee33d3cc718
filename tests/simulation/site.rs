//! The simulated site: what is true, and what its pages show, which is not always the same.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use rust_decimal::Decimal;
use sunup::run::{Answer, Failure, FailureKind, Lane, Which};
use sunup::timing::{Calendar, Period};

use crate::chance::Chance;
use crate::task::Task;

/// How a site behaves. Rates are times in a thousand.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mood {
    /// Acts show so many seconds after they count.
    pub lag: i64,
    /// Acts count for nothing.
    pub deaf: u32,
    /// The first read of three fails.
    pub flaky: bool,
    /// The first attempt to get to the commit step fails.
    pub stumbles: bool,
    pub reads_fail: u32,
    pub prepares_fail: u32,
    /// The browser is lost just after the act was sent.
    pub answers_lost: u32,
    /// The driver proves that nothing was sent.
    pub not_sent: u32,
    /// The site says no to the act, which counts for nothing.
    pub refuses: u32,
    /// It does so to the first one.
    pub refuses_first: bool,
    /// It says no, and counts the act.
    pub says_no: bool,
    pub sessions_expire: u32,
    pub sign_ins_fail: u32,
    /// It asks for a person; one time in four the whole site does.
    pub asks_for_person: u32,
    pub rate_limits: u32,
}

/// An act that arrived.
#[derive(Debug, Clone)]
pub struct Act {
    pub lane: Lane,
    pub task: &'static str,
    /// The site's day on which it counts.
    pub day: NaiveDate,
    pub counts: bool,
    pub refused: bool,
    pub shows_at: DateTime<Utc>,
}

/// The way in for one account.
#[derive(Debug, Clone)]
pub struct Door {
    pub lane: Lane,
    pub signed_in: bool,
    pub blocked: Option<FailureKind>,
}

/// What became of a commit step.
pub enum Sent {
    /// What went wrong then, and what the site showed if it said no.
    Sent {
        trouble: Option<Failure>,
        refused: Option<String>,
    },
    NotSent(Failure),
}

/// One site with its accounts.
#[derive(Debug, Clone)]
pub struct Site {
    pub id: String,
    pub calendar: Calendar,
    pub mood: Mood,
    pub doors: Vec<Door>,
    pub acts: Vec<Act>,
    pub blocked: Option<FailureKind>,
    busy_until: DateTime<Utc>,
    reads: u32,
    prepares: u32,
}

impl Site {
    pub fn new(id: &str, calendar: Calendar, lanes: &[Lane]) -> Self {
        let door = |lane: &Lane| Door { lane: lane.clone(), signed_in: true, blocked: None };
        Site {
            id: id.to_owned(),
            calendar,
            mood: Mood::default(),
            doors: lanes.iter().filter(|lane| lane.site == id).map(door).collect(),
            acts: Vec::new(),
            blocked: None,
            busy_until: DateTime::<Utc>::MIN_UTC,
            reads: 0,
            prepares: 0,
        }
    }

    pub fn door(&mut self, lane: &Lane) -> &mut Door {
        self.doors.iter_mut().find(|door| door.lane == *lane).expect("every account has a door")
    }

    /// How many there are of this task in this period, whatever the pages show.
    pub fn have(&self, task: &Task, period: &Period) -> u32 {
        self.count(task, period, |act| act.counts)
    }

    fn shown(&self, task: &Task, period: &Period, now: DateTime<Utc>) -> u32 {
        self.count(task, period, |act| act.counts && act.shows_at <= now)
    }

    fn count(&self, task: &Task, period: &Period, wanted: impl Fn(&Act) -> bool) -> u32 {
        let once = period.to == DateTime::<Utc>::MAX_UTC;
        let inside = |act: &&Act| once || (period.start <= act.day && act.day <= period.end);
        let ours = self.acts.iter().rev().filter(|act| act.task == task.id && act.lane == task.lane);
        ours.filter(inside).filter(|act| wanted(act)).count() as u32
    }

    /// Every page may say something else than what was asked for.
    fn page(&mut self, chance: &Chance, lane: &Lane, now: DateTime<Utc>) -> Result<(), Failure> {
        let mood = self.mood;
        if now < self.busy_until {
            return Err(self.busy(now));
        }
        if chance.in_thousand(mood.asks_for_person) {
            match chance.below(4) {
                0 => self.blocked = Some(FailureKind::AccessDenied),
                _ => self.door(lane).blocked = Some(chance.one_of(&[FailureKind::Captcha, FailureKind::Terms])),
            }
        }
        if let Some(kind) = self.blocked.or(self.door(lane).blocked) {
            return Err(Failure::new(kind, "the page asks for a person"));
        }
        if chance.in_thousand(mood.rate_limits) {
            self.busy_until = now + TimeDelta::minutes(chance.between(2, 50));
            return Err(self.busy(now));
        }
        if chance.in_thousand(mood.sessions_expire) {
            self.door(lane).signed_in = false;
        }
        Ok(())
    }

    fn busy(&self, now: DateTime<Utc>) -> Failure {
        let mut failure = Failure::new(FailureKind::RateLimited, "429");
        // Whole seconds, as servers say it.
        failure.retry_at = Some(now + TimeDelta::seconds((self.busy_until - now).num_seconds() + 1));
        failure
    }

    /// Who is signed in.
    pub fn identify(&mut self, chance: &Chance, lane: &Lane, now: DateTime<Utc>) -> Result<Answer, Failure> {
        self.page(chance, lane, now)?;
        if chance.in_thousand(self.mood.reads_fail) {
            return Err(Failure::new(FailureKind::Network, "no connection"));
        }
        Ok(if self.door(lane).signed_in { Answer::Done } else { Answer::Todo })
    }

    /// The sign-in form is submitted.
    pub fn sign_in(&mut self, chance: &Chance, lane: &Lane) {
        if self.blocked.is_none() && self.door(lane).blocked.is_none() {
            self.door(lane).signed_in = !chance.in_thousand(self.mood.sign_ins_fail);
        }
    }

    /// What a section reads for a period.
    pub fn read(
        &mut self,
        chance: &Chance,
        task: &Task,
        which: Which,
        period: &Period,
        now: DateTime<Utc>,
    ) -> Result<Answer, Failure> {
        self.page(chance, &task.lane, now)?;
        self.reads += 1;
        if (self.mood.flaky && self.reads % 3 == 1) || chance.in_thousand(self.mood.reads_fail) {
            let kind = chance.one_of(&[FailureKind::ServerError, FailureKind::Timeout, FailureKind::PageChanged]);
            let step = format!("read {}", self.reads);
            return Err(Failure::new(kind, "not read").at_step(step));
        }
        if !self.door(&task.lane).signed_in {
            return Err(Failure::new(FailureKind::SessionExpired, "nobody is signed in"));
        }
        let (have, want) = (self.shown(task, period, now), task.shape.want);
        Ok(match (want > 1, have >= want, which) {
            (true, ..) => Answer::Goal { have: Decimal::from(have), want: Some(Decimal::from(want)) },
            (false, true, _) => Answer::Done,
            (false, false, Which::Verify | Which::Baseline) if !task.shape.verify_is_check => Answer::NotYet,
            _ => Answer::Todo,
        })
    }

    /// The steps before the commit.
    pub fn prepare(&mut self, chance: &Chance, lane: &Lane, now: DateTime<Utc>) -> Result<(), Failure> {
        self.page(chance, lane, now)?;
        self.prepares += 1;
        if (self.mood.stumbles && self.prepares == 1) || chance.in_thousand(self.mood.prepares_fail) {
            return Err(Failure::new(FailureKind::PageChanged, "no button"));
        }
        if self.door(lane).signed_in { Ok(()) } else { Err(Failure::new(FailureKind::SessionExpired, "signed out")) }
    }

    /// The commit step.
    pub fn act(&mut self, chance: &Chance, task: &Task, now: DateTime<Utc>) -> Sent {
        let mood = self.mood;
        if chance.in_thousand(mood.not_sent) {
            return Sent::NotSent(Failure::new(FailureKind::NotRendered, "the button is covered"));
        }
        let refused = chance.in_thousand(mood.refuses) || (mood.refuses_first && self.acts.is_empty());
        let deaf = chance.in_thousand(mood.deaf);
        let open = self.blocked.is_none() && self.door(&task.lane).blocked.is_none() && now >= self.busy_until;
        let counts = !refused && !deaf && open && self.door(&task.lane).signed_in;
        self.arrive(task, now, counts);
        if let Some(act) = self.acts.last_mut() {
            act.refused = refused;
        }
        let lost = !refused && chance.in_thousand(mood.answers_lost);
        Sent::Sent {
            trouble: lost.then(|| Failure::new(FailureKind::BrowserCrashed, "the browser is gone")),
            refused: (refused || mood.says_no).then(|| "too busy".to_owned()),
        }
    }

    /// Acts that counted, or that the runner could not know to count for nothing.
    pub fn tried(&self) -> usize {
        self.acts.iter().filter(|act| act.counts || !act.refused).count()
    }

    /// An act arrives, from the runner or from the person's phone.
    pub fn arrive(&mut self, task: &Task, now: DateTime<Utc>, counts: bool) {
        let shows_at = now + TimeDelta::seconds(self.mood.lag);
        let day = self.calendar.day(now);
        self.acts.push(Act { lane: task.lane.clone(), task: task.id, day, counts, refused: false, shows_at });
    }
}
