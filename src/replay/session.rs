//! Sessions: a folder each under `replays/<pipeline>/<session>/` of relight's state, with the tree, the dispatch
//! files, the outputs, the manifest that is continued, and the record of what was planned.

use std::io;
use std::path::Path;

use chrono::{DateTime, FixedOffset};

use super::run::{Begun, Book, Ended, RunStep};
use crate::apply::disk::RealDisk;
use crate::model::{PipelineId, ReplayPlan, ReplaySession, SessionId, SessionState};
use crate::world::World;

/// A session that is held by this process.
#[derive(Debug)]
pub struct Session {
    /// The same for a face.
    pub about: ReplaySession,
}

/// What sessions are made with.
pub struct Ground<'a> {
    /// The disk.
    pub disk: &'a RealDisk,
    /// The world.
    pub world: &'a dyn World,
    /// The canonical state folder.
    pub state: &'a Path,
    /// Now.
    pub now: DateTime<FixedOffset>,
}

/// What is told while the tree is made: files made, and how many there will be.
pub type TellTree<'a> = &'a dyn Fn(u64, u64);

impl Session {
    /// Begins one of `of` runs (`repeat` counts from 1): its folder, its tree, the copy of the manifest.
    pub fn create(
        ground: &Ground<'_>,
        plan: &ReplayPlan,
        group: &SessionId,
        (repeat, of): (usize, usize),
        tell: TellTree<'_>,
    ) -> io::Result<Self> {
        let _ = (ground, plan, group, repeat, of, tell);
        Err(io::Error::other("sessions are not built yet"))
    }

    /// Takes one up again that was cut short or cancelled, with the plan that it recorded.
    pub fn reopen(
        ground: &Ground<'_>,
        pipeline: &PipelineId,
        id: &SessionId,
    ) -> io::Result<(Self, ReplayPlan)> {
        let _ = (ground, pipeline, id);
        Err(io::Error::other("sessions are not built yet"))
    }

    /// Records how it ended.
    pub fn close(&mut self, state: SessionState) -> io::Result<()> {
        let _ = state;
        Err(io::Error::other("sessions are not built yet"))
    }
}

impl Book for Session {
    fn steps(&self) -> Vec<RunStep> {
        Vec::new()
    }

    fn begin(&mut self, step: usize, attempt: u32) -> io::Result<Begun> {
        let _ = (step, attempt);
        Err(io::Error::other("sessions are not built yet"))
    }

    fn end(&mut self, step: usize, ended: &Ended) -> io::Result<()> {
        let _ = (step, ended);
        Err(io::Error::other("sessions are not built yet"))
    }
}

/// The sessions of a pipeline that have folders, oldest first. Reads only.
pub fn all(
    world: &dyn World,
    state: &Path,
    pipeline: &PipelineId,
) -> io::Result<Vec<ReplaySession>> {
    let _ = (world, state, pipeline);
    Ok(Vec::new())
}
