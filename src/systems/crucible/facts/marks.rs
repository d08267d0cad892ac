//! The boundaries that a build passed, by the checkpoints taken at them. A run that resumes takes the checkpoint of its
//! boundary again, so a boundary is known by its reason and never by the time of its newest checkpoint alone: what
//! began after an earlier checkpoint of the same reason comes after that boundary too.

use super::Run;
use super::roles::{is_gate, is_inquisitor};
use super::stores::{self, Saved};
use crate::model::Stamp;

use Position::{Before, Start};

/// Where a boundary is among all of a build: its place, and the wave.
pub(crate) type Order = (usize, u64);

/// The place of all waves.
pub(crate) const WAVES: usize = 2;

/// The position of a boundary in its phase.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Position {
    /// At its start.
    Start,
    /// Before this wave, by the checkpoint's time.
    Within(u64),
    /// Before the first work of this kind.
    Before(fn(&str) -> bool),
}

/// A boundary outside the waves: its id, its label, the phase that it belongs to and its position there, the phase in
/// which its checkpoint is taken, and the reasons of that; different versions use different ones.
type Fixed = (
    &'static str,
    &'static str,
    &'static str,
    Position,
    &'static str,
    &'static [&'static str],
);

/// The boundaries outside the waves, in order; the waves are before the one at their place.
#[rustfmt::skip]
pub(crate) const FIXED: [Fixed; 5] = [
    ("phase-2", "Phase 2, from before the design gate", "2", Start, "1", &["pre-design-gate"]),
    ("phase-2-gate", "Phase 2, at the plan gate", "2", Before(is_gate), "2", &["pre-plan-gate"]),
    ("phase-4", "Phase 4, before the code review", "4", Start, "4", &["pre-code-review", "pre-temper"]),
    ("phase-4-inquisitor", "Phase 4, before the inquisitor", "4", Before(is_inquisitor), "4", &["pre-inquisitor"]),
    ("phase-4-gate", "Phase 4, before the implementation gate", "4", Before(is_gate), "4", &["pre-impl-gate"]),
];

/// The phase and the place of the boundary that a checkpoint with this reason is taken at. All others are only restored
/// by hand.
pub(crate) fn boundary(reason: &str) -> Option<(&'static str, Order)> {
    if let Some(wave) = stores::wave(reason) {
        return Some(("3", (WAVES, wave)));
    }
    let is = |reasons: &[&str]| reasons.iter().any(|it| stores::is_reason(reason, it));
    let place = FIXED.iter().position(|(.., reasons)| is(reasons))?;
    let (.., phase, _) = FIXED.get(place)?;
    Some((phase, (place + usize::from(place >= WAVES), 0)))
}

/// The place of the boundary with this reason.
pub(crate) fn order(reason: &str) -> Option<Order> {
    boundary(reason).map(|(_, order)| order)
}

/// True for exactly the reasons of the boundaries between phases and waves. Other checkpoints of the skills (rounds of a
/// gate, cleanups) are never boundaries.
pub(crate) fn is_boundary(reason: &str) -> bool {
    FIXED.iter().any(|(.., reasons)| reasons.contains(&reason))
        || stores::wave(reason).is_some_and(|n| reason == format!("pre-wave-{n}"))
}

/// The boundaries of a run in the order in which they were passed.
pub(crate) struct Marks(Vec<(Stamp, Order)>);

impl Marks {
    /// From the checkpoints of a run, and from relight's own resume, which entered its boundary again.
    pub(crate) fn of(run: &Run) -> Self {
        let taken = run.saved.iter();
        let taken = taken.filter_map(|saved| Some((saved.at, order(&saved.reason)?)));
        let resumed = run.resumed.iter();
        let resumed = resumed.filter_map(|own| Some((own.at, own.order?)));
        let mut all: Vec<_> = taken.chain(resumed).collect();
        all.sort();
        Self(all)
    }

    /// The boundary that was passed last before a moment.
    pub(crate) fn at(&self, moment: Stamp) -> Option<Order> {
        let passed = self.0.iter().rfind(|(at, _)| *at <= moment);
        passed.map(|(_, order)| *order)
    }

    /// The wave that was entered last, which may be one that was entered before.
    pub(crate) fn last_wave(&self) -> Option<Order> {
        self.waves().next_back().map(|(_, wave)| (WAVES, wave))
    }

    /// The waves in the order in which they were entered, and when.
    pub(crate) fn waves(&self) -> impl DoubleEndedIterator<Item = (Stamp, u64)> {
        let waves = self.0.iter().filter(|(_, order)| order.0 == WAVES);
        waves.map(|(at, order)| (*at, order.1))
    }

    /// Whether a later wave than the one at this moment began after it. The first wave says nothing of what was
    /// before.
    pub(crate) fn wave_left(&self, moment: Stamp) -> bool {
        let own = self.at(moment);
        let mut after = self.0.iter().filter(|(at, _)| *at > moment);
        after.any(|(_, order)| order.0 == WAVES && order.1 > 1 && Some(*order) > own)
    }

    /// Whether an earlier boundary than that of a checkpoint was entered again after it was taken: its files are those of
    /// work that was discarded or ran again.
    pub(crate) fn is_outdated(&self, saved: &Saved) -> bool {
        let own = order(&saved.reason);
        let mut after = self.0.iter().filter(|(at, _)| *at > saved.at);
        own.is_some_and(|own| after.any(|(_, order)| *order < own))
    }

    /// When a boundary was passed, and when an earlier one was entered again; each only where it changes.
    pub(crate) fn passages(&self, boundary: Order) -> Vec<(Stamp, bool)> {
        let mut all: Vec<(Stamp, bool)> = Vec::new();
        for (at, order) in &self.0 {
            let after = *order >= boundary;
            if all.last().is_none_or(|(_, last)| *last != after) {
                all.push((*at, after));
            }
        }
        all
    }
}
