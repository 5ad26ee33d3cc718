//! The order of the report, and its counts: what the first screen and the subject answer. Pure.

use super::model::{AccountPoints, Report, TaskRun};
use super::points::Sum;
use crate::run::Status;

/// Where a task run stands in the report; the order of the variants is the order of the sections. Points come last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// A person is needed.
    NeedsYou,
    /// Dead, or failed so far, with the stuck step.
    Failed,
    /// Acted, or at work: not yet proved.
    Unproved,
    /// Did not run, and why.
    DidNotRun,
    /// A read of the server closed it as done.
    Done,
}

impl Section {
    /// Every section, in order.
    pub const ALL: [Section; 5] =
        [Section::NeedsYou, Section::Failed, Section::Unproved, Section::DidNotRun, Section::Done];

    /// The section of a status.
    pub fn of(status: Status) -> Section {
        match status {
            Status::Blocked => Section::NeedsYou,
            Status::Dead | Status::Failed => Section::Failed,
            Status::Unconfirmed | Status::Running => Section::Unproved,
            Status::Skipped | Status::Pending => Section::DidNotRun,
            Status::Success | Status::AlreadyDone | Status::Compensated => Section::Done,
        }
    }
}

/// The counts of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Things that wait for a person: the tickets, and blocked runs that name none of them.
    pub needs_you: usize,
    /// Task runs that are blocked.
    pub blocked: usize,
    /// Dead or failed.
    pub failed: usize,
    /// Not yet proved.
    pub unproved: usize,
    /// Did not run although they should have, or have still to.
    pub not_run: usize,
    /// Nothing to do in this period.
    pub nothing_to_do: usize,
    /// Done.
    pub done: usize,
    /// What came in today, by site. Points of two sites are two currencies: they are never added up.
    pub earned: Vec<(String, Option<Sum>)>,
}

impl Summary {
    /// Task runs that are or were to be done.
    pub fn to_do(&self) -> usize {
        self.done + self.blocked + self.failed + self.unproved + self.not_run
    }

    /// True when every task run is done, and nobody is needed.
    pub fn all_done(&self) -> bool {
        self.needs_you == 0 && self.failed == 0 && self.unproved == 0 && self.not_run == 0
    }
}

impl Report {
    /// The task runs of a section: dead before failed, then what changed, then as they were given.
    pub fn section(&self, section: Section) -> Vec<&TaskRun> {
        let mut runs: Vec<&TaskRun> = self.runs.iter().filter(|run| Section::of(run.status) == section).collect();
        runs.sort_by_key(|run| (run.status != Status::Dead, !run.changed));
        runs
    }

    /// The counts.
    pub fn summary(&self) -> Summary {
        let count = |section| self.section(section).len();
        let nothing_to_do = self.section(Section::DidNotRun).into_iter().filter(|run| run.is_off()).count();
        Summary {
            needs_you: self.tickets.len() + self.blocked_without_ticket().count(),
            blocked: count(Section::NeedsYou),
            failed: count(Section::Failed),
            unproved: count(Section::Unproved),
            not_run: count(Section::DidNotRun) - nothing_to_do,
            nothing_to_do,
            done: count(Section::Done),
            earned: earned_by_site(&self.points),
        }
    }

    /// Blocked runs whose ticket is not in the report; they are listed by themselves, so that none is lost.
    pub fn blocked_without_ticket(&self) -> impl Iterator<Item = &TaskRun> {
        self.runs.iter().filter(|run| {
            let known = |number| self.tickets.iter().any(|ticket| ticket.number == number);
            run.status == Status::Blocked && !run.ticket.is_some_and(known)
        })
    }

    /// The blocked runs that wait for this ticket.
    pub fn waiting_for(&self, ticket: u32) -> impl Iterator<Item = &TaskRun> {
        self.runs.iter().filter(move |run| run.status == Status::Blocked && run.ticket == Some(ticket))
    }
}

impl TaskRun {
    /// True when there was nothing to do in this period.
    fn is_off(&self) -> bool {
        self.status == Status::Skipped && self.reason.as_ref().is_some_and(|reason| reason.is_intended())
    }
}

