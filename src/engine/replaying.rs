//! Replays, as a face may ask for them.

use super::{Engine, EngineError, ErrorKind};
use crate::model::{
    Cancel, PipelineId, Plan, ReplayPlan, ReplayProgress, ReplaySession, SessionId,
};

/// How the progress of a replay is told.
pub type TellReplay<'a> = &'a (dyn Fn(&ReplayProgress) + Sync);

impl Engine {
    /// Runs a plan as often as it says, one run after the other, and answers with its sessions. Refused where a
    /// conflict is open or the plan is no longer the one that was made. A cancelled run is an answer too. With
    /// [`crate::model::ReplayAsk::in_place`] the work tree must already be where it begins, see
    /// [`Engine::replay_ground`].
    pub fn replay(
        &self,
        plan: &ReplayPlan,
        tell: TellReplay<'_>,
        cancel: &Cancel,
    ) -> Result<Vec<ReplaySession>, EngineError> {
        let _ = (plan, tell, cancel);
        Err(EngineError::new(
            ErrorKind::Refused,
            "Replays are not built yet.",
        ))
    }

    /// Goes on with a session that a crash or a person cut short.
    pub fn replay_continue(
        &self,
        id: &PipelineId,
        session: &SessionId,
        tell: TellReplay<'_>,
        cancel: &Cancel,
    ) -> Result<ReplaySession, EngineError> {
        let _ = (id, session, tell, cancel);
        Err(EngineError::new(
            ErrorKind::Refused,
            "Replays are not built yet.",
        ))
    }

    /// The recovery that puts the user's work tree to where a replay in place begins; it is agreed to and
    /// carried out like any other before [`Engine::replay`].
    pub fn replay_ground(&self, plan: &ReplayPlan) -> Result<Plan, EngineError> {
        let _ = plan;
        Err(EngineError::new(
            ErrorKind::Refused,
            "Replays are not built yet.",
        ))
    }

    /// The replays of a pipeline, newest first: those in folders of their own, and those that its manifest
    /// records.
    pub fn replays(&self, id: &PipelineId) -> Result<Vec<ReplaySession>, EngineError> {
        let _ = id;
        Ok(Vec::new())
    }
}
