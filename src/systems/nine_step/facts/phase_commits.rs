//! Which commits are of which phases: by their subjects, by the ids in the records, and for recorded phases that the
//! branch has no own commit of, in the history before it and elsewhere in the repository.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};

use crate::model::Zone;
use crate::systems::nine_step::facts::Facts;
use crate::systems::nine_step::facts::git_history::{self, History, READ};
use crate::systems::nine_step::shape::{Record, StepNo, commit_subjects};
use crate::world::git::{Commit, Git};

/// The commit of a phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PhaseCommit {
    /// The commit.
    pub(crate) commit: Commit,
    /// True if it covers several phases.
    pub(crate) shared: bool,
}

/// How many digits of an id git needs to find a commit by it.
const SHORTEST: usize = 7;

/// How long before the first record a phase may have been committed: records follow what they are of.
const BEFORE: TimeDelta = TimeDelta::hours(1);

/// The same where the records state no zone: they may have been written in any other than the reader's.
const BEFORE_IN_ANY_ZONE: TimeDelta = TimeDelta::hours(26);

/// Since when the phases were committed; `None` where a record does not say when it was made.
pub(super) fn since(facts: &Facts) -> Option<DateTime<Utc>> {
    facts.records().map(earliest).min().flatten()
}

/// When the work had begun, by those records that say when they were made, also by that of a step that is not done.
pub(super) fn began(facts: &Facts) -> Option<DateTime<Utc>> {
    let last = facts.position().map(|position| &position.record);
    facts.records().chain(last).filter_map(earliest).min()
}

/// When what a record is of may have been made, at the earliest.
fn earliest(record: &Record) -> Option<DateTime<Utc>> {
    let stamp = record.at?;
    let before = match stamp.zone {
        Zone::Stated => BEFORE,
        Zone::Assumed => BEFORE_IN_ANY_ZONE,
    };
    stamp.at.to_utc().checked_sub_signed(before)
}

/// Finds the commits of the phases.
pub(super) fn gather(git: &dyn Git, facts: &Facts, history: &mut History) {
    history.phases = on_first_parents(history.tip.as_deref(), &history.commits);
    let recorded = facts
        .records()
        .filter_map(|record| recorded(git, facts, record));
    let recorded: Vec<(i64, Commit)> = recorded.collect();
    for (phase, commit) in &recorded {
        believe(*phase, commit, history);
    }
    let missing = facts.recorded_phases().into_iter();
    let missing = missing.filter(|phase| !history.phases.contains_key(phase));
    let missing: Vec<i64> = missing.collect();
    if let (false, Some(tip)) = (missing.is_empty(), history.tip.clone()) {
        elsewhere(git, facts, history, (&tip, &missing, &recorded));
    }
}

/// Whether the records name each commit that the branch has from before it left the main branch.
pub(super) fn are_named(facts: &Facts, history: &History) -> bool {
    let named = |(phase, commit): (&i64, &Commit)| {
        let mut records = facts.records();
        records.any(|record| {
            let id = record.commit.as_deref().filter(|id| id.len() >= SHORTEST);
            record.spot() == Some((*phase, StepNo::Commit))
                && id.is_some_and(|id| commit.id.starts_with(&id.to_lowercase()))
        })
    };
    history.earlier.iter().all(named)
}

/// The commit that a record of step 9 names. An id that names several objects names none.
fn recorded(git: &dyn Git, facts: &Facts, record: &Record) -> Option<(i64, Commit)> {
    let id = record.commit.as_deref();
    let id = id.filter(|_| record.step() == Some(StepNo::Commit))?;
    let commit = git.find_commit(&facts.layout.top, &id.to_lowercase());
    record.phase.zip(commit.ok())
}

/// Takes a recorded commit for that of its phase, where it is one of the branch's own: a subject may name a phase that
/// the commit is not of.
fn believe(phase: i64, commit: &Commit, history: &mut History) {
    let known = history.phases.get(&phase);
    let is_known = known.is_some_and(|known| known.commit.id == commit.id);
    if !is_known && history.has(&commit.id) {
        let (commit, shared) = (commit.clone(), false);
        history.phases.insert(phase, PhaseCommit { commit, shared });
    }
}

/// The recorded phases without an own commit: a branch that was merged early or by a fast-forward has theirs from
/// before it left the main branch.
fn elsewhere(
    git: &dyn Git,
    facts: &Facts,
    history: &mut History,
    (tip, missing, recorded): (&str, &[i64], &[(i64, Commit)]),
) {
    let top = facts.layout.top.as_path();
    let since = since(facts);
    let fork = history.fork.as_deref();
    let before = fork.map(|fork| git.log(top, fork, None, READ));
    let mut before = before.and_then(Result::ok).unwrap_or_default();
    // Older ones are of other features, which count their phases from 1 as well.
    before.retain(|commit| since.is_none_or(|since| commit.time >= since));
    let named = on_first_parents(fork, &before);
    for phase in missing {
        let own = recorded.iter().rfind(|(of, _)| of == phase);
        let within = own.map(|(_, own)| git.is_ancestor(top, &own.id, tip));
        match (own, within, named.get(phase)) {
            (Some((_, own)), Some(Ok(true)), _) => {
                history.earlier.insert(*phase, own.clone());
            }
            (_, _, Some(named)) => {
                history.earlier.insert(*phase, named.commit.clone());
            }
            (Some((_, own)), Some(Ok(false)), None) => {
                history.off_branch.insert(*phase, own.id.clone());
            }
            (None, _, None) | (Some(_), None | Some(Err(_)), None) => {}
        }
    }
    let found = missing.iter().all(|one| history.earlier.contains_key(one));
    if !found && git_history::is_full(&before) {
        let why = git_history::only_newest();
        history.unread_commits.get_or_insert(why);
    }
}

/// The last commit of each phase on the first-parent line from a tip.
fn on_first_parents(tip: Option<&str>, commits: &[Commit]) -> BTreeMap<i64, PhaseCommit> {
    let by_id: BTreeMap<&str, &Commit> = commits.iter().map(|c| (c.id.as_str(), c)).collect();
    let mut found = BTreeMap::new();
    let mut at = tip;
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
