//! The resume points in order: the steps up to the target, then `fresh`, `retry`, `cleanup`, then those that depend
//! on the state: `from-tmp`, `re-triage`, `override`.

pub(crate) mod checkpoints;
pub(crate) mod handoff;
pub(crate) mod intent;
pub(crate) mod labels;
pub(crate) mod target;

use crate::model::{
    Boundary, Check, CheckId, CheckpointNeed, PointId, PointKind, Preference, Verdict, WorkItem,
};
use crate::systems::kit::depends_on::{self, DependsOn, Scope};
use crate::systems::mgw::facts::{Facts, PhaseHistory, Source};
use crate::systems::mgw::record;
use crate::systems::mgw::shape::{CheckpointShape, Route, SCHEMA, Stage, State, Step, Verified};
use crate::world::World;

pub(crate) use target::{Basis, Goal, Target};

/// What a point is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Point {
    Step(Step),
    Fresh,
    Retry,
    Cleanup,
    /// The complete `.tmp` file becomes the state file.
    FromTmp,
    /// The orchestrator triages the issue again.
    ReTriage,
    /// The person overrides the gate that the issue is waiting at.
    Override,
}

impl Point {
    pub(crate) fn step(self) -> Option<Step> {
        if let Self::Step(step) = self {
            Some(step)
        } else {
            None
        }
    }

    pub(crate) fn id(self) -> PointId {
        PointId(match self {
            Self::Step(step) => format!("step-{}", step.word()),
            Self::Fresh => "fresh".to_owned(),
            Self::Retry => "retry".to_owned(),
            Self::Cleanup => "cleanup".to_owned(),
            Self::FromTmp => "from-tmp".to_owned(),
            Self::ReTriage => "re-triage".to_owned(),
            Self::Override => "override".to_owned(),
        })
    }
}

/// The input for all points of an issue.
pub(crate) struct Scene<'a> {
    pub(crate) world: &'a dyn World,
    pub(crate) facts: &'a Facts,
    pub(crate) state: &'a State,
    pub(crate) target: &'a Target,
    pub(crate) history: PhaseHistory<'a>,
    /// The target of the complete `.tmp` file, if there is one that differs.
    pub(crate) tmp: Option<Target>,
}

impl<'a> Scene<'a> {
    pub(crate) fn of(world: &'a dyn World, facts: &'a Facts, target: &'a Target) -> Option<Self> {
        let state = facts.state()?;
        Some(Self {
            world,
            facts,
            state,
            target,
            history: PhaseHistory::of(facts, state, target),
            tmp: target::of_tmp(facts, world),
        })
    }

    /// Whether a point is the recommended one.
    pub(crate) fn is_chosen(&self, point: Point) -> bool {
        match point {
            Point::FromTmp => self.facts.source == Source::Tmp,
            _ if self.facts.source != Source::File => false,
            Point::Step(step) => self.target.goal == Goal::Step(step),
            Point::Cleanup => self.target.goal == Goal::Cleanup,
            Point::Fresh | Point::Retry | Point::ReTriage | Point::Override => false,
        }
    }

    /// Whether a point of a step rewinds the state file.
    fn edits(&self, point: Point) -> bool {
        self.facts.source == Source::File && !self.is_chosen(point)
    }

    /// Where work resumes at a point.
    pub(crate) fn leads_to(&self, point: Point) -> Goal {
        match point {
            Point::Step(step) => Goal::Step(step),
            Point::Fresh => Goal::Step(Step::Plan),
            Point::ReTriage => Goal::Step(Step::Triage),
            Point::Retry | Point::Cleanup => self.target.goal,
            Point::FromTmp => self.tmp.as_ref().map_or(self.target.goal, |tmp| tmp.goal),
            Point::Override => Goal::Step(self.past_the_gate()),
        }
    }

    /// Where the work resumes once the gate is passed: at the checkpoint's step, else at the plan.
    fn past_the_gate(&self) -> Step {
        let step = self.target.goal.step();
        step.map_or(Step::Plan, |step| step.max(Step::Plan))
    }

