//! Commits made since a checkpoint: they stay, or with `--rewind-branch` the branch moves back to its commit at that
//! time.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{Engine, EngineError, Result};
use crate::model::{
    ActionKind, Checkpoint, CheckpointKind, Foreign, Guard, Intent, Loss, PlanOptions, ResumePoint,
    Step, short_id,
};
use crate::recover::plan::Decided;
use crate::text::Shown as _;
use crate::text::format::{count, count_of, plural};
use crate::world::branch_history::{self, Since};
use crate::world::git::{Commit, Git, GitError};

impl Engine {
    /// Adds the branch's part to an intent that restores files from a checkpoint store.
    pub(super) fn rewind(
        &self,
        intent: &mut Intent,
        point: &ResumePoint,
        (options, decided): (&PlanOptions, &[Option<Decided>]),
        guards: &mut Vec<Guard>,
    ) -> Result<()> {
        let mut trees = intent.steps.iter().filter_map(Step::tree);
        let restored = trees.find(|(kind, ..)| *kind == ActionKind::RestoreTree);
        let restored = restored.map(|(_, work_tree, store, commit)| {
            (store.to_owned(), commit.to_owned(), work_tree.to_owned())
        });
        let of_store = |found: &&Checkpoint| matches!(found.kind, CheckpointKind::Shadow { .. });
        // The branch moves back only with a checkpoint store, but the content of newer commits is reverted by a commit
        // of the project as well.
        let checkpoint = point.boundary.checkpoint.found();
        let checkpoint = checkpoint.filter(|found| of_store(found) || !options.rewind_branch);
        let Some(((store, commit, work_tree), checkpoint)) = restored.zip(checkpoint) else {
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
        let times = (taken, self.world.clock().now().to_utc());
        let since = branch_history::since(git, &work_tree, &head, baseline.as_deref(), times);
        let branch = repo.branch.unwrap_or_else(|| "HEAD".into());
        if !options.rewind_branch {
            let removable = of_store(&checkpoint);
            let at = (work_tree.as_path(), repo.work_tree.as_deref());
            let loss = match since {
                Ok(since) => {
                    let files = || restored_files(&intent.steps, decided);
                    stays(&since, reverted(git, at, &since.newer, files), removable)
                }
                Err(error) => Some(Loss::not_restored(format!(
                    "Which commits of the project are newer than the checkpoint is unknown: {error}."
                ))),
            };
            intent.losses.extend(loss);
            return Ok(());
        }
        guards.extend(self.moved_back(intent, since, (work_tree, &branch, &head)));
        Ok(())
    }

    /// Adds the step that moves the branch back, or says why the commit is unknown.
    fn moved_back(
        &self,
        intent: &mut Intent,
        since: Result<Since, GitError>,
        (work_tree, branch, head): (PathBuf, &Foreign, &str),
    ) -> Option<Guard> {
        let unknown = |why: String| {
            Some(Guard::fails(
                "rewind",
                why,
                "Omit --rewind-branch to keep the commits.",
            ))
        };
        let since = match since {
            Ok(since) => since,
            Err(error) => return unknown(format!("Where the branch was is unknown: {error}.")),
        };
        let Some(then) = since.commit.clone() else {
            let shallow = since.newer.iter().any(|commit| commit.cut);
            return unknown(match since.more {
                true if shallow => SHALLOW.to_owned(),
                true => format!(
                    "The newest {} are all newer than the checkpoint; older ones were not looked at.",
                    count(since.newer.len(), "commit")
                ),
                false => "The branch has no commit older than the checkpoint.".to_owned(),
            });
        };
        if since.newer.is_empty() {
            return None;
        }
        if let Some(commit) = since.doubtful {
            return unknown(format!(
                "Only commit times say where the branch was, and that of {} “{}” proves nothing: the commit was rewritten (rebase, amend), or a clock was set back.",
                short_id(&commit.id),
                commit.subject.shown()
            ));
        }
        let short = short_id(&then.id);
        let text = format!(
            "Resets the branch {} and its index to {short} “{}”, where it was when the checkpoint was taken, by the commit times.",
            branch.shown(),
            then.subject.shown()
        );
        let leaves = leaves(&since, branch, head);
        intent.losses.extend(leaves.map(Loss::overwritten));
        let pushed = self.pushed(&work_tree, branch, &since.newer);
        intent.losses.extend(pushed.map(Loss::overwritten));
        let removed = since.newer.len() as u64;
        let rewind = Step::rewind_branch(work_tree, (then.id, removed), text);
        intent.steps.push(rewind);
        None
    }

    /// What is said of commits that leave the branch and are in its upstream, which may have commits of others too.
    fn pushed(&self, work_tree: &Path, branch: &Foreign, newer: &[Commit]) -> Option<String> {
        let git = self.world.git();
        let theirs = git.upstream(work_tree, branch.as_str()?).ok()??;
        let is_theirs = |one: &&Commit| {
            let within = git.is_ancestor(work_tree, &one.id, &theirs);
            within.unwrap_or(false)
        };
        let which = match (newer.len(), newer.iter().filter(is_theirs).count()) {
            (_, 0) => return None,
            (1, _) => "It was".to_owned(),
            (all, pushed) if all == pushed => "They were".to_owned(),
            (_, pushed) => count_of(pushed, "of them was", "of them were"),
        };
        Some(format!(
            "{which} pushed: pushing this branch again would rewrite published history."
        ))
    }
}

/// Why a clone that lacks the commit cannot be rewound.
const SHALLOW: &str = "No commit that this clone has is older than the checkpoint (the clone is shallow; git fetch --unshallow completes it).";

fn pointless() -> EngineError {
    let text = "--rewind-branch needs a checkpoint of a store, or a point that resets a worktree; this plan has neither.";
    EngineError::usage(text).hint("Omit it: then the branch does not change.")
}

/// The files that are restored from a checkpoint, by their paths in its work tree.
fn restored_files(steps: &[Step], decided: &[Option<Decided>]) -> BTreeSet<Foreign> {
    let pairs = steps.iter().zip(decided);
    let restores = pairs.filter(|(step, _)| matches!(step, Step::RestoreTree { .. }));
    restores
        .filter_map(|(_, decided)| decided.as_ref())
        .flat_map(|decided| decided.changed().cloned())
        .collect()
}

/// How many commits have one of the restored files. One whose files cannot be told counts.
fn reverted(
    git: &dyn Git,
    (work_tree, top): (&Path, Option<&Path>),
    newer: &[Commit],
    files: impl FnOnce() -> BTreeSet<Foreign>,
) -> usize {
    // A project may be a directory of a larger repository.
    let within = top.and_then(|top| work_tree.strip_prefix(top).ok());
    let within = within.unwrap_or_else(|| Path::new(""));
    let files = if newer.is_empty() {
        BTreeSet::new()
    } else {
        files()
    };
    if files.is_empty() {
        return 0;
    }
    let ids: Vec<&str> = newer.iter().map(|commit| commit.id.as_str()).collect();
    let has = |paths: Option<Vec<Foreign>>| {
        paths.is_none_or(|paths| paths.iter().any(|path| is_restored(&files, path, within)))
    };
    let changed = git.changed_paths(work_tree, &ids).into_iter();
    changed.map(has).filter(|has| *has).count()
}

/// Whether a path of a repository is one of these files of a directory in it.
fn is_restored(files: &BTreeSet<Foreign>, path: &Foreign, within: &Path) -> bool {
    let own = path.as_path().strip_prefix(within);
    own.is_ok_and(|own| files.contains(&Foreign::from(own)))
}

/// What is said of commits that stay, some of which are `reverted`.
fn stays(since: &Since, reverted: usize, removable: bool) -> Option<Loss> {
    let newer = since.newer.as_slice();
    let (all, named) = counted(since)?;
    let stay = plural(newer.len(), "It stays", "They stay");
    let is = plural(newer.len(), "is", "are");
    let them = plural(newer.len(), "it", "them");
    let changed = match (newer.len(), reverted) {
        (_, 0) => None,
        (1, _) => Some("it".to_owned()),
        (all, reverted) if all == reverted => Some("they".to_owned()),
        _ => Some(format!("{reverted} of them")),
    };
    let shown = match changed {
        None => format!(": no restored file is in {them}"),
        Some(changed) => format!(
            ", and git status shows what {changed} changed in the restored files as reverted"
        ),
    };
    let loss = Loss::not_restored(format!(
        "{all} of the project {is} newer than the checkpoint{named}. {stay} on the branch{shown}."
    ));
    Some(if removable {
        loss.unless(&format!("--rewind-branch removes {them}").into())
    } else {
        loss
    })
}

/// What is said of commits that leave the branch. Their content stays where the checkpoint has it.
fn leaves(since: &Since, branch: &Foreign, head: &str) -> Option<String> {
    let newer = since.newer.as_slice();
    let (all, named) = counted(since)?;
    let is = plural(newer.len(), "is", "are");
    let branch = branch.lossy();
    let short = short_id(head);
    let them = plural(newer.len(), "it", "them");
    Some(format!(
        "{all} {is} removed from the branch {branch}{named}. What the checkpoint has of {them} stays in the files, uncommitted. The old tip {short} remains reachable under refs/relight/undo/."
    ))
}

/// How many commits are newer than a checkpoint, and the name of the newest: the same whether they stay or leave.
fn counted(since: &Since) -> Option<(String, String)> {
    let newer = since.newer.as_slice();
    let lead = plural(newer.len(), ":", ", the newest");
    let named = format!("{lead} “{}”", newer.first()?.subject.shown());
    let least = if since.more { "At least " } else { "" };
    Some((format!("{least}{}", count(newer.len(), "commit")), named))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restored_file_is_found_in_a_directory_of_a_larger_repository() {
        let files: BTreeSet<Foreign> = ["src/a.rs", "b"].map(Foreign::from).into();
        for (path, within, expected) in [
            ("src/a.rs", "", true),
            ("a.rs", "", false),
            ("shop/src/a.rs", "shop", true),
            ("src/a.rs", "shop", false),
            ("shopping/b", "shop", false),
            ("b/c", "", false),
        ] {
            let found = is_restored(&files, &path.into(), Path::new(within));
            assert_eq!(found, expected, "{path} {within}");
        }
    }
}
