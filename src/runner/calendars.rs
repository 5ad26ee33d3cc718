//! What is wrong with the calendars of holidays: said loudly, at every start, in the report and in `status`.

use chrono::{DateTime, Datelike, Days, Utc};

use crate::files::model::{Project, Schedule};
use crate::report::CalendarTrouble;
use crate::timing::{Holidays, OnHoliday};

/// So many days before a year begins, on the first of December, its holidays should be there.
const AHEAD: Days = Days::new(31);

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

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::files::load;
    use crate::files::model::CalendarFile;

    /// What is said at this time of a calendar that covers 2026 alone.
    fn years(now: &str, on_holiday: OnHoliday) -> Vec<Option<i32>> {
        let mut project = load(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        let mut holidays = Holidays::named("cn");
        holidays.add_holiday("2026-10-01".parse().unwrap(), "国庆节");
        let holidays = Arc::new(holidays);
        let schedule = &mut project.sites[0].tasks[0].schedule;
        (schedule.calendar, schedule.holidays) = (Some(holidays.clone()), on_holiday);
        let bytes = Arc::from(&b""[..]);
        project.settings.calendars = vec![CalendarFile { path: "cn.ics".into(), holidays, broken: None, bytes }];
        calendar_troubles(&project, now.parse().unwrap()).into_iter().map(|trouble| trouble.year).collect()
    }

    #[test]
    fn a_year_that_is_not_covered_is_said_from_the_first_of_december_before() {
        assert_eq!(years("2026-11-29T16:00:00Z", OnHoliday::Skip), [], "30 November in Shanghai");
        assert_eq!(years("2026-11-30T16:00:00Z", OnHoliday::Skip), [Some(2027)]);
        assert_eq!(years("2027-03-01T00:00:00Z", OnHoliday::Skip), [Some(2027)]);
        assert_eq!(years("2027-03-01T00:00:00Z", OnHoliday::Run), [], "nobody asks it");
    }
}
