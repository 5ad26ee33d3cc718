use std::path::Path;

use chrono::{NaiveTime, TimeDelta};
use mail_parser::MessageParser;
use tempfile::TempDir;

use super::*;
use crate::files::load;
use crate::files::model::Task;
use crate::ledger::StoredReport;
use crate::run::{Event, TaskRun as State};

/// The example's files and an empty ledger.
struct Household {
    project: Project,
    folder: TempDir,
    ledger: Ledger,
}

impl Household {
    fn new(change: impl Fn(&mut Task)) -> Self {
        let mut project = load(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        project.sites[0].tasks.iter_mut().for_each(change);
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::open(folder.path()).unwrap();
        Household { project, folder, ledger }
    }

    fn notices(&self, now: &str) -> Notices<'_> {
        static REDACTOR: std::sync::LazyLock<Redactor> = std::sync::LazyLock::new(Redactor::default);
        let (project, ledger) = (&self.project, &self.ledger);
        Notices { project, ledger, redactor: &REDACTOR, now: at(now), rehearses: false }
    }

    /// A round's end: the subjects of all mails so far.
    fn round(&self, now: &str) -> Vec<String> {
        self.notices(now).keep().unwrap();
        self.subjects()
    }

    fn subjects(&self) -> Vec<String> {
        let subject = |bytes: &[u8]| MessageParser::default().parse(bytes).unwrap().subject().unwrap().to_owned();
        self.ledger.undelivered_mails().unwrap().iter().map(|mail| subject(&mail.mail.bytes)).collect()
    }

    /// A task's key of this time comes to its end.
    fn ends(&self, task: &str, now: &str, status: Status, reason: &str) {
        let site = &self.project.sites[0];
        let task = site.tasks.iter().find(|other| other.id == task).unwrap();
        let lane = Lane { site: site.id.clone(), account: task.accounts[0].clone() };
        let planned = plan_task(&self.project, site, task, &lane, at(now)).unwrap();
        self.ledger.open_key(&planned.row, at(now)).unwrap();
        let mut state = State::default();
        (state.status, state.reason) = (status, (!reason.is_empty()).then(|| reason.to_owned()));
        let event = Event::Closed { status, reason: reason.to_owned() };
        self.ledger.append("run", &planned.row.key, at(now), &event, &state).unwrap();
    }

    fn report(&self, now: &str) {
        let (text, rendered_at) = (String::new, at(now));
        let (subject, text, html, json) = (text(), text(), text(), text());
        let date = rendered_at.date_naive();
        let report = StoredReport { date, number: 1, rendered_at, subject, text, html, json };
        assert!(self.ledger.keep_report(&report, &[]).unwrap());
    }
}

/// A day of November and a time of day in the runner's zone, such as `30 10:05`.
fn at(text: &str) -> DateTime<Utc> {
    format!("2026-11-{}:00+08:00", text.replace(' ', "T")).parse().unwrap()
}

fn remind_at_ten(task: &mut Task) {
    task.schedule.remind = Some(NaiveTime::MIN + TimeDelta::hours(10));
}

#[test]
fn a_reminder_names_what_is_not_done_and_comes_once_a_day() {
    let household = Household::new(remind_at_ten);
    household.ends("checkin", "30 06:05", Status::Success, "");
    household.ends("publish", "30 06:05", Status::Skipped, "skip: nothing to write about");
    assert_eq!(household.round("30 09:59"), Vec::<String>::new(), "it is not ten yet");
    let subjects = household.round("30 10:05");
    assert_eq!(subjects, ["10:05 还没完成：阅读五篇文章"]);
    assert_eq!(household.round("30 10:15"), subjects);
    assert_eq!(household.round("30 23:50"), subjects);
}

#[test]
fn what_was_missed_is_not_done_and_what_was_left_out_on_purpose_is_none_of_it() {
    let household = Household::new(remind_at_ten);
    household.ends("checkin", "30 06:05", Status::Skipped, "missed");
    household.ends("publish", "30 06:05", Status::Skipped, "holiday: 国庆");
    household.ends("read", "30 06:05", Status::AlreadyDone, "");
    assert_eq!(household.round("30 10:00"), ["10:00 还没完成：每日签到"]);
}

#[test]
fn in_time_it_comes_before_the_work_and_late_after_it() {
    let household = Household::new(remind_at_ten);
    assert!(!household.notices("30 10:11").remind_in_time().unwrap(), "a machine that was off has its chance first");
    assert!(household.notices("30 10:10").remind_in_time().unwrap());
    assert!(!household.notices("30 10:10").remind_in_time().unwrap(), "once");
}

#[test]
fn a_window_over_midnight_is_reminded_of_on_the_next_day() {
    let household = Household::new(|task| {
        let clock = |hours| NaiveTime::MIN + TimeDelta::hours(hours);
        task.schedule.times = crate::timing::Times::at(clock(22));
        (task.schedule.until, task.schedule.remind) = (clock(3), Some(clock(1)));
    });
    assert_eq!(household.round("29 23:00").len(), 0);
    assert_eq!(household.round("30 01:00").len(), 1);
    assert_eq!(next_reminder(&household.project, at("29 23:00")), Some(at("30 01:00")));
    assert_eq!(next_reminder(&household.project, at("29 01:00")), Some(at("30 01:00")), "not the one that is now");
}

