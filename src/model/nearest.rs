//! Which known words a misspelled one may mean.

use crate::text::distinct;

/// The most words that are offered.
const MOST: usize = 3;
/// Letters from which a word may be the beginning of a longer one, or a part of it.
const PART: usize = 3;

/// How far a known word is from the one that was typed; `None` where nobody would take one for the other.
pub fn distance(typed: &str, known: &str) -> Option<usize> {
    let letters = |text: &str| text.to_lowercase().chars().collect::<Vec<char>>();
    let (typed, known) = (letters(typed), letters(known));
    if typed.is_empty() || known.is_empty() {
        return None;
    }
    if typed.len() >= PART && known.windows(typed.len()).any(|part| part == typed) {
        return Some(1);
    }
    let limit = (typed.len().min(known.len()) / 3).max(1);
    let whole = edits(&typed, &known);
    // A typing error in the first part of a long name, such as the beginning of a hash.
    let begun = known.get(..typed.len()).filter(|_| typed.len() > PART);
    let begun = begun.map(|begun| edits(&typed, begun) + 1);
    let least = begun.map_or(whole, |begun| begun.min(whole));
    (least <= limit).then_some(least)
}

/// The nearest of the known words, at most three, each as it is shown: `Did you mean verify?`. `None` where none
/// is near. A known word may be shown as another, as a pipeline is found by its name and shown by its id.
pub fn hint<'a, I>(typed: &str, known: I) -> Option<String>
where
    I: IntoIterator<Item = (&'a str, &'a str)>,
{
    let near = |(known, shown)| Some((distance(typed, known)?, shown));
    let mut near: Vec<(usize, &str)> = known.into_iter().filter_map(near).collect();
    near.sort_unstable();
    let mut offered = distinct(near.into_iter().map(|(_, shown)| shown));
    offered.truncate(MOST);
    (!offered.is_empty()).then(|| format!("Did you mean {}?", offered.join(" or ")))
}

/// Letters inserted, left out, replaced, or exchanged with their neighbor.
fn edits(a: &[char], b: &[char]) -> usize {
    let mut two_above: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, other) in b.iter().enumerate() {
            let at =
                |row: &[usize], place: usize| row.get(place).copied().unwrap_or(usize::MAX / 2);
            let mut least = (at(&above, j) + usize::from(letter != other))
                .min(at(&above, j + 1) + 1)
                .min(at(&row, j) + 1);
            let crossed =
                i > 0 && j > 0 && a.get(i - 1) == Some(other) && b.get(j - 1) == Some(letter);
            if crossed {
                least = least.min(at(&two_above, j - 1) + 1);
            }
            row.push(least);
        }
        two_above = std::mem::replace(&mut above, row);
    }
    above.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s4_typing_errors_are_near_and_other_words_are_not() {
        for (typed, known, near) in [
            ("verfy", "verify", true),
            ("VERIFY", "verify", true),
            ("hsitory", "history", true),
            ("lst", "list", true),
            ("checkpoint", "checkpoints", true),
            ("ninestep", "nine-step", true),
            ("crucibel", "crucible", true),
            ("3f9a41", "3f9b41c0d2e8", true),
            ("labels", "crucible-labels~12ab", true),
            ("frobnicate", "purge", false),
            ("x", "y", true),
            ("ab", "yz", false),
            ("", "list", false),
            ("deadbeef", "0123456789ab", false),
        ] {
            assert_eq!(distance(typed, known).is_some(), near, "{typed} {known}");
        }
        assert_eq!(edits(&['a', 'b'], &['b', 'a']), 1);
        assert_eq!(edits(&[], &['b', 'a']), 2);
    }

    #[test]
    fn s4_the_nearest_come_first_and_each_once() {
        let known = ["redo", "undo", "demo", "record"].map(|word| (word, word));
        assert_eq!(hint("reod", known).unwrap(), "Did you mean redo?");
        let shown = [
            ("tokenizer", "c-tokenizer~1"),
            ("c-tokenizer~1", "c-tokenizer~1"),
        ];
        assert_eq!(
            hint("tokeniser", shown).unwrap(),
            "Did you mean c-tokenizer~1?"
        );
        assert_eq!(hint("zzz", known), None);
    }
}
