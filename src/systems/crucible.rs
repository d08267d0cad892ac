//! Crucible (`raddue/crucible`): builds in four phases whose dispatches are logged in a `manifest.jsonl`, with shadow
//! checkpoints of the work tree and a marker file that is left after a crash.
//!
//! A resume never writes a crucible file: it restores at most the work tree, and `/replay` itself adds entries to the
//! manifest. Language models wrote all of these files from prose instructions, so no extra or missing key is an error.

mod checks;
mod facts;
mod points;
mod record;
mod replayable;
mod shape;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::facts::project::dir_hash;
use self::facts::{Run, Saved, causes, evidence, marks, reading};
use self::shape::manifest::ManifestRows;
use super::{BoundaryStore, Candidate, Case, Contents, Hit, Marker, Replayable, Sniffed, System};
use crate::model::{
    Boundary, Cause, Check, Checkpoint, Conversation, Dispatch, Experiment, Foreign, Guard,
    Handoff, Intent, Irreversible, OwnWrites, Place, PlanOptions, PointId, Prospect, SystemName,
    Timeline,
};
use crate::systems::kit::forms::Recorder;
use crate::systems::kit::trails::Trail;
use crate::world::World;
use crate::world::liveness::OwnFiles;

/// The name of the system.
pub const NAME: SystemName = SystemName("crucible");

/// The system.
#[derive(Debug, Clone, Copy, Default)]
pub struct Crucible;

impl System for Crucible {
    fn name(&self) -> SystemName {
        NAME
    }

    fn markers(&self) -> &'static [Marker] {
        &[Marker::File("manifest.jsonl")]
    }

    fn claude_markers(&self) -> &'static [Marker] {
        &[
            Marker::File("manifest.jsonl"),
            Marker::File(".pipeline-active"),
            Marker::File("checkpoint-manifest.md"),
        ]
    }

    fn temp_markers(&self) -> &'static [Marker] {
        &[
            Marker::Prefix("crucible-dispatch-"),
            Marker::Prefix("crucible-debug-"),
        ]
    }

    fn sniff(&self, hit: &Hit, world: &dyn World) -> Sniffed {
        shape::sniff::sniff(hit, world)
    }

    fn is_append_only(&self, file: &Path, _: &dyn World) -> bool {
        let folder = file.parent().and_then(Path::file_name);
        let folder = folder.map(|name| name.to_string_lossy());
        file.file_name() == Some(OsStr::new("manifest.jsonl"))
            && folder.is_some_and(|name| name.starts_with("crucible-dispatch-"))
    }

    fn recorder(&self) -> Option<&'static Recorder> {
        Some(&record::RECORDER)
    }

    fn forgets_resumes(&self) -> bool {
        true
    }

    fn open(&self, candidate: &Candidate, world: &dyn World) -> Box<dyn Case> {
        Box::new(CrucibleCase::open(candidate, world))
    }
}

/// One session that was read.
struct CrucibleCase {
    run: Run,
    contents: Contents,
}

impl CrucibleCase {
    fn open(candidate: &Candidate, world: &dyn World) -> Self {
        let run = Run::gather(candidate, world);
        let mut run = match points::resumed(&run, candidate, world) {
            Some(resumed) => run.resumed_at(resumed),
            None => run,
        };
        run.not_restored = points::not_restored(&run, candidate, world);
        let reading = reading::reading(&run, world);
        let timeline: Timeline = match &run.manifest {
            Some(manifest) if !manifest.rows.is_empty() => {
                let clock = Arc::clone(&run.files.clock);
                Arc::new(ManifestRows::new(Arc::clone(manifest), clock))
            }
            // Other records, so that a run without a manifest has a timeline too.
            Some(_) | None => Arc::new(evidence::events(&run, world)),
        };
        Self {
            run,
            contents: Contents { reading, timeline },
        }
    }
}

impl Case for CrucibleCase {
    fn contents(&self) -> &Contents {
        &self.contents
    }

    fn recorded_cause(&self, _: Option<&OwnWrites>, _: &dyn World) -> Option<Cause> {
        causes::recorded(&self.run, &self.contents.reading, &*self.contents.timeline)
    }

