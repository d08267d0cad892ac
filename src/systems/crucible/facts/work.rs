//! Evaluates the dispatches of a run: which entry counts for a piece of work, which phases are finished, and which is
//! the current one.

mod replays;
mod retries;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use self::replays::{is_experiment, mutated_sessions, superseded};
use self::retries::{repeated, retried};
use super::phase_order::{self, PhaseName, Rank};
use crate::model::DispatchStatus;
use crate::systems::crucible::shape::{Entry, Manifest, Sym};

/// How an entry counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnitState {
    /// Nothing is left to do.
    Done,
    /// In flight, lost, or without success.
    Open,
    /// It was done, and then discarded by relight's own resume at an earlier point.
    Discarded,
    /// A later replay entry counts in its place.
    Superseded,
    /// Part of a replay with template mutations, which does not count for the run itself.
    Experiment,
    /// An undo of relight's own discarded it: the run is as if it had never begun.
    Undone,
}

/// One evaluated entry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unit {
    /// Index among [`Work::phases`].
    pub(crate) phase: usize,
    pub(crate) state: UnitState,
}

impl Unit {
    /// True for entries that count for the run.
    pub(crate) fn counts(self) -> bool {
        self.state == UnitState::Done || self.is_open()
    }

    /// True for entries whose work is not in the files, or not known to be.
    pub(crate) fn is_open(self) -> bool {
        matches!(self.state, UnitState::Open | UnitState::Discarded)
    }
}

/// One evaluated phase.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PhaseFacts {
    pub(crate) name: PhaseName,
    pub(crate) done: u64,
    pub(crate) total: u64,
    /// The recorded working time; `None` if none is recorded.
    pub(crate) duration_s: Option<u64>,
    /// Its lowest seq that counts.
    pub(crate) first_seq: Option<u64>,
    /// The evidence that the run left the phase, if any.
    pub(crate) crossed: Option<String>,
}

impl PhaseFacts {
    /// A phase without any facts.
    fn of(name: PhaseName) -> Self {
        Self {
            name,
            ..Self::default()
        }
    }

    /// True if it has no open work and there is evidence that the run left it.
    pub(crate) fn finished(&self) -> bool {
        self.done == self.total && self.crossed.is_some()
    }
}

/// Evidence outside the manifest that the run left a phase.
#[derive(Debug, Clone, Default)]
pub(crate) struct Crossings {
    /// The marker's phase, if the marker is this run's.
    pub(crate) marker: Option<PhaseName>,
    /// The latest phase in another record, and that record.
    pub(crate) reached: Option<(PhaseName, String)>,
    /// True if the manifest itself shows that its end is missing.
    pub(crate) cut: bool,
    /// Dispatches of a wave after which a later wave started. A wave starts only after the one before it has ended.
    pub(crate) earlier_waves: BTreeSet<u64>,
    /// Dispatches that began after the hand-off out of a phase was written: it cannot say that they ended.
    pub(crate) begun_after_handoff: BTreeSet<(Rank, u64)>,
    /// Phases that a fresh hand-off leaves, and the hand-off's name.
    pub(crate) handoffs: Vec<(Rank, String)>,
    /// Phases that passed in the gate ledger, and its entry.
    pub(crate) ledger: Vec<(Rank, String)>,
    /// Dispatches whose work relight's own resume discarded.
    pub(crate) discarded: BTreeSet<u64>,
    /// Dispatches that an undo of relight's own discarded.
    pub(crate) undone: BTreeSet<u64>,
}

/// The evaluation of a manifest.
#[derive(Debug, Default)]
pub(crate) struct Work {
    pub(crate) units: Vec<Unit>,
    pub(crate) phases: Vec<PhaseFacts>,
    /// Seqs whose `replay_of` leads back to themselves.
    pub(crate) cycles: Vec<u64>,
    /// Entries of experiments.
    pub(crate) experiments: u64,
    /// Labels that are in no table.
    pub(crate) strange_labels: Vec<String>,
    /// Dispatches that ended according to later records, although the manifest ends before their outcome.
    pub(crate) cut_off: Vec<u64>,
}

