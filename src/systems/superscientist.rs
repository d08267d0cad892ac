//! superscientist: computational workflows whose stages form a graph, kept in `workflow-state.json`, with an
//! append-only `progress.log` beside it. A stage of the graph is the unit of taking up.
//!
//! What this room may not do: write, start processes, or open what may hold secrets (a backend's
//! `config_path`, a stage's `submission.json`).

mod checkpoints;
mod duplicates;
mod facts;
mod files;
mod graph;
mod irreversible;
mod jobs;
mod log;
mod next;
mod paths;
mod read;
mod records;
mod resume;
mod runner;
mod runs;
mod sniff;
mod verify;

#[cfg(test)]
pub(crate) mod tests;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::model::{
    Boundary, Check, Checkpoint, Handoff, Intent, Irreversible, PlanOptions, PointId, Prospect,
    Reading, Recovery, Run, Step, SystemName, Timeline,
};
use crate::systems::kit::trails::Trail;
use crate::systems::{Candidate, Case, Hit, Marker, Sniffed, System};
use crate::world::World;

use facts::Facts;

/// The name of the system.
const NAME: SystemName = SystemName("superscientist");

/// The system.
#[derive(Debug, Clone, Copy)]
pub struct Superscientist;

impl System for Superscientist {
    fn name(&self) -> SystemName {
        NAME
    }

    fn markers(&self) -> &'static [Marker] {
        &[Marker::File(files::STATE), Marker::File(files::LOG)]
    }

    fn sniff(&self, hit: &Hit, world: &dyn World) -> Sniffed {
        sniff::sniff(NAME, hit, world)
    }

    fn is_append_only(&self, file: &Path, world: &dyn World) -> bool {
        let folder = file
            .parent()
            .filter(|_| file.file_name() == Some(OsStr::new(files::LOG)));
        folder.is_some_and(|wf| sniff::is_workflow(wf, world))
    }

    fn open(&self, candidate: &Candidate, world: &dyn World) -> Box<dyn Case> {
        let facts = Facts::gather(candidate, world);
        Box::new(Workflow {
            reading: read::reading(&facts, world),
            timeline: read::timeline(&facts, world),
            facts,
        })
    }
}

/// One workflow that was read.
struct Workflow {
    facts: Facts,
    reading: Reading,
    timeline: Timeline,
}

impl Case for Workflow {
    fn reading(&self) -> &Reading {
        &self.reading
    }

    fn timeline(&self) -> Timeline {
        self.timeline.clone()
    }

    fn verify(&self, world: &dyn World) -> Vec<Check> {
        verify::all(&self.facts, world)
    }

    fn checkpoints(&self, world: &dyn World) -> Vec<Checkpoint> {
        checkpoints::all(&self.facts, world)
    }

    fn boundaries(&self, checks: &[Check], _: &[Checkpoint], world: &dyn World) -> Vec<Boundary> {
        resume::boundaries(&self.facts, checks, world)
    }

    fn irreversible(&self, _: &dyn World) -> Vec<Irreversible> {
        irreversible::all(&self.facts, &self.timeline)
    }

    fn trails(&self, _: &dyn World) -> Vec<Trail> {
        records::trails(&self.facts)
    }

    fn runs(&self, world: &dyn World) -> Vec<Run> {
        runs::all(&self.facts, world)
    }

    fn intent(
        &self,
        point: &PointId,
        options: &PlanOptions,
        _: &[Check],
        _: &[Checkpoint],
        world: &dyn World,
    ) -> Option<Intent> {
        resume::intent(&self.facts, point, options, world)
    }

    fn handoff(&self, prospect: &Prospect<'_>, world: &dyn World) -> Handoff {
        resume::handoff(&self.facts, prospect, world)
    }

    fn restore_steps(
        &self,
        checkpoint: &Checkpoint,
        restored: &[PathBuf],
        world: &dyn World,
    ) -> Vec<Step> {
        resume::restore_steps(&self.facts, checkpoint, restored, world)
    }

    fn undo_lines(&self, recovery: &Recovery) -> Vec<Step> {
        resume::undone(&self.facts, recovery).into_iter().collect()
    }
}
