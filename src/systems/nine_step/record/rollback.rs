//! Going back to a phase's commit: the rollback folder with its copies, the state's backup, the reset, the
//! new state, the log — in that order (format note, sections b.4 and g).
//!
//! The copies, the reset and the new state belong into one transaction: none of them is true without the
//! others. The log's block comes after it and stays when it is taken back, because a log only grows.

pub(crate) mod folder;

use std::path::Path;

use crate::model::{ClockStyle, Foreign, Guard, Intent, PathState, Step, TreeNeed};
use crate::systems::nine_step::facts::{Facts, Home};
use crate::systems::nine_step::record::{self, Change, Last, state_file};
use crate::systems::nine_step::sentence;
use crate::systems::nine_step::shape::rollback_log::LOG;
use crate::systems::nine_step::shape::steps::StepNo;
use crate::systems::plural;
use crate::world::World;

/// Fills the intent of a rollback.
pub(crate) fn fill(
    facts: &Facts,
    phase: i64,
    commit: &str,
    world: &dyn World,
    intent: &mut Intent,
) {
    let from = from_phase(facts);
    guards(facts, phase, commit, world, intent);
    let changed = changed(facts, commit, world);
    let folder = folder::path(facts, phase, world);
    let copies = folder::Copies {
        phase,
        from,
        changed: &changed,
    };
    let left = folder::fill(facts, folder.as_deref(), &copies, world, intent);
    let at = intent.steps.len();
    if facts.state.is_some() {
        state_file::state(facts, &change(phase, from), intent);
    }
    // The copies of the state come before the reset, the new state after it.
    let new_state = if intent.steps.len() > at {
        intent.steps.pop()
    } else {
        None
    };
    intent.steps.push(Step::ResetWorktree {
        worktree: facts.dir().to_owned(),
        commit: commit.to_owned(),
    });
    intent.steps.extend(new_state);
    intent
        .steps
        .extend(log(facts, folder.as_deref(), phase, from));
    intent.tree = Some(TreeNeed {
        work_tree: facts.dir().to_owned(),
        branch: facts
            .text("branch_name")
            .map(Foreign::from)
            .or_else(|| facts.git.checked_out.clone()),
        baseline: facts.git.fork.clone(),
    });
    losses(facts, commit, &changed, left, world, intent);
}

/// The phase that is left.
fn from_phase(facts: &Facts) -> i64 {
    let recorded = facts.ledger.as_ref().map(|ledger| ledger.position.phase);
    let committed = facts.git.phases.keys().next_back().copied();
    recorded.or(committed).unwrap_or(1)
}

/// The state after the rollback; before phase 1 there is no step 9 to stand at.
fn change(phase: i64, from: i64) -> Change {
    let note = Some(format!("Rolled back from Phase {from} to Phase {phase}"));
    let next = phase.saturating_add(1);
    let last = if phase >= 1 {
        Last {
            phase,
            step: StepNo::Commit,
            status: "completed",
            note,
        }
    } else {
        Last {
            phase: 1,
            step: StepNo::Plan,
            status: "in_progress",
            note,
        }
    };
    Change {
        last: Some(last),
        drop_from: Some((next, StepNo::Plan)),
        resume_plan: Some((
            next,
            StepNo::Plan,
            format!("Continue from Phase {phase} after rollback"),
        )),
        ..Change::default()
    }
}

fn guards(facts: &Facts, phase: i64, commit: &str, world: &dyn World, intent: &mut Intent) {
    let on = facts
        .git
        .checked_out
        .as_ref()
        .map(|branch| branch.lossy().into_owned());
    let main = on.is_some() && on == facts.git.base || facts.git.base.is_none();
    intent.guards.push(if main {
        Guard::fails(
            "main_branch",
            "The work tree is on the main branch, or which one that is is not known; its history is never rolled back.",
            "The work is on a branch of its own.",
        )
    } else {
        Guard::holds("main_branch", "The work tree is on a branch of its own.")
    });
    let tip = facts.git.tip.as_deref().unwrap_or_default();
    let within = world
        .git()
        .is_ancestor(&facts.layout.top, commit, tip)
        .unwrap_or(false);
    intent.guards.push(if within {
        Guard::holds(
            "ancestor",
            sentence(format!("The commit of phase {phase} is in the branch.")),
        )
    } else {
        Guard::fails(
            "ancestor",
            "The commit is not in the branch.",
            "The branch contains the commit.",
        )
    });
    if matches!(facts.home, Home::Main(_)) && facts.text("worktree_path").is_some() {
        intent.guards.push(Guard::fails(
            "work_tree",
            "The recorded worktree is gone; the main work tree is never reset in its place.",
            "The worktree is there again.",
        ));
    }
    intent.guards.extend(tracked_state(facts, commit, world));
}

/// A state file that git tracks would be changed twice: by the reset and by us (format note, section g.3).
fn tracked_state(facts: &Facts, commit: &str, world: &dyn World) -> Option<Guard> {
    let doc = facts.doc().filter(|doc| doc.dir == facts.dir())?;
    let top = &facts.layout.top;
    let name = Path::new(&doc.name);
    let head = facts.git.tip.as_deref().unwrap_or_default();
    let tracked = [head, commit]
        .iter()
        .any(|at| world.git().blob(top, at, name).is_ok());
    tracked.then(|| {
        Guard::fails(
            "tracked_state",
            "git tracks the state file, so the reset would change it too.",
            "It is no longer tracked: git rm --cached, then add it to info/exclude.",
        )
    })
}

