//! The replays of a pipeline as a list shows them.

use super::{ReplayExperiment, ReplaySession, SessionId};
use crate::model::{ComparisonVerdict, Foreign, MetricJudged, Statistics, VerdictText};

/// Everything that was replayed of a pipeline.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReplayList {
    /// The runs, newest first.
    pub sessions: Vec<ReplaySession>,
    /// The experiments, oldest first. One that was killed before its first run has no session.
    pub experiments: Vec<ReplayExperiment>,
    /// Why pipelines of this system cannot be replayed, in a sentence; `None` where they can.
    pub unsupported: Option<Foreign>,
}

/// What takes longer to find out about the replays of a list.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReplayDetails {
    /// The experiments with two arms.
    pub judged: Vec<JudgedExperiment>,
    /// The bytes that each session takes on the disk.
    pub bytes: Vec<(SessionId, u64)>,
}

/// An experiment with its verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedExperiment {
    /// Its id.
    pub id: SessionId,
    /// The verdict.
    pub verdict: ComparisonVerdict,
    /// The verdict in sentences, with what to do next.
    pub text: VerdictText,
    /// What its blocks add up to.
    pub statistics: Statistics,
    /// The same by the other metrics that decide.
    pub others: Vec<MetricJudged>,
}

impl JudgedExperiment {
    /// Whether every metric that decides has a verdict.
    pub fn is_decided(&self) -> bool {
        let mut others = self.others.iter();
        self.statistics.is_decided() && others.all(|one| one.statistics.is_decided())
    }

    /// How many blocks must be added at least before any of them can have one.
    pub fn lacking(&self) -> u32 {
        let others = self.others.iter().map(|one| one.statistics.lacking);
        others.fold(self.statistics.lacking, u32::min)
    }

    /// The blocks that are advised: as many as any metric that decides needs.
    pub fn adds(&self) -> Option<u32> {
        let others = self.others.iter().map(|one| one.text.adds);
        others.chain([self.text.adds]).flatten().max()
    }
}

/// What continuing an experiment would do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReplayExtension {
    /// The runs that would be run, at most.
    pub runs: usize,
    /// The complete runs that would be measured again.
    pub to_measure: usize,
    /// How many more blocks would have to be added before a verdict can be reached; zero where it can be reached. With
    /// fewer, all of them are run.
    pub lacking: u32,
    /// The runs that were deleted and would be run again, which leaves the experiment without a verdict.
    pub remade: usize,
    /// Why no run can lead to a verdict, and what to do instead.
    pub confounded: Option<Foreign>,
}
