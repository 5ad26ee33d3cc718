//! `tasks/<site>/<task>.yaml`.

use std::time::Duration;

use super::account;
use super::calendars::Calendars;
use super::condition::{Names, Template};
use super::fields::Fields;
use super::file::File;
use super::here::Here;
use super::locator::{LOCATOR_KEYS, or_default, transpose};
use super::model::{Account, Act, Effect, Notify, Refused, Retry, Reward, Schedule, Task, Verify};
use super::nearest::nearest;
use super::requires::required_tasks;
use super::section::{Sectioned, act, section};
use super::site_facts::SiteFacts;
use super::stage::Stage;
use super::vars::vars;
use super::yaml::{Node, NodeKind};
use crate::timing::PeriodKind;

const KEYS: &[&str] = &[
    "name",
    "period",
    "effect",
    "accounts",
    "backfill",
    "vars",
    "requires",
    "check",
    "act",
    "refused",
    "ask",
    "verify",
    "settle",
    "reward",
    "retry",
    "business_key",
    "was",
    "notify",
    "heartbeat",
    "timeout",
    "schedule",
];

const PERIODS: [PeriodKind; 5] =
    [PeriodKind::Day, PeriodKind::Week, PeriodKind::Month, PeriodKind::Once, PeriodKind::Occurrence];

const SETTLE: Duration = Duration::from_secs(2 * 60);
const TIMEOUT: Duration = Duration::from_secs(3 * 60);

/// What a task takes over from its site.
pub(super) struct Above<'a> {
    pub site: &'a SiteFacts<'a>,
    /// None when the site's accounts are faulty.
    pub accounts: Option<&'a [Account]>,
    /// `vars:` of site.yaml.
    pub vars: Option<&'a Node>,
    pub schedule: &'a Schedule,
    pub calendars: &'a Calendars,
    pub retry: Retry,
}

/// A task, and where its requirements stand in the file.
pub(super) struct Loaded<'a> {
    pub id: String,
    pub task: Option<Task>,
    pub schedule: Schedule,
    /// `requires: task:` as written, with its node.
    pub requires: Vec<(Option<String>, String, &'a Node)>,
    /// `schedule:`, for the check of its window.
    pub schedule_node: Option<&'a Node>,
}

/// Reads the tree of a task file.
pub(super) fn task<'a>(file: &'a File, id: &str, node: Option<&'a Node>, above: &Above<'_>) -> Loaded<'a> {
    let fields = node.and_then(|node| Fields::of(file, node, "task", &[KEYS]));
    let schedule_node = fields.as_ref().and_then(|fields| fields.get("schedule"));
    let schedule = file.schedule(schedule_node, above.schedule, above.calendars);
    let requires = fields.as_ref().map(required_tasks).unwrap_or_default();
    let mut reader = Reader { file, above, names: Names::of_the_day() };
    let task = fields.and_then(|fields| reader.task(&fields, id, &schedule));
    Loaded { id: id.to_owned(), task, schedule, requires, schedule_node }
}

struct Reader<'a> {
    file: &'a File,
    above: &'a Above<'a>,
    names: Names,
}

