//! superscientist: computational workflows whose stages form a graph, kept in `workflow-state.json`, with an
//! append-only `progress.log` next to it. Work resumes at a stage. The format is described in
//! [its page](crate::docs::formats::superscientist).
//!
//! Nothing here writes, starts processes, or opens files that may contain secrets (a backend's `config_path`, a stage's
//! `submission.json`).

pub(crate) mod checks;
pub(crate) mod facts;
pub(crate) mod points;
pub(crate) mod record;
pub(crate) mod shape;

#[cfg(test)]
pub(crate) mod tests;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::model::{
    Amendment, Boundary, Cause, Check, Checkpoint, Finding, Handoff, Intent, Irreversible,
    JobMarker, OwnWrites, PlanOptions, PointId, Prospect, Recovery, Result, Run, Step, SystemName,
};
use crate::systems::kit::forms::Recorder;
use crate::systems::kit::trails::Trail;
use crate::systems::{Candidate, Case, Contents, Hit, Marker, Sniffed, System};
use crate::world::World;
use crate::world::liveness::{OwnFiles, is_hidden};

use facts::Facts;
use shape::{INIT, LOG, STATE, stage_number};

const NAME: SystemName = SystemName("superscientist");

/// The system.
#[derive(Debug, Clone, Copy)]
pub struct Superscientist;

impl System for Superscientist {
    fn name(&self) -> SystemName {
        NAME
    }

    fn markers(&self) -> &'static [Marker] {
        &[
            Marker::File(shape::STATE),
            Marker::File(shape::LOG),
            Marker::File(shape::INIT),
        ]
    }

    fn sniff(&self, hit: &Hit, world: &dyn World) -> Sniffed {
        shape::sniff::sniff(NAME, hit, world)
    }

    fn is_append_only(&self, file: &Path, world: &dyn World) -> bool {
        let folder = file
            .parent()
            .filter(|_| file.file_name() == Some(OsStr::new(shape::LOG)));
        folder.is_some_and(|wf| shape::sniff::is_workflow(wf, world))
    }

    fn recorder(&self) -> Option<&'static Recorder> {
        Some(&record::forms::RECORDER)
    }

    fn open(&self, candidate: &Candidate, world: &dyn World) -> Box<dyn Case> {
        let facts = Facts::gather(candidate, world);
        Box::new(Workflow {
            contents: Contents {
                reading: facts::reading::reading(&facts, world),
                timeline: facts::reading::timeline(&facts, world),
            },
            facts,
        })
    }
}

/// One workflow that was read.
struct Workflow {
    facts: Facts,
    contents: Contents,
}

impl Case for Workflow {
    fn contents(&self) -> &Contents {
        &self.contents
    }

    fn recorded_cause(&self, own: Option<&OwnWrites>, world: &dyn World) -> Option<Cause> {
        facts::causes::recorded(&self.facts, &*self.contents.timeline, own, world)
    }

    fn owns_only_its_folder(&self) -> bool {
        true
    }

    fn verify(&self, world: &dyn World) -> Vec<Check> {
        checks::all(&self.facts, world)
    }

    fn checkpoints(&self, world: &dyn World) -> Vec<Checkpoint> {
        points::checkpoints::all(&self.facts, world)
    }

    fn unlisted_checkpoints(&self, world: &dyn World) -> Option<Finding> {
        points::checkpoints::unlisted(&self.facts, world)
    }

    fn boundaries(&self, checks: &[Check], world: &dyn World) -> Vec<Boundary> {
        points::boundaries(&self.facts, checks, world)
    }

    fn irreversible(&self, _: &dyn World) -> Vec<Irreversible> {
        facts::jobs::irreversible(&self.facts, &self.contents.timeline)
    }

    fn own_files(&self) -> Vec<OwnFiles<'_>> {
        // A job writes what it likes into the folder of its stage.
        let names = |rel: &Path| match rel.iter().next().and_then(OsStr::to_str) {
            Some(stage) if stage_number(stage).is_some() => !is_hidden(rel),
            Some(name) => [STATE, LOG, INIT].contains(&name) && rel.parent() == Some(Path::new("")),
            None => false,
        };
        vec![OwnFiles::new(&self.facts.wf, names)]
    }

    fn trails(&self, _: &dyn World) -> Vec<Trail> {
        record::trails::trails(&self.facts)
    }

    fn job_marker(&self, stage: &str) -> Option<JobMarker> {
        facts::jobs::marker_files(&self.facts, stage)
    }

    fn runs(&self, world: &dyn World) -> Vec<Run> {
        facts::runs::all(&self.facts, world)
    }

    fn intent(&self, point: &PointId, options: &PlanOptions, world: &dyn World) -> Option<Intent> {
        points::intent(&self.facts, point, options, world)
    }

    fn is_amendable(&self) -> bool {
        self.facts.flow.is_ok()
    }

    fn amend(
        &self,
        ask: &Amendment,
        reason: &str,
        checks: &[Check],
        world: &dyn World,
    ) -> Option<Result<(Boundary, Intent)>> {
        Some(points::amend(&self.facts, ask, reason, checks, world))
    }

    fn handoff(&self, prospect: &Prospect<'_>, world: &dyn World) -> Handoff {
        points::handoff(&self.facts, prospect, world)
    }

    fn restore_steps(
        &self,
        checkpoint: &Checkpoint,
        restored: &[(PathBuf, Option<Vec<u8>>)],
        world: &dyn World,
    ) -> Vec<Step> {
        record::restored::restore_steps(&self.facts, checkpoint, restored, world)
    }

    fn undo_lines(&self, recovery: &Recovery, keep: &[PathBuf]) -> Vec<Step> {
        record::restored::undo_line(&self.facts, recovery, keep)
            .into_iter()
            .collect()
    }
}
