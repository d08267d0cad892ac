//! M13, M14 and M23: branch, worktree, what is uncommitted or unpushed, and what git ignores.

use std::path::Path;

use crate::model::{Check, Verdict};
use crate::systems::mgw::checks::{Case, check, fail, pass, skipped, warn};
use crate::systems::mgw::facts::branch::{Tree, usual_tree};
use crate::systems::mgw::points::target::Goal;
use crate::systems::mgw::shape::state::{Checkpoint, State};
use crate::systems::mgw::shape::state_files::FOLDER;
use crate::systems::mgw::shape::vocabulary::Step;

/// M13: the branch, the worktree, and that they belong together.
pub(crate) fn branch(case: &Case<'_>) -> Vec<Check> {
    let facts = &case.facts.branch;
    if let Err(why) = &facts.repo {
        return skipped(
            "branch and worktree",
            format!("Git cannot be asked: {why}."),
            "Look with git branch and git worktree list.",
        );
    }
    let mut checks = branch_there(case);
    if matches!(case.target.map(|t| t.goal), Some(Goal::Nothing)) && facts.tree.is_none() {
        return checks;
    }
    checks.extend(match &facts.tree {
        None => worktree_gone(case, "There is no worktree for it"),
        Some(tree) if !tree.present => {
            worktree_gone(case, "Its folder is gone, and git still lists it")
        }
        Some(tree) => worktree_there(case, tree),
    });
    checks
}

/// True where commits of the issue are to be expected.
fn expects_commits(case: &Case<'_>) -> bool {
    let recorded = case
        .facts
        .recorded()
        .and_then(State::checkpoint)
        .and_then(Checkpoint::effective);
    let to_do = matches!(case.target.map(|t| t.goal), Some(Goal::Step(_)));
    to_do && recorded >= Some(Step::Execute)
}

fn branch_there(case: &Case<'_>) -> Vec<Check> {
    let facts = &case.facts.branch;
    let name = &facts.name;
    if let Some(tip) = &facts.tip {
        let ahead = facts.ahead.map_or_else(String::new, |n| {
            format!(", {n} commits beyond the main branch")
        });
        let short: String = tip.chars().take(10).collect();
        return pass("branch", format!("{name} is at {short}{ahead}."));
    }
    let text = format!("There is no branch {name}.");
    if expects_commits(case) {
        return fail(
            "branch",
            format!("{text} The checkpoint says that it was executed, so commits were on it."),
            "Look for the commits with git reflog, or take the point `step-execute`.",
        );
    }
    if matches!(
        case.target.map(|t| t.goal),
        Some(Goal::Nothing | Goal::Cleanup)
    ) {
        return pass("branch", format!("{text} The work is done."));
    }
    warn("branch", text, "/mgw:run makes it again.")
}

fn worktree_gone(case: &Case<'_>, text: &str) -> Vec<Check> {
    if matches!(
        case.target.map(|t| t.goal),
        Some(Goal::Nothing | Goal::Cleanup)
    ) {
        return pass("worktree", format!("{text}; the work is done."));
    }
    warn(
        "worktree",
        format!("{text}."),
        "Recreate it with the command of the hand-off, or let /mgw:run do it.",
    )
}

fn worktree_there(case: &Case<'_>, tree: &Tree) -> Vec<Check> {
    let facts = &case.facts.branch;
    let path = tree.path.to_string_lossy();
    if !tree.registered {
        return warn(
            "worktree",
            format!("{path} is there, and git does not list it."),
            "Copy what is wanted out of it, then let /mgw:run make it again.",
        );
    }
    if facts.mismatch() {
        let on = tree
            .branch
            .as_ref()
            .map_or_else(|| "no branch".into(), |branch| branch.lossy());
        return warn(
            "worktree",
            format!("{path} is on {on}, not on {}.", facts.name),
            format!("Switch it to {} before going on.", facts.name),
        );
    }
    let usual = usual_tree(&case.facts.root, &facts.name);
    let place = if usual.as_deref() == Some(tree.path.as_path()) {
        ""
    } else {
        " It is not where the orchestrator puts it."
    };
    pass("worktree", format!("{path} is on {}.{place}", facts.name))
}

/// M14: what is uncommitted or unpushed.
pub(crate) fn left_over(case: &Case<'_>) -> Vec<Check> {
    let facts = &case.facts.branch;
    if let Err(why) = &facts.repo {
        return skipped(
            "changes",
            format!("Git cannot be asked: {why}."),
            "Look with git status.",
        );
    }
    let mut checks = Vec::new();
    match &facts.status {
        None => checks.push(
            check(
                "uncommitted changes",
                Verdict::Skipped,
                "There is no worktree.",
            )
            .remedy("Recreate the worktree first."),
        ),
        Some(Err(why)) => checks.push(
            check(
                "uncommitted changes",
                Verdict::Skipped,
                format!("Git cannot say: {why}."),
            )
            .remedy("Look with git status in the worktree."),
        ),
        Some(Ok(paths)) if paths.is_empty() => {
            checks.push(check(
                "uncommitted changes",
                Verdict::Pass,
                "There are none.",
            ));
        }
        Some(Ok(paths)) => {
            let names: Vec<_> = paths.iter().take(10).map(|p| p.path.lossy()).collect();
            let more = if paths.len() > 10 { ", …" } else { "" };
            checks.push(
                check(
                    "uncommitted changes",
                    Verdict::Warn,
                    format!("{} paths: {}{more}.", paths.len(), names.join(", ")),
                )
                .remedy("Commit or keep them before the worktree is removed."),
            );
        }
    }
    checks.push(match (&facts.tip, facts.ahead, facts.unpushed) {
        (None, _, _) => check(
            "unpushed commits",
            Verdict::Pass,
            "There is no branch to push.",
        ),
        (Some(_), Some(0), _) | (Some(_), _, Some(0)) => {
            check("unpushed commits", Verdict::Pass, "There are none.")
        }
        (Some(_), ahead, unpushed) => {
            let count = unpushed.or(ahead);
            let count = count.map_or_else(|| "Some".to_owned(), |n| n.to_string());
            let never = if unpushed.is_none() {
                "; the branch was never pushed"
            } else {
                ""
            };
            check(
                "unpushed commits",
                Verdict::Warn,
                format!("{count} commits{never}."),
            )
            .remedy("They are nowhere else: do not remove the branch before they are pushed.")
        }
    });
    checks
}

/// M23: the state and the worktrees stay out of commits.
pub(crate) fn ignored(case: &Case<'_>) -> Vec<Check> {
    let git = case.world.git();
    let root = &case.facts.root;
    [FOLDER, ".worktrees"]
        .into_iter()
        .map(|name| match git.is_ignored(root, Path::new(name)) {
            Ok(true) => check(name, Verdict::Pass, "Git ignores it."),
            Ok(false) => check(name, Verdict::Warn, "Git does not ignore it.")
                .remedy(format!("Add {name}/ to .gitignore or .git/info/exclude.")),
            Err(why) => check(
                name,
                Verdict::Skipped,
                format!("Git cannot be asked: {why}."),
            )
            .remedy("Look with git check-ignore."),
        })
        .collect()
}
