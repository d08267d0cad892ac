//! The Markdown of a round: poster sessions, peer reviews and the researchers' own logs. Each is written by an agent
//! that may die in the middle, so each is checked for completeness.

use std::collections::BTreeSet;

use crate::formats::markdown::{self, heading};

use super::{letters, values};
use crate::string_enum;
use crate::text::format;

string_enum! {
    /// A reviewer's verdict on a finding.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Judgement {
        /// Holds.
        Validated = "validated",
        /// In doubt.
        Challenged = "challenged",
        /// Refuted.
        Overturned = "overturned",
    }
}

/// The content of a poster file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Poster {
    /// Its size in bytes.
    pub size: usize,
    /// The researchers with a section that is not empty.
    pub sections: BTreeSet<char>,
    /// True if the last byte is a newline.
    pub ended: bool,
}

impl Poster {
    /// Reads the file's text.
    pub(crate) fn parse(text: &str) -> Self {
        let mut poster = Self {
            size: text.len(),
            ended: text.ends_with('\n'),
            ..Self::default()
        };
        let mut open: Option<(usize, char)> = None;
        for line in text.lines() {
            if let Some((level, title)) = heading(line) {
                let new = researcher(title).map(|id| (level, id));
                // A deeper heading is part of the section; any other ends it.
                open = new.or_else(|| open.filter(|(of, _)| level > *of));
            } else if !line.trim().is_empty() && line.trim() != "---" {
                poster.sections.extend(open.map(|(_, id)| id));
            }
        }
        poster
    }

    /// What is missing; `None` if the file is complete.
    pub(crate) fn problem(&self, researchers: &BTreeSet<char>) -> Option<String> {
        let missing = letters(researchers.difference(&self.sections));
        if !missing.is_empty() {
            return Some(format!("it has no section of researcher {missing}"));
        }
        (!self.ended).then(|| "its last line has no newline".to_owned())
    }
}

/// The researcher in a heading: `Researcher B: caches`, `Researcher B -- caches`, `Researcher B`.
fn researcher(title: &str) -> Option<char> {
    let rest = title.trim_start_matches(['*', ' ']);
    let (word, rest) = rest.split_at_checked(10)?;
    let mut chars = rest.strip_prefix(' ')?.trim_start().chars();
    let id = chars.next().filter(char::is_ascii_uppercase)?;
    let alone = !chars.next().is_some_and(char::is_alphanumeric);
    (word.eq_ignore_ascii_case("researcher") && alone).then_some(id)
}

/// The rounds in a researcher's log.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Notes {
    /// Rounds with at least one iteration below their heading.
    pub rounds: BTreeSet<u64>,
}

impl Notes {
    /// Reads the file's text.
    pub(crate) fn parse(text: &str) -> Self {
        let mut notes = Self::default();
        let mut round = None;
        for line in text.lines() {
            let Some((level, title)) = heading(line) else {
                continue;
            };
            if title.to_lowercase().starts_with("iteration") {
                notes.rounds.extend(round);
            } else if level <= 2 {
                round = leading_round(title);
            }
        }
        notes
    }
}

/// The number after `round` at the start of a text.
pub(crate) fn leading_round(text: &str) -> Option<u64> {
    let bare = text
        .trim_start_matches(['#', '-', '*', '|', ' '])
        .to_lowercase();
    let rest = bare.strip_prefix("round ")?.trim_start();
    let digits = rest.find(|c: char| !c.is_ascii_digit());
    rest.get(..digits.unwrap_or(rest.len()))?.parse().ok()
}

/// The content of a review file.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Review {
    /// Its size in bytes.
    pub size: usize,
    /// Claims without a verdict after them.
    pub open_claims: usize,
    /// Researchers with a section, if the review has sections.
    pub sections: BTreeSet<char>,
    /// The last section, if it has no verdict yet.
    pub open_section: Option<char>,
    /// True if the last byte is a newline.
    pub ended: bool,
    /// Each verdict with the claim before it, if there is one.
    pub verdicts: Vec<(Judgement, Option<String>)>,
    /// Reviewer scores of the qualitative table.
    pub scores: Vec<f64>,
}

