//! `sunup validate`: every fault with its place and cure; then the next runs.

use anyhow::Result;
use serde_json::json;

use super::exit::Exit;
use super::{Common, folders, show};
use crate::clock::{Clock, SystemClock};
use crate::report::Words;
use crate::runner::next_runs;

/// Checks the files.
pub(super) fn validate(common: &Common) -> Result<Exit> {
    let project = match folders::project(common) {
        Ok(project) => project,
        Err(exit) => return Ok(exit),
    };
    let next = next_runs(&project, SystemClock::new().now());
    let tasks: usize = project.sites.iter().map(|site| site.tasks.len()).sum();
    if common.json {
        show::json(&json!({ "faults": [], "sites": project.sites.len(), "tasks": tasks, "next_runs": next }));
        return Ok(Exit::Ok);
    }
    let words = Words::new(project.settings.language)?;
    show::line(&words.with("cli-valid", &[("sites", project.sites.len().into()), ("tasks", tasks.into())]));
    for site in project.sites.iter().filter(|site| site.owner.is_some()) {
        let owner = site.owner.as_deref().unwrap_or_default().to_owned();
        show::line(&words.with("cli-owner", &[("site", site.name.clone().into()), ("owner", owner.into())]));
    }
    let zone = project.settings.timezone;
    let header = ["cli-next-run", "cli-task", "cli-account"].map(|key| words.get(key));
    let rows = next.into_iter().map(|run| {
        let at = run.at.with_timezone(&zone).format("%m-%d %H:%M").to_string();
        vec![at, format!("{} {}", run.site, run.name), run.account]
    });
    show::table(&header, rows.collect());
    Ok(Exit::Ok)
}
