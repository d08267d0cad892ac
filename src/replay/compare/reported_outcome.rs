//! What a summary, or a whole output, says of pass or fail.
//!
//! Summaries are prose. Crucible takes the last `FAIL` or `failed` against `PASS` or
//! `passed`. What counts as such a token is decided here: words in capitals count anywhere, words in small
//! letters where they end a statement (`tests failed in cache`) and not where they describe something
//! (`the failed login`), and a number before or after them is read: `0 failed` is no failure.

use crate::model::TestOutcome;
use crate::text::is_digits;

/// Words that may follow `failed` or `passed` where it ends a statement.
const AFTER: &[&str] = &[
    "again", "after", "all", "and", "as", "at", "because", "both", "but", "by", "due", "every",
    "for", "in", "of", "on", "since", "under", "when", "while", "with", "without",
];

/// Words that negate what follows.
const NONE: &[&str] = &["no", "none", "zero", "nothing"];

/// Bytes at the end of an output in which a verdict is looked for.
const LAST_PART: usize = 64 << 10;

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

/// Words that may stand between the numbers of a tally and its verdict: `9 of 12 acceptance tests passed`.
const NOUNS: usize = 3;

/// Words before a verdict on a line of its own.
const LABELS: &[&str] = &["verdict", "result", "outcome", "status", "gate", "overall"];

/// What a whole output says. The last test summary counts most where it names failures, whatever follows it: an agent
/// that closes with "all done" is not believed over `12 passed, 3 failed`. Then an explicit verdict line, then a test
/// summary without failures, then the last line.
pub fn of_output(output: &[u8]) -> TestOutcome {
    let begin = output.len().saturating_sub(LAST_PART);
    let text = String::from_utf8_lossy(output.get(begin..).unwrap_or_default());
    let (mut summary, mut stated) = (TestOutcome::Unknown, TestOutcome::Unknown);
    let mut last = "";
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        last = line;
        let said = verdict(line.as_bytes());
        if said == TestOutcome::Unknown {
            continue;
        }
        if counts_tests(line) {
            summary = said;
        }
        if states_a_verdict(line) {
            stated = said;
        }
    }
    // An empty output is no success, whatever the exit status.
    if last.is_empty() {
        return TestOutcome::Fail;
    }
    match (summary, stated) {
        (TestOutcome::Fail, _) => TestOutcome::Fail,
        (_, TestOutcome::Pass | TestOutcome::Fail) => stated,
        (TestOutcome::Pass, _) => TestOutcome::Pass,
        (TestOutcome::Unknown, TestOutcome::Unknown) => verdict(last.as_bytes()),
    }
}

/// Whether a line has a number beside `passed` or `failed`, or a part of one: `9 of 12 tests passed`.
fn counts_tests(line: &str) -> bool {
    let word = |word: &str| {
        word.trim_matches(|c: char| ",;:.()=".contains(c))
            .to_ascii_lowercase()
    };
    let words: Vec<String> = line.split([' ', '=']).map(word).collect();
    let counted = |word: &String| matches!(word.as_str(), "passed" | "failed" | "failures");
    let beside = words.windows(2).any(|pair| match pair {
        [one, other] => is_digits(one) && counted(other) || counted(one) && is_digits(other),
        _ => false,
    });
    let tokens = tokens(line);
    let mut places = tokens.iter().enumerate();
    beside || places.any(|(at, token)| token.fails(None).is_some() && part(&tokens, at).is_some())
}

