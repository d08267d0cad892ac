//! What a run did that no recovery takes back, as the summaries of its manifest and the decisions of its
//! documents state it. Transcripts are no documents of the run.

use super::Run;
use crate::model::{Irreversible, Origin};
use crate::systems::crucible::shape::manifest::{Manifest, object, shown};
use crate::systems::irreversible::{in_text, may_tell};
use crate::world::World;

/// Bytes of the manifest that are read at once.
const BLOCK: usize = 2 << 20;

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

/// Reads the manifest block by block; a line is parsed only where it may tell of something.
fn of_manifest(manifest: &Manifest, world: &dyn World) -> Vec<Irreversible> {
    let mut found: Vec<Irreversible> = Vec::new();
    let (mut from, mut bytes) = (0, Vec::new());
    for row in &manifest.rows {
        let offset = u64::from(row.offset);
        let Ok(len) = usize::try_from(row.len) else {
            continue;
        };
        let inside = |from: u64, bytes: &[u8]| {
            let start = usize::try_from(offset.checked_sub(from)?).ok()?;
            (start + len <= bytes.len()).then_some(start)
        };
        let mut start = inside(from, &bytes);
        if start.is_none() {
            let read = world
                .files()
                .read_range(&manifest.place, offset, BLOCK.max(len));
            let Ok(read) = read else { break };
            (from, bytes) = (offset, read);
            start = inside(from, &bytes);
        }
        let line = start.and_then(|start| bytes.get(start..start + len));
        let Some(line) = line.filter(|line| may_tell(line)) else {
            continue;
        };
        let Some(summary) = object(line, row.number).and_then(|map| shown(&map, "summary")) else {
            continue;
        };
        let origin = Origin::line(manifest.path(), u64::from(row.number));
        found.extend(in_text(&summary, &origin));
    }
    found
}