impl Review {
    /// Reads the file's text.
    pub(crate) fn parse(text: &str) -> Self {
        let mut review = Self {
            size: text.len(),
            ended: text.ends_with('\n'),
            ..Self::default()
        };
        let mut claim = None;
        let mut open = 0;
        let mut score_column = None;
        for line in text.lines() {
            let bare = line.trim().trim_start_matches(['#', '-', '*', ' ']);
            let lower = bare.to_lowercase();
            if let Some(id) = heading(line).and_then(|(_, title)| researcher(title)) {
                review.sections.insert(id);
                review.open_section = Some(id);
            }
            if let Some(found) = verdict(&lower) {
                review.verdicts.push((found, claim.take()));
                review.open_section = None;
                open = 0;
            } else if let Some(said) = stated(bare) {
                review.open_claims += open;
                open = 1;
                claim = Some(said);
            }
            if let Some(cells) = markdown::cells(line) {
                let named = |c: &str| c.to_lowercase().contains("reviewer score");
                if let Some(at) = cells.iter().position(|c| named(c)) {
                    score_column = Some(at);
                } else if let Some(cell) = score_column.and_then(|at| cells.get(at)) {
                    review.scores.extend(values::first_float(cell));
                }
            } else {
                score_column = None;
            }
        }
        review.open_claims += open;
        review
    }

    /// What is missing; `None` if the file is complete.
    pub(crate) fn problem(&self, researchers: &BTreeSet<char>) -> Option<String> {
        if self.verdicts.is_empty() {
            return Some("it has no verdict".to_owned());
        }
        if self.open_claims > 0 {
            let count = self.open_claims;
            let claims = format::count_of(count, "claim has", "claims have");
            return Some(format!("{claims} no verdict"));
        }
        if let Some(id) = self.open_section {
            return Some(format!("the section of researcher {id} has no verdict"));
        }
        let missing = letters(researchers.difference(&self.sections));
        if !self.sections.is_empty() && !missing.is_empty() {
            return Some(format!("it has no section of researcher {missing}"));
        }
        (!self.ended).then(|| "its last line has no newline".to_owned())
    }

    /// The counts of an event that are not those of the file: the member, its number, and the file's.
    pub(crate) fn miscounts(
        &self,
        said: impl Fn(&str) -> Option<i64>,
    ) -> Vec<(String, i64, usize)> {
        let counts = Judgement::ALL.into_iter().filter_map(|kind| {
            let key = format!("{}_count", kind.word());
            let (said, found) = (said(&key)?, self.count(kind));
            (usize::try_from(said) != Ok(found)).then_some((key, said, found))
        });
        counts.collect()
    }

    /// The number of verdicts of a kind.
    pub(crate) fn count(&self, judgement: Judgement) -> usize {
        let of_kind = self.verdicts.iter().filter(|(j, _)| *j == judgement);
        of_kind.count()
    }
}

/// The claim of a line such as `Claim: …`, `**Claim:** …` or `Claim 2: …`.
fn stated(bare: &str) -> Option<String> {
    let (head, said) = bare.split_once(':')?;
    let (word, number) = head.split_at_checked(5)?;
    let number = number.trim_matches(['*', '#', ' ']);
    let one = number.len() <= 3 && number.chars().all(char::is_alphanumeric);
    let own = number.is_empty() || head.contains(' ');
    (word.eq_ignore_ascii_case("claim") && one && own)
        .then(|| said.trim_matches(['*', ' ']).to_owned())
}

