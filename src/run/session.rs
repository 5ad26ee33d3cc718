//! Sign-in: upkeep of a lane, without a key. The same three as a task: read, act with one commit step, read again.

use std::time::Duration;

use super::{Answer, Failure, FailureKind};

/// Sign-in submissions that an account may make in one day of its site, over restarts.
pub const SUBMISSIONS_A_DAY: u32 = 2;
/// Reads after a submission before "still signed out" is believed.
const READS_AFTER_SUBMISSION: u32 = 4;

/// Where a lane's sign-in is. It lives as long as the browser; what must survive a crash (submissions, tickets) is in the
/// ledger and comes in as [`Standing`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Session {
    phase: SessionPhase,
    /// Identity was read, and nothing else was read or sent since.
    fresh: bool,
    /// Sign-ins that became necessary during the run.
    expiries: u32,
    /// Reads since the submission.
    reads: u32,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum SessionPhase {
    #[default]
    Unknown,
    SignedOut,
    Ready,
    Intended,
    Submitted,
    SignedIn,
}

/// What the ledger says of a lane's sign-in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Standing {
    /// Submissions in this day of the site, over restarts.
    pub submissions: u32,
}

/// What a lane's sign-in needs next.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionNext {
    /// Signed in as the account: work may go on.
    SignedIn,
    /// Read who is signed in.
    Identify,
    /// Fill in the form, up to its commit step.
    Prepare,
    /// Write down that it is about to be submitted.
    Intend,
    /// Submit it.
    Commit,
    /// A person is needed.
    Blocked(Failure),
}

/// What happened to a lane's sign-in.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionEvent {
    /// `sign_in.check` was read.
    Identified(Answer),
    /// The form is filled in.
    Prepared,
    /// The submission is durable.
    Intended,
    /// It was, or may have been, dispatched.
    Committed,
    /// Something failed, or the session was found expired: nothing is known of it any more.
    Lost {
        /// The site said that the session is over.
        expired: bool,
    },
    /// Something was read or sent for a task, which takes its time: identity is read again before the next act.
    Worked,
}

impl Session {
    /// What is needed before a task goes on. `before_act` asks for an identity read since the last act.
    pub fn next(&self, standing: &Standing, by_person: bool, before_act: bool) -> SessionNext {
        if self.expiries > 1 {
            return SessionNext::Blocked(Failure::new(
                FailureKind::Login,
                "the session expired twice in one run, although the sign-in had succeeded",
            ));
        }
        match self.phase {
            SessionPhase::SignedIn if before_act && !self.fresh => SessionNext::Identify,
            SessionPhase::SignedIn => SessionNext::SignedIn,
            SessionPhase::Unknown => SessionNext::Identify,
            SessionPhase::SignedOut if by_person => SessionNext::Blocked(Failure::new(
                FailureKind::Login,
                "nobody is signed in, and this site's sign-in is done by a person",
            )),
            SessionPhase::SignedOut if standing.submissions >= SUBMISSIONS_A_DAY => SessionNext::Blocked(Failure::new(
                FailureKind::Login,
                format!("signed out, and {SUBMISSIONS_A_DAY} sign-ins were submitted today already: no third one"),
            )),
            SessionPhase::SignedOut => SessionNext::Prepare,
            SessionPhase::Ready => SessionNext::Intend,
            SessionPhase::Intended => SessionNext::Commit,
            SessionPhase::Submitted if self.reads >= READS_AFTER_SUBMISSION => SessionNext::Blocked(Failure::new(
                FailureKind::Login,
                "the sign-in form was submitted once, and the site still shows nobody signed in",
            )),
            SessionPhase::Submitted => SessionNext::Identify,
        }
    }

