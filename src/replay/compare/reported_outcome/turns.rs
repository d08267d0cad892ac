//! Whether what passed is of a later run than what failed before it. In doubt it is of the same run: a failure that is
//! taken for a repaired one is the worse mistake.

use super::token::Token;

/// Words that begin what came later, in a clause of its own or beside its number: `3 failed, then 12 passed`.
const TIMES: &[&str] = &[
    "after",
    "afterwards",
    "again",
    "finally",
    "later",
    "now",
    "then",
    "until",
];

/// What was done to what failed.
const DEEDS: &[&str] = &[
    "added",
    "changed",
    "corrected",
    "fixed",
    "removed",
    "repaired",
    "replaced",
    "reran",
    "resolved",
    "retried",
    "updated",
];

/// The same as nouns: `on retry 12 passed`.
const REPAIRS: &[&str] = &["change", "fix", "fixing", "rerun", "retry"];

/// Words before such a noun that make its clause one of time.
const BY: &[&str] = &["after", "before", "on", "until", "upon", "with"];

/// Words by which a deed is not done: `which I could not fix`, `to be fixed`.
const UNDONE: &[&str] = &[
    "be", "cannot", "must", "need", "needs", "never", "no", "nor", "not", "should", "t", "to",
    "unable", "will", "without",
];

/// Words before which a participle describes something: `the changed module`.
const OF: &[&str] = &["a", "an", "and", "in", "newly", "of", "or", "the"];

/// Words that say when a failure was, before a deed.
const ENDED: &[&str] = &["before", "until"];

/// What is run again: `2 failed in round 1`. Tasks stand side by side.
const ROUNDS: &[&str] = &["attempt", "cycle", "iteration", "round", "run", "try"];

fn is_in(words: &[&str], token: &Token<'_>) -> bool {
    words.iter().any(|word| token.is(word))
}

/// Whether the number at `passed` is of a later run than the failure at `at`, whose number is at `from`.
pub(super) fn is_later(tokens: &[Token<'_>], (from, at): (usize, usize), passed: usize) -> bool {
    let said = tokens.get(at..passed).unwrap_or_default();
    let mut clauses = said.split_inclusive(Token::ends_a_clause);
    let own = clauses.next().unwrap_or_default();
    let last = said.last().filter(|_| said.len() > 1);
    let beside = last.is_some_and(|word| is_in(TIMES, word) && word.is_joined());
    let before = tokens.get(..from).unwrap_or_default();
    let before = before.rsplit(Token::ends_a_clause).next();
    let told = before
        .into_iter()
        .flatten()
        .any(|word| is_in(&["before", "initially", "without"], word));
    let contrasts = |clause: &[Token<'_>]| {
        told && clause.len() > 1 && clause.first().is_some_and(|word| word.is("with"))
    };
    beside || was_first(own) || clauses.any(|clause| is_turn(clause) || contrasts(clause))
}

/// Whether the clause of a failure says that it was of an earlier run. That it came `after 30 s` does not.
fn was_first(own: &[Token<'_>]) -> bool {
    let begins = |at: usize| match own.get(at..).unwrap_or_default() {
        [word, next, ..] if word.is("at") => next.is("first"),
        [word, next, ..] if is_in(ROUNDS, word) => next.count().is_some(),
        [word, next, ..] if word.is("and") || word.is("but") => {
            is_in(&["i", "we"], next) && own.get(at + 1..).is_some_and(is_done)
        }
        [word, next, ..] if is_in(ENDED, word) => {
            !next.is("and") && own.get(at..).is_some_and(is_done)
        }
        [word, ..] => word.is("initially"),
        [] => false,
    };
    (0..own.len()).any(begins)
}

/// Whether a clause between a failure and what passed is about another run.
fn is_turn(clause: &[Token<'_>]) -> bool {
    let mut words = clause.iter();
    let first = words.find(|word| !word.is("and") && !word.is("but"));
    let next = words.next().and_then(Token::count);
    let begins = |word| is_in(TIMES, word) || is_in(ROUNDS, word) && next.is_some();
    first.is_some_and(begins) || is_done(clause)
}

/// Whether a clause says what was done. `2 rerun` and `fixed: 2` are numbers of the same tally.
fn is_done(clause: &[Token<'_>]) -> bool {
    let Some((first, rest)) = clause.split_first() else {
        return false;
    };
    if first.count().is_some() || clause.iter().any(|word| is_in(UNDONE, word)) {
        return false;
    }
    let is_number = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| clause.get(at));
        let behind = clause.get(at + 1).and_then(Token::count);
        before.is_some_and(|word| word.count().is_some())
            || behind.is_some() && clause.get(at).is_some_and(Token::announces)
    };
    let describes = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| clause.get(at));
        before.is_some_and(|word| is_in(OF, word))
    };
    let by = is_in(BY, first) && rest.iter().any(|word| is_in(REPAIRS, word));
    let repairs = by || is_in(REPAIRS, first) && !is_number(0);
    let mut places = clause.iter().enumerate();
    repairs || places.any(|(at, word)| is_in(DEEDS, word) && !is_number(at) && !describes(at))
}
