//! What differs inside a pair of lines.

use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffTag, capture_diff_slices_deadline};
use unicode_segmentation::UnicodeSegmentation as _;

use crate::model::Clean;

/// Longer lines get no emphasis: comparing the words of a megabyte takes longer than a person waits.
pub const LONGEST: usize = 8 * 1024;

/// A pair whose common words make up less than one part in this many is two different lines, and emphasis
/// would be noise.
const ALIKE: usize = 4;

/// Byte ranges of the presentable text of a pair that differ from each other.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Emphasis {
    /// Ranges of the old text.
    pub old: Vec<Range<usize>>,
    /// Ranges of the new text.
    pub new: Vec<Range<usize>>,
}

/// Compares the words of a pair of lines. Empty for lines that are too long or have little in common.
pub fn emphasis(old: &Clean, new: &Clean) -> Emphasis {
    if old.as_str().len() > LONGEST || new.as_str().len() > LONGEST {
        return Emphasis::default();
    }
    let old_words: Vec<(usize, &str)> = words(old);
    let new_words: Vec<(usize, &str)> = words(new);
    let old_keys: Vec<&str> = old_words.iter().map(|(_, word)| *word).collect();
    let new_keys: Vec<&str> = new_words.iter().map(|(_, word)| *word).collect();
    let by = Instant::now().checked_add(Duration::from_millis(10));
    let ops = capture_diff_slices_deadline(Algorithm::Myers, &old_keys, &new_keys, by);
    let mut out = Emphasis::default();
    let mut common = 0;
    for op in ops {
        let (tag, a, b) = op.as_tag_tuple();
        if tag == DiffTag::Equal {
            common += visible(old_keys.get(a).unwrap_or_default());
        } else {
            join(&mut out.old, span(&old_words, &a));
            join(&mut out.new, span(&new_words, &b));
        }
    }
    let longer = visible(&old_keys).max(visible(&new_keys));
    if common * ALIKE < longer {
        return Emphasis::default();
    }
    out
}

/// How many bytes of the words are not blank.
fn visible(words: &[&str]) -> usize {
    words.iter().map(|word| word.trim().len()).sum()
}

fn words(text: &Clean) -> Vec<(usize, &str)> {
    text.as_str().split_word_bound_indices().collect()
}

/// The bytes that a run of words covers.
fn span(words: &[(usize, &str)], run: &Range<usize>) -> Option<Range<usize>> {
    let covered = words.get(run.clone())?;
    let (first, _) = covered.first()?;
    let (last, word) = covered.last()?;
    Some(*first..last + word.len())
}

fn join(ranges: &mut Vec<Range<usize>>, next: Option<Range<usize>>) {
    let Some(next) = next else { return };
    match ranges.last_mut() {
        Some(last) if last.end == next.start => last.end = next.end,
        _ => ranges.push(next),
    }
}
