//! Every single and double crash of each shape on each kind of site.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use chrono::{DateTime, TimeDelta, Utc};
use sunup::files::model::Effect;
use sunup::run::{Lane, Status, TaskRun};
use sunup::timing::Calendar;

use crate::bugs::Bug;
use crate::judge::Law;
use crate::site::{Mood, Site};
use crate::stage::{Fate, Stage};
use crate::task::{Planned, Shape, Task, ZONE, shapes};
use crate::world::{Book, World};

/// How a site behaves in a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Acts count, and show at once.
    Honest,
    /// Acts count, and show this long after.
    Lags(i64),
    /// Acts count for nothing.
    Deaf,
    /// Every third read fails.
    Flaky,
    /// The first attempt to get to the commit step fails.
    Stumbles,
    /// The first act is refused: it counts for nothing, and the site says so.
    Refuses,
    /// Acts count, show a while later, and the site says no all the same.
    SaysNo,
    /// The day's thing was done by phone already.
    DoneBefore,
}

impl Manner {
    pub const ALL: [Manner; 9] = [
        Manner::Honest,
        Manner::Lags(30),
        Manner::Lags(600),
        Manner::Deaf,
        Manner::Flaky,
        Manner::Stumbles,
        Manner::Refuses,
        Manner::SaysNo,
        Manner::DoneBefore,
    ];

    fn mood(self) -> Mood {
        let mood = Mood::default();
        match self {
            Manner::Honest | Manner::DoneBefore => mood,
            Manner::Lags(lag) => Mood { lag, ..mood },
            Manner::Deaf => Mood { deaf: 1_000, ..mood },
            Manner::Flaky => Mood { flaky: true, ..mood },
            Manner::Stumbles => Mood { stumbles: true, ..mood },
            Manner::Refuses => Mood { refuses_first: true, ..mood },
            Manner::SaysNo => Mood { says_no: true, lag: 60, ..mood },
        }
    }
}

/// A schedule: a task, a site, and the lines at which the runner dies, counted over all its lives.
#[derive(Debug, Clone, Copy)]
pub struct Schedule<'d> {
    pub shape: Shape,
    pub manner: Manner,
    pub deaths: &'d [u32],
}

/// The end of a schedule.
struct Ended {
    state: TaskRun,
    acts: usize,
    site_has: u32,
    intents: usize,
    lines: u32,
    broken: Option<(Law, String)>,
}

impl Schedule<'_> {
    /// Lives, dies and lives again until the key is final.
    fn end(&self, bug: Option<Bug>) -> Ended {
        // With a bug a schedule may leave anything behind.
        let (book, number) = if bug.is_some() { (Rc::new(Book::new()), 0) } else { shared_book() };
        let (world, planned) = world_of(book, number, bug, self.shape, self.manner);
        let before = world.sites.borrow()[0].tried();
        let lines = self.live(&world, &planned);
        let state = state(&world, &planned);
        let sites = world.sites.borrow();
        let judge = world.judge.borrow();
        Ended {
            state,
            acts: sites[0].tried() - before,
            site_has: sites[0].have(&planned.task, &planned.row.period),
            intents: world.ledger.sent_intents(&planned.row.key).unwrap() as usize,
            lines,
            broken: judge.broken.clone(),
        }
    }

    /// Lives until the key is final. How many lines it took.
    pub fn live(&self, world: &World, planned: &Planned) -> u32 {
        let mut stage = Stage::new(world, 1, 0);
        let lines = Cell::new(0);
        for _ in 0..300 {
            stage.start(0);
            stage.play(DateTime::<Utc>::MAX_UTC, |_, line| {
                lines.set(line);
                let dies = self.deaths.contains(&line);
                if dies { Fate::Dies(TimeDelta::seconds(20)) } else { Fate::GoOn }
            });
            if state(world, planned).status.is_final() || world.judge.borrow().broken.is_some() {
                return lines.get();
            }
            world.pass_until(world.truth() + TimeDelta::minutes(10));
        }
        panic!("the key never ends: {:?}", state(world, planned));
    }

    /// Plays it, and judges its end. The lines that were passed.
    fn play(&self) -> u32 {
        let ended = self.end(None);
        self.judge(&ended);
        ended.lines
    }

    /// The law that it breaks with this bug.
    pub fn broken_by(&self, bug: Bug) -> (Option<Law>, u32) {
        let ended = self.end(Some(bug));
        (ended.broken.map(|(law, _)| law), ended.lines)
    }

    fn judge(&self, ended: &Ended) {
        let (shape, state) = (self.shape, &ended.state);
        let told = format!("{self:?}: {state:?}, acts {}", ended.acts);
        assert!(ended.broken.is_none(), "{:?}: {told}", ended.broken);
        if state.status.is_done() {
            assert!(ended.site_has >= shape.want, "falsely done: {told}");
        }
        if shape.effect == Effect::Once {
            assert!(ended.acts <= shape.want as usize, "done twice: {told}");
        }
        if self.manner == Manner::DoneBefore {
            assert_eq!(ended.acts, 0, "acted although it was done: {told}");
            assert_eq!(state.status, Status::AlreadyDone, "{told}");
        }
        // A repeatable act that the server counts is not repeated either, once it shows.
        if shape.effect == Effect::Repeatable && matches!(self.manner, Manner::Honest | Manner::Lags(30)) {
            assert!(ended.acts <= shape.want as usize + self.deaths.len(), "repeated without need: {told}");
        }
        assert!(state.status.is_final(), "{told}");
        assert!(state.status.is_done() || state.reason.is_some(), "ended without a reason: {told}");
        assert!(ended.intents >= ended.acts, "an act without an intent: {told}");
    }
}