    /// How many of the finished steps stay done.
    pub(crate) fn kept(&self, point: Point) -> usize {
        let done = self.target.done();
        match point {
            Point::Retry | Point::Cleanup | Point::Override => done,
            Point::Step(_) | Point::Fresh | Point::ReTriage | Point::FromTmp => {
                let step = self.leads_to(point).step();
                step.map_or(done, |step| step.index().min(done))
            }
        }
    }

    fn kind(&self, point: Point) -> PointKind {
        match point {
            Point::Cleanup => PointKind::Cleanup,
            Point::Fresh | Point::ReTriage => PointKind::Fresh,
            Point::Step(_) if !self.edits(point) => PointKind::Boundary,
            Point::Step(_) | Point::Retry | Point::FromTmp | Point::Override => {
                PointKind::StateEdit
            }
        }
    }

    /// What a verification with gaps says, at a point that would create the pull request all the same.
    pub(crate) fn gaps(&self, point: Point) -> Option<String> {
        let evidence = &self.facts.evidence;
        let Some(Verified::Gaps(gaps)) = &evidence.verified else {
            return None;
        };
        let doc = evidence.docs.last(Step::Verify)?;
        let creates = self.leads_to(point) == Goal::Step(Step::Pr);
        creates.then(|| format!("{} says {gaps}", doc.path))
    }

    /// Whether a point needs the worktree again, and there is none.
    pub(crate) fn recreates(&self, point: Point) -> bool {
        let works = self.leads_to(point).step() > Some(Step::Triage);
        let branch = &self.facts.branch;
        works && branch.present().is_none() && branch.tip.is_some()
    }

    /// The gate that the issue is waiting at, which only a person may pass.
    pub(crate) fn gate(&self) -> Option<Stage> {
        self.state.stage().filter(|stage| stage.is_gate())
    }
}

/// The points that apply.
pub(crate) fn applying(scene: &Scene<'_>) -> Vec<Point> {
    let (state, target) = (scene.state, scene.target);
    let Some(last) = target.last() else {
        let cleanup = (target.goal == Goal::Cleanup).then_some(Point::Cleanup);
        return cleanup.into_iter().collect();
    };
    let from_tmp = scene.tmp.as_ref().map(|_| Point::FromTmp);
    match (scene.facts.source, target.goal) {
        (Source::Tmp, _) => return vec![Point::FromTmp, Point::ReTriage],
        (Source::Nothing, Goal::Step(step)) if step > Step::Triage => {
            return vec![Point::Step(step), Point::ReTriage];
        }
        (Source::Nothing, _) => return vec![Point::ReTriage],
        (Source::File, _) => {}
    }
    let verifies = state.route() != Route::Quick || last == Step::Verify;
    let steps = Step::ALL.into_iter().filter(|step| *step <= last);
    let steps = steps.filter(|step| *step != Step::Verify || verifies);
    let steps = steps.map(Point::Step);
    let shape = state.checkpoint_shape();
    let checkpoint = matches!(shape, CheckpointShape::Object | CheckpointShape::Wrong(_));
    let gate = scene.gate();
    // It starts after the triage, which would be skipped where it is still to be done.
    let triaged = target.goal != Goal::Step(Step::Triage);
    let stays = state.stage() == Some(Stage::Triaged) || gate.is_some();
    let fresh = triaged && (checkpoint || !stays);
    let failed = state.has_failed() || state.retry_count() != 0 || state.failure_class().is_some();
    let newer = state.checkpoint().is_some_and(|c| c.schema > SCHEMA);
    let again = gate.is_some() || newer || state.stage() == Some(Stage::Failed);
    // Both would run the same command, and triage overwrites what a rewind to it writes.
    let twice =
        |point: &Point| again && *point == Point::Step(Step::Triage) && !scene.is_chosen(*point);
    steps
        .filter(|point| !twice(point))
        .chain(fresh.then_some(Point::Fresh))
        .chain(failed.then_some(Point::Retry))
        .chain(from_tmp)
        .chain(again.then_some(Point::ReTriage))
        .chain(gate.map(|_| Point::Override))
        .collect()
}

