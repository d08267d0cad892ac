//! The resume points of a build, and which one is recommended. `recover::resume_points` decides which of them is
//! offered first; see [the format](crate::docs::formats::crucible).

mod boundaries;
mod discarded;
mod dry_run;
mod equivalent;
mod handoff;
mod intent;
mod recommend;
mod state_block;

use std::collections::BTreeSet;

use super::facts::marks::{self, FIXED, Marks, Position, WAVES};
use super::facts::phase_order::Rank;
use super::facts::stores::{self, Saved};
use super::facts::work::{Unit, UnitState};
use super::facts::{Run, RunKind, waves};
use super::shape::manifest::Entry;
use crate::model::{PointId, Stamp};
use crate::world::World;

pub(crate) use boundaries::boundaries;
pub(crate) use discarded::{not_restored, resumed};
pub(crate) use dry_run::report;
pub(crate) use equivalent::Equivalent;
pub(crate) use handoff::handoff;
pub(crate) use intent::{guards, intent, without_project};

/// A boundary of a build at which a checkpoint is taken.
#[derive(Debug, Clone)]
pub(crate) struct Stop {
    pub(crate) id: String,
    pub(crate) label: String,
    pub(crate) phase: &'static str,
    pub(crate) rank: Rank,
    /// The possible reasons of its checkpoint; different versions use different ones.
    pub(crate) reasons: Vec<String>,
    /// Its position in the phase.
    pub(crate) position: Position,
    /// The checkpoint to restore.
    pub(crate) saved: Option<Saved>,
    /// If that checkpoint was taken for another boundary, why it has the same files.
    pub(crate) equivalent: Option<Equivalent>,
}

/// All boundaries a build may have, in order: every wave that a checkpoint was taken for or that the decisions
/// log names, and always the first.
pub(crate) fn stops(run: &Run, world: &dyn World) -> Vec<Stop> {
    let all = bare_stops(run).into_iter();
    all.map(|stop| stop.with_checkpoint(run, world)).collect()
}

/// The same without their checkpoints, each of which takes a look at every dispatch.
fn bare_stops(run: &Run) -> Vec<Stop> {
    let saved = run.saved.iter().filter_map(|s| stores::wave(&s.reason));
    let waves: BTreeSet<u64> = saved.chain(run.grouping.waves()).chain([1]).collect();
    let stop = |id: String, label: String, phase: &'static str, reasons, position| Stop {
        id,
        label,
        phase,
        rank: (phase.parse().unwrap_or(0), 0),
        reasons,
        position,
        saved: None,
        equivalent: None,
    };
    let waves = waves.into_iter().map(|wave| {
        let position = match wave {
            1 => Position::Start,
            _ => Position::Within(wave),
        };
        let (id, label) = (format!("wave-{wave}"), format!("Wave {wave} of phase 3"));
        stop(id, label, "3", vec![format!("pre-wave-{wave}")], position)
    });
    let fixed = FIXED.iter().map(|fixed| {
        let (id, label, phase, position, _, reasons) = *fixed;
        let reasons = reasons.iter().map(|it| (*it).to_owned()).collect();
        stop(id.to_owned(), label.to_owned(), phase, reasons, position)
    });
    let before = fixed.clone().take(WAVES);
    before.chain(waves).chain(fixed.skip(WAVES)).collect()
}

/// The commits of the project that replace missing checkpoints of boundaries, oldest first.
pub(crate) fn commits(run: &Run, world: &dyn World) -> Vec<Saved> {
    let saved = stops(run, world).into_iter().filter_map(|stop| stop.saved);
    stores::oldest_first(saved.filter(|saved| saved.of_project))
}

impl Stop {
    fn with_checkpoint(mut self, run: &Run, world: &dyn World) -> Self {
        self.saved = stores::newest(&run.saved, &self.reasons).cloned();
        if self.saved.is_none() {
            (self.saved, self.equivalent) = equivalent::find(run, &self, world).unzip();
        }
        self
    }

    /// Its checkpoint, where the run entered an earlier boundary again after it was taken.
    pub(crate) fn outdated(&self, run: &Run) -> Option<&Saved> {
        let saved = self.own_checkpoint();
        saved.filter(|saved| Marks::of(run).is_outdated(saved))
    }

    /// Its own checkpoint, which proves that the run reached it.
    fn own_checkpoint(&self) -> Option<&Saved> {
        self.saved.as_ref().filter(|_| self.equivalent.is_none())
    }

