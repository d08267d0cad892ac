//! The record of a session, `session.json`: everything that is needed to continue it after a crash, when the templates
//! and the pipeline may have changed. Written once, before anything is run.

mod isolation;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use chrono::{DateTime, FixedOffset};
use isolation::RecordIsolation;

use crate::model::{
    Arm, Experiment, Fingerprint, Foreign, Handoff, OwnMetric, PipelineId, ReplayAsk, ReplayFrom,
    ReplayPlan, ReplayStart, ReplayStep, Resolution, RunPlace, Runner, SessionId, Stamp,
    TemplateSwap,
};
use crate::text::stored;

/// The version of the record.
const SCHEMA: u32 = 1;

/// What is recorded of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    schema: u32,
    pub(super) id: SessionId,
    pub(super) group: SessionId,
    /// Which run of how many, from 1.
    pub(super) repeat: (usize, usize),
    /// Its arm and its block from 1, where it is part of an experiment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    arm: Option<Arm>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    block: Option<usize>,
    pipeline: PipelineId,
    fingerprint: Fingerprint,
    pub(super) begun_at: Stamp,
    in_place: bool,
    jobs: usize,
    /// The pipeline that is replayed, without its dispatches.
    original: Experiment,
    start: ReplayStart,
    commit: Option<String>,
    mutations: Vec<TemplateSwap>,
    #[serde(default, with = "stored")]
    templates: Option<PathBuf>,
    template_ref: Option<String>,
    from_phase: Option<String>,
    from_seq: Option<u64>,
    confounders: Vec<Foreign>,
    notes: Vec<Foreign>,
    /// What was left out of the tree, a sentence each.
    pub(super) left_out: Vec<Foreign>,
    runner: Option<Runner>,
    handoff: Option<Handoff>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    resolutions: Vec<Resolution>,
    #[serde(default)]
    isolation: RecordIsolation,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    metrics: Vec<OwnMetric>,
    steps: Vec<ReplayStep>,
}

impl Record {
    /// The record of a plan that is about to be run; `None` where a conflict is open or it begins nowhere.
    pub(super) fn of(
        plan: &ReplayPlan,
        (id, repeat): (&SessionId, (usize, usize)),
        now: DateTime<FixedOffset>,
    ) -> Option<Self> {
        let (from_phase, from_seq) = match &plan.ask.from {
            ReplayFrom::FirstAffected => (None, None),
            ReplayFrom::Phase(phase) => (Some(phase.clone()), None),
            ReplayFrom::Seq(seq) => (None, Some(*seq)),
        };
        if plan.conflicts().next().is_some() {
            return None;
        }
        Some(Self {
            schema: SCHEMA,
            id: id.clone(),
            group: id.group(),
            repeat,
            arm: None,
            block: None,
            pipeline: plan.pipeline.clone(),
            fingerprint: plan.fingerprint.clone(),
            begun_at: Stamp::stated(now),
            in_place: plan.ask.in_place,
            jobs: plan.ask.jobs,
            original: plan.experiment.clone(),
            start: plan.begin()?.clone(),
            commit: plan.commit.clone(),
            mutations: plan.mutations.clone(),
            templates: plan.ask.templates.clone(),
            template_ref: plan.ask.template_ref.clone(),
            from_phase,
            from_seq,
            confounders: plan.unlike_original.clone(),
            notes: plan.notes.clone(),
            left_out: Vec::new(),
            runner: plan.runner.clone(),
            handoff: plan.handoff.clone(),
            resolutions: plan.ask.resolutions.clone(),
            isolation: RecordIsolation::of(plan),
            metrics: plan.ask.metrics.clone(),
            steps: plan.steps.clone(),
        })
    }

    /// Writes down where it belongs in an experiment.
    pub(super) fn set_place(&mut self, place: &RunPlace) {
        (self.arm, self.block) = (Some(place.arm), Some(place.block));
    }

    /// Where the pipeline lay: its work tree, and the folder of its manifest.
    pub(super) fn origins(&self) -> impl Iterator<Item = PathBuf> {
        let manifest = self.original.manifest.parent().map(Path::to_owned);
        self.original.work_tree.clone().into_iter().chain(manifest)
    }

    /// Reads a record. The error is a sentence.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let record: Self = serde_json::from_slice(bytes)
            .map_err(|error| format!("It is not a replay record: {error}."))?;
        if record.schema == SCHEMA {
            Ok(record)
        } else {
            Err(format!(
                "It was written by another version of relight (schema {}).",
                record.schema
            ))
        }
    }

    /// Where it belongs in an experiment; `None` for a lone run.
    pub(super) fn place(&self) -> Option<RunPlace> {
        Some(RunPlace {
            experiment: self.group.clone(),
            arm: self.arm?,
            block: self.block?,
        })
    }

    /// The plan, as far as it matters once it is under way: of the facts, the dispatches that are run again and
    /// the place where it begins are kept.
    pub(super) fn plan(&self) -> ReplayPlan {
        let steps = &self.steps;
        ReplayPlan {
            fingerprint: self.fingerprint.clone(),
            pipeline: self.pipeline.clone(),
            ask: self.ask(),
            experiment: Experiment {
                dispatches: steps.iter().map(|step| step.original.clone()).collect(),
                starts: vec![self.start.clone()],
                ..self.original.clone()
            },
            start: 0,
            commit: self.commit.clone(),
            steps: steps.clone(),
            mutations: self.mutations.clone(),
            confounders: Vec::new(),
            unlike_original: self.confounders.clone(),
            notes: self.notes.clone(),
            runner: self.runner.clone(),
            handoff: self.handoff.clone(),
            isolation: self.isolation.isolation(),
            cost: crate::model::ReplayCost::default(),
            offered: crate::model::Offered::default(),
            earlier: None,
        }
    }

    fn ask(&self) -> ReplayAsk {
        let from = match (&self.from_phase, self.from_seq) {
            (Some(phase), _) => ReplayFrom::Phase(phase.clone()),
            (None, Some(seq)) => ReplayFrom::Seq(seq),
            (None, None) => ReplayFrom::FirstAffected,
        };
        let swaps = self.mutations.iter();
        ReplayAsk {
            mutations: swaps.map(|swap| swap.mutation.clone()).collect(),
            templates: self.templates.clone(),
            template_ref: self.template_ref.clone(),
            from,
            jobs: self.jobs,
            repeat: self.repeat.1,
            in_place: self.in_place,
            resolutions: self.resolutions.clone(),
            isolation: self.isolation.ask(),
            metrics: self.metrics.clone(),
            ..ReplayAsk::default()
        }
    }
}
