//! The work that an undo of relight's own discarded: crucible's files still call it completed, and the files of the
//! project are as they were before it.

use std::collections::BTreeSet;

use super::own_resume::{is_after, manifest_grew};
use super::{Run, Saved};
use crate::model::{Place, Stamp, UndoneWork};
use crate::systems::Candidate;
use crate::systems::crucible::shape::Entry;
use crate::systems::crucible::shape::sniff::place_of;
use crate::world::World;

/// What of a run tells of such work, and no longer counts.
#[derive(Debug, Default)]
pub(crate) struct Undone {
    times: Vec<(Stamp, Stamp)>,
    /// Whether the marker was last written then, so that where the run was is not known by it.
    pub(crate) marker: bool,
    /// The same of the gate ledger.
    pub(crate) ledger: bool,
    /// Dispatches that were begun then.
    pub(crate) seqs: BTreeSet<u64>,
    /// Older dispatches that were sent again then, under their own number.
    pub(crate) sent_again: BTreeSet<u64>,
}

impl Undone {
    /// Finds it, and sets the checkpoints that were taken then apart.
    pub(crate) fn find(run: &mut Run, candidate: &Candidate, world: &dyn World) -> Self {
        if candidate.undone.is_empty() {
            return Self::default();
        }
        let tree = run
            .work_tree()
            .and_then(|path| world.files().canonical(path));
        let own = candidate.undone.iter();
        let own = own.filter(|work| Some(&work.root) == tree.as_ref());
        let span = |work: &UndoneWork| (Stamp::stated(work.from), Stamp::stated(work.until));
        let mut undone = Self {
            times: own.map(span).collect(),
            ..Self::default()
        };
        for (from, until) in undone.times.clone() {
            undone.count(run, from, until, world);
        }
        let is_then = |place: Option<Place>| {
            let written = place.and_then(|place| world.files().modified(&place));
            written.is_some_and(|written| undone.wrote(Stamp::utc(written)))
        };
        let marker = run.sources.marker.as_ref();
        let ledger = run.documents.ledger.as_ref();
        (undone.marker, undone.ledger) = (
            is_then(marker.and_then(|(_, path)| place_of(world, path))),
            is_then(ledger.and_then(|doc| place_of(world, &doc.file))),
        );
        let (apart, saved): (Vec<Saved>, Vec<Saved>) = std::mem::take(&mut run.saved)
            .into_iter()
            .partition(|saved| undone.holds(saved.at));
        run.stranded.extend(apart);
        run.saved = saved;
        undone
    }

    fn count(&mut self, run: &Run, from: Stamp, until: Stamp, world: &dyn World) {
        let newest = |before: Stamp| {
            let earlier = run.starts().filter(|(_, began)| !is_after(*began, before));
            earlier.map(|(seq, _)| seq).max()
        };
        let (older, last) = (newest(from), newest(until));
        // Of a manifest that was not written in between, nothing was begun then.
        let (grew, is_newer) = (
            manifest_grew(until, run, world),
            manifest_grew(from, run, world),
        );
        let begun_then = |entry: &&Entry| match run.start_of(entry) {
            Some(began) => is_after(began, from) && !is_after(began, until),
            // Without a time, its number decides; nothing in a manifest that was not written since is newer.
            None => {
                is_newer
                    && older.is_some_and(|older| entry.seq > older)
                    && (!grew || last.is_some_and(|last| entry.seq <= last))
            }
        };
        let entries = run.usable().map_or(&[][..], |all| &all.entries);
        for entry in entries.iter().filter(begun_then) {
            if older.is_some_and(|older| entry.seq < older) {
                self.sent_again.insert(entry.seq);
            } else {
                self.seqs.insert(entry.seq);
            }
        }
    }

    /// Whether a file was written at a time of such work. Files have exact times.
    pub(crate) fn wrote(&self, at: Stamp) -> bool {
        let mut times = self.times.iter();
        times.any(|(from, until)| *from < at && at < *until)
    }

    /// Whether a record of whole seconds is of a time of such work.
    pub(crate) fn holds(&self, at: Stamp) -> bool {
        let mut times = self.times.iter();
        times.any(|(from, until)| is_after(at, *from) && !is_after(at, *until))
    }
}
