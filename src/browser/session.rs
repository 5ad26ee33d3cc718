//! One browser at work: started with a profile of its own, asked command by command, ended within seconds.

mod capabilities;
mod chromium;
mod firefox;
mod loading;
mod start;

use std::net::SocketAddr;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use chrono_tz::Tz;
use serde_json::{Value as Json, json};
use tokio::time::timeout;

use super::brand::Brand;
use super::command::{Action, Browser, Command, Context, Response, Tab};
use super::driver::{Driver, Surroundings, find_browser, find_driver};
use super::scratch::Scratch;
use super::{page, sweep, wire, wire::Wire};
use crate::clock::{Clock, SystemClock};
use crate::files::model::Viewport;
use crate::run::{Failure, FailureKind};

/// How the folder with a browser's temporary files begins.
pub const SCRATCH: &str = "browser-";

/// How long the browser may take to start.
const START_LIMIT: Duration = Duration::from_secs(60);
/// How long it may take to end by itself; then it is killed.
const QUIT_LIMIT: Duration = Duration::from_secs(5);
/// How much longer than its own limit a command may take before the browser is given up.
const PATIENCE: Duration = Duration::from_secs(2);

/// How a browser is to be started.
#[derive(Debug, Clone)]
pub struct StartOptions {
    /// The driver program: a name or a path (`browser.driver`).
    pub driver: String,
    /// The browser program; found on this machine when none.
    pub binary: Option<PathBuf>,
    /// Without a window.
    pub headless: bool,
    /// The profile folder: made if missing, used in place, so that sign-ins last.
    pub profile: PathBuf,
    /// The zone that pages see.
    pub zone: Tz,
    /// The language that pages see, such as `zh-CN`.
    pub locale: String,
    /// The size of the screen.
    pub viewport: Viewport,
    /// A plain HTTP proxy for everything, `https` and loopback included: the rehearsal's. None goes direct.
    pub proxy: Option<SocketAddr>,
    /// Accept certificates that nobody vouches for: only in rehearsals.
    pub accept_insecure_certs: bool,
    /// Where the browser may put its temporary files.
    pub scratch: PathBuf,
    /// Who starts it, so that it is recognised when it is left behind.
    pub mark: String,
}

impl StartOptions {
    /// The browser that the driver drives.
    pub fn brand(&self) -> Brand {
        Brand::of_driver(&self.driver)
    }
}

/// A running Firefox or Chromium with its driver.
#[derive(Debug)]
pub struct RealBrowser {
    brand: Brand,
    client: fantoccini::Client,
    driver: Driver,
    /// The tab that the browser opened with.
    home: Tab,
    /// The document that the driver is at; none when that is not known.
    at: Option<Context>,
    /// A document has just come, so the page scripts are not in it yet.
    bare: bool,
    /// How many documents were marked, to tell the next one from each.
    marks: u64,
    dead: bool,
    /// Measures how long the browser takes for each command, for the log.
    clock: SystemClock,
    // Last, so that it is removed after everything that writes into it is gone.
    _folder: Scratch,
}

