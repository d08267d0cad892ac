//! Taking an issue up: the points, what each keeps and does again, the edits of the state file, and the
//! hand-off (contract.md, points; format note, sections g to i).
//!
//! The recommended point writes nothing. The others splice the state file: step, action, context and stage;
//! histories are append-only and stay as they are. No time is written and no log appended to: `updated_at` is the
//! orchestrator's own, and a dead letter is a member of the file, not a file that moves. A worktree that is put
//! back (`--rewind-branch`) belongs into the same transaction as the state file.

use crate::formats::stamp;
use crate::model::{Checkpoint, CheckpointKind, Stamp};
use crate::systems::mgw::facts::Facts;
use crate::systems::mgw::facts::branch::COMMITS;
use crate::systems::mgw::shape::state::State;
use crate::world::World;

pub(crate) use crate::systems::mgw::points::boundaries;
pub(crate) use crate::systems::mgw::points::handoff::handoff;
pub(crate) use crate::systems::mgw::points::intent::intent;

/// The recorded steps, then the commits of the branch, oldest first.
pub(crate) fn checkpoints(world: &dyn World, facts: &Facts) -> Vec<Checkpoint> {
    let mut all = recorded(world, facts);
    all.extend(commits(world, facts));
    all.sort_by_key(|checkpoint| checkpoint.taken_at);
    all
}

/// What the history remembers. Only a position: the checkpoint itself is one mutable record.
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
            brings_back: "The step, action and stage that stood then.".into(),
            cannot: vec!["Files: they are in the commits of the branch.".into()],
            drift: None,
        })
        .collect()
}

/// One commit a plan task, then one of the documents.
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
                "Uncommitted and ignored files, .planning among them where git ignores it.".into(),
            ],
            drift: None,
        })
        .collect()
}
