//! The words and numbers of a text, and what each says of pass or fail.

use crate::text::is_digits;

/// Words that may follow `failed` or `passed` where it ends a statement.
const AFTER: &[&str] = &[
    "after", "again", "all", "and", "as", "at", "because", "before", "both", "but", "by", "due",
    "every", "for", "in", "of", "on", "since", "under", "until", "when", "while", "with",
    "without",
];

/// Words that negate what follows.
const NONE: &[&str] = &["no", "none", "zero", "nothing"];

/// Words after which `2 of 3` is the second of them, and not a part of three.
const ORDINALS: &[&str] = &[
    "attempt",
    "batch",
    "cycle",
    "gate",
    "iteration",
    "part",
    "phase",
    "round",
    "run",
    "stage",
    "step",
    "task",
    "try",
    "wave",
];

/// Words of trouble that say something only with a number: `3 errors in 4s`.
const COUNTED: &[&str] = &["error", "errors", "failure", "failures"];

/// A word or a number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    /// All that follows it.
    rest: &'a str,
}

impl Token<'_> {
    /// True for a word of failure, false for one of success, none for any other.
    pub(super) fn fails(&self, next: Option<&Token<'_>>) -> Option<bool> {
        if let Some(fails) = self.capitals() {
            return Some(fails);
        }
        let fails = match self.text.to_ascii_lowercase().as_str() {
            "failed" => true,
            "passed" => false,
            word if COUNTED.contains(&word) => true,
            _ => return None,
        };
        let follows = |next: &Token<'_>| {
            let word = next.text.to_ascii_lowercase();
            let ends = self.next() != Some(' ') || self.rest.starts_with(" (");
            ends || next.count().is_some() || AFTER.contains(&word.as_str())
        };
        next.is_none_or(follows).then_some(fails)
    }

    /// The same for a word in capitals, which counts wherever it stands.
    pub(super) fn capitals(&self) -> Option<bool> {
        match self.text {
            "FAIL" | "FAILED" | "FAILURE" => Some(true),
            "PASS" | "PASSED" => Some(false),
            _ => None,
        }
    }

    /// The same for a word that a label announces: `Verdict: pass`.
    pub(super) fn labeled(&self, next: Option<&Token<'_>>) -> Option<bool> {
        let ends = next.is_none() || !self.is_joined();
        match self.text.to_ascii_lowercase().as_str() {
            "fail" if ends => Some(true),
            "pass" if ends => Some(false),
            _ => self.fails(next).filter(|_| !self.is_counted()),
        }
    }

    pub(super) fn next(&self) -> Option<char> {
        self.rest.chars().next()
    }

    /// What stands between it and the next word, without emphasis.
    pub(super) fn gap(&self) -> impl Iterator<Item = char> {
        let gap = self.rest.chars().take_while(|c| !c.is_alphanumeric());
        gap.filter(|c| !matches!(c, '*' | '_' | '`'))
    }

    /// Whether only a space is between it and the next word.
    pub(super) fn is_joined(&self) -> bool {
        self.gap().all(|c| c == ' ')
    }

    /// Whether a colon, or what stands for one, follows.
    pub(super) fn announces(&self) -> bool {
        self.gap().any(|c| matches!(c, ':' | '=' | '–' | '—')) || self.rest.starts_with(" - ")
    }

    /// Whether it says something only with a number.
    pub(super) fn is_counted(&self) -> bool {
        COUNTED.iter().any(|one| self.is(one))
    }

    pub(super) fn is_ordinal(&self) -> bool {
        ORDINALS.iter().any(|one| self.is(one))
    }

    /// The number behind it, written as `failed: 3`. In `PASS: 3 findings` the number is of something else.
    pub(super) fn value(&self, behind: &[Token<'_>]) -> Option<u64> {
        let (number, rest) = behind.split_first()?;
        let stated = matches!(self.next(), Some(':' | '='));
        // Of `FAIL: 0/3 criteria`, `FAIL: 0% done` and `FAIL: 0 errors, 2 timeouts` the number counts something else.
        let counts_this = match rest.split_first() {
            Some((word, rest)) if number.is_joined() => {
                word.fails(rest.first()).is_some() && word.announces()
            }
            Some(_) => !number.rest.starts_with(['/', '%', '-']) && !number.gap().eq(['.']),
            None => !number.rest.starts_with('%'),
        };
        (stated && counts_this).then(|| number.count()).flatten()
    }

    /// Whether its clause ends after it. The hyphen of `cache-test` ends none.
    pub(super) fn ends_a_clause(&self) -> bool {
        let marked = self.gap().any(|c| matches!(c, ',' | ';' | '–' | '—'));
        marked || self.ends_a_sentence() || self.rest.starts_with(" - ")
    }

    /// Whether its sentence or line ends after it. The period of `cache.rs` ends none.
    pub(super) fn ends_a_sentence(&self) -> bool {
        let gap: String = self.gap().collect();
        gap.contains('\n') || gap.contains(". ")
    }

    pub(super) fn is(&self, word: &str) -> bool {
        self.text.eq_ignore_ascii_case(word)
    }

    pub(super) fn is_number(&self) -> bool {
        is_digits(self.text)
    }

    pub(super) fn count(&self) -> Option<u64> {
        let none = NONE.contains(&self.text.to_ascii_lowercase().as_str());
        if none {
            return Some(0);
        }
        let digits = self.text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| self.text.parse().unwrap_or(u64::MAX))
    }

    pub(super) fn negates(&self) -> bool {
        matches!(
            self.text.to_ascii_lowercase().as_str(),
            "not" | "never" | "nor"
        )
    }
}

/// The words and numbers of a text, in order.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let inner = |c: char| c.is_alphanumeric() || c == '_';
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(inner) {
        let (_, from) = rest.split_at(start);
        let end = from.find(|c| !inner(c)).unwrap_or(from.len());
        let (word, behind) = from.split_at(end);
        tokens.push(Token {
            text: word,
            rest: behind,
        });
        rest = behind;
    }
    tokens
}
