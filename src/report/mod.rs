//! The morning's report: collected as data ([`Report`]), put into words and pages ([`render`]), mailed ([`compose`],
//! [`Mailer`]).

mod alarm;
mod clean;
mod mail;
mod mailer;
mod model;
mod notice;
mod points;
mod render;
mod smtp;
mod smtp_fault;
mod summary;
mod view;
mod waiting;
mod words;

#[cfg(test)]
mod samples;

pub use alarm::{Alarm, AlarmKind, Past, READS_WITHOUT_ROWS, ReadBack, without_rows};
pub use mail::{ComposeError, Mail, MailPicture, compose, message_id, notice_id};
pub use mailer::{Delivery, Mailer};
pub use model::{
    AccountPoints, Alert, Amount, CalendarTrouble, CrossCheck, DeadLetters, Expected, LostLines, NextRun, PointRow,
    PointsRead, Reason, Rehearsal, Report, TaskRun,
};
pub use notice::{Notice, NoticeKind, render_notice};
pub use points::{Credit, Sum};
pub use render::{RenderError, Rendered, environment, render};
pub use smtp::SmtpServer;
pub use summary::{Section, Summary};
pub use waiting::{SessionAge, Ticket};
pub use words::Words;
