//! A person signs in: the window is theirs, the session is checked and kept, runs wait for the lane.
//!
//! What a person sees needs a screen: `on_a_screen` (part of `make soak`) types into a window on a virtual one. Here the window
//! stays out of sight, and the site plays the person.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sunup::clock::{Clock, RehearsalClock, SystemClock};
use sunup::fixture::{Rehearsal, RehearsedSite};
use sunup::ledger::{KeptSession, Ledger, SessionOrigin};
use sunup::run::{Lane, Status};
use sunup::runner::{ByHand, Control, HandedOver, Person, Proxy, Quiet, Rehearsed, Round, first_slot, sign_in_by_hand};
use sunup::secrets::{Redactor, Resolver};
use tokio::sync::mpsc;

use crate::stage::{Morning, Stage};
use crate::support::{browser_turn, ended, run, start};

/// After a few looks a person has signed in; in one of them somebody else has.
const SCENARIOS: &str = "scenarios:
  person_signs_in:
    about: After four looks the person is signed in.
    set: { looks: 0 }
    routes:
      - request: GET /api/me
        when: not user and state.looks >= 4
        do:
          - sign_in: linxiaoman
        reply: { json: { user: =user, signed: false } }
      - request: GET /api/me
        when: not user
        do:
          - set: { looks: =state.looks + 1 }
        reply: { status: 401, json: { error: 未登录 } }
  somebody_else_signs_in:
    about: Somebody else signs in there.
    routes:
      - request: GET /api/me
        do:
          - sign_in: chenmo
        reply: { json: { user: =user, signed: false } }
";

fn stage() -> Stage {
    let stage = Stage::own();
    stage.edit("fixtures/community/site.yaml", "scenarios:\n", SCENARIOS);
    stage.edit("fixtures/community/site.yaml", "session: sid\n", "session: sid\nsession_lasts: browser\n");
    stage
}

/// What a person was told, and how it ended.
struct Told {
    said: Vec<ByHand>,
    ended: HandedOver,
}

/// A person at the example site; whenever something is said, so is this called.
async fn person(stage: &Stage, scenario: &str, limit: Duration, heard: impl Fn(&Path)) -> Told {
    let project = sunup::files::load(Path::new(&stage.config())).expect("the files");
    // The clock of the runs beside it.
    let slot = first_slot(&project, SystemClock::new().now()).expect("a slot");
    let (data, clock) = (stage.data(), Arc::new(RehearsalClock::starting_at(slot)));
    let ledger = Ledger::open(&data).expect("a ledger");
    let site = &project.sites.iter().find(|site| site.id == "community").expect("the site");
    let rehearsed = RehearsedSite { id: site.id.clone(), origins: site.origins.clone(), calendar: site.calendar };
    let fixtures = project.root.join("fixtures");
    let sites = data.join("sites");
    let rehearsal = Rehearsal::start(&fixtures, scenario, &[rehearsed], clock.clone(), Some(&sites)).await.unwrap();
    let (redactor, control) = (Redactor::new(), Control::default());
    let path = std::env::var_os("PATH").map(|path| ("PATH".into(), path));
    let resolver = Resolver::new(&project.root, path, redactor.clone());
    let told = Default::default;
    let round = Round {
        project: &project,
        ledger: &ledger,
        clock: clock.as_ref(),
        data: &data,
        resolver: &resolver,
        redactor: &redactor,
        watch: &Quiet,
        control: &control,
        faulty_files: None,
        rehearsed: Some(Rehearsed { proxy: Proxy(rehearsal.proxy_addr()), fixtures, told: &told }),
    };
    let mut world = round.world(&Quiet);
    world.holder = world.holder.signing_in();
    let said = RefCell::new(Vec::new());
    let tell = |what: ByHand| {
        heard(&data);
        said.borrow_mut().push(what);
    };
    let (_keyboard, done) = mpsc::channel(1);
    let account = &site.accounts[0];
    let ended = sign_in_by_hand(&world, site, account, &mut Person { limit, tell: &tell, done }).await.unwrap();
    assert_eq!(rehearsal.faults(), Vec::<String>::new());
    Told { said: said.into_inner(), ended }
}

