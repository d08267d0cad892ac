//! The guards that every system has.

use std::path::Path;

use crate::foreign;
use crate::model::{
    ActionKind, Aliveness, Foreign, Guard, Liveness, Pipeline, PlanOptions, TreeFacts, TreeNeed,
};

/// What a work tree is on where HEAD is detached.
pub const DETACHED: &str = "no branch (detached HEAD)";

/// Whether a process is still working on the pipeline. *Alive* is never overridden; *unknown* is answered by
/// `--assume-stopped`.
pub fn liveness(liveness: &Liveness, options: &PlanOptions) -> Guard {
    let (text, cure) = match liveness.verdict {
        Aliveness::Dead => ("No process is working on it.", None),
        // A person can know what no file shows. But no answer changes the fact that a process runs.
        Aliveness::Unknown if options.assume_stopped => {
            ("Unknown liveness is treated as stopped.", None)
        }
        Aliveness::Unknown => (
            "Whether it is still running is unknown.",
            Some("Make sure that it has stopped, then add --assume-stopped."),
        ),
        Aliveness::Alive => (
            "It is still running.",
            Some("Stop the process that is working on it, then try again."),
        ),
    };
    let text = match liveness.evidence.first() {
        Some(evidence) if liveness.verdict != Aliveness::Dead && !evidence.is_empty() => {
            foreign!("{} {}", text, evidence)
        }
        Some(_) | None => text.into(),
    };
    match cure {
        None => Guard::holds("liveness", text),
        Some(cure) => Guard::fails("liveness", text, cure),
    }
}

/// The guards of tree actions; none where no action changes a tree.
pub fn tree(
    kinds: &[ActionKind],
    need: Option<&TreeNeed>,
    facts: Option<&TreeFacts>,
    options: &PlanOptions,
) -> Vec<Guard> {
    // Actions on state files alone do not depend on git: a damaged index must not prevent their repair.
    if !kinds.iter().any(|kind| kind.touches_tree()) {
        return Vec::new();
    }
    let (Some(need), Some(facts)) = (need, facts) else {
        return vec![Guard::fails(
            "work_tree",
            "The work tree is not known.",
            "Name it with --work-tree PATH.",
        )];
    };
    if let Some(trouble) = &facts.trouble {
        let text = foreign!("The repository cannot be read: {}.", trouble);
        return vec![Guard::fails(
            "git_state",
            text,
            "Repair, convert or trust the repository; actions on files alone still work.",
        )];
    }
    // A reset moves a branch, so that one must be checked out.
    let resets = kinds.contains(&ActionKind::ResetWorktree);
    vec![
        branch(need, facts, resets, options),
        Guard::git_state(&need.work_tree, facts.busy, &facts.unmerged),
        index_lock(facts, resets),
    ]
}

/// The recorded branch. A wrong one is never overridden. An unknown one is answered by `--branch` with the name of
/// HEAD's branch, if the recorded baseline is an ancestor.
fn branch(need: &TreeNeed, facts: &TreeFacts, resets: bool, options: &PlanOptions) -> Guard {
    let Some(actual) = &facts.branch else {
        return detached(need, facts, resets, options);
    };
    if let Some(expected) = recorded(need) {
        return on_recorded(&need.work_tree, expected, actual, facts);
    }
    // `--branch` says which branch was recorded. It never permits another one.
    let agrees = options.branch.as_deref().is_some_and(|b| *actual == *b);
    match (agrees, facts.baseline_is_ancestor) {
        (true, Some(false)) => Guard::fails(
            "branch",
            foreign!(
                "The commit the pipeline started from is not part of {}.",
                actual
            ),
            "Switch to the branch that holds it.",
        ),
        (true, _) => Guard::holds(
            "branch",
            foreign!("You named {}, and the work tree is on it.", actual),
        ),
        (false, _) => Guard::fails(
            "branch",
            foreign!(
                "No branch was recorded, and the work tree is on {}.",
                actual
            ),
            "Name the branch the pipeline ran on with --branch NAME; it must be the one the work tree is on.",
        ),
    }
}

fn recorded(need: &TreeNeed) -> Option<&Foreign> {
    need.branch.as_ref().filter(|branch| !branch.is_empty())
}

