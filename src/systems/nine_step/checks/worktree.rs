//! N4, N5, N6, N13, N14, N15: worktree, branch, uncommitted work, merge, temporary tests, upstream.

use std::path::{Path, PathBuf};

use crate::model::{Foreign, Guard, Place};
use crate::systems::kit::checks::{Made, Outcome, fail, pass, skipped, warn};
use crate::systems::nine_step::Scene;
use crate::systems::nine_step::facts::{Facts, Home, Merged};
use crate::systems::nine_step::points::Target;
use crate::systems::nine_step::points::merge_stage::REMEDY;
use crate::systems::nine_step::shape::{StepNo, feature_names};
use crate::text::Shown as _;
use crate::text::format::count_of;
use crate::world::World;

/// Skips a check that git cannot answer.
pub(super) fn needs_git(facts: &Facts) -> Result<(), Outcome> {
    let skip = |error| skipped(format!("The repository cannot be read: {error}."));
    facts.git.error.as_ref().map(skip).map_or(Ok(()), Err)
}

/// N4: the worktree is registered, at the recorded path.
pub(super) fn registered(scene: &Scene<'_>) -> Made {
    let facts = scene.facts;
    needs_git(facts)?;
    let recorded = facts.text("worktree_path");
    let add = "Create it again with git worktree add PATH BRANCH, if the branch still exists.";
    Ok(match &facts.home {
        Home::Main(_) if recorded.is_none() => {
            pass("None is recorded; the work is in the main work tree.")
        }
        Home::Main(_) => fail(
            "The recorded worktree is not among those that git lists.",
            add,
        ),
        Home::Orphan(_) => fail(
            "The directory exists, and git does not list it as a worktree.",
            "Run git worktree repair PATH, or move the files to a new worktree.",
        ),
        Home::BranchOnly(_) => warn("No worktree has the branch.", add),
        Home::Linked(worktree) if worktree.prunable => {
            if scene.world.files().is_dir(&Place::root(&worktree.path)) {
                not_linked(&worktree.path, scene.world)
            } else {
                fail("According to git its directory is gone.", add)
            }
        }
        Home::Linked(worktree) if worktree.locked => warn(
            "It is registered and locked.",
            "Run git worktree unlock PATH once nobody needs the lock.",
        ),
        Home::Linked(_) => match recorded {
            Some(recorded) => recorded_path(facts, recorded, scene.world),
            None => pass("It is registered; no path is recorded."),
        },
    })
}

/// A directory whose `.git` does not lead back to the repository that lists it.
fn not_linked(path: &Path, world: &dyn World) -> Outcome {
    if world.files().is_dir(&Place::root(path.join(".git"))) {
        return fail(
            "It exists, and it is a repository of its own.",
            "Move it elsewhere, then create the worktree again with git worktree add PATH BRANCH.",
        );
    }
    fail(
        "It exists, and its .git file is missing, cannot be read or names another repository.",
        "If it is this worktree, run git worktree repair PATH.",
    )
}

/// The recorded path, absolute or relative to the project; compared as text, then as resolved.
fn recorded_path(facts: &Facts, recorded: &str, world: &dyn World) -> Outcome {
    let dir = facts.dir();
    let (path, why) = match Place::foreign(&[&facts.layout.top, dir], recorded.as_bytes()) {
        Ok(place) => (place.path(), String::new()),
        Err(why) => (
            PathBuf::from(recorded.trim_end_matches('/')),
            format!(" ({why})"),
        ),
    };
    if path == dir {
        return pass("It is registered at the recorded path.");
    }
    if path.is_absolute() && world.files().resolved(&path) == world.files().resolved(dir) {
        return pass("It is registered; the recorded path is another name for it.");
    }
    warn(
        format!(
            "It is registered at {}, and recorded as `{recorded}`{why}.",
            dir.shown()
        ),
        "Correct worktree_path in the state file if the project was moved.",
    )
}

/// N5: the branch that is checked out.
pub(super) fn branch(scene: &Scene<'_>) -> Made {
    let facts = scene.facts;
    needs_git(facts)?;
    let expected = facts.text("branch_name").map(Foreign::from);
    let switch = Guard::switch(facts.dir(), expected.as_ref(), &facts.git.head);
    let Some(actual) = &facts.git.checked_out else {
        return match facts.home {
            Home::Orphan(_) | Home::BranchOnly(_) => {
                Err(skipped("git lists no worktree of this pipeline."))
            }
            Home::Linked(_) | Home::Main(_) => Ok(fail("HEAD is detached.", switch)),
        };
    };
    let actual = actual.lossy();
    Ok(match facts.text("branch_name") {
        None => pass(format!("On `{actual}`; no branch is recorded.")),
        Some(expected) if expected == actual => pass(format!("On `{actual}`, as recorded.")),
        Some(_) if matches!(facts.home, Home::Main(_)) && facts.git.tip.is_none() => pass(format!(
            "On `{actual}`; the recorded branch does not exist yet."
        )),
        Some(expected) if feature_names::same(expected, &actual) => warn(
            format!("On `{actual}`, recorded as `{expected}`: the same name in another spelling."),
            "Correct branch_name in the state file.",
        ),
        // The first half is the plugin's own message.
        Some(expected) => fail(
            format!(
                "Worktree state doesn't match workflow state: expected branch `{expected}`, actual `{actual}`."
            ),
            switch,
        ),
    })
}

