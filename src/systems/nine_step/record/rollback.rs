//! A rollback to a phase's commit: the rollback folder with its copies, the state's backup, the reset, the new state,
//! the log, in this order.
//!
//! The copies, the reset and the new state belong in one transaction, because none of them is correct without the
//! others. The block in the log follows and stays when the rollback is undone, because a log only grows.

mod folder;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::formats::json::NOW;
use crate::model::{ClockStyle, DATED, Foreign, Guard, Intent, Loss, PathState, Step, TreeNeed};
use crate::systems::kit::uncommitted::{self, PUSHED, removed_commits};
use crate::systems::nine_step::Scene;
use crate::systems::nine_step::facts::{Facts, Home};
use crate::systems::nine_step::record::{self, Change, Last, state_file};
use crate::systems::nine_step::shape::StepNo;
use crate::systems::nine_step::shape::rollback_log::LOG;
use crate::text::format::{count, plural};
use crate::world::World;
use crate::world::git::{Commit, StatusKind, StatusPath};

const ON_MAIN: &str = "The work tree is on the main branch, or the main branch is unknown; its history is never rolled back.";

/// A rollback to a phase.
struct Rollback<'a> {
    facts: &'a Facts,
    world: &'a dyn World,
    /// The phase that it returns to; 0 for the start of the branch.
    phase: i64,
    /// The phase before it.
    from: i64,
    commit: &'a str,
    /// The commits that it removes, newest first: what HEAD has and the target does not.
    removed: Vec<Commit>,
    /// Paths that later phases changed or added, and paths with uncommitted work, relative to the worktree; the flag
    /// marks the uncommitted ones.
    changed: Vec<(Foreign, bool)>,
    /// The rollback folder; `None` if the feature's name cannot be a directory name.
    folder: Option<PathBuf>,
}

/// Fills the intent of a rollback.
pub(crate) fn fill(scene: Scene<'_>, phase: i64, commit: &str, intent: &mut Intent) {
    let Scene { facts, world, .. } = scene;
    let rollback = Rollback {
        facts,
        world,
        phase,
        from: facts.current_phase(),
        commit,
        removed: removed(facts, commit, world),
        changed: changed(facts, commit, world),
        folder: folder::path(facts, phase, world),
    };
    rollback.guards(intent);
    let left = rollback.copies(intent);
    let before = intent.steps.len();
    if facts.state.is_some() {
        state_file::write(scene, &rollback.change(), intent);
    }
    // The copies of the state come before the reset, the new state after it.
    let at = intent.steps.len().saturating_sub(1).max(before);
    let reset = Step::ResetWorktree {
        worktree: facts.dir().to_owned(),
        commit: commit.to_owned(),
    };
    intent.steps.insert(at, reset);
    intent.steps.extend(rollback.log());
    let branch = facts.text("branch_name").map(Foreign::from);
    intent.tree = Some(TreeNeed {
        work_tree: facts.dir().to_owned(),
        branch: branch.or_else(|| facts.git.checked_out.clone()),
        baseline: facts.git.fork.clone(),
    });
    rollback.losses(left, intent);
}

