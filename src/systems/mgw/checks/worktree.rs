//! M13, M14 and M23: branch, worktree, uncommitted and unpushed work, and what git ignores.

use std::path::Path;

use super::Scene;
use crate::foreign;
use crate::model::Foreign;
use crate::systems::kit::checks::{Outcome, fail, pass, skipped, warn};
use crate::systems::mgw::facts::branch::{Tree, usual_tree};
use crate::systems::mgw::points::{Goal, LOST};
use crate::systems::mgw::shape::{Checkpoint, FOLDER, State, Step};
use crate::text::Shown as _;
use crate::text::format::{count, list_first, shell_word, short_id};

/// What is done first where git may have commits that it cannot read.
const SEARCH: &str =
    "The commits may be there: look with git reflog and git fsck before you go back.";
/// How many uncommitted paths are named.
const NAMED: usize = 10;

fn goal(scene: &Scene<'_>) -> Option<Goal> {
    scene.target.map(|target| target.goal)
}

pub(super) fn is_done(scene: &Scene<'_>) -> bool {
    matches!(goal(scene), Some(Goal::Nothing | Goal::Cleanup))
}

/// git answers; the error is the outcome if it cannot.
fn git(scene: &Scene<'_>, remedy: &'static str) -> Result<(), Outcome> {
    let repo = scene.facts.branch.repo.as_ref().map(drop);
    repo.map_err(|why| skipped(format!("The repository cannot be read: {why}.")).remedy(remedy))
}

/// M13: the branch, the worktree, and that they belong together.
pub(super) fn branch(scene: &Scene<'_>) -> Result<Vec<Outcome>, Outcome> {
    git(scene, "Check with git branch and git worktree list.")?;
    let mut outcomes = vec![branch_exists(scene).about("branch")];
    let worktree = match &scene.facts.branch.tree {
        None if goal(scene) == Some(Goal::Nothing) => return Ok(outcomes),
        None => no_worktree(scene, "There is no worktree for it"),
        Some(tree) if !tree.present => {
            no_worktree(scene, "Its directory is gone, and git still lists it")
        }
        Some(tree) => worktree(scene, tree),
    };
    outcomes.push(worktree.about("worktree"));
    outcomes.extend(lost(scene));
    Ok(outcomes)
}

fn branch_exists(scene: &Scene<'_>) -> Outcome {
    let facts = &scene.facts.branch;
    let name = &facts.name;
    if let Some(tip) = &facts.tip {
        let ahead = facts.ahead.map_or_else(String::new, |n| {
            format!(", {} ahead of the main branch", count(n, "commit"))
        });
        return pass(format!("{name} is at {}{ahead}.", short_id(tip)));
    }
    if let Some(why) = &facts.unread {
        return skipped(format!(
            "Whether there is a branch {name} is unknown: {why}."
        ))
        .remedy(SEARCH);
    }
    let text = format!("There is no branch {name}.");
    let recorded = scene.facts.recorded().and_then(State::checkpoint);
    let reached = recorded.and_then(Checkpoint::effective);
    if reached >= Some(Step::Execute) && matches!(goal(scene), Some(Goal::Step(_))) {
        let had = if reached > Some(Step::Execute) {
            "past execution, so it had commits"
        } else {
            "at execution, so it may have had commits"
        };
        let point = scene.redo(Step::Execute);
        let point = point.map(|point| format!(", or resume at the point `{point}`"));
        let or = point.unwrap_or_default();
        let lost = scene.facts.evidence.lost.as_ref();
        let remote = lost.and_then(|lost| lost.remote.as_ref().ok()?.as_ref());
        let remedy = match remote {
            Some(remote) => fetched(scene, remote),
            None => format!("Look for the commits with git reflog{or}.").into(),
        };
        return fail(format!("{text} The checkpoint is {had}."), remedy);
    }
    if is_done(scene) {
        return pass(format!("{text} The work is done."));
    }
    warn(text, "/mgw:run creates it.")
}

/// Commits that the state file names and no local branch has.
fn lost(scene: &Scene<'_>) -> Option<Outcome> {
    let lost = scene.facts.evidence.lost.as_ref();
    let lost = lost.filter(|_| !is_done(scene))?;
    let id = short_id(&lost.id);
    let outcome = match &lost.remote {
        Ok(None) => fail(
            format!("The state file names commit {id}, which no branch has."),
            format!(
                "Look for it with git show {id} and git reflog before its work is done again; git branch NAME {id} brings it back."
            ),
        ),
        Ok(Some(remote)) => fail(
            foreign!(
                "The state file names commit {}, which only {} has.",
                id,
                remote
            ),
            fetched(scene, remote),
        ),
        Err(why) => skipped(format!(
            "Whether a branch has commit {id}, which the state file names, is unknown: {why}."
        ))
        .remedy(SEARCH),
    };
    Some(outcome.about(LOST))
}

