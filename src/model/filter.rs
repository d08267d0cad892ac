//! The filter: fuzzy over every column, each word by itself, with the letters it matched.

use fuzzy_matcher::FuzzyMatcher as _;
use fuzzy_matcher::skim::SkimMatcherV2;

/// How many columns a filter looks at.
pub const COLUMNS: usize = 6;

/// A match may be spread over so many times the length of its word.
const SPREAD: usize = 4;

/// A column that a filter looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is named for what it shows")]
pub enum Column {
    Status,
    System,
    Title,
    Place,
    Badges,
    Id,
}

/// The letters that matched, as places of characters in each column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hits {
    columns: [Vec<usize>; COLUMNS],
}

impl Hits {
    /// The letters of one column, in order.
    pub fn of(&self, column: Column) -> &[usize] {
        self.columns.get(column as usize).map_or(&[], Vec::as_slice)
    }
}

/// A filter as it was meant: words that must be found, and words that must not.
pub struct Filter<'a> {
    wanted: Vec<&'a str>,
    unwanted: Vec<String>,
    matcher: SkimMatcherV2,
}

impl<'a> Filter<'a> {
    /// Takes a text apart: blanks separate words, and `!` before a word wants it absent.
    pub fn parse(text: &'a str) -> Self {
        let words = || text.split_whitespace();
        Self {
            wanted: words().filter(|word| !word.starts_with('!')).collect(),
            unwanted: words()
                .filter_map(|word| word.strip_prefix('!'))
                .filter(|word| !word.is_empty())
                .map(str::to_lowercase)
                .collect(),
            matcher: SkimMatcherV2::default().smart_case(),
        }
    }

    /// The letters that match; `None` where the row is left out.
    pub fn hits(&self, columns: &[&str; COLUMNS]) -> Option<Hits> {
        let unwanted = |word: &String| {
            columns
                .iter()
                .any(|column| column.to_lowercase().contains(word.as_str()))
        };
        if self.unwanted.iter().any(unwanted) {
            return None;
        }
        let mut hits = Hits::default();
        for word in &self.wanted {
            let (column, letters) = self.best(word, columns)?;
            if let Some(found) = hits.columns.get_mut(column) {
                found.extend(letters);
                found.sort_unstable();
                found.dedup();
            }
        }
        Some(hits)
    }

    /// The column that a word fits best.
    fn best(&self, word: &str, columns: &[&str; COLUMNS]) -> Option<(usize, Vec<usize>)> {
        // Letters strewn over a long text are no match that a person would see.
        let widest = word.chars().count() * SPREAD;
        columns
            .iter()
            .enumerate()
            .filter_map(|(place, column)| {
                let (score, letters) = self.matcher.fuzzy_indices(column, word)?;
                let span = letters.last()? - letters.first()?;
                (span < widest).then_some((score, place, letters))
            })
            // The first of equals: the columns stand in order of weight.
            .reduce(|best, next| if next.0 > best.0 { next } else { best })
            .map(|(_, place, letters)| (place, letters))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: [&str; COLUMNS] = [
        "interrupted",
        "crucible",
        "Refactor the payment service",
        "phase 3, wave 2",
        "branch mismatch",
        "crucible-9f31~ab12",
    ];

    #[test]
    fn every_word_must_be_somewhere_and_unwanted_ones_nowhere() {
        let table = [
            ("", true),
            ("crucible", true),
            ("CRUC", false),
            ("paym", true),
            ("rfpay", true),
            ("pay wave", true),
            ("pay nowhere", false),
            ("!crucible", false),
            ("!mgw", true),
            ("pay !wave", false),
            ("!", true),
            ("zzz", false),
        ];
        for (text, found) in table {
            assert_eq!(Filter::parse(text).hits(&ROW).is_some(), found, "{text}");
        }
    }

    #[test]
    fn the_matched_letters_are_named() {
        let hits = Filter::parse("pay int").hits(&ROW).unwrap();
        assert_eq!(hits.of(Column::Title), [13, 14, 15]);
        assert_eq!(hits.of(Column::Status), [0, 1, 2]);
        assert_eq!(hits.of(Column::System), [0_usize; 0]);
    }

    #[test]
    fn letters_strewn_over_a_long_text_are_no_match() {
        let mut row = ROW;
        row[2] = "a person reads something else entirely";
        assert!(Filter::parse("aslt").hits(&row).is_none());
    }
}