#[test]
fn a_run_that_died_between_storing_and_sending_is_followed_by_no_second_mail() {
    let mut household = Household::new(remind_at_ten);
    let subjects = household.round("30 10:00");
    let (id, before) = household.ledger.undelivered_mails().map(|mails| (mails[0].id, mails[0].mail.clone())).unwrap();
    household.ledger = Ledger::open(household.folder.path()).unwrap();
    assert_eq!(household.round("30 10:01"), subjects);
    let after = household.ledger.undelivered_mails().unwrap();
    assert_eq!((after[0].id, &after[0].mail), (id, &before), "the very bytes");
}

#[test]
fn an_alarm_is_mailed_when_it_begins_and_again_when_it_comes_again() {
    let mut household = Household::new(|_| ());
    household.project.sites[0].tasks.retain(|task| task.id == "checkin");
    household.project.sites[0].points = None;
    household.ends("checkin", "10 06:05", Status::Success, "");
    assert_eq!(household.round("14 06:00"), Vec::<String>::new(), "nobody asked for it");
    household.project.settings.alarms_to = Some(vec!["mum@example.org".into()]);
    let subjects = household.round("14 06:00");
    assert_eq!(subjects, ["警报：开发者社区 每日签到 很久没有得到证实"]);
    let to = household.ledger.undelivered_mails().unwrap()[0].mail.recipient.clone();
    assert_eq!(to, "mum@example.org");
    assert_eq!(household.round("14 06:10"), subjects, "it still stands");
    assert_eq!(household.round("15 06:10"), subjects);
    household.ends("checkin", "16 06:05", Status::Success, "");
    assert_eq!(household.round("16 06:10"), subjects, "it is over");
    assert_eq!(household.round("20 06:10").len(), 2, "it has come again");
}

#[test]
fn a_dead_letter_has_a_mail_of_its_own_only_where_no_report_tells_of_it() {
    let household = Household::new(|_| ());
    household.ends("checkin", "30 06:05", Status::Dead, "no_effect: 明细里没有");
    household.report("30 06:10");
    assert_eq!(household.round("30 06:10"), Vec::<String>::new(), "the report of this round tells of it");
    household.ends("publish", "30 07:00", Status::Dead, "no_effect");
    household.ends("read", "30 07:00", Status::Dead, "no_effect");
    let subjects = household.round("30 07:00");
    assert_eq!(subjects.len(), 1, "one mail for all: {subjects:?}");
    assert!(subjects[0].starts_with("放弃了：") && !subjects[0].contains("每日签到"), "{subjects:?}");
    assert_eq!(household.round("30 07:10"), subjects);
    let quiet = Household::new(|task| task.notify.dead = false);
    quiet.ends("checkin", "30 06:05", Status::Dead, "no_effect");
    assert_eq!(quiet.round("30 06:05"), Vec::<String>::new());
}

#[test]
fn a_skip_is_told_where_that_is_asked_for_whether_or_not_a_report_tells_of_it() {
    let household = Household::new(|task| task.notify.skip = task.id == "checkin");
    household.ends("checkin", "30 06:05", Status::Skipped, "holiday: 国庆");
    household.ends("read", "30 06:05", Status::Skipped, "holiday: 国庆");
    household.report("30 06:10");
    assert_eq!(household.round("30 06:10"), ["跳过了：每日签到"]);
    assert_eq!(household.round("30 06:20").len(), 1);
}

#[test]
fn without_a_mail_server_nothing_is_noticed_and_a_rehearsal_needs_none() {
    let mut household = Household::new(remind_at_ten);
    household.project.settings.report.as_mut().unwrap().smtp = None;
    assert_eq!(household.round("30 10:00"), Vec::<String>::new());
    Notices { rehearses: true, ..household.notices("30 10:00") }.keep().unwrap();
    assert!(household.subjects()[0].starts_with("【彩排】"));
}

#[test]
fn the_report_counts_the_dead_letters_of_earlier_days_until_a_person_has_taken_note() {
    let household = Household::new(|task| {
        if task.id == "read" {
            task.period = crate::timing::PeriodKind::Week;
        }
    });
    household.ends("checkin", "23 06:05", Status::Dead, "no_effect");
    household.ends("read", "23 06:05", Status::Dead, "no_effect");
    let counted = |day: &str| {
        let now = at(&format!("{day} 09:00"));
        let date = now.with_timezone(&household.project.settings.timezone).date_naive();
        crate::runner::assemble(&household.project, &household.ledger, date, now, None).unwrap()
    };
    assert_eq!(counted("23").dead_letters, None, "its own day tells of them");
    household.report("23 09:00");
    let told = counted("24");
    let letters = report::DeadLetters { waiting: 2, can_go_on: 1 };
    assert_eq!(told.dead_letters, Some(letters), "the week is not over");
    let text = report::render(&told, household.project.settings.language).unwrap().text;
    assert!(text.contains("以前有 2 项放弃了的还没人看过，其中 1 项可以继续：`sunup dead`"), "{text}");
    assert_eq!(counted("30").dead_letters, Some(report::DeadLetters { waiting: 2, can_go_on: 0 }));
    for letter in household.ledger.dead_letters().unwrap() {
        household.ledger.acknowledge(&letter.row.key, "a person", at("30 09:00")).unwrap();
    }
    assert_eq!(counted("30").dead_letters, None);
}
