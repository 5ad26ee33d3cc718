//! What reaches the daemon from outside while it runs, and what may be seen of it from there: the seam of the HTTP API.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot, watch};

use crate::clock::Instant;
use crate::files::model::Project;
use crate::run::Key;

/// Orders that wait to be looked at; whoever has one more waits.
const WAITING: usize = 64;

/// "Run now": asks the same decision as everything else, with source `api`.
#[derive(Debug)]
pub struct RunNow {
    /// Which: `site/task`, `task` or `site`, as on the command line. Names that no task has are answered by nothing.
    pub tasks: Vec<String>,
    /// Gets an answer for each key, as soon as the decision is on record; the run itself goes on behind it. It is dropped
    /// without an answer when the ledger cannot be read, or the daemon stops.
    pub answer: oneshot::Sender<Vec<Answer>>,
}

/// What was decided for one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The key.
    pub key: Key,
    /// The decision, in the words that are on record.
    pub decision: String,
    /// True when it runs now, because of this order.
    pub runs: bool,
}

/// How the daemon is.
#[derive(Debug, Clone)]
pub struct Health {
    /// Since when it runs.
    pub started_at: Instant,
    /// The files that it works by: the last ones without a fault.
    pub project: Arc<Project>,
    /// When it last looked at the clock. Older than two minutes, it hangs.
    pub seen_at: Instant,
    /// A round is under way.
    pub in_round: bool,
    /// When the last round began.
    pub round_began: Option<Instant>,
    /// When the last round that is over ended.
    pub round_ended: Option<Instant>,
    /// A fault of ours, or of the machine, that ended the last round.
    pub round_fault: Option<String>,
    /// When the next round begins, unless something happens before.
    pub next_round: Option<Instant>,
    /// The files were changed, and are faulty: what is wrong with them. `project` is still the one before.
    pub files_fault: Option<String>,
}

/// The side of whoever asks: cheap to clone, and may be sent to other threads.
#[derive(Debug, Clone)]
pub struct Front {
    /// Takes orders. One that cannot be sent any more came to a daemon that has ended.
    pub orders: mpsc::Sender<RunNow>,
    /// How the daemon is, now and whenever that changes.
    pub health: watch::Receiver<Health>,
}

/// The daemon's side.
#[derive(Debug)]
pub struct Desk {
    pub(super) orders: mpsc::Receiver<RunNow>,
    pub(super) health: watch::Sender<Health>,
    // Without it the orders would end with the last one who may ask.
    _open: mpsc::Sender<RunNow>,
}

impl Health {
    /// A daemon that starts now by these files.
    pub fn at_start(project: Arc<Project>, now: Instant) -> Self {
        Health {
            started_at: now,
            project,
            seen_at: now,
            in_round: false,
            round_began: None,
            round_ended: None,
            round_fault: None,
            next_round: None,
            files_fault: None,
        }
    }
}

impl Desk {
    /// Both sides.
    pub fn open(health: Health) -> (Desk, Front) {
        let (sender, orders) = mpsc::channel(WAITING);
        let (told, health) = watch::channel(health);
        let desk = Desk { orders, health: told, _open: sender.clone() };
        (desk, Front { orders: sender, health })
    }
}
