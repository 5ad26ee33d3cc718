//! What the templates show of a notice: what it is, and each thing that it is about, with why.

use super::entries::Entry;
use super::phrases::Phrases;
use super::{Rehearsed, SectionView, Tone, View};
use crate::report::clean::clean;
use crate::report::notice::{Notice, NoticeKind};
use crate::report::words::Words;

/// Longer subjects are cut by mailers anyway, in worse places.
const LONGEST: usize = 120;

/// So many tasks are named in the subject.
const NAMED: usize = 3;

impl View {
    /// What the templates show of this notice.
    pub(in crate::report) fn of_notice(notice: &Notice, words: &Words) -> View {
        let date = notice.made_at.with_timezone(&notice.zone).date_naive();
        let phrases = Phrases { words, zone: notice.zone, date };
        let said = subject(notice, &phrases);
        let of_rehearsal = || Rehearsed { title: words.get("rehearsal"), lines: vec![words.get("rehearsal-said")] };
        let zone = ("zone", notice.zone.name().into());
        View {
            tag: words.tag(),
            subject: match notice.rehearsed {
                true => words.with("subject-rehearsal", &[("subject", said.as_str().into())]),
                false => said.clone(),
            },
            brand: words.get("brand"),
            date: phrases.long_date(),
            follow_up: None,
            rehearsal: notice.rehearsed.then(of_rehearsal),
            headline: said,
            summary: words.get(&format!("notice-{}-said", notice.kind.word())),
            tone: tone(notice.kind),
            stats: Vec::new(),
            sections: vec![section(notice, &phrases)],
            points_title: String::new(),
            points: Vec::new(),
            next_title: String::new(),
            next: Vec::new(),
            footer: vec![words.with("footer-made", &[("time", phrases.time(notice.made_at).into()), zone])],
        }
    }
}

fn tone(kind: NoticeKind) -> Tone {
    match kind {
        NoticeKind::Remind => Tone::Attention,
        NoticeKind::Alarm | NoticeKind::Dead => Tone::Bad,
        NoticeKind::Skip => Tone::Quiet,
    }
}

/// What it is, the first of what it is about, and how many more there are.
fn subject(notice: &Notice, phrases: &Phrases<'_>) -> String {
    let words = phrases.words;
    let runs = notice.runs.iter().map(|run| clean(&run.name, 30));
    let alarms = notice.alarms.iter().map(|alarm| {
        words.with(
            "notice-of",
            &[
                ("name", clean(&alarm.name, 40).into()),
                ("what", words.get(&format!("notice-alarm-{}", alarm.kind.word())).into()),
            ],
        )
    });
    let names: Vec<String> = runs.chain(alarms).collect();
    let mut what = names[..names.len().min(NAMED)].join(&words.get("separator"));
    if names.len() > NAMED {
        what = words.with("subject-and-more", &[("what", what.into()), ("count", (names.len() - NAMED).into())]);
    }
    let time = phrases.time(notice.made_at);
    let subject =
        words.with(&format!("notice-{}", notice.kind.word()), &[("time", time.into()), ("what", what.into())]);
    clean(&subject, LONGEST)
}

fn section(notice: &Notice, phrases: &Phrases<'_>) -> SectionView {
    let title = match notice.kind {
        NoticeKind::Remind => "section-not-done",
        NoticeKind::Alarm => "section-alerts",
        NoticeKind::Dead => "section-failed",
        NoticeKind::Skip => "section-did-not-run",
    };
    let runs = notice.runs.iter().map(|run| Entry::of_run(run, phrases));
    let alarms = notice.alarms.iter().map(|alarm| Entry::of_alarm(alarm, phrases));
    let entries = runs.chain(alarms).collect();
    SectionView { title: phrases.words.get(title), tone: tone(notice.kind), entries }
}
