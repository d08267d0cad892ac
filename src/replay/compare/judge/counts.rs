//! Pairs by what became of them, in words.

use crate::model::{Bucket, Pair};

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
}

impl Counts {
    /// Of some pairs.
    pub(super) fn of<'a>(pairs: impl Iterator<Item = &'a Pair>) -> Self {
        let mut counts = Self::default();
        for pair in pairs {
            *match pair.bucket {
                Bucket::Regressed => &mut counts.regressed,
                Bucket::Fixed => &mut counts.fixed,
                Bucket::StillFailing => &mut counts.still_failing,
                Bucket::Unchanged => &mut counts.unchanged,
                Bucket::NotReplayed => &mut counts.not_replayed,
                Bucket::New => &mut counts.new,
                Bucket::NoAnswer => &mut counts.no_answer,
            } += 1;
        }
        counts
    }

    /// Work behind the resume point that only one side has.
    pub(super) fn unpaired(&self) -> usize {
        self.not_replayed + self.new
    }

    /// `7 of 9 pairs succeed in both; 2 fixed, 0 regressed.`
    pub(super) fn words(&self) -> String {
        let answered = self.regressed + self.fixed + self.still_failing + self.unchanged;
        let mut text = format!(
            "{} of {} succeed in both; {} regressed, {} fixed",
            self.unchanged,
            many(answered, "pair", "pairs"),
            self.regressed,
            self.fixed
        );
        let rest = [
            (self.still_failing, "still failing"),
            (self.no_answer, "without an answer"),
            (self.not_replayed, "not replayed"),
            (self.new, "new"),
        ];
        for (number, words) in rest.into_iter().filter(|(number, _)| *number > 0) {
            for part in [", ", &number.to_string(), " ", words] {
                text.push_str(part);
            }
        }
        text.push('.');
        text
    }
}

/// `1 file`, `2 files`.
pub(super) fn many(number: usize, one: &str, several: &str) -> String {
    let word = if number == 1 { one } else { several };
    format!("{number} {word}")
}
