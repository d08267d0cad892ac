//! The state file as a point would leave it.

use serde_json::{Map, Value, json};

use super::super::facts::Facts;
use super::super::state::{CheckpointShape, State};
use super::super::words::{Action, Step};
use super::points::Point;
use super::splice::set;

/// The members that a step point writes: what the orchestrator itself leaves right before that step, in
/// actions that its own mapping knows.
struct Row {
    step: Step,
    action: Action,
    stage: &'static str,
}

/// The table (format note, sections b.2, d and g). `pr-pending` is not a stage that may be written, so a
/// pull request to be made is `verifying`.
fn row(step: Step) -> Option<Row> {
    let (before, action, stage) = match step {
        Step::Triage => return None,
        Step::Plan => (Step::Triage, Action::BeginExecution, "triaged"),
        Step::Execute => (Step::Plan, Action::SpawnExecutor, "executing"),
        Step::Verify => (Step::Execute, Action::SpawnVerifier, "verifying"),
        Step::Pr => (Step::Verify, Action::CreatePr, "verifying"),
    };
    Some(Row {
        step: before,
        action,
        stage,
    })
}

/// One member to be set: the object's path, the key, the value.
type Member = (Vec<&'static str>, &'static str, Value);

/// The members that a point sets; none where it writes nothing.
pub(super) fn members(facts: &Facts, state: &State, point: Point) -> Vec<Member> {
    let top = |key: &'static str, value: Value| (Vec::new(), key, value);
    match point {
        Point::Cleanup => Vec::new(),
        Point::Fresh => vec![
            top("checkpoint", Value::Null),
            top("pipeline_stage", json!("triaged")),
        ],
        Point::Retry => vec![
            top("retry_count", json!(0)),
            top("last_failure_class", Value::Null),
            top("dead_letter", json!(false)),
            top("pipeline_stage", json!("triaged")),
        ],
        Point::Step(step) => step_members(facts, state, step),
    }
}

fn step_members(facts: &Facts, state: &State, step: Step) -> Vec<Member> {
    let (before, resume, stage) = match row(step) {
        // Triage itself writes the checkpoint anew.
        None => (Step::Triage, json!({"action": null, "context": {}}), "new"),
        Some(row) => (
            row.step,
            json!({"action": row.action.word(), "context": context(facts, state, step)}),
            row.stage,
        ),
    };
    let stage = (Vec::new(), "pipeline_stage", json!(stage));
    if state.checkpoint_shape() == CheckpointShape::Object {
        let within = || vec!["checkpoint"];
        return vec![
            (within(), "pipeline_step", json!(before.word())),
            (within(), "resume", resume),
            stage,
        ];
    }
    let whole = json!({
        "schema_version": 1,
        "pipeline_step": before.word(),
        "step_progress": {},
        "last_agent_output": null,
        "artifacts": [],
        "resume": resume,
        "step_history": [],
    });
    vec![(Vec::new(), "checkpoint", whole), stage]
}

/// What the handler of the action wants to know: the folder of documents, as recorded or as found.
fn context(facts: &Facts, state: &State, step: Step) -> Value {
    if step == Step::Plan {
        return json!({"gsd_route": state.route_text(), "branch": facts.branch.name});
    }
    let recorded = state.checkpoint().map(|checkpoint| &checkpoint.context);
    let mut context: Map<String, Value> = recorded
        .into_iter()
        .flatten()
        .filter(|(key, _)| {
            ["quick_dir", "plan_num", "phase_dir", "phase_number"].contains(&key.as_str())
        })
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    if context.is_empty()
        && let Some(dir) = &facts.evidence.dir
    {
        let key = if dir.contains("phases/") {
            "phase_dir"
        } else {
            "quick_dir"
        };
        context.insert(key.to_owned(), json!(dir));
    }
    Value::Object(context)
}

/// The file afterwards; `None` where it cannot be spliced. Members that say the same already stay untouched.
pub(super) fn edited(bytes: &[u8], state: &State, members: &[Member]) -> Option<Vec<u8>> {
    let mut edited = bytes.to_vec();
    for (path, key, value) in members {
        let mut object = Some(state.map());
        for step in path {
            object = object.and_then(|map| map.get(*step)?.as_object());
        }
        let same = object.and_then(|map| map.get(*key)) == Some(value);
        if !same {
            edited = set(&edited, path, key, value)?;
        }
    }
    Some(edited)
}
