//! `catch_up: each`: which tasks may be done for days that are past.

use super::condition::Template;
use super::fields::Fields;
use super::file::File;
use super::model::{Act, CatchUp, Effect, Requirement, Schedule, Section, Strategy, Task, Verify, names_of};
use super::requires::mentions;
use super::yaml::Node;
use crate::timing::PeriodKind;

impl File {
    /// `2026-11-01`.
    pub(super) fn date(&self, node: &Node) -> Option<chrono::NaiveDate> {
        let text = self.scalar(node)?;
        let date = text.parse().ok().filter(|_| text.len() == 10);
        if date.is_none() {
            self.wrong(node.span.clone(), format!("`{text}` is not a date"), "write year, month and day: 2026-11-01");
        }
        date
    }

    /// `backfill` of a task, and whether a task with `catch_up: each` is one that can be done for another day.
    pub(super) fn fits_each(&self, fields: &Fields<'_>, schedule: &Schedule, task: &Task) {
        let backfill = fields.get("backfill").map(|node| self.boolean(node));
        if schedule.catch_up.strategy != Strategy::Each {
            if backfill.is_some() {
                let cure = "take it out, or write `catch_up: { strategy: each, since: 2026-11-01 }` into `schedule`";
                self.wrong(fields.key_span("backfill"), "`backfill` goes with `catch_up: each`", cure);
            }
            return;
        }
        let key = if fields.get("schedule").is_some() { "schedule" } else { "name" };
        if task.requires.iter().any(|requirement| matches!(requirement, Requirement::Task { .. })) {
            self.not_supported(fields.key_span(key), "catch_up: each with requires: task");
        }
        if let Some((message, cure)) = unfit(&schedule.catch_up, task, backfill.flatten() == Some(true)) {
            self.wrong(fields.key_span(key), format!("`catch_up: each`: {message}"), cure);
        }
    }
}

/// Why a task cannot be done for days that are past, and what to write.
fn unfit(catch_up: &CatchUp, task: &Task, backfill: bool) -> Option<(&'static str, &'static str)> {
    let latest = "write `{{ day }}` where the day belongs, or `catch_up: latest`";
    if catch_up.since.is_none() {
        return Some((
            "the day from which it shall be made up is missing",
            "write `since: 2026-11-01` beside `strategy`",
        ));
    }
    if catch_up.skip_if_after.is_some() {
        return Some((
            "what it leaves out is made up on the next day, and `skip_if_after` would end it",
            "take one out",
        ));
    }
    if !matches!(task.period, PeriodKind::Day | PeriodKind::Week | PeriodKind::Month) {
        return Some(("only days, weeks and months can be missing", "write `catch_up: latest`"));
    }
    let Act::Steps(act) = &task.act else {
        return Some(("a person acts here, and not for days that are past", "write `catch_up: latest`"));
    };
    if task.effect != Effect::Repeatable && !backfill {
        return Some((
            "it acts once in a period, and would act several times on one day",
            "write `backfill: true` if the site takes it for days that are past, else `catch_up: latest`",
        ));
    }
    if !is_of_period(&task.check, &task.vars) {
        return Some(("`check` reads the same whatever day it is done for", latest));
    }
    if !names_of(act).into_iter().any(|name| name.starts_with("checked.") || is_of_day(name, &task.vars)) {
        return Some(("`act` does the same whatever day it is done for", latest));
    }
    match &task.verify {
        Verify::Section(verify) if !is_of_period(verify, &task.vars) => {
            Some(("`verify` reads the same whatever day it is done for", latest))
        }
        _ => None,
    }
}

/// True when what a section reads depends on the period.
fn is_of_period(section: &Section, vars: &[(String, Template)]) -> bool {
    section.keeps_period() || section.names().into_iter().any(|name| is_of_day(name, vars))
}

/// True for the names of the key's period, and for vars that use one.
fn is_of_day(name: &str, vars: &[(String, Template)]) -> bool {
    let of_day = |name: &str| name == "day" || name.starts_with("period.");
    let var = name.strip_prefix("vars.").and_then(|var| vars.iter().position(|(name, _)| name == var));
    of_day(name) || var.is_some_and(|at| mentions(&vars[at].1, &vars[..at], &of_day))
}
