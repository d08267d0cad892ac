//! Which dispatches are further attempts at work that failed or was discarded.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::is_failure;
use crate::model::DispatchStatus;
use crate::systems::crucible::shape::{Entry, Manifest, Sym};

/// Two entries with the same values may be attempts at the same work.
type Work = (usize, Sym, Sym);

fn work((entry, phase): (&Entry, &usize)) -> Work {
    (*phase, entry.role, entry.task)
}

/// How many pieces of work an attempt repeats: two dispatches of one task are the same work, but without a task they may
/// have run in parallel with different instructions.
fn most(task: Sym) -> usize {
    if task == Sym::NONE { 1 } else { usize::MAX }
}

/// The discarded dispatches whose work was begun again.
pub(super) fn repeated(
    manifest: &Manifest,
    labels: &[usize],
    discarded: &BTreeSet<u64>,
    own: &dyn Fn(&Entry) -> bool,
) -> Vec<u64> {
    let entries = || manifest.entries.iter().zip(labels);
    let Some(newest) = discarded.last() else {
        return Vec::new();
    };
    let mut again: HashMap<Work, usize> = HashMap::new();
    for one in entries().filter(|(entry, _)| entry.seq > *newest && own(entry)) {
        let left = again.entry(work(one)).or_default();
        *left = left.saturating_add(most(one.0.task));
    }
    let gone = entries().filter(|(entry, _)| discarded.contains(&entry.seq));
    gone.filter(|one| {
        let left = again.get_mut(&work(*one)).filter(|left| **left > 0);
        left.map(|left| *left -= 1).is_some()
    })
    .map(|(entry, _)| entry.seq)
    .collect()
}

/// The failures after which a later attempt at the same work succeeded. A dispatch that was sent before the failure was
/// recorded is other work.
pub(super) fn retried(
    manifest: &Manifest,
    labels: &[usize],
    superseded: &BTreeSet<u64>,
    own: impl Fn(&Entry) -> bool,
) -> HashSet<u64> {
    let entries = || manifest.entries.iter().zip(labels);
    let counts = |entry: &Entry| own(entry) && !superseded.contains(&entry.seq);
    let failed = entries().filter(|(entry, _)| is_failure(entry) && counts(entry));
    // The failures of each piece of work that nothing repeats yet, by the row that records them.
    let mut open: HashMap<Work, BTreeMap<u32, u64>> = HashMap::new();
    for one in failed {
        let failures = open.entry(work(one)).or_default();
        failures.insert(one.0.row, one.0.seq);
    }
    let mut attempts: Vec<(&Entry, Work)> = entries()
        .filter(|one| open.contains_key(&work(*one)) && own(one.0))
        .map(|one| (one.0, work(one)))
        .collect();
    attempts.sort_by_key(|(entry, _)| entry.begun);
    let mut repeats: HashMap<u64, Vec<u64>> = HashMap::new();
    for (entry, work) in &attempts {
        let Some(open) = open.get_mut(work) else {
            continue;
        };
        // One that says what it repeats repeats nothing else.
        let replay = manifest.replay_of(entry);
        let replayed = replay.and_then(|seq| manifest.entry(seq));
        for _ in 0..most(entry.task).min(open.len()) {
            let first = open.range(..entry.begun).next().map(|(row, _)| *row);
            let row = match replay {
                Some(_) => replayed.map(|of| of.row),
                None => first,
            };
            let Some(seq) = row.and_then(|row| open.remove(&row)) else {
                break;
            };
            repeats.entry(entry.seq).or_default().push(seq);
        }
    }
    // From the last attempt back, so that a failure knows whether its own repetition was repeated with success.
    let mut done = HashSet::new();
    for (entry, _) in attempts.iter().rev() {
        let is_done = done.contains(&entry.seq)
            || entry.status == DispatchStatus::Completed && !superseded.contains(&entry.seq);
        if is_done {
            done.extend(repeats.remove(&entry.seq).into_iter().flatten());
        }
    }
    done
}
