//! What a face may ask for: survey, read, verify, climb, plan, show. The only room that both faces call;
//! it assembles the world and hands data from room to room, and has no judgement of its own.

mod acting;
mod checkpoints;
mod dossier;
mod error;
mod ground;
mod ids;
mod planning;
mod previews;
mod request;
mod sandbox;
mod select;
mod survey;
mod viewer;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, FixedOffset};

pub use crate::apply::Consent;
pub use acting::{PurgeReport, Settle, Settled};
pub use dossier::Dossier;
pub use error::{EngineError, ErrorKind};
pub use previews::Sides;
pub use request::{Hidden, Request, Scope, Skipped, Survey};
pub use sandbox::SANDBOX_MARK;

use crate::model::{Pipeline, PipelineId};
use crate::systems::{Candidate, Case, SYSTEMS, System};
use crate::world::World;
use crate::world::real::RealWorld;

/// A pipeline that was opened, with what it was opened from.
pub(crate) struct Opened {
    candidate: Candidate,
    case: Box<dyn Case>,
    pipeline: Pipeline,
}

/// The engine. Shared by threads; every call answers for itself.
pub struct Engine {
    world: Box<dyn World>,
    systems: &'static [&'static dyn System],
    /// Directories that the configuration names, walked in the machine scope.
    roots: Vec<std::path::PathBuf>,
    /// What was opened last, by id.
    opened: Mutex<HashMap<PipelineId, Arc<Opened>>>,
}

impl Engine {
    /// An engine over a world, with the roots that the configuration names.
    pub fn new(world: Box<dyn World>, roots: Vec<std::path::PathBuf>) -> Self {
        Self {
            world,
            systems: SYSTEMS,
            roots,
            opened: Mutex::default(),
        }
    }

    /// An engine over this machine, or over the sandbox that one of the paths lies in.
    pub fn of_this_machine(mut roots: Vec<std::path::PathBuf>, paths: &[&std::path::Path]) -> Self {
        let git = Box::new(crate::git::RealGit);
        let world = match paths.iter().find_map(|path| sandbox::around(path)) {
            Some(sandbox) => {
                roots.push(sandbox.projects);
                RealWorld::with_places(git, sandbox.places)
            }
            None => RealWorld::new(git),
        };
        Self::new(Box::new(world), roots)
    }

    /// Now, by the world's clock.
    pub fn now(&self) -> DateTime<FixedOffset> {
        self.world.clock().now()
    }

    /// The names of the systems it reads.
    pub fn systems(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.systems.iter().map(|system| system.name().0)
    }

    fn remember(&self, opened: Arc<Opened>) {
        let mut all = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(opened.pipeline.id.clone(), opened);
    }

    fn recall(&self, id: &PipelineId) -> Result<Arc<Opened>, EngineError> {
        let all = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(id)
            .cloned()
            .ok_or_else(|| EngineError::not_found(id.0.as_bytes()))
    }

    /// Reads a candidate and judges it, under an id of the usual length.
    fn open(&self, candidate: Candidate) -> Option<Opened> {
        let system = self
            .systems
            .iter()
            .find(|system| system.name() == candidate.system)?;
        let case = system.open(&candidate, self.world.as_ref());
        let id = ids::id(case.reading(), ids::USUAL);
        let pipeline = crate::recover::assess::pipeline(case.reading(), id, self.now().to_utc());
        Some(Opened {
            candidate,
            case,
            pipeline,
        })
    }

    /// The same pipeline, read anew under the id it has.
    fn reopen(&self, id: &PipelineId) -> Result<Arc<Opened>, EngineError> {
        let before = self.recall(id)?;
        let mut opened = self
            .open(before.candidate.clone())
            .ok_or_else(|| EngineError::not_found(id.0.as_bytes()))?;
        opened.pipeline.id = id.clone();
        let opened = Arc::new(opened);
        self.remember(Arc::clone(&opened));
        Ok(opened)
    }
}
