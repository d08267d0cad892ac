//! git's facts about a pipeline: its branch, its phase commits, whether it is merged, uncommitted changes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::model::{Foreign, TreeFacts};
use crate::systems::nine_step::facts::merging::{self, DEPTH, Merged, Search};
use crate::systems::nine_step::facts::phase_commits::{self, PhaseCommit};
use crate::systems::nine_step::facts::{Facts, Home};
use crate::systems::nine_step::shape::feature_names;
use crate::world::World;
use crate::world::git::{Commit, Git, GitError, StatusPath, head_facts};

/// How many commits of a branch are read for certain.
const MOST_COMMITS: usize = 500;

/// How many are read, kept and counted: with one more than the above, a full list tells that there may be others.
pub(super) const READ: usize = MOST_COMMITS + 1;

/// Commits from the newest on, and why those before them are unknown.
type Commits = (Vec<Commit>, Option<String>);

/// git's facts.
#[derive(Debug, Clone, Default)]
pub(crate) struct History {
    /// Why the repository cannot be read.
    pub(crate) error: Option<String>,
    /// The main branch.
    pub(crate) base: Option<String>,
    /// The branch of the work.
    pub(crate) branch: Option<String>,
    /// True if the branch in the state no longer exists.
    pub(crate) branch_gone: bool,
    /// The branch that the work tree has checked out; `None` when detached or without work tree.
    pub(crate) checked_out: Option<Foreign>,
    /// The commit the branch is at.
    pub(crate) tip: Option<String>,
    /// The commit where it left the main branch.
    pub(crate) fork: Option<String>,
    /// Its own commits, newest first.
    pub(crate) commits: Vec<Commit>,
    /// The last commit of each phase on the first-parent line.
    pub(crate) phases: BTreeMap<i64, PhaseCommit>,
    /// The commits of recorded phases that it has from before it left the main branch.
    pub(crate) earlier: BTreeMap<i64, Commit>,
    /// The recorded commits of phases that it does not have, and that the repository has.
    pub(crate) off_branch: BTreeMap<i64, String>,
    /// Why its older commits could not be read.
    pub(crate) unread_commits: Option<String>,
    /// Whether it is merged.
    pub(crate) merged: Merged,
    /// An operation in progress in the work tree's repository, such as a rebase.
    pub(crate) busy: Option<&'static str>,
    /// What HEAD of the work tree is at.
    pub(crate) head: TreeFacts,
    /// Paths of the work tree with unresolved conflicts.
    pub(crate) unmerged: Vec<Foreign>,
    /// The work tree's own git directory.
    pub(crate) git_dir: Option<PathBuf>,
    /// Uncommitted changes without the state files.
    pub(crate) dirty: Vec<StatusPath>,
    /// Why those are unknown.
    pub(crate) unread: Option<String>,
}

impl History {
    /// True if the committed work is in the main branch.
    pub(crate) fn is_merged(&self) -> bool {
        matches!(self.merged, Merged::Yes(_) | Merged::Partly { .. })
    }

    /// False if the branch is only what the main work tree has checked out in place of the recorded one, which does not
    /// exist.
    pub(super) fn is_of_work(&self, facts: &Facts) -> bool {
        !(self.branch_gone && matches!(facts.home, Home::Main(_)))
    }

    /// True if the work tree has the branch of the work checked out.
    pub(super) fn is_checked_out(&self) -> bool {
        let checked_out = self.checked_out.as_ref().map(Foreign::lossy);
        checked_out.is_some_and(|checked_out| self.branch.as_deref() == Some(&*checked_out))
    }

    /// True if a commit is one of the branch's own.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.commits.iter().any(|commit| commit.id == id)
    }
}

