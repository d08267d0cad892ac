//! The reading: the claim of the files, where the work stopped, the findings. Damage becomes a finding.

pub(crate) mod findings;
pub(crate) mod phases;
pub(crate) mod timeline;

use chrono::{DateTime, TimeDelta, Utc};

use crate::model::{
    Badge, Branch, Claim, Foreign, LifeEvidence, Place, Progress, Reading, Stamp, Status,
};
use crate::systems::kit::badges::{self, is_stale};
use crate::systems::kit::uncommitted::written_places;
use crate::systems::nine_step::NAME;
use crate::systems::nine_step::facts::{Facts, Home, Merged, Source};
use crate::systems::nine_step::points::{Decision, Target, merge_stage};
use crate::systems::nine_step::shape::{Class, Doc, feature_names};
use crate::world::World;
use crate::world::liveness::{self, LifeQuery};

/// How old the last write must be before silence counts, in seconds.
const QUIET_AFTER_S: i64 = 600;
/// A pipeline without a write for this long is stale. Approvals can take a week.
const STALE_AFTER: TimeDelta = TimeDelta::days(14);

/// Makes the reading.
pub(crate) fn reading(facts: &Facts, decision: &Decision, world: &dyn World) -> Reading {
    let claim = claim(facts, decision);
    let phases = phases::table(facts, decision);
    let modified = |place: &Place| world.files().modified(place);
    let writes = writes(facts);
    let files_written = writes.iter().filter_map(modified).max();
    let committed = facts.git.commits.iter().map(|commit| commit.time).max();
    let last_write = files_written.max(committed);
    let stale = is_stale(last_write, world.clock().now().to_utc(), STALE_AFTER);
    let recorded = facts.position().and_then(|position| position.record.at);
    let total = facts.total().and_then(|total| u64::try_from(total).ok());
    let done = phases::done(facts, facts.ledger.as_ref()).len() as u64;
    let progress = Progress::new(Some(done), total, "phases");
    Reading {
        system: NAME,
        native: facts.native.clone(),
        title: facts.feature().into(),
        root: facts.layout.top.clone(),
        state_files: state_files(facts),
        work_tree: (!matches!(facts.home, Home::BranchOnly(_))).then(|| facts.dir().to_owned()),
        branch: branch(facts),
        pull_request: None,
        started_at: started_at(facts),
        last_activity_at: last_write.map(Stamp::utc).or(recorded),
        life: life(facts, (writes, last_write), world),
        stopped_where: stopped_where(facts, decision, &claim),
        progress: match facts.unknown_phases() {
            Some(_) => progress.without_some_files(),
            None => progress,
        },
        badges: badges(facts, &claim, stale),
        phases,
        findings: findings::of(facts),
        claim,
    }
}

/// The claimed status.
pub(crate) fn status(facts: &Facts, decision: &Decision) -> Status {
    claim(facts, decision).status
}

fn state_files(facts: &Facts) -> Vec<std::path::PathBuf> {
    let docs = facts.docs.iter().filter(|doc| doc.modified.is_some());
    let backup = facts.backup.iter();
    let backup = backup.filter(|_| facts.source == Source::Backup);
    docs.chain(backup).map(Doc::path).collect()
}

/// The expected and the actual branch of the work tree.
fn branch(facts: &Facts) -> Option<Branch> {
    let actual = facts.git.checked_out.clone();
    let recorded = facts.text("branch_name");
    let expected = match (recorded, &actual) {
        // Another notation of the name means the existing branch; no other branch has that name.
        (Some(name), Some(have)) if feature_names::same(name, &have.lossy()) => Some(have.clone()),
        // The approval creates the branch: before that, none is expected.
        (Some(_), _) if matches!(facts.home, Home::Main(_)) && facts.git.tip.is_none() => None,
        (Some(name), _) => Some(Foreign::from(name)),
        (None, _) => facts.git.branch.as_deref().map(Foreign::from),
    };
    // A worktree with a detached HEAD has a branch that is not known.
    let has_one = matches!(&facts.home, Home::Linked(worktree) if !worktree.prunable);
    (expected.is_some() || actual.is_some() || has_one).then_some(Branch { expected, actual })
}

/// The first recorded step, else the first commit.
fn started_at(facts: &Facts) -> Option<Stamp> {
    let recorded = facts.records().filter_map(|record| record.at).min();
    let first = facts.git.commits.iter().map(|commit| commit.time).min();
    recorded.or_else(|| first.map(Stamp::utc))
}

/// The claim of the files. The order matters: git outranks the state file.
fn claim(facts: &Facts, decision: &Decision) -> Claim {
    let claim = |status, reason: String| Claim::new(status, reason);
    if let Merged::Yes(why) = &facts.git.merged {
        return claim(Status::Complete, format!("Merged: {why}."));
    }
    if is_gone(facts) {
        let why = "Worktree, branch and plan are gone, as after the cleanup.";
        return claim(Status::Complete, why.to_owned());
    }
    if facts.source == Source::Inferred && facts.git.error.is_some() && facts.plan.place.is_none() {
        let why = "The state file cannot be used, and there is no backup, repository or plan.";
        return claim(Status::Unreadable, why.to_owned());
    }
    if decision.chosen == Target::Merge {
        return claim(Status::Waiting, merge_stage::waiting(facts));
    }
    let Some(position) = facts.position() else {
        return claim(Status::Interrupted, decision.reason.clone());
    };
    let status = match position.class {
        Class::Waiting | Class::Hard => Status::Waiting,
        Class::Failure | Class::InFlight | Class::Unknown | Class::Success | Class::Conditional => {
            Status::Interrupted
        }
    };
    let at = format!("{} of phase {}", position.step.named(), position.phase);
    let reason = match position.class {
        Class::Waiting => format!("Your decision on step {at} is pending."),
        Class::Hard => format!("Step {at} was rejected; you must decide how to continue."),
        Class::Failure => format!("Stopped after step {at} failed."),
        Class::InFlight => format!("Interrupted during step {at}."),
        Class::Unknown => format!("Stopped at step {at} with an unknown status."),
        Class::Success | Class::Conditional => format!("Stopped after step {at}."),
    };
    claim(status, reason)
}

