//! The files to which a resumed run writes its first new record: a line of the manifest, or another phase in its
//! marker. It is unknown to which copy `/replay` appends, so all are watched, and the temporary one even before it
//! exists.

mod copy;
mod dispatch;
pub(super) mod forms;
mod lifecycle;
mod phase;

use std::path::Path;

use super::facts::Run;
use super::shape;
use super::shape::manifest::{shown, template};
use crate::model::{Foreign, Place};
use crate::systems::kit::trails::{Record, Trail, object};
use crate::world::World;

/// The name of a manifest.
const MANIFEST: &str = "manifest.jsonl";

/// The files to watch.
pub(crate) fn trails(run: &Run, world: &dyn World) -> Vec<Trail> {
    let dirs = run.sources.dispatch.iter().chain(&run.sources.copies);
    let known = dirs.filter_map(|dir| dir.join(MANIFEST).ok());
    let own = run.manifest.iter().map(|manifest| manifest.place.clone());
    let folder = format!("crucible-dispatch-{}", run.session);
    let usual = world.places().temp.iter().filter_map(|temp| {
        let temp = world.files().canonical(temp)?;
        Place::known(temp, Path::new(&folder).join(MANIFEST)).ok()
    });
    let mut places: Vec<Place> = Vec::new();
    for place in own.chain(known).chain(usual) {
        if !places.iter().any(|seen| seen.path() == place.path()) {
            places.push(place);
        }
    }
    let marker = run.sources.marker.as_ref().and_then(|(marker, path)| {
        let place = Place::known(path.parent()?, path.file_name()?).ok()?;
        let id = marker.pipeline_id.clone();
        Some(Trail::state(place, move |bytes, zone| {
            let marker = shape::marker(bytes, zone).ok();
            // A later run overwrites the marker with its own.
            let own = marker.filter(|marker| marker.pipeline_id == id);
            own.and_then(|marker| {
                let phase = marker.phase?;
                let text = format!("the marker is at phase {phase}");
                Some(Record::new(text.clone(), text, None))
            })
            .into_iter()
            .collect()
        }))
    });
    let logs = places.into_iter().map(|place| {
        Trail::log(place, |line, _| {
            let map = object(line)?;
            // A line without a status is not a record of a dispatch.
            let status = shown(&map, "status")?;
            let seq = shown(&map, "seq").unwrap_or_default();
            let role = shown(&map, "role").or_else(|| template(|key| shown(&map, key)));
            let summary = shown(&map, "summary").map(|text| format!(" — {text}"));
            let text = format!(
                "dispatch {seq} {}: {status}{}",
                role.as_deref().unwrap_or("-"),
                summary.unwrap_or_default()
            );
            Some(Record::new("", Foreign::from(text), None))
        })
    });
    logs.chain(marker).collect()
}
