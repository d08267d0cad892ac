//! The replays of a pipeline for a list, with the verdicts of its experiments.

use super::super::experiments::{is_replayable, refusal};
use super::super::{Engine, Result};
use super::known::Known;
use crate::model::{
    ComparisonVerdict, JudgedExperiment, MetricJudged, PipelineId, ReplayDetails, ReplayList,
    SessionId,
};
use crate::replay::compare::compare;

/// Those of the metrics that decide.
fn deciding(mut others: Vec<MetricJudged>) -> Vec<MetricJudged> {
    others.retain(|one| one.verdict != ComparisonVerdict::NotJudged);
    others
}

impl Engine {
    /// The replays of a pipeline and its experiments.
    pub fn replay_list(&self, id: &PipelineId) -> Result<ReplayList> {
        self.reopen(id)?;
        self.replay_list_as_read(id)
    }

    /// The same of the pipeline as it was read last: for who has just read it.
    pub fn replay_list_as_read(&self, id: &PipelineId) -> Result<ReplayList> {
        let opened = self.recall(id)?;
        Ok(ReplayList {
            sessions: self.replays_of(&opened)?,
            experiments: self.replay_experiments(id).unwrap_or_default(),
            unsupported: (!is_replayable(&opened)).then(|| refusal(&opened).text),
        })
    }

    /// The verdicts on the experiments of a pipeline, oldest first. Reads every output.
    pub fn replay_verdicts(&self, id: &PipelineId) -> Result<Vec<JudgedExperiment>> {
        Ok(self.all_judged(&self.known(id)?))
    }

    /// The verdicts and sizes of the replays of a pipeline. Reads every output and every entry of their folders.
    pub fn replay_details(&self, id: &PipelineId) -> Result<ReplayDetails> {
        let known = self.known(id)?;
        let sizes = self.replay_sizes(&known.sessions);
        Ok(ReplayDetails {
            judged: self.all_judged(&known),
            bytes: sizes.into_iter().flat_map(|one| one.runs).collect(),
        })
    }

    /// The experiments with two arms, with their verdicts.
    fn all_judged(&self, known: &Known) -> Vec<JudgedExperiment> {
        let all = known.experiments.iter();
        all.filter_map(|one| self.judged(known, &one.id)).collect()
    }

    /// An experiment with its verdict; `None` where it has no two arms.
    pub(in crate::engine) fn judged(
        &self,
        known: &Known,
        id: &SessionId,
    ) -> Option<JudgedExperiment> {
        let arms = self.arms_to_show(known, std::slice::from_ref(id), &mut Vec::new())?;
        let compared = compare(arms.gathered, Some(arms.facts));
        Some(JudgedExperiment {
            id: id.clone(),
            verdict: compared.verdict,
            text: compared.verdict_text,
            statistics: compared.statistics?,
            others: deciding(compared.others),
        })
    }
}
