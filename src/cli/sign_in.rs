//! `sunup sign-in`: a window for the person; the session is kept for the mornings.

use std::env;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;
use tokio::sync::mpsc::{Receiver, channel};

use super::exit::Exit;
use super::rehearsal::Stage;
use super::stop::stoppable;
use super::{Common, folders, rehearsal, show, status};
use crate::clock::{Clock, SystemClock};
use crate::files::model::{Account, Project, Site};
use crate::ledger::Ledger;
use crate::report::Words;
use crate::runner::{
    ByHand, Control, HandedOver, Person, Proxy, Quiet, Rehearsed, Round, end_orphans, session_line, sign_in_by_hand,
};
use crate::secrets::{Redactor, Resolver};

/// What `sign-in` takes.
#[derive(Debug, Args)]
pub(super) struct SignInArgs {
    /// The site
    site: String,
    /// The account [default: the site's only one]
    account: Option<String>,
    /// For how many minutes it is waited for you
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..=240))]
    minutes: u32,
    /// Rehearse: the same at the site's pages in `fixtures/`; wants a data folder of its own
    #[arg(long, requires = "data")]
    dry_run: bool,
    /// The fixture scenario of a rehearsal [default: fresh]
    #[arg(long, value_name = "NAME", requires = "dry_run")]
    scenario: Option<String>,
}

/// Lets a person sign in.
pub(super) async fn sign_in(common: &Common, args: &SignInArgs, redactor: &Redactor) -> Result<Exit> {
    let project = match folders::project(common) {
        Ok(project) => project,
        Err(exit) => return Ok(exit),
    };
    let words = Words::new(project.settings.language)?;
    let (site, account) = match named(&project, args) {
        Ok(found) => found,
        Err(why) => return Ok(refused(&why)),
    };
    if !has_screen() {
        return Ok(refused(&words.get("sign-in-no-screen")));
    }
    if args.dry_run
        && let Err(exit) = rehearsal::check(&project, args.scenario.as_deref())
    {
        return Ok(exit);
    }
    end_orphans();
    let data = folders::data(common).map_err(anyhow::Error::msg)?;
    let ledger = Ledger::open(&data)?;
    status::tell_losses(&ledger, &project)?;
    let stage = match args.dry_run {
        true => Some(Stage::set(&project, args.scenario.as_deref(), &data, ledger.high_water()?).await?),
        false => None,
    };
    let place = Place { common, project: &project, ledger: &ledger, data: &data, words: &words };
    let exit = place.let_in(site, account, args, stage.as_ref(), redactor).await?;
    match stage {
        Some(stage) => stage.end().await.map(|()| exit),
        None => Ok(exit),
    }
}

fn refused(why: &str) -> Exit {
    eprintln!("sunup: {why}");
    Exit::Usage
}

/// Site and account of the command line; or what to write instead.
fn named<'p>(project: &'p Project, args: &SignInArgs) -> Result<(&'p Site, &'p Account), String> {
    let list = |ids: Vec<&str>| ids.join(", ");
    let site = project.sites.iter().find(|site| site.id == args.site).ok_or_else(|| {
        let known = list(project.sites.iter().map(|site| site.id.as_str()).collect());
        format!("there is no site `{}`; there are: {known}", args.site)
    })?;
    let known = || list(site.accounts.iter().map(|account| account.id.as_str()).collect());
    match (&args.account, site.accounts.as_slice()) {
        (Some(id), _) => site
            .account(id)
            .map(|account| (site, account))
            .ok_or_else(|| format!("the site `{}` has no account `{id}`; it has: {}", site.id, known())),
        (None, [only]) => Ok((site, only)),
        (None, _) => Err(format!("the site `{}` has several accounts, name one of them: {}", site.id, known())),
    }
}

/// A window can be opened somewhere.
fn has_screen() -> bool {
    ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| env::var_os(name).is_some_and(|value| !value.is_empty()))
}

/// Lines of standard input: the person says that all is done. It ends with the input.
fn lines() -> Receiver<()> {
    let (said, heard) = channel(1);
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            if line.is_err() || said.blocking_send(()).is_err() {
                return;
            }
        }
    });
    heard
}

struct Place<'a> {
    common: &'a Common,
    project: &'a Project,
    ledger: &'a Ledger,
    data: &'a Path,
    words: &'a Words,
}

