//! The report and its mail, as `runner/deliver.rs` has them, and a mail server that may lose its answers.

use std::collections::HashMap;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use sunup::ledger::{MailState, NewMail, OutboxMail, StatusLine, StoredReport};
use sunup::run::Status;

use crate::bugs::Bug;
use crate::judge::Law;
use crate::stage::Seat;
use crate::world::World;

const DOUBTFUL_SENDS: u32 = 2;

/// The mail server.
#[derive(Debug, Default)]
pub struct Post {
    taken: HashMap<String, Taken>,
    /// In a thousand sends: those whose answer is lost, and those that are put off.
    pub answers_lost: u32,
    pub puts_off: u32,
}

/// What became of a mail at the server.
#[derive(Debug, Default, Clone, Copy)]
struct Taken {
    times: u32,
    /// Its answer was lost on the way.
    lost: bool,
    /// Taken then, and the runner has not written down that it was.
    unwritten: Option<DateTime<Utc>>,
}

impl World {
    /// The report of a date with its mail, if it tells anything new.
    pub fn keep_report(&self, date: NaiveDate) {
        let now = self.now();
        let previous = self.ledger.last_report(date).unwrap();
        let mut lines = self.ledger.open_keys().unwrap();
        lines.retain(|line| line.row.report_date < date);
        lines.extend(self.ledger.keys_ended_since_last_report(date).unwrap());
        lines.extend(self.ledger.keys_of(date).unwrap());
        let told = told(&lines);
        let settled = |line: &StatusLine| line.status.is_final() || line.status == Status::Blocked;
        let worth = match &previous {
            None => !lines.is_empty(),
            Some(before) => before.json != told && lines.iter().all(settled),
        };
        if !worth {
            return;
        }
        let number = previous.map_or(1, |report| report.number + 1);
        let message_id = format!("<{date}.{number}@example.org>");
        let text = String::new;
        let report = StoredReport {
            date,
            number,
            rendered_at: now,
            subject: text(),
            text: text(),
            html: text(),
            json: told.clone(),
        };
        let mail = NewMail {
            sender: "sunup@example.org".into(),
            recipient: "me@example.org".into(),
            message_id: message_id.clone(),
            bytes: told.into_bytes(),
        };
        if self.has(Bug::MailSentBeforeItIsStored) {
            self.server_takes(&message_id);
        }
        let kept = self.ledger.keep_report(&report, &[mail]).unwrap();
        self.tell(|| format!("report {date} number {number}, kept {kept}"));
    }

    /// Tries every mail that is due.
    pub async fn deliver(&self, seat: &Seat) {
        for waiting in self.ledger.undelivered_mails().unwrap() {
            let may_be_sent = match waiting.state {
                MailState::Failed | MailState::Sent => false,
                MailState::Queued | MailState::Uncertain => waiting.unanswered < DOUBTFUL_SENDS,
            };
            if may_be_sent && waiting.due.is_none_or(|due| due <= self.now()) {
                self.send(seat, waiting).await;
            }
        }
    }

    async fn send(&self, seat: &Seat, mail: OutboxMail) {
        for unanswered in mail.unanswered..DOUBTFUL_SENDS {
            let ours = unanswered > mail.unanswered;
            let claimed = self.ledger.mail_sending(mail.id, unanswered, ours, self.now()).unwrap();
            if !claimed && !self.has(Bug::MailNotClaimed) {
                break;
            }
            if claimed && let Some(taken) = self.post.borrow_mut().taken.get_mut(&mail.mail.message_id) {
                // Whoever had it in hand before died, and nobody knows.
                taken.lost |= taken.unwritten.take().is_some();
            }
            seat.at_commit.set(true);
            self.line().await;
            seat.at_commit.set(false);
            let (state, due) = self.server_answers(&mail);
            self.line().await;
            let now = self.now();
            let state =
                if self.has(Bug::SentMailQueuedAgain) && state == MailState::Sent { MailState::Queued } else { state };
            self.ledger.mail_answered(mail.id, state, due.map(|wait| now + wait), None, now).unwrap();
            if let Some(taken) = self.post.borrow_mut().taken.get_mut(&mail.mail.message_id) {
                taken.unwritten = None;
            }
            self.line().await;
            if state != MailState::Uncertain {
                break;
            }
        }
    }

    fn server_answers(&self, mail: &OutboxMail) -> (MailState, Option<TimeDelta>) {
        let (puts_off, answers_lost) = (self.post.borrow().puts_off, self.post.borrow().answers_lost);
        if self.chance.in_thousand(puts_off) {
            return (MailState::Queued, Some(TimeDelta::minutes(5)));
        }
        self.server_takes(&mail.mail.message_id);
        if self.chance.in_thousand(answers_lost) {
            self.post.borrow_mut().taken.entry(mail.mail.message_id.clone()).or_default().lost = true;
            return (MailState::Uncertain, None);
        }
        (MailState::Sent, None)
    }

    fn server_takes(&self, message_id: &str) {
        self.tell(|| format!("the server takes {message_id}"));
        self.seen(|seen| seen.mails += 1);
        let now = self.now();
        let before = {
            let mut post = self.post.borrow_mut();
            let taken = post.taken.entry(message_id.to_owned()).or_default();
            let before = *taken;
            *taken = Taken { times: before.times + 1, unwritten: Some(now), ..before };
            before
        };
        let unknown = before.lost;
        if before.times >= DOUBTFUL_SENDS || (before.times > 0 && !unknown) {
            self.broken(Law::AMailPerMorning, || format!("{message_id} was taken again, after {before:?}"));
        }
    }

    /// The evening: every date has its report by now, and at the very end every mail was taken, or given up.
    pub fn judge_mail(&self, date: NaiveDate, last: bool) {
        if self.ledger.last_report(date).unwrap().is_none() {
            self.broken(Law::AMailPerMorning, || format!("{date} has no report"));
        }
        let undelivered = if last { self.ledger.undelivered_mails().unwrap() } else { vec![] };
        // Two runners that died with it in hand leave it uncertain for good, which is told; it is not sent a third time.
        let given_up = |mail: &OutboxMail| mail.state == MailState::Uncertain && mail.unanswered >= DOUBTFUL_SENDS;
        let taken = |mail: &OutboxMail| self.post.borrow().taken.contains_key(&mail.mail.message_id);
        let never = |mail: &&OutboxMail| !taken(mail) && !given_up(mail);
        if let Some(mail) = undelivered.iter().find(never) {
            self.broken(Law::AMailPerMorning, || format!("the mail of {} was never taken: {mail:?}", mail.date));
        }
        let first = format!("<{date}.1@example.org>");
        if last && !self.post.borrow().taken.contains_key(&first) {
            self.broken(Law::AMailPerMorning, || format!("the server never took {first}"));
        }
    }
}

/// What a report says of keys.
fn told(lines: &[StatusLine]) -> String {
    lines.iter().map(|line| format!("{} {}\n", line.row.key, line.status)).collect()
}
