//! git's facts about a pipeline: its branch, its phase commits, whether it is merged, uncommitted changes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::model::{Foreign, TreeFacts};
use crate::systems::nine_step::facts::Home;
use crate::systems::nine_step::shape::{Record, StepNo, commit_subjects, feature_names};
use crate::text::Shown as _;
use crate::text::format::short_id;
use crate::world::World;
use crate::world::git::{Commit, Git, GitState, StatusPath, head_facts};

/// The shortest id that names a commit.
const SHORTEST: usize = 7;

/// How many commits are read on either side.
const MOST_COMMITS: usize = 500;

/// The input.
pub(crate) struct Asked<'a> {
    /// The project's top.
    pub(crate) top: &'a Path,
    /// Where the work is.
    pub(crate) home: &'a Home,
    /// The branch the state names.
    pub(crate) expected: Option<&'a str>,
    /// The names of the feature.
    pub(crate) names: &'a [&'a str],
    /// Whether every phase is recorded as committed.
    pub(crate) all_done: bool,
    /// Names at the top of the work tree that do not count as work.
    pub(crate) own: &'a [String],
}

/// Whether the work is in the main branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Merged {
    /// It is not.
    No,
    /// The branch has no commits of its own and no recorded merge: nothing was committed yet.
    NothingYet,
    /// It is; the evidence.
    Yes(String),
    /// It is unknown; why.
    Unknown(String),
}

/// The commit of a phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PhaseCommit {
    /// The commit.
    pub(crate) commit: Commit,
    /// True if it covers several phases.
    pub(crate) shared: bool,
}

/// git's facts.
#[derive(Debug, Clone)]
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
    /// Whether it is merged.
    pub(crate) merged: Merged,
    /// An operation in progress in the work tree's repository, such as a rebase.
    pub(crate) state: GitState,
    /// What HEAD of the work tree is at.
    pub(crate) head: TreeFacts,
    /// Paths of the work tree with unresolved conflicts.
    pub(crate) unmerged: Vec<Foreign>,
    /// The work tree's own git directory.
    pub(crate) git_dir: Option<PathBuf>,
    /// Uncommitted changes without the state files, or why they are unknown.
    pub(crate) changes: Result<Vec<StatusPath>, String>,
}

impl History {
    fn unknown(why: &str) -> Self {
        Self {
            error: Some(why.to_owned()),
            base: None,
            branch: None,
            branch_gone: false,
            checked_out: None,
            tip: None,
            fork: None,
            commits: Vec::new(),
            phases: BTreeMap::new(),
            merged: Merged::Unknown(why.to_owned()),
            state: GitState::Clean,
            head: TreeFacts::default(),
            unmerged: Vec::new(),
            git_dir: None,
            changes: Err(why.to_owned()),
        }
    }

    /// True if the work is in the main branch.
    pub(crate) fn is_merged(&self) -> bool {
        matches!(self.merged, Merged::Yes(_))
    }

    /// Takes the commits that records of step 9 name for those of their phases, where the branch has them: a subject may
    /// name a phase that the commit is not of.
    pub(crate) fn believe<'a>(&mut self, records: impl Iterator<Item = &'a Record>) {
        for record in records.filter(|record| record.step() == Some(StepNo::Commit)) {
            let id = record.commit.as_deref().filter(|id| id.len() >= SHORTEST);
            let named = id.and_then(|id| {
                self.commits
                    .iter()
                    .find(|c| c.id.starts_with(&id.to_lowercase()))
            });
            let Some((phase, commit)) = record.phase.zip(named.cloned()) else {
                continue;
            };
            let known = self.phases.get(&phase);
            if known.is_none_or(|known| known.commit.id != commit.id) {
                let shared = false;
                self.phases.insert(phase, PhaseCommit { commit, shared });
            }
        }
    }

    /// Uncommitted changes, if known.
    pub(crate) fn dirty(&self) -> &[StatusPath] {
        self.changes.as_deref().unwrap_or_default()
    }
}

/// Gathers the facts.
pub(crate) fn gather(world: &dyn World, asked: &Asked<'_>) -> History {
    let git = world.git();
    let main = match git.repo(asked.top) {
        Ok(facts) => facts,
        Err(error) => return History::unknown(&error.to_string()),
    };
    let mut history = History {
        error: None,
        ..History::unknown("the main branch is unknown")
    };
    let base = main.default_branch.as_ref().and_then(Foreign::as_str);
    history.base = base.map(str::to_owned);
    let base_tip = base.and_then(|base| git.branch_tip(asked.top, base).ok());
    history.checked_out = match asked.home {
        Home::Linked(worktree) => worktree.branch.clone(),
        Home::Main(_) => main.branch.clone(),
        Home::Orphan(_) | Home::BranchOnly(_) => None,
    };
    work_branch(git, asked, &mut history);
    work_tree(git, asked, &mut history);
    if let Some(base_tip) = base_tip {
        against_base(git, asked, &base_tip, &mut history);
    }
    history.phases = phase_commits(&history);
    history
}

