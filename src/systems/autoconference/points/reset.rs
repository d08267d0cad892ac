//! Resets an incomplete researcher's worktree to the commit of its branch. Untracked files stay.

use std::path::Path;

use crate::model::{Guard, Step, TreeNeed};
use crate::world::World;
use crate::world::git::{StatusPath, head_facts};

use super::discard::Discard;
use crate::systems::autoconference::Conference;
use crate::systems::autoconference::facts::worktrees;
use crate::systems::kit::uncommitted;

/// Adds the resets of every incomplete researcher whose worktree has uncommitted changes.
pub(super) fn all(case: &Conference, world: &dyn World, discard: &mut Discard) {
    let ids = case.state.incomplete();
    for tree in case.trees.known().iter().filter(|t| ids.contains(&t.id)) {
        let Some((path, commit)) = tree.path.as_deref().zip(tree.tip.as_ref()) else {
            continue;
        };
        let changes = world.git().status(path).unwrap_or_default();
        if changes.iter().all(StatusPath::is_untracked) {
            continue;
        }
        let (id, intent) = (tree.id, &mut discard.intent);
        discard.researchers.push(id);
        // The common guards check one worktree, the first; the other resets have their own guards.
        if intent.tree.is_some() {
            intent.guards.extend(guards(id, path, world));
        }
        let need = || TreeNeed::on(path, Some(worktrees::branch(id).as_str()));
        intent.tree.get_or_insert_with(need);
        let place = format!(" in the worktree of researcher {id}");
        intent.losses.extend(uncommitted::losses(&changes, &place));
        intent.steps.push(Step::ResetWorktree {
            worktree: path.to_owned(),
            commit: commit.clone(),
        });
    }
}

/// The guards of the researchers that are started again and whose worktree left its branch: what they write there would
/// be on no branch, or on another one.
pub(super) fn away(case: &Conference, ids: &[char], world: &dyn World) -> Vec<Guard> {
    let trees = case.trees.known().iter().filter(|t| ids.contains(&t.id));
    let away = trees.filter_map(|tree| Some((tree.id, tree.away.as_deref()?)));
    away.flat_map(|(id, path)| guards(id, path, world))
        .collect()
}

/// The required state of a worktree.
fn guards(id: char, path: &Path, world: &dyn World) -> Vec<Guard> {
    let facts = match world.git().repo(path) {
        Ok(facts) => facts,
        Err(why) => {
            let text = format!("The worktree of researcher {id} cannot be read: {why}.");
            return vec![Guard::fails("work_tree", text, "git can read it.")];
        }
    };
    let unmerged = world.git().unmerged(path).unwrap_or_default();
    let branch = worktrees::branch(id);
    let on_it = facts.branch.as_ref().is_some_and(|b| *b == *branch);
    let head = head_facts(world.git(), path, &facts);
    let switch = Guard::switch(path, Some(&branch.as_str().into()), &head);
    let tree = format!("The worktree of researcher {id} should");
    vec![
        Guard::either("branch", on_it, format!("{tree} be on {branch}."), switch),
        Guard::either(
            "index_lock",
            !facts.index_locked && facts.ref_lock.is_none(),
            format!("{tree} have no index.lock, and its branch no lock."),
            "the program that holds it has ended.",
        ),
        Guard::git_state(path, facts.busy, &unmerged),
    ]
}
