//! relight's own resume at a boundary, or restore of a checkpoint's files. Crucible's files do not say that the work after it was discarded: the manifest
//! still calls it completed, and the marker, the hand-offs and the gate ledger name the phases that it had reached.

use std::collections::BTreeSet;

use chrono::SubsecRound as _;

use super::Run;
use super::marks::Order;
use super::phase_order::{PhaseName, Rank};
use crate::model::{Foreign, Place, RestoredFiles, Stamp};
use crate::systems::crucible::shape::sniff::place_of;
use crate::world::World;

/// The latest resume that holds.
#[derive(Debug, Clone)]
pub(crate) struct Resumed {
    /// The point; `disk` where the files are those of no boundary.
    pub(crate) id: String,
    /// The checkpoint, where only its files were restored and nothing was resumed.
    pub(crate) restored: Option<RestoredFiles>,
    /// Its phase.
    pub(crate) phase: PhaseName,
    /// Its place among the boundaries, which was passed once more by this.
    pub(crate) order: Option<Order>,
    pub(crate) at: Stamp,
    /// The dispatches whose work it discarded.
    pub(crate) discarded: BTreeSet<u64>,
    pub(crate) newer: Newer,
    /// Where the run had stopped before.
    pub(crate) stopped: Option<Foreign>,
}

/// Which records were written after the resume, and so are about the run as it is now.
#[derive(Debug, Clone)]
pub(crate) struct Newer {
    pub(crate) marker: bool,
    pub(crate) ledger: bool,
    /// Any record, dispatch or checkpoint.
    pub(crate) any: bool,
    /// Commits on the run's branch, which are no record of crucible's: they say that work was done, and not which.
    pub(crate) commits: usize,
    /// Files that are no longer as the resume left them, which say as much. Not read where a record or a commit does.
    pub(crate) edited: Vec<Foreign>,
}

impl Newer {
    /// The records of a run that are newer than a moment; `grew` says whether a manifest is.
    pub(crate) fn than(at: Stamp, grew: bool, run: &Run, world: &dyn World) -> Self {
        let is_newer = |place: Option<Place>| {
            let written = place.and_then(|one| world.files().modified(&one));
            let written = written.map(Stamp::utc).filter(|written| *written > at);
            written.is_some_and(|written| !run.undone.wrote(written))
        };
        let marker = run.sources.marker.as_ref();
        let marker = is_newer(marker.and_then(|(_, path)| place_of(world, path)));
        let ledger = run.documents.ledger.as_ref();
        let commits = run.commits(world).unwrap_or_default().iter();
        Self {
            commits: commits.filter(|it| Stamp::utc(it.time) > at).count(),
            edited: Vec::new(),
            marker,
            ledger: is_newer(ledger.and_then(|doc| place_of(world, &doc.file))),
            any: marker
                || grew
                || run
                    .starts()
                    .any(|(_, began)| is_after(began, at) && !run.undone.holds(began))
                || run.saved.iter().any(|saved| saved.at > at),
        }
    }
}

/// Whether a dispatch began after a resume. Headers have whole seconds, and nothing begins right before a resume, which
/// waits until the run is quiet.
pub(crate) fn is_after(began: Stamp, resumed: Stamp) -> bool {
    began.at >= resumed.at.trunc_subsecs(0)
}

/// Whether a manifest of a run was written after a moment.
pub(crate) fn manifest_grew(at: Stamp, run: &Run, world: &dyn World) -> bool {
    let mut manifests = run.sources.manifests(world).into_iter();
    manifests.any(|place| {
        let written = world.files().modified(&place).map(Stamp::utc);
        written.is_some_and(|written| written > at && !run.undone.wrote(written))
    })
}

/// Whether a file was written after a moment.
pub(crate) fn is_newer(place: &Place, at: Stamp, world: &dyn World) -> bool {
    let written = world.files().modified(place);
    written.is_some_and(|written| Stamp::utc(written) > at)
}

impl Resumed {
    /// The phase that the marker stands for: an older marker names the phase that was discarded.
    pub(super) fn marker(&self, marker: Option<PhaseName>) -> Option<PhaseName> {
        let is_discarded = |named: &PhaseName| !self.newer.marker && named.rank > self.phase.rank;
        marker.map(|named| {
            if is_discarded(&named) {
                self.phase.clone()
            } else {
                named
            }
        })
    }

    /// Whether a record that says that the run left a phase still holds.
    pub(super) fn leaves(&self, phase: Rank, is_newer: bool) -> bool {
        is_newer || phase < self.phase.rank
    }
}
