//! Reads: one value, or a list of rows, each of the type that is written, or a failure. Never a guess.

mod cells;
mod given;
mod lists;
mod scalar;

use crate::browser::find::Need;
use crate::files::condition::Unknown;
use crate::files::model::{Locator, Read, ReadKind, Target};
use crate::run::{Failure, FailureKind};
use crate::values::{Number, Value};

use super::steps::Walk;

impl Walk<'_, '_> {
    /// The reads of a step, in the order written. The first that fails makes the whole section unknown.
    pub(super) async fn read_all(&mut self, reads: &[(String, Read)]) -> Result<(), Failure> {
        for (name, read) in reads {
            match self.read(name, read).await {
                Ok(value) => {
                    self.scope.names.insert(name.clone(), Ok(value.clone()));
                    self.values.insert(name.clone(), value);
                }
                Err(failure) => {
                    let message = format!("`{name}` was not read: {}", failure.message);
                    self.scope.names.insert(name.clone(), Err(Unknown(message.clone())));
                    return Err(Failure { message, ..failure });
                }
            }
        }
        Ok(())
    }

    async fn read(&mut self, name: &str, read: &Read) -> Result<Value, Failure> {
        match &read.kind {
            ReadKind::Scalar { kind, source } => self.read_scalar(*kind, source, read.optional).await,
            ReadKind::Visible(locator) => Ok(Value::Boolean(!self.hits(locator).await?.is_empty())),
            ReadKind::Count(locator) => self.count(locator).await,
            ReadKind::Checked(locator) => self.read_checked(locator, read.optional).await,
            ReadKind::Rows(rows) => self.read_rows(name, rows).await.map(Value::Rows),
        }
    }

    async fn count(&mut self, locator: &Locator) -> Result<Value, Failure> {
        let count = self.hits(locator).await?.len();
        if count >= super::look::MOST_HITS {
            let message = format!("There are {count} of them or more: too many to count.");
            return Err(Failure::new(FailureKind::PageChanged, message));
        }
        Ok(Value::Number(Number { value: count.into(), rounded: false }))
    }

    async fn read_checked(&mut self, locator: &Locator, optional: bool) -> Result<Value, Failure> {
        let target = Target::Alternatives(vec![locator.clone()]);
        if optional && self.locate_now(&target).await?.is_none() {
            return Ok(Value::None);
        }
        let found = self.locate(&target, Need::Displayed).await?;
        let ticked = self.is_ticked(&found).await?;
        let message = format!("{} is nothing that can be ticked.", found.shown);
        ticked.map(Value::Boolean).ok_or_else(|| Failure::new(FailureKind::PageChanged, message))
    }
}
