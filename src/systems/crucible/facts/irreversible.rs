//! What a run did that no recovery can undo, as the summaries of its manifest and the decisions in its documents
//! report it. Transcripts are not documents of the run.

use super::Run;
use crate::model::{Irreversible, Origin};
use crate::systems::crucible::shape::manifest::{Manifest, object, shown};
use crate::systems::irreversible::{in_text, may_tell};
use crate::world::World;

/// Everything that is stated, the manifest's first.
pub(crate) fn all(run: &Run, world: &dyn World) -> Vec<Irreversible> {
    let mut found = run
        .manifest
        .as_ref()
        .map_or_else(Vec::new, |manifest| of_manifest(manifest, world));
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

/// A line is parsed only where it may report something.
fn of_manifest(manifest: &Manifest, world: &dyn World) -> Vec<Irreversible> {
    let mut lines = manifest.reread(world.files());
    let mut found: Vec<Irreversible> = Vec::new();
    for row in &manifest.rows {
        let line = lines.line(*row).filter(|line| may_tell(line));
        let object = line.and_then(|line| object(line, row.number));
        if let Some(summary) = object.as_ref().and_then(|map| shown(map, "summary")) {
            let origin = Origin::line(manifest.path(), u64::from(row.number));
            found.extend(in_text(&summary, &origin));
        }
    }
    found
}
