//! The plan of a replay, with every field.

use serde::Serialize;

use super::super::plan::{HandoffReport, PlanBody as RecoveryBody};
use super::super::rows::CheckpointReport;
use super::super::{ErrorBody, SCHEMA, path, path_b64, text, texts, time};
use crate::engine::EngineError;
use crate::model::{
    Dispatch, MergePiece, Plan, ReplayFrom, ReplayPlan, ReplayStart, ReplayStep, Runner, StepBody,
    TemplateSwap,
};

/// The answer of `replay --dry-run`. `error` stands beside a plan that cannot be run yet.
#[derive(Debug, Serialize)]
pub(crate) struct ReplayPlanReport {
    schema: u32,
    plan: PlanBody,
    dry_run_report: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    recovery: Option<RecoveryBody>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorBody>,
}

impl ReplayPlanReport {
    /// `skipped` are the dispatches that are not run again; `ground` is the recovery that comes before a replay
    /// in place.
    pub(crate) fn new(
        plan: &ReplayPlan,
        skipped: &[&Dispatch],
        ground: Option<&Plan>,
        dry_run_report: String,
        refused: Option<&EngineError>,
    ) -> Self {
        Self {
            schema: SCHEMA,
            plan: PlanBody::new(plan, skipped),
            dry_run_report,
            recovery: ground.map(RecoveryBody::new),
            error: refused.map(ErrorBody::new),
        }
    }
}

#[derive(Debug, Serialize)]
struct PlanBody {
    fingerprint: String,
    pipeline: String,
    session: String,
    manifest: String,
    started_at: Option<String>,
    from: FromReport,
    start: Option<StartReport>,
    commit: Option<String>,
    skipped: Vec<DispatchReport>,
    steps: Vec<StepReport>,
    conflicts: usize,
    mutations: Vec<SwapReport>,
    templates: Option<String>,
    template_ref: Option<String>,
    jobs: usize,
    repeat: usize,
    in_place: bool,
    confounders: Vec<String>,
    notes: Vec<String>,
    runner: Option<RunnerReport>,
    handoff: Option<HandoffReport>,
}

impl PlanBody {
    fn new(plan: &ReplayPlan, skipped: &[&Dispatch]) -> Self {
        let ask = &plan.ask;
        Self {
            fingerprint: plan.fingerprint.0.clone(),
            pipeline: plan.pipeline.0.clone(),
            session: text(&plan.experiment.session),
            manifest: path(&plan.experiment.manifest),
            started_at: time(plan.experiment.started_at),
            from: FromReport::new(&ask.from),
            start: plan.begin().map(StartReport::new),
            commit: plan.commit.clone(),
            skipped: skipped.iter().map(|one| DispatchReport::new(one)).collect(),
            steps: plan.steps.iter().map(StepReport::new).collect(),
            conflicts: plan.conflicts().count(),
            mutations: plan.mutations.iter().map(SwapReport::new).collect(),
            templates: ask.templates.as_deref().map(path),
            template_ref: ask.template_ref.clone(),
            jobs: ask.jobs,
            repeat: ask.repeat,
            in_place: ask.in_place,
            confounders: texts(&plan.confounders),
            notes: texts(&plan.notes),
            runner: plan.runner.as_ref().map(RunnerReport::new),
            handoff: plan.handoff.as_ref().map(HandoffReport::new),
        }
    }
}

/// What was asked: `{"by":"phase","value":"3"}`.
#[derive(Debug, Serialize)]
struct FromReport {
    by: &'static str,
    value: Option<String>,
}

impl FromReport {
    fn new(from: &ReplayFrom) -> Self {
        let (by, value) = match from {
            ReplayFrom::FirstAffected => ("first_affected", None),
            ReplayFrom::Phase(phase) => ("phase", Some(phase.clone())),
            ReplayFrom::Seq(seq) => ("seq", Some(seq.to_string())),
        };
        Self { by, value }
    }
}

