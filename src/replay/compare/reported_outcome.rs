//! What a summary, or a whole output, says of pass or fail.
//!
//! Summaries are prose. Crucible takes the last `FAIL` or `failed` against `PASS` or
//! `passed`. What counts as such a token is decided here: words in capitals count anywhere, words in small
//! letters where they end a statement (`tests failed in cache`) and not where they describe something
//! (`the failed login`), and a number before or after them is read: `0 failed` is no failure. Where a text states its
//! verdict (`FAIL: 4 of 5 tests passed`), that word decides.

use token::{Token, tokens};

use crate::model::TestOutcome;
use crate::text::is_digits;

/// Bytes at the end of an output in which a verdict is looked for.
const LAST_PART: usize = 64 << 10;

/// Words that may stand between the numbers of a tally and its verdict: `9 of 12 acceptance tests passed`.
const NOUNS: usize = 3;

/// Words that begin a statement of their own: `no warnings and all tests passed` has no count of tests.
const BEGINNING: &[&str] = &["all", "and", "but", "every", "then"];

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
        let tokens = tokens(line);
        if states_a_verdict(line) || statement(&tokens).is_some_and(|one| one.firm) {
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
    // `12 tests passed` begins a summary. Within a sentence it is a remark about one.
    let leads = |at: usize| count_before(&tokens, at).is_some_and(|(_, from)| from == 0);
    let mut words = places.clone();
    let leads = words.any(|(at, token)| token.fails(tokens.get(at + 1)).is_some() && leads(at));
    beside
        || leads
        || places.any(|(at, token)| token.fails(None).is_some() && part(&tokens, at).is_some())
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
        (Some(all), Some(n)) if n.next() == Some('/') => n.count().map(|n| (n, all)),
        _ => None,
    };
    let ordinal = words.next().is_some_and(Token::is_ordinal);
    let after = || match rest.get(1..)? {
        [n, all, ..] if n.next() == Some('/') => Some((n.count()?, all.count()?)),
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

/// The number before a word, beside it or with a few nouns between (`3 of the tests failed`), and where it stands.
fn count_before(tokens: &[Token<'_>], at: usize) -> Option<(u64, usize)> {
    let begins = |word: &Token<'_>| BEGINNING.iter().any(|one| word.is(one));
    let mut before = tokens.get(..at)?.iter().enumerate().rev().take(NOUNS + 1);
    let (from, number) = before.find(|(_, word)| {
        word.count().is_some() || !word.is_joined() || word.fails(None).is_some() || begins(word)
    })?;
    let beside = from + 1 == at;
    // Of `FAIL in round 1, PASS in round 2` the 1 counts nothing.
    let apart = number.gap().any(|c| c == ',');
    let count = number
        .count()
        .filter(|_| number.is_joined() || beside && !apart)?;
    // `task 0 passed` is about that task.
    (count > 0 || !is_place(tokens, from)).then_some((count, from))
}

/// Whether a number says which one it is, not how many: `round 2`.
fn is_place(tokens: &[Token<'_>], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| tokens.get(at));
    before.is_some_and(Token::is_ordinal)
}

/// A word that states the verdict of its text.
struct Statement {
    fails: bool,
    at: usize,
    /// Whether nothing behind it takes it back: `FAIL in round 1, PASS in round 2` is not firm.
    firm: bool,
}

/// The word that states the verdict: the first of all where punctuation follows it, else the one that a label announces
/// (`Verdict: FAIL`), else the first of all, else the last one beside a colon (`Task 4: FAIL, 3 tests passed`).
/// `failed: 0` is a number and states nothing.
fn statement(tokens: &[Token<'_>]) -> Option<Statement> {
    let at = |at: usize, labeled: bool| {
        let (token, behind) = tokens.get(at..)?.split_first()?;
        let word = if labeled {
            token.labeled(behind.first())
        } else {
            token.capitals()
        };
        let tally = token.value(behind).is_some();
        let ends = behind.is_empty() || !token.is_joined();
        let firm = labeled || at == 0 && ends;
        word.filter(|_| !tally)
            .map(|fails| Statement { fails, at, firm })
    };
    let is_label = |token: &Token<'_>| LABELS.iter().any(|one| token.is(one));
    let places = || tokens.iter().enumerate();
    let label = |(label, token): (usize, &Token<'_>)| {
        let labels = is_label(token) && token.announces();
        labels.then(|| at(label + 1, true)).flatten()
    };
    let beside_a_colon = |(place, token): (usize, &Token<'_>)| {
        let before = place.checked_sub(1).and_then(|at| tokens.get(at))?;
        let count = count_before(tokens, place);
        let counted = count.is_some_and(|(_, from)| !is_place(tokens, from));
        let colon = before.announces() || token.announces();
        let said = colon && !before.negates() && (before.announces() || !counted);
        said.then(|| at(place, false)).flatten()
    };
    let first = || at(0, false);
    let firm = first().filter(|one| one.firm);
    let labeled = firm.or_else(|| places().find_map(label));
    labeled
        .or_else(first)
        .or_else(|| places().rev().find_map(beside_a_colon))
}

/// The outcome that a summary reports; `Unknown` if it reports none.
pub(super) fn verdict(summary: &[u8]) -> TestOutcome {
    let text = String::from_utf8_lossy(summary);
    // The last line that states something is the verdict; `1 failed` on one line and `12 passed` on the next are one tally.
    let stated = text.lines().rev().find_map(|line| {
        let tokens = tokens(line);
        let stated = statement(&tokens)?;
        let behind = tokens.iter().enumerate().skip(stated.at + 1);
        let taken_back = |(at, token): (usize, &Token<'_>)| {
            token.capitals() == Some(!stated.fails) && count_before(&tokens, at).is_none()
        };
        (stated.firm || !behind.into_iter().any(taken_back)).then_some(stated.fails)
    });
    let tokens = tokens(&text);
    let none_passed = |(at, token): (usize, &Token<'_>)| {
        let passes = token.fails(tokens.get(at + 1)) == Some(false);
        passes.then(|| count_before(&tokens, at)).flatten()
    };
    let mut passed = tokens
        .iter()
        .enumerate()
        .filter_map(none_passed)
        .map(|(count, _)| count);
    match (stated, tally(&tokens)) {
        (Some(true), _) => TestOutcome::Fail,
        // Numbers are believed over the word: `PASS: 3 of 5 tests passed`.
        (Some(false), Some(said)) if said.fails && said.counts(&tokens) => TestOutcome::Fail,
        (Some(false), _)
            if passed.clone().any(|count| count == 0) && passed.all(|count| count == 0) =>
        {
            TestOutcome::Unknown
        }
        (None, Some(said)) if said.fails => TestOutcome::Fail,
        (Some(false), _) | (None, Some(_)) => TestOutcome::Pass,
        (None, None) => TestOutcome::Unknown,
    }
}

/// What the words and numbers of a text come to: the last of them, except within one tally.
fn tally(tokens: &[Token<'_>]) -> Option<Said> {
    let mut last: Option<Said> = None;
    for (at, token) in tokens.iter().enumerate() {
        let Some(fails) = token.fails(tokens.get(at + 1)) else {
            continue;
        };
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        let stated = token.value(tokens.get(at + 1..).unwrap_or_default());
        let mut counted = count_before(tokens, at);
        if token.is_counted() {
            counted = before.and_then(Token::count).zip(at.checked_sub(1));
            let count = stated.or_else(|| counted.map(|(count, _)| count));
            // Of `fixed 3 errors` the errors are an object, and `0 errors` is no verdict.
            let object = at.checked_sub(2).and_then(|at| tokens.get(at));
            let object = object.is_some_and(|word| {
                word.next() == Some(' ') && !word.is("and") && word.fails(None).is_none()
            });
            if count.is_none_or(|count| count == 0) || object && stated.is_none() {
                continue;
            }
        }
        let count = stated.or_else(|| counted.map(|(count, _)| count));
        let (fails, count) = match part(tokens, at) {
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
        let from = counted.map_or(at, |(_, from)| from);
        let said = Said {
            fails,
            count,
            from,
            at,
        };
        if !last.is_some_and(|last| last.outweighs(&said, tokens)) {
            last = Some(said);
        }
    }
    last
}

/// One part of a tally.
#[derive(Debug, Clone, Copy)]
struct Said {
    fails: bool,
    count: Option<u64>,
    /// Where its number stands.
    from: usize,
    at: usize,
}

impl Said {
    /// Whether it says how many, so that it is believed over a word.
    fn counts(&self, tokens: &[Token<'_>]) -> bool {
        self.count.is_some() && !is_place(tokens, self.from)
    }

    /// Whether it contradicts a later statement of the same tally: `1 failed, 2 skipped, 12 passed` and
    /// `2 tests failed in the cache, 12 passed` are failures, whatever comes last.
    fn outweighs(self, later: &Self, tokens: &[Token<'_>]) -> bool {
        let one_tally = || {
            let between = tokens.get(self.at + 1..later.from).unwrap_or_default();
            let mut said = tokens.iter().take(later.from).skip(self.at);
            let one_sentence = !said.any(Token::ends_a_sentence);
            let mut words = NOUNS;
            between.iter().all(|token| {
                words = match token.count() {
                    Some(_) => 0,
                    None if token.is("and") => words,
                    None => words + 1,
                };
                words <= NOUNS || one_sentence
            }) && !turns::is_later(tokens, (self.from, self.at), later.from)
        };
        self.fails && !later.fails && self.count.is_some() && later.count.is_some() && one_tally()
    }
}

#[cfg(test)]
mod tests;
mod token;
mod turns;
