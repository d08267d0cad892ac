//! The resume points of a pipeline, in order: steps, the merge, the backup, phase commits.

pub(crate) mod decision;
pub(crate) mod guards;
pub(crate) mod handoff;
pub(crate) mod intent;
pub(crate) mod labels;
mod later_work;
pub(crate) mod lost;
pub(crate) mod merge_stage;
mod open;
pub(crate) mod work;

use std::collections::BTreeSet;

use crate::model::{
    Boundary, Check, Checkpoint, CheckpointNeed, Foreign, PointId, PointKind, Preference, Status,
    Subject, Verdict, WorkItem,
};
use crate::systems::kit::depends_on::{self, DependsOn, Scope, Verified};
use crate::systems::nine_step::Scene;
use crate::systems::nine_step::facts::ledger::Spot;
use crate::systems::nine_step::facts::{Facts, Home, Ledger, Source, reading};
use crate::systems::nine_step::shape::{Doc, StepNo};

pub(crate) use decision::{Decision, Means, Target};

/// How many phases have points; a file can claim any number.
const MOST_PHASES: i64 = 100;

/// A point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Point {
    /// A step or the merge.
    Resume(Target),
    /// Skip the current phase for now, and resume here.
    SkipPhase(Spot, Target),
    /// Restore the state file from its backup.
    FromBackup,
    /// Reset the worktree to a phase's commit (full id); phase 0 is the start of the branch.
    Commit { phase: i64, commit: String },
}

impl Point {
    fn family(&self) -> Family {
        match self {
            Self::Resume(Target::Step(..)) | Self::SkipPhase(..) => Family::Step,
            Self::Resume(Target::Merge) => Family::Merge,
            Self::FromBackup => Family::Backup,
            Self::Commit { .. } => Family::Commit,
        }
    }

    /// The phase where it leads, or whose commit it is.
    fn phase(&self) -> Option<i64> {
        match self {
            Self::Resume(target) | Self::SkipPhase(_, target) => Some(target.spot()?.0),
            Self::Commit { phase, .. } => Some(*phase),
            Self::FromBackup => None,
        }
    }

    fn id(&self) -> PointId {
        PointId(match self {
            Self::Resume(target) => target.id(),
            Self::SkipPhase(..) => "skip-phase".to_owned(),
            Self::FromBackup => "from-backup".to_owned(),
            Self::Commit { phase, .. } => format!("phase-{phase}-commit"),
        })
    }
}

/// The kind of a point, for the checks that it depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Step,
    Merge,
    Backup,
    Commit,
}

/// With any subject: the checks of this system are about the pipeline as a whole.
#[rustfmt::skip]
const DEPENDS_ON: &[DependsOn<Family>] = &[
    DependsOn::new(&[Family::Step, Family::Merge], &["N1", "N2", "N10"], Scope::Any),
    DependsOn::new(&[Family::Step, Family::Merge, Family::Commit], &["N4", "N5", "N6", "N9", "N13"], Scope::Any),
    // Only the phases whose commits the point keeps.
    DependsOn::new(&[Family::Step, Family::Merge, Family::Commit], &["N8"], Scope::Earlier),
    DependsOn::new(&[Family::Step], &["N7", "N12"], Scope::Any),
    DependsOn::new(&[Family::Merge], &["N15"], Scope::Any),
    DependsOn::new(&[Family::Backup], &["N3"], Scope::Any),
];

/// Every point, in order; none if there is nothing to resume.
fn all(scene: Scene<'_>) -> Vec<Point> {
    let (facts, decision) = (scene.facts, scene.decision);
    let status = reading::status(facts, decision);
    if matches!(status, Status::Complete | Status::Unreadable) {
        return Vec::new();
    }
    let mut targets: BTreeSet<Target> = decision.offers.iter().map(|offer| offer.target).collect();
    targets.insert(decision.chosen);
    targets.extend(earlier(facts, decision.chosen));
    let mut points: Vec<Point> = targets.into_iter().map(Point::Resume).collect();
    let skip = decision.next_phase;
    points.extend(skip.map(|(skipped, next)| Point::SkipPhase(skipped, next)));
    points.extend(from_backup(facts));
    points.extend(commits(scene));
    points
}

/// The backup, if it can replace the state file.
fn from_backup(facts: &Facts) -> Option<Point> {
    let backup = facts.backup.as_ref()?;
    let replaces = |doc: &Doc| doc.cure().is_none() && doc.bytes != backup.bytes;
    let usable = backup.content.is_ok() && facts.doc().is_none_or(replaces);
    usable.then_some(Point::FromBackup)
}

/// The points before the chosen one: the start of each earlier phase, its recorded steps whose gates are recorded too,
/// and every step of the current phase.
fn earlier(facts: &Facts, chosen: Target) -> Vec<Target> {
    let spots = facts.ledger.as_ref().map(Ledger::spots).unwrap_or_default();
    let (phase, upto) = match chosen {
        Target::Step(phase, step) => (phase, Some(step)),
        Target::Merge => (facts.total().unwrap_or(0).saturating_add(1), None),
    };
    let earlier = 1..phase.min(MOST_PHASES);
    let ledger = facts.ledger.as_ref();
    let gated = |spot| ledger.is_some_and(|ledger| ledger.missing_gate(spot).is_some());
    let recorded = spots.iter().filter(|(at, _)| earlier.contains(at));
    let recorded = recorded.filter(|spot| !gated(**spot));
    let mut targets: Vec<Target> = recorded.map(|spot| Target::Step(spot.0, spot.1)).collect();
    targets.extend(earlier.map(|phase| Target::Step(phase, StepNo::Code)));
    let before = StepNo::ALL.into_iter().filter(|step| Some(*step) < upto);
    let known = before.filter(|step| *step >= StepNo::Code || spots.contains(&(phase, *step)));
    targets.extend(known.map(|step| Target::Step(phase, step)));
    targets
}

