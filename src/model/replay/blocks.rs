//! An experiment: two arms, run block by block.

use super::{RunsOn, SessionId};
use crate::model::{Arm, Foreign, OwnMetric, RunPlace, Stamp};
use crate::string_enum;

string_enum! {
    /// Why an experiment runs no further.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum ExperimentEnd {
        /// Every block was run.
        Complete = "complete",
        /// A verdict is reached.
        Decided = "decided",
        /// No verdict can be reached with the blocks that are left.
        Unreachable = "unreachable",
    }
}

/// What was fixed of an experiment before its first run, and how far it is.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ReplayExperiment {
    /// Its id: that of all its runs without their number.
    pub id: SessionId,
    /// Its arms: control and mutated, or one of them.
    pub arms: Vec<Arm>,
    /// Blocks that are planned.
    pub blocks: usize,
    /// Blocks that were planned before the first run.
    #[serde(rename = "fixed_blocks")]
    pub fixed: usize,
    /// True where every block is run, whatever the verdict.
    pub all: bool,
    /// True where the evidence of earlier experiments of the same question is not continued.
    pub fresh: bool,
    /// Runs side by side.
    pub parallel: usize,
    /// Where they are executed.
    #[serde(default)]
    pub on: RunsOn,
    /// What the order within the blocks was drawn from.
    pub seed: String,
    /// A digest of what is asked: mutations, boundary, runner, limits, metric.
    pub question: String,
    /// Metrics of a person's own; the first decides.
    pub metrics: Vec<OwnMetric>,
    /// Dispatches that were to be swapped and whose text is the same in both arms.
    pub unswapped: usize,
    /// Runs that were deleted after they had ended and counted. Running one again draws another outcome.
    #[serde(default)]
    pub purged: Vec<SessionId>,
    /// When it was begun; its record has that in its plan.
    #[serde(skip)]
    pub started_at: Option<Stamp>,
    /// Why Slurm rejected its jobs, where it did at the last try.
    #[serde(skip)]
    pub rejected: Option<Foreign>,
    /// Why it runs no further; `None` while something is left.
    pub end: Option<ExperimentEnd>,
}

/// One run of an experiment, begun or not.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ExperimentRun {
    /// The id of its session.
    pub id: SessionId,
    /// Its number among all runs, from 1, and how many there are.
    pub repeat: (usize, usize),
    /// Its arm and block.
    pub place: RunPlace,
}

impl ReplayExperiment {
    /// The runs, block by block, control first: as they are listed, not as they are run.
    pub fn runs(&self) -> Vec<ExperimentRun> {
        let of = self.blocks * self.arms.len();
        let places =
            (1..=self.blocks).flat_map(|block| self.arms.iter().map(move |arm| (block, *arm)));
        places
            .enumerate()
            .map(|(at, (block, arm))| ExperimentRun {
                id: SessionId(format!("{}-{}", self.id, at + 1)),
                repeat: (at + 1, of),
                place: RunPlace {
                    experiment: self.id.clone(),
                    arm,
                    block,
                },
            })
            .collect()
    }

    /// True where it has both arms, so that it can be judged.
    pub fn is_judged(&self) -> bool {
        self.arms.len() == 2
    }
}
