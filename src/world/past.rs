//! Where a branch was at a moment of the past, as its own commits tell it.

use std::collections::HashMap;
use std::path::Path;

use chrono::{DateTime, Utc};

use super::git::{Commit, Git};

/// The most commits that are looked at.
const COMMITS: usize = 2_000;

/// What became of a branch since a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Since {
    /// The commit it was at then; `None` where all that was looked at is newer.
    pub commit: Option<Commit>,
    /// What it has since, newest first.
    pub newer: Vec<Commit>,
}

/// Follows the branch itself, first parents only: a commit that came in by a later merge was never its tip. `base` is
/// the commit that is gone back to at most; one that is not an ancestor of the tip does not count.
pub fn since(
    git: &dyn Git,
    work_tree: &Path,
    tip: &str,
    base: Option<&str>,
    moment: DateTime<Utc>,
) -> Since {
    let base = base.filter(|base| git.is_ancestor(work_tree, base, tip).unwrap_or(false));
    let mut all = git.log(work_tree, tip, base, COMMITS).unwrap_or_default();
    all.extend(base.and_then(|base| git.find_commit(work_tree, base).ok()));
    let by_id: HashMap<&str, &Commit> = all.iter().map(|c| (c.id.as_str(), c)).collect();
    let mut at = by_id.get(tip).copied();
    while let Some(commit) = at.filter(|commit| commit.time > moment) {
        let above = commit.parents.first();
        at = above.and_then(|id| by_id.get(id.as_str()).copied());
    }
    let commit = at.cloned();
    let newer = match &commit {
        Some(then) => git
            .log(work_tree, tip, Some(&then.id), COMMITS)
            .unwrap_or_default(),
        None => all
            .into_iter()
            .filter(|commit| commit.time > moment)
            .collect(),
    };
    Since { commit, newer }
}
