//! mgw: an issue becomes a pull request. Each issue has a JSON state file under `.mgw/` in the main repository; a
//! stopped issue resumes from the `checkpoint` object in it. The files are described in
//! [the format](crate::docs::formats::mgw).
//!
//! The trap: the checkpoint is often missing or old, and the orchestrator's own mapping does not know five of the
//! actions that it writes. So documents, commits and branch are always read as well, and whichever shows more done
//! decides (`points::target`).
#![expect(
    clippy::similar_names,
    reason = "`state` and `stage` are both the format's own words"
)]

mod checks;
mod facts;
mod points;
mod record;
mod shape;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::path::Path;

use crate::model::{
    Boundary, Cause, Check, Checkpoint, Handoff, Intent, Irreversible, OwnWrites, PlanOptions,
    PointId, Prospect, SystemName,
};
use crate::systems::kit::forms::Recorder;
use crate::systems::kit::trails::Trail;
use crate::systems::mgw::facts::{Facts, causes, discovery, irreversible, reading};
use crate::systems::mgw::points::{Scene, Target, checkpoints, handoff, intent, target};
use crate::systems::mgw::record::{forms, trails};
use crate::systems::mgw::shape::{Home, state_files};
use crate::systems::{Candidate, Case, Contents, Hit, Marker, Sniffed, System};
use crate::world::World;
use crate::world::liveness::OwnFiles;

const NAME: SystemName = SystemName("mgw");

/// The system.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mgw;

impl System for Mgw {
    fn name(&self) -> SystemName {
        NAME
    }

    fn markers(&self) -> &'static [Marker] {
        &[Marker::Dir(state_files::FOLDER), Marker::Repository]
    }

    fn sniff(&self, hit: &Hit, world: &dyn World) -> Sniffed {
        if hit.marker == Marker::Repository {
            return discovery::sniff_repository(hit, world);
        }
        discovery::sniff(hit, world)
    }

    fn is_append_only(&self, file: &Path, _: &dyn World) -> bool {
        let mut above = file.ancestors().skip(1).filter_map(Path::file_name);
        file.extension() == Some(OsStr::new("jsonl"))
            && above.next() == Some(OsStr::new("logs"))
            && above.next() == Some(OsStr::new(state_files::FOLDER))
    }

    fn recorder(&self) -> Option<&'static Recorder> {
        Some(&forms::RECORDER)
    }

    fn open(&self, candidate: &Candidate, world: &dyn World) -> Box<dyn Case> {
        let number = candidate.native.lossy();
        let facts = Facts::gather(world, &candidate.anchor, &number);
        let target = target::decide(&facts);
        let contents = reading::read(world, &facts, target.as_ref());
        Box::new(Issue {
            facts,
            target,
            contents,
        })
    }
}

/// One issue that was read.
pub(crate) struct Issue {
    facts: Facts,
    target: Option<Target>,
    contents: Contents,
}

impl Issue {
    fn scene<'a>(&'a self, world: &'a dyn World) -> Option<Scene<'a>> {
        Scene::of(world, &self.facts, self.target.as_ref()?)
    }
}

impl Case for Issue {
    fn contents(&self) -> &Contents {
        &self.contents
    }

    fn recorded_cause(&self, own: Option<&OwnWrites>, world: &dyn World) -> Option<Cause> {
        causes::recorded(self, own, world.clock())
    }

    fn verify(&self, world: &dyn World) -> Vec<Check> {
        checks::checks(world, &self.facts, self.target.as_ref())
    }

    fn checkpoints(&self, world: &dyn World) -> Vec<Checkpoint> {
        checkpoints::checkpoints(world, &self.facts)
    }

    fn boundaries(&self, checks: &[Check], world: &dyn World) -> Vec<Boundary> {
        let scene = self.scene(world);
        scene.map_or_else(Vec::new, |scene| points::boundaries(&scene, checks))
    }

    fn restored_state(&self, _file: &Path, saved: &[u8], now: &[u8]) -> Option<Vec<u8>> {
        record::merge::merge(saved, now)
    }

    fn irreversible(&self, _: &dyn World) -> Vec<Irreversible> {
        irreversible::all(&self.facts, &self.contents.timeline)
    }

    fn own_files(&self) -> Vec<OwnFiles<'_>> {
        let facts = &self.facts;
        let state = |rel: &Path| {
            let folder = rel.parent().and_then(Path::to_str);
            let home = Home::ALL.iter().any(|home| folder == Some(home.word()));
            let name = rel.file_name().and_then(state_files::Name::parse);
            home && name.is_some_and(|name| name.number == facts.number)
        };
        let tree = facts.branch.present().filter(|tree| *tree != facts.root);
        let tops = std::iter::once(facts.root.as_path()).chain(tree);
        let states = tops.map(|top| OwnFiles::new(top.join(state_files::FOLDER), state));
        let documents = tree.map(|tree| OwnFiles::all(tree.join(".planning")));
        states.chain(documents).collect()
    }

    fn trails(&self, world: &dyn World) -> Vec<Trail> {
        trails::trails(&self.facts, world)
    }

    fn intent(&self, point: &PointId, options: &PlanOptions, world: &dyn World) -> Option<Intent> {
        intent::intent(&self.scene(world)?, point, options)
    }

    fn handoff(&self, prospect: &Prospect<'_>, world: &dyn World) -> Handoff {
        let made = self.scene(world);
        let made = made.and_then(|scene| handoff::handoff(&scene, prospect));
        made.unwrap_or_default()
    }
}
