//! M6 to M8: the checkpoint's shape, its words, and whether step, history and stage agree.

use crate::model::{Check, Verdict};
use crate::systems::mgw::checks::{Case, check, fail, no_state, pass, skipped, warn};
use crate::systems::mgw::shape::state::{Checkpoint, CheckpointShape, SCHEMA, State};
use crate::systems::mgw::shape::vocabulary::Step;

/// M6: null or an object of the version that is known.
pub(crate) fn shape(case: &Case<'_>) -> Vec<Check> {
    let Some(state) = case.facts.recorded() else {
        return no_state("checkpoint");
    };
    match state.checkpoint_shape() {
        CheckpointShape::Missing => pass(
            "checkpoint",
            "There is no checkpoint; the file is of a time before them, or none was saved.",
        ),
        CheckpointShape::Null => pass(
            "checkpoint",
            "The checkpoint is null: nothing was saved yet.",
        ),
        CheckpointShape::Wrong(kind) => fail(
            "checkpoint",
            format!("The checkpoint is {kind}, not an object."),
            "Set it to null by hand, then go on by the evidence.",
        ),
        CheckpointShape::Object => {
            let lacks = state
                .checkpoint()
                .map(|checkpoint| checkpoint.lacks.as_slice());
            let mut checks = version(state.checkpoint());
            checks.extend(lacks.and_then(members));
            checks
        }
    }
}

/// Members that are missing are read as the orchestrator's own defaults.
fn members(lacks: &[&str]) -> Option<Check> {
    if lacks.is_empty() {
        return None;
    }
    let text = format!(
        "Missing, or of another type: {}. Each is read as its default.",
        lacks.join(", ")
    );
    Some(check("checkpoint members", Verdict::Warn, text).remedy(
        "Look at the state file: its checkpoint was not written by the orchestrator's own code.",
    ))
}

fn version(checkpoint: Option<&Checkpoint>) -> Vec<Check> {
    let schema = checkpoint.map_or(SCHEMA, |checkpoint| checkpoint.schema);
    if schema == SCHEMA {
        return pass("checkpoint", format!("Its version is {SCHEMA}."));
    }
    warn(
        "checkpoint",
        format!("Its version is {schema}, not {SCHEMA}; a newer one is read and never written."),
        "Go on with the orchestrator itself; edits of this file are refused.",
    )
}

/// M7: step and action are known.
pub(crate) fn words(case: &Case<'_>) -> Vec<Check> {
    let Some(checkpoint) = case.facts.recorded().and_then(State::checkpoint) else {
        return skipped(
            "step and action",
            "There is no checkpoint object.",
            "Nothing to do: the evidence decides.",
        );
    };
    let step = match checkpoint.step {
        Some(step) => check(
            "step",
            Verdict::Pass,
            format!("The step {} is known.", step.word()),
        ),
        None => check(
            "step",
            Verdict::Warn,
            format!("The step {} is not known.", checkpoint.step_text),
        )
        .remedy("The action or the evidence decides; compare with the orchestrator's version."),
    };
    let action = match (&checkpoint.action_text, checkpoint.action) {
        (None, _) => check(
            "action",
            Verdict::Pass,
            "No action is set; the step decides.",
        ),
        (Some(text), Some(_)) => check(
            "action",
            Verdict::Pass,
            format!("The action {text} is known."),
        ),
        (Some(text), None) => check(
            "action",
            Verdict::Warn,
            format!("The action {text} is not known; the step decides."),
        )
        .remedy("Compare with the orchestrator's version before you go on."),
    };
    vec![step, action]
}

/// M8: the step against the history, and against the stage.
pub(crate) fn agreement(case: &Case<'_>) -> Vec<Check> {
    let Some((state, checkpoint)) = case
        .facts
        .recorded()
        .and_then(|s| Some((s, s.checkpoint()?)))
    else {
        return skipped(
            "step, history and stage",
            "There is no checkpoint object.",
            "Nothing to do: the evidence decides.",
        );
    };
    vec![by_history(checkpoint), by_stage(state, checkpoint)]
}

fn by_history(checkpoint: &Checkpoint) -> Check {
    let step = &checkpoint.step_text;
    match checkpoint.last_past {
        None => check("history", Verdict::Pass, "The history names no step."),
        Some(last) if checkpoint.regressed() => check(
            "history",
            Verdict::Warn,
            format!(
                "The step is {step}, and the history reaches {}.",
                last.word()
            ),
        )
        .remedy(format!(
            "Take {} as the step: triage sets the checkpoint back when it runs again.",
            last.word()
        )),
        Some(last) => check(
            "history",
            Verdict::Pass,
            format!(
                "The step is {step}, and the history's last is {}.",
                last.word()
            ),
        ),
    }
}

fn by_stage(state: &State, checkpoint: &Checkpoint) -> Check {
    let stage_text = state.stage_text().unwrap_or("missing");
    let pair = state.stage().zip(checkpoint.step);
    let text = format!(
        "The step is {}, and the stage is {stage_text}.",
        checkpoint.step_text
    );
    match pair {
        Some((stage, step))
            if step == Step::Triage || stage.waits() || step.stages().contains(&stage) =>
        {
            check("stage", Verdict::Pass, text)
        }
        _ => check("stage", Verdict::Warn, text)
            .remedy("Neither is trusted alone: the plan shows which step it takes, and why."),
    }
}