impl RealBrowser {
    /// Starts the driver and the browser. Whoever of ours uses the profile is ended before: the caller has the lane now.
    /// Whatever is missing on this machine is an `environment` failure with its mend.
    pub async fn start(mut options: StartOptions) -> Result<Self, Failure> {
        let clock = SystemClock::new();
        let brand = options.brand();
        let program = find_driver(&options.driver)?;
        let binary = find_browser(brand, options.binary.as_deref())?;
        make_private(&options.profile)?;
        make_private(&options.scratch)?;
        let folder = Scratch::new(&options.scratch, SCRATCH)
            .map_err(|error| no_folder(&options.scratch.display().to_string(), &error))?;
        options.profile = options.profile.canonicalize().unwrap_or(options.profile);
        let profile = options.profile.clone();
        if sweep::free(&profile) > 0 {
            tracing::warn!(profile = %profile.display(), "ended the browser of a run that lost its lane");
        }
        if brand == Brand::Chromium {
            chromium::forget_other_machine(&profile);
        }
        let (zone, home, mark, locale) = (options.zone.name(), folder.path(), &options.mark, &options.locale);
        let around = Surroundings { zone, home, mark, profile: &profile, headless: options.headless, locale };
        let mut driver = Driver::start(&program, &around).await?;
        let wanted = capabilities::wanted(&options, &binary, folder.path());
        let starting = timeout(START_LIMIT, start::connect(brand, driver.port(), wanted)).await;
        let client = starting.map_err(|_| start::never_ready(&options))??;
        driver.note_strayed();
        let (home, at, bare, marks, dead, _folder) = (Tab(String::new()), None, false, 0, false, folder);
        let mut browser = RealBrowser { brand, client, driver, home, at, bare, marks, dead, clock, _folder };
        browser.settle_in(options.viewport).await?;
        log("start", &browser.clock, Duration::ZERO);
        Ok(browser)
    }

    /// Ends the session and the browser, by force if it does not go within seconds, and removes what it left.
    pub async fn close(self) {
        let began = self.clock.uptime();
        if !self.dead {
            let _ = timeout(QUIT_LIMIT, self.client.issue_cmd(Wire::delete(""))).await;
        }
        let RealBrowser { driver, clock, _folder, .. } = self;
        driver.end().await;
        drop(_folder);
        log("close", &clock, began);
    }

    /// Remembers the first tab, and gives its page the size that is asked for.
    async fn settle_in(&mut self, viewport: Viewport) -> Result<(), Failure> {
        let home = self.ask(Wire::get("window"), START_LIMIT).await?;
        self.home = Tab(home.as_ref().ok().and_then(Json::as_str).unwrap_or_default().to_owned());
        let (width, height) = capabilities::page_size(viewport);
        let measure = "return [innerWidth, innerHeight, outerWidth - innerWidth, outerHeight - innerHeight]";
        let measured = self.ask(Wire::script(measure, &[]), START_LIMIT).await?.unwrap_or_default();
        let of = |index: usize| measured.get(index).and_then(Json::as_u64).unwrap_or_default();
        if (of(0), of(1)) == (width, height) {
            return Ok(());
        }
        let size = json!({ "width": width + of(2), "height": height + of(3) });
        self.ask(Wire::post("window/rect", size), START_LIMIT).await?.ok();
        Ok(())
    }

    /// Asks the driver once. When no answer comes, the browser is killed: its driver would never listen again.
    async fn ask(&mut self, wire: Wire, limit: Duration) -> Result<Result<Json, super::Refusal>, Failure> {
        match timeout(limit + PATIENCE, self.client.issue_cmd(wire)).await {
            Ok(Ok(answer)) => Ok(Ok(answer)),
            Ok(Err(error)) => {
                let understood = wire::understand(error);
                let crashed = |failure: &Failure| failure.kind == FailureKind::BrowserCrashed;
                if understood.as_ref().is_err_and(crashed) {
                    self.give_up();
                }
                understood.map(Err)
            }
            Err(_) => {
                self.give_up();
                let message = format!("The page did not answer for {} s; the browser was ended.", limit.as_secs());
                Err(Failure::new(FailureKind::Timeout, message))
            }
        }
    }

    fn give_up(&mut self) {
        self.dead = true;
        self.driver.kill();
    }

