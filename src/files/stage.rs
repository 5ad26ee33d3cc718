//! The parts of a task and of a sign-in, and what each may do.

/// Where steps stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Check,
    Verify,
    SignInCheck,
    /// `points:` of a site.
    Points,
    /// `act` of a task that is done once per key.
    ActOnce,
    /// `act` of a `repeatable` task.
    ActRepeatable,
    SignInAct,
    /// `shared:` of a site, looked at without a task.
    Shared,
}

impl Stage {
    /// The word in messages.
    pub fn word(self) -> &'static str {
        match self {
            Stage::Check => "check",
            Stage::Verify => "verify",
            Stage::SignInCheck => "sign_in.check",
            Stage::Points => "points",
            Stage::ActOnce | Stage::ActRepeatable => "act",
            Stage::SignInAct => "sign_in.act",
            Stage::Shared => "shared",
        }
    }

    /// Nothing on the server may change here.
    pub fn only_reads(self) -> bool {
        matches!(self, Stage::Check | Stage::Verify | Stage::SignInCheck | Stage::Points)
    }

    /// Exactly one step crosses to the server.
    pub fn has_one_commit(self) -> bool {
        matches!(self, Stage::ActOnce | Stage::SignInAct)
    }
}
