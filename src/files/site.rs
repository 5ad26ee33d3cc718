//! `tasks/<site>/site.yaml`, and the tasks beside it.

use std::ops::Range;

use chrono_tz::Tz;

use super::account;
use super::condition::Names;
use super::fields::Fields;
use super::file::File;
use super::folder::SiteFolder;
use super::here::Here;
use super::locator::{or_default, transpose};
use super::model::{Account, Act, Language, OwnChallenge, Schedule, SignIn, Site, Verb, Viewport};
use super::nearest::nearest;
use super::points::points;
use super::section::{act, section};
use super::settings::Top;
use super::site_facts::SiteFacts;
use super::stage::Stage;
use super::steps::Walk;
use super::task::{self, Above, Loaded};
use super::vars::vars;
use super::yaml::{Entry, Node};
use crate::timing::Calendar;

const KEYS: &[&str] = &[
    "name",
    "origins",
    "day",
    "accounts",
    "sign_in",
    "points",
    "feeds",
    "owner",
    "shared",
    "vars",
    "schedule",
    "retry",
    "viewport",
    "numbers",
    "challenges",
    "locale",
];

/// The kinds of failure that a page itself can show, by their words.
pub(super) const CHALLENGE_KINDS: [&str; 17] = [
    "login",
    "captcha",
    "interstitial",
    "one_time_code",
    "qr_login",
    "identity",
    "consent",
    "terms",
    "password_change",
    "account_restricted",
    "access_denied",
    "suspicious_page",
    "credentials_rejected",
    "session_expired",
    "rate_limited",
    "maintenance",
    "server_error",
];

/// A site with its tasks, and what the checks across files look at.
pub(super) struct LoadedSite<'a> {
    pub folder: &'a SiteFolder,
    pub site: Option<Site>,
    pub tasks: Vec<Loaded<'a>>,
    /// Each origin as written, and where.
    pub origins: Vec<(String, Range<usize>)>,
    /// None when it is faulty.
    pub calendar: Option<Calendar>,
    pub schedule: Schedule,
}

/// Reads a folder's trees.
pub(super) fn site<'a>(folder: &'a SiteFolder, top: &Top, runner: Option<Tz>) -> LoadedSite<'a> {
    let file = &folder.file;
    let fields = folder.node.as_ref().and_then(|node| Fields::of(file, node, "site", &[KEYS]));
    let get = |key| fields.as_ref().and_then(|fields: &Fields<'a>| fields.get(key));
    let origins = get("origins").map(|node| file.origins(node)).unwrap_or_default();
    let facts_origins = origins.iter().map(|(origin, _)| origin.clone()).collect();
    let facts = SiteFacts::of(file, folder.node.as_ref(), facts_origins);
    let accounts = get("accounts").and_then(|node| file.accounts(node));
    let schedule = file.schedule(get("schedule"), &top.schedule, &top.calendars);
    let retry = file.retry(get("retry"), top.retry);
    let calendar = file.calendar(get("day"), runner);
    let above = Above {
        site: &facts,
        accounts: accounts.as_deref(),
        vars: get("vars"),
        schedule: &schedule,
        calendars: &top.calendars,
        retry,
    };
    let tasks: Vec<_> =
        folder.tasks.iter().map(|task| task::task(&task.file, &task.id, task.node.as_ref(), &above)).collect();
    let language = top.settings.as_ref().map(|settings| settings.language).unwrap_or_default();
    let site = fields.as_ref().and_then(|fields| {
        let mut site = Reader { file, facts: &facts, above: &above }.site(fields, &folder.id, language, calendar)?;
        site.tasks = tasks.iter().map(|loaded| loaded.task.clone()).collect::<Option<_>>()?;
        Some(site)
    });
    LoadedSite { folder, site, tasks, origins, calendar, schedule }
}

struct Reader<'a> {
    file: &'a File,
    facts: &'a SiteFacts<'a>,
    above: &'a Above<'a>,
}

impl<'a> Reader<'a> {
    fn site(&self, fields: &Fields<'a>, id: &str, language: Language, calendar: Option<Calendar>) -> Option<Site> {
        let file = self.file;
        let name = fields.need("name", "name: 开发者社区").and_then(|node| file.words(node));
        fields.need("origins", "origins: [\"https://community.example\"]");
        fields
            .need("accounts", "accounts: { main: { username: { env: SITE_USER }, password: { env: SITE_PASSWORD } } }");
        let names = self.names();
        let sign_in = self.sign_in(fields, &names);
        let points = fields.get("points").map(|node| points(self.facts, self.file, node, &names));
        let viewport_words = [("desktop", Viewport::Desktop), ("mobile", Viewport::Mobile)];
        let viewport = fields.get("viewport").map(|node| file.one_of(node, &viewport_words));
        let numbers = fields.get("numbers").map(|node| self.numbers(node));
        let owner = fields.get("owner").map(|node| file.words(node).map(str::to_owned));
        let locale = fields.get("locale").map(|node| self.locale(node));
        let challenges = fields.get("challenges").map(|node| self.challenges(node, &names));
        self.shared(fields, &names);
        self.feeds(fields, &names);
        let default_locale = match language {
            Language::Chinese => "zh-CN",
            Language::English => "en",
        };
        Some(Site {
            id: id.to_owned(),
            name: name?.to_owned(),
            origins: self.facts.origins.clone(),
            calendar: calendar?,
            accounts: self.above.accounts?.to_vec(),
            sign_in: sign_in?,
            points: transpose(points)?,
            viewport: or_default(viewport, Viewport::default())?,
            decimal_comma: or_default(numbers, false)?,
            locale: or_default(locale, default_locale.to_owned())?,
            challenges: or_default(challenges, Vec::new())?,
            owner: transpose(owner)?,
            tasks: Vec::new(),
            place: file.place(0),
        })
    }

