//! Which run a session is.

use crate::model::{ExperimentRun, RunPlace, SessionId};

/// One run that is to be made: a lone one, or one of an experiment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The id of its session.
    pub id: SessionId,
    /// The id that all runs of its experiment share.
    pub group: SessionId,
    /// Its number among them, from 1, and how many there are.
    pub repeat: (usize, usize),
    /// Its arm and block.
    pub place: Option<RunPlace>,
}

impl Member {
    /// A run by itself.
    pub fn lone(id: &SessionId) -> Self {
        Self {
            id: id.clone(),
            group: id.clone(),
            repeat: (1, 1),
            place: None,
        }
    }
}

impl From<ExperimentRun> for Member {
    fn from(run: ExperimentRun) -> Self {
        Self {
            id: run.id,
            group: run.place.experiment.clone(),
            repeat: run.repeat,
            place: Some(run.place),
        }
    }
}
