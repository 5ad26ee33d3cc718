//! Events lose their secrets before they are written down.

use crate::run::{Answer, Event, Note, Reading};
use crate::secrets::{Redact, Redactor};

impl Redact for Event {
    fn redact(&mut self, redactor: &Redactor) {
        match self {
            Event::Read { reading, .. } => reading.redact(redactor),
            Event::ReadFailed { failure, .. }
            | Event::PrepareFailed { failure }
            | Event::NotSent { failure }
            | Event::NotTried { failure } => failure.redact(redactor),
            Event::Committed { trouble, refused } => {
                trouble.redact(redactor);
                refused.redact(redactor);
            }
            Event::Prepared { notes } => notes.redact(redactor),
            Event::Halted { reason, .. } | Event::Closed { reason, .. } | Event::Released { reason } => {
                reason.redact(redactor)
            }
            Event::Ordered { by } => by.redact(redactor),
            Event::Started { .. }
            | Event::Intended { .. }
            | Event::Interrupted
            | Event::Asked { .. }
            | Event::Doubted { .. }
            | Event::Allowed { .. } => {}
        }
    }
}

impl Redact for Reading {
    fn redact(&mut self, redactor: &Redactor) {
        self.values.redact(redactor);
        self.notes.redact(redactor);
        if let Answer::Skip(reason) | Answer::Later(reason) = &mut self.answer {
            reason.redact(redactor);
        }
    }
}

impl Redact for Note {
    fn redact(&mut self, redactor: &Redactor) {
        let (Note::Notice(text) | Note::Drift(text) | Note::Kept(text)) = self;
        text.redact(redactor);
    }
}