/// Gathers the facts.
pub(crate) fn gather(world: &dyn World, facts: &Facts) -> History {
    let git = world.git();
    let top = facts.layout.top.as_path();
    let main = match git.repo(top) {
        Ok(main) => main,
        Err(error) => {
            let why = error.to_string();
            return History {
                error: Some(why.clone()),
                merged: Merged::Unknown(why.clone()),
                unread: Some(why),
                ..History::default()
            };
        }
    };
    let mut history = History {
        merged: Merged::Unknown("the main branch is unknown".to_owned()),
        ..History::default()
    };
    let base = main.default_branch.as_ref().and_then(Foreign::as_str);
    history.base = base.map(str::to_owned);
    let base_tip = base.and_then(|base| git.branch_tip(top, base).ok());
    history.checked_out = match &facts.home {
        Home::Linked(worktree) => worktree.branch.clone(),
        Home::Main(_) => main.branch.clone(),
        Home::Orphan(_) | Home::BranchOnly(_) => None,
    };
    work_branch(git, facts, &mut history);
    history.unread_commits = unread_tip(git, facts, &history);
    work_tree(git, facts, &mut history);
    match base_tip {
        Some(base_tip) => against_base(git, facts, &base_tip, &mut history),
        None => without_base(git, top, &mut history),
    }
    phase_commits::gather(git, facts, &mut history);
    if history.merged == Merged::NothingYet {
        history.merged = merging::by_fast_forward(facts, &history);
    }
    history
}

/// The branch of the work: the one in the state if it exists, else the one checked out.
fn work_branch(git: &dyn Git, facts: &Facts, history: &mut History) {
    let expected = facts.text("branch_name");
    let tip = |name: &str| git.branch_tip(&facts.layout.top, name).ok();
    if let Some((name, tip)) = expected.and_then(|name| Some((name, tip(name)?))) {
        (history.branch, history.tip) = (Some(name.to_owned()), Some(tip));
        return;
    }
    history.branch_gone = expected.is_some();
    match &facts.home {
        Home::Linked(worktree) => {
            history.branch = worktree.branch.as_ref().map(|b| b.lossy().into_owned());
            history.tip.clone_from(&worktree.head);
        }
        Home::BranchOnly(name) => (history.branch, history.tip) = (Some(name.clone()), tip(name)),
        Home::Main(_) => {
            let own = history.checked_out.as_ref().map(|b| b.lossy().into_owned());
            let own = own.filter(|own| Some(own) != history.base.as_ref());
            history.tip = own.as_deref().and_then(tip);
            history.branch = own;
        }
        // What its directory is called is the only trace of its branch.
        Home::Orphan(_) => {
            history.branch = branch_named(git, &facts.layout.top, &facts.native);
            history.tip = history.branch.as_deref().and_then(tip);
        }
    }
    if !history.branch_gone || history.branch.is_none() {
        return;
    }
    // Another notation of the same name is the same branch.
    let same = history.branch.as_deref().zip(expected);
    history.branch_gone = !same.is_some_and(|(have, want)| feature_names::same(have, want));
}

/// Why the commit that the branch is at is unknown, where there may be one.
fn unread_tip(git: &dyn Git, facts: &Facts, history: &History) -> Option<String> {
    let top = facts.layout.top.as_path();
    let linked = matches!(facts.home, Home::Linked(_));
    let asked = match &history.branch {
        _ if history.tip.is_some() => return None,
        Some(name) => git.branch_tip(top, name).err(),
        None if linked => git.repo(facts.dir()).err(),
        None => git.branches(top).err(),
    };
    asked
        .filter(GitError::is_unknown)
        .map(|why| why.to_string())
}

/// The branch whose name says that it is of a feature.
pub(super) fn branch_named(git: &dyn Git, top: &Path, native: &Foreign) -> Option<String> {
    let native = native.lossy();
    let branches = git.branches(top).unwrap_or_default();
    let mut names = branches.iter().map(Foreign::lossy);
    let name = names.find(|name| feature_names::of_branch(name) == native);
    name.map(std::borrow::Cow::into_owned)
}

