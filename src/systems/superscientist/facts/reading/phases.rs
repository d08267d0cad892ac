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
    let stages = flow.state.stages.iter();
    let rows = stages.map(|stage| row(facts, flow, stage, &mut left, world));
    rows.collect()
}

fn row(facts: &Facts, flow: &Flow, stage: &Stage, left: &mut usize, world: &dyn World) -> Phase {
    let (started_at, ended_at) = times(stage, world);
    let looked = stage.outputs.len().min(*left);
    *left -= looked;
    let outputs = stage.outputs.iter().take(looked);
    let places = outputs.filter_map(|path| paths::beneath(&facts.wf, path).ok());
    let done = places.filter(|place| world.files().exists(place)).count();
    let retries = u64::try_from(stage.retry_count).unwrap_or(0);
    let detail = reading::detail(flow, stage.index);
    Phase {
        id: stage.id.as_str().into(),
        name: stage.name.as_str().into(),
        status: status(stage.status),
        native_status: stage.word.as_str().into(),
        done: Some(done as u64),
        total: (!stage.outputs.is_empty()).then_some(stage.outputs.len() as u64),
        at_least: false,
        attempts: if stage.begun() { retries + 1 } else { 0 },
        started_at,
        ended_at,
        duration_s: Stamp::seconds_between(started_at, ended_at),
        detail: detail.unwrap_or_default().into(),
    }
}

/// When a stage started and ended by its own record.
pub(crate) fn times(stage: &Stage, world: &dyn World) -> (Option<Stamp>, Option<Stamp>) {
    let time = |text: &Option<String>| stamp::parse(text.as_deref()?, world.clock());
    (time(&stage.started_at), time(&stage.completed_at))
}

/// How long a stage took by its own record; `None` if it ends before it starts.
pub(crate) fn duration(stage: &Stage, world: &dyn World) -> Option<u64> {
    let (started_at, ended_at) = times(stage, world);
    Stamp::seconds_between(started_at, ended_at)
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