impl Work {
    /// Evaluates a manifest.
    pub(crate) fn of(manifest: &Manifest, skill: &str, crossings: &Crossings) -> Self {
        let mut work = Self::default();
        let experiments = mutated_sessions(manifest);
        let apart = |entry: &Entry| {
            if crossings.undone.contains(&entry.seq) {
                Some(UnitState::Undone)
            } else {
                is_experiment(manifest, entry, &experiments).then_some(UnitState::Experiment)
            }
        };
        let own = |entry: &Entry| apart(entry).is_none();
        let mut superseded = superseded(manifest, &own, &mut work.cycles);
        let labels = work.label(manifest, skill);
        let discarded = &crossings.discarded;
        superseded.extend(repeated(manifest, &labels, discarded, &own));
        let retried = retried(manifest, &labels, &superseded, own);
        let mut kept = vec![false; work.phases.len()];
        work.units.reserve(manifest.entries.len());
        for (entry, phase) in manifest.entries.iter().zip(labels) {
            let state = if let Some(apart) = apart(entry) {
                apart
            } else if superseded.contains(&entry.seq) {
                UnitState::Superseded
            } else if !is_done(entry) && !retried.contains(&entry.seq) {
                UnitState::Open
            } else if discarded.contains(&entry.seq) {
                UnitState::Discarded
            } else {
                UnitState::Done
            };
            work.count(entry, phase, state);
            let unit = Unit { phase, state };
            if let Some(kept) = kept.get_mut(phase) {
                *kept |= unit.counts() && !discarded.contains(&entry.seq);
            }
            work.units.push(unit);
        }
        work.cross(crossings, &kept);
        work.believe_later_records(manifest, crossings);
        work
    }

    /// Evaluates a run without a manifest by its other records.
    pub(crate) fn without_manifest(skill: &str, crossings: &Crossings) -> Self {
        let mut work = Self::default();
        work.phases
            .extend(phase_order::all(skill).into_iter().map(PhaseFacts::of));
        work.cross(crossings, &[]);
        work
    }

    /// The phase of each entry; null inherits from the next lower seq. Fills [`Self::phases`], in order.
    fn label(&mut self, manifest: &Manifest, skill: &str) -> Vec<usize> {
        let mut names: BTreeMap<PhaseName, usize> = BTreeMap::new();
        let mut add = |name: PhaseName| {
            let next = names.len();
            *names.entry(name).or_insert(next)
        };
        for name in phase_order::all(skill) {
            add(name);
        }
        let mut by_sym: HashMap<Sym, (usize, Rank)> = HashMap::new();
        let mut last: Option<(usize, Rank)> = None;
        let mut labels = Vec::with_capacity(manifest.entries.len());
        for entry in &manifest.entries {
            if let Some(text) = manifest.word(entry.phase) {
                let found = *by_sym.entry(entry.phase).or_insert_with(|| {
                    let name = phase_order::understand(skill, text).unwrap_or_else(|| {
                        self.strange_labels.push(text.to_owned());
                        phase_order::unknown(text, last.map_or((0, 0), |(_, rank)| rank), entry.seq)
                    });
                    let rank = name.rank;
                    (add(name), rank)
                });
                last = Some(found);
            }
            labels.push(last.map(|(at, _)| at));
        }
        let first = labels.contains(&None).then(|| {
            let first = phase_order::all(skill).into_iter().next();
            add(first.unwrap_or_else(|| phase_order::unknown("?", (0, 0), 0)))
        });
        // Map the order of first occurrence to the order of phases.
        let mut places = vec![0; names.len()];
        for (new, (name, old)) in names.into_iter().enumerate() {
            if let Some(place) = places.get_mut(old) {
                *place = new;
            }
            self.phases.push(PhaseFacts::of(name));
        }
        let place = |label: Option<usize>| places.get(label.or(first)?).copied();
        let labels = labels.into_iter();
        labels.map(|label| place(label).unwrap_or(0)).collect()
    }

    fn count(&mut self, entry: &Entry, phase: usize, state: UnitState) {
        match state {
            UnitState::Experiment => self.experiments += 1,
            UnitState::Superseded | UnitState::Undone => {}
            UnitState::Done | UnitState::Open | UnitState::Discarded => {
                if let Some(facts) = self.phases.get_mut(phase) {
                    facts.total += 1;
                    facts.done += u64::from(state == UnitState::Done);
                    let took = facts.duration_s.into_iter().chain(entry.duration_s());
                    facts.duration_s = took.reduce(|all, one| all + one);
                    facts.first_seq.get_or_insert(entry.seq);
                }
            }
        }
    }

