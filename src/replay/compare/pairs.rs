//! Pairs the work of two sides and determines the outcome of each pair. Pure.

use std::collections::{HashMap, HashSet};

use super::runs::newest;
use crate::model::{Bucket, Foreign, Pair, Party, Run, RunKind, TestOutcome, Work, WorkStatus};

/// Pairs by key, in the order of A; what only B has comes after the last of its phase.
pub(super) fn pairs(a: &Party, b: &Party) -> Vec<Pair> {
    let apart = is_other_stage(a, b);
    let (a, b) = (Side::new(&a.runs), Side::new(&b.runs));
    if apart {
        // Nothing of one stage is the same work as anything of another, whatever it is called.
        let (alone, empty) = (a.without_work(), b.without_work());
        let of_a = a.order.iter().map(|key| pair(key, &a, &empty));
        let of_b = b.order.iter().map(|key| pair(key, &alone, &b));
        return of_a.chain(of_b).collect();
    }
    let of_a: HashSet<&str> = a.order.iter().copied().collect();
    let mut pairs: Vec<Pair> = a.order.iter().map(|key| pair(key, &a, &b)).collect();
    let only_b = b.order.iter().filter(|key| !of_a.contains(*key));
    for added in only_b.map(|key| pair(key, &a, &b)) {
        let last = pairs.iter().rposition(|one| one.phase == added.phase);
        let at = last.map_or(pairs.len(), |last| last + 1);
        pairs.insert(at, added);
    }
    pairs
}

/// Whether the sides are two different stages, and not two versions of one.
pub(super) fn is_other_stage(a: &Party, b: &Party) -> bool {
    let of = |party: &Party| {
        let run = party.runs.first()?;
        (run.kind == RunKind::Stage).then(|| match run.name.split_once('.') {
            Some((stage, _version)) => stage.to_owned(),
            None => run.name.clone(),
        })
    };
    matches!((of(a), of(b)), (Some(a), Some(b)) if a != b)
}

/// One side: its keys in the order of its work, and the newest work of each key in each run.
struct Side<'a> {
    order: Vec<&'a str>,
    runs: Vec<HashMap<&'a str, &'a Work>>,
}

impl<'a> Side<'a> {
    fn new(runs: &'a [Run]) -> Self {
        let mut order = Vec::new();
        let mut known = HashSet::new();
        for work in runs.iter().flat_map(|run| newest(&run.work)) {
            if known.insert(work.key.as_str()) {
                order.push(work.key.as_str());
            }
        }
        let by_key = |run: &'a Run| {
            let work = newest(&run.work);
            work.map(|one| (one.key.as_str(), one)).collect()
        };
        Self {
            order,
            runs: runs.iter().map(by_key).collect(),
        }
    }

    /// As many runs that did nothing.
    fn without_work(&self) -> Self {
        Self {
            order: Vec::new(),
            runs: vec![HashMap::new(); self.runs.len()],
        }
    }

    fn all(&self, key: &str) -> Vec<Option<Work>> {
        let of = |run: &HashMap<&str, &Work>| run.get(key).map(|one| (*one).clone());
        self.runs.iter().map(of).collect()
    }
}

fn pair(key: &str, a: &Side<'_>, b: &Side<'_>) -> Pair {
    let (a, b) = (a.all(key), b.all(key));
    let first = a.iter().chain(&b).flatten().next();
    let (role, phase) = first.map_or_else(
        || (Foreign::default(), Foreign::default()),
        |one| (one.role.clone(), one.phase.clone()),
    );
    let (of_a, of_b) = (said(&a), said(&b));
    let verdict_changed =
        of_a != of_b && of_a != TestOutcome::Unknown && of_b != TestOutcome::Unknown;
    let (bucket, review) = (bucket(&a, &b), first.is_some_and(Work::is_review));
    let answered = match bucket {
        Bucket::Regressed | Bucket::Fixed | Bucket::StillFailing | Bucket::Unchanged => true,
        Bucket::NotReplayed | Bucket::New | Bucket::NoAnswer => false,
    };
    // Both sides have answers, of which no word would be true of each run, or of which none is a success.
    let merged = answered && (review || a.len() > 1 || b.len() > 1);
    Pair {
        key: key.to_owned(),
        role,
        phase,
        bucket: (!merged).then_some(bucket),
        differs: verdict_changed || bucket != Bucket::Unchanged && !(review && answered),
        review,
        verdict_changed,
        a,
        b,
    }
}

