//! The filter of the list of pipelines, for both front ends: fuzzy words over every column, and `FIELD:VALUE`.

use fuzzy_matcher::FuzzyMatcher as _;
use fuzzy_matcher::skim::SkimMatcherV2;

use super::{Clean, FilterBy, LIST_COLUMNS, ListColumn, ListKey, ListRow, nearest};
use crate::clean;

/// A match may span at most this many times the length of its word.
const SPREAD: usize = 4;

/// The extra score of a match in the title.
const TITLE: i64 = 10;

/// The most values that a sentence names.
const NAMED: usize = 8;

/// The letters that matched, as places of characters in each column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hits {
    columns: [Vec<usize>; LIST_COLUMNS.len()],
    /// How well the words match; more is better.
    pub score: i64,
}

impl Hits {
    /// The letters of one column, in order.
    pub fn of(&self, key: ListKey) -> &[usize] {
        self.columns.get(key as usize).map_or(&[], Vec::as_slice)
    }
}

/// A filter as it was meant: words that must be found, words that must not, and values of fields.
pub struct Filter {
    wanted: Vec<String>,
    unwanted: Vec<String>,
    terms: Vec<Term>,
    trouble: Option<Trouble>,
    matcher: SkimMatcherV2,
}

/// `FIELD:VALUE,VALUE`, or the same after `!`.
struct Term {
    column: &'static ListColumn,
    values: Vec<String>,
    wanted: bool,
}

/// An unknown field or value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// What is unknown, and what there is.
    pub text: Clean,
    /// What may have been meant.
    pub hint: Option<String>,
}

/// The columns that can come before a `:`.
pub fn fields() -> impl Iterator<Item = &'static ListColumn> {
    LIST_COLUMNS
        .iter()
        .filter(|one| one.filter != FilterBy::Nothing)
}

impl Filter {
    /// Parses a text: blanks separate words, and `!` before a word excludes its matches.
    pub fn parse(text: &str) -> Self {
        let mut filter = Self {
            wanted: Vec::new(),
            unwanted: Vec::new(),
            terms: Vec::new(),
            trouble: None,
            matcher: SkimMatcherV2::default().smart_case(),
        };
        for word in text.split_whitespace() {
            let (wanted, word) = match word.strip_prefix('!') {
                Some(word) => (false, word),
                None => (true, word),
            };
            match word.split_once(':') {
                Some((field, values)) if !field.is_empty() => {
                    filter.add_term(field, values, wanted);
                }
                _ if wanted => filter.wanted.push(word.to_owned()),
                _ if word.is_empty() => {}
                _ => filter.unwanted.push(word.to_lowercase()),
            }
        }
        filter
    }

    fn add_term(&mut self, field: &str, values: &str, wanted: bool) {
        let Some(column) = fields().find(|column| column.key.word() == field) else {
            let names: Vec<&str> = fields().map(|column| column.key.word()).collect();
            let text = clean!(
                "There is no field {}. The fields are {}.",
                field,
                names.join(", ")
            );
            let hint = nearest::hint(field, names.iter().map(|name| (*name, *name)));
            self.trouble.get_or_insert(Trouble { text, hint });
            return;
        };
        let values = values.split(',').filter(|value| !value.is_empty());
        let values: Vec<String> = values.map(str::to_lowercase).collect();
        let is_unknown = |value: &&String| {
            let mut known = column.values.iter();
            !column.values.is_empty() && !known.any(|one| one.starts_with(value.as_str()))
        };
        if let Some(value) = values.iter().find(is_unknown) {
            let all = column.values.join(", ");
            let text = clean!("{} cannot be {}. Its values are {}.", field, value, all);
            let hint = nearest::hint(value, column.values.iter().map(|one| (*one, *one)));
            self.trouble.get_or_insert(Trouble { text, hint });
            return;
        }
        // While a value is typed, nothing is asked for yet.
        if !values.is_empty() {
            self.terms.push(Term {
                column,
                values,
                wanted,
            });
        }
    }

    /// An unknown field or value, which the filter leaves out.
    pub fn trouble(&self) -> Option<&Trouble> {
        self.trouble.as_ref()
    }

    /// Whether its hits differ in rank.
    pub fn ranks(&self) -> bool {
        !self.wanted.is_empty()
    }

    /// Whether it asks for something that is known only of a verified pipeline.
    pub fn needs_checks(&self) -> bool {
        self.terms.iter().any(|term| term.column.of_checks)
    }

