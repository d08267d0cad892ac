//! The record of a session, `session.json`: everything that is needed to continue it after a crash, when the templates
//! and the pipeline may have changed. Written once, before anything is run.

mod dispatch;
mod isolation;
mod recorded;
mod swap;
mod text;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub(super) use dispatch::status;
use dispatch::{RecordDispatch, RecordStart};
use isolation::RecordIsolation;
pub(super) use isolation::RecordOutside;
pub(super) use recorded::Recorded;
use recorded::recorded;
pub(super) use swap::RecordMetric;
use swap::{RecordHandoff, RecordRunner, RecordSwap};
use text::{Moment, Text};

use crate::model::{
    Dispatch, Experiment, Fingerprint, Foreign, PipelineId, ReplayAsk, ReplayFrom, ReplayPlan,
    ReplayStep, RunPlace, SessionId, Stamp, StepBody, TemplateSwap,
};

/// The version of the record.
const SCHEMA: u32 = 1;

/// What is recorded of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    schema: u32,
    id: String,
    group: String,
    /// Which run of how many, from 1.
    repeat: (usize, usize),
    /// Its arm and its block from 1, where it is part of an experiment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    arm: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    block: Option<usize>,
    pipeline: String,
    fingerprint: String,
    begun_at: Moment,
    in_place: bool,
    jobs: usize,
    original: Original,
    start: RecordStart,
    commit: Option<String>,
    mutations: Vec<RecordSwap>,
    templates: Option<Text>,
    template_ref: Option<String>,
    from_phase: Option<String>,
    from_seq: Option<u64>,
    confounders: Vec<Text>,
    notes: Vec<Text>,
    /// What was left out of the tree, a sentence each.
    left_out: Vec<Text>,
    runner: Option<RecordRunner>,
    handoff: Option<RecordHandoff>,
    #[serde(default)]
    isolation: RecordIsolation,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    metrics: Vec<RecordMetric>,
    steps: Vec<RecordStep>,
}