impl Rollback<'_> {
    /// The state after the rollback; before phase 1 there is no step 9.
    fn change(&self) -> Change {
        let (phase, from) = (self.phase, self.from);
        let (at, step, status) = if phase >= 1 {
            (phase, StepNo::Commit, "completed")
        } else {
            (1, StepNo::Plan, "in_progress")
        };
        let next = phase.saturating_add(1);
        let reason = format!("Continue from Phase {phase} after rollback");
        let note = format!("Rolled back from Phase {from} to Phase {phase}");
        Change {
            last: Some(Last::new((at, step), status, Some(note))),
            drop_from: Some((next, StepNo::Plan)),
            resume_plan: Some((next, StepNo::Plan, reason)),
            ..Change::default()
        }
    }

    fn guards(&self, intent: &mut Intent) {
        let (facts, commit, phase) = (self.facts, self.commit, self.phase);
        let on = facts.git.checked_out.as_ref().map(Foreign::lossy);
        let main = facts.git.base.is_none() || on.as_deref() == facts.git.base.as_deref();
        let has_tree = matches!(facts.home, Home::Linked(_) | Home::Main(_));
        intent.guards.push(if has_tree && on.is_none() {
            // It may be at a commit of the main branch; the guard of the branch says how to leave it.
            let branch = facts.git.branch.as_deref().map(Foreign::from);
            Guard::fails(
                "main_branch",
                "The work tree is on no branch (detached HEAD); a rollback moves a branch.",
                Guard::switch(facts.dir(), branch.as_ref(), &facts.git.head),
            )
        } else if main {
            Guard::fails("main_branch", ON_MAIN, "Move the work to its own branch.")
        } else {
            Guard::holds("main_branch", "The work tree is on its own branch.")
        });
        let tip = facts.git.tip.as_deref().unwrap_or_default();
        let git = self.world.git();
        let within = facts.git.has(commit) || {
            let within = git.is_ancestor(&facts.layout.top, commit, tip);
            within.unwrap_or(false)
        };
        intent.guards.push(if within {
            let text = format!("The commit of phase {phase} is on the branch.");
            Guard::holds("ancestor", text)
        } else {
            Guard::fails(
                "ancestor",
                "The commit is not on the branch.",
                "Check out the branch that contains the commit.",
            )
        });
        if matches!(facts.home, Home::Main(_)) && facts.text("worktree_path").is_some() {
            intent.guards.push(Guard::fails(
                "work_tree",
                "The recorded worktree is missing; the main work tree is never reset in its place.",
                "Create the worktree again.",
            ));
        }
        intent.guards.extend(self.tracked_state());
    }

    /// A state file that git tracks would be changed twice: by the reset and by relight.
    fn tracked_state(&self) -> Option<Guard> {
        let facts = self.facts;
        let doc = facts.doc().filter(|doc| doc.dir == facts.dir())?;
        let head = facts.git.tip.as_deref().unwrap_or_default();
        let (git, top, name) = (self.world.git(), &facts.layout.top, Path::new(&doc.name));
        let tracked = [head, self.commit]
            .iter()
            .any(|at| git.blob(top, at, name).is_ok());
        tracked.then(|| {
            Guard::fails(
                "tracked_state",
                "git tracks the state file, so the reset would change it too.",
                "Untrack it: git rm --cached, then add it to info/exclude.",
            )
        })
    }

    /// The block of the log.
    fn log(&self) -> Option<Step> {
        let (facts, phase, from) = (self.facts, self.phase, self.from);
        let path = facts.rollbacks.folder.as_ref()?.join(LOG);
        let kept = self.folder.as_deref()?;
        let shown = kept.strip_prefix(&facts.layout.top).unwrap_or(kept);
        // On one line, and without the placeholder for the time.
        let shown = record::undated(&Foreign::from(shown).clean().into_string());
        let lines = vec![
            format!("## Rollback: {}", NOW),
            format!("- **From**: Phase {from}"),
            format!("- **To**: Phase {phase}"),
            "- **Reason**: chosen by the user in relight".to_owned(),
            format!("- **Backup**: {shown}"),
            "- **Restored**: No (relight undo reverses it)".to_owned(),
            "---".to_owned(),
        ];
        let summary = format!("The rollback is logged. {DATED}");
        let clock = ClockStyle::LocalSpaced;
        Some(Step::append_lines(path, lines, clock, summary))
    }

    fn losses(&self, left: usize, intent: &mut Intent) {
        let (facts, changed) = (self.facts, &self.changed);
        let mut add = |loss: Loss| intent.losses.push(loss);
        let gone = &self.removed;
        if let Some((newest, branch)) = gone.first().zip(facts.git.checked_out.as_ref()) {
            add(removed_commits(
                gone.len(),
                &branch.lossy(),
                &newest.subject,
            ));
        }
        // What the target has as well is overwritten, whatever HEAD and the index say of it.
        let is_reset = |path: &Foreign| changed.iter().any(|(changed, _)| changed == path);
        let open = facts.git.dirty.iter().cloned().map(|change| StatusPath {
            kind: if is_reset(&change.path) {
                StatusKind::Changed
            } else {
                change.kind
            },
            ..change
        });
        let open: Vec<StatusPath> = open.collect();
        let open = uncommitted::losses(&open, "");
        open.into_iter().for_each(&mut add);
        if left > 0 {
            add(Loss::not_restored(format!(
                "{} that still {} not copied into the rollback directory; undo restores all of them.",
                count(left, "changed file"),
                plural(left, "exists is", "exist are")
            )));
        }
        let (git, top) = (self.world.git(), facts.layout.top.as_path());
        let branch = facts.git.branch.as_deref().unwrap_or_default();
        let theirs = git.upstream(top, branch).ok().flatten();
        // What others pushed after the target is not removed: it is not on this branch.
        let published = gone.last().zip(theirs).is_some_and(|(oldest, theirs)| {
            let pushed = git.is_ancestor(top, &oldest.id, &theirs);
            pushed.unwrap_or(false)
        });
        if published {
            add(Loss::overwritten(PUSHED));
        }
    }
}

/// The commits that HEAD of the work tree has and the target does not, newest first. Where that cannot be read, those
/// of the branch that could.
fn removed(facts: &Facts, commit: &str, world: &dyn World) -> Vec<Commit> {
    let head = match &facts.home {
        Home::Linked(worktree) => worktree.head.as_deref(),
        Home::Main(_) | Home::Orphan(_) | Home::BranchOnly(_) => facts.git.head.head.as_deref(),
    };
    let top = facts.layout.top.as_path();
    let git = world.git();
    let listed = head.map(|head| git.log(top, head, Some(commit), usize::MAX));
    listed.and_then(Result::ok).unwrap_or_else(|| {
        let own = facts.git.commits.iter();
        own.take_while(|own| own.id != commit).cloned().collect()
    })
}

/// Paths that later phases changed or added, and paths with uncommitted work, relative to the worktree; the flag marks
/// the uncommitted ones.
fn changed(facts: &Facts, commit: &str, world: &dyn World) -> Vec<(Foreign, bool)> {
    let dir = facts.dir();
    let uncommitted = facts.git.dirty.iter();
    let uncommitted = uncommitted.filter(|change| change.kind == StatusKind::Changed);
    let drift = world.git().drift(dir, commit, dir).unwrap_or_default();
    let moved = drift.paths.into_iter();
    let moved = moved.filter(|p| matches!(p.state, PathState::Modified | PathState::Missing));
    let moved = moved.map(|p| p.path).chain(added(facts, commit, world));
    let mut paths: BTreeMap<Foreign, bool> = moved.map(|path| (path, false)).collect();
    paths.extend(uncommitted.map(|change| (change.path.clone(), true)));
    paths.into_iter().collect()
}

/// Files of the branch that the target commit does not have.
fn added(facts: &Facts, commit: &str, world: &dyn World) -> Vec<Foreign> {
    let head = facts.git.tip.as_deref().unwrap_or_default();
    let at = |id: &str| world.git().tree_paths(&facts.layout.top, id, Path::new(""));
    let (Ok(mut now), Ok(then)) = (at(head), at(commit)) else {
        return Vec::new();
    };
    let then: BTreeSet<Foreign> = then.into_iter().collect();
    now.retain(|path| !then.contains(path));
    now
}
