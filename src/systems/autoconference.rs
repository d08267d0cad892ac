//! Autoconference: a chair agent that leads parallel researchers through rounds of four phases. Everything
//! lies in one directory; the append-only log `conference_events.jsonl` is the declared source of truth, and
//! real logs drift from its documentation.
//!
//! What the rooms below may not do: write, start anything, or judge whether the conference is alive.

mod files;
mod read;
mod records;
mod required;
mod resume;
mod runs;
#[cfg(test)]
mod sample;
mod state;
mod verify;
mod worktrees;

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use super::records::Trail;
use super::{Candidate, Case, Hit, Marker, Sniffed, System};
use crate::model::{
    Boundary, Check, Checkpoint, Foreign, Handoff, Intent, PlanOptions, PointId, Prospect, Reading,
    Recovery, Run, Step, SystemName, Timeline,
};
use crate::world::World;

use files::Raw;
use required::Required;
use state::State;
use worktrees::Trees;

const NAME: SystemName = SystemName("autoconference");

/// The system's entry in [`super::SYSTEMS`].
#[derive(Debug, Clone, Copy)]
pub struct Autoconference;

impl System for Autoconference {
    fn name(&self) -> SystemName {
        NAME
    }

    fn markers(&self) -> &'static [Marker] {
        &[Marker::File(files::EVENTS), Marker::File(files::CONFIG)]
    }

    fn sniff(&self, hit: &Hit, world: &dyn World) -> Sniffed {
        let name = hit.path.file_name().unwrap_or_default();
        let marker = name == files::EVENTS || name == files::CONFIG;
        let dir = if marker {
            hit.path.parent()
        } else {
            Some(hit.path.as_path())
        };
        let Some(dir) = dir else {
            return Sniffed::NotOurs("it has no directory".into());
        };
        match files::sniff::sniff(dir, world) {
            Err(why) => Sniffed::NotOurs(why.into()),
            Ok(()) => Sniffed::Ours(vec![candidate(dir, hit, world)]),
        }
    }

    fn is_append_only(&self, file: &Path, _: &dyn World) -> bool {
        file.file_name() == Some(OsStr::new(files::EVENTS))
    }

    fn open(&self, candidate: &Candidate, world: &dyn World) -> Box<dyn Case> {
        let raw = Raw::load(&candidate.anchor, world);
        let state = State::fold(&raw);
        let trees = Trees::look(&raw, &state, world);
        let missing = required::missing(&raw, &state, world);
        let reading = read::reading(&raw, &state, &trees, &missing, world);
        Box::new(Conference {
            timeline: Arc::new(read::timeline::events(&raw)),
            raw,
            state,
            trees,
            missing,
            reading,
        })
    }
}

fn candidate(dir: &Path, hit: &Hit, world: &dyn World) -> Candidate {
    let anchor = world
        .files()
        .canonical(dir)
        .unwrap_or_else(|| dir.to_owned());
    let native = anchor
        .file_name()
        .map_or_else(|| "conference".into(), Foreign::from);
    Candidate {
        system: NAME,
        native,
        anchor,
        sources: vec![hit.path.clone()],
        work_tree: None,
    }
}

/// A conference that was read.
struct Conference {
    raw: Raw,
    state: State,
    trees: Trees,
    /// Files without which it cannot be resumed.
    missing: Vec<Required>,
    reading: Reading,
    timeline: Timeline,
}

impl Case for Conference {
    fn reading(&self) -> &Reading {
        &self.reading
    }

    fn timeline(&self) -> Timeline {
        Arc::clone(&self.timeline)
    }

    fn verify(&self, world: &dyn World) -> Vec<Check> {
        verify::all(self, world)
    }

    fn checkpoints(&self, world: &dyn World) -> Vec<Checkpoint> {
        resume::checkpoints::all(self, world)
    }

    fn boundaries(
        &self,
        checks: &[Check],
        _checkpoints: &[Checkpoint],
        world: &dyn World,
    ) -> Vec<Boundary> {
        resume::boundaries(self, checks, world)
    }

    fn trails(&self, _: &dyn World) -> Vec<Trail> {
        records::trails(&self.raw)
    }

    fn runs(&self, world: &dyn World) -> Vec<Run> {
        runs::all(self, world)
    }

    fn undo_lines(&self, recovery: &Recovery) -> Vec<Step> {
        resume::undone(self, recovery).into_iter().collect()
    }

    fn intent(
        &self,
        point: &PointId,
        _options: &PlanOptions,
        _checks: &[Check],
        _checkpoints: &[Checkpoint],
        world: &dyn World,
    ) -> Option<Intent> {
        resume::intent(self, point, world)
    }

    fn handoff(&self, prospect: &Prospect<'_>, _: &dyn World) -> Handoff {
        resume::handoff::of(self, prospect)
    }
}
