//! mgw's `/mgw:run`, as its commands and its state library describe it: load the state, stop at gates and failures,
//! offer the checkpoint, map its action to a stage.

use std::fs;
use std::path::Path;

use relight::model::{Handoff, Pipeline, Plan};
use serde_json::Value;

/// The steps in the order that the checkpoint counts.
const STEPS: [&str; 5] = ["triage", "plan", "execute", "verify", "pr"];

/// The stage of each step, as the resume mapping names it.
const STAGES: [&str; 5] = ["triage", "planning", "executing", "verifying", "pr-pending"];

/// Reads a hand-off as the orchestrator would.
pub(crate) fn read(pipeline: &Pipeline, plan: &Plan, handoff: &Handoff) -> Result<(), String> {
    let said = handoff.prompt.lossy().into_owned();
    let point = plan.point.boundary.id.0.as_str();
    let at = arrive(pipeline, &said)?;
    let Arrived::At(place) = at else {
        // The run stops for its person: nothing of the work is done over their head.
        return match &at {
            Arrived::Stops(gate) if said.contains(gate) => Ok(()),
            Arrived::Cleanup if point == "cleanup" => Ok(()),
            Arrived::At(_) | Arrived::Stops(_) | Arrived::Cleanup => {
                Err(format!("the run does not continue: {at:?}"))
            }
        };
    };
    let step = STAGES.iter().position(|stage| *stage == place);
    let step = step.ok_or_else(|| format!("no stage {place}"))?;
    if let Some(wanted) = point.strip_prefix("step-")
        && STEPS.get(step) != Some(&wanted)
    {
        return Err(format!("{point} arrives at {place}"));
    }
    let fixed = [("fresh", "planning"), ("re-triage", "triage")];
    if let Some((_, wanted)) = fixed.iter().find(|(id, _)| *id == point)
        && place != *wanted
    {
        return Err(format!("{point} arrives at {place}"));
    }
    // Kept is what lies before the place, and what runs again is not.
    let index = |id: &str| STEPS.iter().position(|step| *step == id);
    let kept = plan.kept.iter().filter_map(|item| index(&item.id.lossy()));
    let again = plan
        .redone
        .iter()
        .filter_map(|item| index(&item.id.lossy()));
    let late: Vec<usize> = kept.filter(|kept| *kept >= step).collect();
    let early: Vec<usize> = again.filter(|again| *again < step).collect();
    if late.is_empty() && early.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{place}: kept {late:?} though later, again {early:?} though before"
    ))
}

/// Where the orchestrator arrives.
#[derive(Debug)]
enum Arrived {
    /// At this stage.
    At(String),
    /// It stops and asks its person about this.
    Stops(String),
    /// Only the cleaning up.
    Cleanup,
}

fn arrive(pipeline: &Pipeline, said: &str) -> Result<Arrived, String> {
    let mut words = said.split(' ');
    let command = words.next().unwrap_or_default();
    let number = words.next().unwrap_or_default();
    let flags: Vec<&str> = words.take_while(|word| word.starts_with("--")).collect();
    match command {
        "/mgw:sync" => return Ok(Arrived::Cleanup),
        "/mgw:issue" => return Ok(Arrived::At("triage".to_owned())),
        "/mgw:pr" => return Ok(Arrived::At("pr-pending".to_owned())),
        "/mgw:run" => {}
        other => return Err(format!("unknown command {other}")),
    }
    if pipeline.reading.native != number {
        return Err(format!("the command names issue {number}"));
    }
    let record = load(&pipeline.reading.root, number).ok_or("there is no state to load")?;
    let stage = record["pipeline_stage"].as_str().unwrap_or_default();
    let retries = flags.contains(&"--retry");
    let dead = record["dead_letter"] == Value::Bool(true);
    if (stage == "failed" || dead) && !retries {
        return Err("it halts: failed, and no --retry".to_owned());
    }
    let passed = match stage {
        "needs-info" => flags.contains(&"--force"),
        "needs-security-review" => flags.contains(&"--security-ack"),
        "blocked" | "discussing" => false,
        _ => true,
    };
    if !passed {
        return Ok(Arrived::Stops(stage.to_owned()));
    }
    resume(&record, said)
}

/// The resume prompt: offered where the checkpoint is beyond triage; what the person says beside it counts more.
fn resume(state: &Value, said: &str) -> Result<Arrived, String> {
    let checkpoint = &state["checkpoint"];
    let step = checkpoint["pipeline_step"].as_str().unwrap_or("triage");
    let offered = checkpoint.is_object() && STEPS.iter().position(|s| *s == step) > Some(0);
    let told = |before: &str| {
        let rest = said.split(before).nth(1)?;
        let end = rest.find([',', ';', '.', ' ']).unwrap_or(rest.len());
        Some(rest.get(..end)?.to_owned())
    };
    let mapped = match checkpoint["resume"]["action"].as_str() {
        Some("spawn-executor" | "continue-execution") => "executing",
        Some("spawn-verifier") => "verifying",
        Some("create-pr") => "pr-pending",
        _ => "planning",
    };
    if let Some(stage) = told("but continue with ") {
        return offered
            .then_some(Arrived::At(stage))
            .ok_or_else(|| "nothing is offered to resume".to_owned());
    }
    if let Some(stage) = told("it continues with ") {
        return if offered && stage == mapped {
            Ok(Arrived::At(stage))
        } else {
            Err(format!(
                "Resume is offered: {offered}; it leads to {mapped}"
            ))
        };
    }
    match told("Continue with ") {
        Some(place) if !offered => Ok(Arrived::At(place)),
        Some(_) => Err("Resume is offered, and the prompt does not say what to answer".to_owned()),
        None => Err("the prompt does not say where to resume".to_owned()),
    }
}

/// The first file of the number in the folder of active issues, as upstream finds it.
fn load(root: &Path, number: &str) -> Option<Value> {
    let folder = fs::read_dir(root.join(".mgw/active")).ok()?;
    let mut names: Vec<_> = folder
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    names.sort();
    let fits = |path: &&std::path::PathBuf| {
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        name.starts_with(&format!("{number}-")) && path.extension().is_some_and(|end| end == "json")
    };
    let bytes = fs::read(names.iter().find(fits)?).ok()?;
    let body = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    serde_json::from_slice(body).ok()
}
