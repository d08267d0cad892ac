//! Pairs counted by outcome, in words.

use crate::model::{Bucket, Pair, STILL_OPEN};
use crate::text::format::count_of;

/// Pairs by bucket.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    regressed: usize,
    fixed: usize,
    still_failing: usize,
    unchanged: usize,
    not_replayed: usize,
    new: usize,
    no_answer: usize,
    open: usize,
}

impl Counts {
    /// Of some pairs; reviews and pairs of several runs are in none.
    pub(super) fn of<'a>(pairs: impl Iterator<Item = &'a Pair>) -> Self {
        let mut counts = Self::default();
        for pair in pairs {
            let Some(bucket) = pair.bucket else {
                continue;
            };
            *match bucket {
                Bucket::Regressed => &mut counts.regressed,
                Bucket::Fixed => &mut counts.fixed,
                Bucket::StillFailing => &mut counts.still_failing,
                Bucket::Unchanged => &mut counts.unchanged,
                Bucket::NotReplayed => &mut counts.not_replayed,
                Bucket::New => &mut counts.new,
                Bucket::NoAnswer if pair.is_open() => &mut counts.open,
                Bucket::NoAnswer => &mut counts.no_answer,
            } += 1;
        }
        counts
    }

    /// `7 of 9 pairs succeed in both; 0 regressed, 2 fixed.`
    pub(super) fn words(&self) -> String {
        let answered = self.regressed + self.fixed + self.still_failing + self.unchanged;
        let rest = [
            (self.still_failing, "still failing"),
            (self.no_answer, "without an answer"),
            (self.open, STILL_OPEN),
            (self.not_replayed, "not replayed"),
            (self.new, "new"),
        ];
        let rest = rest.into_iter().filter(|(number, _)| *number > 0);
        let rest = rest.map(|(number, words)| format!("{number} {words}"));
        let mut parts: Vec<String> = rest.collect();
        if answered == 0 {
            let colon = if parts.is_empty() { "" } else { ": " };
            let parts = parts.join(", ");
            return format!("No pair has an answer on both sides{colon}{parts}.");
        }
        parts.insert(0, format!("{} fixed", self.fixed));
        parts.insert(0, format!("{} regressed", self.regressed));
        let verb = if self.unchanged == 1 {
            "succeeds"
        } else {
            "succeed"
        };
        let pairs = count_of(answered, "pair", "pairs");
        let parts = parts.join(", ");
        format!("{} of {pairs} {verb} in both; {parts}.", self.unchanged)
    }
}
