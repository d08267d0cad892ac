//! The differences inside a pair of lines.

use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};
use unicode_segmentation::UnicodeSegmentation as _;

use crate::model::Clean;

/// Longer lines are compared only at their ends: comparing the words of a megabyte takes longer than a person waits.
pub const LONGEST: usize = 8 * 1024;

/// If the common words are less than one part in this many, the lines have too little in common, and emphasis would be
/// noise.
const ALIKE: usize = 4;

/// A stretch of a pair of clean lines, in order. Byte ranges are on character boundaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Both lines have it.
    Same {
        /// Range in the old text.
        old: Range<usize>,
        /// Range in the new text.
        new: Range<usize>,
    },
    /// Only the old text has it.
    Removed(Range<usize>),
    /// Only the new text has it.
    Added(Range<usize>),
}

/// The byte ranges of a pair of clean lines that differ.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Emphasis {
    /// Ranges of the old text.
    pub old: Vec<Range<usize>>,
    /// Ranges of the new text.
    pub new: Vec<Range<usize>>,
}

impl Emphasis {
    /// The differing ranges of pieces.
    pub fn of(pieces: &[Piece]) -> Self {
        let mut out = Self::default();
        for piece in pieces {
            match piece {
                Piece::Removed(range) => join(&mut out.old, range.clone()),
                Piece::Added(range) => join(&mut out.new, range.clone()),
                Piece::Same { .. } => {}
            }
        }
        out
    }
}

/// Compares the words of a pair of lines. Empty for lines that have little in common.
pub fn emphasis(old: &Clean, new: &Clean) -> Emphasis {
    pieces(old, new).map_or_else(Emphasis::default, |pieces| Emphasis::of(&pieces))
}

/// A pair of lines as pieces from which both can be rebuilt. `None` for lines that have little in common.
pub fn pieces(old: &Clean, new: &Clean) -> Option<Vec<Piece>> {
    let (old, new) = (old.as_str(), new.as_str());
    let (pieces, common) = if old.len() > LONGEST || new.len() > LONGEST {
        by_ends(old, new)
    } else {
        by_words(old, new)
    };
    let longer = visible(old).max(visible(new));
    (common * ALIKE >= longer).then_some(pieces)
}

/// How many bytes of a text are not blank.
fn visible(text: &str) -> usize {
    text.bytes().filter(|byte| *byte != b' ').count()
}

fn by_words(old: &str, new: &str) -> (Vec<Piece>, usize) {
    let old_words: Vec<&str> = old.split_word_bounds().collect();
    let new_words: Vec<&str> = new.split_word_bounds().collect();
    let mut pieces = Vec::new();
    let mut common = 0;
    // Words follow each other without a gap, so an op starts where the last one ended.
    let (mut at_old, mut at_new) = (0, 0);
    for op in capture_diff_slices(Algorithm::Myers, &old_words, &new_words) {
        let (tag, a, b) = op.as_tag_tuple();
        let bytes = |words: &[&str], run: Range<usize>| -> usize {
            let run = words.get(run).unwrap_or_default();
            run.iter().map(|word| word.len()).sum()
        };
        let was = at_old..at_old + bytes(&old_words, a);
        let is = at_new..at_new + bytes(&new_words, b);
        (at_old, at_new) = (was.end, is.end);
        if tag == DiffTag::Equal {
            common += visible(old.get(was.clone()).unwrap_or_default());
            pieces.push(Piece::Same { old: was, new: is });
            continue;
        }
        push(&mut pieces, was, is);
    }
    (pieces, common)
}

/// The common prefix, the differing middle and the common suffix.
fn by_ends(old: &str, new: &str) -> (Vec<Piece>, usize) {
    let alike = |(a, b): &(char, char)| a == b;
    let bytes = |(a, _): (char, char)| a.len_utf8();
    let head: usize = old
        .chars()
        .zip(new.chars())
        .take_while(alike)
        .map(bytes)
        .sum();
    let (old_rest, new_rest) = (
        old.get(head..).unwrap_or_default(),
        new.get(head..).unwrap_or_default(),
    );
    let ends = old_rest.chars().rev().zip(new_rest.chars().rev());
    let tail: usize = ends.take_while(alike).map(bytes).sum();
    let (was, is) = (head..old.len() - tail, head..new.len() - tail);
    let mut pieces = Vec::new();
    let mut common = 0;
    if head > 0 {
        common += visible(old.get(..head).unwrap_or_default());
        pieces.push(Piece::Same {
            old: 0..head,
            new: 0..head,
        });
    }
    push(&mut pieces, was.clone(), is.clone());
    if tail > 0 {
        common += visible(old.get(was.end..).unwrap_or_default());
        pieces.push(Piece::Same {
            old: was.end..old.len(),
            new: is.end..new.len(),
        });
    }
    (pieces, common)
}

fn push(pieces: &mut Vec<Piece>, was: Range<usize>, is: Range<usize>) {
    if !was.is_empty() {
        pieces.push(Piece::Removed(was));
    }
    if !is.is_empty() {
        pieces.push(Piece::Added(is));
    }
}

fn join(ranges: &mut Vec<Range<usize>>, next: Range<usize>) {
    match ranges.last_mut() {
        Some(last) if last.end == next.start => last.end = next.end,
        _ => ranges.push(next),
    }
}