    /// Takes in what happened.
    pub fn apply(&mut self, event: &SessionEvent) {
        match event {
            SessionEvent::Identified(Answer::Done) => {
                self.phase = SessionPhase::SignedIn;
                self.fresh = true;
                self.reads = 0;
            }
            SessionEvent::Identified(_) if self.phase == SessionPhase::Submitted => self.reads += 1,
            SessionEvent::Identified(_) => {
                // Signed in before, and out now: the session expired while we worked.
                self.expiries += u32::from(self.phase == SessionPhase::SignedIn);
                self.phase = SessionPhase::SignedOut;
            }
            SessionEvent::Prepared => self.phase = SessionPhase::Ready,
            SessionEvent::Intended => self.phase = SessionPhase::Intended,
            SessionEvent::Committed => {
                self.phase = SessionPhase::Submitted;
                self.reads = 0;
                self.fresh = false;
            }
            SessionEvent::Lost { expired } => {
                self.expiries += u32::from(*expired);
                self.phase = SessionPhase::Unknown;
                self.fresh = false;
            }
            SessionEvent::Worked => self.fresh = false,
        }
    }

    /// After a submission, how long the site is given before the next read: it may still be thinking about it. The first read
    /// follows at once. None when nothing was submitted.
    pub fn pause_before_read(&self) -> Option<Duration> {
        let pauses = [0, 1, 3, 6].map(Duration::from_secs);
        (self.phase == SessionPhase::Submitted).then(|| pauses[(self.reads as usize).min(pauses.len() - 1)])
    }

    /// True once `sign_in.check` said that the account is signed in.
    pub fn is_signed_in(&self) -> bool {
        self.phase == SessionPhase::SignedIn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn submitted() -> Session {
        let mut session = Session::default();
        for event in [
            SessionEvent::Identified(Answer::Todo),
            SessionEvent::Prepared,
            SessionEvent::Intended,
            SessionEvent::Committed,
        ] {
            session.apply(&event);
        }
        session
    }

    #[test]
    fn a_form_is_submitted_once_and_then_only_read() {
        let mut session = submitted();
        assert_eq!(Session::default().pause_before_read(), None);
        let mut pauses = Vec::new();
        for _ in 0..READS_AFTER_SUBMISSION {
            pauses.extend(session.pause_before_read());
            assert_eq!(session.next(&Standing::default(), false, false), SessionNext::Identify);
            session.apply(&SessionEvent::Identified(Answer::Todo));
        }
        assert_eq!(pauses, [0, 1, 3, 6].map(Duration::from_secs), "a slow site is not taken for a refusal");
        let SessionNext::Blocked(failure) = session.next(&Standing::default(), false, false) else {
            panic!("a second submission");
        };
        assert_eq!(failure.kind, FailureKind::Login);
    }

    #[test]
    fn a_third_submission_of_the_day_is_refused() {
        let mut session = Session::default();
        session.apply(&SessionEvent::Identified(Answer::Todo));
        let next = |submissions| session.next(&Standing { submissions }, false, false);
        assert_eq!(next(1), SessionNext::Prepare);
        assert!(matches!(next(2), SessionNext::Blocked(_)));
    }

    #[test]
    fn a_second_expiry_in_a_run_needs_a_person() {
        let mut session = submitted();
        session.apply(&SessionEvent::Identified(Answer::Done));
        session.apply(&SessionEvent::Lost { expired: true });
        assert_eq!(session.next(&Standing::default(), false, false), SessionNext::Identify);
        session.apply(&SessionEvent::Lost { expired: true });
        assert!(matches!(session.next(&Standing::default(), false, false), SessionNext::Blocked(_)));
    }

    #[test]
    fn identity_is_read_again_before_every_act() {
        let mut session = submitted();
        session.apply(&SessionEvent::Identified(Answer::Done));
        assert_eq!(session.next(&Standing::default(), false, true), SessionNext::SignedIn);
        session.apply(&SessionEvent::Worked);
        assert_eq!(session.next(&Standing::default(), false, false), SessionNext::SignedIn);
        assert_eq!(session.next(&Standing::default(), false, true), SessionNext::Identify);
    }
}
