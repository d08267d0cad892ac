//! nine-step: features that are built phase by phase, each phase in nine steps and an approval, in a git worktree with
//! a JSON state file. The files are described in [the format](crate::docs::formats::nine_step).
//!
//! No released code of the plugin writes the state file: its commands only tell the agent to do so. So files are rare,
//! irregular or missing, and git, plan and worktree are always read as well.

mod checks;
mod facts;
mod points;
mod record;
mod shape;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::model::{
    Boundary, Cause, Check, Checkpoint, Handoff, Intent, Irreversible, Origin, OwnWrites, Place,
    PlanOptions, PointId, Prospect, Recovery, Step, SystemName,
};
use crate::systems::irreversible::{in_timeline, stated};
use crate::systems::kit::forms::Recorder;
use crate::systems::kit::trails::Trail;
use crate::systems::nine_step::facts::{Facts, Layout, Merged, causes, discovery, reading};
use crate::systems::nine_step::points::{Decision, decision, intent};
use crate::systems::nine_step::record::{forms, trails};
use crate::systems::nine_step::shape::{Shape, rollback_log, sniff};
use crate::systems::{Candidate, Case, Contents, Found, Hit, Marker, Sniffed, System};
use crate::world::World;
use crate::world::liveness::OwnFiles;

const NAME: SystemName = SystemName("nine-step");

/// What discovery looks for: work trees, and the possible names of a state file.
const MARKERS: [Marker; 6] = [
    Marker::Repository,
    Marker::File(shape::STATE_NAMES[0]),
    Marker::File(shape::STATE_NAMES[1]),
    Marker::File(shape::STATE_NAMES[2]),
    Marker::File(shape::STATE_NAMES[3]),
    Marker::File(shape::STATE_NAMES[4]),
];

/// The system.
#[derive(Debug, Clone, Copy)]
pub struct NineStep;

impl System for NineStep {
    fn name(&self) -> SystemName {
        NAME
    }

    fn markers(&self) -> &'static [Marker] {
        &MARKERS
    }

    fn sniff(&self, hit: &Hit, world: &dyn World) -> Sniffed {
        match hit.marker {
            Marker::Repository => sniff_repository(hit, world),
            Marker::File(_) => sniff_file(&hit.path, world),
            Marker::Dir(_) | Marker::Prefix(_) => {
                Sniffed::NotOurs("no file or directory of this system has this name".into())
            }
        }
    }

    fn is_append_only(&self, file: &Path, _: &dyn World) -> bool {
        file.file_name() == Some(OsStr::new(rollback_log::LOG))
    }

    fn recorder(&self) -> Option<&'static Recorder> {
        Some(&forms::RECORDER)
    }

    fn open(&self, candidate: &Candidate, world: &dyn World) -> Box<dyn Case> {
        let facts = Facts::gather(world, candidate);
        let decision = decision::decide(&facts);
        let contents = Contents {
            reading: reading::reading(&facts, &decision, world),
            timeline: reading::timeline::of(&facts),
        };
        Box::new(Opened {
            facts,
            decision,
            contents,
        })
    }
}

/// The pipelines of a work tree's project, unless the walk finds the project's main work tree anyway.
fn sniff_repository(hit: &Hit, world: &dyn World) -> Sniffed {
    let layout = Layout::of(world, &hit.path);
    if let Found::Walk { root } = &hit.found {
        let root = world.files().resolved(root);
        let here = world.files().resolved(&hit.path);
        if here != layout.top && layout.top.starts_with(&root) && layout.at(world, &here).is_some()
        {
            return Sniffed::Ours(Vec::new());
        }
    }
    Sniffed::Ours(discovery::all(world, &layout))
}