#[derive(Debug, Serialize)]
struct StartReport {
    point: String,
    label: String,
    phase: String,
    redo: Vec<u64>,
    checkpoint: Option<CheckpointReport>,
    unusable: Option<String>,
}

impl StartReport {
    fn new(start: &ReplayStart) -> Self {
        Self {
            point: start.point.0.clone(),
            label: text(&start.label),
            phase: text(&start.phase),
            redo: start.redo.clone(),
            checkpoint: start.checkpoint.as_ref().map(CheckpointReport::new),
            unusable: start.unusable.as_ref().map(text),
        }
    }
}

#[derive(Debug, Serialize)]
struct DispatchReport {
    seq: u64,
    file: String,
    template: String,
    role: String,
    phase: String,
    task: Option<String>,
    status: &'static str,
    duration_s: Option<u64>,
    summary: Option<String>,
    model: Option<String>,
    path: Option<String>,
}

impl DispatchReport {
    fn new(dispatch: &Dispatch) -> Self {
        let model = dispatch.model.as_ref().or(dispatch.model_tier.as_ref());
        Self {
            seq: dispatch.seq,
            file: text(&dispatch.file),
            template: text(&dispatch.template),
            role: text(&dispatch.role),
            phase: text(&dispatch.phase),
            task: dispatch.task.as_ref().map(text),
            status: dispatch.status.word(),
            duration_s: dispatch.duration_s,
            summary: dispatch.summary.as_ref().map(text),
            model: model.map(text),
            path: dispatch.path.as_deref().map(path),
        }
    }
}

/// A step. `text` is its dispatch file; `conflict` the pieces of a merge that nobody has settled.
#[derive(Debug, Serialize)]
struct StepReport {
    #[serde(flatten)]
    original: DispatchReport,
    wave: usize,
    mutation: Option<usize>,
    text: Option<String>,
    conflict: Option<Vec<PieceReport>>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum PieceReport {
    Settled {
        settled: String,
    },
    Conflict {
        template: String,
        dispatch: String,
        replacement: String,
    },
}

impl StepReport {
    fn new(step: &ReplayStep) -> Self {
        let words = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let piece = |piece: &MergePiece| match piece {
            MergePiece::SettledBy(bytes) => PieceReport::Settled {
                settled: words(bytes),
            },
            MergePiece::Conflict {
                template,
                dispatch,
                replacement,
            } => PieceReport::Conflict {
                template: words(template),
                dispatch: words(dispatch),
                replacement: words(replacement),
            },
        };
        let (text, conflict) = match &step.body {
            StepBody::Ready(bytes) => (Some(words(bytes)), None),
            StepBody::Conflict(merge) => (None, Some(merge.pieces.iter().map(piece).collect())),
        };
        Self {
            original: DispatchReport::new(&step.original),
            wave: step.wave,
            mutation: step.mutation,
            text,
            conflict,
        }
    }
}

#[derive(Debug, Serialize)]
pub(in crate::cli::report) struct SwapReport {
    original: String,
    replacement: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_b64: Option<String>,
    template_from: String,
    dispatches: usize,
}

impl SwapReport {
    pub(in crate::cli::report) fn new(swap: &TemplateSwap) -> Self {
        Self {
            original: text(&swap.mutation.original),
            replacement: path(&swap.mutation.replacement),
            path_b64: path_b64(&swap.mutation.replacement),
            template_from: text(&swap.template_from),
            dispatches: swap.dispatches,
        }
    }
}

#[derive(Debug, Serialize)]
struct RunnerReport {
    name: String,
    argv: Vec<String>,
    timeout_s: u64,
    retries: u32,
}

impl RunnerReport {
    fn new(runner: &Runner) -> Self {
        let word = |word: &std::ffi::OsString| word.to_string_lossy().into_owned();
        Self {
            name: text(&runner.name),
            argv: runner.argv.iter().map(word).collect(),
            timeout_s: runner.timeout_s,
            retries: runner.retries,
        }
    }
}
