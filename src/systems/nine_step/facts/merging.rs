//! Whether the work is in the main branch: by a commit that merges it or by a fast-forward, and with nothing left over.

#[cfg(test)]
mod tests;

use crate::model::Foreign;
use crate::systems::nine_step::facts::git_history::{History, READ};
use crate::systems::nine_step::facts::phase_commits;
use crate::systems::nine_step::facts::{Facts, Home};
use crate::systems::nine_step::shape::{PLAN_DIR, StepNo, feature_names};
use crate::text::Shown as _;
use crate::text::format::{count_of, short_id};
use crate::world::git::{Commit, Git, GitError};

/// The commit that merges the work, if there is one; the error is why that is unknown.
type Merge = Result<Option<Commit>, String>;

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
    /// What was committed is; not what is uncommitted, or may be.
    Partly {
        /// The evidence of the merge.
        how: String,
        /// The uncommitted paths, or why they are unknown.
        left: Result<Vec<Foreign>, String>,
    },
    /// It is unknown; why.
    Unknown(String),
}

impl Merged {
    fn of(how: String, left: Result<Vec<Foreign>, String>) -> Self {
        if left.as_ref().is_ok_and(Vec::is_empty) {
            return Self::Yes(how);
        }
        Self::Partly { how, left }
    }

    /// That it is merged and what is left over, as a sentence; `None` unless something is, or may be.
    pub(crate) fn left_over(&self) -> Option<String> {
        let (how, left) = match self {
            Self::Partly { how, left } => (how, left),
            Self::No | Self::NothingYet | Self::Yes(_) | Self::Unknown(_) => return None,
        };
        Some(match left {
            Ok(paths) => {
                let paths = count_of(paths.len(), "path is", "paths are");
                format!("Merged ({how}), but {paths} uncommitted.")
            }
            Err(why) => format!("Merged ({how}), but it is unknown what is uncommitted: {why}."),
        })
    }
}

/// How many commits of the main branch are read to find the merge.
#[derive(Debug, Clone, Copy)]
pub(super) struct Depth {
    /// At first: most merges are new.
    pub(super) first: usize,
    /// Where the merge may be older.
    pub(super) most: usize,
}

/// How deep the main branch is searched.
pub(super) const DEPTH: Depth = Depth {
    first: READ,
    most: 20_000,
};

/// What is searched for the merge.
pub(super) struct Search<'a> {
    /// The commit that the main branch is at.
    pub(super) main: &'a str,
    /// Where the branch of the work left it.
    pub(super) fork: Option<&'a str>,
    /// The commit that the branch is at.
    pub(super) tip: Option<&'a str>,
    /// Whether the main branch has that commit.
    pub(super) is_contained: bool,
}

/// The commit of the main branch that merges the work. A merge of the same name from before the work began is of an
/// earlier feature, so nothing older is read. Nor is more than the newest commits where the work cannot be merged:
/// its last phase is not recorded as committed, and the main branch does not have its branch.
pub(super) fn find(git: &dyn Git, facts: &Facts, search: &Search<'_>, depth: Depth) -> Merge {
    let (names, began) = (facts.names(), phase_commits::began(facts));
    let is_older = |commit: &Commit| began.is_some_and(|began| commit.time < began);
    let fits = |commit: &Commit| {
        let mut merged = commit.parents.iter().skip(1);
        let merges_tip = merged.any(|parent| Some(parent.as_str()) == search.tip);
        merges_tip || (!is_older(commit) && is_merge_of(commit, &names))
    };
    let may_be_old = search.is_contained || may_be_finished(facts);
    for most in [depth.first, depth.most] {
        let commits = git.log(&facts.layout.top, search.main, search.fork, most);
        let commits = commits.map_err(|error| error.to_string())?;
        let back_to_its_start = commits.last().is_some_and(is_older);
        let all = commits.len() < most || back_to_its_start;
        let is_cut = commits.iter().any(|commit| commit.cut) && !back_to_its_start;
        let merge = commits.into_iter().find(fits);
        if merge.is_none() && is_cut && may_be_old {
            return Err("the clone is shallow".to_owned());
        }
        if all || merge.is_some() || !may_be_old {
            return Ok(merge);
        }
    }
    let most = depth.most;
    let why = format!("only the newest {most} commits of the main branch are read");
    Err(why)
}

/// Whether the records leave open that every phase is committed: they say so, or do not say what is left.
fn may_be_finished(facts: &Facts) -> bool {
    let known = facts.ledger.as_ref().zip(facts.total());
    known.is_none_or(|(ledger, total)| ledger.has((total, StepNo::Commit)))
}

/// Whether the work is merged, by whether the main branch contains its tip and by the commit that merges it.
pub(super) fn merged(
    facts: &Facts,
    history: &History,
    contained: Result<bool, GitError>,
    merge: Merge,
) -> Merged {
    match (contained, merge) {
        (_, Ok(Some(merge))) => Merged::of(merge_text(&merge), uncommitted(facts, history)),
        (Ok(true), Ok(None)) => Merged::NothingYet,
        (Ok(false), Ok(None)) => Merged::No,
        (Ok(_), Err(why)) => Merged::Unknown(why),
        (Err(error), _) => Merged::Unknown(error.to_string()),
    }
}

/// Whether the main branch has the work without a commit that merges it. It has every commit of a branch that has none
/// of its own, so each recorded phase must have one. A phase that was left out has none.
pub(super) fn by_fast_forward(facts: &Facts, history: &History) -> Merged {
    let known = |phase| history.phases.contains_key(phase) || history.earlier.contains_key(phase);
    if !facts.is_all_committed() || !facts.recorded_phases().iter().all(known) {
        return Merged::NothingYet;
    }
    if phase_commits::since(facts).is_none() && !phase_commits::are_named(facts, history) {
        let why = "a record states no time, so the commits may be of an earlier feature";
        return Merged::Unknown(why.to_owned());
    }
    let how = "the last phase is recorded and the main branch has a commit of each recorded phase";
    Merged::of(how.to_owned(), uncommitted(facts, history))
}

/// The uncommitted paths of the work, without the plan, which the cleanup removes; the error is why they are unknown.
/// The main work tree has some only while the branch of the work is checked out there: any others are of other work.
pub(crate) fn uncommitted(facts: &Facts, history: &History) -> Result<Vec<Foreign>, String> {
    let is_its_own = match &facts.home {
        Home::Linked(_) | Home::Orphan(_) => true,
        Home::BranchOnly(_) => false,
        Home::Main(_) => history.is_of_work(facts) && history.is_checked_out(),
    };
    if !is_its_own {
        return Ok(Vec::new());
    }
    if let Some(why) = &history.unread {
        return Err(why.clone());
    }
    let (dir, plan) = (facts.dir(), facts.plan.path());
    let is_plan = |path: &Foreign| {
        let path = dir.join(path.as_path());
        path.starts_with(dir.join(PLAN_DIR)) || plan.as_ref() == Some(&path)
    };
    let paths = history.dirty.iter().map(|change| &change.path);
    Ok(paths.filter(|path| !is_plan(path)).cloned().collect())
}

fn is_merge_of(commit: &Commit, names: &[String]) -> bool {
    let subject = commit.subject.lossy();
    let lower = subject.trim_start().to_lowercase();
    let merged = lower.strip_prefix("merge:");
    merged.is_some_and(|text| names.iter().any(|name| feature_names::mentions(text, name)))
}

fn merge_text(merge: &Commit) -> String {
    let (id, subject) = (short_id(&merge.id), merge.subject.shown());
    format!("the main branch has it since commit {id}, `{subject}`")
}