/// A succeeds where at least half of its answers do. B succeeds where more than half do; where exactly half do, it
/// counts as A does, so that a tie is never news.
fn bucket(a: &[Option<Work>], b: &[Option<Work>]) -> Bucket {
    let there = |side: &[Option<Work>]| side.iter().any(Option::is_some);
    match (there(a), there(b)) {
        (true, false) => return Bucket::NotReplayed,
        (false, true) => return Bucket::New,
        (false, false) => return Bucket::NoAnswer,
        (true, true) => {}
    }
    let ((good_a, all_a), (good_b, all_b)) = (Pair::tally(a), Pair::tally(b));
    if all_a == 0 || all_b == 0 {
        return Bucket::NoAnswer;
    }
    let a = good_a * 2 >= all_a;
    let b = match (good_b * 2).cmp(&all_b) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Equal => a,
        std::cmp::Ordering::Greater => true,
    };
    match (a, b) {
        (true, true) => Bucket::Unchanged,
        (true, false) => Bucket::Regressed,
        (false, true) => Bucket::Fixed,
        (false, false) => Bucket::StillFailing,
    }
}

/// The outcome of a side for a pair: the one of the majority of its runs.
fn said(side: &[Option<Work>]) -> TestOutcome {
    majority(side.iter().flatten().map(|one| one.verdict))
}

/// The outcome that more runs have than have the other; `Unknown` for a tie.
pub(super) fn majority(outcomes: impl Iterator<Item = TestOutcome>) -> TestOutcome {
    let (mut pass, mut fail) = (0, 0);
    for outcome in outcomes {
        match outcome {
            TestOutcome::Pass => pass += 1,
            TestOutcome::Fail => fail += 1,
            TestOutcome::Unknown => {}
        }
    }
    match pass.cmp(&fail) {
        std::cmp::Ordering::Greater => TestOutcome::Pass,
        std::cmp::Ordering::Less => TestOutcome::Fail,
        std::cmp::Ordering::Equal => TestOutcome::Unknown,
    }
}

/// The first difference of the sides: the first pair with another outcome, else the first with another summary. Work
/// before the point from which B ran does not count.
pub(super) fn divergence(pairs: &[Pair], from: Option<u64>) -> Option<usize> {
    let first = |parts: fn(&Pair) -> bool| {
        let mut pairs = pairs.iter();
        pairs.position(|pair| is_behind(&pair.key, from) && parts(pair))
    };
    first(parts).or_else(|| first(Pair::differs_in_summary))
}

/// Whether a pair comes after the point from which B ran: new work does, and everything where there is none.
pub(super) fn is_behind(key: &str, from: Option<u64>) -> bool {
    match (key.parse::<u64>(), from) {
        (Ok(seq), Some(from)) => seq >= from,
        _ => true,
    }
}

fn parts(pair: &Pair) -> bool {
    if let ([Some(a)], [Some(b)]) = (pair.a.as_slice(), pair.b.as_slice()) {
        return a.status != b.status || a.verdict != b.verdict;
    }
    // The summaries of several runs always differ, so only their outcome counts.
    pair.verdict_changed
        || pair.differs && bucket(&pair.a, &pair.b) != Bucket::StillFailing
        || !same_statuses(pair)
}

/// Whether both sides ended equally often in each way: of several runs most may be alike while others differ.
pub(super) fn ended_alike(pair: &Pair) -> bool {
    let (a, b) = (pair.a.as_slice(), pair.b.as_slice());
    let end = |one: &Option<Work>| one.as_ref().map(|work| (work.status, work.verdict));
    let often = |side: &[Option<Work>], wanted: &Option<Work>| {
        side.iter().filter(|one| end(one) == end(wanted)).count()
    };
    let mut all = a.iter().chain(b);
    all.all(|one| often(a, one) * b.len() == often(b, one) * a.len())
}

/// Whether both sides ended alike, run for run, as far as they have answers.
fn same_statuses(pair: &Pair) -> bool {
    let of = |side: &[Option<Work>]| -> HashSet<WorkStatus> {
        side.iter().flatten().map(|one| one.status).collect()
    };
    of(&pair.a) == of(&pair.b)
}

#[cfg(test)]
mod tests;
