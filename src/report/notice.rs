//! A mail of its own beside the report: a reminder, alarms, or ends that are told at once. Pure.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use super::alarm::Alarm;
use super::model::TaskRun;
use super::render::{RenderError, Rendered, put_into_pages};
use super::view::View;
use super::words::Words;
use crate::files::model::Language;

/// What a notice is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeKind {
    /// Not done yet at the time of `remind`.
    Remind,
    /// Wrong for some time already.
    Alarm,
    /// Ended as dead.
    Dead,
    /// Skipped.
    Skip,
}

impl NoticeKind {
    /// The word in the ledger, and behind `notice-` in the words.
    pub fn word(self) -> &'static str {
        match self {
            NoticeKind::Remind => "remind",
            NoticeKind::Alarm => "alarm",
            NoticeKind::Dead => "dead",
            NoticeKind::Skip => "skip",
        }
    }
}

/// One notice.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    /// What it is.
    pub kind: NoticeKind,
    /// The runner's zone.
    pub zone: Tz,
    /// When it was made.
    pub made_at: DateTime<Utc>,
    /// It is about a rehearsal.
    pub rehearsed: bool,
    /// The task runs that it is about; none in one of alarms.
    pub runs: Vec<TaskRun>,
    /// The alarms.
    pub alarms: Vec<Alarm>,
}

/// Renders a notice in a language.
pub fn render_notice(notice: &Notice, language: Language) -> Result<Rendered, RenderError> {
    let words = Words::new(language)?;
    put_into_pages(View::of_notice(notice, &words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{AlarmKind, samples};
    use crate::run::Status;

    fn notice(kind: NoticeKind, runs: Vec<TaskRun>) -> Notice {
        let made_at = "2026-11-30T02:00:00Z".parse().unwrap();
        Notice { kind, zone: chrono_tz::Asia::Shanghai, made_at, rehearsed: false, runs, alarms: Vec::new() }
    }

    fn both(notice: &Notice) -> [Rendered; 2] {
        [Language::Chinese, Language::English].map(|language| render_notice(notice, language).unwrap())
    }

    #[test]
    fn the_subject_says_it_all() {
        let run = |name: &str, status| samples::run(name, status);
        let pending = ["签到", "浏览", "发文", "投票"].map(|name| run(name, Status::Pending));
        let [chinese, english] = both(&notice(NoticeKind::Remind, pending.to_vec()));
        assert_eq!(chinese.subject, "10:00 还没完成：签到，浏览，发文，还有 1 件");
        assert_eq!(english.subject, "Not done at 10:00: 签到, 浏览, 发文 and 1 more");
        let [chinese, english] = both(&notice(NoticeKind::Dead, vec![run("签到", Status::Dead)]));
        assert_eq!([chinese.subject, english.subject], ["放弃了：签到", "Gave up: 签到"]);
        let [chinese, english] = both(&notice(NoticeKind::Skip, vec![run("签到", Status::Skipped)]));
        assert_eq!([chinese.subject, english.subject], ["跳过了：签到", "Left out: 签到"]);
        let rehearsed = Notice { rehearsed: true, ..notice(NoticeKind::Dead, vec![run("签到", Status::Dead)]) };
        assert!(both(&rehearsed)[0].subject.starts_with("【彩排】"));
    }

    #[test]
    fn text_and_page_tell_each_with_why_and_in_no_unfilled_word() {
        let mut dead = samples::run("签到", Status::Dead);
        dead.reason = Some(crate::report::Reason::of("no_effect: the server does not show it"));
        let alarm = Alarm {
            kind: AlarmKind::NoSuccess,
            task: "community/checkin".into(),
            name: "社区 每日签到".into(),
            account: "main".into(),
            since: "2026-11-27T22:00:00Z".parse().unwrap(),
        };
        let alarms = Notice { alarms: vec![alarm], ..notice(NoticeKind::Alarm, Vec::new()) };
        let kinds = [NoticeKind::Remind, NoticeKind::Dead, NoticeKind::Skip];
        let told = kinds.map(|kind| (notice(kind, vec![dead.clone()]), "the server does not show it"));
        for (notice, why) in told.into_iter().chain([(alarms, "2026-11-28 06:00")]) {
            for rendered in both(&notice) {
                for part in [&rendered.text, &rendered.html] {
                    assert!(part.contains(why), "{part}");
                    assert!(!part.contains("notice-") && !part.contains("section-not"), "{part}");
                }
                assert!(rendered.html.contains("<h1") && !rendered.html.contains("stats-row\""), "{}", rendered.html);
            }
        }
    }
}
