//! Comparisons, as a face may ask for them.

mod arms;
mod changes;
mod known;
mod listed;
mod listing;
mod operands;
mod record;
mod replayed;
mod report;
mod sides;
mod texts;

use std::path::PathBuf;

use known::Choice;
pub(super) use known::Known;

use super::{Engine, EngineError, ErrorKind, Sides};
use crate::model::{Arm, Artifacts, Compared, Comparison, Foreign, Operand, Party, PipelineId};
use crate::replay::compare::{Inputs, compare};

impl Engine {
    /// What can be compared of a pipeline, in order: the original and its replays, newest last; rounds; stages;
    /// recoveries.
    pub fn operands(&self, id: &PipelineId) -> Result<Vec<Operand>, EngineError> {
        let known = self.known(id)?;
        Ok(known.operands())
    }

    /// Compares two operands. Without any, the original with its newest replay, or where the system has none the
    /// newest run or recovery with what it follows; with one, what it follows: `original` for a session, the
    /// round before, the newest earlier version of a stage, the state before a recovery. A word may be shortened
    /// while it is unambiguous; one that several repeats share is all of them.
    pub fn compare(
        &self,
        id: &PipelineId,
        a: Option<&str>,
        b: Option<&str>,
    ) -> Result<Comparison, EngineError> {
        let known = self.known(id)?;
        let (a, b) = known.sides(a, b)?;
        let mut skipped = Vec::new();
        let (a, b, experiment, original) = match (&a, &b) {
            (Choice::Arm(one, Arm::Control), Choice::Arm(other, Arm::Mutated)) if one == other => {
                let arms = self.arms(&known, one, &mut skipped).ok_or_else(nowhere)?;
                (arms.a, arms.b, Some(arms.facts), arms.original)
            }
            _ => {
                let began = replayed::began(&known, &b);
                let a = self.party(&known, &a, began, &mut skipped)?;
                let b = self.party(&known, &b, began, &mut skipped)?;
                (a, b, None, None)
            }
        };
        let artifacts = self.artifacts(&a, &b, &mut skipped);
        Ok(compare(Inputs {
            pipeline: id.clone(),
            templates: self.templates(&known, &a, &b),
            artifacts,
            experiment,
            original,
            a,
            b,
            skipped,
        }))
    }

    /// The report of a replay that has ended: the original beside it, and for an experiment with two arms the verdict
    /// on them, of which the original is no side.
    pub fn compare_ended(
        &self,
        id: &PipelineId,
        replay: Option<&str>,
    ) -> Result<Comparison, EngineError> {
        let beside = self.compare(id, Some("original"), replay)?;
        let arms = self.compare(id, None, replay)?;
        if arms.statistics.is_none() {
            return Ok(beside);
        }
        Ok(Comparison {
            statistics: arms.statistics,
            verdict: arms.verdict,
            verdict_text: arms.verdict_text,
            confounders: arms.confounders,
            notes: arms.notes,
            ..beside
        })
    }

    /// The files that differ between the first runs of two parties.
    fn artifacts(&self, a: &Party, b: &Party, skipped: &mut Vec<Foreign>) -> Option<Artifacts> {
        let (a, b) = (a.runs.first()?, b.runs.first()?);
        match self.changed_files(&a.tree, &b.tree, (&a.name, &b.name)) {
            Ok(found) => found,
            Err(why) => {
                skipped.push(format!("The files were not compared: {why}.").into());
                None
            }
        }
    }

    /// Two texts of a comparison.
    pub fn compared(&self, comparison: &Comparison, what: Compared) -> Result<Sides, EngineError> {
        self.two_texts(comparison, what)
    }

    /// Appends the record of a comparison beside the manifest of each session of B that has a folder of its own,
    /// and answers with the files. A line that is there already is not written again.
    pub fn keep_report(&self, comparison: &Comparison) -> Result<Vec<PathBuf>, EngineError> {
        self.record_comparison(comparison)
    }
}

/// A place in a comparison that is not there.
fn nowhere() -> EngineError {
    EngineError::new(
        ErrorKind::NotFound,
        "There is no such row in this comparison.",
    )
}

#[cfg(test)]
mod tests;