recorded! {
    /// The pipeline that is replayed, without its dispatches.
    struct Original of Experiment {
        session: Foreign,
        skill: Foreign,
        manifest: PathBuf,
        dispatch_dir: Option<PathBuf>,
        #[serde(default)]
        scratch_dir: Option<PathBuf>,
        started_at: Option<Stamp>,
        work_tree: Option<PathBuf>,
        branch: Option<Foreign>,
        baseline: Option<String>,
        end: Option<String>,
        #[serde(default)]
        plugin_templates: Vec<PathBuf>,
    } with {
        dispatches: Vec::new(),
        starts: Vec::new(),
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct RecordStep {
    original: RecordDispatch,
    wave: usize,
    /// A place in the mutations.
    mutation: Option<usize>,
    /// The whole text of its dispatch file, before timestamp and folder are set.
    text: Text,
    /// The same in the control arm of an experiment, where it is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    control: Option<Text>,
}

/// What tells one session of an experiment from the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Which {
    pub(super) id: SessionId,
    pub(super) group: SessionId,
    pub(super) repeat: (usize, usize),
    pub(super) place: Option<RunPlace>,
    pub(super) begun_at: Stamp,
}

impl Record {
    /// The record of a plan that is about to be run; `None` where a conflict is open or it begins nowhere.
    pub(super) fn of(plan: &ReplayPlan, which: &Which, left_out: &[Foreign]) -> Option<Self> {
        let (from_phase, from_seq) = match &plan.ask.from {
            ReplayFrom::FirstAffected => (None, None),
            ReplayFrom::Phase(phase) => (Some(phase.clone()), None),
            ReplayFrom::Seq(seq) => (None, Some(*seq)),
        };
        Some(Self {
            schema: SCHEMA,
            id: which.id.0.clone(),
            group: which.group.0.clone(),
            repeat: which.repeat,
            arm: which.place.as_ref().map(|one| one.arm.word().to_owned()),
            block: which.place.as_ref().map(|one| one.block),
            pipeline: plan.pipeline.0.clone(),
            fingerprint: plan.fingerprint.0.clone(),
            begun_at: which.begun_at.into(),
            in_place: plan.ask.in_place,
            jobs: plan.ask.jobs,
            original: plan.experiment.record(),
            start: plan.begin()?.record(),
            commit: plan.commit.clone(),
            mutations: plan.mutations.record(),
            templates: plan.ask.templates.record(),
            template_ref: plan.ask.template_ref.clone(),
            from_phase,
            from_seq,
            confounders: plan.unlike_original.record(),
            notes: plan.notes.record(),
            left_out: left_out.iter().map(Foreign::record).collect(),
            runner: plan.runner.record(),
            handoff: plan.handoff.record(),
            isolation: RecordIsolation::of(plan),
            metrics: plan.ask.metrics.record(),
            steps: plan
                .steps
                .iter()
                .map(RecordStep::of)
                .collect::<Option<Vec<_>>>()?,
        })
    }

    /// Where the pipeline lay: its work tree, and the folder of its manifest.
    pub(super) fn origins(&self) -> impl Iterator<Item = PathBuf> {
        let manifest = PathBuf::of_record(&self.original.manifest);
        let work_tree = Option::<PathBuf>::of_record(&self.original.work_tree);
        work_tree
            .into_iter()
            .chain(manifest.parent().map(Path::to_owned))
    }

    /// Reads a record. The error is a sentence.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let record: Self = serde_json::from_slice(bytes)
            .map_err(|error| format!("It is no record of a replay: {error}."))?;
        if record.schema == SCHEMA {
            Ok(record)
        } else {
            Err(format!(
                "It was written by another version of relight (schema {}).",
                record.schema
            ))
        }
    }

    pub(super) fn bytes(&self) -> serde_json::Result<Vec<u8>> {
        let mut bytes = serde_json::to_vec_pretty(self)?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    pub(super) fn which(&self) -> Which {
        Which {
            id: SessionId(self.id.clone()),
            group: SessionId(self.group.clone()),
            repeat: self.repeat,
            place: self.place(),
            begun_at: self
                .begun_at
                .stamp()
                .unwrap_or_else(|| Stamp::utc(chrono::DateTime::UNIX_EPOCH)),
        }
    }

    /// Where it belongs in an experiment.
    fn place(&self) -> Option<RunPlace> {
        Some(RunPlace {
            experiment: SessionId(self.group.clone()),
            arm: self.arm.as_deref()?.parse().ok()?,
            block: self.block?,
        })
    }

    /// The plan, as far as it matters once it is under way: of the facts, the dispatches that are run again and
    /// the place where it begins are kept.
    pub(super) fn plan(&self) -> ReplayPlan {
        ReplayPlan {
            fingerprint: Fingerprint(self.fingerprint.clone()),
            pipeline: PipelineId(self.pipeline.clone()),
            ask: self.ask(),
            experiment: self.experiment(),
            start: 0,
            commit: self.commit.clone(),
            steps: self.steps.iter().map(RecordStep::step).collect(),
            mutations: Recorded::of_record(&self.mutations),
            confounders: Vec::new(),
            unlike_original: Recorded::of_record(&self.confounders),
            notes: Recorded::of_record(&self.notes),
            runner: Recorded::of_record(&self.runner),
            handoff: Recorded::of_record(&self.handoff),
            isolation: self.isolation.isolation(),
            cost: crate::model::ReplayCost::default(),
            offered: crate::model::Offered::default(),
        }
    }

    fn ask(&self) -> ReplayAsk {
        let from = match (&self.from_phase, self.from_seq) {
            (Some(phase), _) => ReplayFrom::Phase(phase.clone()),
            (None, Some(seq)) => ReplayFrom::Seq(seq),
            (None, None) => ReplayFrom::FirstAffected,
        };
        let swaps = Vec::<TemplateSwap>::of_record(&self.mutations);
        ReplayAsk {
            mutations: swaps.into_iter().map(|swap| swap.mutation).collect(),
            templates: Recorded::of_record(&self.templates),
            template_ref: self.template_ref.clone(),
            from,
            jobs: self.jobs,
            repeat: self.repeat.1,
            in_place: self.in_place,
            isolation: self.isolation.ask(),
            metrics: Recorded::of_record(&self.metrics),
            ..ReplayAsk::default()
        }
    }

    fn experiment(&self) -> Experiment {
        let dispatches = self.steps.iter().map(|step| &step.original);
        Experiment {
            dispatches: dispatches.map(Dispatch::of_record).collect(),
            starts: vec![Recorded::of_record(&self.start)],
            ..Experiment::of_record(&self.original)
        }
    }

    /// What was left out of the tree, a sentence each.
    pub(super) fn left_out(&self) -> Vec<Foreign> {
        Recorded::of_record(&self.left_out)
    }
}

impl RecordStep {
    fn of(step: &ReplayStep) -> Option<Self> {
        let StepBody::Ready(text) = &step.body else {
            return None;
        };
        Some(Self {
            original: step.original.record(),
            wave: step.wave,
            mutation: step.mutation,
            text: text.record(),
            control: step.control.record(),
        })
    }

    fn step(&self) -> ReplayStep {
        ReplayStep {
            original: Dispatch::of_record(&self.original),
            wave: self.wave,
            mutation: self.mutation,
            body: StepBody::Ready(Vec::of_record(&self.text)),
            control: Recorded::of_record(&self.control),
        }
    }
}
