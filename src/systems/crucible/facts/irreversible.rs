//! Actions of a run that no recovery can undo, as reported by the summaries of its manifest and the decisions in its
//! documents. Transcripts do not count as documents of the run.

use rayon::iter::ParallelIterator as _;
use rayon::slice::ParallelSlice as _;

use super::Run;
use crate::model::{Irreversible, Origin};
use crate::systems::crucible::shape::Manifest;
use crate::systems::crucible::shape::manifest::Members;
use crate::systems::irreversible::{in_text, may_tell};
use crate::world::World;

/// So many lines are read by one thread.
const PART: usize = 4096;

/// Everything that is stated, the manifest's first.
pub(crate) fn all(run: &Run, world: &dyn World) -> Vec<Irreversible> {
    let manifest = run.manifest.as_ref();
    let mut found = manifest.map_or_else(Vec::new, |manifest| of_manifest(manifest, world));
    let handoffs = run.documents.handoffs.iter();
    let handoffs = handoffs.map(|doc| (&doc.what.decisions, &doc.file));
    let page = run.documents.status.iter();
    let page = page.map(|doc| (&doc.what.decisions, &doc.file));
    for (decisions, file) in handoffs.chain(page) {
        let origin = Origin::file(file);
        found.extend(decisions.iter().flat_map(|text| in_text(text, &origin)));
    }
    found
}

/// A line is parsed only if it may report an action.
fn of_manifest(manifest: &Manifest, world: &dyn World) -> Vec<Irreversible> {
    let parts = manifest.rows.par_chunks(PART).flat_map_iter(|part| {
        let mut lines = manifest.reread(world.files());
        part.iter().flat_map(move |row| {
            let line = lines.line(*row).filter(|line| may_tell(line));
            let line = line.and_then(|line| Members::of(line, Vec::new()));
            let summary = line.as_ref().and_then(|line| line.shown("summary"));
            let origin = || Origin::line(manifest.path(), u64::from(row.number));
            summary.map_or_else(Vec::new, |text| in_text(&text, &origin()))
        })
    });
    parts.collect()
}