/// A file with a matching name: ours by its content and by being at the top of a work tree.
fn sniff_file(path: &Path, world: &dyn World) -> Sniffed {
    let Some(place) = Place::of(path) else {
        return Sniffed::NotOurs("the path cannot be opened".into());
    };
    let read = world.files().whole(&place);
    let shape = sniff::of(read.as_deref().unwrap_or_default());
    if let Shape::Foreign(why) = shape {
        return Sniffed::NotOurs(why.into());
    }
    let dir = world.files().resolved(place.opened_root());
    let layout = Layout::of(world, &dir);
    let source = path.file_name().map(|name| dir.join(name));
    let found = discovery::of_file(world, &layout, &source.unwrap_or_default());
    let why = match (found, shape, read) {
        (Some(candidate), ..) => return Sniffed::Ours(vec![candidate]),
        (None, _, Err(error)) => error.to_string(),
        (None, Shape::Partial(damage), Ok(_)) => format!(
            "{}, and there is no other evidence that it belongs to this system",
            damage.why
        ),
        (None, ..) => "a copy that is not at the top of a work tree".to_owned(),
    };
    Sniffed::NotOurs(why.into())
}

/// The input of points and checks.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) facts: &'a Facts,
    pub(crate) decision: &'a Decision,
    pub(crate) world: &'a dyn World,
}

/// A pipeline that was read.
struct Opened {
    facts: Facts,
    decision: Decision,
    contents: Contents,
}

impl Opened {
    fn scene<'a>(&'a self, world: &'a dyn World) -> Scene<'a> {
        let (facts, decision) = (&self.facts, &self.decision);
        Scene {
            facts,
            decision,
            world,
        }
    }
}

impl Case for Opened {
    fn contents(&self) -> &Contents {
        &self.contents
    }

    fn recorded_cause(&self, _: Option<&OwnWrites>, _: &dyn World) -> Option<Cause> {
        causes::recorded(&self.facts, &self.decision, &self.contents.reading)
    }

    fn verify(&self, world: &dyn World) -> Vec<Check> {
        checks::checks(self.scene(world))
    }

    fn checkpoints(&self, _world: &dyn World) -> Vec<Checkpoint> {
        intent::checkpoints(&self.facts)
    }

    fn boundaries(&self, checks: &[Check], world: &dyn World) -> Vec<Boundary> {
        points::boundaries(self.scene(world), checks)
    }

    fn irreversible(&self, _: &dyn World) -> Vec<Irreversible> {
        let facts = &self.facts;
        let mut found = in_timeline(self.contents.timeline.as_ref());
        if let Merged::Yes(how) | Merged::Partly { how, .. } = &facts.git.merged {
            let base = facts.git.base.as_deref().unwrap_or("the main branch");
            let text = format!("The work was merged into {base}: {how}.");
            found.push(stated("merge", text, Origin::file(&facts.layout.top)));
        }
        found
    }

    fn own_files(&self) -> Vec<OwnFiles<'_>> {
        let facts = &self.facts;
        let states = |rel: &Path| {
            let name = rel.to_str().unwrap_or_default();
            shape::STATE_NAMES.contains(&name.strip_suffix(".backup").unwrap_or(name))
        };
        // At the project's top a state file may be another feature's.
        let own = (facts.dir() != facts.layout.top).then(|| OwnFiles::new(facts.dir(), states));
        let docs = facts.docs.iter().chain(&facts.backup);
        let docs = docs.filter_map(shape::Doc::place);
        let named = docs.chain(facts.plan.place.clone());
        let files = named.filter_map(|place| OwnFiles::file(&place.path()));
        let rollbacks = facts.rollbacks.folder.iter().map(OwnFiles::all);
        own.into_iter().chain(files).chain(rollbacks).collect()
    }

    fn trails(&self, world: &dyn World) -> Vec<Trail> {
        trails::trails(&self.facts, world)
    }

    fn intent(&self, point: &PointId, _options: &PlanOptions, world: &dyn World) -> Option<Intent> {
        intent::intent(self.scene(world), point)
    }

    fn goes_by_steps(&self) -> bool {
        true
    }

    fn handoff(&self, prospect: &Prospect<'_>, world: &dyn World) -> Handoff {
        points::handoff::of(self.scene(world), prospect)
    }

    fn undo_lines(&self, recovery: &Recovery, keep: &[PathBuf]) -> Vec<Step> {
        let line = self.facts.rollbacks.undone(recovery, keep);
        line.into_iter().collect()
    }
}
