//! Plans of replays.

use super::{Engine, EngineError, ErrorKind};
use crate::model::{PipelineId, ReplayAsk, ReplayPlan};

impl Engine {
    /// The plan of a replay: validated, with nothing written. `Usage` for words that do not fit, `Refused` where
    /// the disk stands against it. A plan with open conflicts is an answer; only running it is refused.
    pub fn replay_plan(&self, id: &PipelineId, ask: &ReplayAsk) -> Result<ReplayPlan, EngineError> {
        let _ = (id, ask);
        Err(EngineError::new(
            ErrorKind::Refused,
            "Replays are not built yet.",
        ))
    }
}