/// The branch of the work: the one in the state if it exists, else the one checked out.
fn work_branch(git: &dyn Git, asked: &Asked<'_>, history: &mut History) {
    let tip = |name: &str| git.branch_tip(asked.top, name).ok();
    if let Some((name, tip)) = asked.expected.and_then(|name| Some((name, tip(name)?))) {
        (history.branch, history.tip) = (Some(name.to_owned()), Some(tip));
        return;
    }
    history.branch_gone = asked.expected.is_some();
    match asked.home {
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
        Home::Orphan(_) => {}
    }
    if !history.branch_gone || history.branch.is_none() {
        return;
    }
    // Another notation of the same name is the same branch.
    let same = history.branch.as_deref().zip(asked.expected);
    history.branch_gone = !same.is_some_and(|(have, want)| feature_names::same(have, want));
}

/// Operations in progress and uncommitted changes in the work tree.
fn work_tree(git: &dyn Git, asked: &Asked<'_>, history: &mut History) {
    let dir = match asked.home {
        Home::Linked(worktree) => &worktree.path,
        Home::Main(dir) => dir,
        Home::Orphan(_) => {
            history.changes = Err("git does not list the directory as a worktree".to_owned());
            return;
        }
        Home::BranchOnly(_) => {
            history.changes = Err("no worktree holds the branch".to_owned());
            return;
        }
    };
    history.unmerged = git.unmerged(dir).unwrap_or_default();
    if let Ok(facts) = git.repo(dir) {
        history.state = facts.state;
        history.head = head_facts(git, dir, &facts);
        history.git_dir = Some(facts.git_dir);
    }
    let is_work = |change: &StatusPath| !asked.own.iter().any(|name| change.path == **name);
    history.changes = match git.status(dir) {
        Ok(changes) => Ok(changes.into_iter().filter(is_work).collect()),
        Err(error) => Err(error.to_string()),
    };
}

/// The fork, own commits, and whether they are merged.
fn against_base(git: &dyn Git, asked: &Asked<'_>, base_tip: &str, history: &mut History) {
    let top = asked.top;
    let Some(tip) = history.tip.clone() else {
        let since = git
            .log(top, base_tip, None, MOST_COMMITS)
            .unwrap_or_default();
        history.merged = match since.iter().find(|c| is_merge_of(c, asked.names)) {
            Some(merge) => Merged::Yes(merge_text(merge)),
            None => Merged::No,
        };
        return;
    };
    let fork = git.merge_base(top, &tip, base_tip).ok().flatten();
    let since = git
        .log(top, base_tip, fork.as_deref(), MOST_COMMITS)
        .unwrap_or_default();
    let merge = since.iter().find(|commit| {
        let second = commit.parents.iter().skip(1).any(|parent| *parent == tip);
        second || is_merge_of(commit, asked.names)
    });
    let contained = git.is_ancestor(top, &tip, base_tip);
    let first = merge.and_then(|merge| merge.parents.first());
    let before = match (&contained, first) {
        (Ok(true), Some(first)) => git.merge_base(top, &tip, first).ok().flatten(),
        _ => fork.clone(),
    };
    history.commits = git
        .log(top, &tip, before.as_deref(), MOST_COMMITS)
        .unwrap_or_default();
    history.fork = before;
    history.merged = match (contained, merge) {
        (_, Some(merge)) => Merged::Yes(merge_text(merge)),
        (Ok(true), None) if asked.all_done => {
            Merged::Yes("every phase is recorded and the main branch has all of it".to_owned())
        }
        (Ok(true), None) => Merged::NothingYet,
        (Ok(false), None) => Merged::No,
        (Err(error), None) => Merged::Unknown(error.to_string()),
    };
}

fn is_merge_of(commit: &Commit, aliases: &[&str]) -> bool {
    let subject = commit.subject.lossy();
    let lower = subject.trim_start().to_lowercase();
    lower.starts_with("merge:")
        && aliases
            .iter()
            .any(|name| feature_names::mentions(&lower, name))
}

fn merge_text(merge: &Commit) -> String {
    format!(
        "the main branch has it since commit {}, `{}`",
        short_id(&merge.id),
        merge.subject.shown()
    )
}

/// The last commit of each phase on the first-parent line.
fn phase_commits(history: &History) -> BTreeMap<i64, PhaseCommit> {
    let by_id: BTreeMap<&str, &Commit> = history
        .commits
        .iter()
        .map(|commit| (commit.id.as_str(), commit))
        .collect();
    let mut found = BTreeMap::new();
    let mut at = history.tip.as_deref();
    while let Some(commit) = at.and_then(|id| by_id.get(id)) {
        if let Some(named) = commit_subjects::phases(commit) {
            for phase in named.phases {
                found.entry(phase).or_insert_with(|| PhaseCommit {
                    commit: (*commit).clone(),
                    shared: named.shared,
                });
            }
        }
        at = commit.parents.first().map(String::as_str);
    }
    found
}
