//! The checkpoints of an issue: the recorded steps of the history, and the commits of the branch.

use crate::formats::stamp;
use crate::model::{Checkpoint, CheckpointKind};
use crate::systems::kit::timeline;
use crate::systems::mgw::facts::Facts;
use crate::systems::mgw::shape::Past;
use crate::world::World;

/// The recorded steps, then the commits of the branch, oldest first.
pub(crate) fn checkpoints(world: &dyn World, facts: &Facts) -> Vec<Checkpoint> {
    let mut all = recorded(world, facts);
    all.extend(commits(world, facts));
    all.sort_by_key(|checkpoint| checkpoint.taken_at);
    all
}

/// The recorded steps. They have no files: the checkpoint itself is one mutable record.
fn recorded(world: &dyn World, facts: &Facts) -> Vec<Checkpoint> {
    let Some((file, state)) = facts.parsed() else {
        return Vec::new();
    };
    let time = |past: &Past| stamp::parse(past.completed_at.as_deref()?, world.clock());
    let history = state.checkpoint().into_iter().flat_map(|one| &one.history);
    let brings_back = "The step, action and stage at that time.";
    let cannot = "Files: they are in the commits of the branch.";
    let recorded = (1_usize..).zip(history).map(|(at, past)| {
        let path = file.path.clone();
        let kind = CheckpointKind::Record { path };
        let reason = format!("end of {}", past.step_text);
        let source = past.agent.as_deref().unwrap_or("step_history");
        let texts = [source, brings_back, cannot];
        Checkpoint::new(format!("step-{at}"), kind, reason, time(past), texts)
    });
    recorded.collect()
}

/// One commit for each task of the plan, then one of the documents.
fn commits(world: &dyn World, facts: &Facts) -> Vec<Checkpoint> {
    let branch = &facts.branch;
    let repo = branch.present().unwrap_or(&facts.root);
    let cannot = "Uncommitted and ignored files, including .planning if git ignores it.";
    let brings_back = "The files of the issue's branch as they were committed.";
    let texts = [&format!("a commit on {}", branch.name), brings_back, cannot];
    let commits = branch.commits(&facts.root, world).into_iter();
    let checkpoints = commits.map(|commit| timeline::checkpoint(commit, repo, texts));
    checkpoints.collect()
}
