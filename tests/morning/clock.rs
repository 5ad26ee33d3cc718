//! Clocks that are wrong, and days that end in the middle of a run.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::{Connection, OpenFlags};
use sunup::clock::{Clock, RehearsalClock, SystemClock};
use sunup::files::model::Project;
use sunup::fixture::{Rehearsal, RehearsedSite};
use sunup::ledger::{Holder, LeaseAnswer, Ledger, StatusLine};
use sunup::run::{FailureKind, Lane, Status};
use sunup::runner::{Control, CredentialsFrom, Launcher, Morning, Proxy, Quiet, World, first_slot};
use sunup::secrets::{Redactor, Resolver};

use crate::stage::{SITE, Stage};
use crate::support::{browser_turn, program};

/// What the site says of who is signed in, by the clock of another millennium.
const OLD: &str = "  - request: ANY /api/{rest*}
    when: not user
    reply: { status: 401, json: { error: 未登录 }, headers: { date: \"Mon, 01 Jan 2001 00:00:00 GMT\" } }
";
const TODAY: &str = "  - request: ANY /api/{rest*}
    when: not user
    reply: { status: 401, json: { error: 未登录 } }
";

#[tokio::test]
async fn a_site_whose_clock_differs_is_neither_signed_in_to_nor_acted_on() {
    let _turn = browser_turn();
    let stage = Stage::own();
    stage.edit("fixtures/community/site.yaml", TODAY, OLD);
    let morning = stage.morning("fresh").await;
    assert_eq!(morning.outcome.code, 4, "{}", morning.outcome);
    for task in ["community/checkin", "community/publish", "community/read"] {
        let got = (morning.status(task), morning.kind(task));
        assert_eq!(got, (Status::Failed, Some(FailureKind::Environment)), "{task}: {}", morning.outcome);
        let message = morning.task(task)["failure"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("clock") && message.contains("community.example 2001-01-01"), "{message}");
        assert_eq!(message.lines().count(), 1);
    }
    assert_eq!(stage.counted().len(), 0, "no act, no sign-in: {:?}", stage.counted());
}

#[tokio::test]
async fn what_one_task_learns_of_the_clock_holds_for_the_others_of_its_lane() {
    let _turn = browser_turn();
    let stage = Stage::own();
    stage.edit("tasks/community/checkin.yaml", "fetch: /api/me", "fetch: /api/tasks/read");
    let answer = "GET /api/tasks/read\n    reply: {";
    let dated = "GET /api/tasks/read\n    reply: { headers: { date: \"Mon, 01 Jan 2001 00:00:00 GMT\" },";
    stage.edit("fixtures/community/site.yaml", answer, dated);
    let morning = stage.morning("fresh").await;
    // `publish` looks at pages, which show no date.
    for task in ["community/checkin", "community/publish", "community/read"] {
        assert_eq!(morning.kind(task), Some(FailureKind::Environment), "{task}: {}", morning.outcome);
    }
    assert_eq!(stage.counted().get("publish"), None, "{}", morning.outcome);
}

#[tokio::test]
async fn an_answer_out_of_a_cache_says_nothing_about_the_clock() {
    let _turn = browser_turn();
    let stage = Stage::own();
    stage.edit("fixtures/community/site.yaml", TODAY, &OLD.replace("headers: {", "headers: { age: \"60\","));
    let morning = stage.morning("fresh").await;
    assert_eq!(morning.status("community/checkin"), Status::Success, "{}", morning.outcome);
}

/// A rehearsal's clock that jumps once, as soon as this query of the ledger gives this word.
struct Jumping {
    usual: RehearsalClock,
    ledger: PathBuf,
    when: (&'static str, &'static str),
    by: TimeDelta,
    /// What happens at that moment.
    meanwhile: fn(&Path),
    jumped: Mutex<bool>,
    /// How often it was looked at since: a run that goes in a circle never lets anything else have its turn.
    looks: AtomicU32,
}

/// More looks than any of these mornings takes after the jump.
const MOST_LOOKS: u32 = 20_000;

/// The kind of the ledger's last line.
const LAST_LINE: &str = "SELECT kind FROM events ORDER BY seq DESC LIMIT 1";

impl Jumping {
    fn is_time(&self) -> bool {
        let open = Connection::open_with_flags(&self.ledger, OpenFlags::SQLITE_OPEN_READ_WRITE);
        let word = open.and_then(|ledger| ledger.query_row(self.when.0, [], |row| row.get::<_, String>(0)));
        word.is_ok_and(|word| word == self.when.1)
    }
}

#[async_trait]
impl Clock for Jumping {
    fn now(&self) -> DateTime<Utc> {
        let mut jumped = self.jumped.lock().unwrap_or_else(PoisonError::into_inner);
        if !*jumped && self.is_time() {
            *jumped = true;
            (self.meanwhile)(self.ledger.parent().expect("the data folder"));
        }
        let looks = self.looks.fetch_add(u32::from(*jumped), Ordering::Relaxed);
        assert!(looks < MOST_LOOKS, "the run goes in a circle");
        self.usual.now() + if *jumped { self.by } else { TimeDelta::zero() }
    }

    fn uptime(&self) -> Duration {
        self.usual.uptime()
    }

    async fn sleep_until(&self, until: DateTime<Utc>) {
        let left = until - self.now();
        self.usual.sleep_until(self.usual.now() + left).await;
    }

    async fn sleep_real(&self, duration: Duration) {
        self.usual.sleep_real(duration).await;
    }
}

/// What became of the check-in: its line, its intents, and how often the site counted it.
struct Told {
    line: StatusLine,
    kind: Option<FailureKind>,
    intents: Vec<String>,
    counted: u64,
}

/// A rehearsed morning of the check-in in this process, whose clock jumps by this much after a line of this kind.
async fn morning_with_a_jump(after: &'static str, by: TimeDelta) -> Told {
    let tasks = vec!["community/checkin".into()];
    jumping(&Stage::own(), tasks, "checkin", (LAST_LINE, after), by, |_| ()).await
}

/// The same of these tasks; what became of one of them.
async fn jumping(
    stage: &Stage,
    tasks: Vec<String>,
    told: &str,
    when: (&'static str, &'static str),
    by: TimeDelta,
    meanwhile: fn(&Path),
) -> Told {
    stage.edit("sunup.yaml", "driver: geckodriver", &format!("driver: {}", program("geckodriver").display()));
    let project = sunup::files::load(&stage.file("sunup.yaml")).expect("the example's files");
    let ledger = Ledger::open(&stage.data()).expect("a ledger");
    let start = first_slot(&project, SystemClock::new().now()).expect("a slot today");
    let usual = RehearsalClock::starting_at(start);
    let file = stage.data().join("ledger.db");
    let clock = Arc::new(Jumping {
        usual,
        ledger: file.clone(),
        when,
        by,
        meanwhile,
        jumped: Mutex::new(false),
        looks: AtomicU32::new(0),
    });
    let fixtures = stage.file("fixtures");
    let rehearsal = Rehearsal::start(&fixtures, "fresh", &sites(&project), clock.clone(), None).await;
    let rehearsal = rehearsal.expect("the fixtures");
    let redactor = Redactor::new();
    let world = World {
        project: &project,
        ledger: &ledger,
        clock: clock.as_ref(),
        launcher: Launcher {
            settings: project.settings.browser.clone(),
            data: stage.data(),
            proxy: Some(Proxy(rehearsal.proxy_addr())),
            holder: Holder::this(),
        },
        credentials: CredentialsFrom {
            fixtures: Some(fixtures),
            resolver: Resolver::new(&project.root, [], redactor.clone()),
            redactor: redactor.clone(),
            data: stage.data(),
        },
        redactor: &redactor,
        watch: &Quiet,
        control: &Control::default(),
        pictures: stage.data().join("pictures"),
        holder: Holder::this(),
        run: "test".into(),
    };
    Morning::new(&world, tasks).run().await.expect("the morning ends");
    let counted = rehearsal.counts()[SITE].acts.get(told).copied().unwrap_or_default();
    let date = ledger.last_date().expect("a date").expect("a day");
    let line = ledger.keys_of(date).expect("keys").into_iter().find(|line| line.row.task == told);
    let line = line.expect("the task's key");
    let events = ledger.events(&line.row.key).expect("events");
    let failures = events.iter().filter_map(|(_, event)| event.failure());
    Told { kind: failures.map(|failure| failure.kind).next_back(), line, intents: intents(&file), counted }
}

/// Another run was in the lane while this one slept.
fn somebody_takes_and_gives_back_the_lane(data: &Path) {
    let ledger = Ledger::open(data).expect("the ledger");
    let lane = Lane { site: SITE.into(), account: "main".into() };
    let other = Holder { host: "elsewhere".into(), ..Holder::this() };
    let later = SystemClock::new().now() + TimeDelta::days(3);
    let LeaseAnswer::Taken(lease) = ledger.take_lease(&lane, &other, later).expect("an answer") else {
        panic!("the lease has not run out by then");
    };
    ledger.release_lease(&lease, later).expect("the ledger");
}

/// The window of the second task is over when the runner wakes, and its lane is no longer its own: nothing that it would
/// write counts, and asking again and again would change nothing.
#[tokio::test]
async fn a_lane_that_was_lost_is_let_go_of_where_its_next_key_is_only_closed() {
    let _turn = browser_turn();
    let stage = Stage::own();
    stage.edit("sunup.yaml", "until: \"23:30\"", "until: \"06:30\"");
    let done = "SELECT status FROM keys WHERE task = 'checkin' AND closed_at IS NOT NULL";
    let tasks = vec!["community/checkin".into(), "community/publish".into()];
    let when = (done, "success");
    let told =
        jumping(&stage, tasks, "checkin", when, TimeDelta::hours(1), somebody_takes_and_gives_back_the_lane).await;
    assert_eq!((told.line.status, told.counted), (Status::Success, 1));
}

fn sites(project: &Project) -> Vec<RehearsedSite> {
    let sites = project.sites.iter();
    sites
        .map(|site| RehearsedSite { id: site.id.clone(), origins: site.origins.clone(), calendar: site.calendar })
        .collect()
}

/// The states of all intents, oldest first.
fn intents(ledger: &Path) -> Vec<String> {
    let connection = Connection::open(ledger).expect("the ledger");
    let mut statement = connection.prepare("SELECT state FROM intents ORDER BY rowid").expect("intents");
    let states = statement.query_map([], |row| row.get(0)).expect("intents");
    states.collect::<Result<_, _>>().expect("states")
}

#[tokio::test]
async fn a_day_that_ends_between_the_steps_and_the_commit_is_over() {
    let _turn = browser_turn();
    for (after, intents) in [("prepared", &[][..]), ("intended", &["not_sent"])] {
        let told = morning_with_a_jump(after, TimeDelta::hours(18)).await;
        let got = (told.line.status, told.line.reason.as_deref(), told.counted);
        assert_eq!(got, (Status::Skipped, Some("period_over"), 0), "{after}");
        assert_eq!(told.intents, intents, "{after}");
    }
}

#[tokio::test]
async fn a_pause_just_before_the_commit_sends_nothing_and_is_made_up() {
    let _turn = browser_turn();
    let told = morning_with_a_jump("intended", TimeDelta::seconds(6)).await;
    assert_eq!((told.line.status, told.counted), (Status::Success, 1));
    assert_eq!(told.intents, ["not_sent", "sent"]);
}

#[tokio::test]
async fn a_clock_that_is_set_back_in_the_middle_stops_the_lane() {
    let _turn = browser_turn();
    for (after, intents) in [("read", &[][..]), ("prepared", &[]), ("intended", &["not_sent"])] {
        let told = morning_with_a_jump(after, TimeDelta::minutes(-10)).await;
        assert_eq!((told.line.status, told.counted), (Status::Failed, 0), "{after}");
        assert_eq!(told.intents, intents, "{after}");
        assert_eq!(told.kind, Some(FailureKind::Environment), "{after}: it is said which clock is wrong");
    }
}