fn session(stage: &Stage) -> Option<KeptSession> {
    let lane = Lane { site: "community".into(), account: "main".into() };
    Ledger::open(&stage.data()).unwrap().session(&lane).unwrap()
}

const LONG: Duration = Duration::from_secs(120);

#[tokio::test]
async fn a_person_signs_in_and_the_morning_goes_on_in_that_session() {
    let _turn = browser_turn();
    let stage = stage();
    let blocked = stage.morning("one_time_code").await;
    assert_eq!(blocked.json["tickets"][0]["kind"], "one_time_code", "{}", blocked.outcome);
    assert_eq!(stage.counted().get("sign_in"), Some(&1), "{}", blocked.outcome);
    let told = person(&stage, "person_signs_in", LONG, |_| {}).await;
    assert_eq!(told.ended, HandedOver::Kept { closed: vec![1] }, "{:?}", told.said);
    assert!(
        matches!(&told.said[0], ByHand::Opened(page) if page == "https://community.example/login"),
        "{:?}",
        told.said
    );
    assert_eq!(session(&stage).map(|session| session.origin), Some(SessionOrigin::Person));
    let closed = Ledger::open(&stage.data()).unwrap().ticket(1).unwrap().and_then(|ticket| ticket.closed);
    assert_eq!(closed.map(|(_, by)| by).as_deref(), Some("signed in by a person"));

    let morning = stage.morning("person_signs_in").await;
    assert_eq!(morning.status("community/checkin"), Status::Success, "{}", morning.outcome);
    assert_eq!(stage.counted().get("sign_in"), Some(&1), "nobody signs in after the person: {}", morning.outcome);
}

#[tokio::test]
async fn another_persons_session_is_refused_and_not_kept() {
    let _turn = browser_turn();
    let stage = stage();
    let told = person(&stage, "somebody_else_signs_in", Duration::from_secs(12), |_| {}).await;
    assert_eq!(told.ended, HandedOver::OverTime, "{:?}", told.said);
    let refused = told.said.iter().filter(|what| matches!(what, ByHand::SomebodyElse(why) if why.contains("ch…mo")));
    assert_eq!(refused.count(), 1, "said once: {:?}", told.said);
    assert_eq!(session(&stage), None);
    assert!(!stage.data().join("profiles/community/main").exists(), "the profile goes with it");
    assert!(!stage.data().join("sessions/community/main.sealed").exists());
}

/// Runs that find the lane with a person do nothing in it, and say with whom it is.
#[tokio::test]
async fn a_run_waits_while_a_person_is_at_it() {
    let _turn = browser_turn();
    let stage = stage();
    stage.edit("sunup.yaml", "by: 30m", "by: 5m");
    let runner = RefCell::new(None);
    let at_window = |_: &Path| {
        let mut runner = runner.borrow_mut();
        if runner.is_none() {
            let mut command = stage.rehearsal("person_signs_in");
            command.arg("community/checkin");
            *runner = Some(start(command));
        }
    };
    let told = person(&stage, "person_signs_in", LONG, at_window).await;
    assert_eq!(told.ended, HandedOver::Kept { closed: vec![] }, "{:?}", told.said);
    let waited = Morning::of(ended(runner.into_inner().expect("a run")).await);
    let explained = run(stage.sunup(&["explain", "checkin"])).await;
    assert!(explained.stdout.contains(": sign-in"), "{explained} {}", waited.outcome);
    assert_eq!(waited.json["others_at_work"], serde_json::json!([]), "it reports itself: {}", waited.outcome);
}

/// Without a screen there is no window: it says how one is had, before anything is made.
#[tokio::test]
async fn without_a_screen_it_says_how_one_is_had() {
    let stage = Stage::own();
    let refused = run(stage.sunup(&["sign-in", "community"])).await;
    assert_eq!(refused.code, 2, "{refused}");
    assert!(refused.stderr.contains("docs/sign-in.md") && refused.stderr.contains("ssh -X"), "{refused}");
    assert!(!stage.data().exists(), "nothing is made: {refused}");
    for (arguments, said) in [(vec!["nowhere"], "community"), (vec!["community", "nobody"], "main")] {
        let refused = run(stage.sunup(&[&["sign-in"], &arguments[..]].concat())).await;
        assert!(refused.code == 2 && refused.stderr.contains(said), "{refused}");
    }
}

