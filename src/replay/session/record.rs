//! The record of a session, `session.json`: everything that is needed to go on with it after a crash, when the
//! templates may be others and the pipeline may have moved on. Written once, before anything is run.

mod dispatch;
mod isolation;
mod swap;
mod text;

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::experiment::RecordMetric;
pub(super) use dispatch::status;
use dispatch::{RecordDispatch, RecordStart};
use isolation::RecordIsolation;
pub(super) use isolation::RecordOutside;
use swap::{RecordHandoff, RecordRunner, RecordSwap};
use text::{Moment, Text};

use crate::model::{
    Arm, Experiment, Fingerprint, Foreign, PipelineId, ReplayAsk, ReplayFrom, ReplayPlan,
    ReplayStep, RunPlace, SessionId, Stamp, StepBody,
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
    pub(super) left_out: Vec<LeftOut>,
    runner: Option<RecordRunner>,
    handoff: Option<RecordHandoff>,
    #[serde(default)]
    isolation: RecordIsolation,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    metrics: Vec<RecordMetric>,
    steps: Vec<RecordStep>,
}

/// A sentence about the tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct LeftOut(Text);

impl LeftOut {
    pub(super) fn foreign(&self) -> Foreign {
        self.0.foreign()
    }
}

impl From<&Foreign> for LeftOut {
    fn from(text: &Foreign) -> Self {
        Self(Text::from(text))
    }
}

/// The pipeline that is replayed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Original {
    session: Text,
    skill: Text,
    manifest: Text,
    dispatch_dir: Option<Text>,
    #[serde(default)]
    scratch_dir: Option<Text>,
    started_at: Option<Moment>,
    work_tree: Option<Text>,
    branch: Option<Text>,
    baseline: Option<String>,
    end: Option<String>,
    #[serde(default)]
    plugin_templates: Vec<Text>,
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
            original: Original::of(&plan.experiment),
            start: RecordStart::of(plan.begin()?),
            commit: plan.commit.clone(),
            mutations: plan.mutations.iter().map(RecordSwap::of).collect(),
            templates: plan.ask.templates.as_deref().map(Text::from),
            template_ref: plan.ask.template_ref.clone(),
            from_phase,
            from_seq,
            confounders: plan.unlike_original.iter().map(Text::from).collect(),
            notes: plan.notes.iter().map(Text::from).collect(),
            left_out: left_out.iter().map(LeftOut::from).collect(),
            runner: plan.runner.as_ref().map(RecordRunner::of),
            handoff: plan.handoff.as_ref().map(RecordHandoff::of),
            isolation: RecordIsolation::of(plan),
            metrics: plan.ask.metrics.iter().map(RecordMetric::of).collect(),
            steps: plan
                .steps
                .iter()
                .map(RecordStep::of)
                .collect::<Option<Vec<_>>>()?,
        })
    }

    /// Where the pipeline lay: its work tree, and the folder of its manifest.
    pub(super) fn origins(&self) -> impl Iterator<Item = PathBuf> {
        let manifest = self.original.manifest.path();
        let work_tree = self.original.work_tree.as_ref().map(Text::path);
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
            arm: Arm::of(self.arm.as_deref()?)?,
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
            mutations: self.mutations.iter().map(RecordSwap::swap).collect(),
            confounders: Vec::new(),
            unlike_original: self.confounders.iter().map(Text::foreign).collect(),
            notes: self.notes.iter().map(Text::foreign).collect(),
            runner: self.runner.as_ref().map(RecordRunner::runner),
            handoff: self.handoff.as_ref().map(RecordHandoff::handoff),
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
        ReplayAsk {
            mutations: self.mutations.iter().map(RecordSwap::mutation).collect(),
            templates: self.templates.as_ref().map(Text::path),
            template_ref: self.template_ref.clone(),
            from,
            jobs: self.jobs,
            repeat: self.repeat.1,
            in_place: self.in_place,
            isolation: self.isolation.ask(),
            metrics: self.metrics.iter().map(RecordMetric::metric).collect(),
            ..ReplayAsk::default()
        }
    }

    fn experiment(&self) -> Experiment {
        let original = &self.original;
        let dispatches = self.steps.iter().map(|step| step.original.dispatch());
        Experiment {
            session: original.session.foreign(),
            skill: original.skill.foreign(),
            manifest: original.manifest.path(),
            dispatch_dir: original.dispatch_dir.as_ref().map(Text::path),
            scratch_dir: original.scratch_dir.as_ref().map(Text::path),
            started_at: original.started_at.as_ref().and_then(Moment::stamp),
            work_tree: original.work_tree.as_ref().map(Text::path),
            branch: original.branch.as_ref().map(Text::foreign),
            baseline: original.baseline.clone(),
            end: original.end.clone(),
            dispatches: dispatches.collect(),
            starts: vec![self.start.start()],
            plugin_templates: original.plugin_templates.iter().map(Text::path).collect(),
        }
    }
}

impl Original {
    fn of(experiment: &Experiment) -> Self {
        let path = |path: &PathBuf| Text::from(path.as_path());
        Self {
            session: Text::from(&experiment.session),
            skill: Text::from(&experiment.skill),
            manifest: path(&experiment.manifest),
            dispatch_dir: experiment.dispatch_dir.as_ref().map(path),
            scratch_dir: experiment.scratch_dir.as_ref().map(path),
            started_at: experiment.started_at.map(Moment::from),
            work_tree: experiment.work_tree.as_ref().map(path),
            branch: experiment.branch.as_ref().map(Text::from),
            baseline: experiment.baseline.clone(),
            end: experiment.end.clone(),
            plugin_templates: experiment.plugin_templates.iter().map(path).collect(),
        }
    }
}

impl RecordStep {
    fn of(step: &ReplayStep) -> Option<Self> {
        let StepBody::Ready(text) = &step.body else {
            return None;
        };
        Some(Self {
            original: RecordDispatch::of(&step.original),
            wave: step.wave,
            mutation: step.mutation,
            text: Text::from(text.as_slice()),
            control: step.control.as_deref().map(Text::from),
        })
    }

    fn step(&self) -> ReplayStep {
        ReplayStep {
            original: self.original.dispatch(),
            wave: self.wave,
            mutation: self.mutation,
            body: StepBody::Ready(self.text.bytes().to_vec()),
            control: self.control.as_ref().map(|text| text.bytes().to_vec()),
        }
    }
}

fn words(texts: &[Text]) -> Vec<OsString> {
    let word = |text: &Text| OsString::from_vec(text.bytes().to_vec());
    texts.iter().map(word).collect()
}
