//! Comparisons on request of a front end.

mod anew;
mod arms;
mod changes;
mod known;
mod listed;
mod listing;
mod operands;
mod order;
mod record;
mod replayed;
mod sides;
mod texts;

use arms::Arms;
pub(super) use arms::counted;
use known::Choice;
pub(super) use known::Known;

use super::{Engine, EngineError, ErrorKind, Result};
use crate::model::{
    Artifacts, Comparison, ExperimentFacts, Foreign, Operand, OwnMetric, Party, PipelineId, Run,
    RunTree, SessionId,
};
use crate::replay::compare::compare;
use crate::text::distinct;
use crate::text::format::list;

impl Engine {
    /// What can be compared of a pipeline, in order: the original and its replays, newest last; rounds; stages;
    /// recoveries.
    pub fn operands(&self, id: &PipelineId) -> Result<Vec<Operand>> {
        Ok(self.known(id)?.operands())
    }

    /// Compares two operands. Without any, the original with its newest replay, or where the system has none the
    /// newest run or recovery with what it follows; with one, what it follows: `original` for a session, the
    /// round before, the newest earlier version of a stage, the state before a recovery. A word may be shortened
    /// while it is unambiguous; one that several repeats share is all of them.
    pub fn compare(&self, id: &PipelineId, a: Option<&str>, b: Option<&str>) -> Result<Comparison> {
        self.compare_by(id, (a, b), None)
    }

    /// The same by another metric than the one that decides. One that was not declared to decide before the first run
    /// is not judged.
    pub fn compare_by(
        &self,
        id: &PipelineId,
        (a, b): (Option<&str>, Option<&str>),
        metric: Option<&str>,
    ) -> Result<Comparison> {
        let known = self.known(id)?;
        let sides = known.sides(a, b)?;
        let mut found = self.compare_sides(&known, &sides, metric)?;
        if a.is_none() && b.is_none() {
            found.notes.extend(known.passed_over());
        }
        Ok(found)
    }

    fn compare_sides(
        &self,
        known: &Known,
        (a, b): &(Choice, Choice),
        metric: Option<&str>,
    ) -> Result<Comparison> {
        let mut skipped = Vec::new();
        let (mut gathered, experiment) = match arms_of(a, b) {
            Some(ids) => {
                let arms = self.arms_to_show(known, ids, &mut skipped);
                let mut arms = arms.ok_or_else(nowhere)?;
                if let Some(name) = metric {
                    arms.facts = by_metric(&arms, name)?;
                }
                (arms.gathered, Some(arms.facts))
            }
            None if metric.is_some() => {
                let text = "--metric is for the two arms of an experiment.";
                return Err(EngineError::usage(text));
            }
            None => {
                let judged_by = known.judged_by(&[a, b]);
                let began = replayed::began(known, b);
                let first = self.party(known, (a, b), began, &mut skipped)?;
                let second = self.party(known, (b, a), began, &mut skipped)?;
                let gathered = Comparison {
                    judged_by,
                    ..Comparison::new(known.id().clone(), first, second)
                };
                (gathered, None)
            }
        };
        gathered.artifacts = self.artifacts(&gathered.a, &gathered.b, &mut skipped);
        gathered.templates = self.templates(known, &gathered.a, &gathered.b);
        gathered.skipped = skipped;
        Ok(compare(gathered, experiment))
    }

    /// The report of a replay that has ended: the original beside it, and for an experiment with two arms the verdict
    /// on them, of which the original is no side.
    pub fn compare_ended(&self, id: &PipelineId, replay: Option<&str>) -> Result<Comparison> {
        let known = self.known(id)?;
        let beside = known.sides(Some("original"), replay)?;
        let beside = self.compare_sides(&known, &beside, None)?;
        let (a, b) = known.sides(None, replay)?;
        let ids = arms_of(&a, &b);
        let Some(arms) = ids.and_then(|ids| self.arms_to_show(&known, ids, &mut Vec::new())) else {
            return Ok(beside);
        };
        let arms = compare(arms.gathered, Some(arms.facts));
        Ok(Comparison {
            beside: arms.beside,
            statistics: arms.statistics,
            verdict: arms.verdict,
            verdict_text: arms.verdict_text,
            others: arms.others,
            confounders: arms.confounders,
            notes: arms.notes,
            ..beside
        })
    }

    /// The files that differ between the first runs of two parties.
    fn artifacts(&self, a: &Party, b: &Party, skipped: &mut Vec<Foreign>) -> Option<Artifacts> {
        let (a, b) = (a.runs.first()?, b.runs.first()?);
        let base = |run: &Run| {
            let (repo, commit) = run.base.clone()?;
            Some(RunTree::Commit { repo, commit })
        };
        let (base_a, base_b) = (base(a), base(b));
        let bases = (base_a.as_ref(), base_b.as_ref());
        match self.changed_files(&a.tree, &b.tree, (&a.name, &b.name), bases) {
            Ok(found) => found,
            Err(why) => {
                skipped.push(format!("The files were not compared: {why}.").into());
                None
            }
        }
    }
}

/// The experiments whose two arms the sides are, in whichever order they were named: A is the control.
fn arms_of<'a>(a: &'a Choice, b: &Choice) -> Option<&'a [SessionId]> {
    match (a, b) {
        (Choice::Arm(one, arm), Choice::Arm(other, other_arm))
            if one == other && arm != other_arm =>
        {
            Some(one)
        }
        _ => None,
    }
}

/// The facts of an experiment with another metric in the first place.
fn by_metric(arms: &Arms, name: &str) -> Result<ExperimentFacts> {
    let facts = &arms.facts;
    if facts.primary.as_ref().is_some_and(|one| one.name == name) {
        return Ok(facts.clone());
    }
    if let Some(other) = facts.others.iter().find(|one| one.name == name) {
        return Ok(facts.by(other));
    }
    let sides = &arms.gathered;
    let runs = sides.a.runs.iter().chain(&sides.b.runs);
    let measured = runs.flat_map(|run| &run.measured);
    let known = distinct(measured.map(|(name, _)| name.as_str()));
    if !known.contains(&name) {
        let text = format!("No run of the experiment measured {name}.");
        let hint = match known.as_slice() {
            [] => "To measure something, replay with --metric NAME=CMD.".to_owned(),
            known => format!("Measured were {}.", list(known)),
        };
        return Err(EngineError::new(ErrorKind::NotFound, text).hint(hint));
    }
    Ok(facts.by(&OwnMetric {
        name: name.to_owned(),
        command: Vec::new(),
        lower_is_better: false,
        margin: None,
        primary: false,
    }))
}

/// A place in a comparison that is not there.
fn nowhere() -> EngineError {
    let text = "There is no such row in this comparison.";
    EngineError::new(ErrorKind::NotFound, text)
}

#[cfg(test)]
mod tests;
