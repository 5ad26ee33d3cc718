//! What the runners of a simulation share: a ledger, a clock, the sites, the post, and who judges.

use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use sunup::ledger::Ledger;
use sunup::run::{Failure, FailureKind, Lane};

use crate::bugs::Bug;
use crate::chance::Chance;
use crate::judge::{Judge, Law};
use crate::post::Post;
use crate::site::Site;
use crate::task::{Planned, Task};

/// The simulated world of one seed, or of one schedule.
pub struct World {
    pub ledger: Rc<Book>,
    pub chance: Chance,
    pub tasks: Vec<Rc<Task>>,
    pub sites: RefCell<Vec<Site>>,
    pub post: RefCell<Post>,
    pub judge: RefCell<Judge>,
    /// A fault that is planted, to see that it is found.
    pub bug: Option<Bug>,
    /// The ledger knows that it lost lines: the number of the loss.
    pub loss: Cell<Option<i64>>,
    /// What time it is, whatever the clock says.
    truth: Cell<DateTime<Utc>>,
    /// By how much the machine's clock is off.
    off: Cell<TimeDelta>,
    lines: Cell<u64>,
    /// Lines before today.
    lines_before: Cell<u64>,
    plan: RefCell<Option<(NaiveDate, Rc<Vec<Planned>>)>>,
}

/// As much as the program lets the clock of a site and its own differ.
const CLOCKS_APART: TimeDelta = TimeDelta::minutes(5);
/// What a line of the loop takes.
const LINE: TimeDelta = TimeDelta::milliseconds(100);

impl World {
    pub fn new(seed: u64, bug: Option<Bug>, start: DateTime<Utc>, tasks: Vec<Task>, sites: Vec<Site>) -> Self {
        World::on(Rc::new(Book::new()), seed, bug, start, tasks, sites)
    }

    /// On a ledger that others were on before.
    pub fn on(
        ledger: Rc<Book>,
        seed: u64,
        bug: Option<Bug>,
        start: DateTime<Utc>,
        tasks: Vec<Task>,
        sites: Vec<Site>,
    ) -> Self {
        World {
            ledger,
            chance: Chance::new(seed),
            tasks: tasks.into_iter().map(Rc::new).collect(),
            sites: RefCell::new(sites),
            post: RefCell::default(),
            judge: RefCell::default(),
            bug,
            loss: Cell::new(None),
            truth: Cell::new(start),
            off: Cell::new(TimeDelta::zero()),
            lines: Cell::new(0),
            lines_before: Cell::new(0),
            plan: RefCell::new(None),
        }
    }

    pub fn has(&self, bug: Bug) -> bool {
        self.bug == Some(bug)
    }

    /// What the runners take for the time.
    pub fn now(&self) -> DateTime<Utc> {
        self.truth.get() + self.off.get()
    }

    pub fn truth(&self) -> DateTime<Utc> {
        self.truth.get()
    }

    /// Every answer of a site has its date: a clock that differs from it by more than the program bears is a failure.
    pub fn dated(&self) -> Result<(), Failure> {
        let apart = self.off.get().abs() > CLOCKS_APART;
        if apart { Err(Failure::new(FailureKind::Environment, "the site's clock shows another time")) } else { Ok(()) }
    }

    /// The time when the clock will show this.
    pub fn truth_at(&self, clock: DateTime<Utc>) -> DateTime<Utc> {
        clock - self.off.get()
    }

    pub fn pass_until(&self, truth: DateTime<Utc>) {
        self.truth.set(self.truth.get().max(truth));
    }

    pub fn set_clock_off(&self, off: TimeDelta) {
        self.off.set(off);
    }

    pub fn lines(&self) -> u64 {
        self.lines.get()
    }

    pub fn a_day_begins(&self) {
        self.lines_before.set(self.lines.get());
    }

    pub fn lines_today(&self) -> u64 {
        self.lines.get() - self.lines_before.get()
    }

    pub fn site<T>(&self, id: &str, work: impl FnOnce(&mut Site, &Chance) -> T) -> T {
        let mut sites = self.sites.borrow_mut();
        let site = sites.iter_mut().find(|site| site.id == id).expect("every lane has a site");
        work(site, &self.chance)
    }

    pub fn task(&self, lane: &Lane, id: &str) -> &Rc<Task> {
        self.tasks.iter().find(|task| task.lane == *lane && task.id == id).expect("keys are those of tasks")
    }

    /// The keys of a date, lane by lane.
    pub fn plan(&self, date: NaiveDate) -> Rc<Vec<Planned>> {
        if let Some((_, plan)) = self.plan.borrow().as_ref().filter(|(planned, _)| *planned == date) {
            return Rc::clone(plan);
        }
        let on = |task: &Rc<Task>| {
            let calendar = self.site(&task.lane.site, |site, _| site.calendar);
            task.on(&calendar, date, self.bug)
        };
        let plan: Rc<Vec<Planned>> = Rc::new(self.tasks.iter().filter_map(on).collect());
        *self.plan.borrow_mut() = Some((date, Rc::clone(&plan)));
        plan
    }

    /// A law was broken.
    pub fn broken(&self, law: Law, what: impl FnOnce() -> String) {
        let mut judge = self.judge.borrow_mut();
        if judge.broken.is_none() {
            judge.broken = Some((law, format!("{} at {}", what(), self.truth.get())));
        }
    }

    /// Something to be told, if this world is being told.
    pub fn tell(&self, what: impl FnOnce() -> String) {
        let mut judge = self.judge.borrow_mut();
        if let Some(told) = judge.told.as_mut() {
            told.push(format!("{} {}", self.truth.get().format("%m-%d %H:%M:%S%.3f"), what()));
        }
    }

    /// A line of the loop: the process may end here, or sleep, or another may come first.
    pub fn line(&self) -> impl Future<Output = ()> {
        self.lines.set(self.lines.get() + 1);
        self.truth.set(self.truth.get() + LINE);
        Line(false)
    }
}

/// A ledger in a folder of its own.
pub struct Book {
    ledger: Ledger,
    _folder: tempfile::TempDir,
}

impl Book {
    /// A copy of an empty one, which is quicker than to make one.
    pub fn new() -> Self {
        count_no_memory();
        thread_local! { static EMPTY: Vec<u8> = {
            let folder = tempfile::tempdir().unwrap();
            drop(Ledger::open_for_simulation(folder.path()).unwrap());
            std::fs::read(folder.path().join("ledger.db")).unwrap()
        } }
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        EMPTY.with(|empty| std::fs::write(folder.path().join("ledger.db"), empty)).unwrap();
        Book { ledger: Ledger::open_for_simulation(folder.path()).unwrap(), _folder: folder }
    }
}

/// SQLite counts its memory for the whole process, under one lock, for which the workers would wait.
fn count_no_memory() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    // SAFETY: nobody has used SQLite in this process yet, or it refuses, and goes on counting.
    ONCE.call_once(|| unsafe {
        rusqlite::ffi::sqlite3_config(rusqlite::ffi::SQLITE_CONFIG_MEMSTATUS, 0);
    });
}

impl std::ops::Deref for Book {
    type Target = Ledger;

    fn deref(&self) -> &Ledger {
        &self.ledger
    }
}

/// Gives the turn away once.
struct Line(bool);

impl Future for Line {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) { Poll::Ready(()) } else { Poll::Pending }
    }
}
