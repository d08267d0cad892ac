//! The exact number of differing lines, without a deadline: for numbers that are printed and compared.
//!
//! Only the length of the longest common subsequence is needed, and that is computed 64 lines at a time (Hyyrö,
//! “Bit-parallel LCS-length computation revisited”, 2004). The time is the product of the two line counts divided by
//! 64, whatever the lines contain.

use std::collections::HashMap;

use super::{Kind, Side, Stats, kind_of};

/// The lines that only one side has; `None` for files that are not compared by lines.
pub fn exact(before: Option<Vec<u8>>, after: Option<Vec<u8>>) -> Option<Stats> {
    let (old, new) = (Side::new(before), Side::new(after));
    if kind_of(&old, &new) != Kind::Text {
        return None;
    }
    let old: Vec<&[u8]> = old.whole_lines().collect();
    let new: Vec<&[u8]> = new.whole_lines().collect();
    let common = common(&old, &new);
    Some(Stats {
        removed: old.len() - common,
        added: new.len() - common,
    })
}

fn common(old: &[&[u8]], new: &[&[u8]]) -> usize {
    let alike = |pair: &(&&[u8], &&[u8])| pair.0 == pair.1;
    let head = old.iter().zip(new).take_while(alike).count();
    let old = old.get(head..).unwrap_or_default();
    let new = new.get(head..).unwrap_or_default();
    let ends = old.iter().rev().zip(new.iter().rev());
    let tail = ends.take_while(alike).count();
    let old = old.get(..old.len() - tail).unwrap_or_default();
    let new = new.get(..new.len() - tail).unwrap_or_default();
    head + tail + longest(old, new)
}

/// The length of the longest common subsequence.
fn longest(old: &[&[u8]], new: &[&[u8]]) -> usize {
    let unseen = new.iter().map(|line| (*line, Vec::new()));
    let mut places: HashMap<&[u8], Vec<usize>> = unseen.collect();
    // A line that only one side has is part of no common subsequence.
    let mut count = 0;
    for line in old {
        if let Some(places) = places.get_mut(line) {
            places.push(count);
            count += 1;
        }
    }
    let mut row = vec![u64::MAX; count.div_ceil(64)];
    let mut matched = vec![0_u64; row.len()];
    for line in new {
        let places = places.get(line).map(Vec::as_slice).unwrap_or_default();
        if places.is_empty() {
            continue;
        }
        mark(&mut matched, places, true);
        let mut carry = false;
        for (word, matched) in row.iter_mut().zip(&matched) {
            let kept = *word & matched;
            let (sum, over) = word.overflowing_add(kept);
            let (sum, again) = sum.overflowing_add(u64::from(carry));
            carry = over || again;
            *word = sum | (*word & !matched);
        }
        mark(&mut matched, places, false);
    }
    let zeros: usize = row.iter().map(|word| word.count_zeros() as usize).sum();
    // A carry may have cleared bits past the last line; do not count them.
    let past = row.len() * 64 - count;
    let last = row.last().copied().unwrap_or(u64::MAX);
    let cleared = (64 - past..64).filter(|bit| last >> bit & 1 == 0).count();
    zeros - cleared
}

fn mark(bits: &mut [u64], places: &[usize], on: bool) {
    for place in places {
        if let Some(word) = bits.get_mut(place / 64) {
            let bit = 1 << (place % 64);
            if on {
                *word |= bit;
            } else {
                *word &= !bit;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    /// The textbook dynamic programming table.
    fn naive(old: &[&[u8]], new: &[&[u8]]) -> usize {
        let mut above = vec![0; new.len() + 1];
        for a in old {
            let mut row = vec![0; new.len() + 1];
            for (at, b) in new.iter().enumerate() {
                row[at + 1] = if a == b {
                    above[at] + 1
                } else {
                    row[at].max(above[at + 1])
                };
            }
            above = row;
        }
        above[new.len()]
    }

    fn text(lines: impl Iterator<Item = usize>) -> Vec<u8> {
        lines
            .flat_map(|line| format!("{line}\n").into_bytes())
            .collect()
    }

    #[test]
    fn a_file_that_changed_throughout_is_counted_exactly() {
        // Reversed: at most one line is common, and no shortcut applies.
        let before = text(0..20_000);
        let after = text((0..20_000).rev());
        let begun = Instant::now();
        let stats = exact(Some(before), Some(after)).unwrap();
        assert_eq!((stats.removed, stats.added), (19_999, 19_999));
        assert!(begun.elapsed() < Duration::from_secs(20));
        assert_eq!(exact(Some(b"a\0b".to_vec()), None), None);
        let new = exact(None, Some(b"a\nb".to_vec())).unwrap();
        assert_eq!((new.removed, new.added), (0, 2));
        assert_eq!(exact(None, None), Some(Stats::default()));
    }

    proptest::proptest! {
        #[test]
        fn it_agrees_with_the_textbook_algorithm(
            old in proptest::collection::vec(0_usize..9, 0..200),
            new in proptest::collection::vec(0_usize..9, 0..200),
        ) {
            let (before, after) = (text(old.into_iter()), text(new.into_iter()));
            let lines = |text: &[u8]| text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
            let (a, b) = (lines(&before), lines(&after));
            let a: Vec<&[u8]> = a.iter().map(Vec::as_slice).collect();
            let b: Vec<&[u8]> = b.iter().map(Vec::as_slice).collect();
            let stats = exact(Some(before.clone()), Some(after.clone())).unwrap();
            let common = naive(&a, &b);
            proptest::prop_assert_eq!((stats.removed, stats.added), (a.len() - common, b.len() - common));
        }
    }
}