/// A detached HEAD is an unknown branch. `--branch` answers it only where HEAD is at the tip of that branch, with the
/// baseline among its commits and no operation in progress: any other commit has other files than the branch.
fn detached(need: &TreeNeed, facts: &TreeFacts, resets: bool, options: &PlanOptions) -> Guard {
    let named = options.branch.as_deref().map(Foreign::from);
    let expected = recorded(need);
    let is_at_tip = facts.head.is_some() && facts.head == facts.tip;
    let based = facts.baseline_is_ancestor != Some(false);
    let can_be_named = is_at_tip && based && facts.busy.is_none() && !resets;
    let Some(branch) = expected.or(named.as_ref()) else {
        let switch = Guard::switch(&need.work_tree, None, facts);
        let cure = if facts.busy.is_some() || resets {
            switch
        } else {
            foreign!(
                "{} Or name it with --branch NAME where HEAD is at its tip.",
                switch
            )
        };
        let text = foreign!(
            "No branch was recorded, and the work tree is on {}.",
            DETACHED
        );
        return Guard::fails("branch", text, cure);
    };
    if can_be_named && named.as_ref() == Some(branch) {
        let text = foreign!(
            "You named {}; the work tree is at its tip, on {}.",
            branch,
            DETACHED
        );
        return Guard::holds("branch", text);
    }
    let mut guard = on_recorded(&need.work_tree, branch, &DETACHED.into(), facts);
    if can_be_named && let Some(switch) = guard.would_hold_if.take() {
        let or = foreign!("{}, or confirm the commit with --branch {}", switch, branch);
        guard.would_hold_if = Some(or);
    }
    guard
}

/// Whether a work tree is on the recorded branch, with the commands that lead there.
fn on_recorded(work_tree: &Path, expected: &Foreign, actual: &Foreign, facts: &TreeFacts) -> Guard {
    if actual == expected {
        let text = foreign!("The work tree is on {}, as recorded.", actual);
        return Guard::holds("branch", text);
    }
    let text = foreign!(
        "The work tree is on {}; the pipeline ran on {}.",
        actual,
        expected
    );
    let switch = Guard::switch(work_tree, Some(expected), facts);
    Guard::fails("branch", text, switch)
}

/// The guard for the recorded branch of a plan that only hands over: an orchestrator that resumes among another
/// branch's files undoes work that it cannot see. There is no guard where the system knows no branch, no work tree exists
/// yet, or the work tree is on a branch and none was recorded. `head` is what was found of the pipeline's work tree.
pub fn handed_over(
    pipeline: &Pipeline,
    head: Option<&TreeFacts>,
    options: &PlanOptions,
) -> Option<Guard> {
    let branch = pipeline.reading.branch.as_ref()?;
    let expected = branch.expected.as_ref().filter(|b| !b.is_empty());
    let work_tree = pipeline.reading.work_tree.as_ref()?;
    match (&branch.actual, expected) {
        (Some(actual), Some(expected)) => {
            let facts = head.cloned().unwrap_or_default();
            Some(on_recorded(work_tree, expected, actual, &facts))
        }
        (Some(_), None) => None,
        (None, _) => {
            let head = head.filter(|head| head.trouble.is_none() && head.branch.is_none())?;
            let need = TreeNeed::on(work_tree, expected.cloned());
            Some(detached(&need, head, false, options))
        }
    }
}

/// The guards that every plan with a hand-off has, whatever its point.
pub fn of_place(
    pipeline: &Pipeline,
    head: Option<&TreeFacts>,
    options: &PlanOptions,
) -> Vec<Guard> {
    let alive = liveness(&pipeline.standing.liveness, options);
    let branch = handed_over(pipeline, head, options);
    std::iter::once(alive).chain(branch).collect()
}

/// The guard for a branch that a plan that only hands over must be on, where a system names the work tree and no branch
/// was recorded. There is none without a repository.
pub fn unrecorded(
    need: Option<&TreeNeed>,
    facts: Option<&TreeFacts>,
    options: &PlanOptions,
) -> Option<Guard> {
    let (need, facts) = need.zip(facts)?;
    let unknown = need.branch.as_ref().is_none_or(Foreign::is_empty);
    (unknown && facts.trouble.is_none()).then(|| branch(need, facts, false, options))
}