/// A world of one task and its key. Number so many on its ledger.
pub fn world_of(book: Rc<Book>, number: u32, bug: Option<Bug>, shape: Shape, manner: Manner) -> (World, Planned) {
    let start: DateTime<Utc> = "2026-11-29T22:00:00Z".parse().unwrap();
    let start = start + TimeDelta::days(3 * i64::from(number));
    let lane = Lane { site: "community".into(), account: format!("a{number}") };
    let calendar = Calendar { zone: ZONE, starts_at: chrono::NaiveTime::MIN };
    let mut site = Site::new("community", calendar, std::slice::from_ref(&lane));
    site.mood = manner.mood();
    let task = Task::new("checkin", lane, shape);
    if manner == Manner::DoneBefore {
        (0..shape.want).for_each(|_| site.arrive(&task, start, true));
    }
    let world = World::on(book, 0, bug, start, vec![task], vec![site]);
    let planned = world.plan(start.with_timezone(&ZONE).date_naive())[0].clone();
    (world, planned)
}

/// A ledger for many schedules, each a few days after the one before, and the schedule's number on it.
fn shared_book() -> (Rc<Book>, u32) {
    const SCHEDULES: u32 = 100;
    thread_local! { static SHARED: RefCell<Option<(Rc<Book>, u32)>> = const { RefCell::new(None) } }
    SHARED.with_borrow_mut(|shared| {
        let (book, number) =
            shared.take().filter(|(_, number)| *number < SCHEDULES).unwrap_or_else(|| (Rc::new(Book::new()), 0));
        *shared = Some((Rc::clone(&book), number + 1));
        (book, number)
    })
}

/// What the ledger says of a key.
pub fn state(world: &World, planned: &Planned) -> TaskRun {
    TaskRun::fold(&world.ledger.events(&planned.row.key).unwrap(), &planned.rules)
}

#[test]
fn without_a_crash_every_shape_ends_as_the_site_deserves() {
    for shape in shapes() {
        for manner in Manner::ALL {
            let schedule = Schedule { shape, manner, deaths: &[] };
            let ended = schedule.end(None);
            let expected = match (manner, shape.effect) {
                (Manner::DoneBefore, _) => &[Status::AlreadyDone][..],
                (Manner::Deaf, _) => &[Status::Dead],
                // A credit that comes after settling is over is not waited for by a `once` task; it is never repeated.
                (Manner::Lags(600), Effect::Once) => &[Status::Dead],
                _ => &[Status::Success, Status::Compensated],
            };
            assert!(expected.contains(&ended.state.status), "{schedule:?}: {:?}", ended.state);
            schedule.judge(&ended);
        }
    }
}

/// Every schedule of up to `crashes` crashes of these shapes on sites of these manners. How many schedules that were.
fn crash(shapes: &[Shape], manners: &[Manner], crashes: usize) -> usize {
    fn more(shape: Shape, manner: Manner, deaths: &[u32], crashes: usize) -> usize {
        let lines = Schedule { shape, manner, deaths }.play();
        if deaths.len() == crashes {
            return 1;
        }
        let first = deaths.last().map_or(1, |last| last + 1);
        (first..=lines).map(|line| more(shape, manner, &[deaths, &[line]].concat(), crashes)).sum()
    }
    let each = shapes.iter().flat_map(|shape| manners.iter().map(|manner| (*shape, *manner)));
    let schedules = each.map(|(shape, manner)| more(shape, manner, &[], crashes)).sum();
    println!("{schedules} schedules with {crashes} crashes");
    schedules
}

#[test]
fn every_single_crash_of_every_shape() {
    let quick = [Manner::Honest, Manner::Lags(30), Manner::Flaky, Manner::Stumbles, Manner::DoneBefore];
    assert!(crash(&shapes(), &quick, 1) > 500);
}

#[test]
fn every_single_crash_on_sites_that_say_no() {
    assert!(crash(&shapes(), &[Manner::Refuses, Manner::SaysNo], 1) > 300);
}

#[test]
fn every_single_crash_on_sites_where_an_act_does_not_show() {
    let once: Vec<Shape> = shapes().into_iter().filter(|shape| shape.effect == Effect::Once).collect();
    assert!(crash(&once, &[Manner::Lags(600), Manner::Deaf], 1) > 200);
}

#[test]
#[ignore = "minutes long: part of `make soak`"]
fn every_single_crash_of_every_shape_on_every_site() {
    assert!(crash(&shapes(), &Manner::ALL, 1) > 2_000);
}

#[test]
fn every_double_crash_of_a_plain_task() {
    let plain: Vec<Shape> = shapes().into_iter().filter(|shape| shape.want == 1).collect();
    assert!(crash(&plain, &[Manner::Honest], 2) > 500);
}

#[test]
#[ignore = "minutes long: part of `make soak`"]
fn every_double_crash_of_every_shape() {
    assert!(crash(&shapes(), &Manner::ALL, 2) > 10_000);
}

#[test]
fn a_once_task_that_died_at_its_commit_is_never_done_again_and_proves_itself_from_the_server() {
    let shape = Shape { effect: Effect::Once, verify_is_check: false, want: 1 };
    let whole = Schedule { shape, manner: Manner::Honest, deaths: &[] };
    for death in 1..=whole.play() {
        let ended = Schedule { deaths: &[death], ..whole }.end(None);
        // Died between intent and act: nobody can know that nothing was sent, so that it is dead, never repeated.
        assert_eq!(ended.state.status.is_done(), ended.acts > 0, "death at line {death}: {:?}", ended.state);
    }
}