    fn dispatch_causes(&self, conversations: &[Conversation], world: &dyn World) -> Vec<Cause> {
        causes::of_dispatches(&self.run, conversations, world)
    }

    fn verify(&self, world: &dyn World) -> Vec<Check> {
        checks::checks(&self.run, world)
    }

    fn checkpoints(&self, world: &dyn World) -> Vec<Checkpoint> {
        let commits = points::commits(&self.run, world);
        let all = self.run.saved.iter().chain(&self.run.stranded);
        all.chain(&commits).map(Saved::checkpoint).collect()
    }

    fn boundaries(&self, checks: &[Check], world: &dyn World) -> Vec<Boundary> {
        points::boundaries(&self.run, self.contents.reading.claim.status, checks, world)
    }

    fn without_project(&self, boundary: &Boundary, _: &dyn World) -> Option<Guard> {
        points::without_project(&self.run, boundary)
    }

    fn intent(&self, point: &PointId, options: &PlanOptions, world: &dyn World) -> Option<Intent> {
        points::intent(&self.run, point, options, world)
    }

    fn handoff(&self, prospect: &Prospect<'_>, world: &dyn World) -> Handoff {
        points::handoff(&self.run, prospect, world)
    }

    fn keeps_state_outside(&self) -> bool {
        true
    }

    fn boundary(&self, reason: &str, _: &dyn World) -> Option<BoundaryStore> {
        let project = self.run.work_tree();
        let project = project.filter(|_| marks::is_boundary(reason))?;
        let own = self.run.stores.first().map(|store| store.path.clone());
        let made = |folder: &PathBuf| folder.join("checkpoints").join(dir_hash(project));
        let store = own.or_else(|| self.run.sources.projects.first().map(made))?;
        Some(BoundaryStore {
            table: store.join("checkpoint-manifest.md"),
            source: self.run.skill.clone(),
            store,
        })
    }

    fn irreversible(&self, world: &dyn World) -> Vec<Irreversible> {
        evidence::irreversible(&self.run, world)
    }

    fn own_files(&self) -> Vec<OwnFiles<'_>> {
        let sources = &self.run.sources;
        let dirs = sources.dispatch.iter().chain(&sources.copies);
        let dirs = dirs.chain(&sources.debug).map(Place::path);
        let is_table = |rel: &Path| rel == Path::new("checkpoint-manifest.md");
        let tables = self.run.stores.iter();
        let tables = tables.map(|store| OwnFiles::new(&store.path, is_table));
        // Its project's other runs share the scratch folder, and write into it while they have the marker.
        let scratch = sources.marker.iter().filter_map(|(_, path)| path.parent());
        let scratch = scratch.map(|dir| OwnFiles::new(dir, shape::is_scratch_document));
        dirs.map(OwnFiles::all)
            .chain(tables)
            .chain(scratch)
            .collect()
    }

    fn trails(&self, world: &dyn World) -> Vec<Trail> {
        record::trails(&self.run, world)
    }

    fn replayable(&self) -> Option<&dyn Replayable> {
        Some(self)
    }
}

impl Replayable for CrucibleCase {
    fn dry_run_report(
        &self,
        point: &PointId,
        intent: &Intent,
        world: &dyn World,
    ) -> Option<Foreign> {
        points::report(&self.run, point, intent, world)
    }

    fn point_for_seq(&self, seq: u64) -> Option<PointId> {
        points::boundary_of_seq(&self.run, seq)
    }

    fn experiment(&self, checkpoints: &[Checkpoint], world: &dyn World) -> Option<Experiment> {
        replayable::experiment(&self.run, checkpoints, world)
    }

    fn has_dispatches(&self) -> bool {
        self.run.manifest.is_some()
    }

    fn records_replays(&self) -> bool {
        let manifest = self.run.manifest.as_ref();
        manifest.is_some_and(|manifest| manifest.has_sessions())
    }

    fn continued(
        &self,
        manifest: &Place,
        dispatch_dir: &Path,
        world: &dyn World,
    ) -> Result<Vec<Dispatch>, Foreign> {
        replayable::continued(&self.run, manifest, dispatch_dir, world)
    }
}

#[cfg(test)]
mod tests;
