//! Pairs the old and new lines of a block if one side has more lines than the other.

use std::ops::Range;

use super::{Row, Side};

/// How many pairs of lines are compared in one block. A larger block is a rewrite rather than an edit.
const BLOCK: usize = 4_096;

/// How many bytes of a line are compared.
const LINE: usize = 512;

/// The least similarity of a pair, in thousandths. Below it, one line was removed and another added.
const LEAST: u32 = 400;

/// Pairs the lines of blocks, within a budget of compared pairs.
pub(super) struct Pairing<'a> {
    pub(super) old: &'a Side,
    pub(super) new: &'a Side,
    /// How many pairs may still be compared, so that a large diff is not slow.
    pub(super) left: usize,
}

impl Pairing<'_> {
    /// The rows of a block that differs. If both sides have the same number of lines, they pair by index. Otherwise the
    /// most similar lines pair, in order.
    pub(super) fn rows(&mut self, rows: &mut Vec<Row>, old: Range<usize>, new: Range<usize>) {
        let cells = old.len().saturating_mul(new.len());
        if old.len() == new.len() || cells == 0 || cells > BLOCK.min(self.left) {
            by_place(rows, old, new);
            return;
        }
        self.left -= cells;
        let words = |side: &Side, lines: Range<usize>| -> Vec<Vec<u32>> {
            lines.map(|line| words(side.line(line))).collect()
        };
        let (a, b) = (words(self.old, old.clone()), words(self.new, new.clone()));
        let partners = partners(&a, &b);
        // Lines without a partner are put next to each other between the same pairs.
        let mut next = (old.start, new.start);
        let paired = old.clone().zip(partners);
        for (line, partner) in paired.filter_map(|(line, partner)| Some((line, partner?))) {
            let partner = new.start + partner;
            by_place(rows, next.0..line, next.1..partner);
            rows.push(Row::Changed {
                old: line,
                new: partner,
            });
            next = (line + 1, partner + 1);
        }
        by_place(rows, next.0..old.end, next.1..new.end);
    }
}

/// Pairs the i-th old line with the i-th new one; the remaining lines have no partner.
fn by_place(rows: &mut Vec<Row>, old: Range<usize>, new: Range<usize>) {
    let paired = old.len().min(new.len());
    let pairs = old.clone().zip(new.clone());
    rows.extend(pairs.map(|(old, new)| Row::Changed { old, new }));
    rows.extend(old.skip(paired).map(|old| Row::Removed { old }));
    rows.extend(new.skip(paired).map(|new| Row::Added { new }));
}

/// For each old line its new partner, in order, so that the total similarity is the highest possible.
fn partners(old: &[Vec<u32>], new: &[Vec<u32>]) -> Vec<Option<usize>> {
    let width = new.len() + 1;
    let likes = old
        .iter()
        .flat_map(|a| new.iter().map(move |b| likeness(a, b)));
    let likes: Vec<u32> = likes.collect();
    let like = |a: usize, b: usize| likes.get(a * new.len() + b).copied().unwrap_or(0);
    // The highest total similarity of the lines from an index on.
    let mut best = vec![0_u32; (old.len() + 1) * width];
    let at = |best: &[u32], a: usize, b: usize| best.get(a * width + b).copied().unwrap_or(0);
    for a in (0..old.len()).rev() {
        for b in (0..new.len()).rev() {
            let pair = match like(a, b) {
                none if none < LEAST => 0,
                like => like + at(&best, a + 1, b + 1),
            };
            let most = pair.max(at(&best, a + 1, b)).max(at(&best, a, b + 1));
            if let Some(cell) = best.get_mut(a * width + b) {
                *cell = most;
            }
        }
    }
    let mut found = vec![None; old.len()];
    let (mut a, mut b) = (0, 0);
    while a < old.len() && b < new.len() {
        let here = at(&best, a, b);
        if like(a, b) >= LEAST && here == like(a, b) + at(&best, a + 1, b + 1) {
            if let Some(partner) = found.get_mut(a) {
                *partner = Some(b);
            }
            (a, b) = (a + 1, b + 1);
        } else if here == at(&best, a, b + 1) {
            b += 1;
        } else {
            a += 1;
        }
    }
    found
}

