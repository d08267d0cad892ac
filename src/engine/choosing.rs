//! Which point of a pipeline was requested, and the error where there is none.

use super::{Dossier, EngineError, ErrorKind, Opened, Result};
use crate::model::{Badge, Check, Foreign, Pipeline, PointChoice, ResumePoint, Status, Verdict};
use crate::text::Shown as _;
use crate::text::format::list;

/// Remedies of failed checks that an error names.
const HINTS: usize = 3;

/// The point that was asked for.
pub(super) fn pick(
    dossier: &Dossier,
    choice: &PointChoice,
    opened: &Opened,
) -> Result<ResumePoint> {
    let (points, checks) = (&dossier.points, &dossier.checks);
    let found = match choice {
        PointChoice::Recommended => points.iter().find(|p| p.recommended),
        PointChoice::Id(id) => points.iter().find(|p| p.boundary.id == *id),
        PointChoice::FromPhase(phase) => points.iter().find(|p| {
            let at = p.boundary.phase.as_ref();
            !p.boundary.must_be_named() && at.is_some_and(|at| at == phase.as_str())
        }),
        PointChoice::FromSeq(_) | PointChoice::Checkpoint(_) | PointChoice::Amend(_) => None,
    };
    found
        .cloned()
        .ok_or_else(|| missing(points, choice, opened, checks))
}

/// The point whose boundary contains a dispatch.
pub(super) fn at_seq(dossier: &Dossier, seq: u64, opened: &Opened) -> Result<ResumePoint> {
    let case = opened.case.replayable();
    let id = case.and_then(|case| case.point_for_seq(seq));
    let id = id.ok_or_else(|| no_seq(seq, opened))?;
    let (points, checks) = (&dossier.points, &dossier.checks);
    let mut fitting = points.iter().filter(|p| !p.boundary.must_be_named());
    let found = fitting.find(|p| p.boundary.id == id).cloned();
    found.ok_or_else(|| missing(points, &PointChoice::FromSeq(seq), opened, checks))
}

/// Whether there is no point because files that every point needs are missing or damaged.
fn is_damaged(pipeline: &Pipeline) -> bool {
    pipeline.standing.status != Status::Complete
        && pipeline.reading.badges.contains(&Badge::Damaged)
}

/// The error for a pipeline of which nothing can be read, with what to do about it.
pub(super) fn unreadable(pipeline: &Pipeline, checks: &[Check]) -> EngineError {
    let worst = pipeline.reading.findings.iter().max_by_key(|f| f.severity);
    let reason = &pipeline.standing.reason;
    let text = worst.map_or_else(|| reason.clone(), |finding| finding.text.clone());
    let error = EngineError::unreadable(text);
    let hint = format!(
        "To see what can still be read: relight show {}",
        pipeline.id
    );
    error.hints(remedies(checks)).hint(hint)
}

/// What to do about the checks that failed, each once.
pub fn remedies(checks: &[Check]) -> impl Iterator<Item = Foreign> {
    let failed = checks.iter().filter(|check| check.verdict == Verdict::Fail);
    let mut all: Vec<Foreign> = failed.filter_map(|check| check.remedy.clone()).collect();
    all.dedup();
    all.into_iter().take(HINTS)
}

fn missing(
    points: &[ResumePoint],
    choice: &PointChoice,
    opened: &Opened,
    checks: &[Check],
) -> EngineError {
    let id = &opened.pipeline.id;
    match choice {
        PointChoice::Recommended if opened.pipeline.standing.status == Status::Unreadable => {
            unreadable(&opened.pipeline, checks)
        }
        PointChoice::Recommended if is_damaged(&opened.pipeline) => {
            let reason = opened.pipeline.standing.reason.lossy();
            let error = EngineError::unreadable(format!("Cannot resume: {reason}"));
            error.hints(remedies(checks)).hint(format!(
                "relight checkpoints {id} lists what can be restored."
            ))
        }
        PointChoice::Recommended if !points.is_empty() => {
            let ids = points.iter().map(|point| point.boundary.id.0.as_str());
            EngineError::nothing_to_do(format!(
                "No resume point is recommended: {} Choose one with relight plan {id} POINT: {}.",
                opened.pipeline.standing.reason.shown(),
                list(ids)
            ))
        }
        PointChoice::Recommended => {
            let text = format!(
                "There is nothing to resume: {}",
                opened.pipeline.standing.reason.shown()
            );
            EngineError::nothing_to_do(text)
        }
        PointChoice::Id(_)
        | PointChoice::FromPhase(_)
        | PointChoice::FromSeq(_)
        | PointChoice::Checkpoint(_)
        | PointChoice::Amend(_) => {
            let known: Vec<&str> = points.iter().map(|p| p.boundary.id.0.as_str()).collect();
            let missing = |what: String| {
                let text = format!("There is no resume point {what}.");
                EngineError::new(ErrorKind::NotFound, text)
            };
            let error = match choice {
                PointChoice::Id(typed) => {
                    missing(typed.0.clone()).near(&typed.0, known.iter().copied())
                }
                PointChoice::FromPhase(phase) => missing(format!("in phase {phase}")),
                PointChoice::FromSeq(seq) => missing(format!("for dispatch {seq}")),
                PointChoice::Checkpoint(id) => missing(format!("of checkpoint {id}")),
                PointChoice::Recommended | PointChoice::Amend(_) => missing("of this kind".into()),
            };
            if known.is_empty() {
                return error.hint(format!("There is none; relight show {id} says why."));
            }
            error
                .hint(format!("The points are {}.", known.join(", ")))
                .hint(format!("relight points {id} describes them."))
        }
    }
}

fn no_seq(seq: u64, opened: &Opened) -> EngineError {
    if opened.case.replayable().is_some() {
        return EngineError::new(ErrorKind::NotFound, format!("There is no dispatch {seq}.")).hint(
            format!(
                "To list the dispatches: relight timeline {}",
                opened.pipeline.id
            ),
        );
    }
    let error = EngineError::usage(format!(
        "{} pipelines have no dispatch numbers.",
        opened.pipeline.reading.system
    ));
    error.hint("Name a point with --point ID or a phase with --from-phase N.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::testing::Scene;
    use crate::model::PlanOptions;

    #[test]
    fn an_unreadable_pipeline_has_a_next_step() {
        let scene = Scene::new();
        let (id, options) = (scene.id("mgw-64"), PlanOptions::default());
        let plan = scene.engine.plan(id, &PointChoice::Recommended, &options);
        for error in [plan.err(), scene.engine.checks(id).err()] {
            let error = error.unwrap();
            assert_eq!(error.kind, ErrorKind::Unreadable);
            let hints: Vec<_> = error.hints.iter().map(Foreign::lossy).collect();
            let next =
                "Repair the file by hand, or move it away and triage again with /mgw:issue 64.";
            assert_eq!(hints[0], next, "{hints:?}");
        }
    }
}
