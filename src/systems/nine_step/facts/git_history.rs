//! git's facts about a pipeline: its branch, its phase commits, whether it is merged, uncommitted changes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::model::{Foreign, TreeFacts};
use crate::systems::nine_step::facts::{Facts, Home};
use crate::systems::nine_step::shape::{Record, StepNo, commit_subjects, feature_names};
use crate::text::Shown as _;
use crate::text::format::short_id;
use crate::world::World;
use crate::world::git::{Commit, Git, StatusPath, head_facts};

/// The shortest id that names a commit.
const SHORTEST: usize = 7;

/// How many commits are read on either side.
const MOST_COMMITS: usize = 500;

/// Whether the work is in the main branch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Merged {
    /// It is not.
    #[default]
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
    /// True if the work is in the main branch.
    pub(crate) fn is_merged(&self) -> bool {
        matches!(self.merged, Merged::Yes(_))
    }

    /// Takes the commits that records of step 9 name for those of their phases, where the branch has them: a subject may
    /// name a phase that the commit is not of.
    fn believe<'a>(&mut self, records: impl Iterator<Item = &'a Record>) {
        for record in records.filter(|record| record.step() == Some(StepNo::Commit)) {
            let id = record.commit.as_deref().filter(|id| id.len() >= SHORTEST);
            let id = id.map(str::to_lowercase);
            let mut commits = self.commits.iter();
            let named = id.and_then(|id| commits.find(|commit| commit.id.starts_with(&id)));
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
    work_tree(git, facts, &mut history);
    if let Some(base_tip) = base_tip {
        against_base(git, facts, &base_tip, &mut history);
    }
    history.phases = phase_commits(&history);
    history.believe(facts.records());
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
        Home::Orphan(_) => {}
    }
    if !history.branch_gone || history.branch.is_none() {
        return;
    }
    // Another notation of the same name is the same branch.
    let same = history.branch.as_deref().zip(expected);
    history.branch_gone = !same.is_some_and(|(have, want)| feature_names::same(have, want));
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
    let (top, names) = (facts.layout.top.as_path(), facts.names());
    let log = |tip: &str, since: Option<&str>| {
        let commits = git.log(top, tip, since, MOST_COMMITS);
        commits.unwrap_or_default()
    };
    let Some(tip) = history.tip.clone() else {
        let since = log(base_tip, None);
        let merge = since.iter().find(|commit| is_merge_of(commit, &names));
        history.merged = merge.map_or(Merged::No, |merge| Merged::Yes(merge_text(merge)));
        return;
    };
    let fork = git.merge_base(top, &tip, base_tip).ok().flatten();
    let since = log(base_tip, fork.as_deref());
    let merge = since.iter().find(|commit| {
        let second = commit.parents.iter().skip(1).any(|parent| *parent == tip);
        second || is_merge_of(commit, &names)
    });
    let contained = git.is_ancestor(top, &tip, base_tip);
    let first = merge.and_then(|merge| merge.parents.first());
    let before = match (&contained, first) {
        (Ok(true), Some(first)) => git.merge_base(top, &tip, first).ok().flatten(),
        _ => fork.clone(),
    };
    history.commits = log(&tip, before.as_deref());
    history.fork = before;
    history.merged = match (contained, merge) {
        (_, Some(merge)) => Merged::Yes(merge_text(merge)),
        (Ok(true), None) if facts.is_all_committed() => {
            Merged::Yes("every phase is recorded and the main branch has all of it".to_owned())
        }
        (Ok(true), None) => Merged::NothingYet,
        (Ok(false), None) => Merged::No,
        (Err(error), None) => Merged::Unknown(error.to_string()),
    };
}

fn is_merge_of(commit: &Commit, names: &[String]) -> bool {
    let subject = commit.subject.lossy();
    let lower = subject.trim_start().to_lowercase();
    let mentions = |name: &String| feature_names::mentions(&lower, name);
    lower.starts_with("merge:") && names.iter().any(mentions)
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
    let commits = history.commits.iter();
    let by_id: BTreeMap<&str, &Commit> = commits.map(|c| (c.id.as_str(), c)).collect();
    let mut found = BTreeMap::new();
    let mut at = history.tip.as_deref();
    while let Some(commit) = at.and_then(|id| by_id.get(id)) {
        let phases = commit_subjects::phases(commit).unwrap_or_default();
        let shared = phases.len() > 1;
        for phase in phases {
            let commit = (*commit).clone();
            found.entry(phase).or_insert(PhaseCommit { commit, shared });
        }
        at = commit.parents.first().map(String::as_str);
    }
    found
}