/// Whether the lock on git's index can be taken and, for what moves a branch, no git command is about to move it.
pub fn index_lock(facts: &TreeFacts, resets: bool) -> Guard {
    if let (true, Some(id)) = (facts.index_locked, &facts.index_lock_of) {
        let text = format!(
            "relight's own recovery {id} holds index.lock: it was interrupted or is running now."
        );
        let cure = if facts.index_lock_elsewhere {
            "It is not in this state directory: recover it with the XDG_STATE_HOME that has it. If that is lost and no relight runs, remove index.lock yourself.".to_owned()
        } else {
            format!("Complete it and unlock git: relight recover {id}")
        };
        return Guard::fails("index_lock", text, cure);
    }
    if facts.index_locked {
        let cure = "Let the other git command end; if none runs, remove index.lock yourself.";
        return Guard::fails("index_lock", "Another git command holds index.lock.", cure);
    }
    if let Some(lock) = facts.ref_lock.as_ref().filter(|_| resets) {
        let text = foreign!(
            "{} exists: a git command may be about to move the branch.",
            lock
        );
        let cure = "Let it end; if none runs, remove that file yourself.";
        return Guard::fails("index_lock", text, cure);
    }
    Guard::holds("index_lock", "No other git command holds the index.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(branch: Option<&str>) -> TreeFacts {
        TreeFacts {
            branch: branch.map(Foreign::from),
            ..TreeFacts::default()
        }
    }

    fn need(branch: Option<&str>) -> TreeNeed {
        TreeNeed {
            work_tree: "/w".into(),
            branch: branch.map(Foreign::from),
            baseline: None,
        }
    }

    #[test]
    fn a_wrong_branch_is_never_answered_and_an_unknown_one_only_rightly() {
        let table = [
            (Some("a"), Some("a"), None, true),
            (Some("a"), Some("b"), None, false),
            (Some("a"), Some("b"), Some("b"), false),
            (Some("a"), None, Some("a"), false),
            (None, Some("a"), None, false),
            (None, Some("a"), Some("a"), true),
            (None, Some("a"), Some("b"), false),
            (Some(""), Some("a"), Some("a"), true),
            (None, None, Some("a"), false),
        ];
        for (expected, actual, named, holds) in table {
            let options = PlanOptions {
                branch: named.map(str::to_owned),
                ..PlanOptions::default()
            };
            let guards = tree(
                &[ActionKind::RestoreTree],
                Some(&need(expected)),
                Some(&facts(actual)),
                &options,
            );
            assert_eq!(guards[0].holds, holds, "{expected:?} {actual:?} {named:?}");
            assert_eq!(guards[0].would_hold_if.is_none(), holds);
        }
    }

    #[test]
    fn a_detached_head_is_answered_at_the_tip_of_the_branch_and_never_for_a_reset() {
        use ActionKind::{ResetWorktree, RestoreTree};
        let table = [
            (Some("a"), RestoreTree, Some("1"), Some("a"), true),
            (Some("a"), RestoreTree, Some("1"), None, false),
            (Some("a"), RestoreTree, Some("2"), Some("a"), false),
            (Some("a"), RestoreTree, None, Some("a"), false),
            (Some("a"), ResetWorktree, Some("1"), Some("a"), false),
            (None, RestoreTree, Some("1"), Some("a"), true),
            (None, RestoreTree, Some("2"), Some("a"), false),
            (None, ResetWorktree, Some("1"), Some("a"), false),
        ];
        for (expected, kind, tip, named, holds) in table {
            let options = PlanOptions {
                branch: named.map(str::to_owned),
                ..PlanOptions::default()
            };
            let found = TreeFacts {
                head: Some("1".to_owned()),
                tip: tip.map(str::to_owned),
                ..TreeFacts::default()
            };
            let guards = tree(&[kind], Some(&need(expected)), Some(&found), &options);
            assert_eq!(
                guards[0].holds, holds,
                "{expected:?} {kind:?} {tip:?} {named:?}"
            );
        }
    }

    #[test]
    fn guards_follow_the_action() {
        let busy = TreeFacts {
            busy: Some("rebase"),
            index_locked: true,
            ..facts(Some("a"))
        };
        let options = PlanOptions::default();
        let failing = |kinds: &[ActionKind]| -> Vec<String> {
            let guards = tree(kinds, Some(&need(Some("a"))), Some(&busy), &options);
            guards
                .iter()
                .filter(|g| !g.holds)
                .map(|g| g.id.to_string())
                .collect()
        };
        assert_eq!(
            failing(&[ActionKind::ResetWorktree]),
            ["git_state", "index_lock"]
        );
        assert_eq!(
            failing(&[
                ActionKind::ReplaceFile,
                ActionKind::TruncateRows,
                ActionKind::AppendLines
            ]),
            [""; 0]
        );
    }

    #[test]
    fn alive_refuses_whatever_is_said() {
        use Aliveness::{Alive, Dead, Unknown};
        for (verdict, said, holds) in [
            (Alive, true, false),
            (Alive, false, false),
            (Unknown, false, false),
            (Unknown, true, true),
            (Dead, false, true),
        ] {
            let options = PlanOptions {
                assume_stopped: said,
                ..PlanOptions::default()
            };
            assert_eq!(
                liveness(
                    &Liveness {
                        verdict,
                        evidence: vec![]
                    },
                    &options
                )
                .holds,
                holds
            );
        }
    }
}