    /// Collects the evidence that each phase was left. `kept` are the phases with a dispatch that was not discarded.
    fn cross(&mut self, crossings: &Crossings, kept: &[bool]) {
        let mut later: Option<String> = None;
        for (phase, facts) in self.phases.iter_mut().enumerate().rev() {
            let rank = facts.name.rank;
            let marker = crossings.marker.as_ref().filter(|m| m.rank > rank);
            let reached = crossings.reached.as_ref().filter(|(p, _)| p.rank > rank);
            let named = |list: &[(Rank, String)]| {
                let own = list.iter().find(|(of, _)| *of == rank);
                own.map(|(_, text)| text.clone())
            };
            facts.crossed = later
                .as_ref()
                .map(|base| format!("there are dispatches of phase {base}"))
                .or_else(|| marker.map(|m| format!("the marker is at phase {}", m.base)))
                .or_else(|| named(&crossings.handoffs))
                .or_else(|| named(&crossings.ledger))
                .or_else(|| reached.map(|(_, text)| text.clone()));
            if kept.get(phase) == Some(&true) {
                later = Some(facts.name.base.clone());
            }
        }
    }

    /// Closes dispatches whose outcome was cut off. If the manifest ends early in a phase or wave that later records
    /// show was left, its open dispatches ended and only the lines that recorded it are lost: a truncated log does not
    /// undo later work.
    ///
    /// The marker and the checkpoints of later waves count only if the manifest itself shows that it was truncated: the
    /// marker may be written too early, and a dispatch may be lost without its wave waiting for it.
    fn believe_later_records(&mut self, manifest: &Manifest, crossings: &Crossings) {
        let Some(last) = self.phases.iter().rposition(|facts| facts.total > 0) else {
            return;
        };
        let Some(facts) = self.phases.get_mut(last) else {
            return;
        };
        let mut passed = crossings.handoffs.iter().chain(&crossings.ledger);
        let passed = crossings.cut || passed.any(|(rank, _)| *rank == facts.name.rank);
        let phase_left = facts.crossed.is_some() && passed;
        for (unit, entry) in self.units.iter_mut().zip(&manifest.entries) {
            let discarded = crossings.discarded.contains(&entry.seq);
            let open = unit.state == UnitState::Open
                && entry.status == DispatchStatus::Dispatched
                && !discarded;
            let wave_left = crossings.cut && crossings.earlier_waves.contains(&entry.seq);
            let begun = (facts.name.rank, entry.seq);
            let phase_left = phase_left && !crossings.begun_after_handoff.contains(&begun);
            if unit.phase == last && open && (phase_left || wave_left) {
                unit.state = UnitState::Done;
                facts.done += 1;
                self.cut_off.push(entry.seq);
            }
        }
    }

    /// Whether a dispatch counts as ended by later records alone.
    pub(crate) fn is_cut_off(&self, seq: u64) -> bool {
        self.cut_off.binary_search(&seq).is_ok()
    }

    /// The phase of a unit.
    pub(crate) fn phase_of(&self, unit: Unit) -> Option<&PhaseFacts> {
        self.phases.get(unit.phase)
    }

    /// Whether a unit belongs to the phase of this rank.
    pub(crate) fn is_in(&self, unit: Unit, rank: Rank) -> bool {
        let facts = self.phase_of(unit);
        facts.is_some_and(|facts| facts.name.rank == rank)
    }

    /// The first phase that is not finished.
    pub(crate) fn current(&self) -> Option<&PhaseFacts> {
        self.phases.iter().find(|facts| !facts.finished())
    }

    /// Phases that the run left with open work.
    pub(crate) fn with_open_work(&self) -> impl Iterator<Item = &PhaseFacts> {
        let is_open = |facts: &&PhaseFacts| facts.done < facts.total && facts.crossed.is_some();
        self.phases.iter().filter(is_open)
    }

    /// The units that count for the run, each with its entry.
    pub(crate) fn counted<'a>(
        &'a self,
        manifest: &'a Manifest,
    ) -> impl Iterator<Item = (Unit, &'a Entry)> {
        let all = self.units.iter().copied().zip(&manifest.entries);
        all.filter(|(unit, _)| unit.counts())
    }
}

fn is_done(entry: &Entry) -> bool {
    use DispatchStatus::{Completed, Skipped};
    matches!(entry.status, Completed | Skipped)
}

/// Whether a dispatch ended without success.
pub(crate) fn is_failure(entry: &Entry) -> bool {
    matches!(entry.status, DispatchStatus::Failed | DispatchStatus::Error)
}

#[cfg(test)]
mod tests;
