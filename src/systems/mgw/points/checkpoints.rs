//! The checkpoints of an issue: the recorded steps of the history, and the commits of the branch.

use crate::formats::stamp;
use crate::model::{Checkpoint, CheckpointKind, Stamp};
use crate::systems::mgw::facts::{COMMITS, Facts};
use crate::systems::mgw::shape::State;
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
    let Some((file, checkpoint)) = facts
        .file()
        .and_then(|file| Some((file, file.state().and_then(State::checkpoint)?)))
    else {
        return Vec::new();
    };
    (1_usize..)
        .zip(&checkpoint.history)
        .map(|(at, past)| Checkpoint {
            id: format!("step-{at}"),
            kind: CheckpointKind::Record {
                path: file.path.clone(),
            },
            reason: format!("end of {}", past.step_text).into(),
            taken_at: past
                .completed_at
                .as_deref()
                .and_then(|text| stamp::parse(text, world.clock())),
            source: past.agent.as_deref().unwrap_or("step_history").into(),
            brings_back: "The step, action and stage at that time.".into(),
            cannot: vec!["Files: they are in the commits of the branch.".into()],
            drift: None,
        })
        .collect()
}

/// One commit for each task of the plan, then one of the documents.
fn commits(world: &dyn World, facts: &Facts) -> Vec<Checkpoint> {
    let branch = &facts.branch;
    let Some((tip, base)) = branch.tip.as_deref().zip(branch.base.as_deref()) else {
        return Vec::new();
    };
    let log = world
        .git()
        .log(&facts.root, tip, Some(base), COMMITS)
        .unwrap_or_default();
    let repo = branch.present().unwrap_or(&facts.root);
    log.into_iter()
        .map(|commit| Checkpoint {
            id: commit.id,
            kind: CheckpointKind::Commit {
                repo: repo.to_owned(),
            },
            reason: commit.subject,
            taken_at: Some(Stamp::utc(commit.time)),
            source: format!("a commit on {}", branch.name).into(),
            brings_back: "The files of the issue's branch as they were committed.".into(),
            cannot: vec![
                "Uncommitted and ignored files, including .planning if git ignores it.".into(),
            ],
            drift: None,
        })
        .collect()
}
