//! Dispatch numbers in a sentence.

use std::collections::BTreeSet;

/// How many ranges of dispatch numbers a prompt has; the briefing lists every dispatch.
const RANGES: usize = 12;

/// Dispatches in a sentence, as ranges of numbers; `None` where there are none.
pub(super) fn named(seqs: &BTreeSet<u64>) -> Option<String> {
    let ranges = ranges(seqs);
    let named: Vec<&str> = ranges.iter().take(RANGES).map(String::as_str).collect();
    let named = named.join(", ");
    match (seqs.len(), ranges.len().saturating_sub(RANGES)) {
        (0, _) => None,
        (1, _) => Some(format!("dispatch {named}")),
        (_, 0) => Some(format!("dispatches {named}")),
        (all, _) => Some(format!(
            "{all} dispatches, beginning with {named}; the briefing lists them all"
        )),
    }
}

/// Numbers as ranges: `3`, `5-7`.
fn ranges(numbers: &BTreeSet<u64>) -> Vec<String> {
    let numbers: Vec<u64> = numbers.iter().copied().collect();
    let runs = numbers.chunk_by(|one, next| one.checked_add(1) == Some(*next));
    let range = |run: &[u64]| match run {
        [first, .., last] => format!("{first}-{last}"),
        [] | [_] => run.iter().map(u64::to_string).collect(),
    };
    runs.map(range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_ranges() {
        let table: [(&[u64], &[&str]); 4] = [
            (&[], &[]),
            (&[3], &["3"]),
            (&[3, 4, 5, 9], &["3-5", "9"]),
            (
                &[u64::MAX - 1, u64::MAX],
                &["18446744073709551614-18446744073709551615"],
            ),
        ];
        for (numbers, want) in table {
            assert_eq!(ranges(&numbers.iter().copied().collect()), want);
        }
    }
}
