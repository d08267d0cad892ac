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
            common += same(&mut pieces, old, was, is);
        } else {
            push(&mut pieces, was, is);
        }
    }
    (pieces, common)
}

/// The common prefix, the differing middle and the common suffix.
fn by_ends(old: &str, new: &str) -> (Vec<Piece>, usize) {
    let alike = |(a, b): &(char, char)| a == b;
    let bytes = |(a, _): (char, char)| a.len_utf8();
    let starts = old.chars().zip(new.chars());
    let head: usize = starts.take_while(alike).map(bytes).sum();
    let [old_rest, new_rest] = [old, new].map(|line| line.get(head..).unwrap_or_default());
    let ends = old_rest.chars().rev().zip(new_rest.chars().rev());
    let tail: usize = ends.take_while(alike).map(bytes).sum();
    let (was, is) = (head..old.len() - tail, head..new.len() - tail);
    let ends = (was.end..old.len(), is.end..new.len());
    let mut pieces = Vec::new();
    let mut common = same(&mut pieces, old, 0..head, 0..head);
    push(&mut pieces, was, is);
    common += same(&mut pieces, old, ends.0, ends.1);
    (pieces, common)
}

/// Adds what both lines have, if that is anything; returns how much of it is not blank.
fn same(pieces: &mut Vec<Piece>, line: &str, old: Range<usize>, new: Range<usize>) -> usize {
    let common = visible(line.get(old.clone()).unwrap_or_default());
    pieces.extend((!old.is_empty()).then_some(Piece::Same { old, new }));
    common
}

fn push(pieces: &mut Vec<Piece>, was: Range<usize>, is: Range<usize>) {
    pieces.extend((!was.is_empty()).then_some(Piece::Removed(was)));
    pieces.extend((!is.is_empty()).then_some(Piece::Added(is)));
}

fn join(ranges: &mut Vec<Range<usize>>, next: Range<usize>) {
    match ranges.last_mut() {
        Some(last) if last.end == next.start => last.end = next.end,
        _ => ranges.push(next),
    }
}
