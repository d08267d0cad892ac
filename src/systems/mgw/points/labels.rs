//! The texts of a point: its label, the reason to choose it, its warnings.

use crate::systems::mgw::facts::Source;
use crate::systems::mgw::facts::reading::{unreadable, waits_for};
use crate::systems::mgw::points::{Point, Scene, handoff, lacks};
use crate::systems::mgw::shape::{Stage, Step};
use crate::text::Shown as _;

pub(crate) fn label(scene: &Scene<'_>, point: Point) -> String {
    let label = match point {
        Point::Step(step) => {
            let detail = &scene.target.detail;
            if scene.is_chosen(point) && !detail.is_empty() {
                return format!("{}, {detail}", step.name());
            }
            step.name()
        }
        Point::Fresh => "Start over after triage",
        Point::Retry => "Retry with the checkpoint kept",
        Point::Cleanup => "Clean up after the pull request",
        Point::FromTmp => "Restore the state file from its .tmp file",
        Point::ReTriage => "Triage the issue again",
        Point::Override => {
            return format!("Override the gate {}", scene.gate().map_or("", Stage::word));
        }
    };
    label.to_owned()
}

/// Why it is recommended.
pub(crate) fn chosen(scene: &Scene<'_>, point: Point) -> String {
    match (point, &scene.tmp) {
        (Point::FromTmp, Some(tmp)) => {
            let why = unreadable(scene.facts);
            format!("{why} Its .tmp file is complete. {}", tmp.why)
        }
        _ => scene.target.why.clone(),
    }
}

/// The reason to choose it.
pub(crate) fn reason(scene: &Scene<'_>, point: Point) -> &'static str {
    match point {
        Point::Step(Step::Execute) if lacks(scene.facts, point).is_some() => {
            if scene.facts.evidence.is_unread("PLAN") {
                "Execute a plan that cannot be read: write or restore it first."
            } else {
                "Execute a plan that was not found: write or restore it first."
            }
        }
        Point::Step(Step::Triage) => "Triage the issue again.",
        Point::Step(Step::Plan) => "Plan again, keeping the triage.",
        Point::Step(Step::Execute) => "Execute the existing plan.",
        Point::Step(Step::Verify) => "Verify what was executed.",
        Point::Step(Step::Pr) => "Create the pull request.",
        Point::Fresh if scene.state.checkpoint().is_none() => {
            "Set the stage back to triaged; keep files, branch and worktree."
        }
        Point::Fresh => "Discard the checkpoint; keep files, branch and worktree.",
        Point::Retry => "Reset the retries and continue; the checkpoint is offered again.",
        Point::Cleanup => "Remove the worktree, set the labels, archive the state file.",
        Point::FromTmp => "The last write was interrupted after its .tmp file was complete.",
        Point::ReTriage => "The orchestrator writes a new state; relight deletes nothing.",
        Point::Override => match scene.gate() {
            Some(Stage::NeedsInfo) => {
                "Choose this if you know enough to continue without the missing information."
            }
            Some(Stage::NeedsSecurityReview) => "Choose this if you have done the security review.",
            Some(Stage::Discussing) => {
                "Choose this if the discussion is over and the issue is approved."
            }
            _ => "Choose this if the blocker is resolved.",
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
        if state.has_failed() {
            let text = "The run stops without --retry. With it, the checkpoint is offered again.";
            all.push(text.to_owned());
        }
    }
    // Only its own override passes the gate: at any other point the run stops there.
    let passes = matches!(point, Point::Override | Point::Cleanup);
    if !passes && (scene.is_chosen(point) || scene.gate().is_some()) {
        all.extend(waits_for(state, number));
    }
    let gaps = scene.gaps(point);
    all.extend(
        gaps.map(|gaps| format!("{gaps}. Read the gaps before you create the pull request.")),
    );
    all.extend(scene.recreates(point).then(|| {
        let back = facts.branch.bring_back(&facts.root);
        format!("There is no worktree of the issue. {back}")
    }));
    let unread = facts.branch.unread.as_ref();
    all.extend(unread.map(|why| {
        let name = &facts.branch.name;
        format!("git cannot read the branch {name}: {why}. Repair it before the run creates another one.")
    }));
    all.extend(special(scene, point));
    if facts.listed().is_some() && point != Point::Cleanup {
        let command = handoff::command(scene, point);
        all.push(format!(
            "Use {command}, not /mgw:milestone, which resets issues in progress and removes worktrees."
        ));
    }
    all
}

/// A warning for one point alone.
fn special(scene: &Scene<'_>, point: Point) -> Option<String> {
    let checkpoint = scene.state.checkpoint();
    // What runs again may be on record, too.
    let later = |step: Step| {
        let mut history = checkpoint.into_iter().flat_map(|one| &one.history);
        history.any(|past| past.step >= Some(step))
    };
    let from_file = scene.facts.source == Source::File;
    let text = match point {
        Point::Fresh => {
            checkpoint?;
            "The step history and the list of documents are removed from the state file."
        }
        Point::Cleanup => {
            let tree = scene.facts.branch.present()?.shown();
            return Some(format!(
                "Removing the worktree deletes ignored files without asking: copy {tree}/.planning first."
            ));
        }
        Point::Step(_) if !from_file => {
            let why = unreadable(scene.facts);
            return Some(format!("{why} The run would triage the issue again first."));
        }
        Point::Step(step) if !scene.is_chosen(point) && later(step) => {
            "The history keeps the steps that run again; an entry by relight after them records the rewind."
        }
        Point::FromTmp if from_file => {
            let tmp = scene.facts.valid_tmp().and_then(|tmp| tmp.modified);
            let file = scene.facts.file().and_then(|file| file.modified);
            if tmp.zip(file).is_some_and(|(tmp, file)| tmp > file) {
                "The state file can be read, and is older than its .tmp file."
            } else {
                "The state file can be read, and its .tmp file is not newer."
            }
        }
        Point::ReTriage => {
            checkpoint?;
            "Triage writes a new checkpoint; what the old one recorded no longer counts."
        }
        Point::Step(_) | Point::Retry | Point::FromTmp | Point::Override => return None,
    };
    Some(text.to_owned())
}
