//! Autoconference: a chair agent that leads parallel researchers through rounds of four phases. All files are in one
//! directory. The append-only log `conference_events.jsonl` is the declared source of truth, but real logs drift from
//! its documentation.
//!
//! The modules below must not write, start anything, or judge whether the conference is alive.

mod checks;
mod facts;
mod points;
mod record;
mod shape;
#[cfg(test)]
mod testdata;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::{Candidate, Case, Contents, Hit, Marker, Sniffed, System};
use crate::model::{
    Boundary, Cause, Check, Checkpoint, Handoff, Intent, OwnWrites, PlanOptions, PointId, Prospect,
    Recovery, Run, Step, SystemName,
};
use crate::systems::kit::forms::Recorder;
use crate::systems::kit::trails::Trail;
use crate::world::World;
use crate::world::liveness::OwnFiles;

use facts::worktrees::Trees;
use facts::{State, causes, reading, required, runs};
use shape::{BadFile, Raw};

const NAME: SystemName = SystemName("autoconference");

/// The system's entry in [`super::SYSTEMS`].
#[derive(Debug, Clone, Copy)]
pub struct Autoconference;

impl System for Autoconference {
    fn name(&self) -> SystemName {
        NAME
    }

    fn markers(&self) -> &'static [Marker] {
        &[Marker::File(shape::EVENTS), Marker::File(shape::CONFIG)]
    }

    fn sniff(&self, hit: &Hit, world: &dyn World) -> Sniffed {
        let dir = shape::folder(&hit.path);
        match shape::sniff::sniff(dir, world) {
            Err(why) => Sniffed::NotOurs(why.into()),
            Ok(()) => Sniffed::Ours(vec![candidate(dir, world)]),
        }
    }

    fn is_append_only(&self, file: &Path, _: &dyn World) -> bool {
        file.file_name() == Some(OsStr::new(shape::EVENTS))
    }

    fn recorder(&self) -> Option<&'static Recorder> {
        Some(&record::forms::RECORDER)
    }

    fn open(&self, candidate: &Candidate, world: &dyn World) -> Box<dyn Case> {
        let raw = Raw::load(&candidate.anchor, world);
        let state = State::fold(&raw);
        let trees = Trees::look(&raw, &state, world);
        let missing = required::missing(&raw, &state, world);
        Box::new(Conference {
            contents: Contents {
                reading: reading::reading(&raw, &state, &trees, &missing, world),
                timeline: reading::timeline::events(&raw),
            },
            raw,
            state,
            trees,
            missing,
        })
    }
}

fn candidate(dir: &Path, world: &dyn World) -> Candidate {
    let anchor = world.files().resolved(dir);
    let native = shape::native(&anchor);
    // All of it is read, whichever of its files was found: finding another is no news.
    let sources = vec![anchor.clone()];
    Candidate::new(NAME, native, anchor, sources)
}

/// A conference that was read.
struct Conference {
    raw: Raw,
    state: State,
    trees: Trees,
    /// Required files that are missing or unusable.
    missing: Vec<BadFile>,
    contents: Contents,
}

impl Conference {
    /// The required file of this name, if it is missing or unusable.
    fn missing(&self, name: &str) -> Option<&BadFile> {
        self.missing.iter().find(|file| file.name == name)
    }
}

impl Case for Conference {
    fn contents(&self) -> &Contents {
        &self.contents
    }

    fn recorded_cause(&self, own: Option<&OwnWrites>, _: &dyn World) -> Option<Cause> {
        causes::recorded(&self.raw, &self.state, &self.contents.reading, own)
    }

    fn verify(&self, world: &dyn World) -> Vec<Check> {
        checks::all(self, world)
    }

    fn checkpoints(&self, world: &dyn World) -> Vec<Checkpoint> {
        points::checkpoints::all(self, world)
    }

    fn boundaries(&self, checks: &[Check], world: &dyn World) -> Vec<Boundary> {
        points::boundaries(self, checks, world)
    }

    fn own_files(&self) -> Vec<OwnFiles<'_>> {
        let names = |rel: &Path| rel.to_str().is_some_and(shape::is_named);
        vec![OwnFiles::new(&self.raw.dir, names)]
    }

    fn trails(&self, _: &dyn World) -> Vec<Trail> {
        record::trails(&self.raw)
    }

    fn runs(&self, world: &dyn World) -> Vec<Run> {
        runs::all(self, world)
    }

    fn undo_lines(&self, recovery: &Recovery, keep: &[PathBuf]) -> Vec<Step> {
        // Rows that stay removed fit the resume that removed them, so it stays in force.
        let mut tables = recovery
            .actions
            .iter()
            .filter(|one| !one.kind.touches_tree());
        let stays = tables.any(|table| keep.iter().any(|kept| table.target.starts_with(kept)));
        let line = (!stays).then(|| record::undone(self, recovery));
        line.flatten().into_iter().collect()
    }

    fn restore_steps(
        &self,
        checkpoint: &Checkpoint,
        restored: &[(PathBuf, Option<Vec<u8>>)],
        _: &dyn World,
    ) -> Vec<Step> {
        record::restored(self, checkpoint, restored)
            .into_iter()
            .collect()
    }

    fn intent(&self, point: &PointId, _options: &PlanOptions, world: &dyn World) -> Option<Intent> {
        points::intent(self, point, world)
    }

    fn handoff(&self, prospect: &Prospect<'_>, _world: &dyn World) -> Handoff {
        points::handoff::of(self, prospect)
    }
}
