//! claude-workflow: the workflows of Claude Code itself. A script starts agents, a journal keeps their results, and a
//! snapshot is written when the run ends. The files are described in
//! [the format](crate::docs::formats::claude_workflow).
//!
//! The trap: a run can be `completed` although most of its agents died, because the script continues with null. So
//! the status is decided from the agents, and the run's own status is only one of the facts.

mod checks;
mod export;
mod facts;
mod points;
mod shape;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::path::Path;

use crate::model::{
    Boundary, Cause, Check, Checkpoint, Export, Handoff, Intent, PlanOptions, PointId, Prospect,
    Reading, SystemName, Timeline,
};
use crate::systems::claude_workflow::facts::{Facts, reading, timeline};
use crate::systems::{Candidate, Case, Found, Hit, Marker, Sniffed, System};
use crate::world::World;

/// Its name.
const NAME: SystemName = SystemName("claude-workflow");

/// What the ids of runs begin with.
const RUN: &str = "wf_";

/// The system.
#[derive(Debug, Clone, Copy, Default)]
pub struct ClaudeWorkflow;

impl System for ClaudeWorkflow {
    fn name(&self) -> SystemName {
        NAME
    }

    fn markers(&self) -> &'static [Marker] {
        &[]
    }

    fn claude_markers(&self) -> &'static [Marker] {
        &[Marker::Prefix(RUN)]
    }

    fn sniff(&self, hit: &Hit, _: &dyn World) -> Sniffed {
        let name = hit.path.file_name().and_then(OsStr::to_str);
        let above = hit.path.parent().and_then(Path::file_name);
        let id = name.map(|name| name.strip_suffix(".json").unwrap_or(name));
        let is_id = |id: &&str| {
            id.bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b))
        };
        let in_place = above == Some(OsStr::new("workflows"))
            && matches!(hit.found, Found::ClaudeProject { .. });
        match id.filter(is_id).filter(|_| in_place) {
            // The same run can be in the folders of two conversations: the id alone makes it one.
            Some(id) => Sniffed::Ours(vec![Candidate {
                system: NAME,
                native: id.into(),
                anchor: Path::new("").to_owned(),
                sources: vec![hit.path.clone()],
                work_tree: None,
            }]),
            None => Sniffed::NotOurs("It is no run of a workflow of Claude Code.".into()),
        }
    }

    fn is_append_only(&self, file: &Path, _: &dyn World) -> bool {
        let folder = file.parent().and_then(Path::file_name);
        file.file_name() == Some(OsStr::new("journal.jsonl"))
            && folder.is_some_and(|name| name.to_string_lossy().starts_with(RUN))
    }

    fn open(&self, candidate: &Candidate, world: &dyn World) -> Box<dyn Case> {
        let facts = Facts::gather(world, &candidate.native.lossy(), &candidate.sources);
        let reading = reading::read(world, &facts);
        let timeline = timeline::read(&facts);
        Box::new(Run {
            facts,
            reading,
            timeline,
        })
    }
}

/// One run, read.
struct Run {
    facts: Facts,
    reading: Reading,
    timeline: Timeline,
}

impl Case for Run {
    fn reading(&self) -> &Reading {
        &self.reading
    }

    fn timeline(&self) -> Timeline {
        Timeline::clone(&self.timeline)
    }

    fn recorded_cause(&self) -> Option<Cause> {
        facts::causes::cause(&self.facts, &self.reading)
    }

    fn verify(&self, world: &dyn World) -> Vec<Check> {
        checks::checks(world, &self.facts)
    }

    fn checkpoints(&self, _: &dyn World) -> Vec<Checkpoint> {
        Vec::new()
    }

    fn boundaries(&self, checks: &[Check], _: &[Checkpoint], world: &dyn World) -> Vec<Boundary> {
        points::boundaries(&self.facts, checks, world)
    }

    fn intent(
        &self,
        point: &PointId,
        _: &PlanOptions,
        _: &[Check],
        _: &[Checkpoint],
        world: &dyn World,
    ) -> Option<Intent> {
        points::intent(&self.facts, point, world)
    }

    fn export(&self, world: &dyn World) -> Option<Export> {
        Some(export::export(&self.facts, world))
    }

    fn handoff(&self, prospect: &Prospect<'_>, _: &dyn World) -> Handoff {
        points::handoff::handoff(&self.facts, prospect)
    }
}
