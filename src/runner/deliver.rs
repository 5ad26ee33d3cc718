//! The report on its way: rendered, stored with its mails, sent. Nothing is sent that is not stored.

use std::ffi::OsStr;
use std::path::Path;

use anyhow::{Context, Result};
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};

use super::report::{assemble, is_worth_sending, mark_reported};
use crate::clock::Clock;
use crate::files::model::Project;
use crate::ledger::{Ledger, MailState, NewMail, OutboxMail, StoredReport};
use crate::report::{self, Alert, ComposeError, Delivery, MailPicture, Mailer, Rehearsal, Rendered, Report};
use crate::secrets::Redactor;

/// Sends of a mail that may have arrived: the first, and one more with the same Message-ID.
const DOUBTFUL_SENDS: u32 = 2;

/// A mail that has not arrived, as far as we know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undelivered {
    /// To whom.
    pub recipient: String,
    /// How it stands.
    pub state: MailState,
    /// Why.
    pub reason: String,
}

/// A report that is to be made.
#[derive(Debug, Default)]
pub struct NewReport {
    /// Its date.
    pub date: NaiveDate,
    /// When it is made.
    pub now: DateTime<Utc>,
    /// A task was started by hand: that makes no morning's report, but it may make a follow-up to one.
    pub by_hand: bool,
    /// It is about a rehearsal.
    pub rehearsal: Option<Rehearsal>,
    /// What is wrong and stands in no ledger.
    pub alerts: Vec<Alert>,
}

/// Renders the report of this date and stores it with a mail for each recipient, if it tells anything new.
pub fn keep_report(
    project: &Project,
    ledger: &Ledger,
    redactor: &Redactor,
    new: NewReport,
) -> Result<Option<StoredReport>> {
    let NewReport { date, now, by_hand, rehearsal, mut alerts } = new;
    let mut report = assemble(project, ledger, date, now, rehearsal)?;
    alerts.append(&mut report.alerts);
    report.alerts = alerts;
    if !is_worth_sending(&report) || (by_hand && report.number == 1) {
        return Ok(None);
    }
    let rendered = report::render(&report, project.settings.language)?;
    let rendered = redacted(redactor, &rendered);
    let mails = match &project.settings.report {
        Some(settings) => {
            let id = |to: &str| report::message_id(date, report.number, &settings.from, to);
            let pictures = pictures_of(ledger.folder(), &report);
            mails_to(&rendered, (&settings.from, &settings.to), id, now, &pictures)?
        }
        None => Vec::new(),
    };
    let stored = StoredReport {
        date,
        number: report.number,
        rendered_at: now,
        subject: rendered.subject,
        text: rendered.text,
        html: rendered.html,
        json: redactor.redact(&serde_json::to_string(&report).context("the report has no JSON")?),
    };
    if !ledger.keep_report(&stored, &mails)? {
        // Another run was quicker: its report is the one.
        return Ok(None);
    }
    mark_reported(project, ledger, &report)?;
    Ok(Some(stored))
}

/// Without any secret.
pub(super) fn redacted(redactor: &Redactor, rendered: &Rendered) -> Rendered {
    Rendered {
        subject: redactor.redact(&rendered.subject),
        text: redactor.redact(&rendered.text),
        html: redactor.redact(&rendered.html),
    }
}

/// Pictures beyond these stay at home: a mail has its limits.
const PICTURES: usize = 5;
const PICTURE: u64 = 1024 * 1024;

/// The pictures of what waits for a person, as far as they are there.
fn pictures_of(data: &Path, report: &Report) -> Vec<MailPicture> {
    let mut pictures: Vec<MailPicture> = Vec::new();
    for name in report.tickets.iter().filter_map(|ticket| ticket.picture.as_ref()) {
        let path = data.join("pictures").join(name);
        let fits = path.file_name() == Some(OsStr::new(name))
            && std::fs::symlink_metadata(&path).is_ok_and(|file| file.is_file() && file.len() <= PICTURE);
        let known = pictures.iter().any(|picture| picture.name == *name);
        if pictures.len() < PICTURES && fits && !known {
            let bytes = std::fs::read(&path).unwrap_or_default();
            pictures.push(MailPicture { name: name.clone(), bytes });
        }
    }
    pictures
}