    /// The existing values, if no row has a value that was asked for.
    pub fn absent(&self, rows: &[ListRow]) -> Option<Clean> {
        let term = self.terms.iter().find(|term| {
            term.wanted && !rows.is_empty() && !rows.iter().any(|row| term.matches(row))
        })?;
        let key = term.column.key;
        let mut found: Vec<Clean> = rows.iter().map(|row| row.text(key)).collect();
        found.retain(|text| !text.as_str().is_empty());
        found.sort_unstable();
        found.dedup();
        let named: Vec<&str> = found.iter().take(NAMED).map(Clean::as_str).collect();
        let asked = term.values.join(" or ");
        let more = match found.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" (+{more} more)"),
        };
        Some(match named.as_slice() {
            [] => clean!("No listed pipeline has a value of {}.", key.word()),
            named => clean!(
                "No listed pipeline has {} {}. The values are {}{}.",
                key.word(),
                asked,
                named.join(", "),
                more
            ),
        })
    }

    /// The letters that match; `None` where the row is left out.
    pub fn hits(&self, row: &ListRow) -> Option<Hits> {
        let mut terms = self.terms.iter();
        if terms.any(|term| term.matches(row) != term.wanted) {
            return None;
        }
        let unwanted = |word: &String| {
            let mut texts = row.texts.iter();
            texts.any(|text| text.as_str().to_lowercase().contains(word.as_str()))
        };
        if self.unwanted.iter().any(unwanted) {
            return None;
        }
        let mut hits = Hits::default();
        for word in &self.wanted {
            let (score, column, letters) = self.best(word, &row.texts)?;
            hits.score += score;
            if let Some(found) = hits.columns.get_mut(column) {
                found.extend(letters);
                found.sort_unstable();
                found.dedup();
            }
        }
        Some(hits)
    }

    /// The column that a word fits best, with its score.
    fn best(&self, word: &str, columns: &[Clean]) -> Option<(i64, usize, Vec<usize>)> {
        // Letters strewn over a long text are no match that a person would see.
        let widest = word.chars().count() * SPREAD;
        columns
            .iter()
            .enumerate()
            .filter_map(|(place, column)| {
                let (score, letters) = self.matcher.fuzzy_indices(column.as_str(), word)?;
                let span = letters.last()? - letters.first()?;
                // Whoever types a word more likely has the title in mind than the name of a branch.
                let score = score
                    + if place == ListKey::Title as usize {
                        TITLE
                    } else {
                        0
                    };
                (span < widest).then_some((score, place, letters))
            })
            // The first of equals; the id, which repeats the system, is the last column.
            .reduce(|best, next| if next.0 > best.0 { next } else { best })
    }
}

impl Term {
    fn matches(&self, row: &ListRow) -> bool {
        let text = row.text(self.column.key);
        let text = text.as_str().to_lowercase();
        self.values.iter().any(|value| match self.column.filter {
            FilterBy::Start => text.starts_with(value),
            // A value has no blanks: flags are written with `_` in JSON.
            FilterBy::Part => text.contains(value) || text.replace(' ', "_").contains(value),
            FilterBy::Nothing => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{CheckSummary, Verdict};

    fn row() -> ListRow {
        let mut row = crate::model::list_row::tests::row();
        for (key, text) in [
            (ListKey::Status, "interrupted"),
            (ListKey::Project, "shop"),
            (ListKey::Branch, "feature/price-alerts"),
            (ListKey::System, "crucible"),
            (ListKey::Title, "Refactor the payment service"),
            (ListKey::Stopped, "phase 3, wave 2"),
            (ListKey::Flags, "branch mismatch"),
            (ListKey::Id, "crucible-9f31~ab12"),
        ] {
            row.texts[key as usize] = Clean::new(text);
        }
        row.verified(CheckSummary {
            worst: Verdict::Fail,
            ..CheckSummary::UNREADABLE
        });
        row
    }

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
            ("shop alerts", true),
            ("status:interrupted", true),
            ("status:int", true),
            ("status:live,interrupted", true),
            ("status:waiting", false),
            ("!status:waiting", true),
            ("!status:interrupted", false),
            ("check:fail", true),
            ("check:pass", false),
            ("project:shop pay", true),
            ("project:SHO", true),
            ("branch:price system:crucible", true),
            ("flags:branch_mismatch", true),
            ("status:", true),
        ];
        for (text, found) in table {
            assert_eq!(Filter::parse(text).hits(&row()).is_some(), found, "{text}");
        }
    }

    #[test]
    fn an_unknown_field_or_value_is_said_with_those_that_there_are() {
        let trouble = |text: &str| Filter::parse(text).trouble().cloned().unwrap();
        let field = trouble("stauts:waiting");
        assert!(
            field
                .text
                .as_str()
                .starts_with("There is no field stauts. The fields are status, check, ")
        );
        assert_eq!(field.hint.as_deref(), Some("Did you mean status?"));
        let value = trouble("check:failed");
        assert_eq!(
            value.text.as_str(),
            "check cannot be failed. Its values are pass, skipped, warn, fail."
        );
        let rows = [row()];
        let absent = |text: &str| Filter::parse(text).absent(&rows);
        assert_eq!(absent("project:shop"), None);
        let nope = absent("project:nope").unwrap();
        assert_eq!(
            nope.as_str(),
            "No listed pipeline has project nope. The values are shop."
        );
    }

    #[test]
    fn the_matched_letters_are_named() {
        let hits = Filter::parse("pay int").hits(&row()).unwrap();
        assert_eq!(hits.of(ListKey::Title), [13, 14, 15]);
        assert_eq!(hits.of(ListKey::Status), [0, 1, 2]);
        assert_eq!(hits.of(ListKey::System), [0_usize; 0]);
    }

    #[test]
    fn letters_strewn_over_a_long_text_are_no_match() {
        let mut row = row();
        row.texts[ListKey::Title as usize] = Clean::new("a person reads something else entirely");
        assert!(Filter::parse("aslt").hits(&row).is_none());
    }
}
