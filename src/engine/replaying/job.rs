//! The side of a run that a cluster's node executes: one run, from its folder alone.

use std::path::Path;
use std::sync::Mutex;

use super::blocks::{Blocks, Todo, Work};
use super::progress::Telling;
use super::{begins, continues};
use crate::apply::disk::RealDisk;
use crate::engine::{Engine, EngineError, ErrorKind, Result};
use crate::model::{Cancel, ReplaySession, SessionState};
use crate::replay::session::{self, Session};
use crate::text::Shown as _;

impl Engine {
    /// Executes the run whose folder this is, made or not: starts it, or continues it. One that is complete is left
    /// as it is, so that a job which the cluster starts a second time does no harm.
    pub fn replay_in_folder(&self, folder: &Path, cancel: &Cancel) -> Result<ReplaySession> {
        let absent = || {
            let text = format!("{} is not the directory of a run.", folder.shown());
            EngineError::new(ErrorKind::NotFound, text)
        };
        RealDisk::available().map_err(EngineError::refused)?;
        let (state, pipeline, id) = session::place_of(folder).ok_or_else(absent)?;
        let world = self.world.as_ref();
        // With the others of its experiment: beside runs with a number a run without one lacks it.
        let sessions = session::all(world, &state, &pipeline).unwrap_or_default();
        let known = sessions.into_iter().find(|one| one.id == id);
        let experiments = session::experiments(&state, &pipeline);
        let found = experiments.iter().find_map(|one| {
            let run = one.runs().into_iter().find(|run| run.id == id)?;
            Some((one, run))
        });
        let telling = Telling::new(&|_| {}, std::iter::empty());
        let Some((experiment, run)) = found else {
            known.ok_or_else(absent)?;
            let ground = self.session_ground(&state);
            let (mut session, plan) = continues(Session::reopen(&ground, &pipeline, &id))?;
            continues(self.run_and_measure(&mut session, &plan, &telling, cancel))?;
            return Ok(session.about.clone());
        };
        match known {
            Some(one) if is_complete(&one) => Ok(one),
            known => {
                let blocks = Blocks {
                    work: Work {
                        engine: self,
                        state: &state,
                        plan: &begins(session::plan_of(&state, &pipeline, &experiment.id))?,
                        telling: &telling,
                        cancel,
                    },
                    experiment,
                };
                let again = known.is_some();
                blocks.one(&Todo { run, again }, &Mutex::default())
            }
        }
    }
}

/// Whether nothing is left of a run. One that was cut short before its metrics were measured, or in which one of them
/// could not be, is run again, which only measures them.
pub(super) fn is_complete(session: &ReplaySession) -> bool {
    match session.state {
        SessionState::Done => !session.lacks_values(),
        SessionState::HandedOver => true,
        SessionState::Running
        | SessionState::Interrupted
        | SessionState::Cancelled
        | SessionState::Unreadable => false,
    }
}