/// Finished, judging by what is missing: the cleanup has removed everything that the state names.
fn is_gone(facts: &Facts) -> bool {
    let named = facts.text("worktree_path").is_some() && facts.text("branch_name").is_some();
    let at_top = matches!(facts.home, Home::Main(_));
    let gone = facts.git.branch_gone && facts.plan.place.is_none();
    facts.is_all_committed() && named && at_top && gone
}

fn stopped_where(facts: &Facts, decision: &Decision, claim: &Claim) -> Foreign {
    if claim.status == Status::Complete {
        return "merged".into();
    }
    if facts.unknown_phases().is_some() {
        return "unknown".into();
    }
    let (phase, step, status) = match (facts.position(), decision.chosen) {
        (_, Target::Merge) if facts.git.is_merged() => return "before the cleanup".into(),
        (_, Target::Merge) => return "before the merge".into(),
        (Some(at), _) => (at.phase, at.step, at.record.status.as_str()),
        (None, Target::Step(phase, step)) => (phase, step, "inferred"),
    };
    format!("phase {phase}, step {} · {status}", step.named()).into()
}

/// The state files, the plan and the uncommitted files.
fn writes(facts: &Facts) -> Vec<Place> {
    let touched = written_places(&facts.git.dirty, facts.dir());
    let docs = facts.docs.iter().chain(&facts.backup);
    let docs = docs.filter_map(Doc::place);
    let plan = facts.plan.place.clone();
    docs.chain(plan).chain(touched).collect()
}

/// The evidence of life: agents in the project or its worktree, and the worktree's index lock.
fn life(
    facts: &Facts,
    (writes, last_write): (Vec<Place>, Option<DateTime<Utc>>),
    world: &dyn World,
) -> LifeEvidence {
    let mut roots = vec![facts.layout.top.clone()];
    if !facts.dir().starts_with(&facts.layout.top) {
        roots.push(facts.dir().to_owned());
    }
    let query = LifeQuery {
        roots,
        git_dirs: facts.git.git_dir.iter().cloned().collect(),
        writes,
        last_write,
        quiet_after_s: QUIET_AFTER_S,
        ..LifeQuery::default()
    };
    liveness::gather(world, &query)
}

fn badges(facts: &Facts, claim: &Claim, stale: bool) -> Vec<Badge> {
    let complete = claim.status == Status::Complete;
    let other_branch = match (facts.text("branch_name"), &facts.git.checked_out) {
        (Some(expected), Some(actual)) => !feature_names::same(expected, &actual.lossy()),
        (Some(_), None) => true,
        (None, _) => false,
    };
    let mismatch = matches!(facts.home, Home::Linked(_)) && other_branch;
    let dirty = !facts.git.dirty.is_empty() && facts.git.error.is_none();
    // Neither worktree nor branch exists before the approval.
    let made = !matches!(facts.home, Home::Main(_)) || facts.text("worktree_path").is_some();
    // While git gives no answer, nothing is known of what it lists.
    let lost = matches!(facts.home, Home::Orphan(_)) || (facts.git.branch_gone && made);
    let orphan = lost && facts.git.error.is_none();
    let stateless = facts.docs.is_empty();
    let left = !leftovers(facts).is_empty();
    let unreadable = facts.docs.iter().any(|doc| doc.content.is_err());
    let damaged = unreadable || facts.unknown_phases().is_some();
    let inferred = if complete {
        !facts.git.is_merged()
    } else {
        damaged && facts.source == Source::Inferred
    };
    badges::badges([
        (stale && !complete, Badge::Stale),
        (mismatch && !complete, Badge::BranchMismatch),
        (dirty, Badge::Dirty),
        (orphan && !complete, Badge::Orphan),
        (stateless, Badge::NoStateFile),
        (complete && left, Badge::CleanupPending),
        (inferred, Badge::Inferred),
        (damaged, Badge::Damaged),
    ])
}

/// The leftovers of an interrupted cleanup, which removes the plan, the worktree and the branch, in this order.
pub(crate) fn leftovers(facts: &Facts) -> Vec<&'static str> {
    let worktree = matches!(facts.home, Home::Linked(_) | Home::Orphan(_));
    let state = facts.docs.iter().any(|doc| doc.modified.is_some());
    let all = [
        (facts.plan.place.is_some(), "the plan"),
        (worktree, "the worktree"),
        (facts.git.tip.is_some(), "the branch"),
        (state, "the state file"),
    ];
    let left = all.into_iter().filter(|(there, _)| *there);
    left.map(|(_, what)| what).collect()
}
