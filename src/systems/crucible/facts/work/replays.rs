//! Which entries are replays of others, and which replays replace the entries that they run again.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::systems::crucible::shape::{Entry, Manifest, Sym};

/// Replay sessions that swapped a template: experiments, which replace nothing.
pub(crate) fn mutated_sessions(manifest: &Manifest) -> BTreeSet<Sym> {
    let entries = manifest.entries.iter();
    let mutated = entries.filter(|entry| manifest.mutation(entry) != Sym::NONE);
    let sessions = mutated.map(|entry| manifest.session(entry));
    sessions.filter(|session| *session != Sym::NONE).collect()
}

pub(crate) fn is_experiment(manifest: &Manifest, entry: &Entry, sessions: &BTreeSet<Sym>) -> bool {
    manifest.mutation(entry) != Sym::NONE || sessions.contains(&manifest.session(entry))
}

/// The seqs that another entry replaces: entries that ran again, and every replay of one seq but the newest. Cyclic
/// links replace nothing, and only entries of the run itself replace others.
pub(crate) fn superseded(
    manifest: &Manifest,
    own: &dyn Fn(&Entry) -> bool,
    cycles: &mut Vec<u64>,
) -> BTreeSet<u64> {
    let entries = manifest.entries.iter();
    let own = entries.filter(|entry| own(entry));
    let of = own.filter_map(|entry| Some((entry.seq, manifest.replay_of(entry)?)));
    let of: BTreeMap<u64, u64> = of.collect();
    *cycles = circular(&of);
    let mut newest: BTreeMap<u64, u64> = BTreeMap::new();
    let mut gone = BTreeSet::new();
    for (seq, target) in &of {
        if cycles.binary_search(seq).is_ok() {
            continue;
        }
        gone.insert(*target);
        gone.extend(newest.insert(*target, *seq));
    }
    gone
}

/// The seqs on a cycle of links, sorted. Each seq has at most one link, so one walk over all is enough.
fn circular(of: &BTreeMap<u64, u64>) -> Vec<u64> {
    let mut walk_of: HashMap<u64, u64> = HashMap::new();
    let mut found = Vec::new();
    for start in of.keys() {
        let mut at = *start;
        let mut path = Vec::new();
        while let Some(next) = of.get(&at) {
            if let Some(walk) = walk_of.get(&at) {
                if walk == start {
                    found.extend(path.iter().skip_while(|seq| **seq != at));
                }
                break;
            }
            walk_of.insert(at, *start);
            path.push(at);
            at = *next;
        }
    }
    found.sort_unstable();
    found
}
