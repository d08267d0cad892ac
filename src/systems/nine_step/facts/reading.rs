//! The reading: the claim of the files, where the work stopped, the findings. Damage becomes a finding.

pub(crate) mod findings;
pub(crate) mod phases;
pub(crate) mod timeline;

use chrono::{DateTime, TimeDelta, Utc};

use crate::model::{
    Badge, Branch, Claim, Foreign, LifeEvidence, Place, Progress, Reading, Stamp, Status,
};
use crate::systems::kit::badges::{self, is_stale};
use crate::systems::nine_step::NAME;
use crate::systems::nine_step::facts::{Facts, Home, Merged, Source};
use crate::systems::nine_step::points::{Decision, Target};
use crate::systems::nine_step::shape::{Class, Doc, StepNo, feature_names};
use crate::world::World;
use crate::world::liveness::{self, LifeQuery};

/// How old the last write must be before silence counts, in seconds.
const QUIET_AFTER_S: i64 = 600;
/// A pipeline without a write for this long is stale. Approvals can take a week.
const STALE_AFTER: TimeDelta = TimeDelta::days(14);
/// How many uncommitted files are checked for their time.
const MOST_WRITES: usize = 200;

/// Makes the reading.
pub(crate) fn reading(facts: &Facts, decision: &Decision, world: &dyn World) -> Reading {
    let claim = claim(facts, decision);
    let phases = phases::table(facts, decision);
    let files_written = last_file_write(facts, world);
    let last_write = files_written.max(last_commit(facts));
    let recorded = facts
        .ledger
        .as_ref()
        .and_then(|ledger| ledger.position.record.at);
    let done = phases::done(facts, facts.ledger.as_ref()).len() as u64;
    Reading {
        system: NAME,
        native: facts.native.clone(),
        title: facts.feature().into(),
        root: facts.layout.top.clone(),
        state_files: state_files(facts),
        work_tree: work_tree(facts),
        branch: branch(facts),
        pull_request: None,
        started_at: started_at(facts),
        last_activity_at: last_write.map(Stamp::utc).or(recorded),
        life: life(facts, last_write, world),
        stopped_where: stopped_where(facts, decision, &claim),
        progress: Progress::new(
            done,
            facts.total().and_then(|total| u64::try_from(total).ok()),
            "phases",
        ),
        badges: badges(facts, &claim, last_write, world),
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
    let backup = facts
        .backup
        .iter()
        .filter(|_| facts.source == Source::Backup);
    docs.chain(backup).map(Doc::path).collect()
}

fn work_tree(facts: &Facts) -> Option<std::path::PathBuf> {
    match &facts.home {
        Home::Linked(worktree) => Some(worktree.path.clone()),
        Home::Main(dir) | Home::Orphan(dir) => Some(dir.clone()),
        Home::BranchOnly(_) => None,
    }
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
    let recorded = facts
        .ledger
        .as_ref()
        .and_then(|l| l.done.iter().filter_map(|r| r.at).min());
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
        return claim(
            Status::Waiting,
            "Every phase is committed; the merge is waiting for your approval.".to_owned(),
        );
    }
    if let Some(position) = facts.ledger.as_ref().map(|ledger| &ledger.position) {
        let (phase, step) = (position.phase, position.step);
        let at = format!("{} of phase {phase}", step.named());
        let (status, reason) = match position.class {
            Class::Waiting => (
                Status::Waiting,
                format!("Your decision on step {at} is pending."),
            ),
            Class::Hard => (
                Status::Waiting,
                format!("Step {at} was rejected; you must decide how to continue."),
            ),
            Class::Failure => (
                Status::Interrupted,
                format!("Stopped after step {at} failed."),
            ),
            Class::InFlight => (
                Status::Interrupted,
                format!("Interrupted during step {at}."),
            ),
            Class::Unknown => (
                Status::Interrupted,
                format!("Stopped at step {at} with an unknown status."),
            ),
            Class::Success | Class::Conditional => {
                (Status::Interrupted, format!("Stopped after step {at}."))
            }
        };
        return claim(status, reason);
    }
    claim(Status::Interrupted, decision.reason.clone())
}

/// Finished, judging by what is missing: the cleanup has removed everything that the state names.
fn is_gone(facts: &Facts) -> bool {
    let Some(ledger) = &facts.ledger else {
        return false;
    };
    let names_worktree =
        facts.text("worktree_path").is_some() && facts.text("branch_name").is_some();
    let at_top = matches!(facts.home, Home::Main(_));
    let all = facts
        .total()
        .is_some_and(|total| ledger.has((total, StepNo::Commit)));
    all && names_worktree && at_top && facts.git.branch_gone && facts.plan.place.is_none()
}