/// The share of the words that two lines have in common, in thousandths.
fn likeness(a: &[u32], b: &[u32]) -> u32 {
    let (mut at_a, mut at_b, mut common) = (0, 0, 0_usize);
    while let (Some(x), Some(y)) = (a.get(at_a), b.get(at_b)) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => at_a += 1,
            std::cmp::Ordering::Greater => at_b += 1,
            std::cmp::Ordering::Equal => {
                common += 1;
                (at_a, at_b) = (at_a + 1, at_b + 1);
            }
        }
    }
    let all = (a.len() + b.len()).max(1);
    u32::try_from(common * 2_000 / all).unwrap_or(0)
}

/// The words of a line, hashed and sorted; punctuation characters are words of their own.
fn words(line: &[u8]) -> Vec<u32> {
    let line = line.get(..LINE).unwrap_or(line);
    let mut all = Vec::new();
    let mut word: Option<u32> = None;
    for byte in line {
        if byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80 {
            word = Some(hash(word.unwrap_or(OFFSET), *byte));
            continue;
        }
        all.extend(word.take());
        if !byte.is_ascii_whitespace() {
            all.push(hash(OFFSET, *byte));
        }
    }
    all.extend(word);
    all.sort_unstable();
    all
}

/// FNV-1a. A block has few words, and a collision only makes two of them look equal.
const OFFSET: u32 = 0x811c_9dc5;

fn hash(so_far: u32, byte: u8) -> u32 {
    (so_far ^ u32::from(byte)).wrapping_mul(0x0100_0193)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paired(old: &[&str], new: &[&str]) -> Vec<(Option<usize>, Option<usize>)> {
        let side = |lines: &[&str]| Side::new(Some(lines.join("\n").into_bytes()));
        let (old_side, new_side) = (side(old), side(new));
        let mut pairing = Pairing {
            old: &old_side,
            new: &new_side,
            left: 1_000,
        };
        let mut rows = Vec::new();
        pairing.rows(&mut rows, 0..old.len(), 0..new.len());
        rows.iter().map(|row| (row.old(), row.new_line())).collect()
    }

    #[test]
    fn lines_of_unequal_blocks_are_paired_by_their_words() {
        let old = ["fn open(path: &Path) {", "    read(path)"];
        let new = [
            "/// Opens a file.",
            "fn open(path: &Path, cap: u64) {",
            "    read(path, cap)",
        ];
        assert_eq!(
            paired(&old, &new),
            [(None, Some(0)), (Some(0), Some(1)), (Some(1), Some(2))]
        );
        let back = paired(&new, &old);
        assert_eq!(
            back,
            [(Some(0), None), (Some(1), Some(0)), (Some(2), Some(1))]
        );
        // Lines that resemble none pair by index.
        assert_eq!(
            paired(&["one"], &["two", "three"]),
            [(Some(0), Some(0)), (None, Some(1))]
        );
        assert_eq!(paired(&["one"], &["two"]), [(Some(0), Some(0))]);
        assert_eq!(paired(&[], &["two"]), [(None, Some(0))]);
    }

    proptest::proptest! {
        #[test]
        fn every_line_occurs_once_and_in_order(
            old in proptest::collection::vec("[ab ]{0,6}", 0..9),
            new in proptest::collection::vec("[ab ]{0,6}", 0..9),
        ) {
            let texts = |lines: &[String]| lines.to_vec();
            let (old, new) = (texts(&old), texts(&new));
            let rows = paired(
                &old.iter().map(String::as_str).collect::<Vec<_>>(),
                &new.iter().map(String::as_str).collect::<Vec<_>>(),
            );
            let of_old: Vec<usize> = rows.iter().filter_map(|row| row.0).collect();
            let of_new: Vec<usize> = rows.iter().filter_map(|row| row.1).collect();
            proptest::prop_assert_eq!(of_old, (0..old.len()).collect::<Vec<_>>());
            proptest::prop_assert_eq!(of_new, (0..new.len()).collect::<Vec<_>>());
        }
    }
}
