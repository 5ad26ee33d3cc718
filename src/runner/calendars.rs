//! What is wrong with the calendars of holidays: said loudly, at every start, in the report and in `status`.

use chrono::{DateTime, Datelike, Days, Utc};

use crate::files::model::{Project, Schedule};
use crate::report::CalendarTrouble;
use crate::timing::{Holidays, OnHoliday};

/// So many days before a year begins, its holidays should be there.
const AHEAD: Days = Days::new(30);

/// The calendars of which a broken file was replaced by its copy, or which do not cover this year, or soon the next one.
pub fn calendar_troubles(project: &Project, now: DateTime<Utc>) -> Vec<CalendarTrouble> {
    let today = now.with_timezone(&project.settings.timezone).date_naive();
    let mut years = vec![today.year(), (today + AHEAD).year()];
    years.dedup();
    let mut troubles = Vec::new();
    for file in &project.settings.calendars {
        let trouble = |broken: Option<String>, year| CalendarTrouble {
            calendar: file.holidays.name.clone(),
            file: file.path.display().to_string(),
            broken,
            year,
        };
        troubles.extend(file.broken.clone().map(|why| trouble(Some(why), None)));
        if is_used(project, &file.holidays) {
            let uncovered = years.iter().filter(|year| !file.holidays.covers(**year));
            troubles.extend(uncovered.map(|year| trouble(None, Some(*year))));
        }
    }
    troubles
}

fn is_used(project: &Project, holidays: &Holidays) -> bool {
    let asks = |schedule: &Schedule| schedule.times.on_workdays() || schedule.holidays != OnHoliday::Run;
    let its = |schedule: &Schedule| schedule.calendar.as_ref().is_some_and(|calendar| calendar.name == holidays.name);
    let mut tasks = project.sites.iter().flat_map(|site| &site.tasks);
    tasks.any(|task| asks(&task.schedule) && its(&task.schedule))
}
