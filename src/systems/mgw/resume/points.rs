//! The points in the contract's order: the steps up to the target, then `fresh`, `retry`, `cleanup`.

use super::super::facts::Facts;
use super::super::read::{duration, past, waits_for};
use super::super::state::{CheckpointShape, State};
use super::super::target::{Goal, Target};
use super::super::words::{Route, Stage, Step};
use crate::formats::stamp;
use crate::model::{
    Boundary, Check, CheckId, CheckpointNeed, PointId, PointKind, Preference, Verdict,
};
use crate::world::World;

/// What a point is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Point {
    Step(Step),
    Fresh,
    Retry,
    Cleanup,
}

impl Point {
    /// The fixed word of contract.md.
    pub(super) fn id(self) -> PointId {
        PointId(match self {
            Self::Step(step) => format!("step-{}", step.word()),
            Self::Fresh => "fresh".to_owned(),
            Self::Retry => "retry".to_owned(),
            Self::Cleanup => "cleanup".to_owned(),
        })
    }

    pub(super) fn is_chosen(self, target: &Target) -> bool {
        match self {
            Self::Step(step) => target.goal == Goal::Step(step),
            Self::Cleanup => target.goal == Goal::Cleanup,
            Self::Fresh | Self::Retry => false,
        }
    }

    fn kind(self, target: &Target) -> PointKind {
        match self {
            Self::Cleanup => PointKind::Cleanup,
            Self::Fresh => PointKind::Fresh,
            Self::Step(_) if self.is_chosen(target) => PointKind::Boundary,
            Self::Step(_) | Self::Retry => PointKind::StateEdit,
        }
    }

    /// How many steps stay done.
    pub(super) fn kept(self, target: &Target) -> usize {
        match self {
            Self::Step(step) => step.index().min(target.done()),
            Self::Fresh => Step::Plan.index().min(target.done()),
            Self::Retry | Self::Cleanup => target.done(),
        }
    }
}

/// The points that apply.
pub(super) fn applying(state: &State, target: &Target) -> Vec<Point> {
    let last = match target.goal {
        Goal::Nothing => return Vec::new(),
        Goal::Cleanup => return vec![Point::Cleanup],
        Goal::Step(step) => target.claimed.map_or(step, |claimed| claimed.max(step)),
    };
    let verifies = state.route() != Route::Quick || last == Step::Verify;
    let steps = Step::ALL
        .into_iter()
        .filter(|step| *step <= last && (*step != Step::Verify || verifies))
        .map(Point::Step);
    let checkpoint = matches!(
        state.checkpoint_shape(),
        CheckpointShape::Object | CheckpointShape::Wrong(_)
    );
    let fresh = checkpoint || state.stage() != Some(Stage::Triaged);
    let failed = state.stage() == Some(Stage::Failed)
        || state.dead_letter()
        || state.retry_count() != 0
        || state.failure_class().is_some();
    steps
        .chain(fresh.then_some(Point::Fresh))
        .chain(failed.then_some(Point::Retry))
        .collect()
}

pub(in super::super) fn boundaries(
    world: &dyn World,
    facts: &Facts,
    target: &Target,
    checks: &[Check],
) -> Vec<Boundary> {
    let Some(state) = facts.state() else {
        return Vec::new();
    };
    applying(state, target)
        .into_iter()
        .map(|point| boundary(world, facts, state, target, point, checks))
        .collect()
}

fn boundary(
    world: &dyn World,
    facts: &Facts,
    state: &State,
    target: &Target,
    point: Point,
    checks: &[Check],
) -> Boundary {
    let resting: Vec<&Check> = checks
        .iter()
        .filter(|check| rests_on(point, check))
        .collect();
    let mut failing: Vec<CheckId> = resting
        .iter()
        .filter(|check| check.verdict > Verdict::Skipped)
        .map(|check| check.id.clone())
        .collect();
    failing.dedup();
    let mut verified = Verdict::overall(resting);
    if lacks(facts, point) && verified < Verdict::Fail {
        // The checks look at what the target needs; another step may need what is gone.
        verified = Verdict::Fail;
        failing.push(CheckId("M10".to_owned()));
        failing.dedup();
    }
    let kept = point.kept(target);
    let again = Step::ALL.get(kept..target.done()).unwrap_or_default();
    Boundary {
        id: point.id(),
        label: label(point, target).into(),
        phase: match point {
            Point::Step(step) => Some(step.word().into()),
            Point::Fresh | Point::Retry | Point::Cleanup => None,
        },
        kind: point.kind(target),
        verified,
        failing,
        checkpoint: CheckpointNeed::None,
        kept: kept as u64,
        redone: again.len() as u64,
        time_lost_s: time_lost(world, state, again),
        warnings: warnings(facts, state, target, point)
            .into_iter()
            .map(Into::into)
            .collect(),
        reason: reason(point).into(),
        preference: preference(target, point),
    }
}

