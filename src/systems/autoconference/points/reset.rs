//! Resets an incomplete researcher's worktree to the commit of its branch. Untracked files stay.

use crate::model::{Guard, Loss, Step, TreeNeed};
use crate::world::World;
use crate::world::git::{RepoFacts, StatusPath};

use crate::systems::autoconference::Conference;
use crate::systems::autoconference::facts::{Tree, worktrees};
use crate::systems::kit::uncommitted;

/// One worktree that would be reset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reset {
    /// The researcher.
    pub id: char,
    /// The step on disk.
    pub step: Step,
    /// The input of the common guards.
    pub tree: TreeNeed,
    /// The required state of this worktree.
    pub guards: Vec<Guard>,
    /// What is overwritten and what is kept.
    pub losses: Vec<Loss>,
}

/// The resets of every incomplete researcher whose worktree has uncommitted changes.
pub(crate) fn all(case: &Conference, world: &dyn World) -> Vec<Reset> {
    let ids = case.state.incomplete();
    let trees = case.trees.known().iter().filter(|t| ids.contains(&t.id));
    trees.filter_map(|tree| one(tree, world)).collect()
}

fn one(tree: &Tree, world: &dyn World) -> Option<Reset> {
    let path = tree.path.as_deref()?;
    let commit = tree.tip.clone()?;
    let changes = world.git().status(path).ok()?;
    if changes.iter().all(StatusPath::is_untracked) {
        return None;
    }
    let branch = worktrees::branch(tree.id);
    let place = format!(" in the worktree of researcher {}", tree.id);
    let guards = match world.git().repo(path) {
        Ok(facts) => {
            let unmerged = world.git().unmerged(path).unwrap_or_default();
            let mut all = guards(tree.id, &branch, &facts);
            all.push(Guard::git_state(path, facts.busy, &unmerged));
            all
        }
        Err(why) => {
            let text = format!(
                "The worktree of researcher {} cannot be read: {why}.",
                tree.id
            );
            vec![Guard::fails("work_tree", text, "git can read it.")]
        }
    };
    Some(Reset {
        id: tree.id,
        step: Step::ResetWorktree {
            worktree: path.to_owned(),
            commit,
        },
        tree: TreeNeed {
            work_tree: path.to_owned(),
            branch: Some(branch.as_str().into()),
            baseline: None,
        },
        guards,
        losses: uncommitted::losses(&changes, &place),
    })
}

fn guards(id: char, branch: &str, facts: &RepoFacts) -> Vec<Guard> {
    let on_it = facts.branch.as_ref().is_some_and(|b| *b == branch);
    let tree = format!("The worktree of researcher {id} should");
    vec![
        Guard::either(
            "branch",
            on_it,
            format!("{tree} be on {branch}."),
            "that branch is checked out there.",
        ),
        Guard::either(
            "index_lock",
            !facts.index_locked,
            format!("{tree} have no index.lock."),
            "the program that holds it has ended.",
        ),
    ]
}