    /// The wave that starts here.
    pub(crate) fn wave(&self) -> Option<u64> {
        self.reasons.iter().find_map(|reason| stores::wave(reason))
    }
}

/// The work that runs again from a point.
pub(crate) enum Redo {
    /// Everything.
    All,
    /// Only open work.
    Open,
    /// Open work, later phases, and in one phase the work after the boundary.
    After {
        /// Whether a checkpoint is restored, which has the work before it that was discarded meanwhile.
        restores: bool,
        /// The phase.
        rank: Rank,
        /// The position of the boundary in it.
        cut: Cut,
    },
}

/// The position of a boundary among the dispatches of its phase.
pub(crate) enum Cut {
    /// Dispatches begun after the boundary was passed; of those without a time, those from this seq on.
    Passed(Vec<(Stamp, bool)>, u64),
    /// Dispatches from this seq on; the whole phase from 0.
    From(u64),
}

impl Redo {
    /// The work that runs again from a boundary of a build.
    pub(crate) fn after(run: &Run, stop: &Stop) -> Self {
        let cut = match (stop.position, &stop.saved, &stop.equivalent) {
            (Position::Start, ..) => Cut::From(0),
            (Position::Within(_), Some(saved), None) => passed(run, stop, saved),
            (Position::Within(_), Some(_), Some(same)) => match same.began {
                Some(began) => passed_at(run, stop, vec![(began, true)]),
                None => Cut::From(u64::MAX),
            },
            (Position::Within(_), None, _) => Cut::From(u64::MAX),
            (Position::Before(_), Some(saved), None) if !run.files.clock.is_empty() => {
                passed(run, stop, saved)
            }
            (Position::Before(kind), ..) => {
                Cut::From(first(run, stop, |entry| kind(run.role(entry))))
            }
        };
        Self::After {
            restores: stop.saved.is_some(),
            rank: stop.rank,
            cut,
        }
    }

    /// True if this unit runs again.
    pub(crate) fn takes(&self, run: &Run, unit: Unit, entry: &Entry) -> bool {
        let is_open = match (unit.state, self) {
            (UnitState::Discarded, Self::After { restores, .. }) => !restores,
            (UnitState::Discarded, Self::All | Self::Open) | (UnitState::Open, _) => true,
            (UnitState::Undone, _) => return false,
            (UnitState::Done | UnitState::Superseded | UnitState::Experiment, _) => false,
        };
        matches!(self, Self::All) || is_open || self.is_after(run, unit, entry)
    }

    /// Whether a unit is after the boundary, whatever its outcome.
    pub(crate) fn is_after(&self, run: &Run, unit: Unit, entry: &Entry) -> bool {
        let Self::After { rank, cut, .. } = self else {
            return false;
        };
        let own = run.rank_of(unit).unwrap_or_default();
        own > *rank
            || (own == *rank
                && match cut {
                    Cut::From(seq) => entry.seq >= *seq,
                    Cut::Passed(passages, seq) => run
                        .start_of(entry)
                        .map_or(entry.seq >= *seq, |start| is_passed(passages, start)),
                })
    }
}

/// By the checkpoints of a boundary. What began after the one to restore is not in it, whatever it belongs to.
fn passed(run: &Run, stop: &Stop, saved: &Saved) -> Cut {
    let order = marks::order(&saved.reason);
    let mut passages = order.map_or_else(Vec::new, |order| Marks::of(run).passages(order));
    passages.retain(|(at, _)| *at < saved.at);
    passages.push((saved.at, true));
    passed_at(run, stop, passages)
}

fn passed_at(run: &Run, stop: &Stop, passages: Vec<(Stamp, bool)>) -> Cut {
    let begun = |entry: &Entry| {
        let start = run.start_of(entry);
        start.is_some_and(|start| is_passed(&passages, start))
    };
    let first = first(run, stop, begun);
    Cut::Passed(passages, first)
}

/// Whether a boundary had been passed at a moment, and no earlier one was entered again.
fn is_passed(passages: &[(Stamp, bool)], moment: Stamp) -> bool {
    let last = passages.iter().rfind(|(at, _)| *at <= moment);
    last.is_some_and(|(_, passed)| *passed)
}

/// The first seq in a boundary's phase that fits; if none does, the highest possible.
fn first(run: &Run, stop: &Stop, fits: impl Fn(&Entry) -> bool) -> u64 {
    let own = run.counted_in(stop.rank).map(|(_, entry)| entry);
    let mut fitting = own.filter(|entry| fits(entry));
    fitting.next().map_or(u64::MAX, |entry| entry.seq)
}