/// What brings the commits of a remote's branch to the branch of the issue.
fn fetched(scene: &Scene<'_>, remote: &Foreign) -> Foreign {
    let branch = &scene.facts.branch;
    let own = format!("/{}", branch.name);
    let is_same = remote.as_bytes().ends_with(own.as_bytes());
    let words = shell_word(&branch.name).zip(shell_word(remote));
    let first = "before its work is done again";
    match (words.filter(|_| is_same), &branch.tip) {
        (Some((name, remote)), None) => {
            format!("Bring it back {first}: git branch --track {name} {remote}").into()
        }
        (Some((_, remote)), Some(_)) => {
            format!("Bring it back {first}, in the worktree: git merge --ff-only {remote}").into()
        }
        (None, _) => foreign!("Bring {} to a local branch {}.", remote, first),
    }
}

fn no_worktree(scene: &Scene<'_>, text: &str) -> Outcome {
    if is_done(scene) {
        return pass(format!("{text}; the work is done."));
    }
    let facts = scene.facts;
    let remedy = facts.branch.bring_back(&facts.root);
    warn(format!("{text}."), remedy)
}

fn worktree(scene: &Scene<'_>, tree: &Tree) -> Outcome {
    let facts = &scene.facts.branch;
    let (path, name) = (tree.path.shown(), &facts.name);
    if !tree.registered {
        return warn(
            format!("{path} exists, and git does not list it."),
            "Copy what you need out of it, then let /mgw:run create it again.",
        );
    }
    if facts.mismatch() {
        let on = tree.branch.as_ref().map(Foreign::clean);
        let on = on.unwrap_or_else(|| "no branch".into());
        return warn(
            format!("{path} is on {on}, expected {name}."),
            format!("Switch it to {name} before you continue."),
        );
    }
    let usual = usual_tree(&scene.facts.root, name).as_ref() == Some(&tree.path);
    let odd = " It is not where the orchestrator puts it.";
    let place = if usual { "" } else { odd };
    pass(format!("{path} is on {name}.{place}"))
}

/// M14: uncommitted and unpushed work.
pub(super) fn changes(scene: &Scene<'_>) -> Result<Vec<Outcome>, Outcome> {
    git(scene, "Check with git status.")?;
    let facts = &scene.facts.branch;
    let uncommitted = match &facts.status {
        None => skipped("There is no worktree.").remedy("Let /mgw:run create the worktree first."),
        Some(Err(why)) => skipped(format!("git cannot answer: {why}."))
            .remedy("Check with git status in the worktree."),
        Some(Ok(paths)) if paths.is_empty() => pass("There are none."),
        Some(Ok(paths)) => {
            let names = paths.iter().map(|change| change.path.shown());
            let (names, paths) = (list_first(names, NAMED), count(paths.len(), "path"));
            let remedy = "Commit or copy them before the worktree is removed.";
            warn(format!("{paths}: {names}."), remedy)
        }
    };
    let unpushed = match (&facts.tip, facts.ahead, facts.unpushed) {
        (None, _, _) if facts.unread.is_some() => skipped("The branch cannot be read."),
        (None, _, _) => pass("There is no branch to push."),
        (Some(_), Some(0), _) | (Some(_), _, Some(0)) => pass("There are none."),
        (Some(_), ahead, unpushed) => {
            let number = unpushed.or(ahead);
            let unknown = || "An unknown number of commits".to_owned();
            let commits = number.map_or_else(unknown, |n| count(n, "commit"));
            let alone = unpushed.map_or("; the branch has no known upstream", |_| "");
            warn(
                format!("{commits}{alone}."),
                "They exist nowhere else: do not remove the branch before they are pushed.",
            )
        }
    };
    Ok(vec![
        uncommitted.about("uncommitted changes"),
        unpushed.about("unpushed commits"),
    ])
}

/// M23: the state and the worktrees stay out of commits.
pub(super) fn ignored(scene: &Scene<'_>) -> Vec<Outcome> {
    let (git, root) = (scene.world.git(), &scene.facts.root);
    let one = |name: &'static str| {
        let outcome = match git.is_ignored(root, Path::new(name)) {
            Ok(true) => pass("git ignores it."),
            Ok(false) => {
                let remedy = format!("Add {name}/ to .gitignore or .git/info/exclude.");
                warn("git does not ignore it.", remedy)
            }
            Err(why) => {
                skipped(format!("git cannot answer: {why}.")).remedy("Check with git check-ignore.")
            }
        };
        outcome.about(name)
    };
    [FOLDER, ".worktrees"].map(one).into()
}