/// Paths that the later phases changed or added and paths with uncommitted work, relative to the worktree;
/// the flag marks the uncommitted ones.
fn changed(facts: &Facts, commit: &str, world: &dyn World) -> Vec<(Foreign, bool)> {
    let dir = facts.dir();
    let uncommitted = facts.git.dirty().iter().filter(|change| !change.untracked);
    let mut paths: Vec<(Foreign, bool)> = uncommitted.map(|c| (c.path.clone(), true)).collect();
    let drift = world.git().drift(dir, commit, dir).unwrap_or_default();
    let moved = drift
        .paths
        .into_iter()
        .filter(|p| matches!(p.state, PathState::Modified | PathState::Missing));
    paths.extend(moved.map(|p| (p.path, false)));
    paths.extend(
        added(facts, commit, world)
            .into_iter()
            .map(|path| (path, false)),
    );
    paths.sort();
    // Of two entries of one path, the later is the one that is uncommitted.
    paths.reverse();
    paths.dedup_by(|a, b| a.0 == b.0);
    paths.reverse();
    paths
}

/// Files that the branch has and the target commit has not.
fn added(facts: &Facts, commit: &str, world: &dyn World) -> Vec<Foreign> {
    let head = facts.git.tip.as_deref().unwrap_or_default();
    let at = |id: &str| world.git().tree_paths(&facts.layout.top, id, Path::new(""));
    let (Ok(now), Ok(then)) = (at(head), at(commit)) else {
        return Vec::new();
    };
    let then: std::collections::BTreeSet<Foreign> = then.into_iter().collect();
    now.into_iter()
        .filter(|path| !then.contains(path))
        .collect()
}

/// The block of the log.
fn log(facts: &Facts, kept: Option<&Path>, phase: i64, from: i64) -> Option<Step> {
    let folder = facts.rollbacks.folder.as_ref()?;
    let kept = kept?;
    let shown = kept.strip_prefix(&facts.layout.top).unwrap_or(kept);
    Some(Step::AppendLines {
        path: folder.join(LOG),
        lines: vec![
            format!("## Rollback: {}", record::NOW),
            format!("- **From**: Phase {from}"),
            format!("- **To**: Phase {phase}"),
            "- **Reason**: chosen by the user in relight".to_owned(),
            format!("- **Backup**: {}", one_line(&shown.to_string_lossy())),
            "- **Restored**: No (relight undo takes it back)".to_owned(),
            "---".to_owned(),
        ],
        clock: ClockStyle::LocalSpaced,
        summary: sentence(format!(
            "The rollback is logged; {} is the time of writing.",
            record::NOW
        )),
    })
}

/// A path for one line of the log: nothing in it breaks the line or asks for the clock.
fn one_line(path: &str) -> String {
    record::undated(&Foreign::from(path).clean().into_string())
}

fn losses(
    facts: &Facts,
    commit: &str,
    changed: &[(Foreign, bool)],
    left: usize,
    world: &dyn World,
    intent: &mut Intent,
) {
    let mut add = |text: String| intent.losses.push(sentence(text));
    let taken_back = facts
        .git
        .commits
        .iter()
        .take_while(|c| c.id != commit)
        .count();
    if taken_back > 0 {
        add(format!(
            "{} {} taken off the branch; undo puts {} back.",
            plural::commits(taken_back),
            plural::agree(taken_back, "is", "are"),
            plural::agree(taken_back, "it", "them")
        ));
    }
    let uncommitted = changed
        .iter()
        .filter(|(_, uncommitted)| *uncommitted)
        .count();
    if uncommitted > 0 {
        add(format!(
            "Uncommitted changes in {} are reset; undo puts them back.",
            plural::of(uncommitted, "tracked file", "tracked files")
        ));
    }
    let untracked = facts
        .git
        .dirty()
        .iter()
        .filter(|change| change.untracked)
        .count();
    if untracked > 0 {
        add(format!(
            "{} {} as {}.",
            plural::of(untracked, "untracked path", "untracked paths"),
            plural::agree(untracked, "stays", "stay"),
            plural::agree(untracked, "it is", "they are")
        ));
    }
    if left > 0 {
        add(format!(
            "{left} of {} {} not copied into the rollback folder; what relight keeps for undo is whole.",
            plural::of(changed.len(), "changed file", "changed files"),
            plural::agree(left, "is", "are")
        ));
    }
    let branch = facts.git.branch.as_deref().unwrap_or_default();
    if let Ok(Some(theirs)) = world.git().upstream(&facts.layout.top, branch)
        && world
            .git()
            .ahead_behind(&facts.layout.top, &theirs, commit)
            .is_ok_and(|(ahead, _)| ahead > 0)
    {
        add(
            "Commits that were pushed are taken back: pushing again rewrites published history."
                .to_owned(),
        );
    }
}
