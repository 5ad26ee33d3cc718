//! `file`, `wait`, `pause`, `pause_until` and `expect`.

use std::path::Path;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, TimeZone, Utc};

use super::Walk;
use crate::browser::find::Need;
use crate::browser::visit::Halt;
use crate::files::condition::{Condition, Template};
use crate::files::model::{FileEncoding, Otherwise, Target};
use crate::run::{Failure, FailureKind};
use crate::timing::ClockTime;

/// The largest file that is read.
const MOST: u64 = 8 * 1024 * 1024;

/// What a `file` step found.
#[derive(Debug, Clone)]
pub(in crate::browser) struct FileRead {
    /// For messages.
    pub path: String,
    /// Its size in bytes; none when there is no such file.
    pub size: Option<u64>,
    /// Its text; an error when it cannot be read as text.
    pub content: Result<String, String>,
}

impl Walk<'_, '_> {
    /// A missing file is an answer as well: only reads of its content fail.
    pub(super) fn read_file(&mut self, path: &Template, encoding: FileEncoding) -> Result<(), Failure> {
        let name = self.render(path)?;
        let path = self.visit.root.join(&name);
        let size = match std::fs::metadata(&path) {
            Ok(found) if found.is_file() => Some(found.len()),
            Ok(_) => return Err(unreadable(&name, "it is not a file")),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(unreadable(&name, &error.to_string())),
        };
        let content = match size {
            None => Err(format!("there is no file {name}")),
            Some(size) if size > MOST => Err(format!("{name} is larger than {} MiB", MOST >> 20)),
            Some(_) => read_text(&path, encoding).map_err(|why| format!("{name}: {why}")),
        };
        self.file = Some(FileRead { path: name, size, content });
        Ok(())
    }

    pub(super) async fn wait_for(&mut self, target: &Target, optional: bool) -> Result<(), Failure> {
        if optional && self.locate_now(target).await?.is_none() {
            return Ok(());
        }
        let found = self.locate(target, Need::DisplayedAtLast).await?;
        if found.element.context == self.context {
            self.seen = found.ready.and_then(|ready| ready.glance);
        }
        Ok(())
    }

    pub(super) async fn pause(&mut self, span: Duration) {
        let until = self.visit.clock.now() + TimeDelta::from_std(span).unwrap_or_default();
        self.sleep_until(until).await;
    }

    /// Until a time of day in the runner's zone; past already, there is nothing to wait for.
    pub(super) async fn pause_until(&mut self, time: ClockTime) {
        let zone = self.visit.zone;
        let today = self.visit.clock.now().with_timezone(&zone).date_naive();
        if let Some(until) = zone.from_local_datetime(&today.and_time(time)).earliest() {
            self.sleep_until(until.to_utc()).await;
        }
    }

    /// A pause does not count against the step's time.
    async fn sleep_until(&mut self, until: DateTime<Utc>) {
        let before = self.visit.clock.uptime();
        self.visit.clock.sleep_until(until).await;
        let slept = self.visit.clock.uptime().saturating_sub(before);
        self.extend_limit(slept);
    }

    pub(super) fn expect(
        &mut self,
        condition: &Condition,
        otherwise: Otherwise,
        reason: Option<&Template>,
    ) -> Result<(), Halt> {
        let holds = condition
            .holds(&self.scope)
            .map_err(|unknown| super::cannot_tell("`expect`", condition.text(), &unknown))?;
        if holds {
            return Ok(());
        }
        let reason = match reason {
            Some(reason) => self.render(reason)?,
            None => format!("`{}` does not hold", condition.text()),
        };
        Err(match otherwise {
            Otherwise::Later => Halt::Later(reason),
            Otherwise::Skip => Halt::Skip(reason),
            Otherwise::Fail => {
                Halt::Failed(Failure::new(FailureKind::PageChanged, format!("Expected otherwise: {reason}.")))
            }
        })
    }
}

fn read_text(path: &Path, encoding: FileEncoding) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let encoding = match encoding {
        FileEncoding::Utf8 => encoding_rs::UTF_8,
        FileEncoding::Gbk => encoding_rs::GBK,
    };
    let (text, _, broken) = encoding.decode(&bytes);
    if broken { Err(format!("it is not {} text", encoding.name())) } else { Ok(text.into_owned()) }
}

fn unreadable(name: &str, why: &str) -> Failure {
    Failure::new(FailureKind::Environment, format!("The file {name} cannot be read: {why}."))
}
