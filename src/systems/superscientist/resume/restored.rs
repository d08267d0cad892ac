//! What belongs to a restore of the state file from a commit: markers of later attempts are moved out of the way of
//! stages that are to run again, and the log says what was restored. Its own lines stay: they may be ahead of the
//! restored file, and then say which results there are to verify.

use std::path::PathBuf;

use super::{aside, steps};
use crate::formats::json;
use crate::model::{Checkpoint, CheckpointKind, ClockStyle, Step, short_id};
use crate::systems::superscientist::facts::Facts;
use crate::systems::superscientist::files::{STATE, State};
use crate::systems::superscientist::jobs;
use crate::world::World;

/// The steps beside the files themselves; none where the state file is not among them.
pub(crate) fn restore_steps(
    facts: &Facts,
    checkpoint: &Checkpoint,
    restored: &[PathBuf],
    world: &dyn World,
) -> Vec<Step> {
    let commit = matches!(checkpoint.kind, CheckpointKind::Commit { .. });
    if !commit || !restored.contains(&facts.state_path()) {
        return Vec::new();
    }
    let mut all = Vec::new();
    if let Some(state) = committed(facts, checkpoint, world) {
        let waiting = state.stages.iter();
        let waiting = waiting.filter(|stage| jobs::leftover(&facts.wf, stage, world).is_some());
        all.extend(waiting.flat_map(|stage| aside::markers(facts, stage, world)));
    }
    let moved = all.iter().filter_map(|step| steps::kept_line(facts, step));
    let mut lines: Vec<String> = moved.collect();
    lines.push(steps::restored(short_id(&checkpoint.id)));
    all.push(Step::AppendLines {
        path: facts.log_path(),
        lines,
        clock: ClockStyle::LocalOffset,
        summary: "Notes the restore in the log; its earlier lines stay.".into(),
    });
    all
}

fn committed(facts: &Facts, checkpoint: &Checkpoint, world: &dyn World) -> Option<State> {
    let (top, rel) = facts.in_repo(STATE)?;
    let bytes = world.git().blob(&top, &checkpoint.id, &rel).ok()?;
    let map = json::object(&bytes).ok()?;
    State::read(bytes, map)
}