/// A mail for each recipient.
pub(super) fn mails_to(
    rendered: &Rendered,
    (from, recipients): (&str, &[String]),
    id: impl Fn(&str) -> Result<String, ComposeError>,
    now: DateTime<Utc>,
    pictures: &[MailPicture],
) -> Result<Vec<NewMail>, ComposeError> {
    let mut mails: Vec<NewMail> = Vec::new();
    for to in recipients {
        let message_id = id(to)?;
        // The same address written twice is one recipient.
        if mails.iter().any(|mail| mail.message_id == message_id) {
            continue;
        }
        let report::Mail { sender, recipient, message_id, bytes, .. } =
            report::compose(rendered, from, to, &message_id, now, pictures)?;
        mails.push(NewMail { sender, recipient, message_id, bytes });
    }
    Ok(mails)
}

/// Tries every mail that is due. What is left undelivered afterwards is the answer.
pub async fn deliver(
    ledger: &Ledger,
    clock: &dyn Clock,
    mailer: &Mailer,
    redactor: &Redactor,
) -> Result<Vec<Undelivered>> {
    for waiting in ledger.undelivered_mails()? {
        let may_be_sent = match waiting.state {
            MailState::Failed | MailState::Sent => false,
            MailState::Queued | MailState::Uncertain => waiting.unanswered < DOUBTFUL_SENDS,
        };
        if may_be_sent && waiting.due.is_none_or(|due| due <= clock.now()) {
            send(ledger, clock, mailer, redactor, waiting).await?;
        }
    }
    let left = ledger.undelivered_mails()?;
    Ok(left
        .into_iter()
        .map(|mail| Undelivered {
            recipient: mail.mail.recipient,
            state: mail.state,
            reason: mail.last_error.unwrap_or_else(|| "not tried yet".to_owned()),
        })
        .collect())
}

/// One try, and, when its answer never came, one more.
async fn send(
    ledger: &Ledger,
    clock: &dyn Clock,
    mailer: &Mailer,
    redactor: &Redactor,
    waiting: OutboxMail,
) -> Result<()> {
    let html = ledger.report(waiting.date, waiting.number)?.map(|report| report.html).unwrap_or_default();
    let mail = report::Mail {
        message_id: waiting.mail.message_id,
        sender: waiting.mail.sender,
        recipient: waiting.mail.recipient,
        bytes: waiting.mail.bytes,
        html,
    };
    for unanswered in waiting.unanswered..DOUBTFUL_SENDS {
        let ours = unanswered > waiting.unanswered;
        if !ledger.mail_sending(waiting.id, unanswered, ours, clock.now())? {
            break;
        }
        let delivery = mailer.send(&mail).await;
        let now = clock.now();
        let (state, due, error) = verdict(&delivery, waiting.tries + unanswered, now);
        let error = error.map(|error| redactor.redact(&error));
        ledger.mail_answered(waiting.id, state, due, error.as_deref(), now)?;
        if state != MailState::Uncertain {
            break;
        }
    }
    Ok(())
}

fn verdict(delivery: &Delivery, tries: u32, now: DateTime<Utc>) -> (MailState, Option<DateTime<Utc>>, Option<String>) {
    let later = now + TimeDelta::minutes(5 * i64::from(1u32 << tries.min(4)));
    let told = |reason: &str, hint: &Option<String>| match hint {
        Some(hint) => format!("{reason} ({hint})"),
        None => reason.to_owned(),
    };
    match delivery {
        Delivery::Sent => (MailState::Sent, None, None),
        Delivery::Uncertain { reason } => (MailState::Uncertain, None, Some(reason.clone())),
        Delivery::Refused { permanent: true, reason, hint } => (MailState::Failed, None, Some(told(reason, hint))),
        // A server that asks for patience gets it; one that is not there minds no next run.
        Delivery::Refused { permanent: false, reason, hint } => {
            (MailState::Queued, Some(later), Some(told(reason, hint)))
        }
        Delivery::Unreachable { reason, hint } => (MailState::Queued, None, Some(told(reason, hint))),
    }
}
