//! git's facts about an issue: its branch, its worktree, its commits, and what is pushed.

use std::path::{Path, PathBuf};

use crate::model::{Foreign, Place};
use crate::text::format::shell_word;
use crate::world::World;
use crate::world::git::{GitError, RepoFacts, StatusPath, Worktree};

/// How many commits of a branch are read.
pub(crate) const COMMITS: usize = 200;

/// The worktree of an issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tree {
    pub(crate) path: PathBuf,
    /// True if git lists it.
    pub(crate) registered: bool,
    /// True if its folder exists.
    pub(crate) present: bool,
    /// The branch its HEAD names.
    pub(crate) branch: Option<Foreign>,
    /// Its own git directory.
    pub(crate) git_dir: Option<PathBuf>,
}

/// git's facts about an issue.
#[derive(Debug, Clone)]
pub(crate) struct BranchFacts {
    pub(crate) repo: Result<RepoFacts, GitError>,
    /// The branch the issue works on.
    pub(crate) name: String,
    /// Its newest commit; `None` if there is no such branch.
    pub(crate) tip: Option<String>,
    /// The commit of the main branch where it started.
    pub(crate) base: Option<String>,
    /// The number of commits that the main branch does not have.
    pub(crate) ahead: Option<u64>,
    /// The number of commits that its upstream does not have; `None` if it was never pushed.
    pub(crate) unpushed: Option<u64>,
    pub(crate) tree: Option<Tree>,
    /// Uncommitted changes of the worktree.
    pub(crate) status: Option<Result<Vec<StatusPath>, GitError>>,
}

impl BranchFacts {
    /// The worktree, if its folder is there.
    pub(crate) fn present(&self) -> Option<&Path> {
        self.tree
            .as_ref()
            .filter(|tree| tree.present)
            .map(|tree| tree.path.as_path())
    }

    /// The command that creates the worktree again, in ROOT; `None` if there is no branch to check out, or it cannot be
    /// typed safely.
    pub(crate) fn recreate(&self, root: &Path) -> Option<String> {
        self.tip.as_ref()?;
        let path = usual_tree(root, &self.name)?;
        let path = shell_word(path.strip_prefix(root).ok()?.as_os_str().as_encoded_bytes())?;
        // git refuses a path that it still lists, unless it is forced.
        let listed = self.tree.as_ref().is_some_and(|tree| tree.registered);
        let force = if listed { "--force " } else { "" };
        let branch = shell_word(&self.name)?;
        Some(format!("git worktree add {force}{path} {branch}"))
    }

    /// True if the worktree is on another branch.
    pub(crate) fn mismatch(&self) -> bool {
        self.tree.as_ref().is_some_and(|tree| {
            tree.present
                && tree.registered
                && tree.branch.as_ref() != Some(&self.name.as_str().into())
        })
    }
}

/// The worktree of a branch in the orchestrator's layout.
pub(crate) fn usual_tree(root: &Path, branch: &str) -> Option<PathBuf> {
    Some(
        Place::known(root, Path::new(".worktrees").join(branch))
            .ok()?
            .path(),
    )
}

/// The issue's branch: the usual name, else one that the records name, else one with the same number. The hyphen
/// after the number separates issue 4 from issue 42.
fn branch_name(usual: &str, number: &str, recorded: &[String], there: &[Foreign]) -> String {
    let is_there = |name: &str| there.iter().any(|branch| branch == name);
    if is_there(usual) {
        return usual.to_owned();
    }
    if let Some(name) = recorded.iter().find(|name| is_there(name)) {
        return name.clone();
    }
    let prefix = format!("issue/{number}-");
    let near = there
        .iter()
        .filter_map(Foreign::as_str)
        .find(|name| name.starts_with(&prefix));
    near.map(str::to_owned)
        .or_else(|| recorded.first().cloned())
        .unwrap_or_else(|| usual.to_owned())
}

/// Gathers git's facts about an issue. `recorded` are branch names in its records.
pub(crate) fn gather(
    world: &dyn World,
    root: &Path,
    number: &str,
    slug: &str,
    recorded: &[String],
    listed: &[Worktree],
) -> BranchFacts {
    let git = world.git();
    let there = git.branches(root).unwrap_or_default();
    let usual = format!("issue/{number}-{slug}");
    let name = branch_name(&usual, number, recorded, &there);
    let repo = git.repo(root);
    let tip = git.branch_tip(root, &name).ok();
    let main = repo
        .as_ref()
        .ok()
        .and_then(|facts| facts.default_branch.as_ref()?.as_str().map(str::to_owned))
        .filter(|main| *main != name)
        .and_then(|main| git.branch_tip(root, &main).ok());
    let both = tip.as_deref().zip(main.as_deref());
    let base = both.and_then(|(tip, main)| git.merge_base(root, tip, main).ok().flatten());
    let ahead = both.and_then(|(tip, main)| git.ahead_behind(root, tip, main).ok());
    let unpushed = tip.as_deref().and_then(|tip| {
        let upstream = git.upstream(root, &name).ok().flatten()?;
        let counts = git.ahead_behind(root, tip, &upstream).ok();
        Some(counts.map_or(0, |(ahead, _)| ahead))
    });
    let tree = tree(world, root, &name, listed);
    let status = tree
        .as_ref()
        .filter(|tree| tree.present && tree.registered)
        .map(|tree| git.status(&tree.path));
    BranchFacts {
        repo,
        name,
        tip,
        base,
        ahead: ahead.map(|(ahead, _)| ahead),
        unpushed,
        tree,
        status,
    }
}

/// The worktree: the one on the branch, else what is at the usual path.
fn tree(world: &dyn World, root: &Path, branch: &str, listed: &[Worktree]) -> Option<Tree> {
    let usual = usual_tree(root, branch);
    let entry = listed
        .iter()
        .find(|tree| tree.branch.as_ref().is_some_and(|name| name == branch))
        .or_else(|| {
            let usual = usual.as_ref()?;
            listed.iter().find(|tree| tree.path == *usual)
        });
    let path = entry.map(|tree| tree.path.clone()).or(usual)?;
    let present = world.files().is_dir(&Place::root(&path));
    if entry.is_none() && !present {
        return None;
    }
    let git_dir = entry
        .filter(|_| present)
        .and_then(|_| world.git().repo(&path).ok())
        .map(|facts| facts.git_dir);
    Some(Tree {
        path,
        registered: entry.is_some(),
        present,
        branch: entry.and_then(|tree| tree.branch.clone()),
        git_dir,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_branch_of_an_issue_is_never_that_of_a_longer_number() {
        let there: Vec<Foreign> = ["main", "issue/4-old-slug", "issue/42-x", "feature/y"]
            .map(Foreign::from)
            .to_vec();
        for (usual, number, recorded, expected) in [
            ("issue/42-x", "42", &[][..], "issue/42-x"),
            ("issue/4-new", "4", &[][..], "issue/4-old-slug"),
            ("issue/4-new", "4", &["feature/y"][..], "feature/y"),
            ("issue/7-z", "7", &["gone"][..], "gone"),
            ("issue/7-z", "7", &[][..], "issue/7-z"),
        ] {
            let recorded: Vec<String> = recorded.iter().map(|r| (*r).to_owned()).collect();
            assert_eq!(branch_name(usual, number, &recorded, &there), expected);
        }
    }
}