/// What came in, by site, in the order of the accounts. A site with an account that could not be read is the least of
/// what is known, or unknown.
fn earned_by_site(points: &[AccountPoints]) -> Vec<(String, Option<Sum>)> {
    let mut sites: Vec<(String, Option<Sum>)> = Vec::new();
    for account in points {
        let earned = account.earned();
        match sites.iter_mut().find(|(site, _)| *site == account.site) {
            Some((_, sum)) => *sum = both(*sum, earned),
            None => sites.push((account.site.clone(), earned)),
        }
    }
    sites
}

fn both(one: Option<Sum>, other: Option<Sum>) -> Option<Sum> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.plus(other)),
        (Some(known), None) | (None, Some(known)) => Some(Sum { partial: true, ..known }),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::{PointsRead, Reason};
    use super::*;
    use crate::report::samples::{self, points, row, run};
    use rust_decimal::Decimal;

    #[test]
    fn sections_come_in_the_order_of_the_rules() {
        let order: Vec<Section> = [
            Status::Blocked,
            Status::Dead,
            Status::Failed,
            Status::Unconfirmed,
            Status::Running,
            Status::Skipped,
            Status::Pending,
            Status::Success,
            Status::AlreadyDone,
            Status::Compensated,
        ]
        .map(Section::of)
        .to_vec();
        assert!(order.is_sorted());
        assert_eq!(order.iter().filter(|section| **section == Section::Failed).count(), 2);
    }

    #[test]
    fn dead_stands_before_failed_and_changed_before_unchanged() {
        let mut report = samples::empty();
        report.runs = vec![run("a", Status::Failed), run("b", Status::Failed), run("c", Status::Dead)];
        report.runs[1].changed = true;
        let names: Vec<&str> = report.section(Section::Failed).iter().map(|run| run.name.as_str()).collect();
        assert_eq!(names, ["c", "b", "a"]);
    }

    #[test]
    fn every_run_stands_in_exactly_one_section() {
        let report = samples::mixed();
        let listed: usize = Section::ALL.into_iter().map(|section| report.section(section).len()).sum();
        assert_eq!(listed, report.runs.len());
    }

    #[test]
    fn a_blocked_run_without_its_ticket_is_not_lost() {
        let mut report = samples::empty();
        report.runs = vec![run("a", Status::Blocked)];
        assert_eq!(report.summary().needs_you, 1);
        report.runs[0].ticket = Some(7);
        assert_eq!(report.summary().needs_you, 1);
        report.tickets = vec![samples::ticket(7)];
        assert_eq!(report.summary().needs_you, 1);
        assert_eq!(report.waiting_for(7).count(), 1);
        assert_eq!(report.blocked_without_ticket().count(), 0);
    }

    #[test]
    fn a_day_off_leaves_nothing_undone_but_a_missed_one_does() {
        let mut report = samples::empty();
        report.runs = vec![run("a", Status::Success), run("b", Status::Skipped)];
        for (word, all_done) in [("holiday", true), ("skip", true), ("missed", false), ("period_over", false)] {
            report.runs[1].reason = Some(Reason { word: word.into(), detail: None });
            assert_eq!(report.summary().all_done(), all_done, "{word}");
        }
    }

    #[test]
    fn points_of_two_sites_are_not_added_up() {
        let mut report = samples::empty();
        let mut second = points(vec![row("签到", 5)]);
        second.account = "mum".into();
        let mut other = points(vec![row("下单", 7)]);
        other.site = "书店".into();
        report.points = vec![points(vec![row("签到", 10)]), second, other];
        let earned = report.summary().earned;
        let amounts: Vec<(&str, Decimal)> =
            earned.iter().map(|(site, sum)| (site.as_str(), sum.unwrap().amount)).collect();
        assert_eq!(amounts, [("社区", Decimal::from(15)), ("书店", Decimal::from(7))]);
    }

    #[test]
    fn an_account_that_could_not_be_read_makes_its_sites_sum_the_least() {
        let mut report = samples::empty();
        let mut unread = points(vec![]);
        unread.read = PointsRead::Unknown("signed out".into());
        report.points = vec![unread.clone()];
        assert_eq!(report.summary().earned[0].1, None);
        report.points = vec![unread, points(vec![row("签到", 10)])];
        assert!(report.summary().earned[0].1.unwrap().partial);
    }
}