/// Whether the document that a step begins from is nowhere.
fn lacks(facts: &Facts, point: Point) -> bool {
    match point {
        Point::Step(Step::Execute) => !facts.evidence.has_plan(),
        Point::Step(Step::Verify | Step::Pr) => !facts.evidence.has_summary(),
        Point::Step(Step::Triage | Step::Plan) | Point::Fresh | Point::Retry | Point::Cleanup => {
            false
        }
    }
}

fn preference(target: &Target, point: Point) -> Preference {
    match (point, target.goal) {
        _ if point.is_chosen(target) => Preference::Chosen(target.why.as_str().into()),
        (Point::Step(step), Goal::Step(goal)) if step < goal => Preference::Rung,
        _ => Preference::ByHand,
    }
}

/// Whether a point rests on a check.
fn rests_on(point: Point, check: &Check) -> bool {
    let subject = check.subject.lossy();
    let needs = |kinds: &[&str]| kinds.iter().any(|kind| subject.starts_with(kind));
    match (check.id.0.as_str(), point) {
        ("M10", Point::Step(Step::Execute)) => needs(&["plan"]),
        ("M10", Point::Step(Step::Verify | Step::Pr)) => needs(&["summary"]),
        ("M1", _)
        | ("M6", Point::Fresh | Point::Retry)
        | ("M13", Point::Step(Step::Verify | Step::Pr))
        | ("M11" | "M15", Point::Step(Step::Pr)) => true,
        _ => false,
    }
}

fn label(point: Point, target: &Target) -> String {
    match point {
        Point::Step(step) => {
            let detail = if point.is_chosen(target) && !target.detail.is_empty() {
                format!(", {}", target.detail)
            } else {
                String::new()
            };
            format!("{}{detail}", step.name())
        }
        Point::Fresh => "Fresh start after triage".to_owned(),
        Point::Retry => "Retry with the checkpoint kept".to_owned(),
        Point::Cleanup => "Clean up after the pull request".to_owned(),
    }
}

fn reason(point: Point) -> &'static str {
    match point {
        Point::Step(Step::Triage) => "Triage the issue again.",
        Point::Step(Step::Plan) => "Plan again, keeping the triage.",
        Point::Step(Step::Execute) => "Execute the plan that is there.",
        Point::Step(Step::Verify) => "Verify what was executed.",
        Point::Step(Step::Pr) => "Create the pull request.",
        Point::Fresh => "Forget the checkpoint; files, branch and worktree stay.",
        Point::Retry => "Reset the retries and go on; the checkpoint is offered again.",
        Point::Cleanup => "Remove the worktree, set the labels, archive the state file.",
    }
}

/// Recorded working time of the steps that would be done again.
fn time_lost(world: &dyn World, state: &State, again: &[Step]) -> Option<u64> {
    let checkpoint = state.checkpoint()?;
    let zone = world.clock();
    let ended = |step: Step| {
        let past = past(state, step);
        stamp::parse(past.last()?.completed_at.as_deref()?, zone)
    };
    let mut before = stamp::parse(checkpoint.started_at.as_deref()?, zone);
    let mut lost = None;
    for step in Step::ALL {
        let end = ended(step);
        if again.contains(&step)
            && let Some(seconds) = duration(before, end)
        {
            lost = Some(lost.unwrap_or(0) + seconds);
        }
        before = end.or(before);
    }
    lost
}

fn warnings(facts: &Facts, state: &State, target: &Target, point: Point) -> Vec<String> {
    let number = &facts.number;
    let mut all = Vec::new();
    if point.is_chosen(target) {
        all.extend(target.warnings.iter().cloned());
        all.extend(waits_for(state, number));
        if state.stage() == Some(Stage::Failed) || state.dead_letter() {
            all.push(
                "The run stops without --retry, and after it the checkpoint is offered again."
                    .to_owned(),
            );
        }
    }
    match point {
        Point::Fresh => {
            all.push(
                "The step history and the list of documents are lost from the state file."
                    .to_owned(),
            );
        }
        Point::Cleanup => all.extend(ignored_documents(facts)),
        Point::Step(_) if !point.is_chosen(target) => {
            if state.checkpoint().is_some_and(|c| !c.history.is_empty()) {
                all.push("The history keeps the later steps, so a later look calls the checkpoint set back.".to_owned());
            }
        }
        Point::Step(_) | Point::Retry => {}
    }
    if facts.listed().is_some() && point != Point::Cleanup {
        all.push(format!(
            "Use /mgw:run {number}, not /mgw:milestone: that one resets issues in progress and removes worktrees."
        ));
    }
    all
}

/// Removing a worktree deletes what git ignores without asking.
fn ignored_documents(facts: &Facts) -> Option<String> {
    let tree = facts.branch.present()?;
    Some(format!(
        "Removing the worktree deletes ignored files without asking: copy {}/.planning first.",
        tree.to_string_lossy()
    ))
}