const READS_THE_STATE: &[Point] = &[
    Point::Step(Step::Triage),
    Point::Step(Step::Plan),
    Point::Step(Step::Execute),
    Point::Step(Step::Verify),
    Point::Step(Step::Pr),
    Point::Fresh,
    Point::Retry,
    Point::Cleanup,
    Point::Override,
];

/// The subject of M13 that commits of the work are lost.
pub(crate) const LOST: &str = "commits";

/// A point that has no row for a check does not depend on it. The points that repair or replace the state file depend
/// on none.
#[rustfmt::skip]
const DEPENDS_ON: &[DependsOn<Point>] = &[
    DependsOn::new(READS_THE_STATE, &["M1"], Scope::Any),
    DependsOn::new(&[Point::Fresh, Point::Retry], &["M6"], Scope::Any),
    DependsOn::new(&[Point::Step(Step::Execute)], &["M10"], Scope::Document("plan")),
    DependsOn::new(&[Point::Step(Step::Verify), Point::Step(Step::Pr)], &["M10"], Scope::Document("summary")),
    DependsOn::new(&[Point::Step(Step::Execute)], &["M13"], Scope::Topic(LOST)),
    DependsOn::new(&[Point::Step(Step::Verify), Point::Step(Step::Pr)], &["M13"], Scope::Any),
    DependsOn::new(&[Point::Step(Step::Pr)], &["M11", "M15"], Scope::Any),
];

pub(crate) fn boundaries(scene: &Scene<'_>, checks: &[Check]) -> Vec<Boundary> {
    let points = applying(scene).into_iter();
    let boundaries = points.map(|point| boundary(scene, point, checks));
    boundaries.collect()
}

fn boundary(scene: &Scene<'_>, point: Point, checks: &[Check]) -> Boundary {
    let found = depends_on::verified(DEPENDS_ON, &point, checks, |_, _| false);
    let mut verified = found.made.unwrap_or(Verdict::Pass);
    let mut failing = found.failing;
    let evidence = &scene.facts.evidence;
    let unfound = point.step().and_then(|step| evidence.unfound(step));
    if unfound.is_some() && evidence.git_unread {
        verified = verified.max(Verdict::Skipped);
    } else if unfound.is_some() && verified < Verdict::Fail {
        // The checks look at what the target needs; another step may need what is missing.
        verified = Verdict::Fail;
        let missing = CheckId("M10".to_owned());
        failing.retain(|(id, _)| *id != missing);
        failing.push((missing, verified));
    }
    let (kept, redone) = intent::work(scene, point);
    let warnings = labels::warnings(scene, point);
    Boundary {
        id: point.id(),
        label: labels::label(scene, point).into(),
        phase: point.step().map(|step| step.word().into()),
        kind: scene.kind(point),
        verified,
        failing,
        checkpoint: CheckpointNeed::None,
        edits_records: point == Point::FromTmp
            || scene.edits(point) && !record::edits(scene, point).is_empty(),
        kept: Some(kept.len() as u64),
        redone: Some(redone.len() as u64),
        time_lost_s: WorkItem::recorded_time(&redone),
        warnings: warnings.into_iter().map(Into::into).collect(),
        reason: labels::reason(scene, point).into(),
        preference: preference(scene, point),
    }
}

/// The document that a step needs, if it was found nowhere.
pub(crate) fn lacks(facts: &Facts, point: Point) -> Option<&'static str> {
    let lacks = facts.evidence.unfound(point.step()?);
    lacks.map(|(_, document)| document)
}

fn preference(scene: &Scene<'_>, point: Point) -> Preference {
    match (point, scene.target.goal) {
        _ if scene.is_chosen(point) => Preference::Chosen(labels::chosen(scene, point).into()),
        // Nothing is done again unasked while commits of it are lost.
        (Point::Step(step), Goal::Step(goal))
            if step < goal && scene.facts.evidence.lost.is_none() =>
        {
            Preference::Rung
        }
        _ => Preference::ByHand,
    }
}
