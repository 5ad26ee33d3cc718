//! Secrets: where they come from ([`Resolver`]), and how they stay out of everything that is written down ([`Redactor`],
//! [`RedactedLog`]).

mod forms;
mod log;
mod redact;
mod redactor;
mod resolver;
mod sealed;
mod source;

pub use log::{LogWriter, RedactedLog, start_log};
pub use redact::Redact;
pub use redactor::{MASK, Redactor, SHORTEST};
pub use resolver::Resolver;
pub use sealed::{NotOpened, Sealer};
pub use source::SecretError;
