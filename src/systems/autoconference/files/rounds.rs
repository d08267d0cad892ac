//! The Markdown of a round: poster sessions and peer reviews (format note, section b.4).

use crate::formats::markdown;

use super::values;

/// A reviewer's word on a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Judgement {
    /// Holds.
    Validated,
    /// In doubt.
    Challenged,
    /// Refuted.
    Overturned,
}

const JUDGEMENTS: &[(&str, Judgement)] = &[
    ("validated", Judgement::Validated),
    ("challenged", Judgement::Challenged),
    ("overturned", Judgement::Overturned),
];

/// What a review file says.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Review {
    /// Each verdict with the claim above it, where one was stated.
    pub verdicts: Vec<(Judgement, Option<String>)>,
    /// Reviewer scores of the qualitative table.
    pub scores: Vec<f64>,
}

impl Review {
    /// Reads the file's text.
    pub(crate) fn parse(text: &str) -> Self {
        let mut review = Self::default();
        let mut claim = None;
        let mut score_column = None;
        for line in text.lines() {
            let bare = line.trim().trim_start_matches(['#', '-', '*', ' ']);
            let lower = bare.to_lowercase();
            if let Some(found) = verdict(&lower) {
                review.verdicts.push((found, claim.take()));
            } else if lower.starts_with("claim") {
                let said = bare.split_once(':').map(|(_, said)| said);
                claim = said.map(|s| s.trim_matches(['*', ' ']).to_owned());
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
        review
    }

    /// How many verdicts of a kind.
    pub(crate) fn count(&self, judgement: Judgement) -> usize {
        self.verdicts
            .iter()
            .filter(|(j, _)| *j == judgement)
            .count()
    }
}

/// `Verdict:` followed by stars and spaces and one of the three words.
fn verdict(lower: &str) -> Option<Judgement> {
    let (_, after) = lower.split_once("verdict:")?;
    let after = after.trim_start_matches(['*', ' ']);
    let known = JUDGEMENTS.iter().find(|(word, _)| after.starts_with(word));
    known.map(|(_, judgement)| *judgement)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_verdicts_in_every_spelling() {
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
