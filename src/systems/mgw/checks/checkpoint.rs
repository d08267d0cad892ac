//! M6 to M8: the checkpoint's shape, its words, and whether step, history and stage agree.

use super::Scene;
use crate::model::Verdict;
use crate::systems::kit::checks::{Outcome, fail, found, pass, warn};
use crate::systems::mgw::shape::{Checkpoint, CheckpointShape, SCHEMA, State, Step};

/// M6: null or an object of the known version.
pub(super) fn shape(scene: &Scene<'_>) -> Result<Vec<Outcome>, Outcome> {
    let state = scene.state()?;
    let outcome = match (state.checkpoint_shape(), state.checkpoint()) {
        (CheckpointShape::Wrong(kind), _) => fail(
            format!("The checkpoint is {kind}, not an object."),
            "Set it to null by hand; then the evidence decides.",
        ),
        (_, Some(checkpoint)) => {
            let version = Some(version(checkpoint.schema));
            return Ok(version.into_iter().chain(members(checkpoint)).collect());
        }
        (CheckpointShape::Null, None) => pass("The checkpoint is null: nothing was saved yet."),
        (CheckpointShape::Missing | CheckpointShape::Object, None) => {
            pass("There is no checkpoint: the file is older than checkpoints, or none was saved.")
        }
    };
    Ok(vec![outcome])
}

fn version(schema: i64) -> Outcome {
    if schema == SCHEMA {
        return pass(format!("Its version is {SCHEMA}."));
    }
    warn(
        format!("Its version is {schema}, not {SCHEMA}; a newer one is read, never written."),
        "Continue with the orchestrator itself; edits of this file are refused.",
    )
}

/// Missing members are read as the orchestrator's own defaults.
fn members(checkpoint: &Checkpoint) -> Option<Outcome> {
    let lacks = &checkpoint.lacks;
    (!lacks.is_empty()).then(|| {
        let lacks = lacks.join(", ");
        warn(
            format!("Missing, or of another type: {lacks}. Each is read as its default."),
            "Check the state file: its checkpoint was not written by the orchestrator's own code.",
        )
        .about("checkpoint members")
    })
}

/// M7: step and action are known.
pub(super) fn words(scene: &Scene<'_>) -> Result<Vec<Outcome>, Outcome> {
    let checkpoint = scene.checkpoint()?;
    let step_text = &checkpoint.step_text;
    let step = match checkpoint.step {
        Some(_) => pass(format!("The step {step_text} is known.")),
        None => warn(
            format!("The step {step_text} is unknown."),
            "The action or the evidence decides; compare with the orchestrator's version.",
        ),
    };
    let action = match (&checkpoint.action_text, checkpoint.action) {
        (None, _) => pass("No action is set; the step decides."),
        (Some(text), Some(_)) => pass(format!("The action {text} is known.")),
        (Some(text), None) => warn(
            format!("The action {text} is unknown; the step decides."),
            "Compare with the orchestrator's version before you continue.",
        ),
    };
    Ok(vec![step.about("step"), action.about("action")])
}

/// M8: the step against the history, and against the stage.
pub(super) fn agreement(scene: &Scene<'_>) -> Result<Vec<Outcome>, Outcome> {
    let (checkpoint, state) = (scene.checkpoint()?, scene.state()?);
    Ok(vec![
        by_history(checkpoint).about("history"),
        by_stage(state, checkpoint).about("stage"),
    ])
}

fn by_history(checkpoint: &Checkpoint) -> Outcome {
    let step = &checkpoint.step_text;
    let Some(last) = checkpoint.last_past.map(Step::word) else {
        return pass("The history has no known step.");
    };
    if checkpoint.regressed() {
        return warn(
            format!("The step is {step}, and the history is already at {last}."),
            format!("Treat {last} as the step: triage resets the checkpoint when it runs again."),
        );
    }
    pass(format!(
        "The step is {step}, and the last one in the history is {last}."
    ))
}

fn by_stage(state: &State, checkpoint: &Checkpoint) -> Outcome {
    let pair = state.stage().zip(checkpoint.step);
    let agree = pair.is_some_and(|(stage, step)| {
        step == Step::Triage || stage.waits() || step.stages().contains(&stage)
    });
    let (step, stage) = (&checkpoint.step_text, state.stage_text());
    let stage = stage.unwrap_or("missing");
    found(
        if agree { Verdict::Pass } else { Verdict::Warn },
        format!("The step is {step}, and the stage is {stage}."),
        "Neither is trusted alone: the plan shows which step it uses, and why.",
    )
}
