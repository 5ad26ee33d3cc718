//! The window of a slot: from its slot to its end.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// One slot and the time until which it may be acted on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// First start.
    pub slot: DateTime<Utc>,
    /// No act from here on.
    pub until: DateTime<Utc>,
}

impl Window {
    /// True while an act is allowed.
    pub fn contains(&self, now: DateTime<Utc>) -> bool {
        self.slot <= now && now < self.until
    }
}
