//! Checks beyond the directory: A18, whether the loop runs, and A19 to A21, the worktrees.

use crate::model::{Check, Reading, SignKind, SignVerdict, Subject};
use crate::world::World;

use super::{fail, pass, skipped, some, warn};
use crate::systems::autoconference::Conference;
use crate::systems::autoconference::facts::worktrees::{self, Trees};
use crate::systems::autoconference::shape::{PID, Raw};

pub(crate) fn all(case: &Conference, world: &dyn World) -> Vec<Check> {
    let mut checks = vec![running(case)];
    checks.extend(trees(case, world));
    checks
}

/// A18.
fn running(case: &Conference) -> Check {
    running_of(&case.raw, &case.reading)
}

pub(crate) fn running_of(raw: &Raw, reading: &Reading) -> Check {
    let subject = "loop process";
    if !raw.pid_file {
        return pass(
            "A18",
            subject,
            "There is no process-id file; that alone does not prove that no loop runs.",
        );
    }
    let locks = || {
        reading
            .life
            .signs
            .iter()
            .filter(|s| s.kind == SignKind::Lock)
    };
    if let Some(alive) = locks().find(|s| s.verdict == SignVerdict::Positive) {
        return fail(
            "A18",
            subject,
            alive.text.clone(),
            "Stop the loop first; nothing is written while it runs.",
        );
    }
    match locks().find(|s| s.verdict == SignVerdict::Unreadable) {
        Some(blind) => warn(
            "A18",
            subject,
            blind.text.clone(),
            "Look yourself whether the loop still runs.",
        ),
        None => pass(
            "A18",
            subject,
            format!("{PID} is stale: no loop runs under its number."),
        ),
    }
}

fn trees(case: &Conference, world: &dyn World) -> Vec<Check> {
    let rest = |why: &str| {
        let ids = ["A20", "A21"];
        ids.map(|id| skipped(id, "worktrees", why))
    };
    match &case.trees {
        Trees::NotExpected => {
            let expected = pass(
                "A19",
                "worktrees",
                "No worktrees are expected: this is a conference on files.",
            );
            std::iter::once(expected)
                .chain(rest("No worktrees are expected."))
                .collect()
        }
        Trees::Unasked(why) => {
            let text = format!("git could not be asked: {why}.");
            std::iter::once(skipped("A19", "worktrees", text.as_str()))
                .chain(rest(&text))
                .collect()
        }
        Trees::Known { trees, best, .. } => {
            let mut checks = vec![expected(trees, best.is_some())];
            checks.extend(trees.iter().filter_map(|t| dirty(t, world)));
            checks.extend(
                trees
                    .iter()
                    .filter_map(|t| distance(case, t, best.as_deref(), world)),
            );
            for id in ["A20", "A21"] {
                if !checks.iter().any(|c| c.id.0 == id) {
                    checks.push(skipped(
                        id,
                        "worktrees",
                        "There is no worktree or branch to look at.",
                    ));
                }
            }
            checks
        }
    }
}

/// A19.
fn expected(trees: &[worktrees::Tree], best: bool) -> Check {
    let mut missing = Vec::new();
    for tree in trees {
        if tree.tip.is_none() {
            missing.push(format!("branch {}", worktrees::branch(tree.id)));
        } else if tree.path.is_none() {
            missing.push(format!("worktree of {}", worktrees::branch(tree.id)));
        }
    }
    if !best {
        missing.push(format!("branch {}", worktrees::BEST));
    }
    if missing.is_empty() {
        return pass(
            "A19",
            "worktrees",
            "Every researcher has its branch and worktree.",
        );
    }
    warn(
        "A19",
        "worktrees",
        format!(
            "The configuration asks for worktrees and these are missing: {}.",
            some(&missing)
        ),
        "The chair makes them at start-up; or `git worktree add PATH BRANCH` brings one back from its branch.",
    )
}

/// A20.
fn dirty(tree: &worktrees::Tree, world: &dyn World) -> Option<Check> {
    let path = tree.path.as_deref()?;
    let subject = Subject::named("worktree of researcher", tree.id.to_string());
    Some(match worktrees::dirt(path, world) {
        Err(why) => skipped("A20", subject, format!("Its status cannot be read: {why}.")),
        Ok((tracked, 0)) if tracked.is_empty() => {
            pass("A20", subject, "It has no uncommitted changes.")
        }
        Ok((tracked, untracked)) => {
            let names: Vec<String> = tracked
                .iter()
                .map(|p| p.path.lossy().into_owned())
                .collect();
            let text = format!(
                "Uncommitted: {}; untracked files: {untracked}.",
                if names.is_empty() {
                    "none".to_owned()
                } else {
                    some(&names)
                }
            );
            warn(
                "A20",
                subject,
                text,
                format!(
                    "Look with: git -C {} status",
                    quoted(&path.to_string_lossy())
                ),
            )
        }
    })
}

/// A21.
fn distance(
    case: &Conference,
    tree: &worktrees::Tree,
    best: Option<&str>,
    world: &dyn World,
) -> Option<Check> {
    let subject = Subject::named("branch of researcher", tree.id.to_string());
    let (tip, best) = (tree.tip.as_deref()?, best?);
    Some(match world.git().ahead_behind(&case.raw.dir, tip, best) {
        Ok((ahead, behind)) => pass(
            "A21",
            subject,
            format!("{ahead} commits ahead of conference/best, {behind} behind."),
        ),
        Err(why) => skipped("A21", subject, format!("git cannot tell: {why}.")),
    })
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
