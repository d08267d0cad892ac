//! The blocks of an experiment as one strip, the same on every front end.

use std::fmt::Write as _;

use super::{Block, BlockTally, RunValue, Sign, Statistics};
use crate::text::format::{count, digits_for, number, number_to, plural, signed};

/// The words before the rows of a strip.
pub const ROWS: [&str; 3] = ["control", "mutated", ""];

/// How wide the cells of a strip are, and how many blocks fit beside each other into this width. What comes after
/// the last row has 24 columns, so that one strip of ten blocks fits 80.
pub fn fit(cells: &[[String; 3]], width: usize) -> (usize, usize) {
    let wide = cells.iter().flatten().map(|cell| cell.chars().count());
    let wide = wide.max().unwrap_or(1);
    (wide, (width.saturating_sub(36) / (wide + 1)).max(4))
}

impl Statistics {
    /// The cells of the strip: for each block the results of the control and the mutated run, and the sign between them.
    pub fn strip(&self) -> Vec<[String; 3]> {
        let digits = self.digits();
        let cells = |block: &Block| {
            let sign = match block.sign {
                Some(Sign::Win) => "+",
                Some(Sign::Loss) => "-",
                Some(Sign::Tie) => "=",
                None => "?",
            };
            let [control, mutated] =
                [block.control, block.mutated].map(|value| cell(value, digits));
            [control, mutated, sign.to_owned()]
        };
        self.blocks.iter().map(cells).collect()
    }

    /// The significant digits of its numbers, so that no two different ones look alike.
    pub fn digits(&self) -> usize {
        let values = self
            .blocks
            .iter()
            .flat_map(|one| [one.control, one.mutated]);
        let number = |value| match value {
            RunValue::Number(number) => Some(number),
            RunValue::Pass | RunValue::Fail | RunValue::Missing => None,
        };
        digits_for(&values.filter_map(number).collect::<Vec<_>>())
    }

    /// What comes after each row of the strip.
    pub fn totals(&self) -> [String; 3] {
        let arm = |arm: usize, of: fn(&Block) -> RunValue| {
            let ended = match self.passed {
                Some(passed) => {
                    let (passed, of) = passed.get(arm).copied().unwrap_or_default();
                    format!("{passed} of {of} passed")
                }
                None => self.failed(of),
            };
            let missing = self.missing.get(arm).filter(|missing| **missing > 0);
            let missing = missing.map(|missing| format!("{missing} missing"));
            let mut all: Vec<String> = missing.into_iter().collect();
            if !ended.is_empty() {
                all.insert(0, ended);
            }
            all.join(", ")
        };
        let tally = self.tally;
        let mut last = format!(
            "better {}, worse {}, same {}",
            tally.wins, tally.losses, tally.ties
        );
        if let Some(at) = self.decided_at {
            // The blocks for the verdict come first, also where those against it became more.
            let better = at.wins > at.losses;
            let sides = |one: BlockTally| {
                if better {
                    format!("{} to {}", one.wins, one.losses)
                } else {
                    format!("{} to {}", one.losses, one.wins)
                }
            };
            let word = if better { "BETTER" } else { "WORSE" };
            let (now, then) = (sides(tally), sides(at));
            let _ = write!(last, "  → {word} ({now}; {then} was enough)");
        }
        [arm(0, |one| one.control), arm(1, |one| one.mutated), last]
    }

    /// How many runs of an arm failed and so have no number; nothing where no run of either arm did.
    fn failed(&self, of: fn(&Block) -> RunValue) -> String {
        let is_fail = |value: &RunValue| *value == RunValue::Fail;
        let any = |block: &Block| is_fail(&block.control) || is_fail(&block.mutated);
        if !self.blocks.iter().any(any) {
            return String::new();
        }
        let ended = || {
            let values = self.blocks.iter().map(of);
            values.filter(|value| *value != RunValue::Missing)
        };
        let failed = ended().filter(is_fail).count();
        format!("failed {failed} of {}", ended().count())
    }

    /// The figures beside the verdict, a sentence each: the interval, the size of the difference, what is counted.
    pub fn sentences(&self) -> Vec<String> {
        let mut all = self.figures();
        if self.earlier > 0 {
            let earlier = count(self.earlier, "earlier experiment");
            all.push(format!(
                "Blocks of {earlier} of the same question are counted."
            ));
        }
        if self.left_out > 0 {
            let earlier = count(self.left_out, "earlier experiment");
            let are = plural(self.left_out, "is", "are");
            all.push(format!(
                "{earlier} of the same question {are} left out (--fresh)."
            ));
        }
        if self.unreachable {
            all.push("No verdict can be reached with the blocks that were planned.".to_owned());
        }
        all
    }

    /// Those of them that follow from the blocks: the interval and the size of the difference.
    pub fn figures(&self) -> Vec<String> {
        let mut all = Vec::new();
        if let Some((low, high)) = self.interval {
            let wider = if self.equal_at.is_some() {
                ", and therefore wider than the interval of the verdict"
            } else {
                ""
            };
            let (low, high) = (points(low), points(high));
            all.push(format!(
                "The pass rates differ by {low} to {high} points (valid at any look{wider})."
            ));
        }
        if let Some(numbers) = self.numbers {
            let (low, high) = numbers.range;
            let [median, low, high] =
                [numbers.median, low, high].map(|one| signed(one, &number(one.abs())));
            let (metric, of) = (&self.metric, self.tally.blocks());
            // A block with a run that failed counts, and has no difference of numbers.
            let part = if numbers.blocks < of {
                format!(" ({} of {of} blocks have two numbers)", numbers.blocks)
            } else {
                String::new()
            };
            all.push(format!(
                "{metric}: median difference {median}, from {low} to {high}{part}."
            ));
        }
        all
    }

    /// The evidence, for whoever asks for details.
    pub fn details(&self) -> String {
        format!(
            "Evidence E = {:.2}; a verdict needs {:.0}.",
            self.evidence, self.enough
        )
    }
}

/// `o` passed, `x` failed, `?` missing; a number as it is.
fn cell(value: RunValue, digits: usize) -> String {
    match value {
        RunValue::Pass => "o".to_owned(),
        RunValue::Fail => "x".to_owned(),
        RunValue::Missing => "?".to_owned(),
        RunValue::Number(number) => number_to(number, digits),
    }
}

/// An edge of an interval, in points. One that excludes zero is never printed as zero.
fn points(rate: f64) -> String {
    let percent = rate * 100.0;
    for text in [format!("{percent:+.0}"), format!("{percent:+.1}")] {
        if text.bytes().any(|byte| matches!(byte, b'1'..=b'9')) {
            return text;
        }
    }
    match rate {
        more if more > 0.0 => "just above 0",
        less if less < 0.0 => "just below 0",
        _ => "0",
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::points;

    #[test]
    fn an_edge_that_excludes_zero_is_not_printed_as_zero() {
        let table = [
            (-1.0, "-100"),
            (0.42, "+42"),
            (0.004, "+0.4"),
            (-0.0006, "-0.1"),
            (0.000_01, "just above 0"),
            (-0.000_01, "just below 0"),
            (0.0, "0"),
        ];
        for (rate, text) in table {
            assert_eq!(points(rate), text, "{rate}");
        }
    }
}
