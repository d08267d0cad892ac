//! The phase table: one row for each stage.

use crate::formats::stamp;
use crate::model::{Phase, PhaseStatus, Stamp};
use crate::systems::superscientist::facts::{Facts, Flow, paths, reading};
use crate::systems::superscientist::shape::{Stage, StageStatus};
use crate::world::World;

/// How many outputs are checked in all; a hostile list must not keep a reader busy.
const OUTPUTS: usize = 20_000;

/// One row for each stage, in array order.
pub(crate) fn all(facts: &Facts, flow: &Flow, world: &dyn World) -> Vec<Phase> {
    let mut left = OUTPUTS;
    flow.state
        .stages
        .iter()
        .map(|stage| row(facts, flow, stage, &mut left, world))
        .collect()
}

fn row(facts: &Facts, flow: &Flow, stage: &Stage, left: &mut usize, world: &dyn World) -> Phase {
    let time = |text: &Option<String>| stamp::parse(text.as_deref()?, world.clock());
    let started_at = time(&stage.started_at);
    let ended_at = time(&stage.completed_at);
    let looked = stage.outputs.len().min(*left);
    *left -= looked;
    let done = stage
        .outputs
        .iter()
        .take(looked)
        .filter(|path| paths::beneath(&facts.wf, path).is_ok_and(|p| world.files().exists(&p)))
        .count();
    let retries = u64::try_from(stage.retry_count).unwrap_or(0);
    Phase {
        id: stage.id.as_str().into(),
        name: stage.name.as_str().into(),
        status: status(stage.status),
        native_status: stage.word.as_str().into(),
        done: done as u64,
        total: (!stage.outputs.is_empty()).then_some(stage.outputs.len() as u64),
        attempts: if stage.begun() { retries + 1 } else { 0 },
        started_at,
        ended_at,
        duration_s: duration(stage, world),
        detail: reading::detail(flow, stage.index)
            .unwrap_or_default()
            .into(),
    }
}

/// How long a stage took by its own record; `None` if it ends before it starts.
pub(crate) fn duration(stage: &Stage, world: &dyn World) -> Option<u64> {
    let time = |text: &Option<String>| stamp::parse(text.as_deref()?, world.clock());
    Stamp::seconds_between(time(&stage.started_at), time(&stage.completed_at))
}

pub(crate) fn status(status: StageStatus) -> PhaseStatus {
    match status {
        StageStatus::Completed => PhaseStatus::Done,
        StageStatus::Preparing | StageStatus::Running | StageStatus::PostProcessing => {
            PhaseStatus::Active
        }
        StageStatus::Failed => PhaseStatus::Failed,
        StageStatus::Pending | StageStatus::Ready => PhaseStatus::Pending,
        StageStatus::Skipped => PhaseStatus::Skipped,
        StageStatus::Invalidated => PhaseStatus::Invalidated,
        // A person must read an unknown word; it never means done.
        StageStatus::Unknown => PhaseStatus::Waiting,
    }
}