/// Whether phase 4 has dispatches of a kind, and something is true of all of them.
fn all_in_completion(run: &Run, kind: fn(&str) -> bool, is: impl Fn(Unit, &Entry) -> bool) -> bool {
    let own = run.counted_in((4, 0));
    let mut own = own.filter(|(_, entry)| kind(run.role(entry))).peekable();
    own.peek().is_some() && own.all(|(unit, entry)| is(unit, entry))
}

/// How many dispatches of earlier phases began after the checkpoint of a boundary, as far as times are known.
fn begun_since(run: &Run, stop: &Stop) -> usize {
    let Some(saved) = &stop.saved else { return 0 };
    let is_later = |entry| run.start_of(entry).is_some_and(|at| at > saved.at);
    let is_earlier = |unit| run.rank_of(unit).is_some_and(|rank| rank < stop.rank);
    let lost = run
        .counted()
        .filter(|(unit, entry)| is_earlier(*unit) && is_later(entry));
    lost.count()
}

/// The work that runs again from a point; `None` for an unknown point.
pub(crate) fn redo_of(
    run: &Run,
    point: &PointId,
    world: &dyn World,
) -> Option<(Redo, Option<Stop>)> {
    match point.0.as_str() {
        "disk" => Some((Redo::Open, None)),
        "fresh" => Some((Redo::All, None)),
        id => {
            let stop = bare_stops(run).into_iter().find(|stop| stop.id == id)?;
            let stop = stop.with_checkpoint(run, world);
            Some((Redo::after(run, &stop), Some(stop)))
        }
    }
}

/// The boundary that contains a dispatch: its wave if waves are known, else its phase. For a wave without a checkpoint,
/// the nearest earlier one with a checkpoint.
pub(crate) fn boundary_of_seq(run: &Run, seq: u64) -> Option<PointId> {
    let (unit, entry) = run.unit(seq)?;
    let facts = run.work.phase_of(unit)?;
    let has_points = run.is_build() && run.kind != RunKind::Eval;
    let id = match (has_points, facts.name.rank.0) {
        (true, 2) => "phase-2".to_owned(),
        (true, 3) => {
            let wave = waves::of_entry(run, unit, entry).unwrap_or(1);
            let saved = run.saved.iter().filter_map(|it| stores::wave(&it.reason));
            format!("wave-{}", saved.filter(|at| *at <= wave).max().unwrap_or(1))
        }
        (true, 4) => "phase-4".to_owned(),
        _ => "fresh".to_owned(),
    };
    Some(PointId(id))
}

/// How many ranges of dispatch numbers a prompt has; the briefing lists every dispatch.
const RANGES: usize = 12;

/// Dispatches in a sentence, as ranges of numbers; `None` where there are none.
fn named(seqs: &BTreeSet<u64>) -> Option<String> {
    let ranges = ranges(seqs);
    let named: Vec<&str> = ranges.iter().take(RANGES).map(String::as_str).collect();
    let named = named.join(", ");
    match (seqs.len(), ranges.len().saturating_sub(RANGES)) {
        (0, _) => None,
        (1, _) => Some(format!("dispatch {named}")),
        (_, 0) => Some(format!("dispatches {named}")),
        (all, _) => Some(format!(
            "{all} dispatches, beginning with {named}; the briefing lists them all"
        )),
    }
}

/// Numbers as ranges: `3`, `5-7`.
fn ranges(numbers: &BTreeSet<u64>) -> Vec<String> {
    let numbers: Vec<u64> = numbers.iter().copied().collect();
    let runs = numbers.chunk_by(|one, next| one.checked_add(1) == Some(*next));
    let range = |run: &[u64]| match run {
        [first, .., last] => format!("{first}-{last}"),
        [] | [_] => run.iter().map(u64::to_string).collect(),
    };
    runs.map(range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_ranges() {
        let table: [(&[u64], &[&str]); 4] = [
            (&[], &[]),
            (&[3], &["3"]),
            (&[3, 4, 5, 9], &["3-5", "9"]),
            (
                &[u64::MAX - 1, u64::MAX],
                &["18446744073709551614-18446744073709551615"],
            ),
        ];
        for (numbers, want) in table {
            assert_eq!(ranges(&numbers.iter().copied().collect()), want);
        }
    }
}