    /// What stands everywhere in site.yaml: the day, the accounts, the site's own vars.
    fn names(&self) -> Names {
        let mut names = Names::of_the_day();
        let accounts: Option<Vec<&Account>> = self.above.accounts.map(|accounts| accounts.iter().collect());
        account::add_names(&mut names, accounts.as_deref());
        vars((self.file, self.above.vars), None, &mut names);
        names
    }

    fn sign_in(&self, fields: &Fields<'a>, names: &Names) -> Option<SignIn> {
        let node = fields.need("sign_in", "sign_in: …")?;
        let keys: &[&str] = &["check", "act", "verify", "session"];
        let fields = Fields::of(self.file, node, "sign-in", &[keys])?;
        let check = fields
            .need("check", "check: …")
            .map(|node| section(self.facts, self.file, node, names, Stage::SignInCheck));
        let mut act_names = names.clone();
        for (name, shape) in check.iter().flat_map(|check| &check.reads) {
            act_names.add(format!("checked.{name}"), shape.clone());
        }
        let act_node = fields.need("act", "act: …");
        let act = act_node.and_then(|node| act(self.facts, self.file, node, &act_names, Stage::SignInAct));
        let by_person = matches!(act, Some(Act::Person));
        let verify = match by_person {
            true => fields.get("verify"),
            false => fields.need("verify", "verify: check"),
        };
        let verified = verify.map_or(Some(()), |node| self.file.one_of(node, &[("check", ())]));
        let session = fields.get("session").map(|node| self.file.duration(node));
        if let (Some(Act::Steps(steps)), Some(node)) = (&act, act_node) {
            self.check_passwords(steps, node);
        }
        verified?;
        Some(SignIn { check: check?.section?, act: act?, session: transpose(session)? })
    }

    /// An account without a password is signed in by a person.
    fn check_passwords(&self, steps: &[super::model::Step], node: &Node) {
        let types_password =
            steps.iter().any(|step| matches!(&step.verb, Verb::Fill { with, .. } if with.uses_password()));
        let without = self.above.accounts.unwrap_or_default().iter().find(|account| account.password.is_none());
        if let (true, Some(account)) = (types_password, without) {
            let cure = "write its `password: { env: … }`, or `act: person` where a person signs in";
            let message = format!("the account `{}` has no password, and this types one", account.id);
            self.file.wrong(node.span.clone(), message, cure);
        }
    }

    fn numbers(&self, node: &Node) -> Option<bool> {
        let text = self.file.scalar(node)?;
        match text {
            "1,234.5" => Some(false),
            "1.234,5" => Some(true),
            _ => {
                let cure = "write \"1,234.5\" or \"1.234,5\": how the site prints a number";
                self.file.wrong(node.span.clone(), format!("`{text}` is no form of a number"), cure);
                None
            }
        }
    }

    fn locale(&self, node: &Node) -> Option<String> {
        let text = self.file.words(node)?;
        if text.parse::<unic_langid::LanguageIdentifier>().is_err() {
            let cure = "write a language and a country: zh-CN, en-US";
            self.file.wrong(node.span.clone(), format!("`{text}` is not a language"), cure);
            return None;
        }
        Some(text.to_owned())
    }

    fn challenges(&self, node: &Node, names: &Names) -> Option<Vec<OwnChallenge>> {
        let items = self.file.list(node, "challenges")?;
        let challenges: Vec<_> = items.iter().map(|item| self.challenge(item, names)).collect();
        challenges.into_iter().collect()
    }

    fn challenge(&self, node: &Node, names: &Names) -> Option<OwnChallenge> {
        let fields = Fields::of(self.file, node, "challenge", &[&["kind", "when"]])?;
        let when = fields.need("when", "when: { text: 请完成验证 }");
        let when = when.and_then(|node| Here { file: self.file, names }.target(node));
        let kind_node = fields.need("kind", "kind: captcha")?;
        let kind = self.file.words(kind_node)?;
        if !CHALLENGE_KINDS.contains(&kind) {
            let cure = match nearest(kind, CHALLENGE_KINDS) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("write one of: {}", CHALLENGE_KINDS.join(", ")),
            };
            self.file.wrong(kind_node.span.clone(), format!("a page cannot ask by a `{kind}`"), cure);
            return None;
        }
        Some(OwnChallenge { kind: kind.to_owned(), when: when? })
    }

    /// Every shared list is looked at on its own too, so that one which no task uses yet is not left unread. Vars of
    /// the tasks are not known then.
    fn shared(&self, fields: &Fields<'a>, names: &Names) {
        let Some(node) = fields.get("shared") else { return };
        let mut names = names.clone();
        names.add_unknown("vars.");
        names.add_unknown("checked.");
        for Entry { key, key_span, value } in self.file.map(node, "map of shared steps").unwrap_or_default() {
            self.file.id(key, key_span, "shared steps");
            if key == "points" {
                let cure = "give it another name";
                self.file.wrong(key_span.clone(), "`use: points` already means the steps of `points:`", cure);
            }
            Walk::new(self.facts, self.file, &names, Stage::Shared).steps(value);
        }
    }

    fn feeds(&self, fields: &Fields<'a>, names: &Names) {
        let Some(node) = fields.get("feeds") else { return };
        for Entry { key, key_span, value } in self.file.map(node, "map of feeds").unwrap_or_default() {
            self.file.id(key, key_span, "a feed");
            section(self.facts, self.file, value, names, Stage::Points);
        }
        fields.not_supported(&["feeds"]);
    }
}