    /// Goes to the document that a command names, unless the driver is there already.
    async fn go_to(&mut self, context: &Context, limit: Duration) -> Result<Result<(), super::Refusal>, Failure> {
        if self.at.as_ref() == Some(context) {
            return Ok(Ok(()));
        }
        self.at = None;
        let tab = context.tab.as_ref().unwrap_or(&self.home).0.clone();
        let top = Wire::post("frame", json!({ "id": null }));
        let frames = context.frames.iter().map(|frame| Wire::post("frame", json!({ "id": wire::element(frame) })));
        let way: Vec<Wire> = [Wire::post("window", json!({ "handle": tab })), top].into_iter().chain(frames).collect();
        for step in way {
            if let Err(refusal) = self.ask(step, limit).await? {
                // A frame element that is stale means that its document is gone.
                let gone = refusal == super::Refusal::Stale;
                return Ok(Err(if gone { super::Refusal::Gone } else { refusal }));
            }
        }
        self.at = Some(context.clone());
        Ok(Ok(()))
    }

    /// Runs a script in the document that the driver is at: a frame's in no other.
    async fn run(
        &mut self,
        script: &str,
        arguments: &[Json],
        limit: Duration,
    ) -> Result<Result<Json, super::Refusal>, Failure> {
        let framed = self.at.as_ref().is_some_and(|at| !at.frames.is_empty());
        if !framed {
            return self.ask(Wire::script(script, arguments), limit).await;
        }
        let answer = self.ask(Wire::script(&page::in_frame(script), arguments), limit).await?;
        Ok(answer.and_then(|answer| if page::is_elsewhere(&answer) { Err(super::Refusal::Gone) } else { Ok(answer) }))
    }

    /// Calls a page function. The scripts are put into a document at their first call there.
    async fn call(
        &mut self,
        function: &str,
        arguments: &[Json],
        limit: Duration,
    ) -> Result<Result<Json, super::Refusal>, Failure> {
        let gone = || super::Refusal::Script("its document went away".to_owned());
        let bare = std::mem::take(&mut self.bare);
        if page::runs_once(function) {
            if let Err(refusal) = self.run(&page::install(), &[], limit).await? {
                return Ok(Err(refusal));
            }
            let answered = self.run(&page::call(function), arguments, limit).await?;
            return Ok(answered.and_then(|wrapped| page::answer(wrapped).ok_or_else(gone)));
        }
        let script = if bare { page::install_and_call(function) } else { page::call(function) };
        let mut answered = self.run(&script, arguments, limit).await?;
        if answered.as_ref().is_ok_and(page::asks_for_installation) {
            answered = self.run(&page::install_and_call(function), arguments, limit).await?;
        }
        Ok(answered.and_then(|wrapped| page::answer(wrapped).ok_or_else(gone)))
    }

    /// Carries out a command in the document that it names.
    async fn obey(&mut self, command: Command) -> Result<Response, Failure> {
        let Command { context, action, limit } = command;
        // A dialog and the list of tabs belong to the browser: looking at them must not first go to a document.
        let of_browser = matches!(action, Action::Tabs | Action::DialogText | Action::AnswerDialog(_));
        if !of_browser && let Err(refusal) = self.go_to(&context, limit).await? {
            return Ok(Response::Refused(refusal));
        }
        let response = self.carry_out(action, limit).await?;
        // chromedriver leaves a frame that is gone by itself: after any trouble in one, it is gone to anew.
        let lost = matches!(response, Response::Refused(super::Refusal::Gone));
        if lost || (!context.frames.is_empty() && matches!(response, Response::Refused(_))) {
            self.at = None;
        }
        Ok(response)
    }

