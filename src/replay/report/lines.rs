//! The JSON lines: crucible's keys in its order; integers or null.

use serde_json::{Value, json};

use crate::model::{Comparison, MetricValue, Run};
use crate::replay::compare::Figure;

use super::numbers::minutes;

/// The JSON lines, one for each run of B, each without its newline. Each is compared with the original, else with the
/// first run of A. The files are those of the first run of B; those of the others are unknown.
pub fn lines(comparison: &Comparison) -> Vec<String> {
    let original = comparison.original.as_ref();
    let Some(original) = original.or_else(|| comparison.a.runs.first()) else {
        return Vec::new();
    };
    let runs = comparison.b.runs.iter().enumerate();
    runs.map(|(at, run)| line(comparison, original, run, at == 0).to_string())
        .collect()
}

fn line(comparison: &Comparison, original: &Run, run: &Run, with_files: bool) -> Value {
    let figure = |figure: &Figure, run: &Run| whole(figure.value(run, None));
    let (dispatches, rounds, time) = (Figure::dispatches(), Figure::rounds(), Figure::wall_clock());
    let files = comparison.artifacts.as_ref().filter(|_| with_files);
    let mut artifacts = json!({
        "files_changed": files.map(|files| files.files.len()),
        "insertions": files.map(|files| files.insertions),
        "deletions": files.map(|files| files.deletions),
    });
    // Of two arms the files are those of the control and the mutated run, which the keys of the line do not name.
    let arms = files.filter(|_| comparison.original.is_some());
    if let (Some(files), Some(artifacts)) = (arms, artifacts.as_object_mut()) {
        let between = files.between.lossy().into_owned();
        artifacts.insert("between".to_owned(), between.into());
    }
    let mutations: Vec<_> = run.mutations.iter().map(|one| one.lossy()).collect();
    json!({
        "type": "replay-diff",
        "original_session": session(original),
        "replay_session": session(run),
        "mutations": mutations,
        "metrics": {
            "original_dispatches": figure(&dispatches, original),
            "replayed_dispatches": figure(&dispatches, run),
            "original_gate_rounds": figure(&rounds, original),
            "replayed_gate_rounds": figure(&rounds, run),
            "original_duration_m": figure(&time, original),
            "replayed_duration_m": figure(&time, run),
        },
        "outcome": {
            "original": original.outcome,
            "replayed": run.outcome,
        },
        "artifact_diff": artifacts,
    })
}

/// The id by which the orchestrator knows a run; else the operand's word.
fn session(run: &Run) -> &str {
    run.session
        .as_ref()
        .map_or(run.name.as_str(), |id| id.0.as_str())
}

/// A whole number: things, or minutes.
fn whole(value: Option<MetricValue>) -> Option<i64> {
    let number = match value? {
        MetricValue::Count(n) => n.round(),
        MetricValue::Seconds(s) => minutes(s),
        MetricValue::Number(_) | MetricValue::Outcome(_) => return None,
    };
    format!("{number:.0}").parse().ok()
}
