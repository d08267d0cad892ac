//! claude-workflow: the workflows of Claude Code itself. A script starts agents, a journal keeps their results, and a
//! snapshot is written when the run ends. The files are described in
//! [the format](crate::docs::formats::claude_workflow).
//!
//! The trap: a run can be `completed` although most of its agents died, because the script continues with null. So
//! the status is decided from the agents, and the run's own status is only one of the facts.

mod audit;
mod checks;
mod export;
mod facts;
mod points;
mod shape;
#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::model::{
    Boundary, Cause, Check, Checkpoint, Export, Handoff, Intent, Irreversible, OwnWrites,
    PlanOptions, PointId, Prospect, SystemName,
};
use crate::systems::claude_workflow::facts::{Facts, reading, timeline};
use crate::systems::{Candidate, Case, Contents, Found, Hit, Marker, Sniffed, System};
use crate::world::World;
use crate::world::liveness::OwnFiles;

const NAME: SystemName = SystemName("claude-workflow");

/// The prefix of run ids.
const RUN: &str = "wf_";

/// The folder with the scripts as they were launched.
const SCRIPTS: &str = "scripts";

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
        &[Marker::Prefix(RUN), Marker::Dir(SCRIPTS)]
    }

    fn sniff(&self, hit: &Hit, world: &dyn World) -> Sniffed {
        let above = hit.path.parent().and_then(Path::file_name);
        let in_place = above == Some(OsStr::new("workflows"))
            && matches!(hit.found, Found::ClaudeProject { .. });
        if hit.marker == Marker::Dir(SCRIPTS) {
            // Any other folder may have this name too.
            let ours = if in_place {
                launched(&hit.path, world)
            } else {
                Vec::new()
            };
            return Sniffed::Ours(ours);
        }
        let name = hit.path.file_name().and_then(OsStr::to_str);
        let id = name.map(|name| name.strip_suffix(".json").unwrap_or(name));
        match id.filter(|id| in_place && is_id(id)) {
            // The folder of the run is a separate hit, and each hit is read.
            Some(id) if name != Some(id) && has_folder(&hit.path, id, world) => {
                Sniffed::Ours(Vec::new())
            }
            Some(id) => Sniffed::Ours(vec![candidate(id, hit.path.clone())]),
            None => Sniffed::NotOurs("It is not a workflow run of Claude Code.".into()),
        }
    }

    fn is_append_only(&self, file: &Path, _: &dyn World) -> bool {
        let folder = file.parent().and_then(Path::file_name);
        file.file_name() == Some(OsStr::new("journal.jsonl"))
            && folder.is_some_and(|name| name.to_string_lossy().starts_with(RUN))
    }

    fn open(&self, candidate: &Candidate, world: &dyn World) -> Box<dyn Case> {
        let facts = Facts::gather(world, &candidate.native.lossy(), &candidate.sources);
        let contents = Contents {
            reading: reading::read(world, &facts),
            timeline: timeline::read(&facts),
        };
        Box::new(Run { facts, contents })
    }
}

/// The same run can be in the folders of two conversations: the id alone identifies it.
fn candidate(id: &str, source: PathBuf) -> Candidate {
    Candidate::new(NAME, id, PathBuf::new(), vec![source])
}

fn is_id(id: &str) -> bool {
    id.bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b))
}

/// Whether the conversation with a file directly in its `workflows` folder also has the run's folder.
fn has_folder(file: &Path, run: &str, world: &dyn World) -> bool {
    let dir = file.ancestors().nth(2);
    let rel = Path::new("subagents/workflows").join(run);
    dir.is_some_and(|dir| world.files().has_dir(dir, rel))
}

/// Runs that have only a script: `<name>-<run>.js` is written at the launch, before any agent starts.
fn launched(folder: &Path, world: &dyn World) -> Vec<Candidate> {
    let Some(workflows) = folder.parent() else {
        return Vec::new();
    };
    let entries = world.files().entries(workflows, SCRIPTS).into_iter();
    let run = |name: OsString| {
        let (_, rest) = name.to_str()?.strip_suffix(".js")?.rsplit_once("-wf_")?;
        let id = format!("{RUN}{rest}");
        let snapshot = workflows.join(format!("{id}.json"));
        let more = has_folder(&snapshot, &id, world)
            || world.files().is_there(workflows, format!("{id}.json"));
        (is_id(&id) && !more).then(|| candidate(&id, folder.join(&name)))
    };
    entries.filter_map(|entry| run(entry.name)).collect()
}

/// One run that was read.
struct Run {
    facts: Facts,
    contents: Contents,
}

impl Case for Run {
    fn contents(&self) -> &Contents {
        &self.contents
    }

    fn recorded_cause(&self, _: Option<&OwnWrites>, _: &dyn World) -> Option<Cause> {
        facts::causes::cause(&self.facts, &self.contents.reading)
    }

    fn verify(&self, world: &dyn World) -> Vec<Check> {
        checks::checks(world, &self.facts)
    }

    fn is_read_only(&self) -> bool {
        true
    }

    fn checkpoints(&self, _: &dyn World) -> Vec<Checkpoint> {
        Vec::new()
    }

    fn boundaries(&self, checks: &[Check], world: &dyn World) -> Vec<Boundary> {
        points::boundaries(&self.facts, checks, world)
    }

    fn intent(&self, point: &PointId, _: &PlanOptions, world: &dyn World) -> Option<Intent> {
        points::intent(&self.facts, point, world)
    }

    fn own_files(&self) -> Vec<OwnFiles<'_>> {
        let run = self.contents.reading.native.lossy().into_owned();
        let sessions = self.facts.sessions.iter();
        sessions
            .map(|session| OwnFiles::all(facts::run_dir(session, &run)))
            .collect()
    }

    fn irreversible(&self, world: &dyn World) -> Vec<Irreversible> {
        audit::irreversible(world, &self.facts)
    }

    fn export(&self, world: &dyn World) -> Option<Export> {
        Some(export::export(&self.facts, world))
    }

    fn handoff(&self, prospect: &Prospect<'_>, world: &dyn World) -> Handoff {
        points::handoff::handoff(&self.facts, prospect, world)
    }
}
