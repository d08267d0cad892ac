//! Commits made since a checkpoint: they stay, or with `--rewind-branch` the branch moves back to its commit at that
//! time.

use std::path::Path;

use super::{Engine, EngineError, ErrorKind};
use crate::model::{
    Checkpoint, CheckpointKind, CheckpointNeed, Foreign, Guard, Intent, Loss, PlanOptions,
    ResumePoint, Step, short_id,
};
use crate::world::branch_history::{self, Since};
use crate::world::git::Commit;

impl Engine {
    /// Adds the branch's part to an intent that restores files from a checkpoint store.
    pub(super) fn rewind(
        &self,
        intent: &mut Intent,
        point: &ResumePoint,
        options: &PlanOptions,
        guards: &mut Vec<Guard>,
    ) -> Result<(), EngineError> {
        let restored = intent.steps.iter().find_map(|step| match step {
            Step::RestoreTree {
                store,
                commit,
                work_tree,
            } => Some((store.clone(), commit.clone(), work_tree.clone())),
            Step::ResetWorktree { .. }
            | Step::RewindBranch { .. }
            | Step::ReplaceFile { .. }
            | Step::AppendLines { .. }
            | Step::TruncateRows { .. }
            | Step::MoveAside { .. } => None,
        });
        let shadow = match &point.boundary.checkpoint {
            CheckpointNeed::Found(found) => shadow(found),
            CheckpointNeed::None | CheckpointNeed::Missing { .. } => None,
        };
        let Some(((store, commit, work_tree), checkpoint)) = restored.zip(shadow) else {
            // A system may have put a worktree of its own back, or have said why it cannot.
            let resets = |step: &Step| matches!(step, Step::ResetWorktree { .. });
            let answered = intent.steps.iter().any(resets)
                || intent.guards.iter().any(|guard| guard.id == "rewind");
            return if options.rewind_branch && !answered {
                Err(pointless())
            } else {
                Ok(())
            };
        };
        let git = self.world.git();
        let told = git.find_commit(&store, &commit).map(|found| found.time);
        let stamp = || checkpoint.taken_at.map(|stamp| stamp.at.to_utc());
        let (Some(taken), Ok(repo)) = (told.ok().or_else(stamp), git.repo(&work_tree)) else {
            return Ok(());
        };
        let Some(head) = repo.head else {
            return Ok(());
        };
        let baseline = intent.tree.as_ref().and_then(|need| need.baseline.clone());
        let since = branch_history::since(git, &work_tree, &head, baseline.as_deref(), taken);
        let branch = repo.branch.unwrap_or_else(|| "HEAD".into());
        if !options.rewind_branch {
            intent.losses.extend(stays(&since).map(Loss::not_restored));
            return Ok(());
        }
        let Some(then) = since.commit else {
            guards.push(Guard::fails(
                "rewind",
                "The branch has no commit older than the checkpoint.".to_owned(),
                "Omit --rewind-branch to keep the commits.",
            ));
            return Ok(());
        };
        if since.newer.is_empty() {
            return Ok(());
        }
        let short = short_id(&then.id);
        let text = format!(
            "Resets the branch {} and its index to {short} “{}”, where it was when the checkpoint was taken.",
            branch.lossy(),
            then.subject.lossy()
        );
        let leaves = leaves(&since.newer, &branch, &head);
        intent.losses.extend(leaves.map(Loss::overwritten));
        if self.was_pushed(&work_tree, &branch, &then.id) {
            intent.losses.push(Loss::overwritten(
                "Some of them were pushed: pushing this branch again would rewrite published history.",
            ));
        }
        intent.steps.push(Step::RewindBranch {
            worktree: work_tree,
            commit: then.id,
            summary: text.into(),
        });
        Ok(())
    }

    fn was_pushed(&self, work_tree: &Path, branch: &Foreign, then: &str) -> bool {
        let git = self.world.git();
        let upstream = branch
            .as_str()
            .and_then(|branch| git.upstream(work_tree, branch).ok()?);
        upstream.is_some_and(|theirs| {
            git.ahead_behind(work_tree, &theirs, then)
                .is_ok_and(|(ahead, _)| ahead > 0)
        })
    }
}

fn shadow(checkpoint: &Checkpoint) -> Option<&Checkpoint> {
    matches!(checkpoint.kind, CheckpointKind::Shadow { .. }).then_some(checkpoint)
}

fn pointless() -> EngineError {
    let text = "--rewind-branch needs a plan that restores files from a checkpoint; this one restores none.";
    EngineError::new(ErrorKind::Usage, text).hint("Omit it, or choose a point with a checkpoint.")
}

fn stays(since: &Since) -> Option<String> {
    let newest = since.newer.first()?;
    let text = match since.newer.len() {
        1 => format!(
            "1 commit of the project is newer than the checkpoint: “{}”. It stays on the branch, and git status will show its content as reverted; --rewind-branch removes it.",
            newest.subject.lossy()
        ),
        n => format!(
            "{n} commits of the project are newer than the checkpoint, the newest “{}”. They stay on the branch, and git status will show their content as reverted; --rewind-branch removes them.",
            newest.subject.lossy()
        ),
    };
    Some(text)
}

fn leaves(newer: &[Commit], branch: &Foreign, head: &str) -> Option<String> {
    let newest = newer.first()?.subject.lossy();
    let branch = branch.lossy();
    let short = short_id(head);
    let text = match newer.len() {
        1 => format!("1 commit is removed from the branch {branch}: “{newest}”."),
        n => format!("{n} commits are removed from the branch {branch}, the newest “{newest}”."),
    };
    Some(format!(
        "{text} The old tip {short} remains reachable under refs/relight/undo/."
    ))
}