/// The phase commits that a rollback can target: those before the current phase. A rollback to the current one would
/// change nothing, and merged work is never reset.
fn commits(scene: Scene<'_>) -> Vec<Point> {
    let facts = scene.facts;
    let placed = matches!(facts.home, Home::Linked(_) | Home::Main(_));
    if !placed || facts.git.tip.is_none() || facts.git.is_merged() {
        return Vec::new();
    }
    let current = facts.current_phase();
    let point = |phase: i64, commit: &String| Point::Commit {
        phase,
        commit: commit.clone(),
    };
    let start = facts.git.fork.iter();
    let start = start.filter(|_| !facts.git.phases.is_empty());
    let start = start.map(|fork| point(0, fork));
    // A commit of several phases is the last one's: reset to it, the branch still has all of them.
    let holds_more = |phase: i64, commit: &str| {
        let mut later = facts.git.phases.range(phase.saturating_add(1)..);
        later.any(|(_, found)| found.commit.id == commit)
    };
    let phases = facts.git.phases.range(..current);
    let phases = phases.filter(|(phase, found)| !holds_more(**phase, &found.commit.id));
    let phases = phases.map(|(phase, found)| point(*phase, &found.commit.id));
    start.chain(phases).collect()
}

/// The recommended point: the decision's own, or the backup first if the plugin cannot read the state file.
pub(crate) fn chosen(scene: Scene<'_>) -> Point {
    let backup = match scene.facts.source {
        Source::Backup => from_backup(scene.facts),
        Source::State | Source::Inferred => None,
    };
    backup.unwrap_or(Point::Resume(scene.decision.chosen))
}

/// The point of an id.
pub(crate) fn find(scene: Scene<'_>, id: &PointId) -> Option<Point> {
    all(scene).into_iter().find(|point| point.id() == *id)
}

/// Whether a point of this id is offered, so that a text may name it.
pub(crate) fn offers(scene: Scene<'_>, id: &str) -> bool {
    all(scene).iter().any(|point| point.id().0 == id)
}

/// The boundaries of all points.
pub(crate) fn boundaries(scene: Scene<'_>, checks: &[Check]) -> Vec<Boundary> {
    let points = all(scene);
    let checkpoints = intent::checkpoints(scene.facts);
    let boundary = |point| boundary(scene, point, checks, &checkpoints);
    points.iter().map(boundary).collect()
}

fn boundary(scene: Scene<'_>, point: &Point, checks: &[Check], saved: &[Checkpoint]) -> Boundary {
    let facts = scene.facts;
    let (kept, redone) = work::tables(facts, point);
    let kept_too = |scope, about: &Subject| scope == Scope::Earlier && keeps_commit(point, about);
    let Verified { made, failing, .. } =
        depends_on::verified(DEPENDS_ON, &point.family(), checks, kept_too);
    let chosen = *point == chosen(scene);
    let reason: Foreign = labels::reason(scene, point, chosen).into();
    let unknown = facts.unknown_phases().is_some();
    let warnings = labels::warnings(scene, point, chosen).into_iter();
    Boundary {
        id: point.id(),
        label: labels::label(scene, point).into(),
        phase: point.phase().map(|phase| phase.to_string().into()),
        kind: kind(facts, point, chosen),
        verified: made.unwrap_or(Verdict::Skipped),
        failing,
        checkpoint: checkpoint(point, saved),
        edits_records: kind(facts, point, chosen) == PointKind::StateEdit
            || matches!(point, Point::Commit { .. }),
        kept: (!unknown).then_some(kept.len() as u64),
        redone: (!unknown).then_some(redone.len() as u64),
        time_lost_s: WorkItem::recorded_time(&redone),
        warnings: warnings.map(Into::into).collect(),
        preference: match point {
            _ if chosen && !unknown => Preference::Chosen(reason.clone()),
            Point::Resume(_) | Point::FromBackup => Preference::ByHand,
            Point::SkipPhase(..) | Point::Commit { .. } => Preference::ByName,
        },
        reason,
    }
}

/// Whether a point keeps the commit that a check is about.
fn keeps_commit(point: &Point, about: &Subject) -> bool {
    let Subject::Named { key, .. } = about else {
        return true;
    };
    let Some(phase) = key.as_str().and_then(|key| key.parse::<i64>().ok()) else {
        return true;
    };
    let own = matches!(point, Point::Commit { .. });
    let keeps = |at| phase < at || own && phase == at;
    point.phase().is_none_or(keeps)
}

fn kind(facts: &Facts, point: &Point, chosen: bool) -> PointKind {
    match point {
        Point::Resume(_) if chosen || facts.state.is_none() => PointKind::Boundary,
        Point::Resume(_) | Point::SkipPhase(..) | Point::FromBackup => PointKind::StateEdit,
        Point::Commit { .. } => PointKind::Boundary,
    }
}

fn checkpoint(point: &Point, checkpoints: &[Checkpoint]) -> CheckpointNeed {
    let wanted = match point {
        Point::Resume(_) | Point::SkipPhase(..) => return CheckpointNeed::None,
        Point::FromBackup => "state-backup",
        Point::Commit { commit, .. } => commit,
    };
    let found = checkpoints.iter().find(|one| one.id == wanted);
    let wanted = wanted.into();
    found.map_or(CheckpointNeed::Missing { wanted }, |found| {
        CheckpointNeed::Found(found.clone())
    })
}