impl<'a> Reader<'a> {
    fn here(&self) -> Here<'_> {
        Here { file: self.file, names: &self.names }
    }

    fn task(&mut self, fields: &Fields<'a>, id: &str, schedule: &Schedule) -> Option<Task> {
        let file = self.file;
        let name = fields.need("name", "name: 每日签到").and_then(|node| file.words(node));
        let words = ["day", "week", "month", "once", "occurrence"].into_iter().zip(PERIODS).collect::<Vec<_>>();
        let period = or_default(fields.get("period").map(|node| file.one_of(node, &words)), PeriodKind::Day);
        let words = [("once", Effect::Once), ("repeatable", Effect::Repeatable)];
        let effect = or_default(fields.get("effect").map(|node| file.one_of(node, &words)), Effect::Once);
        if (period, effect) == (Some(PeriodKind::Occurrence), Some(Effect::Once)) {
            let cure = "write `effect: repeatable` if the act does no harm when it is done again, else `period: day`";
            let message = "`period: occurrence` is for tasks that poll, and this one acts once";
            file.wrong(fields.key_span("period"), message, cure);
        }
        let accounts = self.accounts(fields);
        self.add_names(accounts.as_deref());
        let vars = vars((self.above.site.file, self.above.vars), Some((file, fields.get("vars"))), &mut self.names);
        let requires = self.here().requirements(fields, vars.as_deref().unwrap_or_default());
        let (check, verify, act) = self.parts(fields, effect.unwrap_or(Effect::Once));
        let refused = self.refused(fields);
        if let (Some(_), Some(Act::Person)) = (fields.get("refused"), &act) {
            let cure = "take `refused` out: the person sees it";
            file.wrong(
                fields.key_span("refused"),
                "`refused` is what a page shows after a step, and a person acts here",
                cure,
            );
        }
        let ask = self.ask(fields, act.as_ref());
        let settle = fields.get("settle").map(|node| file.duration(node));
        let timeout = fields.get("timeout").map(|node| file.duration(node));
        let reward = fields.get("reward").map(|node| self.reward(node));
        let retry = file.retry(fields.get("retry"), self.above.retry);
        let business_key = self.here().business_key(fields, vars.as_deref().unwrap_or_default());
        let was = file.former_path(fields);
        let heartbeat = fields.get("heartbeat").map(|node| file.heartbeat(node));
        let notify = fields.get("notify").map(|node| self.notify(node));
        let task = Task {
            id: id.to_owned(),
            name: name?.to_owned(),
            period: period?,
            effect: effect?,
            accounts: accounts?,
            vars: vars?,
            requires: requires?,
            check: check?,
            act: act?,
            refused: refused?,
            ask: ask?,
            verify: verify?,
            settle: or_default(settle, SETTLE)?,
            reward: transpose(reward)?,
            retry,
            timeout: or_default(timeout, TIMEOUT)?,
            schedule: schedule.clone(),
            business_key: business_key?,
            was: was?,
            notify: or_default(notify, Notify::default())?,
            heartbeat: transpose(heartbeat)?,
            place: file.place(0),
        };
        file.fits_each(fields, schedule, &task);
        Some(task)
    }

    fn accounts(&self, fields: &Fields<'_>) -> Option<Vec<String>> {
        let all = || self.above.accounts.unwrap_or_default().iter().map(|account| account.id.as_str());
        let Some(node) = fields.get("accounts") else { return Some(all().map(str::to_owned).collect()) };
        let items = self.file.list(node, "accounts")?;
        let mut chosen: Vec<String> = Vec::new();
        for item in items {
            let id = self.file.words(item)?;
            if self.above.accounts.is_some() && !all().any(|known| known == id) {
                let cure = match nearest(id, all()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("the site has: {}", all().collect::<Vec<_>>().join(", ")),
                };
                self.file.wrong(item.span.clone(), format!("the site has no account `{id}`"), cure);
            } else if chosen.iter().any(|other| other == id) {
                self.file.wrong(item.span.clone(), format!("`{id}` stands here twice"), "keep one of them");
            }
            chosen.push(id.to_owned());
        }
        if chosen.is_empty() {
            let cure = "name one at least, or leave the key out for all of the site";
            self.file.wrong(node.span.clone(), "this task is for no account", cure);
        }
        Some(chosen)
    }

    fn add_names(&mut self, chosen: Option<&[String]>) {
        let accounts = self
            .above
            .accounts
            .zip(chosen)
            .map(|(all, chosen)| all.iter().filter(|account| chosen.contains(&account.id)).collect::<Vec<_>>());
        account::add_names(&mut self.names, accounts.as_deref());
    }

    /// `check`, `verify` and `act`, which have to fit each other.
    #[allow(clippy::type_complexity)]
    fn parts(
        &self,
        fields: &Fields<'a>,
        effect: Effect,
    ) -> (Option<super::model::Section>, Option<Verify>, Option<Act>) {
        let check = fields
            .need("check", "check: …")
            .map(|node| section(self.above.site, self.file, node, &self.names, Stage::Check));
        let verify = self.verify(fields, check.as_ref());
        let mut act_names = self.names.clone();
        for (name, shape) in check.iter().flat_map(|check| &check.reads) {
            act_names.add(format!("checked.{name}"), shape.clone());
        }
        if check.as_ref().is_none_or(|check| check.section.is_none()) {
            act_names.add_unknown("checked.");
        }
        let stage = match effect {
            Effect::Once => Stage::ActOnce,
            Effect::Repeatable => Stage::ActRepeatable,
        };
        let act =
            fields.need("act", "act: …").and_then(|node| act(self.above.site, self.file, node, &act_names, stage));
        (check.and_then(|check| check.section), verify, act)
    }

    fn verify(&self, fields: &Fields<'a>, check: Option<&Sectioned>) -> Option<Verify> {
        let node = fields.need("verify", "verify: check")?;
        if let NodeKind::Scalar { .. } = node.kind {
            return self.file.one_of(node, &[("check", ())]).map(|()| Verify::Check);
        }
        if check.is_some_and(|check| check.goal) {
            let cure = "write `verify: check`: the same count, read again";
            self.file.wrong(fields.key_span("verify"), "with a `goal` in check, verify is the same count", cure);
        }
        let read = section(self.above.site, self.file, node, &self.names, Stage::Verify);
        read.section.map(Verify::Section)
    }

    fn ask(&self, fields: &Fields<'_>, act: Option<&Act>) -> Option<Option<Template>> {
        let person = matches!(act, Some(Act::Person));
        let ask = match person {
            true => fields.need("ask", "ask: 今日答题，23:59 截止"),
            false => fields.get("ask"),
        };
        if let (Some(_), Some(Act::Steps(_))) = (ask, act) {
            let cure = "write `act: person`, or take `ask` out";
            self.file.wrong(fields.key_span("ask"), "`ask` is for what a person does, and these are steps", cure);
        }
        match ask {
            Some(node) => self.here().template(node).map(Some),
            None => (!person).then_some(None),
        }
    }

    fn refused(&self, fields: &Fields<'_>) -> Option<Vec<Refused>> {
        let Some(node) = fields.get("refused") else { return Some(Vec::new()) };
        let items = self.file.list(node, "refused")?;
        let refused: Vec<_> = items.iter().map(|item| self.one_refused(item)).collect();
        refused.into_iter().collect()
    }

    /// A target with its reason beside it.
    fn one_refused(&self, node: &Node) -> Option<Refused> {
        let fields = Fields::of(self.file, node, "refusal", &[LOCATOR_KEYS, &["first_of", "reason"]])?;
        let reason = fields.need("reason", "reason: 名额已满").and_then(|node| self.file.words(node));
        let mut target = node.clone();
        if let NodeKind::Map(entries) = &mut target.kind {
            entries.retain(|entry| entry.key != "reason");
        }
        let target = self.here().target(&target);
        Some(Refused { target: target?, reason: reason?.to_owned() })
    }

    fn reward(&self, node: &Node) -> Option<Reward> {
        let fields = Fields::of(self.file, node, "reward", &[&["points", "title"]])?;
        let title = fields.need("title", "title: 每日签到").and_then(|node| self.file.words(node));
        let points_node = fields.need("points", "points: 10")?;
        let points = self.file.scalar(points_node)?;
        let number = points.parse().ok().filter(|_| points_node.plain_text().is_some());
        if number.is_none() {
            self.file.wrong(points_node.span.clone(), format!("`{points}` is not a number"), "write `points: 10`");
        }
        Some(Reward { points: number?, title: title?.to_owned() })
    }

    fn notify(&self, node: &Node) -> Option<Notify> {
        let fields = Fields::of(self.file, node, "map of notices", &[&["skip", "dead"]])?;
        let skip = fields.get("skip").map(|node| self.file.boolean(node));
        let dead = fields.get("dead").map(|node| self.file.boolean(node));
        let Notify { skip: skip_otherwise, dead: dead_otherwise } = Notify::default();
        Some(Notify { skip: or_default(skip, skip_otherwise)?, dead: or_default(dead, dead_otherwise)? })
    }
}