fn stopped_where(facts: &Facts, decision: &Decision, claim: &Claim) -> Foreign {
    if claim.status == Status::Complete {
        return "merged".into();
    }
    if decision.chosen == Target::Merge {
        return "before the merge".into();
    }
    let (phase, step, status) = match (&facts.ledger, decision.chosen) {
        (Some(ledger), _) => {
            let position = &ledger.position;
            (
                position.phase,
                position.step,
                position.record.status.as_str(),
            )
        }
        (None, Target::Step(phase, step)) => (phase, step, "inferred"),
        (None, Target::Merge) => return "before the merge".into(),
    };
    format!("phase {phase}, step {} · {status}", step.named()).into()
}

/// The newest write of the state files, the plan and the uncommitted files.
fn last_file_write(facts: &Facts, world: &dyn World) -> Option<DateTime<Utc>> {
    let modified = |place: &Place| world.files().modified(place);
    writes(facts).iter().filter_map(modified).max()
}

/// The newest of the branch's own commits.
fn last_commit(facts: &Facts) -> Option<DateTime<Utc>> {
    facts.git.commits.iter().map(|commit| commit.time).max()
}

fn writes(facts: &Facts) -> Vec<Place> {
    let changes = facts.git.dirty().iter().take(MOST_WRITES);
    let dir = facts.dir();
    let touched = changes.filter_map(|c| Place::foreign(&[dir], c.path.as_bytes()).ok());
    let docs = facts
        .docs
        .iter()
        .chain(&facts.backup)
        .filter_map(Doc::place);
    let plan = facts
        .plan
        .place
        .iter()
        .filter(|_| facts.source == Source::Inferred)
        .cloned();
    docs.chain(plan).chain(touched).collect()
}

/// The evidence of life: agents in the project or its worktree, and the worktree's index lock.
fn life(facts: &Facts, last_write: Option<DateTime<Utc>>, world: &dyn World) -> LifeEvidence {
    let mut roots = vec![facts.layout.top.clone()];
    if !facts.dir().starts_with(&facts.layout.top) {
        roots.push(facts.dir().to_owned());
    }
    let query = LifeQuery {
        roots,
        git_dirs: facts.git.git_dir.iter().cloned().collect(),
        writes: writes(facts)
            .into_iter()
            .chain(facts.plan.place.clone())
            .collect(),
        last_write,
        quiet_after_s: QUIET_AFTER_S,
        ..LifeQuery::default()
    };
    liveness::gather(world, &query)
}

fn badges(
    facts: &Facts,
    claim: &Claim,
    last_write: Option<DateTime<Utc>>,
    world: &dyn World,
) -> Vec<Badge> {
    let complete = claim.status == Status::Complete;
    let stale = is_stale(last_write, world.clock().now().to_utc(), STALE_AFTER);
    let other_branch = match (facts.text("branch_name"), &facts.git.checked_out) {
        (Some(expected), Some(actual)) => {
            !crate::systems::nine_step::shape::feature_names::same(expected, &actual.lossy())
        }
        (Some(_), None) => matches!(facts.home, Home::Linked(_)),
        (None, _) => false,
    };
    let at_worktree = matches!(facts.home, Home::Linked(_));
    // Neither worktree nor branch exists before the approval.
    let made = !matches!(facts.home, Home::Main(_)) || facts.text("worktree_path").is_some();
    let orphan = matches!(facts.home, Home::Orphan(_)) || (facts.git.branch_gone && made);
    let stateless = facts.docs.is_empty();
    let left = !leftovers(facts).is_empty();
    let inferred = complete && !facts.git.is_merged();
    let damaged = facts.docs.iter().any(|doc| doc.content.is_err());
    badges::badges([
        (stale && !complete, Badge::Stale),
        (
            at_worktree && other_branch && !complete,
            Badge::BranchMismatch,
        ),
        (
            !facts.git.dirty().is_empty() && facts.git.error.is_none(),
            Badge::Dirty,
        ),
        (orphan && !complete, Badge::Orphan),
        (stateless, Badge::NoStateFile),
        (complete && left, Badge::CleanupPending),
        (
            inferred || (damaged && facts.source == Source::Inferred && !complete),
            Badge::Inferred,
        ),
        (damaged, Badge::Damaged),
    ])
}

/// The leftovers of an interrupted cleanup, which removes the plan, the worktree and the branch, in this order.
pub(crate) fn leftovers(facts: &Facts) -> Vec<&'static str> {
    [
        (facts.plan.place.is_some(), "the plan"),
        (
            matches!(facts.home, Home::Linked(_) | Home::Orphan(_)),
            "the worktree",
        ),
        (facts.git.tip.is_some(), "the branch"),
        (
            facts.docs.iter().any(|doc| doc.modified.is_some()),
            "the state file",
        ),
    ]
    .into_iter()
    .filter_map(|(there, what)| there.then_some(what))
    .collect()
}
