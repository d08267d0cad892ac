//! Checks outside the directory: A18, whether the loop runs, and A19 to A21, the worktrees.

use crate::model::{Reading, SignKind, SignVerdict, Subject};
use crate::systems::autoconference::Conference;
use crate::systems::autoconference::facts::worktrees::{self, Answer, Tree, Trees};
use crate::systems::autoconference::shape::{PID, Raw};
use crate::systems::kit::checks::{Outcome, fail, pass, skipped, warn};
use crate::systems::kit::odd_files::quoted;
use crate::text::format::count;
use crate::world::World;

use super::some;

pub(crate) const TREES: &str = "worktrees";

pub(crate) fn running(raw: &Raw, reading: &Reading) -> Outcome {
    if !raw.pid_file {
        let text = "There is no PID file; that alone does not prove that no loop runs.";
        return pass(text);
    }
    let lock = |verdict| {
        let mut signs = reading.life.signs.iter();
        signs.find(|s| s.kind == SignKind::Lock && s.verdict == verdict)
    };
    if let Some(alive) = lock(SignVerdict::Positive) {
        let remedy = "Stop the loop first; relight writes nothing while it runs.";
        return fail(alive.text.clone(), remedy);
    }
    match lock(SignVerdict::Unreadable) {
        Some(unread) => warn(
            unread.text.clone(),
            "Check yourself whether the loop still runs.",
        ),
        None => pass(format!("{PID} is stale: no loop runs under its PID.")),
    }
}

pub(crate) fn expected(case: &Conference) -> Outcome {
    let (trees, best) = match &case.trees {
        Trees::NotExpected => {
            let text = "No worktrees are expected: this conference works on files.";
            return pass(text);
        }
        Trees::Unasked(why) => return skipped(format!("git cannot list them: {why}.")),
        Trees::Known(answer) => (&answer.trees, &answer.best),
    };
    let missing = trees.iter().filter_map(|tree| {
        let branch = worktrees::branch(tree.id);
        match (&tree.tip, &tree.path) {
            (None, _) => Some(format!("branch {branch}")),
            (Some(_), None) => Some(format!("worktree of {branch}")),
            (Some(_), Some(_)) => None,
        }
    });
    let best = best
        .is_none()
        .then(|| format!("branch {}", worktrees::BEST));
    let missing: Vec<String> = missing.chain(best).collect();
    if missing.is_empty() {
        return pass("Every researcher has its branch and worktree.");
    }
    warn(
        format!(
            "The configuration needs worktrees and these are missing: {}.",
            some(&missing)
        ),
        "The chair creates them at start-up; or `git worktree add PATH BRANCH` restores one from its branch.",
    )
}

/// An outcome for what each researcher has of this kind, if it can be checked; one skipped outcome if there is none.
fn each(
    case: &Conference,
    kind: &'static str,
    what: &str,
    check: impl Fn(&Tree, Option<&str>) -> Option<Outcome>,
) -> Vec<Outcome> {
    let of = |tree: &Tree, best: &Option<String>| {
        let about = Subject::named(kind, tree.id.to_string());
        Some(check(tree, best.as_deref())?.about(about))
    };
    let mut all = Vec::new();
    let why = match &case.trees {
        Trees::NotExpected => {
            format!("{what} not looked at: this conference works on files.")
        }
        Trees::Unasked(why) => format!("{what} not looked at: git cannot list worktrees: {why}."),
        Trees::Known(Answer { trees, best, .. }) => {
            all.extend(trees.iter().filter_map(|tree| of(tree, best)));
            format!("{what} not looked at: there is no worktree or branch.")
        }
    };
    if all.is_empty() {
        all.push(skipped(why));
    }
    all
}

pub(crate) fn uncommitted(case: &Conference, world: &dyn World) -> Vec<Outcome> {
    let (kind, what) = ("worktree of researcher", "Uncommitted changes were");
    each(case, kind, what, |tree, _| {
        let path = tree.path.as_deref()?;
        let (tracked, untracked) = match worktrees::dirt(path, world) {
            Ok(dirt) => dirt,
            Err(why) => return Some(skipped(format!("Its status cannot be read: {why}."))),
        };
        if tracked.is_empty() && untracked == 0 {
            return Some(pass("It has no uncommitted changes."));
        }
        let names = tracked.iter().map(|p| p.path.clean().into_string());
        let names: Vec<String> = names.collect();
        let names = if names.is_empty() {
            "none".to_owned()
        } else {
            some(&names)
        };
        let text = format!("Uncommitted: {names}; untracked files: {untracked}.");
        let remedy = format!("See: git -C {} status", quoted(path));
        Some(warn(text, remedy))
    })
}

pub(crate) fn distances(case: &Conference, world: &dyn World) -> Vec<Outcome> {
    let (kind, what) = (
        "branch of researcher",
        "Distances from conference/best were",
    );
    each(case, kind, what, |tree, best| {
        let (tip, best) = (tree.tip.as_deref()?, best?);
        Some(match world.git().ahead_behind(&case.raw.dir, tip, best) {
            Ok((ahead, behind)) => {
                let ahead = count(ahead, "commit");
                pass(format!(
                    "{ahead} ahead of conference/best, {behind} behind."
                ))
            }
            Err(why) => skipped(format!("git cannot compare them: {why}.")),
        })
    })
}
