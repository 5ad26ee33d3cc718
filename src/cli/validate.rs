//! `sunup validate`: every fault with its place and cure; then the next runs.

use anyhow::Result;
use serde_json::json;

use super::exit::Exit;
use super::{Common, folders, show, status};
use crate::clock::{Clock, SystemClock};
use crate::report::Words;
use crate::runner::{calendar_troubles, next_runs};

/// Checks the files.
pub(super) fn validate(common: &Common) -> Result<Exit> {
    let project = match folders::project(common) {
        Ok(project) => project,
        Err(exit) => return Ok(exit),
    };
    let now = SystemClock::new().now();
    let (next, troubles) = (next_runs(&project, now), calendar_troubles(&project, now));
    let tasks: usize = project.sites.iter().map(|site| site.tasks.len()).sum();
    if common.json {
        show::json(
            &json!({ "faults": [], "sites": project.sites.len(), "tasks": tasks, "next_runs": next, "calendars": troubles }),
        );
        return Ok(Exit::Ok);
    }
    let words = Words::new(project.settings.language)?;
    show::line(&words.with("cli-valid", &[("sites", project.sites.len().into()), ("tasks", tasks.into())]));
    for site in project.sites.iter().filter(|site| site.owner.is_some()) {
        let owner = site.owner.as_deref().unwrap_or_default().to_owned();
        show::line(&words.with("cli-owner", &[("site", site.name.clone().into()), ("owner", owner.into())]));
    }
    for trouble in &troubles {
        show::line(&trouble.line(&words));
    }
    status::next_rows(&next, &words, project.settings.timezone);
    Ok(Exit::Ok)
}
