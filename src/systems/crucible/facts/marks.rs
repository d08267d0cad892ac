//! The boundaries that a build passed, by the checkpoints taken at them. A run that resumes takes the checkpoint of its
//! boundary again, so a boundary is known by its reason and never by the time of its newest checkpoint alone: what
//! began after an earlier checkpoint of the same reason comes after that boundary too.

use super::Run;
use super::stores::{self, Saved};
use crate::model::Stamp;

/// Where a boundary is among all of a build: its place, and the wave.
pub(crate) type Order = (u8, u64);

/// The place of all waves.
const WAVES: u8 = 2;

/// The boundaries outside the waves: the reason of the checkpoint that is taken there, the phase, the place among all.
const FIXED: [(&str, &str, u8); 6] = [
    ("pre-design-gate", "1", 0),
    ("pre-plan-gate", "2", 1),
    ("pre-code-review", "4", 3),
    ("pre-temper", "4", 3),
    ("pre-inquisitor", "4", 4),
    ("pre-impl-gate", "4", 5),
];

/// The phase and the place of the boundary that a checkpoint with this reason is taken at. All others are only restored
/// by hand.
pub(crate) fn boundary(reason: &str) -> Option<(&'static str, Order)> {
    if let Some(wave) = stores::wave(reason) {
        return Some(("3", (WAVES, wave)));
    }
    let mut fixed = FIXED.iter();
    let fixed = fixed.find(|(wanted, ..)| stores::is_reason(reason, wanted));
    fixed.map(|(_, phase, place)| (*phase, (*place, 0)))
}

/// The place of the boundary with this reason.
pub(crate) fn order(reason: &str) -> Option<Order> {
    boundary(reason).map(|(_, order)| order)
}

/// True for exactly the reasons of the boundaries between phases and waves. Other checkpoints of the skills (rounds of a
/// gate, cleanups) are never boundaries.
pub(crate) fn is_boundary(reason: &str) -> bool {
    FIXED.iter().any(|(fixed, ..)| *fixed == reason)
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
