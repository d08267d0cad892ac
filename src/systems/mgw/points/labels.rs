//! What is said about a point: its label, the reason to choose it, what a person should know before.

use crate::systems::mgw::facts::Source;
use crate::systems::mgw::facts::reading::{lost, waits_for};
use crate::systems::mgw::points::{Point, Scene};
use crate::systems::mgw::shape::vocabulary::{Stage, Step};

/// Its label.
pub(crate) fn label(scene: &Scene<'_>, point: Point) -> String {
    match point {
        Point::Step(step) => {
            let detail = &scene.target.detail;
            if scene.is_chosen(point) && !detail.is_empty() {
                format!("{}, {detail}", step.name())
            } else {
                step.name().to_owned()
            }
        }
        Point::Fresh => "Fresh start after triage".to_owned(),
        Point::Retry => "Retry with the checkpoint kept".to_owned(),
        Point::Cleanup => "Clean up after the pull request".to_owned(),
        Point::FromTmp => "Restore the state file from its .tmp file".to_owned(),
        Point::ReTriage => "Triage the issue again".to_owned(),
        Point::Override => format!("Override the gate {}", scene.gate().map_or("", Stage::word)),
    }
}

/// Why the records lead to it.
pub(crate) fn chosen(scene: &Scene<'_>, point: Point) -> String {
    match (point, &scene.tmp) {
        (Point::FromTmp, Some(tmp)) => format!(
            "{} The .tmp file beside it is whole. {}",
            lost(scene.facts),
            tmp.why
        ),
        _ => scene.target.why.clone(),
    }
}

/// Why one would choose it.
pub(crate) fn reason(scene: &Scene<'_>, point: Point) -> &'static str {
    match point {
        Point::Step(Step::Triage) => "Triage the issue again.",
        Point::Step(Step::Plan) => "Plan again, keeping the triage.",
        Point::Step(Step::Execute) => "Execute the plan that is there.",
        Point::Step(Step::Verify) => "Verify what was executed.",
        Point::Step(Step::Pr) => "Create the pull request.",
        Point::Fresh => "Forget the checkpoint; files, branch and worktree stay.",
        Point::Retry => "Reset the retries and go on; the checkpoint is offered again.",
        Point::Cleanup => "Remove the worktree, set the labels, archive the state file.",
        Point::FromTmp => "The last write was interrupted after its .tmp file was whole.",
        Point::ReTriage => "The orchestrator writes the state anew; branch and documents stay.",
        Point::Override => match scene.gate() {
            Some(Stage::NeedsInfo) => "You know enough to go on without the missing information.",
            Some(Stage::NeedsSecurityReview) => "You have reviewed the security of it.",
            Some(Stage::Discussing) => "The discussion is settled, and the issue is approved.",
            _ => "What blocks it is resolved.",
        },
    }
}

/// What a person should know before choosing it.
pub(crate) fn warnings(scene: &Scene<'_>, point: Point) -> Vec<String> {
    let (facts, state, target) = (scene.facts, scene.state, scene.target);
    let number = &facts.number;
    let mut all = Vec::new();
    if scene.is_chosen(point) {
        all.extend(target.warnings.iter().cloned());
        if state.stage() == Some(Stage::Failed) || state.dead_letter() {
            all.push(
                "The run stops without --retry, and after it the checkpoint is offered again."
                    .to_owned(),
            );
        }
    }
    // Whatever is chosen but the gate's own way out, the run stops at the gate.
    let passes = matches!(point, Point::Override | Point::Cleanup);
    if !passes && (scene.is_chosen(point) || scene.gate().is_some()) {
        all.extend(waits_for(state, number));
    }
    all.extend(special(scene, point));
    if facts.listed().is_some() && point != Point::Cleanup {
        all.push(format!(
            "Use /mgw:run {number}, not /mgw:milestone: that one resets issues in progress and removes worktrees."
        ));
    }
    all
}

/// What holds for one point alone.
fn special(scene: &Scene<'_>, point: Point) -> Option<String> {
    let history = scene
        .state
        .checkpoint()
        .is_some_and(|checkpoint| !checkpoint.history.is_empty());
    match point {
        Point::Fresh => Some(
            "The step history and the list of documents are lost from the state file.".to_owned(),
        ),
        Point::Cleanup => ignored_documents(scene),
        Point::Step(_) if scene.facts.source != Source::File => Some(format!(
            "{} The run would triage the issue again first.",
            lost(scene.facts)
        )),
        Point::Step(_) if !scene.is_chosen(point) && history => Some(
            "The history keeps the later steps; an entry by relight after them says that the checkpoint was set back."
                .to_owned(),
        ),
        Point::FromTmp if scene.facts.source == Source::File => Some(older(scene)),
        Point::ReTriage => Some(
            "The orchestrator writes a new checkpoint at triage; what the old one recorded no longer counts."
                .to_owned(),
        ),
        Point::Step(_) | Point::Retry | Point::FromTmp | Point::Override => None,
    }
}

/// How old the leftover is beside the state file that it would replace.
fn older(scene: &Scene<'_>) -> String {
    let times = scene
        .facts
        .whole_tmp()
        .and_then(|tmp| tmp.modified)
        .zip(scene.facts.file().and_then(|file| file.modified));
    match times {
        Some((tmp, file)) if tmp > file => {
            "The state file can be read, and is older than its .tmp file.".to_owned()
        }
        _ => "The state file can be read, and its .tmp file is not newer.".to_owned(),
    }
}

/// Removing a worktree deletes what git ignores without asking.
fn ignored_documents(scene: &Scene<'_>) -> Option<String> {
    let tree = scene.facts.branch.present()?;
    Some(format!(
        "Removing the worktree deletes ignored files without asking: copy {}/.planning first.",
        tree.to_string_lossy()
    ))
}
