//! N7, N8, N9: the plan, the phase commits, the recorded commit ids.

use super::worktree::needs_git;
use crate::model::{Subject, Verdict};
use crate::systems::kit::checks::{Outcome, fail, pass, skipped, warn};
use crate::systems::nine_step::Scene;
use crate::systems::nine_step::facts::{Facts, Ledger};
use crate::systems::nine_step::points::lost;
use crate::systems::nine_step::shape::{PlanFound, Record, StepNo};
use crate::text::Shown as _;
use crate::text::format::{count, short_id};
use crate::world::World;
use crate::world::git::GitError;

/// How far apart the times of a phase's commit and its record may be, in seconds.
const NEAR_S: i64 = 3600;

/// N7: the plan document.
pub(super) fn plan(scene: &Scene<'_>) -> Outcome {
    let facts = scene.facts;
    let path = facts.plan.path().unwrap_or_default();
    let path = path.shown();
    match &facts.plan.found {
        PlanFound::AsReferred => pass(format!("Found at {path}.")),
        PlanFound::ByName if facts.text("plan_reference").is_none() => pass(format!(
            "Found at {path} by the feature's name; no reference is recorded."
        )),
        PlanFound::ByName => warn(
            format!("Not at plan_reference; {path} has the feature's name."),
            "Correct plan_reference in the state file.",
        ),
        PlanFound::Unreadable(odd) => fail(format!("It {}.", odd.problem), odd.remedy.as_str()),
        PlanFound::Missing => fail(
            "There is none.",
            "Restore the plan from a backup or write it again; a missing plan can mean that the cleanup has started.",
        ),
        PlanFound::Refused(why) => fail(
            format!("The recorded path was not opened: {why}."),
            "Change plan_reference in the state file to a path inside the project.",
        ),
    }
}

/// N8: one commit for each phase that is recorded as committed, near the time of its record.
pub(super) fn phases(scene: &Scene<'_>) -> Vec<Outcome> {
    let facts = scene.facts;
    let Some(ledger) = &facts.ledger else {
        return skipped("No record of phases can be read.").into();
    };
    if let Err(skipped) = needs_git(facts) {
        return skipped.into();
    }
    if facts.git.tip.is_none() {
        return skipped("There is no branch.").into();
    }
    let phases = facts.recorded_phases();
    if phases.is_empty() {
        return pass("No phase is committed yet.").into();
    }
    let of = |phase: i64| {
        let about = Subject::named("commit of phase", phase.to_string());
        one_phase(facts, ledger, phase).about(about)
    };
    phases.into_iter().map(of).collect()
}

fn one_phase(facts: &Facts, ledger: &Ledger, phase: i64) -> Outcome {
    let Some(found) = facts.git.phases.get(&phase) else {
        return without_own(facts, phase);
    };
    let short = short_id(&found.commit.id);
    if found.shared {
        return warn(
            format!("Commit {short} covers several phases."),
            "A rollback cannot separate these phases.",
        );
    }
    let of = |r: &&Record| r.spot() == Some((phase, StepNo::Commit));
    let recorded = ledger.done.iter().rfind(of).and_then(|record| record.at);
    let apart = recorded.map(|at| (at.at.to_utc() - found.commit.time).num_seconds().abs());
    if apart.is_some_and(|apart| apart > NEAR_S) {
        return warn(
            format!("Commit {short} names the phase, at another time than the record."),
            "Check whether it is the right commit, or whether the record is in another time zone.",
        );
    }
    let subject = found.commit.subject.lossy();
    pass(format!("Commit {short}, `{subject}`."))
}

/// A phase without a commit of the branch's own.
fn without_own(facts: &Facts, phase: i64) -> Outcome {
    if let Some(commit) = facts.git.earlier.get(&phase) {
        let (short, subject) = (short_id(&commit.id), commit.subject.lossy());
        return pass(format!(
            "Commit {short}, `{subject}`, which the main branch has too."
        ));
    }
    if let Some(why) = &facts.git.unread_commits {
        return skipped(format!("It is unknown: {why}."));
    }
    let own = count(facts.git.commits.len(), "own commit");
    let text = lost::sentence(facts, phase);
    let remedy = match facts.git.off_branch.get(&phase) {
        Some(id) => format!(
            "Bring it back with git cherry-pick {}, or build the phase again.",
            short_id(id)
        ),
        None => "Look at git log of the branch; commit the phase if its work is there.".to_owned(),
    };
    fail(format!("{text} The branch has {own}."), remedy)
}

/// N9: recorded commit ids, if there are any.
pub(super) fn recorded(scene: &Scene<'_>) -> Vec<Outcome> {
    let outcomes = scene.facts.records().filter_map(|record| {
        let id = record.commit.as_deref()?;
        let about = Subject::named("recorded commit of phase", record.phase_text());
        Some(one_recorded(scene.facts, id, scene.world).about(about))
    });
    let why = "No record has a commit_sha; the plugin's own save writes none.";
    let outcomes: Vec<Outcome> = outcomes.collect();
    if outcomes.is_empty() {
        return skipped(why).into();
    }
    outcomes
}

/// The verdict on one recorded commit id.
pub(crate) fn is_recorded(facts: &Facts, id: &str, world: &dyn World) -> Verdict {
    one_recorded(facts, id, world).verdict
}

fn one_recorded(facts: &Facts, id: &str, world: &dyn World) -> Outcome {
    if let Err(skipped) = needs_git(facts) {
        return skipped;
    }
    let remedy = "Look for the commit with git log or git reflog; a rebase changes ids.";
    let hex = (7..=40).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_hexdigit());
    let (git, top) = (world.git(), facts.layout.top.as_path());
    let unknown = |error| skipped(format!("It is unknown: {error}."));
    let commit = match hex.then(|| git.find_commit(top, &id.to_lowercase())) {
        Some(Ok(commit)) => commit,
        None | Some(Err(GitError::Missing(_))) => {
            return fail(format!("`{id}` is not in the repository."), remedy);
        }
        Some(Err(GitError::NoCommit { what, .. })) => {
            return fail(format!("`{id}` names no commit: it {what}."), remedy);
        }
        Some(Err(error)) => return unknown(error),
    };
    let is = if commit.id.starts_with(&id.to_lowercase()) {
        format!("`{id}`")
    } else {
        format!("`{id}` is a tag of commit {}, which", short_id(&commit.id))
    };
    if facts.git.has(&commit.id) {
        return pass(format!("{is} is on the branch."));
    }
    let tip = facts.git.tip.as_deref();
    match tip.map(|tip| git.is_ancestor(top, &commit.id, tip)) {
        Some(Ok(true)) => pass(format!("{is} is on the branch.")),
        Some(Ok(false)) => warn(format!("{is} exists, but is not on the branch."), remedy),
        Some(Err(error)) => unknown(error),
        None => skipped("There is no branch."),
    }
}