/// Operations in progress and uncommitted changes in the work tree.
fn work_tree(git: &dyn Git, facts: &Facts, history: &mut History) {
    let why = match &facts.home {
        Home::Linked(_) | Home::Main(_) => None,
        Home::Orphan(_) => Some("git does not list the directory as a worktree"),
        Home::BranchOnly(_) => Some("no worktree holds the branch"),
    };
    if let Some(why) = why {
        history.unread = Some(why.to_owned());
        return;
    }
    let dir = facts.dir();
    history.unmerged = git.unmerged(dir).unwrap_or_default();
    if let Ok(repo) = git.repo(dir) {
        history.busy = repo.busy;
        history.head = head_facts(git, dir, &repo);
        history.git_dir = Some(repo.git_dir);
    }
    match git.status(dir) {
        Ok(changes) => history.dirty = changes,
        Err(error) => history.unread = Some(error.to_string()),
    }
    history.dirty.retain(|change| !facts.is_own(&change.path));
}

/// The fork, own commits, and whether they are merged.
fn against_base(git: &dyn Git, facts: &Facts, base_tip: &str, history: &mut History) {
    let top = facts.layout.top.as_path();
    let Some(tip) = history.tip.clone() else {
        let search = Search {
            main: base_tip,
            fork: None,
            tip: None,
            is_contained: false,
        };
        let merge = merging::find(git, facts, &search, DEPTH);
        history.merged = merging::merged(facts, history, Ok(false), merge);
        return;
    };
    let fork = git.merge_base(top, &tip, base_tip).ok().flatten();
    let contained = git.is_ancestor(top, &tip, base_tip);
    let search = Search {
        main: base_tip,
        fork: fork.as_deref(),
        tip: Some(tip.as_str()).filter(|_| history.is_of_work(facts)),
        is_contained: contained == Ok(true),
    };
    let merge = merging::find(git, facts, &search, DEPTH);
    let found = merge.as_ref().ok().and_then(Option::as_ref);
    let first = found.and_then(|merge| merge.parents.first());
    let before = match (&contained, first) {
        (Ok(true), Some(first)) => git.merge_base(top, &tip, first).ok().flatten(),
        _ => fork,
    };
    let own = git.log(top, &tip, before.as_deref(), READ);
    history.commits = own.unwrap_or_else(|_| {
        let main = git.log(top, base_tip, None, READ).unwrap_or_default();
        let (commits, why) = as_far_as_readable(git, top, &tip, &main);
        history.unread_commits = why;
        commits
    });
    history.fork = before;
    if history.commits.iter().any(|commit| commit.cut) {
        history.unread_commits = Some("the clone is shallow".to_owned());
    } else if is_full(&history.commits) {
        history.unread_commits = Some(only_newest());
    }
    history.merged = merging::merged(facts, history, contained, merge);
}

/// Without the main branch it is not known which commits are the branch's own. Where a commit cannot be read, which may
/// be the reason, those after it are.
fn without_base(git: &dyn Git, top: &Path, history: &mut History) {
    let Some(tip) = history.tip.as_deref() else {
        return;
    };
    let known = history.base.is_some();
    let read = known.then(|| as_far_as_readable(git, top, tip, &[]));
    let (commits, why) = match read {
        Some((commits, Some(why))) => (commits, why),
        Some((_, None)) | None => (Vec::new(), "the main branch is unknown".to_owned()),
    };
    (history.commits, history.unread_commits) = (commits, Some(why));
}

/// The commits from a tip back to those of the main branch, as far as they can be read, and why not further: one damaged
/// object hides what is before it, not what came after it.
fn as_far_as_readable(git: &dyn Git, top: &Path, tip: &str, main: &[Commit]) -> Commits {
    let mut commits: Vec<Commit> = Vec::new();
    let mut at = Some(tip.to_owned());
    while let Some(id) = at.filter(|id| main.iter().all(|main| main.id != *id)) {
        match git.find_commit(top, &id) {
            Ok(commit) if commits.len() < READ => {
                at = commit.parents.first().cloned();
                commits.push(commit);
            }
            Ok(_) => break,
            Err(error) => return (commits, Some(error.to_string())),
        }
    }
    (commits, None)
}

/// Whether a list of commits may have been cut.
pub(super) fn is_full(commits: &[Commit]) -> bool {
    commits.len() >= READ
}

/// Why the commits after a full list are unknown.
pub(super) fn only_newest() -> String {
    format!("only its newest {MOST_COMMITS} are read")
}