/// N6: uncommitted changes, compared with the step.
pub(super) fn changes(scene: &Scene<'_>) -> Outcome {
    let git = &scene.facts.git;
    let state = Guard::git_state(scene.facts.dir(), git.busy, &git.unmerged);
    if let Some(ends) = state.would_hold_if {
        return fail(state.text, ends);
    }
    if let Some(why) = &git.unread {
        return skipped(format!("They are unknown: {why}."));
    }
    let changes = git.dirty.len();
    let text = match changes {
        0 => "The work tree is clean".to_owned(),
        n => format!("{} uncommitted", count_of(n, "path is", "paths are")),
    };
    let position = scene.facts.position();
    let at = position.map(|position| (position.step, position.class.is_done()));
    let committed = at == Some((StepNo::Commit, true));
    // Between the end of step 3 and the commit of step 9 there must be something to commit.
    let work = (StepNo::Code, true)..=(StepNo::TestReview, true);
    let working = at.is_some_and(|at| work.contains(&at));
    if committed && changes > 0 {
        warn(
            format!("{text}, though the phase is recorded as committed."),
            "Commit what belongs to the phase, or keep it for the next one.",
        )
    } else if working && changes == 0 && scene.decision.chosen != Target::Merge {
        warn(
            format!("{text}, though the phase is in progress and not committed."),
            "Check whether the work was stashed, reset or committed early (git reflog, git stash list).",
        )
    } else {
        pass(format!("{text}, as expected at this step."))
    }
}

/// N13: merged work cannot be resumed.
pub(super) fn merged(scene: &Scene<'_>) -> Outcome {
    let git = &scene.facts.git;
    match &git.merged {
        Merged::No => pass("The work is not merged into the main branch."),
        Merged::NothingYet => pass("The branch has no commits of its own to merge."),
        Merged::Unknown(why) if git.fork.is_none() && !git.phases.is_empty() => warn(
            format!(
                "It is unknown whether the work is merged and where the branch began, so the point phase-0-commit is not offered: {why}."
            ),
            "Complete what git lacks; git branch --merged is as wrong until then.",
        ),
        Merged::Unknown(why) => warn(
            format!("It is unknown whether the work is merged: {why}."),
            "Check with git branch --merged.",
        ),
        Merged::Partly { .. } => warn(git.merged.left_over().unwrap_or_default(), REMEDY),
        Merged::Yes(why) => fail(
            format!("It is merged: {why}. There is nothing to resume."),
            "Only the cleanup is left: plan, worktree, branch.",
        ),
    }
}

/// N14: temporary tests are removed after step 7.
pub(super) fn tests(scene: &Scene<'_>) -> Outcome {
    let position = scene.facts.position();
    let after = position.is_none_or(|p| (p.step, p.class.is_done()) > (StepNo::Test, false));
    match scene.facts.tests.len() {
        0 => pass("There are none in .test/."),
        n if after => warn(
            format!("{n} left in .test/."),
            "Remove them once the tests were reviewed.",
        ),
        n => pass(format!(
            "{n} in .test/, as expected before the end of step 7."
        )),
    }
}

/// N15: commits that only one side has.
pub(super) fn upstream(scene: &Scene<'_>) -> Made {
    let facts = scene.facts;
    needs_git(facts)?;
    let at = facts.git.branch.as_deref().zip(facts.git.tip.as_deref());
    let (branch, tip) = at.ok_or_else(|| skipped("There is no branch."))?;
    let (git, top) = (scene.world.git(), facts.layout.top.as_path());
    let theirs = git.upstream(top, branch);
    let unknown = |error| skipped(format!("It is unknown: {error}."));
    let Some(theirs) = theirs.map_err(unknown)? else {
        return Ok(pass("The branch tracks none."));
    };
    let counts = git.ahead_behind(top, tip, &theirs);
    Ok(match counts.map_err(unknown)? {
        (0, 0) => pass("Up to date."),
        (ahead, behind) => warn(
            format!("{ahead} ahead, {behind} behind."),
            "Pull or push before you continue.",
        ),
    })
}
