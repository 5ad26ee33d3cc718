//! Thirty days of a task, a square for each.

use chrono::NaiveDate;
use serde::Serialize;

use super::said::Said;
use super::{DAYS, first_day};
use crate::ledger::DayStatus;
use crate::run::Status;

/// One day, or one line of the legend.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Square {
    kind: Kind,
    title: String,
}

/// The squares of one task and account, and what they say together.
#[derive(Debug, Serialize)]
pub(super) struct Squares {
    label: String,
    days: Vec<Square>,
}

/// The worst of a day stands last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    None,
    Off,
    Good,
    Attention,
    Bad,
}

impl Kind {
    const ALL: [Kind; 5] = [Kind::Good, Kind::Attention, Kind::Bad, Kind::Off, Kind::None];

    fn of(day: &DayStatus) -> Kind {
        let intended = || {
            let word = day.reason.as_deref().unwrap_or_default().split(':').next();
            matches!(word, Some("skip" | "holiday" | "not_workday"))
        };
        match day.status {
            Status::Success | Status::AlreadyDone | Status::Compensated => Kind::Good,
            Status::Failed | Status::Dead => Kind::Bad,
            Status::Skipped if intended() => Kind::Off,
            Status::Skipped | Status::Unconfirmed | Status::Running | Status::Blocked => Kind::Attention,
            Status::Pending => Kind::None,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Kind::Good => "square-good",
            Kind::Attention => "square-attention",
            Kind::Bad => "square-bad",
            Kind::Off => "square-off",
            Kind::None => "square-none",
        }
    }
}

/// What each kind of square means.
pub(super) fn legend(said: &Said<'_>) -> Vec<Square> {
    Kind::ALL.iter().map(|kind| Square { kind: *kind, title: said.words.get(kind.word()) }).collect()
}

/// The squares of those days that are of one task and account, the oldest first.
pub(super) fn of<'a>(days: impl Iterator<Item = &'a DayStatus> + Clone, said: &Said<'_>) -> Squares {
    let square = |date: NaiveDate| {
        let of_day = days.clone().filter(|day| day.date == date);
        let worst = of_day.max_by_key(|day| Kind::of(day));
        let kind = worst.map_or(Kind::None, Kind::of);
        let status = match worst {
            Some(day) => said.words.get(&format!("status-{}", day.status.word())),
            None => said.words.get(Kind::None.word()),
        };
        let date = date.format("%m-%d").to_string();
        Square { kind, title: said.words.with("page-day", &[("date", date.into()), ("status", status.into())]) }
    };
    let dates = first_day(said.today()).iter_days().take(DAYS as usize);
    let days: Vec<Square> = dates.map(square).collect();
    Squares { label: label(&days, said), days }
}

fn label(days: &[Square], said: &Said<'_>) -> String {
    let counts = Kind::ALL.into_iter().filter(|kind| *kind != Kind::None).filter_map(|kind| {
        let count = days.iter().filter(|day| day.kind == kind).count();
        let key = format!("{}-count", kind.word());
        (count > 0).then(|| said.words.with(&key, &[("count", count.into())]))
    });
    let counts: Vec<String> = counts.collect();
    if counts.is_empty() {
        return said.words.with("page-days-none", &[("days", DAYS.into())]);
    }
    let counts = counts.join(&said.words.get("separator"));
    said.words.with("page-days-label", &[("days", DAYS.into()), ("counts", counts.into())])
}
