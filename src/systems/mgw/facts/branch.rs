//! git's facts about an issue: its branch, its worktree, its commits, and what is pushed.

use std::path::{Path, PathBuf};

use crate::model::{Foreign, Place};
use crate::text::Shown as _;
use crate::text::format::{capital, shell_word};
use crate::world::World;
use crate::world::git::{Commit, GitError, RepoFacts, StatusPath, Worktree};

/// How many commits of a branch are read.
pub(crate) const COMMITS: usize = 200;

/// What is done first for a worktree that git lists and whose folder is not there.
const MOVED: &str = "If it was moved: git worktree repair NEW-PATH.";

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
    /// Its newest commit; `None` if there is no such branch, or it cannot be read.
    pub(crate) tip: Option<String>,
    /// Why it is not known whether there is such a branch, or where it is.
    pub(crate) unread: Option<GitError>,
    /// The commit of the main branch where it started.
    pub(crate) base: Option<String>,
    /// The number of commits that the main branch does not have.
    pub(crate) ahead: Option<u64>,
    /// The number of commits that its upstream does not have; `None` if no upstream can be read.
    pub(crate) unpushed: Option<u64>,
    pub(crate) tree: Option<Tree>,
    /// Uncommitted changes of the worktree.
    pub(crate) status: Option<Result<Vec<StatusPath>, GitError>>,
}

impl BranchFacts {
    /// Whether git may know more of it than can be asked.
    pub(crate) fn is_unread(&self) -> bool {
        self.unread.is_some() || self.repo.as_ref().is_err_and(GitError::leaves_open)
    }

    /// The worktree, if its folder is there.
    pub(crate) fn present(&self) -> Option<&Path> {
        let tree = self.tree.as_ref().filter(|tree| tree.present);
        tree.map(|tree| tree.path.as_path())
    }

    /// The worktree, if its folder is there and git lists it.
    pub(crate) fn usable(&self) -> Option<&Tree> {
        let tree = self.tree.as_ref();
        tree.filter(|tree| tree.present && tree.registered)
    }

    /// The newest of its commits that the main branch does not have, newest first; none if its start is unknown.
    pub(crate) fn commits(&self, root: &Path, world: &dyn World) -> Vec<Commit> {
        let ends = self.tip.as_deref().zip(self.base.as_deref());
        let log = ends.and_then(|(tip, base)| {
            let log = world.git().log(root, tip, Some(base), COMMITS);
            log.ok()
        });
        log.unwrap_or_default()
    }

    /// The command that creates the worktree again, in ROOT; `None` if there is no branch to check out, or it cannot be
    /// typed safely.
    pub(crate) fn recreate(&self, root: &Path) -> Option<String> {
        self.tip.as_ref()?;
        let path = usual_tree(root, &self.name)?;
        let path = shell_word(path.strip_prefix(root).ok()?.as_os_str().as_encoded_bytes())?;
        let branch = shell_word(&self.name)?;
        let add = format!("git worktree add {path} {branch}");
        let Some(tree) = self.tree.as_ref().filter(|_| self.may_have_moved()) else {
            return Some(add);
        };
        // git refuses a path that it still lists. A prune would forget the worktrees of other issues, too.
        let listed = tree.path.strip_prefix(root).unwrap_or(&tree.path);
        let listed = shell_word(listed.as_os_str().as_encoded_bytes())?;
        Some(format!("git worktree remove {listed} && {add}"))
    }

    /// What brings the worktree back, as a sentence for a person.
    pub(crate) fn bring_back(&self, root: &Path) -> String {
        let create = match self.recreate(root) {
            Some(command) => {
                let root = root.shown();
                format!("let /mgw:run recreate it, or do it in {root}: {command}")
            }
            None => "let /mgw:run create it.".to_owned(),
        };
        if self.may_have_moved() {
            format!("{MOVED} If it was deleted, {create}")
        } else {
            capital(&create)
        }
    }

    /// Whether git lists a worktree whose folder is not there: it may be elsewhere, with work in it.
    pub(crate) fn may_have_moved(&self) -> bool {
        let tree = self.tree.as_ref();
        tree.is_some_and(|tree| tree.registered && !tree.present)
    }

    /// True if the worktree is on another branch.
    pub(crate) fn mismatch(&self) -> bool {
        let expected = Some(self.name.as_str().into());
        self.usable().is_some_and(|tree| tree.branch != expected)
    }
}

/// The worktree of a branch in the orchestrator's layout.
pub(crate) fn usual_tree(root: &Path, branch: &str) -> Option<PathBuf> {
    let place = Place::known(root, Path::new(".worktrees").join(branch));
    Some(place.ok()?.path())
}

