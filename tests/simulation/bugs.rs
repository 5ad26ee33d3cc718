//! Faults that are planted into the loop, one at a time. Each must be found by a law, or the laws are worth nothing.

/// A planted fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Bug {
    /// The act happens, and nothing is written before it.
    NoWriteAhead,
    /// The intent is written after the act.
    IntentAfterCommit,
    /// The key names no period.
    KeyWithoutPeriod,
    /// A read that failed is taken for "not done".
    UnknownTakenForNo,
    /// `verify` is content with yesterday's row.
    VerifyOfYesterdaysRow,
    /// A runner that was stopped goes on without a look at lease and clock.
    LeaseNotReRead,
    /// Two runners have one lease, and one token.
    LeaseShared,
    /// Evidence that is not there yet: the button is pressed again.
    RetryAfterCommit,
    /// A browser that was lost after the click is taken for "nothing was sent".
    NotSentAfterTimeout,
    /// A runner that died between intent and answer is taken for "nothing was sent".
    GenerationRaisedByCrash,
    /// Tickets are not looked at.
    SuspensionIgnored,
    /// What is dead is tried again, although nobody acknowledged it.
    ClosedKeyReopened,
    /// `verify` is not read before the act.
    BaselineNotRead,
    /// What is unconfirmed is taken for failed.
    UnconfirmedTakenForFailed,
    /// After a ticket was closed the act goes on where it stood.
    ActsUncheckedAfterTicket,
    /// A unit of a goal is counted because the button was pressed.
    UnitCountedByClick,
    /// When settling has taken long enough it is taken for done.
    SettledTakenForDone,
    /// The click is taken for the proof.
    SuccessOnClick,
    /// A site that asked to wait is visited.
    SiteWaitIgnored,
    /// Due times are not looked at.
    DueTimeIgnored,
    /// The clock is not looked at between intent and act.
    ClockNotReRead,
    /// A task acts before its window.
    WindowIgnored,
    /// A task does not wait for the one that it requires.
    RequirementIgnored,
    /// A sign-in is submitted and not counted.
    SubmissionNotWrittenDown,
    /// A mail is sent without a look at whether another run has it in hand.
    MailNotClaimed,
    /// A mail that was sent is sent again.
    SentMailQueuedAgain,
    /// A mail is sent before it is stored.
    MailSentBeforeItIsStored,
    /// No report where nothing was done.
    NoReportOfAnIdleMorning,
    /// Once the lease is ours nobody looks at what another runner made of the key meanwhile.
    NotAskedAgainUnderTheLease,
}

impl Bug {
    pub const ALL: [Bug; 29] = [
        Bug::NoWriteAhead,
        Bug::IntentAfterCommit,
        Bug::KeyWithoutPeriod,
        Bug::UnknownTakenForNo,
        Bug::VerifyOfYesterdaysRow,
        Bug::LeaseNotReRead,
        Bug::LeaseShared,
        Bug::RetryAfterCommit,
        Bug::NotSentAfterTimeout,
        Bug::GenerationRaisedByCrash,
        Bug::SuspensionIgnored,
        Bug::ClosedKeyReopened,
        Bug::BaselineNotRead,
        Bug::UnconfirmedTakenForFailed,
        Bug::ActsUncheckedAfterTicket,
        Bug::UnitCountedByClick,
        Bug::SettledTakenForDone,
        Bug::SuccessOnClick,
        Bug::SiteWaitIgnored,
        Bug::DueTimeIgnored,
        Bug::ClockNotReRead,
        Bug::WindowIgnored,
        Bug::RequirementIgnored,
        Bug::SubmissionNotWrittenDown,
        Bug::MailNotClaimed,
        Bug::SentMailQueuedAgain,
        Bug::MailSentBeforeItIsStored,
        Bug::NoReportOfAnIdleMorning,
        Bug::NotAskedAgainUnderTheLease,
    ];

    /// True where one task of one runner can show it; the others need days, neighbours, or a person.
    pub fn is_of_one_task(self) -> bool {
        !matches!(
            self,
            Bug::KeyWithoutPeriod
                | Bug::VerifyOfYesterdaysRow
                | Bug::LeaseNotReRead
                | Bug::LeaseShared
                | Bug::SuspensionIgnored
                | Bug::ActsUncheckedAfterTicket
                | Bug::SiteWaitIgnored
                | Bug::ClockNotReRead
                | Bug::RequirementIgnored
                | Bug::SubmissionNotWrittenDown
                | Bug::MailNotClaimed
                | Bug::NotAskedAgainUnderTheLease
                | Bug::UnknownTakenForNo
                | Bug::NotSentAfterTimeout
                | Bug::UnconfirmedTakenForFailed
                | Bug::WindowIgnored
                | Bug::MailSentBeforeItIsStored
                | Bug::NoReportOfAnIdleMorning
                | Bug::SuccessOnClick
                | Bug::DueTimeIgnored
        )
    }
}
