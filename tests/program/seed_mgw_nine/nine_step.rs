//! nine-step's resume, as its command describes it: load the state with its required fields, and run one step of one
//! phase, which the prompt names, in the worktree on its branch.

use std::fs;
use std::path::Path;

use relight::model::{Handoff, Pipeline, Plan};
use serde_json::Value;

const STEPS: [&str; 10] = ["1", "2", "2.5", "3", "4", "5", "6", "7", "8", "9"];

/// Reads a hand-off as the orchestrator would.
pub(crate) fn read(pipeline: &Pipeline, plan: &Plan, handoff: &Handoff) -> Result<(), String> {
    let said = handoff.prompt.lossy().into_owned();
    let point = plan.point.boundary.id.0.as_str();
    let place = place(&said)?;
    let named = match place {
        None => "merge".to_owned(),
        Some((phase, step)) => format!("phase-{phase}-step-{}", STEPS.get(step).unwrap_or(&"?")),
    };
    if (point == "merge" || point.contains("-step-")) && named != point {
        return Err(format!("{point} arrives at {named}"));
    }
    if let Some(phase) = point
        .strip_prefix("phase-")
        .and_then(|p| p.strip_suffix("-commit"))
    {
        let next = phase.parse::<i64>().unwrap_or(-1) + 1;
        if place.map(|(phase, _)| phase) != Some(next) {
            return Err(format!("{point} arrives at {named}"));
        }
    }
    let state = load(pipeline)?;
    if let Some(state) = state {
        consistent(&state, plan, place, point)?;
    }
    for item in &plan.kept {
        if recorded(&item.id.lossy()).is_some_and(|at| place.is_some_and(|place| at >= place)) {
            return Err(format!("{named}: {} is said to be kept", item.id.lossy()));
        }
    }
    Ok(())
}

/// `phase P, step S` of the prompt; `None` for the merge.
fn place(said: &str) -> Result<Option<(i64, usize)>, String> {
    if said.contains(" at its merge stage") {
        return Ok(None);
    }
    let rest = said
        .split(" at phase ")
        .nth(1)
        .ok_or("the prompt names no phase")?;
    let (phase, rest) = rest
        .split_once(", step ")
        .ok_or("the prompt names no step")?;
    let step = rest.split(' ').next().unwrap_or_default();
    let step = STEPS.iter().position(|known| *known == step);
    let phase = phase
        .parse()
        .map_err(|why| format!("no phase {phase}: {why}"))?;
    Ok(Some((phase, step.ok_or("an unknown step")?)))
}

/// A place from a recorded step's id.
fn recorded(id: &str) -> Option<(i64, usize)> {
    let (phase, step) = id.strip_prefix("phase-")?.split_once("-step-")?;
    Some((phase.parse().ok()?, STEPS.iter().position(|s| *s == step)?))
}

/// The state file as upstream loads it; none where the pipeline has none.
fn load(pipeline: &Pipeline) -> Result<Option<Value>, String> {
    let Some(file) = pipeline.reading.state_files.first() else {
        return Ok(None);
    };
    let bytes = fs::read(file).map_err(|why| format!("{}: {why}", file.display()))?;
    let body = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let state: Value = serde_json::from_slice(body).map_err(|why| format!("corrupted: {why}"))?;
    for key in [
        "feature_name",
        "current_phase",
        "current_step",
        "last_execution",
    ] {
        if state.get(key).is_none() {
            return Err(format!("Missing required field: {key}"));
        }
    }
    if let Some(tree) = state["worktree_path"].as_str()
        && !pipeline.reading.root.join(Path::new(tree)).is_dir()
    {
        // Before the approval the worktree is not made.
        return Ok(None);
    }
    Ok(Some(state))
}

/// What a point wrote: no completed step lies at or after the place, and the recorded plan names it.
fn consistent(
    state: &Value,
    plan: &Plan,
    place: Option<(i64, usize)>,
    point: &str,
) -> Result<(), String> {
    if plan.actions.is_empty() || point == "from-backup" {
        return Ok(());
    }
    let Some(place) = place else { return Ok(()) };
    let number = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    for done in state["completed_steps"].as_array().into_iter().flatten() {
        let step = STEPS.iter().position(|s| *s == number(&done["step"]));
        let at = number(&done["phase"]).parse::<i64>().ok().zip(step);
        if at.is_some_and(|at| at >= place) {
            return Err(format!("the state still says that {at:?} is done"));
        }
    }
    let next = &state["resume_plan"];
    let named = (number(&next["next_phase"]), number(&next["next_step"]));
    let wanted = (
        place.0.to_string(),
        STEPS.get(place.1).unwrap_or(&"?").to_string(),
    );
    if named == wanted {
        return Ok(());
    }
    Err(format!("resume_plan says {named:?}"))
}