/// A virtual screen, for as long as this lives.
struct Screen {
    server: std::process::Child,
    display: String,
}

impl Screen {
    fn start() -> Self {
        use std::io::{BufRead, BufReader};
        let mut command = std::process::Command::new("Xvfb");
        command.args(["-displayfd", "1", "-screen", "0", "1400x1000x24", "-nolisten", "tcp"]);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null());
        let mut server = command.spawn().expect("Xvfb is there: `make soak` installs it");
        let mut number = String::new();
        BufReader::new(server.stdout.take().expect("its output")).read_line(&mut number).expect("its number");
        Screen { server, display: format!(":{}", number.trim()) }
    }

    /// What a person does with mouse and keyboard.
    fn does(&self, arguments: &[&str]) {
        let done = std::process::Command::new("xdotool").args(arguments).env("DISPLAY", &self.display).status();
        assert!(done.expect("xdotool is there: `make soak` installs it").success(), "{arguments:?}");
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The real window, with a person who points and types.
#[tokio::test]
#[ignore = "wants Xvfb and xdotool: part of `make soak`"]
async fn on_a_screen_a_person_types_into_the_window() {
    let _turn = browser_turn();
    let stage = Stage::own();
    stage.edit("fixtures/community/site.yaml", "session: sid\n", "session: sid\nsession_lasts: browser\n");
    stage.edit(
        "fixtures/community/login.html",
        "autocomplete=\"username\" required",
        "autocomplete=\"username\" autofocus",
    );
    let blocked = stage.morning("slider").await;
    assert_eq!(blocked.json["tickets"][0]["kind"], "captcha", "{}", blocked.outcome);
    let screen = Screen::start();
    let mut command = stage.sunup(&["sign-in", "community", "--dry-run", "--json", "--minutes", "2"]);
    command.env("DISPLAY", &screen.display);
    let window = start(command);
    let profile = stage.data().join("profiles/community/main/cookies.sqlite");
    crate::support::until("the window is open", || profile.exists()).await;
    // The page is there when its field has the focus, which nobody can ask from outside: the person looks, and takes a while.
    SystemClock::new().sleep_real(Duration::from_secs(8)).await;
    screen.does(&["type", "--delay", "40", "linxiaoman"]);
    screen.does(&["key", "Tab"]);
    screen.does(&["type", "--delay", "40", "rehearsal-only-sunrise"]);
    screen.does(&["key", "Return"]);
    let signed_in = Morning::of(ended(window).await);
    assert_eq!(signed_in.outcome.code, 0, "{}", signed_in.outcome);
    assert_eq!(signed_in.json["closed"], serde_json::json!([1]), "{}", signed_in.outcome);
    assert_eq!(stage.counted().get("sign_in"), Some(&1), "the person's own");
    let morning = stage.morning("fresh").await;
    assert_eq!(morning.status("community/checkin"), Status::Success, "{}", morning.outcome);
    assert_eq!(stage.counted().get("sign_in"), Some(&1), "{}", morning.outcome);
    assert_eq!(stage.place.processes(), Vec::<String>::new());
}

/// Ctrl+C at a window that is open: the browser ends, the lane is given back.
#[tokio::test]
#[ignore = "wants Xvfb: part of `make soak`"]
async fn on_a_screen_ctrl_c_leaves_nothing_behind() {
    let _turn = browser_turn();
    let stage = Stage::own();
    let screen = Screen::start();
    let mut command = stage.sunup(&["sign-in", "community", "--dry-run"]);
    command.env("DISPLAY", &screen.display);
    let window = start(command);
    let profile = stage.data().join("profiles/community/main/cookies.sqlite");
    crate::support::until("the window is open", || profile.exists()).await;
    let id = nix::unistd::Pid::from_raw(window.id().expect("it runs") as i32);
    nix::sys::signal::kill(id, nix::sys::signal::Signal::SIGINT).expect("a signal");
    let stopped = ended(window).await;
    assert_eq!(stopped.code, 130, "{stopped}");
    assert_eq!(stage.place.processes(), Vec::<String>::new(), "{stopped}");
    let morning = stage.morning("fresh").await;
    assert_eq!(morning.status("community/checkin"), Status::Success, "the lane is free: {}", morning.outcome);
}