    async fn carry_out(&mut self, action: Action, limit: Duration) -> Result<Response, Failure> {
        let wire = match action {
            Action::Page { function, arguments } => {
                return Ok(self
                    .call(function, &arguments, limit)
                    .await?
                    .map_or_else(Response::Refused, Response::Json));
            }
            Action::Place => {
                let place = self.run(page::PLACE, &[], limit).await?;
                return Ok(place.map_or_else(Response::Refused, Response::Json));
            }
            Action::Navigate(url) => {
                return self.load(Wire::post("url", json!({ "url": url })), Some(&url), limit).await;
            }
            Action::Back => return self.load(Wire::post("back", json!({})), None, limit).await,
            Action::Reload => return self.load(Wire::post("refresh", json!({})), None, limit).await,
            Action::Click(element) => return self.click(&element, limit).await,
            Action::Clear(element) => Wire::post(format!("element/{element}/clear"), json!({})),
            Action::Type(element, text) => {
                use secrecy::ExposeSecret;
                Wire::post(format!("element/{element}/value"), json!({ "text": text.expose_secret() }))
            }
            Action::Hover(element) => Wire::hover(&element),
            Action::Press(keys) => Wire::keys(&keys),
            Action::Role(element) => {
                return self.text(Wire::get(format!("element/{element}/computedrole")), limit).await;
            }
            Action::Label(element) => {
                return self.text(Wire::get(format!("element/{element}/computedlabel")), limit).await;
            }
            Action::Tabs => return self.tabs(limit).await,
            Action::CloseTab => {
                self.at = None;
                Wire::delete("window")
            }
            Action::DialogText => return self.text(Wire::get("alert/text"), limit).await,
            Action::AnswerDialog(true) => Wire::post("alert/accept", json!({})),
            Action::AnswerDialog(false) => Wire::post("alert/dismiss", json!({})),
            Action::Picture => return self.picture(limit).await,
            Action::Cookies => {
                let told = self.ask(Wire::get("cookie"), limit).await?;
                return Ok(told.map_or_else(Response::Refused, wire::cookies));
            }
            Action::AddCookie(cookie) => Wire::post("cookie", json!({ "cookie": cookie })),
        };
        Ok(self.ask(wire, limit).await?.map_or_else(Response::Refused, |_| Response::Done))
    }

    async fn text(&mut self, wire: Wire, limit: Duration) -> Result<Response, Failure> {
        Ok(self.ask(wire, limit).await?.map_or_else(Response::Refused, wire::text))
    }

    async fn tabs(&mut self, limit: Duration) -> Result<Response, Failure> {
        let mut tabs = match self.ask(Wire::get("window/handles"), limit).await? {
            Ok(answer) => wire::tabs(&answer),
            Err(refusal) => return Ok(Response::Refused(refusal)),
        };
        // The first tab may have closed itself: then the next one is home.
        if let Some(first) = tabs.first().filter(|_| !tabs.contains(&self.home)) {
            self.home = first.clone();
        }
        tabs.sort_by_key(|tab| *tab != self.home);
        Ok(Response::Tabs(tabs))
    }

    async fn picture(&mut self, limit: Duration) -> Result<Response, Failure> {
        use base64::Engine;
        let answer = self.ask(Wire::get("screenshot"), limit).await?;
        Ok(answer.map_or_else(Response::Refused, |encoded| {
            let encoded = encoded.as_str().unwrap_or_default();
            Response::Picture(base64::engine::general_purpose::STANDARD.decode(encoded).unwrap_or_default())
        }))
    }
}

#[async_trait]
impl Browser for RealBrowser {
    async fn execute(&mut self, command: Command) -> Result<Response, Failure> {
        if self.dead {
            return Err(Failure::new(
                FailureKind::BrowserCrashed,
                "The browser was ended before; it must be started again.",
            ));
        }
        let (word, began) = (command.action.word(), self.clock.uptime());
        let response = self.obey(command).await;
        log(word, &self.clock, began);
        response
    }

    fn is_dead(&self) -> bool {
        self.dead
    }
}

/// Says how long the browser took, its driver included: `make bench` adds these up.
fn log(command: &str, clock: &SystemClock, began: Duration) {
    let took = clock.uptime().saturating_sub(began);
    tracing::debug!(command, took_us = took.as_micros() as u64, "browser");
}

/// A folder for its owner alone: sessions are as good as passwords.
fn make_private(folder: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt;
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.and_then(|()| std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)))
        .map_err(|error| no_folder(&folder.display().to_string(), &error))
}

fn no_folder(what: &str, error: &std::io::Error) -> Failure {
    Failure::new(FailureKind::Environment, format!("The browser has no room for its files: {what}: {error}."))
}
