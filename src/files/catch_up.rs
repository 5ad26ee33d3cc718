//! `catch_up` of a schedule: what becomes of a slot that was passed.

use super::fields::Fields;
use super::file::File;
use super::yaml::Node;
use crate::timing::{CatchUp, SkipAfter, Strategy};

const KEYS: &[&str] = &["strategy", "since", "batch", "skip_if_after", "first_start"];

const STRATEGIES: [(&str, Strategy); 3] =
    [("latest", Strategy::Latest), ("never", Strategy::Never), ("each", Strategy::Each)];

impl File {
    /// `catch_up` over that of the file above, key by key. A word alone is the strategy.
    pub(super) fn catch_up(&self, fields: &Fields<'_>, above: CatchUp) -> CatchUp {
        let mut catch_up = above;
        let Some(node) = fields.get("catch_up") else { return catch_up };
        if node.entries().is_none() {
            catch_up.strategy = self.one_of(node, &STRATEGIES).unwrap_or(catch_up.strategy);
            return catch_up;
        }
        let Some(own) = Fields::of(self, node, "catch_up", &[KEYS]) else { return catch_up };
        if let Some(strategy) = own.get("strategy").and_then(|node| self.one_of(node, &STRATEGIES)) {
            catch_up.strategy = strategy;
        }
        if let Some(limit) = own.get("skip_if_after").and_then(|node| self.skip_if_after(node)) {
            catch_up.skip_if_after = Some(limit);
        }
        let words = [("run", false), ("wait", true)];
        if let Some(waits) = own.get("first_start").and_then(|node| self.one_of(node, &words)) {
            catch_up.first_waits = waits;
        }
        if let Some(since) = own.get("since").and_then(|node| self.date(node)) {
            catch_up.since = Some(since);
        }
        if let Some(batch) = own.get("batch").and_then(|node| self.whole(node, 1..=100)) {
            catch_up.batch = batch;
        }
        catch_up
    }

    /// A time of day, or how long after the slot.
    fn skip_if_after(&self, node: &Node) -> Option<SkipAfter> {
        if self.scalar(node)?.contains([':', '：']) {
            return self.clock(node).map(SkipAfter::Time);
        }
        self.duration(node).map(SkipAfter::Slot)
    }
}
