//! The evidence outside the manifest that a run left its phases.

use std::collections::{BTreeMap, BTreeSet};

use super::marks::Marks;
use super::work::Crossings;
use super::{Rank, Run, evidence, phase_order};
use crate::model::Stamp;

impl Run {
    pub(super) fn crossings(&self) -> Crossings {
        let rank = |label: &str| phase_order::understand(&self.skill, label);
        let resumed = self.resumed.as_ref();
        let marker = self.marker().and_then(|m| rank(m.phase.as_deref()?));
        let marker = match resumed {
            Some(own) => own.marker(marker),
            None => marker,
        };
        let handoffs = self.documents.handoffs.iter().filter_map(|doc| {
            let left = rank(&doc.what.from)?.rank;
            let text = format!("the hand-off {} to {} exists", doc.what.from, doc.what.to);
            let holds = resumed.is_none_or(|own| own.leaves(left, doc.what.at > Some(own.at)));
            holds.then_some((left, text))
        });
        let ledger = self
            .documents
            .ledger
            .iter()
            .flat_map(|doc| &doc.what.phases);
        // The marker says where the run is. Other records count only if it does not.
        let reached = marker.is_none().then(|| evidence::reached(self)).flatten();
        let reached = reached.filter(|_| resumed.is_none_or(|own| own.newer.any));
        let newest_file = self.files.places.keys().next_back();
        let cut = self.manifest.as_deref().is_some_and(|manifest| {
            let newest = manifest.entries.last().map(|entry| entry.seq);
            !manifest.ended || manifest.bad_count > 0 || newest_file > newest.as_ref()
        });
        Crossings {
            marker,
            reached,
            cut,
            earlier_waves: self.earlier_waves(),
            begun_after_handoff: self.begun_after_handoff(),
            handoffs: handoffs.collect(),
            ledger: ledger
                .filter(|phase| phase.is_passed())
                .filter_map(|phase| {
                    let text = format!("the gate ledger says {}", phase.status);
                    let left = rank(&phase.number)?.rank;
                    let holds = resumed.is_none_or(|own| own.leaves(left, own.newer.ledger));
                    holds.then_some((left, text))
                })
                .collect(),
            discarded: resumed.map_or_else(BTreeSet::new, |own| own.discarded.clone()),
        }
    }

    /// The dispatches after whose wave a later one began.
    fn earlier_waves(&self) -> BTreeSet<u64> {
        let marks = Marks::of(self);
        let left = self
            .files
            .clock
            .iter()
            .filter(|(_, at)| marks.wave_left(**at));
        left.map(|(seq, _)| *seq).collect()
    }

    /// The dispatches that began after the hand-off out of a phase was written, by phase.
    fn begun_after_handoff(&self) -> BTreeSet<(Rank, u64)> {
        let handoffs = self.documents.handoffs.iter().filter_map(|doc| {
            let from = phase_order::understand(&self.skill, &doc.what.from)?;
            Some((from.rank, doc.what.at?))
        });
        let newest: BTreeMap<Rank, Stamp> = handoffs.collect();
        let begun = newest.into_iter().flat_map(|(rank, written)| {
            let after = self
                .files
                .clock
                .iter()
                .filter(move |(_, at)| **at >= written);
            after.map(move |(seq, _)| (rank, *seq))
        });
        begun.collect()
    }
}