/// How many of how many a word of a verdict is about: `9 of 12 tests passed`, `12/15 passed`, `passed: 9/12`.
fn part(tokens: &[Token<'_>], at: usize) -> Option<(u64, u64)> {
    let (before, rest) = tokens.split_at_checked(at)?;
    let token = rest.first()?;
    let nouns = before.iter().rev().take(NOUNS);
    let nouns = nouns.take_while(|token| !token.is_number()).count();
    let (before, between) = before.split_at_checked(before.len() - nouns)?;
    let stated = between.iter().any(|word| word.fails(None).is_some());
    let counts = |word: &&Token<'_>| !word.is("the") && !word.is("out");
    let mut words = before.iter().rev().filter(counts);
    let all = words.next().and_then(Token::count);
    let found = match (all, words.next()) {
        (Some(all), Some(of)) if of.is("of") => {
            words.next().and_then(Token::count).map(|n| (n, all))
        }
        (Some(all), Some(n)) if n.next == Some('/') => n.count().map(|n| (n, all)),
        _ => None,
    };
    let ordinal = words
        .next()
        .is_some_and(|word| ORDINALS.iter().any(|one| word.is(one)));
    let after = || match rest.get(1..)? {
        [n, all, ..] if n.next == Some('/') => Some((n.count()?, all.count()?)),
        [n, of, all, ..] if of.is("of") => Some((n.count()?, all.count()?)),
        _ => None,
    };
    // `FAILED: 0 of 3 criteria` is a verdict with a remark.
    let counted = token.is("passed") || token.is("failed") && token.text != "FAILED";
    let found = found.filter(|_| !ordinal && !stated);
    found
        .or_else(|| counted.then(after).flatten())
        .filter(|(n, all)| n <= all && *all > 0)
}

/// Whether a line is a verdict: it begins with the word, or with a label before it.
fn states_a_verdict(line: &str) -> bool {
    let line = line.trim_start_matches(|c: char| "#*>-_` ".contains(c));
    let first = line.split(|c: char| !c.is_ascii_alphanumeric()).next();
    let first = first.unwrap_or_default();
    let label = first.to_ascii_lowercase();
    let labeled = LABELS.contains(&label.as_str()) && line.contains(':');
    labeled || matches!(first, "PASS" | "PASSED" | "FAIL" | "FAILED")
}

/// The outcome that a summary reports; `Unknown` if it reports none.
pub(super) fn verdict(summary: &[u8]) -> TestOutcome {
    let text = String::from_utf8_lossy(summary);
    let tokens = tokens(&text);
    let mut last: Option<Said> = None;
    for (at, token) in tokens.iter().enumerate() {
        let Some(fails) = token.fails(tokens.get(at + 1)) else {
            continue;
        };
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        let stated = token.value(tokens.get(at + 1..).unwrap_or_default());
        let count = stated.or_else(|| before.and_then(Token::count));
        if COUNTED.iter().any(|word| token.is(word)) {
            // Of `fixed 3 errors` the errors are an object, and `0 errors` is no verdict.
            let object = at.checked_sub(2).and_then(|at| tokens.get(at));
            let object = object.is_some_and(|word| {
                word.next == Some(' ') && !word.is("and") && word.fails(None).is_none()
            });
            if count.is_none_or(|count| count == 0) || object && stated.is_none() {
                continue;
            }
        }
        let (fails, count) = match part(&tokens, at) {
            Some((n, all)) if !fails => (n < all, Some(all)),
            Some((n, _)) => (true, Some(n)),
            None => (fails, count),
        };
        let (fails, count) = match (fails, count, before.is_some_and(Token::negates)) {
            // "0 failed" alone is a pass. "0 passed" alone is no outcome.
            (true, Some(0), _) => (false, None),
            (false, Some(0), _) => continue,
            (fails, _, true) => (!fails, None),
            (fails, count, false) => (fails, count),
        };
        let said = Said { fails, count, at };
        if !last.is_some_and(|last| last.outweighs(&said, &tokens)) {
            last = Some(said);
        }
    }
    match last {
        Some(said) if said.fails => TestOutcome::Fail,
        Some(_) => TestOutcome::Pass,
        None => TestOutcome::Unknown,
    }
}

/// One statement.
#[derive(Debug, Clone, Copy)]
struct Said {
    fails: bool,
    count: Option<u64>,
    at: usize,
}

impl Said {
    /// Whether it contradicts a later statement of the same tally: `1 failed, 2 skipped, 12 passed` is a
    /// failure, whatever comes last.
    fn outweighs(self, later: &Self, tokens: &[Token<'_>]) -> bool {
        let one_tally = || {
            let first = later.at.saturating_sub(1);
            let between = tokens.get(self.at + 1..first).unwrap_or_default();
            let rest: Vec<_> = between.iter().filter(|t| t.text != "and").collect();
            rest.chunks(2).all(
                |pair| matches!(pair, [n, word] if n.count().is_some() && word.count().is_none()),
            )
        };
        self.fails && !later.fails && self.count.is_some() && later.count.is_some() && one_tally()
    }
}

/// A word or a number.
#[derive(Debug, Clone, Copy)]
struct Token<'a> {
    text: &'a str,
    /// The character right after it.
    next: Option<char>,
}

impl Token<'_> {
    /// True for a word of failure, false for one of success, none for any other.
    fn fails(&self, next: Option<&Token<'_>>) -> Option<bool> {
        match self.text {
            "FAIL" | "FAILED" | "FAILURE" => return Some(true),
            "PASS" | "PASSED" => return Some(false),
            _ => {}
        }
        let fails = match self.text.to_ascii_lowercase().as_str() {
            "failed" => true,
            "passed" => false,
            word if COUNTED.contains(&word) => true,
            _ => return None,
        };
        let follows = |next: &Token<'_>| {
            let word = next.text.to_ascii_lowercase();
            self.next != Some(' ') || next.count().is_some() || AFTER.contains(&word.as_str())
        };
        next.is_none_or(follows).then_some(fails)
    }

    /// The number behind it, written as `failed: 3`. In `PASS: 3 findings` the number is of something else.
    fn value(&self, behind: &[Token<'_>]) -> Option<u64> {
        let (number, rest) = behind.split_first()?;
        let stated = matches!(self.next, Some(':' | '='));
        let counts_this = match rest.split_first() {
            Some((word, rest)) => number.next != Some(' ') || word.fails(rest.first()).is_some(),
            None => true,
        };
        (stated && counts_this).then(|| number.count()).flatten()
    }

    fn is(&self, word: &str) -> bool {
        self.text.eq_ignore_ascii_case(word)
    }

    fn is_number(&self) -> bool {
        is_digits(self.text)
    }

    fn count(&self) -> Option<u64> {
        let none = NONE.contains(&self.text.to_ascii_lowercase().as_str());
        if none {
            return Some(0);
        }
        let digits = self.text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| self.text.parse().unwrap_or(u64::MAX))
    }

    fn negates(&self) -> bool {
        matches!(
            self.text.to_ascii_lowercase().as_str(),
            "not" | "never" | "nor"
        )
    }
}

/// The words and numbers of a text, in order.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let inner = |c: char| c.is_alphanumeric() || c == '_';
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(inner) {
        let (_, from) = rest.split_at(start);
        let end = from.find(|c| !inner(c)).unwrap_or(from.len());
        let (word, behind) = from.split_at(end);
        tokens.push(Token {
            text: word,
            next: behind.chars().next(),
        });
        rest = behind;
    }
    tokens
}

#[cfg(test)]
mod tests;
