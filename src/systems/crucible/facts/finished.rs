//! What `relight record RUN finish` moved aside at the end of a run: its marker, and its dispatch files.

use std::path::PathBuf;

use crate::model::Place;
use crate::systems::crucible::facts::sources::{Sources, is_own_dir};
use crate::systems::crucible::shape::sniff::{PUT_AWAY, place_of};
use crate::systems::crucible::shape::{self, Marker};
use crate::world::World;

/// What is left of a finished run.
#[derive(Debug, Default)]
pub(crate) struct Finished {
    /// The marker, as it was at the end.
    pub(crate) marker: Option<Marker>,
    /// The directories with its dispatch files.
    pub(crate) dirs: Vec<Place>,
}

impl Finished {
    /// Looks for it beside the places of the run; only a run without a marker is finished.
    pub(crate) fn find(session: &str, sources: &Sources, world: &dyn World) -> Self {
        if sources.marker.is_some() || sources.damaged_marker.is_some() {
            return Self::default();
        }
        let name = format!("{PUT_AWAY}{session}");
        let memory = sources.projects.iter();
        let memory = memory.map(|project| project.join("memory").join(&name));
        let temp = world.places().temp.iter().map(|temp| temp.join(&name));
        let own = |path: PathBuf| place_of(world, &path).filter(|dir| is_own_dir(world, dir));
        let dirs: Vec<Place> = memory.chain(temp).filter_map(own).collect();
        let marker = dirs.iter().find_map(|dir| {
            let place = dir.join("pipeline-active").ok()?;
            let bytes = world.files().whole(&place).ok()?;
            let marker = shape::marker(&bytes, world.clock()).ok()?;
            (marker.pipeline_id == session).then_some(marker)
        });
        Self { marker, dirs }
    }
}