/// `Verdict:` followed by stars and spaces and one of the three words.
fn verdict(lower: &str) -> Option<Judgement> {
    let (_, after) = lower.split_once("verdict:")?;
    let after = after.trim_start_matches(['*', ' ']);
    let mut known = Judgement::ALL.into_iter();
    known.find(|judgement| after.starts_with(judgement.word()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const POSTER: &str = "# Poster Session -- Round 3\n\n## All Researchers -- Refinement\n\nAll three.\n\n### Researcher A\n- stable\n\n### Researcher B: seeds\n#### Findings\n- stable\n\n## Round Summary\nDone.\n";
    const REVIEW: &str = "# Peer Review\n\n**Claims reviewed:** 2\n\n## Researcher A -- caches\n\n### Claim: cache helps\n**Verdict: VALIDATED**\n- yes\n\n## Researcher B -- threads\n\n**Claim 2:** threads help\n**Verdict:** challenged\n\n## Summary\nx\n";

    fn ids(text: &str) -> BTreeSet<char> {
        text.chars().collect()
    }

    #[test]
    fn f6_a_poster_is_whole_with_a_section_of_every_researcher_and_a_last_newline() {
        let whole = Poster::parse(POSTER);
        assert_eq!((whole.sections.clone(), whole.ended), (ids("AB"), true));
        assert_eq!(whole.problem(&ids("AB")), None);
        assert!(whole.problem(&ids("ABC")).unwrap().contains("researcher C"));
        let last = POSTER.find("- stable\n\n## Round").unwrap();
        for cut in 0..POSTER.len() - 1 {
            let part = Poster::parse(POSTER.get(..cut).unwrap());
            let newline = cut > 0 && POSTER.as_bytes()[cut - 1] == b'\n';
            let problem = part.problem(&ids("AB"));
            assert_eq!(
                problem.is_none(),
                newline && cut > last,
                "{cut}: {problem:?}"
            );
        }
    }

    #[test]
    fn f6_a_review_is_whole_with_a_verdict_for_every_claim_and_a_last_newline() {
        let whole = Review::parse(REVIEW);
        assert_eq!((whole.verdicts.len(), whole.problem(&ids("AB"))), (2, None));
        assert!(whole.problem(&ids("ABC")).unwrap().contains("researcher C"));
        let last = REVIEW.find("**Verdict:** challenged").unwrap();
        for cut in 0..REVIEW.len() - 1 {
            let part = Review::parse(REVIEW.get(..cut).unwrap());
            let newline = cut > 0 && REVIEW.as_bytes()[cut - 1] == b'\n';
            let problem = part.problem(&ids("AB"));
            assert_eq!(
                problem.is_none(),
                newline && cut > last,
                "{cut}: {problem:?}"
            );
        }
        let undivided = Review::parse("**Claim:** x\n**Verdict:** validated\n");
        assert_eq!(undivided.problem(&ids("AB")), None);
        let open = Review::parse("**Claim:** x\n**Claim:** y\n**Verdict:** validated\n");
        assert_eq!(open.problem(&ids("A")).unwrap(), "1 claim has no verdict");
    }

    #[test]
    fn f1_a_researchers_log_names_the_rounds_it_has_iterations_of() {
        let notes = Notes::parse(
            "# Researcher A\n\n## Round 1\n### Iteration 1: x\n- y\n## Round 12 (last)\n### Iteration 0\n## Round 13\n",
        );
        assert_eq!(notes.rounds.into_iter().collect::<Vec<_>>(), [1, 12]);
        for (text, round) in [
            ("### Round 9 Validated Findings", Some(9)),
            ("- Round 2: x", Some(2)),
            ("in round 3", None),
            ("Round x", None),
            ("rounds 3", None),
        ] {
            assert_eq!(leading_round(text), round, "{text}");
        }
    }

    #[test]
    fn reads_verdicts_in_every_notation() {
        let review = Review::parse(concat!(
            "# Peer Review\n### Claim: cache helps\n**Verdict: VALIDATED**\n",
            "**Claim:** threads help\n**Evidence:** x\n**Verdict:** challenged\n",
            "- **Verdict: CHALLENGED (partially)**\n- **Verdict: OVERTURNED** -- no\n",
            "Verdict: maybe\n\n| Researcher | Self-Assessed Score | Reviewer Score | Notes |\n|---|---|---|---|\n| A | 9 | 8/10 | x |\n| B | 9 | 7.5 | x |\n\n| x | y | 3 |\n"
        ));
        assert_eq!(review.count(Judgement::Validated), 1);
        assert_eq!(review.count(Judgement::Challenged), 2);
        assert_eq!(review.count(Judgement::Overturned), 1);
        let claims: Vec<_> = review.verdicts.iter().map(|(_, c)| c.as_deref()).collect();
        assert_eq!(
            claims,
            [Some("cache helps"), Some("threads help"), None, None]
        );
        assert_eq!(review.scores, [8.0, 7.5]);
    }
}
