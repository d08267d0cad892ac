//! Builders that the tests of this system share.

use super::files::{JobRecord, Stage, State};
use crate::formats::json;

/// A state file with these stages: id, status, dependencies.
pub(crate) fn document(stages: &[(&str, &str, &[&str])]) -> String {
    let stage = |(id, status, needs): &(&str, &str, &[&str])| {
        let needs: Vec<String> = needs.iter().map(|n| format!("\"{n}\"")).collect();
        let needs = needs.join(", ");
        format!(
            "    {{\n      \"id\": \"{id}\",\n      \"name\": \"Name of {id}\",\n      \"status\": \"{status}\",\n      \"depends_on\": [{needs}],\n      \"backend\": null,\n      \"inputs\": [],\n      \"outputs\": [\"{id}/out.dat\"],\n      \"parameters\": {{\"tol\": 1e-6, \"κ\": 18.0}},\n      \"success_criteria\": \"it converges\",\n      \"started_at\": null,\n      \"completed_at\": null,\n      \"retry_count\": 0,\n      \"last_error\": null,\n      \"running_process\": null\n    }}"
        )
    };
    let stages: Vec<String> = stages.iter().map(stage).collect();
    format!(
        "{{\n  \"workflow_id\": \"demo-2026-06-01\",\n  \"version\": 1,\n  \"created\": \"2026-06-01T08:00:00Z\",\n  \"updated\": \"2026-06-01T08:00:00Z\",\n  \"experiment_design\": \"docs/design.md\",\n  \"workflow_plan\": \"docs/plan.md\",\n  \"amendments\": [],\n  \"default_backend\": \"local\",\n  \"backend_profiles\": {{\n    \"local\": {{\"type\": \"local\", \"config\": {{\"batch_type\": \"Shell\", \"context_type\": \"LocalContext\"}}}}\n  }},\n  \"stages\": [\n{}\n  ]\n}}\n",
        stages.join(",\n")
    )
}

/// A parsed state file.
pub(crate) fn parsed(text: &str) -> State {
    let map = json::object(text.as_bytes()).unwrap();
    State::read(text.as_bytes().to_vec(), map).unwrap()
}

/// The same as a parsed state.
pub(crate) fn state(stages: &[(&str, &str, &[&str])]) -> State {
    parsed(&document(stages))
}

/// Only the stages.
pub(crate) fn stages(stages: &[(&str, &str, &[&str])]) -> Vec<Stage> {
    state(stages).stages
}

/// Gives a stage a job record with derived names.
pub(crate) fn with_job(state: &mut State, at: usize, recovery: bool) -> JobRecord {
    let id = state.stages[at].id.clone();
    let job = JobRecord {
        tmux_session: format!("dpdisp_{id}"),
        wrapper_script: format!("{id}/dpdisp-run.sh"),
        done_marker: format!("{id}/DPDISP_DONE"),
        exit_code_file: format!("{id}/DPDISP_EXIT_CODE"),
        recovery_attempted: recovery,
        launched_at: None,
    };
    state.stages[at].job = Some(job.clone());
    job
}