impl Place<'_> {
    async fn let_in(
        &self,
        site: &Site,
        account: &Account,
        args: &SignInArgs,
        stage: Option<&Stage>,
        redactor: &Redactor,
    ) -> Result<Exit> {
        let clock: Arc<dyn Clock> = stage.map_or_else(|| Arc::new(SystemClock::new()) as _, Stage::clock);
        let resolver = Resolver::new(&self.project.root, env::vars_os(), redactor.clone());
        let (control, told) = (Control::default(), || stage.map(Stage::told).unwrap_or_default());
        let rehearsed = stage.map(|stage| Rehearsed {
            proxy: Proxy(stage.proxy()),
            fixtures: PathBuf::from(stage.fixtures()),
            told: &told,
        });
        let round = Round {
            project: self.project,
            ledger: self.ledger,
            clock: clock.as_ref(),
            data: self.data,
            resolver: &resolver,
            redactor,
            watch: &Quiet,
            control: &control,
            faulty_files: None,
            rehearsed,
        };
        let mut world = round.world(&Quiet);
        world.holder = world.holder.signing_in();
        world.launcher.settings.headless = false;
        let tell = |what: ByHand| self.tell(&what, site, account, args.minutes, redactor);
        let limit = Duration::from_secs(u64::from(args.minutes) * 60);
        let mut person = Person { limit, tell: &tell, done: lines() };
        let work = sign_in_by_hand(&world, site, account, &mut person);
        let stopped = stoppable(work, &control, &SystemClock::new(), self.words).await;
        let (ended, signal) = stopped.context("signals cannot be received")?;
        let Some(ended) = ended else { return Ok(signal.unwrap_or(Exit::Internal)) };
        let exit = self.tell_end(ended?, site, account)?;
        Ok(signal.unwrap_or(exit))
    }

    /// To the terminal: standard output is for the result.
    fn tell(&self, what: &ByHand, site: &Site, account: &Account, minutes: u32, redactor: &Redactor) {
        let words = self.words;
        let said = match what {
            ByHand::Opened(page) => words.with(
                "sign-in-opened",
                &[("page", page.into()), ("site", site.name.clone().into()), ("account", account.id.clone().into())],
            ),
            ByHand::Looks(true) => words.with("sign-in-looks", &[("minutes", minutes.into())]),
            ByHand::Looks(false) => words.with("sign-in-enter", &[("minutes", minutes.into())]),
            ByHand::NotYet(None) => words.get("sign-in-not-yet"),
            ByHand::NotYet(Some(why)) => words.with("sign-in-unclear", &[("why", why.into())]),
            ByHand::SomebodyElse(why) => words.with("sign-in-somebody-else", &[("why", why.into())]),
        };
        eprintln!("sunup: {}", redactor.redact(&said));
    }

    fn tell_end(&self, ended: HandedOver, site: &Site, account: &Account) -> Result<Exit> {
        let words = self.words;
        let HandedOver::Kept { closed } = ended else { return Ok(self.tell_not(&ended)) };
        if self.common.json {
            show::json(&json!({ "site": site.id, "account": account.id, "signed_in": true, "closed": closed }));
            return Ok(Exit::Ok);
        }
        let about = [("site", site.name.clone().into()), ("account", account.id.clone().into())];
        show::line(&words.with("sign-in-kept", &about));
        if let Some(line) = session_line(self.project, self.ledger, site, account, words)? {
            show::line(&line);
        }
        for number in closed {
            show::line(&words.with("sign-in-closed", &[("number", number.to_string().into())]));
        }
        Ok(Exit::Ok)
    }

    fn tell_not(&self, ended: &HandedOver) -> Exit {
        let words = self.words;
        let (said, exit) = match ended {
            HandedOver::Kept { .. } => (String::new(), Exit::Ok),
            HandedOver::Locked(holder) => {
                (words.with("sign-in-locked", &[("holder", holder.into())]), Exit::TaskFailed)
            }
            HandedOver::Failed(failure) => (failure.message.clone(), Exit::TaskFailed),
            HandedOver::OverTime => (words.get("sign-in-over-time"), Exit::PersonNeeded),
            HandedOver::Closed => (words.get("sign-in-window-closed"), Exit::PersonNeeded),
            HandedOver::Stopped => (words.get("sign-in-stopped"), Exit::PersonNeeded),
        };
        eprintln!("sunup: {said}");
        if self.common.json {
            show::json(&json!({ "signed_in": false }));
        }
        exit
    }
}
