//! Additional steps for a restore of the state file from a checkpoint: markers of later attempts are moved so that
//! stages can run again, and the log notes the restore. Existing lines of the log stay: they may be ahead of the
//! restored file, and then show which results must be verified.

use std::path::PathBuf;

use crate::formats::json::NOW;
use crate::model::{ActionKind, Checkpoint, CheckpointKind, Recovery, Reversal, Step, short_id};
use crate::systems::kit::forms::append;
use crate::systems::superscientist::facts::{Facts, jobs};
use crate::systems::superscientist::record::{self, aside, one_line};
use crate::systems::superscientist::shape::log::RESTORE_UNDONE;
use crate::systems::superscientist::shape::{STATE, State};
use crate::world::World;

/// The steps in addition to the files themselves; none if the state file is not among them.
pub(crate) fn restore_steps(
    facts: &Facts,
    checkpoint: &Checkpoint,
    restored: &[(PathBuf, Option<Vec<u8>>)],
    world: &dyn World,
) -> Vec<Step> {
    let commit = matches!(checkpoint.kind, CheckpointKind::Commit { .. });
    let own = checkpoint.is_own();
    let state_path = facts.state_path();
    let mut files = restored.iter().filter(|(path, _)| *path == state_path);
    let Some((_, content)) = files.next().filter(|_| commit || own) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    let committed = || {
        let (top, rel) = facts.in_repo(STATE)?;
        world.git().blob(top, &checkpoint.id, &rel).ok()
    };
    let content = content.clone().or_else(committed);
    if let Some(state) = content.and_then(State::parse) {
        let waiting = state.stages.iter();
        let waiting =
            waiting.filter(|stage| !matches!(jobs::leftover(&facts.wf, stage, world), Ok(None)));
        all.extend(waiting.flat_map(|stage| aside::markers(&facts.wf, stage, world)));
    }
    let moved = all.iter().filter_map(|step| record::kept_line(facts, step));
    let mut lines: Vec<String> = moved.collect();
    lines.push(record::restored(&version(checkpoint)));
    let what = "Notes the restore in the log; its earlier lines are kept.";
    all.push(append(facts.log_path(), lines, what));
    all
}

/// The version that is restored, in words that a reader of the log can follow: a commit of relight's own store is in no
/// repository of theirs.
fn version(checkpoint: &Checkpoint) -> String {
    let id = short_id(&checkpoint.id);
    if !checkpoint.is_own() {
        return format!("the version of commit {id}");
    }
    let reason = checkpoint.reason.lossy();
    format!(
        "relight's checkpoint {id} ({reason}), listed by `relight checkpoints`; `relight history` lists the restore"
    )
}

/// The log line of an undone recovery: earlier status lines no longer count. A missing log is not created for it, and
/// where the state file is kept, those lines still say what is in it.
pub(crate) fn undo_line(facts: &Facts, recovery: &Recovery, keep: &[PathBuf]) -> Option<Step> {
    let state = facts.state_path();
    let kept = keep.iter().any(|kept| state.starts_with(kept));
    (facts.log.missing.is_none() && !kept).then(|| {
        let done = recovery.when_undone().done();
        let what = "existing lines are kept";
        let what = format!("Notes in the log that the recovery was {done}; {what}.");
        append(facts.log_path(), vec![undone(recovery)], what)
    })
}

fn undone(recovery: &Recovery) -> String {
    let label = one_line(&recovery.label.lossy());
    // Only a restore of a checkpoint restores a tree; a resume replaces only the state file.
    let mut actions = recovery.actions.iter();
    let restore = actions.any(|action| action.kind == ActionKind::RestoreTree);
    if restore && !recovery.is_undo() {
        // It wrote no status lines, so all of them still count.
        return format!(
            "[{NOW}] {RESTORE_UNDONE} {label} (recovery {}). The state file is as it was before.",
            recovery.id
        );
    }
    let state = match recovery.when_undone() {
        Reversal::Undo => "was restored",
        // Whatever was written between the recovery and its undo is part of it.
        Reversal::Redo => "is again as it was before the undo",
    };
    format!(
        "[{NOW}] {}: {label}. The state file {state}; earlier status lines may say otherwise.",
        recovery.undone_words()
    )
}
