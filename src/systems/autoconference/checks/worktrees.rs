//! Checks outside the directory: A18, whether the loop runs, and A19 to A21, the worktrees.

use crate::model::{Guard, Reading, SignKind, SignVerdict, Subject};
use crate::systems::autoconference::Conference;
use crate::systems::autoconference::facts::worktrees::{self, Answer, Tree, Trees};
use crate::systems::autoconference::shape::{PID, Raw};
use crate::systems::kit::checks::{Outcome, fail, or_pass, pass, skipped, warn};
use crate::systems::kit::odd_files::quoted;
use crate::text::Shown as _;
use crate::text::format::count;
use crate::world::World;
use crate::world::git::head_facts;

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

pub(crate) fn expected(case: &Conference, world: &dyn World) -> Vec<Outcome> {
    let answer = match &case.trees {
        Trees::NotExpected => {
            let text = "No worktrees are expected: this conference works on files.";
            return vec![pass(text)];
        }
        Trees::Unasked(why) => return vec![skipped(format!("git cannot list them: {why}."))],
        Trees::Known(answer) => answer,
    };
    let unread = answer.unread.iter();
    let unread = unread.map(|(branch, why)| {
        let remedy = "The commits may be there: look with git reflog and git fsck.";
        skipped(format!(
            "Whether there is a branch {branch} is unknown: {why}."
        ))
        .remedy(remedy)
    });
    let mut all: Vec<Outcome> = missing(answer).into_iter().chain(unread).collect();
    all.extend(answer.trees.iter().filter_map(|tree| away(tree, world)));
    or_pass(all, "Every researcher has its branch and worktree.")
}

/// The branches and worktrees that there are not.
fn missing(answer: &Answer) -> Option<Outcome> {
    let lacks = |branch: &String, tip: Option<&String>| {
        tip.is_none() && !answer.unread.contains_key(branch)
    };
    let missing = answer.trees.iter().filter_map(|tree| {
        let branch = worktrees::branch(tree.id);
        if lacks(&branch, tree.tip.as_ref()) {
            Some(format!("branch {branch}"))
        } else {
            let gone = tree.place().is_none();
            gone.then(|| format!("worktree of {branch}"))
        }
    });
    let best = Some(worktrees::BEST.to_owned());
    let best = best.filter(|best| lacks(best, answer.best.as_ref()));
    let best = best.map(|best| format!("branch {best}"));
    let missing: Vec<String> = missing.chain(best).collect();
    let what = "The configuration needs worktrees and these are missing: ";
    let remedy = "The chair creates them at start-up; or `git worktree add PATH BRANCH` restores one from its branch.";
    super::wrong(what, &missing, remedy)
}

/// A worktree that left its branch, with the command that leads back.
fn away(tree: &Tree, world: &dyn World) -> Option<Outcome> {
    let path = tree.away.as_deref()?;
    let branch = worktrees::branch(tree.id);
    let text = format!("The worktree {} is not on {branch}.", path.shown());
    let about = Subject::named("worktree of researcher", tree.id.to_string());
    let remedy = match world.git().repo(path) {
        Ok(facts) => {
            let head = head_facts(world.git(), path, &facts);
            Guard::switch(path, Some(&branch.as_str().into()), &head)
        }
        Err(why) => format!("git cannot read it: {why}.").into(),
    };
    Some(warn(text, remedy).about(about))
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
        let path = tree.place()?;
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