/// The issue's branch: the usual name, else one that the records name, else one with the same number. The hyphen
/// after the number separates issue 4 from issue 42. A branch that cannot be read may be there, but one that can is.
fn branch_name(
    usual: &str,
    number: &str,
    recorded: &[String],
    there: &[Foreign],
    is_unread: impl Fn(&str) -> bool,
) -> String {
    let mut names = [usual]
        .into_iter()
        .chain(recorded.iter().map(String::as_str));
    let is_there = |name: &&str| there.iter().any(|branch| branch == *name);
    let found = names.clone().find(is_there);
    if let Some(name) = found.or_else(|| names.find(|name| is_unread(name))) {
        return name.to_owned();
    }
    let prefix = format!("issue/{number}-");
    let mut there = there.iter().filter_map(Foreign::as_str);
    let near = there.find(|name| name.starts_with(&prefix));
    let recorded = recorded.first().map(String::as_str);
    near.or(recorded).unwrap_or(usual).to_owned()
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
    let usual = format!("issue/{number}-{slug}");
    let there = git.branches(root).unwrap_or_else(|_| {
        // Some can be read by their names although they cannot be listed.
        let names = [&usual].into_iter().chain(recorded);
        let read = names.filter(|name| git.branch_tip(root, name).is_ok());
        read.map(|name| name.as_str().into()).collect()
    });
    let repo = git.repo(root);
    let is_unread = |name: &str| {
        let tip = git.branch_tip(root, name);
        repo.is_ok() && tip.is_err_and(|why| why.is_unknown())
    };
    let name = branch_name(&usual, number, recorded, &there, is_unread);
    let found = git.branch_tip(root, &name);
    let unread = found.as_ref().err().filter(|why| why.is_unknown()).cloned();
    let tip = found.ok();
    let main = repo.as_ref().ok().and_then(|facts| {
        let main = facts.default_branch.as_ref()?.as_str()?;
        (*main != *name).then(|| git.branch_tip(root, main).ok())?
    });
    let both = tip.as_deref().zip(main.as_deref());
    let base = both.and_then(|(tip, main)| git.merge_base(root, tip, main).ok().flatten());
    let ahead = both.and_then(|(tip, main)| git.ahead_behind(root, tip, main).ok());
    let unpushed = tip.as_deref().and_then(|tip| {
        let upstream = git.upstream(root, &name).ok().flatten()?;
        let counts = git.ahead_behind(root, tip, &upstream).ok();
        counts.map(|(ahead, _)| ahead)
    });
    let tree = tree(world, root, &name, listed);
    let mut facts = BranchFacts {
        repo,
        name,
        tip,
        unread,
        base,
        ahead: ahead.map(|(ahead, _)| ahead),
        unpushed,
        tree,
        status: None,
    };
    facts.status = facts.usable().map(|tree| git.status(&tree.path));
    facts
}

/// The worktree: the one on the branch, else what is at the usual path.
fn tree(world: &dyn World, root: &Path, branch: &str, listed: &[Worktree]) -> Option<Tree> {
    let usual = usual_tree(root, branch);
    let on_it = |tree: &&Worktree| tree.branch.as_ref().is_some_and(|name| name == branch);
    let there = |tree: &&Worktree| usual.as_ref() == Some(&tree.path);
    let entry = listed.iter().find(on_it);
    let entry = entry.or_else(|| listed.iter().find(there));
    let path = entry.map(|tree| &tree.path).or(usual.as_ref())?.clone();
    let present = world.files().is_dir(&Place::root(&path));
    if entry.is_none() && !present {
        return None;
    }
    let repo = (entry.is_some() && present).then(|| world.git().repo(&path));
    let git_dir = repo.and_then(Result::ok).map(|facts| facts.git_dir);
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
        let is_torn = |name: &str| name == "issue/4-torn";
        for (usual, number, recorded, expected) in [
            ("issue/42-x", "42", &[][..], "issue/42-x"),
            ("issue/4-new", "4", &[][..], "issue/4-old-slug"),
            ("issue/4-new", "4", &["feature/y"][..], "feature/y"),
            ("issue/7-z", "7", &["gone"][..], "gone"),
            ("issue/7-z", "7", &[][..], "issue/7-z"),
            ("issue/4-torn", "4", &[][..], "issue/4-torn"),
            ("issue/4-torn", "4", &["feature/y"][..], "feature/y"),
            ("issue/4-torn", "4", &["gone"][..], "issue/4-torn"),
        ] {
            let recorded: Vec<String> = recorded.iter().map(|r| (*r).to_owned()).collect();
            assert_eq!(
                branch_name(usual, number, &recorded, &there, is_torn),
                expected
            );
        }
    }
}
