//! What a system's reader makes of the files of one pipeline, before it is judged.

use std::path::PathBuf;

use super::{
    Badge, Branch, Finding, Foreign, LifeEvidence, Phase, Progress, Stamp, Status, SystemName,
};

/// What the state files claim about the status; `recover::assess` weighs it against the signs of life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Complete, waiting, interrupted or unreadable. A reader never claims `live`: that follows from signs.
    pub status: Status,
    /// Why, in a sentence.
    pub reason: Foreign,
}

impl Claim {
    /// A status with its reason.
    pub fn new(status: Status, reason: impl Into<Foreign>) -> Self {
        let reason = reason.into();
        Self { status, reason }
    }
}

/// The facts of one pipeline, before they are judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// Which system wrote it.
    pub system: SystemName,
    /// The system's own key for it.
    pub native: Foreign,
    /// Its goal.
    pub title: Foreign,
    /// The canonical root of the project it belongs to.
    pub root: PathBuf,
    /// The files its state was read from; the one to open first is first.
    pub state_files: Vec<PathBuf>,
    /// The work tree that its work lives in.
    pub work_tree: Option<PathBuf>,
    /// Expected and actual branch, where branches matter.
    pub branch: Option<Branch>,
    /// The number of its pull request, where it records one.
    pub pull_request: Option<i64>,
    /// When it began.
    pub started_at: Option<Stamp>,
    /// When something of it was last written.
    pub last_activity_at: Option<Stamp>,
    /// What its files claim.
    pub claim: Claim,
    /// Signs of life.
    pub life: LifeEvidence,
    /// Where it stopped, in a few words: `phase 3, wave 2 · implementer, task 5`.
    pub stopped_where: Foreign,
    /// How much is done.
    pub progress: Progress,
    /// Marks.
    pub badges: Vec<Badge>,
    /// The phase table.
    pub phases: Vec<Phase>,
    /// What the reader noticed.
    pub findings: Vec<Finding>,
}

/// The work tree a plan's tree actions would change, with what is recorded about its branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeNeed {
    /// The work tree.
    pub work_tree: PathBuf,
    /// The branch the pipeline recorded; `None` where it recorded none, so that a person must name it.
    pub branch: Option<Foreign>,
    /// The commit the pipeline started from, where it recorded one.
    pub baseline: Option<String>,
}

impl TreeNeed {
    /// A work tree and its branch, without a commit that the pipeline started from.
    pub fn on(work_tree: impl Into<PathBuf>, branch: Option<impl Into<Foreign>>) -> Self {
        Self {
            work_tree: work_tree.into(),
            branch: branch.map(Into::into),
            baseline: None,
        }
    }
}

/// What was found of the work tree a plan's tree actions would change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TreeFacts {
    /// The branch it is on; `None` when detached.
    pub branch: Option<Foreign>,
    /// The commit it is at.
    pub head: Option<String>,
    /// The commit of the branch that the pipeline recorded or, where it recorded none, that the person named.
    pub tip: Option<String>,
    /// Whether HEAD is detached at a commit that no local branch has.
    pub unnamed: bool,
    /// A merge, rebase, cherry-pick, revert or bisect under way: the word for it.
    pub busy: Option<&'static str>,
    /// The paths with unresolved conflicts.
    pub unmerged: Vec<Foreign>,
    /// Whether `index.lock` is there.
    pub index_locked: bool,
    /// The lock of HEAD or of its branch that is there.
    pub ref_lock: Option<Foreign>,
    /// The recovery of relight's own that holds `index.lock`.
    pub index_lock_of: Option<String>,
    /// Whether that recovery is not in this state directory.
    pub index_lock_elsewhere: bool,
    /// Whether the recorded baseline is an ancestor of HEAD, where one is recorded and could be looked up.
    pub baseline_is_ancestor: Option<bool>,
    /// Why the repository could not be asked at all.
    pub trouble: Option<Foreign>,
}

impl TreeFacts {
    /// Whether git is in the middle of something, so that no tree may be changed.
    pub const fn hinders(&self) -> bool {
        self.busy.is_some()
            || !self.unmerged.is_empty()
            || self.index_locked
            || self.ref_lock.is_some()
            || self.trouble.is_some()
    }
}
